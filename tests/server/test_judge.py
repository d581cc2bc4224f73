"""The study: balanced and blind drawing, one answer at a time and none lost, known results, closed to others' eyes."""

import csv
import io
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("fastapi", reason="the extra 'server' is not installed")
pytest.importorskip("sqlalchemy", reason="the extra 'server' is not installed")

from starlette.testclient import TestClient

from shopsim.errors import InputError
from shopsim.server.app import create_app
from shopsim.server.judge.clips import Candidate, Clip, Source
from shopsim.server.judge.drawing import CHOICES, deal, draw_pairs
from shopsim.server.judge.scores import agreement, mean_with_interval, score
from shopsim.server.judge.store import NewClip, NewStudy, Studies
from shopsim.server.problems import Problem
from shopsim.server.settings import ServerSettings
from tests.server.pages import AS_PERSON, EVIL, make_hostile, make_results, read, write_hostile

# Drawing


def candidate(source: int, start: str, steps: int = 5) -> Candidate:
    return Candidate(source, f"{source}-{start}-{steps}", start, steps, 0, "data")


def test_pairs_start_alike_and_are_equally_many_for_each_two_sources() -> None:
    found = [candidate(source, str(start)) for source in range(3) for start in range(10 + source)]
    found += [candidate(0, "0", 99), candidate(1, "alone")]
    drawn = draw_pairs(found, ["a", "b", "c"], 6, 40, np.random.default_rng(0))
    assert all(one.start == two.start and one.source < two.source for one, two in drawn)
    assert Counter((one.source, two.source) for one, two in drawn) == {(0, 1): 6, (0, 2): 6, (1, 2): 6}
    assert max(Counter((one.source, two.source, one.start) for one, two in drawn).values()) == 1
    assert all(max(one.steps, two.steps) <= 40 for one, two in drawn)
    again = draw_pairs(found, ["a", "b", "c"], 6, 40, np.random.default_rng(0))
    assert again == drawn


def test_a_study_that_cannot_be_is_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="two sources or more"):
        draw_pairs([candidate(0, "a")], ["only"], 3, 40, rng)
    with pytest.raises(InputError, match="'one' and 'two' have no sessions that start alike"):
        draw_pairs([candidate(0, "a"), candidate(1, "b")], ["one", "two"], 3, 40, rng)


@given(
    n_pairs=st.integers(1, 12), per_rater=st.integers(1, 15), n_checks=st.integers(0, 4), n_raters=st.integers(1, 12)
)
def test_what_raters_are_dealt_is_balanced(n_pairs: int, per_rater: int, n_checks: int, n_raters: int) -> None:
    twins = {twin: (2 * twin, 2 * twin + 1) for twin in range(n_pairs)}
    checks = list(range(100, 100 + n_checks))
    dealt: Counter[int] = Counter()
    for rater in range(n_raters):
        asked = deal(twins, checks, dealt, per_rater, n_checks, np.random.default_rng([7, rater]))
        mine = [pair for pair in asked if pair < 100]
        assert len({pair // 2 for pair in mine}) == len(mine) == min(per_rater, n_pairs), "no pair twice"
        assert sorted(pair for pair in asked if pair >= 100) == checks
        assert asked[0] < 100
        dealt.update(mine)
    per_twin = [dealt[one] + dealt[two] for one, two in twins.values()]
    assert max(per_twin) - min(per_twin) <= 1, "every pair equally often"
    assert all(abs(dealt[one] - dealt[two]) <= 1 for one, two in twins.values()), "both ways round equally often"


# Scores


def judged(rater: int, twin: int, choice: str, left: int = 0, right: int = 1, wanted: str | None = None) -> dict:
    return {"rater": rater, "twin": twin, "choice": choice, "left": left, "right": right, "wanted": wanted}


PEOPLE = ({"title": "people", "people": True}, {"title": "agent", "people": False})


def test_win_rates_and_the_fooling_rate() -> None:
    rows = [judged(rater, twin, "left") for rater in range(3) for twin in range(4)]  # people won 12
    rows += [judged(rater, 9, "left", 1, 0) for rater in range(3)]  # the agent won 3
    rows += [judged(0, 10, "same")]
    (duel,) = score(PEOPLE, rows).duels
    assert (duel.wins, duel.ties, duel.n) == ((12, 3), 1, 16)
    assert duel.rate.value == pytest.approx(12.5 / 16)
    agent, fooled = duel.fooled or ("", duel.rate)
    assert agent == "agent"
    assert fooled.value == pytest.approx(3.5 / 16)
    assert fooled.low <= fooled.value <= fooled.high
    assert (fooled.low, fooled.high) == pytest.approx((1 - duel.rate.high, 1 - duel.rate.low))


def test_a_habit_of_the_left_shows_and_does_not_help_anybody() -> None:
    rows = [judged(rater, twin, "left", rater % 2, 1 - rater % 2) for rater in range(4) for twin in range(5)]
    found = score(PEOPLE, rows)
    assert found.left.value == 1
    assert found.duels[0].rate.value == 0.5


def test_raters_that_fail_their_checks_do_not_count() -> None:
    rows = [judged(0, 0, "left"), judged(1, 0, "right")]
    rows += [judged(0, 5, "same", wanted="same"), judged(1, 5, "left", wanted="same")]
    found = score(PEOPLE, rows)
    assert (found.inattentive, found.judgements) == ((1,), 1)
    assert found.duels[0].wins == (1, 0)


def test_intervals_cover_the_truth() -> None:
    rng = np.random.default_rng(5)
    covered = 0
    for trial in range(60):
        # 8 raters judge the same 10 pairs; pairs and raters have leanings of their own.
        leaning = 0.5 + rng.normal(0, 0.1, 8)[:, None] + rng.normal(0, 0.1, 10)[None, :]
        values = (rng.random((8, 10)) < leaning).astype(float)
        raters, pairs = np.indices(values.shape)
        e = mean_with_interval(values.ravel(), raters.ravel().tolist(), pairs.ravel().tolist(), trial)
        covered += e.low <= 0.5 <= e.high
    assert covered >= 55


def test_agreement_is_krippendorffs() -> None:
    """Nominal alpha by its definition over coincidences, not by the library."""
    rng = np.random.default_rng(3)
    table = rng.choice(CHOICES, size=(4, 9))
    table[:, :5] = table[0, :5]  # half agreement
    rows = [judged(rater, twin, str(table[rater, twin])) for rater in range(4) for twin in range(9) if rater != twin]
    coincidences: Counter[tuple[str, str]] = Counter()
    for twin in range(9):
        answers = [row["choice"] for row in rows if row["twin"] == twin]
        for i, one in enumerate(answers):
            for j, two in enumerate(answers):
                if i != j:
                    coincidences[one, two] += 1 / (len(answers) - 1)
    totals = {c: sum(n for (one, _), n in coincidences.items() if one == c) for c in CHOICES}
    n = sum(totals.values())
    observed = sum(v for (one, two), v in coincidences.items() if one != two) / n
    expected = sum(totals[a] * totals[b] for a in CHOICES for b in CHOICES if a != b) / (n * (n - 1))
    assert agreement(rows) == pytest.approx(1 - observed / expected)
    assert agreement(rows[:1]) is None
    assert agreement([]) is None
    flipped = [judged(0, 0, "left", 0, 1), judged(1, 0, "right", 1, 0), judged(0, 1, "right"), judged(1, 1, "right")]
    assert agreement(flipped) == 1, "the same source on either side is the same answer"


# The database: SQLite and a real PostgreSQL


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of a PostgreSQL server started for the tests."""
    pytest.importorskip("psycopg", reason="the extra 'postgresql' is not installed")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or [Path(shutil.which("initdb") or "")]
    programs = found[-1].parent
    if not (programs / "postgres").exists():
        pytest.skip("no PostgreSQL server is installed (apt-get install postgresql)")
    import getpass
    import os
    import pwd

    user = "postgres" if os.geteuid() == 0 else getpass.getuser()
    folder = Path(tempfile.mkdtemp(prefix="shopsim-pg-"))
    if os.geteuid() == 0:  # it refuses to run as root
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)

    def run(*command: str | Path) -> None:
        subprocess.run([*map(str, command)], check=True, user=user if os.geteuid() == 0 else None, cwd=folder,
                       stdout=subprocess.DEVNULL)  # fmt: skip

    run(programs / "initdb", "-D", folder / "data", "-U", "study", "--auth=trust", "--no-sync")
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    run(programs / "pg_ctl", "-D", folder / "data", "-o", options, "-l", folder / "log", "-w", "start")
    try:
        yield f"postgresql://study@/postgres?host={folder}"
    finally:
        run(programs / "pg_ctl", "-D", folder / "data", "-m", "fast", "-w", "stop")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/study.db"
    found: str = request.getfixturevalue("postgresql")
    return found


def clip_of(source: int, start: int) -> NewClip:
    frames = tuple({"screen": f"{source}{start}{n}", "caption": str(source)} for n in range(2))
    screens = {frame["screen"]: f"picture {frame['screen']}".encode() for frame in frames}
    return NewClip(source, f"session {source} {start}", str(start), Clip(frames, screens))


def make_study(studies: Studies, pairs: int = 4, checks: int = 1, per_rater: int = 4) -> tuple[str, str]:
    sources = (Source("people/x", "people", True, 9), Source("agent/r/a", "agent", False, 9))
    drawn = tuple((clip_of(0, start), clip_of(1, start)) for start in range(pairs))
    return studies.make(NewStudy("A study", sources, drawn, per_rater, checks, 0))


def answer_all(studies: Studies, rater: int, stop: int = 99) -> int:
    """Answers for the agent, as checks ask, until there is nothing more or enough is done."""
    done = 0
    while done < stop and (asked := studies.asked(rater)[0]) is not None:
        side = "left" if asked.left[0]["caption"] == "1" else "right"
        studies.judge(rater, asked.number, asked.wanted or side, 1.5)
        done += 1
    return done


def test_a_study_from_making_to_results(url: str) -> None:
    studies = Studies(url)
    study = studies.owned(*make_study(studies))
    for number in range(3):
        rater = studies.rater(study, studies.join(study))
        assert rater is not None
        assert answer_all(studies, rater, stop=2) == 2
        assert studies.progress(study)[number] == (number, 2, 5)
        studies.close()
        studies = Studies(url)  # the server starts anew; the rater goes on
        assert answer_all(studies, rater) == 3
        assert studies.asked(rater) == (None, 5)
    rows = studies.judged(study)
    assert len(rows) == 15
    assert {row["left_source"] for row in rows} == {"people", "agent"}
    found = score(study.sources, rows)
    assert found.judgements == 12
    assert found.duels[0].fooled[1].value == 1
    assert found.alpha is None or found.alpha == 1
    orders = Counter((row["twin"], row["left"]) for row in rows if row["wanted"] is None)
    assert set(orders.values()) <= {1, 2}, "each pair in both orders"
    studies.close()


def test_answers_are_kept_once_and_only_ones_own(url: str) -> None:
    studies = Studies(url)
    study = studies.owned(*make_study(studies))
    rater = studies.rater(study, studies.join(study))
    assert rater is not None
    studies.judge(rater, 0, "left", None)
    studies.judge(rater, 0, "right", None)
    assert [row["choice"] for row in studies.judged(study)] == ["left"], "the first answer stays"
    with pytest.raises(Problem, match="not asked"):
        studies.judge(rater, 99, "left", None)
    with pytest.raises(Problem, match="must be one of"):
        studies.judge(rater, 1, "both", None)
    assert studies.rater(study, "someone else's key") is None
    with pytest.raises(Problem, match="owner"):
        studies.owned(study.id, "wrong")
    with pytest.raises(Problem, match="invitation"):
        studies.invited("wrong")
    other = studies.owned(*make_study(studies))
    assert studies.screen(study, "000") == b"picture 000"
    with pytest.raises(Problem, match="no such screen"):
        studies.screen(other, "no")
    assert studies.judged(other) == []
    studies.close()


def test_many_raters_at_once(url: str) -> None:
    studies = Studies(url)
    study = studies.owned(*make_study(studies, pairs=6, checks=1, per_rater=4))

    def take_part(_: int) -> int:
        rater = studies.rater(study, studies.join(study))
        assert rater is not None
        return answer_all(studies, rater)

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(take_part, range(12))) == [5] * 12
    rows = studies.judged(study)
    assert len(rows) == 60
    dealt = Counter((row["twin"], row["left"]) for row in rows if row["wanted"] is None)
    assert set(dealt.values()) == {4}, "6 pairs, both ways round, 48 answers"
    studies.close()


@pytest.mark.parametrize(
    "url", ["nonsense", "sqlite:////no/such/folder/x.db", "oracle://x", "postgresql://u:secret@/x?host=/no"]
)
def test_a_database_that_cannot_be_opened_is_named(url: str) -> None:
    if url.startswith("postgresql"):
        pytest.importorskip("psycopg", reason="the extra 'postgresql' is not installed")
    with pytest.raises(InputError, match=r"database .* cannot be opened") as error:
        Studies(url)
    assert "secret" not in str(error.value)
    assert "\n" not in str(error.value)


# The pages


TOKEN = "a token of the server"


@pytest.fixture(scope="module")
def served(tiny_path: Path, tmp_path_factory: pytest.TempPathFactory) -> ServerSettings:
    folder = tmp_path_factory.mktemp("judge")
    results = make_results(tiny_path, folder / "run")
    return ServerSettings(data=(tiny_path,), results=(results,), study_url=f"sqlite:///{folder}/study.db", token=TOKEN)


FORM = {"source": ["people/tiny", "agent/run/random", "agent/run/heuristic"], "pairs": 5, "per_rater": 9,
        "checks": 2, "longest": 150, "title": EVIL}  # fmt: skip


def owner_of(served: ServerSettings) -> TestClient:
    return TestClient(create_app(served), headers={"authorization": f"Bearer {TOKEN}"} | AS_PERSON)


def make_over_pages(owner: TestClient) -> tuple[str, str]:
    """Page of a new study and its invitation."""
    answer = owner.post("/judge", data=FORM)
    assert answer.status_code == 200, answer.text
    invitation = re.search(r"http://testserver(/judge/rate/[\w-]+)", answer.text)
    assert invitation
    return str(answer.url).split("?")[0], invitation[1]


def rate_all(rater: TestClient, invitation: str) -> int:
    done = 0
    while "thank" not in (page := read(rater, invitation)).text.lower():
        number = next(attrs["value"] for tag, attrs in page.tags if attrs.get("name") == "number")
        wanted = re.search("please answer “(A|B|No difference)”", page.text)
        choice = {"A": "left", "B": "right", "No difference": "same"}[wanted[1]] if wanted else "left"
        form = {"number": number, "choice": choice, "seconds": "2.5"}
        assert rater.post(f"{invitation}/answers", data=form).status_code == 200
        done += 1
    return done


def test_a_study_over_its_pages(served: ServerSettings) -> None:
    with owner_of(served) as owner:
        study, invitation = make_over_pages(owner)
        for _ in range(2):
            rater = TestClient(owner.app, headers=AS_PERSON)
            assert "Begin" in rater.get(invitation).text
            rater.post(invitation)
            assert rate_all(rater, invitation) == 8, "two test sessions for each two sources, and two checks"
        page = read(owner, study)
        assert EVIL in page.text
        assert "chose the left100 %" in re.sub(r"\s", " ", page.text).replace("  ", "")
        answer = owner.get(f"{study}/export.csv")
        rows = list(csv.DictReader(io.StringIO(answer.text)))
        assert len(rows) == 16
        assert sum(row["check"] == "" for row in rows) == 12
        assert {row["left_source"] for row in rows} <= {"people of tiny", "random of run", "heuristic of run"}
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pq.read_table(pa.BufferReader(owner.get(f"{study}/export.parquet").content))
        assert table.num_rows == 16
        assert table.column("choice").to_pylist() == [row["choice"] for row in rows]
        assert [study.removeprefix("http://testserver")] == [
            link for link in read(owner, "/judge").all("a", "href") if "/studies/" in link
        ]


def test_raters_see_no_source_no_answers_and_nothing_else(served: ServerSettings) -> None:
    with owner_of(served) as owner:
        study, invitation = make_over_pages(owner)
        rater = TestClient(owner.app, headers=AS_PERSON)
        rater.post(invitation)
        page = rater.get(invitation).text
        for word in ("heuristic", "random", "people of", "tiny", "s6", "s7", "agent"):
            assert word not in page.replace("Which one looks more like a real person", ""), word
        shown = read(rater, invitation)
        assert shown.all("a", "href") == ["#main"], "no link out"
        picture = shown.all("img", "src")[0]
        assert rater.get(picture).status_code == 200
        assert rater.get("/", follow_redirects=False).headers["location"].startswith("/login")
        for path in (study, f"{study}/export.csv", f"{study}/export.parquet", "/judge", "/recordings"):
            assert rater.get(path, headers={"accept": "application/json"}).status_code == 401
        # Even with the server's token the study stays its owner's.
        assert TestClient(owner.app, headers=owner.headers).get(study).status_code == 404
        stranger = TestClient(owner.app, headers=AS_PERSON)
        assert stranger.get(picture).status_code == 403
        assert stranger.post(f"{invitation}/answers", data={"number": 0, "choice": "left"}).status_code == 403
        assert stranger.get("/judge/rate/nothing").status_code == 404


def test_sessions_are_shown_alike_whoever_shopped(served: ServerSettings) -> None:
    with owner_of(served) as owner:
        _, invitation = make_over_pages(owner)
        rater = TestClient(owner.app, headers=AS_PERSON)
        rater.post(invitation)
        page = read(rater, invitation)
        pictures = page.all("img", "src")
        firsts = [pictures[0], next(src for src, n in zip(pictures[1:], _numbers(page)[1:], strict=True) if n == 1)]
        assert firsts[0] == firsts[1], "the same start, so the same picture"
        assert "failed" not in str(page.tags), "nothing but what had an effect"
        assert "mind" not in str(page.tags)


def _numbers(page) -> list[int]:
    """For each picture, its number in its strip."""
    counts = [int(n) for n in re.findall(r"(\d+) screens?", page.text)]
    return [n for total in counts for n in range(1, total + 1)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"source": ["people/tiny"]}, "two sources or more"),
        ({"source": []}, "two sources or more"),
        ({"source": ["people/tiny", "agent/no/one"]}, "no source"),
        ({"pairs": "many"}, "pairs must be a whole number"),
        ({"longest": 1, "source": ["people/tiny", "agent/run/human"]}, "start alike"),
    ],
)
def test_studies_that_cannot_be_are_readable_pages(served: ServerSettings, change: dict, said: str) -> None:
    with owner_of(served) as owner:
        answer = owner.post("/judge", data=FORM | change)
        assert answer.status_code == 422
        assert said in answer.text
        assert "Traceback" not in answer.text


def test_hostile_titles_stay_texts_for_raters(tmp_path: Path) -> None:
    data = write_hostile(tmp_path / "set")
    results = make_hostile(data, tmp_path / "recorded")
    url = f"sqlite:///{tmp_path}/study.db"
    with TestClient(create_app(ServerSettings(data=(data,), results=(results,), study_url=url))) as client:
        page = read(client, "/judge")
        sources = [attrs["value"] for tag, attrs in page.tags if attrs.get("name") == "source"]
        answer = client.post("/judge", data=FORM | {"source": sources}, headers=AS_PERSON)
        invitation = re.search(r"http://testserver(/judge/rate/[\w-]+)", answer.text)
        assert invitation
        client.post(invitation[1])
        assert EVIL in read(client, invitation[1]).text


def test_without_a_database_the_page_says_so(tiny_path: Path) -> None:
    with TestClient(create_app(ServerSettings(data=(tiny_path,)))) as client:
        assert "--study" in read(client, "/judge").text
        assert "--study" in client.post("/judge", headers=AS_PERSON, data=FORM).text
