"""The pages of play. Ours."""

import secrets
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Cookie, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import RedirectResponse, Response

from shopsim.server.forms import Form, first
from shopsim.server.pages import page
from shopsim.server.play.game import Game
from shopsim.server.play.games import Games, Table
from shopsim.server.play.saved import CONSENT, is_pseudonym, new_pseudonym
from shopsim.server.problems import Problem
from shopsim.server.viewer.pictures import picture_response
from shopsim.server.viewer.shown import path_of

router = APIRouter(include_in_schema=False)

SHOPPER = "shopper"
"""Cookie with the pseudonym, so that a person's sessions belong together."""
_YEAR = 365 * 24 * 3600


class Move(BaseModel):
    """What a player does."""

    model_config = ConfigDict(extra="forbid")

    action: int = Field(ge=0, le=7)
    point: tuple[float, float] | None = None
    move: int = Field(ge=0)
    """Number of the move, so that one sent twice is done once."""


@router.get("/play")
def lobby(request: Request, data: str = "", session: str = "") -> Response:
    """Where a game starts."""
    names = [name for name, dataset in request.app.state.library.datasets().items() if dataset.source != "recorded"]
    return page(request, "play.html", names=names, data=data, session=session, keeps=_games(request).plays is not None)


@router.post("/play")
def begin(request: Request, form: Form) -> Response:
    """Starts a game."""
    name = first(form, "data")
    dataset = request.app.state.library.dataset(name)
    session_id = first(form, "session").strip() or None
    game = Game(dataset, secrets.randbits(31), datetime.now(UTC), session_id)
    return RedirectResponse(path_of("play", _games(request).begin(game, name)), 303)


@router.get("/play/{name}")
def play(request: Request, name: str) -> Response:
    """The phone."""
    table = _games(request).get(name)
    with table.lock:
        return page(
            request, "game.html", name=name, table=table, state=_state(name, table), consent=CONSENT,
            keeps=_games(request).plays is not None,
            person=path_of("data", table.data, "sessions", table.game.session_id),
        )  # fmt: skip


@router.post("/play/{name}/moves")
def move(request: Request, name: str, asked: Move) -> dict[str, Any]:
    """Does an action; what shows then."""
    table = _games(request).get(name)
    with table.lock:
        if asked.move == table.game.moves:
            table.game.act(asked.action, asked.point, datetime.now(UTC))
        elif asked.move > table.game.moves:
            raise Problem(409, "WRONG_MOVE", f"this is move {asked.move}, the game is at {table.game.moves}")
        return _state(name, table)


@router.get("/play/{name}/screens/{number:int}.webp")
def screen(request: Request, name: str, number: int) -> Response:
    """The screen after so many moves; only the current one is to be had."""
    table = _games(request).get(name)
    with table.lock:
        if number != table.game.moves:
            raise Problem(404, "UNKNOWN_SCREEN", f"the game is at move {table.game.moves}")
        content = request.app.state.pictures.draw(table.game.dataset, table.game.shop)
    return picture_response(request, content)


@router.post("/play/{name}/save")
def save(request: Request, name: str, form: Form, shopper: Annotated[str, Cookie()] = "") -> Response:
    """Keeps a finished game, where the person agrees."""
    games = _games(request)
    table = games.get(name)
    if games.plays is None:
        raise Problem(409, "KEEPS_NOTHING", "this server keeps no sessions; start it with --plays FOLDER")
    if first(form, "consent") != "yes":
        raise Problem(422, "NO_CONSENT", "nothing was kept: that needs your consent; go back to give it")
    pseudonym = shopper if is_pseudonym(shopper) else new_pseudonym()
    with table.lock:
        if table.saved is None:
            table.saved = games.plays.save(table.game.dataset, table.data, table.game.played(), pseudonym)
    request.app.state.library.forget()
    response = RedirectResponse(path_of("play", name), 303)
    secure = request.url.scheme == "https"
    response.set_cookie(SHOPPER, pseudonym, _YEAR, path="/play", httponly=True, samesite="strict", secure=secure)
    return response


# Inner workings


def _games(request: Request) -> Games:
    games: Games = request.app.state.games
    return games


def _state(name: str, table: Table) -> dict[str, Any]:
    """Everything that the page needs to know of a game."""
    game = table.game
    shop, event = game.shop, game.event
    return {
        "move": game.moves,
        "screen": f"{path_of('play', name)}/screens/{game.moves}.webp",
        "page": shop.page.label,
        "scroll": shop.scroll,
        "cart": len(shop.cart),
        "bought": len(shop.bought),
        "can": shop.action_mask(),
        "targets": [{"kind": t.kind, "label": t.label, "box": t.box} for t in game.targets()],
        "effect": event.effect.label if event is not None and event.effect is not None else None,
        "failed": event is not None and event.invalid is not None,
        "said": game.said(),
        "over": game.over,
    }
