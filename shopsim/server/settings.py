"""What a server is told when it starts. Ours."""

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from shopsim.errors import InputError


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What a server is told when it starts; at a request ``request.app.state.settings``.

    Raises:
        InputError: It could be reached from other machines without a token, or a number makes no sense.
    """

    data: tuple[Path, ...] = ()
    """Folders of the data sets served, the first one by default; none for the bundled one."""
    results: tuple[Path, ...] = ()
    """Folders of results and recordings that people may look at."""
    plays: Path | None = None
    """Folder where sessions played by people are saved; None to save none."""
    study_url: str | None = None
    """SQLAlchemy URL of the study's database; None for no study."""
    host: str = "127.0.0.1"
    """Address to listen on."""
    port: int = 8000
    """Port to listen on; 0 for any that is free."""
    token: str | None = None
    """What a client must show; needed wherever other machines can reach the server."""
    capacity: int = 64
    """Environment sessions at one time."""
    idle_seconds: float = 300.0
    """Seconds without a message after which a session is freed."""
    body_limit: int = 1 << 20
    """Bytes of a request's body at most."""
    frame_limit: int = 16 << 20
    """Bytes of a WebSocket message from a client at most."""
    rate: float = 200.0
    """Requests a second that one address may make for long."""
    burst: int = 400
    """Requests that one address may make at once."""

    def __post_init__(self) -> None:
        if not self.loopback and not self.token:
            raise InputError(f"host {self.host!r} can be reached from other machines; give a token (--token)")
        if self.token is not None and len(self.token) < 8:
            raise InputError("the token is too short; it must have at least 8 characters")
        for name in ("capacity", "idle_seconds", "body_limit", "frame_limit", "rate", "burst"):
            if getattr(self, name) <= 0:
                raise InputError(f"{name} is {getattr(self, name)}; it must be above 0")

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False
