"""`shopsim play`: shop in a terminal, on the text view, with keys and numbers."""

import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shopsim.commands.console import DataOption, open_data
from shopsim.data.vocabulary import Action
from shopsim.errors import InputError

if TYPE_CHECKING:
    from shopsim.server.play.game import Game, Target

KEYS: dict[str, Action] = {
    "s": Action.SCROLL_DOWN,
    "w": Action.SCROLL_UP,
    "d": Action.ENTER_DETAIL,
    "b": Action.BACK,
    "c": Action.ADD_TO_CART,
    "p": Action.PURCHASE,
    "q": Action.TERMINATE,
}
HELP = "number: open · d number: its details · s w: down, up · d: details · b: back · c: cart · p: purchase · q: leave"


def play(
    data: DataOption = None,
    split: Annotated[str | None, typer.Option(help="Draw the session from this split; from all by default.")] = None,
    session: Annotated[str | None, typer.Option(help="Shop in this session.")] = None,
    seed: Annotated[int | None, typer.Option(help="Draws the session; any by default.")] = None,
    save: Annotated[
        Path | None, typer.Option(help="Folder for sessions you agree to keep, as data sets of source recorded.")
    ] = None,
    shopper: Annotated[str | None, typer.Option(help="Your random name of an earlier session, printed then.")] = None,
) -> None:
    """Shop yourself, in the terminal: type a key or a number and Enter."""
    from shopsim.server.play.game import Game
    from shopsim.server.play.saved import is_pseudonym

    if shopper is not None and not is_pseudonym(shopper):
        raise InputError(f"{shopper!r} is no random name of ours, which look like p-0123456789ab; leave --shopper out")
    dataset = open_data(data)
    game = Game(dataset, secrets.randbits(31) if seed is None else seed, datetime.now(UTC), session, split)
    typer.echo(f"You shop in the place of session {game.session_id} of {dataset.name}.")
    while not game.over:
        _show(game)
        try:
            answer = typer.prompt("", prompt_suffix="> ", default="", show_default=False)
        except typer.Abort:
            typer.echo("\nYou went away; nothing was kept.")
            return
        try:
            action, point = _read(answer, game.targets())
        except InputError as error:
            typer.echo(f"{error}")
            continue
        game.act(int(action), point, datetime.now(UTC))
    typer.echo(f"{game.said()} {game.moves} moves.")
    if game.reward is not None:
        typer.echo(f"How close to the recorded shopper: {game.reward.total:.2f} (1 is exactly the same).")
    if save is not None:
        _save(game, data, save, shopper)


def _read(answer: str, targets: "list[Target]") -> tuple[Action, tuple[float, float] | None]:
    """What was typed, as an action."""
    words = answer.lower().split()
    match words:
        case [number] if number.isdecimal():
            return Action.CLICK, _numbered(number, targets).point
        case ["d", number] if number.isdecimal():
            return Action.ENTER_DETAIL, _numbered(number, targets).point
        case [key] if key in KEYS:
            return KEYS[key], None
    raise InputError(HELP)


def _numbered(number: str, targets: "list[Target]") -> "Target":
    if not 1 <= int(number) <= len(targets):
        raise InputError(f"there is no {number} here; numbers go from 1 to {len(targets)}")
    return targets[int(number) - 1]


def _show(game: "Game") -> None:
    """The screen: what it says, and what reacts on it by number."""
    from rich.console import Console
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    console = Console(width=min(Console().width, 100))
    rows = Table.grid(padding=(0, 2))
    rows.add_column(justify="right", style="bold")
    rows.add_column()
    for number, target in enumerate(game.targets(), start=1):
        rows.add_row(str(number), Text(target.label))  # as text: titles may hold what rich reads as markup
    if game.shop.item >= 0:
        console.print(Text(game.text))
    console.print(
        Panel(rows, title=Text(game.said()), subtitle=f"in the cart {len(game.shop.cart)}", title_align="left")
    )


def _save(game: "Game", data: Path | None, folder: Path, shopper: str | None) -> None:
    from shopsim.server.play.saved import CONSENT, Plays, new_pseudonym

    typer.echo(CONSENT)
    if not typer.confirm("Do you agree that this session is kept?", default=False):
        typer.echo("Nothing was kept.")
        return
    name = "bundled" if data is None else data.resolve().name
    shopper = shopper or new_pseudonym()
    saved = Plays(folder).save(game.dataset, name, game.played(), shopper)
    typer.echo(f"kept as {saved.session_id} of {shopper} in {saved.folder}")
