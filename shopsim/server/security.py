"""Who may ask, how often, how much, and what a browser may do with the answer: plain ASGI middleware. Ours.

There is no CORS middleware on purpose: without its headers no other site's script can read an answer.
"""

import asyncio
import hashlib
import hmac
import time
from collections import OrderedDict
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shopsim.server.pages import wants_page
from shopsim.server.problems import Problem, problem_response
from shopsim.server.settings import ServerSettings

COOKIE = "shopsim"
_OPEN = ("/health", "/login", "/static/", "/judge/rate/")
"""Paths that need no token. Raters come by an invitation, which is a secret of its own."""
_DROPPED, _PATIENCE = 16, 5.0
"""Of a body that is too long so many times its limit, and so many seconds, are taken in before it is refused."""
_READING = ("GET", "HEAD", "OPTIONS")
_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1", "testserver"})
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with "no-referrer" a browser sends forms with "Origin: null"
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


def token_matches(given: str, token: str) -> bool:
    """Whether a token is the right one, in a time that does not tell how nearly."""
    return hmac.compare_digest(given.encode(errors="replace"), token.encode())


def set_cookie(response: Response, token: str, *, secure: bool) -> None:
    """Lets a browser in from now on, without keeping the token itself in it."""
    response.set_cookie(COOKIE, _badge(token), httponly=True, samesite="strict", secure=secure)


def _badge(token: str) -> str:
    return hmac.digest(token.encode(), b"shopsim cookie", hashlib.sha256).hex()


class ResponseHeaders:
    """Adds the headers that bind a browser: no script or style but the server's own files, no frames, no referrer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)


class RateLimit:
    """Lets each address make so many requests a second, and some more for a moment (a token bucket)."""

    _REMEMBERED = 10_000

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app, self._rate, self._burst = app, settings.rate, settings.burst
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        wait = 0.0
        if scope["type"] != "lifespan":
            address = (scope.get("client") or ("unknown",))[0]
            wait = self._take(address)
        if wait > 0:
            detail = f"too many requests from this address; try again in {wait:.1f} seconds"
            headers = {"retry-after": str(int(wait) + 1)}
            await refuse(Problem(429, "RATE_LIMIT", detail, headers), scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _take(self, address: str) -> float:
        """Takes one from an address's bucket; the seconds until there will be one, 0 if there was."""
        now = time.monotonic()
        left, then = self._buckets.pop(address, (float(self._burst), now))
        left = min(self._burst, left + (now - then) * self._rate)
        enough = left >= 1
        self._buckets[address] = (left - 1 if enough else left, now)
        while len(self._buckets) > self._REMEMBERED:
            self._buckets.popitem(last=False)
        return 0.0 if enough else (1 - left) / self._rate


class SameOrigin:
    """Refuses what another site's page makes a browser ask: changes, sockets, and names that lead here by trick.

    A page anywhere can send a form or open a socket to a server on the reader's own machine. Browsers say from where
    (``Origin``), and under which name they reached the server (``Host``).
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._names = _LOOPBACK_NAMES | {settings.host.lower()} if settings.loopback else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        if scope["type"] != "lifespan" and (detail := self._objection(scope)):
            await refuse(Problem(403, "FOREIGN_ORIGIN", detail), scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _objection(self, scope: Scope) -> str | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self._names is not None and _split(f"//{host}").hostname not in self._names:
            return f"this server listens on this machine only, under localhost; it is no {host!r}"
        origin = headers.get("origin")
        changes = scope["type"] == "websocket" or scope["method"] not in _READING
        if changes and origin is not None and _split(origin).netloc != host:
            return f"a page of {origin!r} may not do this"
        return None


def _split(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


class Token:
    """Lets in who shows the token: ``Authorization: Bearer``, the cookie of the login form, or ``?token=`` once."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app, self._token = app, settings.token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        if self._token is None or scope["type"] == "lifespan" or scope["path"].startswith(_OPEN):
            await self._app(scope, receive, send)
            return
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        asked = dict(query).get("token")
        if asked is not None and token_matches(asked, self._token):
            if wants_page(scope):  # the token leaves the address bar and the history
                rest = urlencode([(name, value) for name, value in query if name != "token"])
                response = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), 303)
                set_cookie(response, self._token, secure=scope["scheme"] == "https")
                await response(scope, receive, send)
            else:
                await self._app(scope, receive, send)
        elif self._shown(Headers(scope=scope), self._token):
            await self._app(scope, receive, send)
        elif scope["type"] == "http" and wants_page(scope) and scope["method"] == "GET":
            await RedirectResponse(f"/login?to={quote(scope['path'])}", 303)(scope, receive, send)
        else:
            detail = "this server asks for its token: send the header 'Authorization: Bearer TOKEN'"
            problem = Problem(401, "WRONG_TOKEN", detail, {"www-authenticate": "Bearer"})
            await refuse(problem, scope, receive, send)

    @staticmethod
    def _shown(headers: Headers, token: str) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and token_matches(given.strip(), token):
            return True
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return cookie is not None and token_matches(cookie.value, _badge(token))


class BodyLimit:
    """Refuses a body that says it is too long, or turns out to be; nothing of it is kept."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app, self._limit = app, settings.body_limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        problem = Problem(413, "BODY_TOO_LARGE", f"a request's body may have {self._limit} bytes at most")
        said = Headers(scope=scope).get("content-length", "0")
        if not said.isdigit() or int(said) > self._limit:
            await self._drop_rest(receive)
            await refuse(problem, scope, receive, send)
            return
        got, more, begun = 0, True, False

        async def receive_so_much() -> Message:
            nonlocal got, more
            message = await receive()
            got, more = got + len(message.get("body", b"")), message.get("more_body", False)
            if got > self._limit:
                raise problem
            return message

        async def send_unless_too_long(message: Message) -> None:
            nonlocal begun
            if got <= self._limit or begun:
                begun = True
                await send(message)

        # Whatever the routes make of the error, the answer is this one.
        await self._app(scope, receive_so_much, send_unless_too_long)
        if got > self._limit and not begun:
            if more:
                await self._drop_rest(receive)
            await refuse(problem, scope, receive, send)

    async def _drop_rest(self, receive: Receive) -> None:
        """Takes in what is still being sent, within bounds: a client cut off while it sends never sees the answer."""
        got, more = 0, True
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                while more and got <= _DROPPED * self._limit:
                    message = await receive()
                    got += len(message.get("body", b""))
                    more = message.get("more_body", False)


async def refuse(problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers a request, or the wish for a socket, with a problem."""
    response = problem_response(scope, problem)
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008, "reason": problem.code})
        return
    await response(scope, receive, send)
