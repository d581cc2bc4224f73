"""A trained agent on disk: where its model lies, and how it was set up to see and to be asked. Ours.

Beside the model's own files a trained agent's folder holds ``agent.json``, so that whoever loads it (a benchmark,
another training run) shows it the screens and prompts it was trained on without being told.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from shopsim.agents.backend import Backend, Sampling
from shopsim.agents.recverse import RecVerseAgent
from shopsim.errors import InputError

SETUP = "agent.json"

NANO = "shopsim-nano"
"""The small trained model that comes with the package."""

HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
"""What a model on the hub is called: owner/name."""

Style = Literal["recverse", "tiny"]


@dataclass(frozen=True, slots=True)
class AgentSetup:
    """What decides an agent's prompts, besides the model."""

    style: Style = "recverse"
    """`recverse`: full prompts for pretrained models; `tiny`: short ones, one past screen, short answers."""
    size: tuple[int, int] = (320, 608)
    """Width and height of the screens in pixels."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Where it departs from its style: options of `RecVerseAgent.of` as JSON values, for example
    ``{"use_episodic": true, "window": 2}``."""

    def make_agent(self, backend: Backend, sampling: Sampling | None = None, **options: Any) -> RecVerseAgent:
        """An agent set up so; `options` are further ones of `RecVerseAgent.of`.

        Raises:
            InputError: There is no such option.
        """
        agent = RecVerseAgent.of(backend, self.style == "tiny", **{**self.options, **options})
        if sampling is not None:
            agent.sampling = sampling
        return agent

    def write(self, folder: Path) -> None:
        """Writes ``agent.json`` into a model's folder."""
        (folder / SETUP).write_text(json.dumps(asdict(self)) + "\n", encoding="utf-8")

    @classmethod
    def of(cls, folder: Path) -> "AgentSetup":
        """That of a model's folder; the default where it has none, as a pretrained model's has.

        Raises:
            InputError: ``agent.json`` is there but cannot be used.
        """
        path = folder / SETUP
        if not path.exists():
            return cls()
        try:
            read = json.loads(path.read_text(encoding="utf-8"))
            width, height = read["size"]
            setup = cls(read["style"], (int(width), int(height)), dict(read.get("options", {})))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path} is no agent's setup ({type(error).__name__}: {error})") from None
        if setup.style not in get_args(Style):
            raise InputError(f"{path} has style {setup.style!r}; it must be one of {', '.join(get_args(Style))}")
        return setup


def folder_of(model: str | Path) -> Path:
    """The folder a model is loaded from: `NANO`'s, a run's newest checkpoint, the folder itself, or that of a hub id.

    Raises:
        InputError: There is no model there.
    """
    path = Path(__file__).with_name("nano") if str(model) == NANO else Path(model)
    if path.is_dir():
        found = latest(path) or path
        if not (found / "config.json").is_file():
            raise InputError(f"{path} holds neither a model (config.json) nor a finished checkpoint")
        return found
    if not HUB_ID.fullmatch(str(model)):
        raise InputError(f"there is no folder {model} with a model")
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(str(model)))
    except Exception as error:  # the hub client has no common base for "not there", "no network" and "bad name"
        raise InputError(f"{model} is no folder and cannot be had from the hub: {str(error).splitlines()[0]}") from None


def latest(out: Path) -> Path | None:
    """The newest checkpoint of a run, None where there is none yet."""
    found = [path for path in out.glob("checkpoint-*") if re.fullmatch(r"checkpoint-\d+", path.name)]
    return max(found, key=lambda path: int(path.name.split("-")[1]), default=None)
