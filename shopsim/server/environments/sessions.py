"""The environment sessions of a server: one environment each, so many at a time, freed when idle. Ours.

All environments live in one thread: they share what they draw, a step is a fraction of a millisecond of Python, and a
browser's renderer may not change threads. Screens are encoded in other threads, where zlib lets go of the interpreter.
The event loop does neither.
"""

import asyncio
import os
import secrets
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import numpy as np
from gymnasium.error import ResetNeeded

from shopsim.envs.env import ShopSimEnv
from shopsim.envs.spaces import RawAction, read_action
from shopsim.server.environments.messages import DEFAULT_ENV, ENVIRONMENTS, MakeOptions, ResetRequest, State
from shopsim.server.environments.wire import Outcome, dumps, write_outcome, write_png
from shopsim.server.problems import Problem
from shopsim.server.served import ServedData
from shopsim.server.settings import ServerSettings

T = TypeVar("T")
_SERVED = 8
"""Requests served at one time; more would not be faster, and the event loop's rounds, so its answers, slower."""
HangUp = Callable[[], Coroutine[Any, Any, None]]


class Session:
    """One client's environment."""

    def __init__(self, hang_up: HangUp | None) -> None:
        self.handle = secrets.token_urlsafe(16)
        self.hang_up = hang_up
        """Tells the client that its session is over; None where there is no connection to tell it by."""
        self.env: ShopSimEnv | None = None
        self.made: dict[str, Any] | None = None
        """The arguments `env` was made with."""
        self.episode_id: str | None = None
        self.start: dict[str, Any] = {}
        """Info of the episode's reset."""
        self.used = time.monotonic()
        self.turn = asyncio.Lock()
        """Held while a request is served."""


class Sessions:
    """All environment sessions of a server.

    Args:
        settings: Of the server.
        data: The data sets it serves.
    """

    def __init__(self, settings: ServerSettings, data: ServedData) -> None:
        self._settings, self._data = settings, data
        self._sessions: dict[str, Session] = {}
        self._farewells: set[asyncio.Task[None]] = set()
        self._shop = ThreadPoolExecutor(1, "shop")
        self._darkroom = ThreadPoolExecutor(os.cpu_count(), "darkroom")
        self._counter = asyncio.Semaphore(_SERVED)

    def __len__(self) -> int:
        return len(self._sessions)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keeps the sessions while the server runs, and ends all of them with it."""
        reaper = asyncio.create_task(self._reap())
        try:
            yield
        finally:
            reaper.cancel()
            for session in list(self._sessions.values()):
                await self.close(session)
            self._shop.shutdown()
            self._darkroom.shutdown()

    def open(self, hang_up: HangUp | None = None) -> Session:
        """A new session, without an environment yet.

        Raises:
            Problem: There are as many as there may be.
        """
        if len(self._sessions) >= self._settings.capacity:
            detail = f"at capacity: all {self._settings.capacity} sessions are in use; try again later"
            raise Problem(503, "CAPACITY_REACHED", detail, {"retry-after": "5"})
        session = Session(hang_up)
        self._sessions[session.handle] = session
        return session

    def get(self, handle: str) -> Session:
        """An open session.

        Raises:
            Problem: There is none, or none any more.
        """
        session = self._sessions.get(handle)
        if session is None:
            raise Problem(404, "UNKNOWN_SESSION", "there is no such session; it may have been idle too long: reset")
        return session

    async def close(self, session: Session) -> None:
        """Frees a session and closes its environment."""

        def shut() -> None:
            env, session.env = session.env, None
            if env is not None:
                env.close()

        self._sessions.pop(session.handle, None)
        await self._in(self._shop, shut)

    async def make(self, session: Session, options: MakeOptions) -> str:
        """Makes the environment; as JSON what a client must know to have the same spaces.

        Raises:
            InputError: An argument cannot be used.
            Problem: There is no such data set.
        """

        def build() -> str:
            env = self._make(session, options.arguments())
            facts = {"size": options.size, "pixels": options.pixels}
            return dumps(facts | {"max_steps": env.max_steps, "n_items": env.dataset.n_items})

        async with self._turn(session):
            return await self._in(self._shop, build)

    async def reset(self, session: Session, request: ResetRequest) -> str:
        """Starts an episode; the reply as JSON.

        Raises:
            InputError: An argument or option cannot be used.
            EnvironmentFault: The renderer failed.
            Problem: There is no such data set.
        """

        def begin() -> Outcome:
            env = self._make(session, request.arguments())
            observation, info = env.reset(seed=request.seed, options=request.options)
            session.episode_id, session.start = request.episode_id, info
            return Outcome(observation, None, False, False, info)

        return await self._reply(session, begin)

    async def step(self, session: Session, action: Any) -> str:
        """Does one action; the reply as JSON.

        Raises:
            ResetNeeded: The episode is over, or none has begun.
            EnvironmentFault: The renderer failed.
            Problem: It is no action.
        """
        asked = _read(action)
        return await self._reply(session, lambda: Outcome(*_begun(session).step(asked)))

    async def render(self, session: Session) -> str:
        """What `render` of the environment gives, as JSON: an array as PNG, a text as it is.

        Raises:
            ResetNeeded: No episode has begun.
        """

        def show() -> str:
            frame = _begun(session).render()
            return dumps({"frame": write_png(frame) if isinstance(frame, np.ndarray) else frame})

        async with self._turn(session):
            return await self._in(self._shop, show)

    def state(self, session: Session) -> State:
        """Where a session stands."""
        made = session.made or {}
        return State(
            episode_id=session.episode_id,
            step_count=len(session.env.trajectory) if session.env is not None and session.start else 0,
            env=made.get("env", DEFAULT_ENV),
            data=made.get("data") or self._data.names[0],
            session_id=session.start.get("session_id"),
            seed=session.start.get("seed"),
        )

    def _make(self, session: Session, given: dict[str, Any]) -> ShopSimEnv:
        """The session's environment, made anew where other arguments are given."""
        wanted = (session.made or {}) | given
        if session.env is None or wanted != session.made:
            arguments = wanted | {"data": self._data.get(wanted.get("data"))}
            env = ENVIRONMENTS[arguments.pop("env", DEFAULT_ENV)](**arguments)
            if session.env is not None:
                session.env.close()
            session.env, session.made, session.start = env, wanted, {}
        return session.env

    async def _reply(self, session: Session, act: Callable[[], Outcome]) -> str:
        about = {"handle": session.handle} if session.hang_up is None else {}

        def serve() -> Outcome | str:
            outcome = act()
            # Without a screen, writing is a small part of a step and not worth another thread.
            return outcome if "screenshot" in outcome.observation else dumps(write_outcome(outcome, **about))

        async with self._turn(session):
            served = await self._in(self._shop, serve)
            if isinstance(served, str):
                return served
            return await self._in(self._darkroom, lambda: dumps(write_outcome(served, **about)))

    @asynccontextmanager
    async def _turn(self, session: Session) -> AsyncIterator[None]:
        """One request of a session after the other, few of all at once; one that waits or is served is not idle."""
        async with session.turn, self._counter:
            self.get(session.handle)
            try:
                yield
            finally:
                session.used = time.monotonic()

    @staticmethod
    async def _in(threads: ThreadPoolExecutor, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(threads, work)

    async def _reap(self) -> None:
        """Frees what has been idle too long, for ever."""
        idle = self._settings.idle_seconds
        while True:
            await asyncio.sleep(min(idle / 4, 5.0))
            for session in list(self._sessions.values()):
                if session.turn.locked() or time.monotonic() - session.used <= idle:
                    continue
                await self.close(session)
                if session.hang_up is not None:
                    # The client may be gone without a word, so nothing waits for it.
                    farewell = asyncio.create_task(session.hang_up())
                    self._farewells.add(farewell)
                    farewell.add_done_callback(self._farewells.discard)


def _read(action: Any) -> RawAction:
    """An action of the environment from what a client sent."""
    if not isinstance(action, dict):
        raise Problem(422, "INVALID_ACTION", 'an action is an object: {"action": 0-7, "point": [x, y]}')
    asked = {name: value for name, value in action.items() if name != "metadata"}  # OpenEnv's clients add it
    if asked == {"action": None}:
        return None
    try:
        read_action(asked)
    except ValueError as error:
        raise Problem(422, "INVALID_ACTION", str(error)) from None
    return asked


def _begun(session: Session) -> ShopSimEnv:
    if session.env is None:
        raise ResetNeeded("there is no episode before a reset()")
    return session.env
