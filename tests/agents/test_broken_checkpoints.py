"""What cannot be used as a model ends in one clear line."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file, save_file

from shopsim.agents.models import load_backend
from shopsim.errors import InputError


def without(*names: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        for name in names:
            (folder / name).unlink()

    return damage


def configured(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text())
        change(config)
        (folder / "config.json").write_text(json.dumps(config))

    return damage


def cut(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:100_000])


def half(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    kept = {name: tensor for name, tensor in weights.items() if "language_model.layers.1" not in name}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (without("config.json"), r"holds neither a model \(config.json\) nor a finished checkpoint"),
        (without("model.safetensors"), "cannot load a model from .*no file named model.safetensors"),
        (cut, "cannot load a model from .*incomplete metadata"),
        (half, r"11 of its weights are not there, model.language_model.layers.1.* for one"),
        (without("tokenizer.json", "tokenizer_config.json"), r"there is no tokenizer \(tokenizer.json\)"),
        (without("chat_template.jinja"), "no chat template in"),
        (without("preprocessor_config.json"), "cannot load a model from .*image processor"),
        (configured(lambda c: c.update(model_type="florp")), "cannot load a model from .*florp"),
        (configured(lambda c: c["text_config"].update(hidden_size=128)), "of its weights have another shape than"),
        (configured(lambda c: c["text_config"].update(num_hidden_layers=3)), "11 of its weights are not there"),
        (lambda folder: (folder / "config.json").write_text("{oops"), "cannot load a model from .*not a valid JSON"),
        (configured(lambda c: (c.clear(), c.update(model_type="bert"))), "of its weights are not there"),
    ],
)
def test_a_checkpoint_that_is_not_whole_is_named(
    vlm_path: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], damage: Callable[[Path], None], said: str
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(vlm_path, folder)
    damage(folder)
    with pytest.raises(InputError, match=said) as error:
        load_backend(folder, device="cpu")
    assert "\n" not in str(error.value)
    assert "REPORT" not in "".join(capfd.readouterr())
