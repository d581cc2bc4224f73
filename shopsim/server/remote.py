"""`RemoteShopSimEnv`: an environment that a server runs, as if it were here. Ours."""

import ipaddress
import json
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit, urlunsplit

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from shopsim.envs.spaces import RawAction, action_space, observation_space, read_action
from shopsim.errors import AtCapacity, EnvironmentFault, InputError
from shopsim.server.environments.wire import Outcome, read_outcome, read_png

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

_MOST = 64 << 20
"""Bytes of an answer at most; the largest screen served is less than half."""
_ERRORS: dict[str, type[Exception]] = {
    "RESET_NEEDED": ResetNeeded,
    "INVALID_ACTION": ValueError,
    "INPUT_ERROR": InputError,
    "VALIDATION_ERROR": InputError,
    "UNKNOWN_DATA": InputError,
    "WRONG_TOKEN": InputError,
    "CAPACITY_REACHED": AtCapacity,
}
"""What the server's errors are here; all others are faults."""


class RemoteShopSimEnv(gym.Env[dict[str, Any], RawAction]):
    """``ShopSim-v0`` or ``ShopSimReplay-v0`` on a server (``shopsim serve``): the same spaces, screens, rewards, infos.

    ## Description
    Each instance holds one session of the server, over a WebSocket. What comes back equals what the local environment
    would give, value for value and type for type; the server's data set decides. `shopsim.envs.ShopSimEnv` is the
    manual of everything else.

    ## Errors
    As of the local environment. Also: a server that does not answer, hangs up or takes too long is an
    `EnvironmentFault`, from `step` on until the next `reset`, which connects again; a server whose sessions are all in
    use is an `AtCapacity`.

    ## Arguments
    Rewards and feed policies are those with a name; functions, picture folders and browsers stay on the server's side.
    Render modes: ``rgb_array``, ``ansi``; by `gym.make` also ``rgb_array_list``, ``ansi_list``.

    ## Version history
    * v0: first version.

    Args:
        url: The server's address, ``http://127.0.0.1:8000``.
        env: ``ShopSim-v0`` or ``ShopSimReplay-v0``.
        token: What the server wants to be shown.
        timeout: Seconds that one answer may take.
        render_mode: What `render` gives.
        options: Further arguments of that environment by name: ``split``, ``reward``, ``max_steps``, ``stuck_after``,
            ``size``, ``scroll_fraction``, ``feed``, ``privileged``, ``pixels``, ``theme``; and ``data``, the name of a
            data set of the server's.

    Raises:
        InputError: An argument cannot be used, or the token is wrong.
        EnvironmentFault: The server cannot be reached or does not answer as one.
        AtCapacity: All its sessions are in use.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 2}  # type: ignore[misc]

    def __init__(
        self,
        url: str,
        *,
        env: str = "ShopSim-v0",
        token: str | None = None,
        timeout: float = 60.0,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.url, self._token, self._timeout = url, token, timeout
        self.render_mode = render_mode
        self._wanted = {"env": env, "render_mode": render_mode, **options}
        self._socket: ClientConnection | None = None
        self._held = ExitStack()
        facts = self._connect()
        self.action_space = action_space()
        self.observation_space = observation_space(
            tuple(facts["size"]), facts["max_steps"], facts["n_items"], facts["pixels"]
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Starts a session, as `ShopSimEnv.reset` does."""
        super().reset(seed=seed)
        # Seeds are drawn here, so that a new connection changes nothing.
        drawn = int(self.np_random.integers(2**31)) if seed is None else seed
        if self._socket is None or self._socket.close_code is not None:
            self.close()
            self._connect()
        outcome = self._ask("reset", {"seed": int(drawn), "options": options})
        return outcome.observation, outcome.info

    def step(self, action: RawAction) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Does one action, as `ShopSimEnv.step` does."""
        number, point = read_action(action)
        asked = {"action": None if number is None else int(number)}
        outcome = self._ask("step", asked if point is None else {**asked, "point": point})
        assert outcome.reward is not None
        return outcome.observation, outcome.reward, outcome.terminated, outcome.truncated, outcome.info

    def render(self) -> NDArray[np.uint8] | str | None:
        """Shows the current screen in the render mode."""
        if self.render_mode is None:
            gym.logger.warn('render() shows nothing without a render mode: gym.make(..., render_mode="rgb_array")')
            return None
        frame = self._exchange("render", {})["frame"]
        return frame if self.render_mode == "ansi" else read_png(frame)

    def close(self) -> None:
        """Ends the session on the server."""
        self._socket = None
        self._held.close()

    def _ask(self, kind: str, data: dict[str, Any]) -> Outcome:
        return read_outcome(self._exchange(kind, data))

    def _connect(self) -> dict[str, Any]:
        """Opens a session and has its environment made; what the server says of it."""
        if find_spec("websockets") is None:
            raise InputError("a remote environment needs another library; install it: pip install websockets")
        from websockets.exceptions import InvalidHandshake, InvalidStatus
        from websockets.sync.client import connect

        try:
            address = _socket_address(self.url)
            connecting = connect(
                address,
                open_timeout=self._timeout,
                close_timeout=1,  # of a server that does not answer any more
                max_size=_MOST,
                compression=None,  # screens are compressed already
                additional_headers={} if self._token is None else {"Authorization": f"Bearer {self._token}"},
                proxy=None if _is_loopback(address) else True,
            )
            self._socket = self._held.enter_context(connecting)
        except InvalidStatus as error:
            raise _refusal(self.url, error.response.status_code, error.response.body) from None
        except (OSError, TimeoutError, InvalidHandshake) as error:
            raise EnvironmentFault(f"no server answers at {self.url} ({error}); start one: shopsim serve") from None
        try:
            made: dict[str, Any] = self._exchange("make", self._wanted)
        except BaseException:
            self.close()
            raise
        return made

    def _exchange(self, kind: str, data: dict[str, Any]) -> Any:
        """Sends one message; the data of its answer."""
        from websockets.exceptions import ConnectionClosed

        if self._socket is None:
            raise EnvironmentFault(f"the connection to {self.url} is closed; reset() opens another")
        try:
            message = json.dumps({"type": kind, "data": data})
        except TypeError as error:
            raise InputError(f"only text, numbers and lists of them can be sent to a server: {error}") from None
        try:
            with suppress(ConnectionClosed):  # what the server said before it hung up is read below
                self._socket.send(message)
            answer = json.loads(self._socket.recv(timeout=self._timeout))
        except ConnectionClosed as closed:
            self.close()
            raise EnvironmentFault(f"the server at {self.url} hung up ({closed})") from None
        except TimeoutError:
            # Its late answer would be taken for that of the next message.
            self.close()
            raise EnvironmentFault(f"the server at {self.url} took longer than {self._timeout} seconds") from None
        except BaseException:
            self.close()  # for the same reason
            raise
        if answer["type"] == "error":
            raise _ERRORS.get(answer["data"]["code"], EnvironmentFault)(answer["data"]["message"])
        return answer["data"]


def _socket_address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https", "ws", "wss") or not parts.hostname:
        raise InputError(f"url is {url!r}; it must be a server's address such as http://127.0.0.1:8000")
    scheme = {"http": "ws", "https": "wss"}.get(parts.scheme, parts.scheme)
    return urlunsplit((scheme, parts.netloc, parts.path.rstrip("/") + "/ws", "", ""))


def _is_loopback(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _refusal(url: str, status: int, body: bytes | bytearray | None) -> Exception:
    """What a refused handshake is, from the problem in its body."""
    try:
        told = json.loads(body or b"")
        return _ERRORS.get(told["code"], EnvironmentFault)(f"{url}: {told['detail']}")
    except (ValueError, KeyError, TypeError):
        return EnvironmentFault(f"{url} is no ShopSim server: it answers {status}")
