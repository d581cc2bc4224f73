"""Playing: the same environment underneath, kept only by consent, as sessions that validate, show and can be judged."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("fastapi", reason="the extra 'server' is not installed")

from starlette.testclient import TestClient

from shopsim.data import DataSet
from shopsim.data.validate import check
from shopsim.data.vocabulary import Action
from shopsim.envs.env import ShopSimEnv
from shopsim.errors import InputError
from shopsim.server.app import create_app
from shopsim.server.play.game import Game
from shopsim.server.play.saved import Plays, new_pseudonym
from shopsim.server.settings import ServerSettings
from tests.server.pages import AS_PERSON, read

NOW = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def client(tiny_path: Path, tmp_path: Path) -> Iterator[TestClient]:
    served = ServerSettings(data=(tiny_path,), plays=tmp_path / "plays", study_url=f"sqlite:///{tmp_path}/study.db")
    with TestClient(create_app(served)) as client:
        yield client


def begin(client: TestClient, session: str = "s7") -> str:
    answer = client.post("/play", data={"data": "tiny", "session": session}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def move(client: TestClient, game: str, number: int, action: Action, point: tuple[float, float] | None = None):
    return client.post(f"{game}/moves", json={"action": action, "point": point, "move": number})


def shop_and_leave(client: TestClient, game: str) -> None:
    state = move(client, game, 0, Action.SCROLL_DOWN).json()
    left, top, width, height = state["targets"][0]["box"]
    state = move(client, game, 1, Action.CLICK, (left + width / 2, top + height / 2)).json()
    assert state["page"] == "preview"
    cart = next(target for target in state["targets"] if target["kind"] == "add_to_cart")
    left, top, width, height = cart["box"]
    state = move(client, game, 2, Action.CLICK, (left + width / 2, top + height / 2)).json()
    assert (state["effect"], state["cart"]) == ("add_to_cart", 1)
    assert move(client, game, 3, Action.ADD_TO_CART).json()["failed"], "once is enough"
    assert move(client, game, 4, Action.TERMINATE).json()["over"]


def test_from_play_to_the_viewer_to_a_study(client: TestClient, tmp_path: Path) -> None:
    for session in ("s7", "s6"):
        game = begin(client, session)
        assert client.get(f"{game}/screens/0.webp").headers["content-type"] == "image/webp"
        shop_and_leave(client, game)
        answer = client.post(f"{game}/save", data={"consent": "yes"}, follow_redirects=False)
        assert answer.status_code == 303
    folder = next(path for path in (tmp_path / "plays").iterdir() if path.is_dir())
    assert list(check(folder)) == []
    played = DataSet.open(folder)
    assert (played.source, played.n_sessions, played.n_users) == ("recorded", 2, 1), "one browser, one pseudonym"
    session = played.session(0)
    did = [step.action for step in session.steps]
    assert did == [Action.SCROLL_DOWN, Action.CLICK, Action.ADD_TO_CART, Action.TERMINATE], "only what had an effect"
    assert session.user_id.startswith("p-")
    saved = read(client, game)
    page = read(client, next(link for link in saved.all("a", "href") if "/sessions/s6-" in link))
    assert "played here" in page.text
    form = {"source": ["people/tiny", f"people/{folder.name}"], "pairs": 5, "per_rater": 5, "checks": 0, "longest": 50}
    answer = client.post("/judge", data=form)
    assert answer.status_code == 200
    assert "Invitation" in answer.text
    assert client.get(str(answer.url)).text.count("people of") >= 2


def test_nothing_is_kept_without_consent_or_before_the_end(client: TestClient, tmp_path: Path) -> None:
    game = begin(client)
    assert client.post(f"{game}/save", data={"consent": "yes"}).status_code == 422
    shop_and_leave(client, game)
    answer = client.post(f"{game}/save", headers=AS_PERSON)
    assert answer.status_code == 422
    assert "consent" in answer.text
    assert not (tmp_path / "plays").exists()


def test_a_server_without_a_folder_keeps_nothing(tiny_path: Path) -> None:
    with TestClient(create_app(ServerSettings(data=(tiny_path,)))) as client:
        game = begin(client)
        shop_and_leave(client, game)
        assert "consent" not in read(client, game).text
        assert client.post(f"{game}/save", data={"consent": "yes"}).status_code == 409


def test_a_move_sent_twice_is_done_once(client: TestClient) -> None:
    game = begin(client)
    first = move(client, game, 0, Action.SCROLL_DOWN).json()
    again = move(client, game, 0, Action.SCROLL_DOWN).json()
    assert first == again
    assert move(client, game, 5, Action.SCROLL_DOWN).status_code == 409


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"action": 9, "move": 0}, 422),
        ({"action": 2, "point": [1], "move": 0}, 422),
        ({"action": "click", "move": 0}, 422),
        ({"move": 0}, 422),
        ({"action": 0, "move": 0, "more": 1}, 422),
    ],
)
def test_what_is_no_move_is_refused(client: TestClient, body: dict, status: int) -> None:
    game = begin(client)
    answer = client.post(f"{game}/moves", json=body)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert client.post(f"{game}/moves", content=b"{").status_code == 422
    assert move(client, game, 0, Action.TERMINATE).json()["over"]
    assert move(client, game, 1, Action.SCROLL_DOWN).status_code == 422, "after the end"


def test_unknown_games_and_sessions_are_readable_pages(client: TestClient) -> None:
    read(client, "/play/nothing", 404)
    answer = client.post("/play", data={"data": "tiny", "session": "nobody"}, headers=AS_PERSON)
    assert answer.status_code == 422
    assert "no session" in answer.text
    assert client.post("/play", data={"data": "nothing"}, headers=AS_PERSON).status_code == 404


def test_so_many_may_play_and_who_has_left_makes_room(tiny_path: Path) -> None:
    with TestClient(create_app(ServerSettings(data=(tiny_path,), capacity=2))) as client:
        first, second = begin(client), begin(client)
        answer = client.post("/play", data={"data": "tiny"}, headers=AS_PERSON)
        assert answer.status_code == 503
        assert "2 people are playing" in answer.text
        shop_and_leave(client, first)
        begin(client)
        read(client, first, 404)
        read(client, second)


def test_targets_can_be_pressed(tiny: DataSet) -> None:
    game = Game(tiny, 0, NOW, "s7")
    for target in game.targets():
        shop = game.shop
        hit = shop.target_at(target.point)
        assert (hit.kind, hit.item) == (target.kind, target.item)
    assert all(str(tiny.prices[target.item].round(2)) in target.label for target in game.targets())


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), max_size=60), session=st.integers(0, 7))
def test_whatever_is_played_validates(
    moves: list[tuple[int, int]], session: int, tiny: DataSet, tmp_path_factory: pytest.TempPathFactory
) -> None:
    game = Game(tiny, 0, NOW, f"s{session}")
    for number, (action, which) in enumerate(moves):
        targets = game.targets()
        # A clock that goes back now and then.
        game.act(action, targets[which % len(targets)].point if targets else None, NOW + timedelta(seconds=number % 7))
    game.act(Action.TERMINATE, None, NOW)
    folder = Plays(tmp_path_factory.mktemp("plays")).save(tiny, "tiny", game.played(), new_pseudonym()).folder
    assert list(check(folder)) == []


def played(tiny: DataSet, session: str = "s7") -> Callable[[], object]:
    game = Game(tiny, 0, NOW, session)
    game.act(Action.SCROLL_DOWN, None, NOW)
    game.act(Action.TERMINATE, None, NOW)
    return game.played


def test_the_log_is_the_truth_and_mends_itself(tiny: DataSet, tmp_path: Path) -> None:
    plays = Plays(tmp_path)
    first = plays.save(tiny, "tiny", played(tiny)(), "p-000000000000")
    log = next(tmp_path.glob("*.jsonl"))
    with log.open("ab") as file:
        file.write(b'{"torn": ')  # a kill in the middle of a line
    second = plays.save(tiny, "tiny", played(tiny, "s6")(), "p-000000000001")
    assert first.folder == second.folder
    assert DataSet.open(second.folder).n_sessions == 2
    assert [json.loads(line)["user_id"] for line in log.read_text().splitlines()] == [
        "p-000000000000",
        "p-000000000001",
    ]
    second.folder.rename(tmp_path / f".{second.folder.name}.old")  # a kill between the two names
    Plays(tmp_path).mend(tiny, "tiny")
    assert DataSet.open(second.folder).n_sessions == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([log.name, second.folder.name])


def test_a_game_pays_what_the_environment_pays(tiny: DataSet) -> None:
    game = Game(tiny, 0, NOW, "s4")
    env = ShopSimEnv(tiny, split=None, pixels=False)
    env.reset(options={"session_id": "s4"})
    for action in (0, 0, 0, 7):
        game.act(action, None, NOW)
        _, reward, *_ = env.step({"action": action})
    assert game.reward is not None
    assert game.reward.total == reward == 1.0
    with pytest.raises(InputError, match="over"):
        game.act(0, None, NOW)


def test_play_in_a_terminal(
    tiny_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from typer.testing import CliRunner

    from shopsim.cli import app

    typed = "2\nwhat\n99\nc\nb\nd 1\nq\ny\n"
    arguments = ["play", "--data", str(tiny_path), "--session", "s7", "--save", str(tmp_path / "plays")]
    result = CliRunner().invoke(app, arguments, input=typed)
    assert result.exit_code == 0, result.output
    assert "there is no 99 here" in result.output
    assert "How close to the recorded shopper" in result.output
    folder = next(path for path in (tmp_path / "plays").iterdir() if path.is_dir())
    assert list(check(folder)) == []
    actions = [step.action.label for step in DataSet.open(folder).session(0).steps]
    assert actions == ["click", "add_to_cart", "back", "enter_detail", "terminate"]
    kept_nothing = CliRunner().invoke(app, arguments, input="q\nn\n")
    assert "Nothing was kept" in kept_nothing.output
    assert DataSet.open(folder).n_sessions == 1
    gone = CliRunner().invoke(app, arguments, input="2\n")
    assert "went away" in gone.output
