"""The routes of the environment, in OpenEnv's convention: a WebSocket session, the same by requests. Ours."""

import asyncio
import json
import logging
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Request, Response, WebSocket
from starlette.types import Message
from starlette.websockets import WebSocketDisconnect, WebSocketState

import shopsim
from shopsim.server.environments.messages import (
    About,
    Action,
    MakeOptions,
    Observation,
    Reply,
    ResetRequest,
    Schemas,
    State,
    StepRequest,
)
from shopsim.server.environments.sessions import Session, Sessions
from shopsim.server.environments.wire import dumps
from shopsim.server.problems import Problem, as_problem

router = APIRouter(tags=["environment"])
_LARGE = 1 << 16
_log = logging.getLogger(__name__)


@router.get("/health")
async def health() -> dict[str, str]:
    """Whether the server answers. Needs no token."""
    return {"status": "healthy"}


@router.get("/metadata")
async def metadata(request: Request) -> About:
    """What this server is, what it serves, and how busy it is."""
    state = request.app.state
    return About(
        name="ShopSim",
        description="A mobile shop on screenshots, as a recorded shopper found it.",
        version=shopsim.__version__,
        data=list(state.data.names),
        sessions=len(state.sessions),
        capacity=state.settings.capacity,
    )


@router.get("/schema")
async def schema() -> Schemas:
    """JSON schemas of actions, observations and states."""
    return Schemas(
        action=Action.model_json_schema(), observation=Observation.model_json_schema(), state=State.model_json_schema()
    )


@router.post("/reset", response_model=Reply)
async def reset(request: Request, asked: Annotated[ResetRequest | None, Body()] = None) -> Response:
    """Starts an episode, in a new environment or (with `handle`) in one that is there.

    The handle of a new one is in `metadata`. Free it with `DELETE /sessions/{handle}`, or leave it idle.
    """
    sessions: Sessions = request.app.state.sessions
    asked = asked or ResetRequest()
    if asked.handle is not None:
        return _json(await sessions.reset(sessions.get(asked.handle), asked))
    session = sessions.open()
    try:
        return _json(await sessions.reset(session, asked))
    except BaseException:  # nobody knows its handle
        await sessions.close(session)
        raise


@router.post("/step", response_model=Reply)
async def step(request: Request, asked: StepRequest) -> Response:
    """Does one action."""
    sessions: Sessions = request.app.state.sessions
    return _json(await sessions.step(sessions.get(asked.handle), asked.action))


@router.get("/state")
async def state(request: Request, handle: Annotated[str, Query()]) -> State:
    """Where an environment stands."""
    sessions: Sessions = request.app.state.sessions
    return sessions.state(sessions.get(handle))


@router.delete("/sessions/{handle}", status_code=204)
async def free(request: Request, handle: str) -> None:
    """Frees an environment."""
    sessions: Sessions = request.app.state.sessions
    await sessions.close(sessions.get(handle))


@router.post("/mcp")
async def mcp(request: Request) -> dict[str, Any]:
    """OpenEnv's place for tools, by JSON-RPC. This environment has none: it is stepped."""
    try:
        call = json.loads(await request.body())
    except (ValueError, RecursionError):
        call = None
    if not isinstance(call, dict) or not isinstance(call.get("method"), str):
        return {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "this is no JSON-RPC request"}}
    if call["method"] == "tools/list":
        return {"jsonrpc": "2.0", "id": call.get("id"), "result": {"tools": []}}
    error = {"code": -32601, "message": "there is no such method; this environment has no tools"}
    return {"jsonrpc": "2.0", "id": call.get("id"), "error": error}


@router.websocket("/ws")
async def converse(socket: WebSocket) -> None:
    """An environment for as long as the connection lasts; it is freed with it.

    Messages are JSON objects with a ``type`` and mostly ``data``: ``reset``, ``step``, ``state``, ``close`` as in
    OpenEnv, and ``make`` (the environment without an episode yet) and ``render``. Each has one answer; an error is
    one too, and the session goes on.
    """
    await socket.accept()
    sessions: Sessions = socket.app.state.sessions

    async def hang_up() -> None:
        await _send_error(socket, Problem(408, "IDLE", "the session was idle too long and has been freed"))
        await socket.close(1001, "idle")

    try:
        session = sessions.open(hang_up)
    except Problem as problem:
        await _send_error(socket, problem)
        await socket.close(1013, problem.code)
        return
    try:
        while (answer := await _answer(socket, sessions, session)) is not None:
            await socket.send_text(answer)
        await socket.close()
    except (WebSocketDisconnect, RuntimeError):
        # The client has gone, or was hung up on while it was served.
        if socket.application_state is WebSocketState.CONNECTED and socket.client_state is WebSocketState.CONNECTED:
            raise
    finally:
        await sessions.close(session)


async def _answer(socket: WebSocket, sessions: Sessions, session: Session) -> str | None:
    """Waits for a message; what it is answered with, None for the end."""
    received = await socket.receive()
    if received["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(received.get("code", 1005))
    try:
        message = await _parse(received)
        data = message.get("data", {})
        match message.get("type"):
            case "reset":
                return _tagged("observation", await sessions.reset(session, ResetRequest.model_validate(data)))
            case "step":
                return _tagged("observation", await sessions.step(session, data))
            case "state":
                return _tagged("state", sessions.state(session).model_dump_json())
            case "make":
                return _tagged("made", await sessions.make(session, MakeOptions.model_validate(data)))
            case "render":
                return _tagged("frame", await sessions.render(session))
            case "close":
                return None
            case other:
                kinds = "reset, step, state, make, render, close"
                raise Problem(400, "UNKNOWN_TYPE", f"there is no message {str(other)[:40]!r}; there are {kinds}")
    except Exception as error:
        return _error(error)


async def _parse(received: Message) -> dict[str, Any]:
    """The object in a message."""
    text = received.get("text")
    if text is None:
        raise Problem(400, "INVALID_JSON", "messages are text, not bytes")
    try:
        # A large one would hold up everybody else.
        message = await asyncio.to_thread(json.loads, text) if len(text) > _LARGE else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Problem(400, "INVALID_JSON", f"this is no JSON: {error}") from None
    if not isinstance(message, dict):
        raise Problem(400, "INVALID_JSON", 'a message is an object with a "type"')
    return message


def _error(error: Exception) -> str:
    problem = as_problem(error)
    if problem.status == 500:
        _log.error("a message could not be answered", exc_info=error)
    told = {"code": problem.code, "message": problem.detail, "status": problem.status}
    return dumps({"type": "error", "data": told})


async def _send_error(socket: WebSocket, problem: Problem) -> None:
    await socket.send_text(_error(problem))


def _tagged(kind: str, data: str) -> str:
    return f'{{"type":"{kind}","data":{data}}}'


def _json(text: str) -> Response:
    return Response(text, media_type="application/json")
