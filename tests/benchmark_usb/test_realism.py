"""Behaviour beside real logs: figures counted by hand, the three kinds of sources, the command."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from shopsim import cli
from shopsim.benchmark_usb.importers.importing import import_log
from shopsim.benchmark_usb.importers.kinds import log_of_kind
from shopsim.benchmark_usb.importers.log_table import Kind
from shopsim.benchmark_usb.realism import NAMES, ItemEvents, events_of, figures, figures_of, log_figures
from shopsim.benchmark_usb.realism_shown import comparison_rows, draw_comparison
from shopsim.benchmark_usb.structure import BOUNDS
from shopsim.data import DataSet
from shopsim.data.vocabulary import Action, Page
from shopsim.errors import DataError, InputError

HEAD = "event_time,event_type,product_id,category_id,category_code,brand,price,user_id,user_session\n"
ROWS = """\
2019-10-01 00:00:00 UTC,view,1,10,a.b,x,10.00,1,s1
2019-10-01 00:00:30 UTC,view,2,10,a.b,x,20.00,1,s1
2019-10-01 00:01:30 UTC,view,2,10,a.b,x,20.00,1,s1
2019-10-01 00:01:40 UTC,cart,2,10,a.b,x,20.00,1,s1
2019-10-01 00:02:40 UTC,view,3,11,a.c,x,40.00,1,s1
2019-10-01 00:03:40 UTC,purchase,2,10,a.b,x,20.00,1,s1
2019-10-01 00:00:05 UTC,view,4,12,,x,5.00,2,s2
2019-10-01 00:00:09 UTC,purchase,5,12,,x,5.00,2,s2
2019-10-01 00:00:07 UTC,view,1,10,a.b,x,10.00,3,s3
"""
VISITS = ((1, 7), (2, 7), (3, 8))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.csv"
    path.write_text(HEAD + ROWS)
    return path


def test_figures_of_a_raw_log_by_hand(log: Path) -> None:
    found = log_figures("rees46", log)
    assert tuple(found) == NAMES
    assert (found["sessions"], found["events"], found["share_len1"]) == (3, 9, 1 / 3)
    assert (found["session_len"]["p50"], found["session_len"]["max"]) == (2, 6)
    assert found["mix"] == {"view": 6 / 9, "cart": 1 / 9, "purchase": 2 / 9}
    assert found["gap_seconds"]["mean"] == pytest.approx((30 + 60 + 10 + 60 + 60 + 4) / 6)
    # Views of s1: 1, 2, 2, 3.
    assert (found["next_same_item"], found["next_same_category"]) == (1 / 3, 2 / 3)
    assert found["next_same_l1"] == 1
    assert found["abs_log_price_ratio_next"]["mean"] == pytest.approx(2 * np.log(2) / 3)
    assert (found["sessions_with_cart"], found["sessions_with_purchase"]) == (1 / 3, 2 / 3)
    assert (found["purchase_without_cart"], found["purchase_without_view"]) == (0.5, 0.5)
    assert json.loads(json.dumps(found)) == found


def test_an_imported_log_has_the_figures_of_the_log(log: Path, tmp_path: Path) -> None:
    import_log(log_of_kind("rees46"), [log], tmp_path / "set")
    raw, imported = log_figures("rees46", log), figures_of(str(tmp_path / "set"))["rees46-log"]
    # What the importer put in (a view before a purchase, scrolls, leaving) does not count; a repeated view is one.
    alike = ("sessions", "share_len1", "sessions_with_cart", "sessions_with_purchase", "purchase_without_view")
    assert {name: imported[name] for name in alike} == {name: raw[name] for name in alike}
    assert imported["events"] == raw["events"] - 1


def test_coarser_categories_made_of_mere_ids_are_not_known(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(
        "".join(f"1,{item},{category},pv,15118{n:05}\n" for n, (item, category) in enumerate(VISITS, 30000))
    )
    found = log_figures("taobao", path)
    assert (found["next_same_category"], found["next_same_l1"]) == (0.5, None)
    assert (found["next_same_item"], found["abs_log_price_ratio_next"]) == (0, None)


def test_events_of_a_set_are_what_its_sessions_hold(tiny: DataSet) -> None:
    events = events_of(tiny)
    kinds, items = [], []
    for row in range(tiny.n_sessions):
        for (action, item), (page, _) in zip(tiny.effects(row), tiny.places(row), strict=True):
            if action in (Action.CLICK, Action.ENTER_DETAIL) and page is Page.FEED:
                kinds.append(Kind.VIEW)
            elif action in (Action.ADD_TO_CART, Action.PURCHASE):
                kinds.append(Kind.CART if action is Action.ADD_TO_CART else Kind.PURCHASE)
            else:
                continue
            items.append(item)
    assert events.kind.tolist() == kinds
    assert events.item.tolist() == items
    assert events.starts[-1] == len(kinds)
    assert np.diff(events.starts).min() > 0
    assert (np.diff(events.time) > 0).sum() >= len(kinds) - len(events.starts) + 1


def test_nothing_to_measure_is_none() -> None:
    none = np.empty(0, np.int64)
    found = figures(
        ItemEvents(np.zeros(1, np.int64), none, none.astype(np.int8), none.astype(np.int32), none.astype(np.int32),
                   none.astype(np.int32), none.astype(np.float64))
    )  # fmt: skip
    assert (found["sessions"], found["session_len"], found["length_shape"], found["next_same_item"]) == (0, *[None] * 3)
    assert comparison_rows({"nothing": found})[2] == ("events a session: mean", "")


def test_stored_figures_speak_our_words(tmp_path: Path) -> None:
    path = tmp_path / "stats.json"
    spread = {"p5": 1, "p25": 1, "p50": 2, "p75": 4, "p90": 8, "p95": 11, "p99": 21, "mean": 3.4, "max": 51}
    path.write_text(
        json.dumps(
            {
                "shop_2019": {"sessions_30min": 7, "session_len": spread, "mix": {"pv": 0.9, "fav": 0.05, "buy": 0.05}},
                "no_lengths": {"events": 5},
                "session_length_fits_aic": {"shop": {"weibull_disc": {"aic": 1.0, "params": [0.58, 0.73]}}},
            }
        )
    )
    found = figures_of(str(path))
    assert list(found) == ["shop_2019"]
    one = found["shop_2019"]
    assert (one["sessions"], one["length_q"], one["length_shape"]) == (7, 0.58, 0.73)
    assert one["mix"] == pytest.approx({"view": 0.9 / 0.95, "cart": 0.0, "purchase": 0.05 / 0.95})
    assert one["gap_seconds"] is None
    draw_comparison(found, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    for wrong in ("[]", '{"a": {"events": 3}}', "no"):
        path.write_text(wrong)
        with pytest.raises(DataError, match="holds no figures of logs"):
            figures_of(str(path))


def test_sources_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no importer for 'moon'"):
        figures_of(f"moon:{tmp_path}")
    with pytest.raises(DataError):
        figures_of(str(tmp_path / "nothing"))


def test_stats_against_logs(
    tiny_path: Path, log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def go(*arguments: object) -> tuple[object, str]:
        monkeypatch.setattr(sys, "argv", ["shopsim", "data", "stats", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        return left.value.code or 0, "".join(capsys.readouterr())

    code, out = go(tiny_path, "--against", f"rees46:{log}", tiny_path, "--plot", tmp_path / "p.svg")
    assert (code, "rees46" in out, "next view" in out, (tmp_path / "p.svg").exists()) == (0, True, True, True)
    code, out = go(tiny_path, "--against", f"rees46:{log}", f"rees46:{log}", "--json")
    assert list(json.loads(out)) == ["tiny", "rees46", "rees46 2"]
    code, out = go(DataSet.bundled().path)
    assert (code, "purchases_later" in out, out.count("at least")) == (0, True, len(BOUNDS))
    code, out = go(tiny_path, f"rees46:{log}")
    assert (code, "go with --against" in out) == (2, True)
