"""One training run on disk: what it starts from or goes on from, its policy and optimizer, its checkpoints and logs."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from time import monotonic

import numpy as np

from shopsim.agents.checkpoint import folder_of, latest
from shopsim.data import DataSet
from shopsim.trainers import checkpoint, parallel, sharding
from shopsim.trainers.checkpoint import Identity
from shopsim.trainers.config import Progress, TrainerConfig, TrainingResult
from shopsim.trainers.logs import RunLog
from shopsim.trainers.optimizer import make_optimizer
from shopsim.trainers.policy import Policy

SAVE_SECONDS = 300.0
"""A checkpoint is written after so long, however few steps were done."""


class Run:
    """A run, new or resumed.

    Args:
        config: Its options.
        trainer: ``imitation`` or ``grpo``.
        dataset: What it is trained on.
        progress: Called after each step.

    Attributes:
        step: Steps done so far.
        policy: The model as it is after them.
        optimizer: With its state after them.
        start: Folder of the model the run began with.

    As a context manager it saves the last whole step when it is interrupted.

    Raises:
        InputError: The folder holds another run, or the model cannot be loaded.
    """

    def __init__(self, config: TrainerConfig, trainer: str, dataset: DataSet, progress: Progress | None) -> None:
        parallel.join(config.device)
        self._out = Path(config.out)
        self._config = config
        self._total: int = getattr(config, config.LENGTH)
        self._progress = progress if parallel.rank() == 0 else None
        self.start = folder_of(config.model)
        self._identity = Identity(trainer, checkpoint.model_hash(self.start), dataset.hash, config.identity())
        found = latest(self._out)
        parallel.wait()  # until all have looked, before the first save
        self.step = self._begun = 0 if found is None else checkpoint.step_of(found, self._identity)
        weights = self.start if config.lora_rank else found or self.start
        self.policy = Policy.load(weights, config.device, config.bf16, config.gradient_checkpointing)
        if config.lora_rank:
            self.policy.adapt(config.lora_rank, config.seed, found)
        if config.fsdp:
            sharding.shard(self.policy.model)
        self.optimizer = make_optimizer(self.policy.model, config.weight_decay)
        if found is None:
            self._save()
        else:
            checkpoint.load_optimizer(found, self.policy.model, self.optimizer)
        self._log = RunLog(self._out, self.step) if parallel.rank() == 0 else None
        self._saved = monotonic()
        self._whole = True
        self.optimizer.register_step_pre_hook(self._moves)
        if self._progress is not None and 0 < self.step < self._total:
            self._progress(self.step, self._total, {})

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and issubclass(kind, KeyboardInterrupt) and self._whole and not self._config.fsdp:
            self._save()  # a sharded model would need the other processes for that

    def steps(self) -> Iterator[int]:
        """The numbers of the steps still to do; each must be ended by `end_step`."""
        while self.step < self._total:
            yield self.step

    def end_step(self, scalars: Mapping[str, float]) -> None:
        """Logs a step, and saves where it is time."""
        if self._log is not None:
            self._log.write(self.step, scalars)
        self.step += 1
        self._whole = True
        late = max(parallel.gather([monotonic() - self._saved])) >= SAVE_SECONDS
        if self.step % self._config.save_every == 0 or self.step == self._total or late:
            self._save()
        if self._progress is not None:
            self._progress(self.step, self._total, scalars)

    def reference(self) -> Policy:
        """The model the run started from, set up as the one it trains."""
        policy = Policy.load(self.start, self._config.device, self._config.bf16)
        if self._config.fsdp:
            sharding.shard(policy.model)
        return policy

    def result(self) -> TrainingResult:
        """Ends the run."""
        if self._log is not None:
            self._log.close()
        parallel.wait()
        last = latest(self._out)
        assert last is not None
        return TrainingResult(last, self.step, self._begun >= self._total)

    def _save(self) -> None:
        self._saved = monotonic()
        if parallel.rank() != 0 and not self._config.fsdp:
            return
        weights = sharding.weights(self.policy.model)
        moments = checkpoint.optimizer_state(self.policy.model, self.optimizer)
        if parallel.rank() != 0:
            return

        def write(folder: Path) -> None:
            self.policy.save(folder, weights)
            self._config.setup.write(folder)

        checkpoint.save(self._out, self.step, self._identity, write, moments)

    def _moves(self, *_: object) -> None:
        """From here to the step's end the weights are those of no step."""
        self._whole = False


def data_order(seed: int, start: int, count: int, n: int) -> list[int]:
    """Positions `start` to ``start + count`` of an endless stream that runs through 0..n-1 in a new order each epoch.

    A pure function, so that resuming needs no state: every index comes once an epoch, and batches run on across the
    epoch's end, so that none is dropped.
    """
    stream: list[int] = []
    while len(stream) < count:
        epoch, position = divmod(start + len(stream), n)
        order = np.random.default_rng([seed, 0, epoch]).permutation(n)
        stream += order[position : position + count - len(stream)].tolist()
    return stream
