"""What both trainers can be told. Each field's text is its documentation, on the command line too."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from shopsim.agents.backend import Backend, Sampling
from shopsim.agents.checkpoint import AgentSetup, Style
from shopsim.agents.recverse import RecVerseAgent
from shopsim.data import DataSet
from shopsim.envs.env import ShopSimEnv
from shopsim.envs.reward import TrajectoryReward
from shopsim.errors import InputError
from shopsim.trainers.optimizer import Schedule

Progress = Callable[[int, int, Mapping[str, float]], None]
"""Called after each step with steps done, steps in all, and the step's scalars; where a run is resumed, once before."""


@dataclass(frozen=True, kw_only=True)
class TrainerConfig:
    """Options of both trainers; `ImitationConfig` and `GRPOConfig` add their own."""

    # What is trained on what

    model: str
    """Folder or hub id of the model to start from; of a run's folder, its newest checkpoint."""
    data: str | None = None
    """Folder or hub id of the data set; the bundled one if not given."""
    out: str
    """The run's folder: checkpoints, metrics.jsonl, tensorboard. A run that is there already is resumed."""
    seed: int = 0
    """Of everything random in the run."""

    # The agent and what it sees

    agent: Style = "recverse"
    """`recverse`: full prompts for pretrained models; `tiny`: short ones, one past screen, short answers."""
    agent_options: Mapping[str, Any] = field(default_factory=dict)
    """Where the agent departs from its style, as JSON: ``{"use_episodic": true}``, ``{"window": 2}``. The names are
    those of `PromptedAgent.of`; whoever loads the checkpoint gets the same agent."""
    size: tuple[int, int] = (320, 608)
    """Width and height of the screens in pixels."""

    lora_rank: int = 0
    """Train a low-rank adapter beside every linear layer but the head (`shopsim.trainers.lora`); 0 trains all weights.
    16 is common, with about ten times the learning rate. Gradients and optimizer then need memory for it alone."""

    # Optimizer

    lr: float = 1e-6
    """Peak learning rate. 1e-6 is what published GRPO recipes for models of 1.5 to 7 billion weights share (Dr. GRPO,
    GiGPO); a tiny model from nothing wants about 1e-3 for imitation and 3e-4 for GRPO."""
    schedule: Schedule = "constant"
    """What follows the warm-up: constant, or a linear or cosine fall to a tenth."""
    weight_decay: float = 0.0
    """AdamW's decay of weight matrices."""
    max_grad_norm: float = 1.0
    """The gradient is clipped to this norm; 0 for not at all."""
    micro_batch: int = 8
    """Rows in one forward and backward pass. A matter of memory only: the update does not depend on it."""

    # Machine

    device: str = "auto"
    """`cpu`, `cuda`, or `auto` for a GPU where there is one."""
    bf16: bool = False
    """Compute in bfloat16; weights and optimizer stay float32."""
    gradient_checkpointing: bool = False
    """Compute activations again in the backward pass: less memory, about a third more time."""

    fsdp: bool = False
    """Share one model among the processes that torchrun started (FSDP2): each keeps a slice of weights, gradients and
    optimizer. Without it each has the whole model."""

    # What is kept

    save_every: int = 50
    """Write a checkpoint every so many steps or five minutes, at the end, and when stopped by Ctrl-C or SIGTERM."""

    FREE: ClassVar[frozenset[str]] = frozenset({"model", "data", "out", "micro_batch", "device", "fsdp", "save_every"})
    """Options that a run may be resumed with another value of; model and data set are compared by their hashes."""

    LENGTH: ClassVar[str]
    """Name of the option that says how long the run is."""

    def __post_init__(self) -> None:
        self._at_least(1, "micro_batch", "save_every")
        self._at_least(0, "lora_rank", "lr", "weight_decay", "max_grad_norm", "seed")
        if self.fsdp and self.lora_rank:
            raise InputError("fsdp shares all weights among the processes and trains no adapter; set lora_rank=0")

    def identity(self) -> dict[str, Any]:
        """The options that shape the curve, as JSON values: what a resumed run must share.

        The length of the run is among them only where the learning rate falls towards its end; a run at a constant
        rate may be continued after it has finished.
        """
        free = self.FREE | ({self.LENGTH} if self.schedule == "constant" else set())
        settings = {name: value for name, value in asdict(self).items() if name not in free}
        return settings | {"size": list(self.size)}

    def _at_least(self, least: int, *names: str) -> None:
        for name in names:
            value = getattr(self, name)
            if not value >= least:
                raise InputError(f"{name} is {value}; it must be at least {least}")

    def dataset(self) -> DataSet:
        """Opens the data set."""
        return DataSet.bundled() if self.data is None else DataSet.open(self.data)

    @property
    def setup(self) -> AgentSetup:
        """How the agent sees and is asked; it goes into every checkpoint."""
        return AgentSetup(self.agent, self.size, self.agent_options)

    def make_agent(self, backend: Backend, sampling: Sampling | None = None) -> RecVerseAgent:
        """The agent whose prompts are trained on."""
        return self.setup.make_agent(backend, sampling)

    def make_env(
        self,
        dataset: DataSet,
        split: str,
        reward: TrajectoryReward | None = None,
        max_steps: int | Literal["longest"] | None = "longest",
    ) -> ShopSimEnv:
        """The environment of a split, as this run sees it."""
        return ShopSimEnv(dataset, split=split, size=self.size, reward=reward, max_steps=max_steps)


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """How a run ended."""

    checkpoint: Path
    """Its last checkpoint, loadable as a model."""
    steps: int
    """Steps done in all."""
    finished_before: bool
    """True when there was nothing left to do."""
