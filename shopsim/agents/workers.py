"""Environments in processes of their own, for renderers so slow that a model would wait for them. Ours.

Each process plays several environments. A step is asked for first and fetched later, so that all processes work at the
same time. What an environment raises is raised here; a process that dies is a fault of every environment it had.
"""

import multiprocessing
import pickle
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from shopsim.envs.replay_env import ShopSimReplayEnv
from shopsim.envs.trajectory import Event, Trajectory
from shopsim.errors import EnvironmentFault, InputError

Env = gym.Env[Any, Any]
MakeEnv = Callable[[], Env]


@dataclass(frozen=True, slots=True)
class Told:
    """What an environment tells besides what `reset` and `step` return."""

    trajectory: Trajectory
    answers: tuple[Event, ...]
    """What each answer did, or (teacher forced) would have done."""
    spec: EnvSpec | None
    data_path: str
    data_hash: str


def tell(env: Env) -> Told:
    """What an environment tells now, in whatever process it is."""
    if isinstance(env, RemoteEnv):
        return env.told()
    core: Any = env.unwrapped
    answers = core.answers if isinstance(core, ShopSimReplayEnv) else core.trajectory.events
    return Told(core.trajectory, tuple(answers), env.spec, str(core.dataset.path), core.dataset.hash)


class Workers:
    """Processes that play environments.

    Args:
        make_env: Makes one environment; goes to the processes, and so must be picklable.
        count: Number of processes.

    Raises:
        InputError: `make_env` cannot be sent to another process.
    """

    def __init__(self, make_env: MakeEnv, count: int) -> None:
        try:
            pickle.dumps(make_env)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise InputError(
                f"workers need a make_env that can be pickled, such as a function of a module or a partial ({error})"
            ) from None
        self._make_env = make_env
        self._workers: list[_Worker | None] = [None] * count
        self._made = 0

    def make_env(self) -> Env:
        """Makes one environment in the next process in turn; a process that has died is replaced.

        Raises:
            EnvironmentFault: It cannot be made.
        """
        place = self._made % len(self._workers)
        worker = self._workers[place]
        if worker is None or worker.dead:
            worker = self._workers[place] = _Worker(self._make_env)
        self._made += 1
        return RemoteEnv(worker, self._made)

    def close(self) -> None:
        """Ends all processes."""
        for worker in self._workers:
            if worker is not None:
                worker.close()


class RemoteEnv(gym.Env[Any, Any]):
    """An environment that another process plays."""

    def __init__(self, worker: "_Worker", number: int) -> None:
        self._worker = worker
        self._number = number
        self._under_way = False
        self._call("make")

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """See `gymnasium.Env.reset`."""
        observation, info = self._call("reset", seed, options)
        return observation, info

    def begin_step(self, action: Any) -> None:
        """Asks for a step and does not wait for it; `step` fetches it."""
        self._worker.ask(self._number, "step", action)
        self._under_way = True

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """See `gymnasium.Env.step`."""
        if not self._under_way:
            self.begin_step(action)
        self._under_way = False
        observation, reward, terminated, truncated, info = self._worker.fetch(self._number)
        return observation, reward, terminated, truncated, info

    def told(self) -> Told:
        """See `tell`."""
        told: Told = self._call("tell")
        return told

    def close(self) -> None:
        """See `gymnasium.Env.close`; nobody waits for it."""
        self._worker.ask(self._number, "close")

    def _call(self, name: str, *arguments: Any) -> Any:
        self._worker.ask(self._number, name, *arguments)
        return self._worker.fetch(self._number)


class _Worker:
    """One process, seen from outside."""

    def __init__(self, make_env: MakeEnv) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, make_env), daemon=True)
        self._process.start()
        theirs.close()  # so that its death is seen as the end of the pipe
        self._replies: dict[int, tuple[bool, Any]] = {}
        self.dead = False

    def ask(self, number: int, name: str, *arguments: Any) -> None:
        """Sends a request on behalf of one environment, which must have no other open."""
        if not self.dead:
            try:
                self._pipe.send((number, name, arguments))
            except OSError:
                self.dead = True

    def fetch(self, number: int) -> Any:
        """The reply to an environment's open request."""
        while number not in self._replies:
            if self.dead:
                raise EnvironmentFault(f"an environment's process has ended (exit code {self._process.exitcode})")
            try:
                of, *reply = self._pipe.recv()
            except (EOFError, OSError):
                self._process.join()
                self.dead = True
            else:
                self._replies[of] = (reply[0], reply[1])
        good, result = self._replies.pop(number)
        if good:
            return result
        raise result

    def close(self) -> None:
        """Ends the process once it has done what it was asked."""
        self._pipe.close()
        self._process.join()


def _serve(pipe: "Connection[Any, Any]", make_env: MakeEnv) -> None:
    """What a process does until nobody holds the other end of its pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle; it closes the pipe
    envs: dict[int, Env] = {}
    with suppress(EOFError, OSError):
        while True:
            number, name, arguments = pipe.recv()
            try:
                reply = number, True, _answer(envs, make_env, number, name, arguments)
            except Exception as error:  # whatever it is, it is raised where the step was asked for
                reply = number, False, error
            pipe.send(reply)
    for env in envs.values():
        env.close()


def _answer(envs: dict[int, Env], make_env: MakeEnv, number: int, name: str, arguments: tuple[Any, ...]) -> Any:
    if name == "make":
        envs[number] = make_env()
        return None
    if name == "reset":
        seed, options = arguments
        return envs[number].reset(seed=seed, options=options)
    if name == "step":
        return envs[number].step(*arguments)
    if name == "tell":
        return tell(envs[number])
    return envs.pop(number).close()
