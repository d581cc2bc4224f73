"""The rewards of SPEC 6.3 and 6.4, checked against a second implementation and by what they must prefer."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shopsim.data.vocabulary import Action, Page
from shopsim.envs.reward import RewardParts, Spread, StepRewardParts, TrajectoryReward
from shopsim.envs.step_reward import CustomerR1Reward, ShopR1Reward, exact_match, rouge_l
from shopsim.envs.trajectory import Event, Invalid, StopReason, Trajectory
from shopsim.errors import InputError

LABELS = {
    1: (10, 20, 30),
    2: (10, 20, 30),  # all levels of item 1
    3: (10, 20, 31),  # two levels
    4: (10, 21, 32),  # one level
    5: (11, 20, 30),  # none: the parent differs
    6: (10, -1, -1),  # half labelled
    7: (-1, -1, -1),  # not labelled
}
LETTERS = {
    "C": Action.CLICK,
    "D": Action.ENTER_DETAIL,
    "A": Action.ADD_TO_CART,
    "P": Action.PURCHASE,
    "s": Action.SCROLL_DOWN,
    "b": Action.BACK,
    "T": Action.TERMINATE,
}


def labels(row: int) -> tuple[int, int, int]:
    return LABELS[row]


def trajectory(steps: str) -> Trajectory:
    """Reads ``C1 D1 s x T``: a letter and an item; x is an invalid step. Without T the session was cut off."""
    made = Trajectory("s1")
    for i, word in enumerate(steps.split()):
        effect = LETTERS.get(word[0])
        item = int(word[1:] or -1)
        invalid = Invalid.NO_TARGET if effect is None else None
        made.events.append(Event(i, Page.FEED, 0, effect or Action.CLICK, effect, item, invalid))
    made.stop_reason = StopReason.TERMINATE if steps.endswith("T") else StopReason.MAX_STEPS
    return made


PERSON = "s C1 D1 A1 b b s C4 b T"
GOLDEN = {
    # agent's steps: (macro, micro, format, length, total)
    PERSON: (0, 1, 0, 0, 1),
    "T": (-0.75, 0, 0, -0.225, -0.975),
    "s s s s s s s s s T": (-0.75, 0, 0, 0, -0.75),
    "s C2 D2 A2 b b s C4 b T": (0, 1, 0, 0, 1),
    "s C5 D5 A5 b b s C5 b T": (-0.125, 0, 0, 0, -0.125),
    "s C1 D1 P1 b b s C4 b T": (-0.5, 5.5 / 7.5, 0, 0, -0.5 + 5.5 / 7.5),
    "C1 C1 C1 T": (-0.625, 1 / 5.5, 0, -0.15, -0.775 + 1 / 5.5),
    "x x C1 x": (-0.625, 1 / 5.5, -0.75, -0.25, -1.625 + 1 / 5.5),
    "C1 D1 A1 P1 C2 D2 A2 P2 C3 D3 A3 P3": (-0.875, 5.5 / 25.5, 0, -0.25, -1.125 + 5.5 / 25.5),
    "C7 T": (-0.625, 0, 0, -0.2, -0.825),
    "C6 T": (-0.625, (1 / 3) / 5.5, 0, -0.2, -0.825 + (1 / 3) / 5.5),
}


def test_gaps_by_how_people_differ_are_the_same_both_ways_round() -> None:
    spread = Spread({Action.CLICK: 2.0, Action.ENTER_DETAIL: 4.0, Action.ADD_TO_CART: 0.5, Action.PURCHASE: 0.25}, 8.0)
    reward = TrajectoryReward("unclipped", length_weight=1.0, spread=spread)
    one, other = trajectory("C1 C4 D4 A4 P4 T"), trajectory("C1 T")
    parts = reward(one, other, labels)
    assert parts.macro == pytest.approx(-(1 / 2 + 1 / 4 + 1 / 0.5 + 1 / 0.25) / 4)
    assert parts.length == pytest.approx(-4 / 8)
    back = reward(other, one, labels)
    assert (back.macro, back.length) == (parts.macro, parts.length)
    cut_off = trajectory("C1 C4 D4 A4 P4 s")
    assert reward(cut_off, one, labels).length == -1.0, "who never leaves misses by at least the spread"
    assert reward(cut_off, trajectory("T"), labels).length == -1.0


def test_the_spread_is_that_of_peoples_counts() -> None:
    sessions = [[Action(a) for a in actions] for actions in ([2, 3, 7], [2, 2, 2, 0, 0, 7], [0, 7])]
    spread = Spread.of([np.array(session, np.int8) for session in sessions])
    assert spread.counts[Action.CLICK] == pytest.approx(np.std([1, 3, 0]))
    assert spread.counts[Action.ENTER_DETAIL] == pytest.approx(np.std([1, 0, 0]))
    assert spread.counts[Action.PURCHASE] == 1.0, "nobody bought: no measure of it"
    assert spread.steps == pytest.approx(np.std([3, 6, 2]))


def second_opinion(agent: str, human: str) -> tuple[float, ...]:
    """The default reward again, from the formulas, on the words themselves and in exact fractions."""

    def pairs(steps: str) -> set[str]:
        return {word for word in steps.split() if word[0] in "CDAP"}

    def like(x: str, y: str) -> Fraction:
        if x == y:
            return Fraction(1)
        (a1, a2, a3), (b1, b2, b3) = LABELS[int(x)], LABELS[int(y)]
        one = a1 == b1 != -1
        two = one and a2 == b2 != -1
        three = two and a3 == b3 != -1
        return Fraction(one + two + three, 3)

    weight = {"C": Fraction(1), "D": Fraction(3, 2), "A": Fraction(2), "P": Fraction(4)}
    mine, theirs = pairs(agent), pairs(human)
    n, wanted = Counter(w[0] for w in mine), Counter(w[0] for w in theirs)
    macro = -sum(min(Fraction(1), Fraction(abs(n[a] - wanted[a]), max(1, wanted[a]))) for a in "CDAP") / 4
    got = sum(weight[w[0]] * max((like(w[1:], v[1:]) for v in theirs), default=Fraction(0)) for w in mine)
    spent, target = sum(weight[w[0]] for w in mine), sum(weight[w[0]] for w in theirs)
    if not mine and not theirs:
        micro = Fraction(1)
    elif not mine or not theirs:
        micro = Fraction(0)
    else:
        micro = min(got, target) / max(spent, target)
    t, t_star = len(agent.split()), len(human.split())
    form = -Fraction(agent.split().count("x"), t)
    gap = min(Fraction(1), Fraction(abs(t - t_star), t_star)) if agent.endswith("T") else Fraction(1)
    length = -Fraction(1, 4) * gap
    return tuple(float(v) for v in (macro, micro, form, length, macro + micro + form + length))


@pytest.mark.parametrize("agent", GOLDEN)
def test_golden_table(agent: str) -> None:
    parts = TrajectoryReward()(trajectory(agent), trajectory(PERSON), labels)
    assert parts == pytest.approx(GOLDEN[agent])
    assert parts == pytest.approx(second_opinion(agent, PERSON))


words = st.one_of(
    st.sampled_from(["s", "b", "x"]),
    st.tuples(st.sampled_from("CDAP"), st.integers(1, 7)).map(lambda w: f"{w[0]}{w[1]}"),
)
people = st.lists(words, max_size=10).map(lambda w: " ".join([*(v for v in w if v != "x"), "T"]))
agents = st.tuples(st.lists(words, min_size=1, max_size=10), st.sampled_from(["", " T"])).map(
    lambda w: " ".join(w[0]) + w[1]
)


@given(agents, people)
def test_agrees_with_the_second_implementation(agent: str, person: str) -> None:
    parts = TrajectoryReward()(trajectory(agent), trajectory(person), labels)
    assert parts == pytest.approx(second_opinion(agent, person))
    assert -1 <= parts.macro <= 0 <= parts.micro <= 1
    assert -1 <= parts.format <= 0
    assert -0.25 <= parts.length <= 0


@given(people)
def test_doing_what_the_person_did_earns_exactly_one(person: str) -> None:
    for reward in (TrajectoryReward(), TrajectoryReward.recverse(), TrajectoryReward(macro="squared", micro="mean")):
        assert reward(trajectory(person), trajectory(person), labels) == RewardParts(0, 1, 0, 0, 1)


@given(people, st.lists(words.filter(lambda w: w != "x"), min_size=1, max_size=12))
def test_nothing_beats_doing_what_the_person_did(person: str, steps: list[str]) -> None:
    reward = TrajectoryReward()
    assert reward(trajectory(" ".join([*steps, "T"])), trajectory(person), labels).total <= 1 + 1e-12


def test_doing_nothing_and_doing_too_much_both_lose() -> None:
    reward, person = TrajectoryReward.recverse(), trajectory(PERSON)
    exact = reward(person, person, labels)
    nothing = reward(trajectory("T"), person, labels)
    everything = trajectory(" ".join(f"{a}{i}" for i in range(1, 8) for a in "CDAP") + " T")
    too_much = reward(everything, person, labels)
    assert max(nothing.total, too_much.total) < exact.total
    assert max(nothing.micro, too_much.micro) < exact.micro


@given(st.data(), agents, people)
def test_order_and_repetition_of_item_actions_do_not_count(data: st.DataObject, agent: str, person: str) -> None:
    reward = TrajectoryReward.recverse()
    body = [w for w in agent.split() if w not in ("T", "x")]
    shuffled = data.draw(st.permutations(body))
    parts = reward(trajectory(" ".join([*body, "T"])), trajectory(person), labels)
    for other in (shuffled, body + body):
        again = reward(trajectory(" ".join([*other, "T"])), trajectory(person), labels)
        assert again == pytest.approx(parts)


def test_a_well_formed_useless_session_never_outranks_a_useful_one_by_more_than_the_format_weight() -> None:
    reward, person = TrajectoryReward(), trajectory(PERSON)
    useful = reward(trajectory("x s C1 D1 A1 b x s C4 T"), person, labels)
    useless = reward(trajectory("s s s s s s s s s T"), person, labels)
    assert useless.total < useful.total
    assert useless.total - useful.total <= 1


def test_options() -> None:
    agent, person = trajectory("C1 C2 C3 C4 T"), trajectory("C1 T")
    assert TrajectoryReward(macro="clipped")(agent, person, labels).macro == -1 / 4
    assert TrajectoryReward(macro="unclipped")(agent, person, labels).macro == -3 / 4
    assert TrajectoryReward(macro="squared")(agent, person, labels).macro == -9 / 4
    assert TrajectoryReward(micro="sum")(agent, person, labels).micro == pytest.approx(1 + 1 + 2 / 3 + 1 / 3)
    assert TrajectoryReward(micro="mean")(agent, person, labels).micro == pytest.approx(3 / 4)
    assert TrajectoryReward(micro="balanced")(agent, person, labels).micro == pytest.approx(1 / 4)
    assert TrajectoryReward(micro="sum")(trajectory("T"), trajectory("T"), labels).micro == 0
    assert TrajectoryReward.recverse()(agent, person, labels).length == 0
    assert TrajectoryReward(length_weight=1)(agent, person, labels).length == -1
    without = TrajectoryReward(macro="squared", macro_weight=0)(agent, person, labels)
    assert without.macro == -9 / 4
    assert without.total == pytest.approx(without.micro + without.format + without.length)
    half = TrajectoryReward(lam=0.5)(agent, person, labels)
    assert half.total == pytest.approx(half.macro + 0.5 * half.micro + half.format + half.length)


def test_weights_change_what_counts() -> None:
    agent, person = trajectory("P1 C5 T"), trajectory("P1 C1 T")
    light = dict.fromkeys((Action.CLICK, Action.ENTER_DETAIL, Action.ADD_TO_CART, Action.PURCHASE), 1.0)
    assert TrajectoryReward()(agent, person, labels).micro == pytest.approx(4 / 5)
    assert TrajectoryReward(weights=light)(agent, person, labels).micro == pytest.approx(1 / 2)


def test_parts_have_no_negative_zero() -> None:
    parts = TrajectoryReward()(trajectory(PERSON), trajectory(PERSON), labels)
    assert "-0.0" not in str(parts)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"macro": "l1"}, "macro is 'l1'; it must be one of clipped, unclipped, squared"),
        ({"micro": "max"}, "micro is 'max'; it must be one of balanced, sum, mean"),
        ({"weights": {Action.CLICK: 1.0}}, "positive number for each of click, enter_detail, add_to_cart, purchase"),
        ({"weights": dict.fromkeys(LETTERS.values(), 1.0)}, "positive number for each of"),
    ],
)
def test_wrong_arguments_say_what_is_right(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        TrajectoryReward(**arguments)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="one of category, rouge_l"):
        ShopR1Reward(similarity="cosine")  # type: ignore[arg-type]


# Teacher-forced step rewards


class Items:
    """Items 1 to 7 with titles."""

    def labels(self, row: int) -> tuple[int, int, int]:
        return LABELS[row]

    def titles(self, rows: list[int]) -> list[str]:
        names = {1: "Red cotton dress with long sleeves", 2: "Blue cotton dress with long sleeves", 3: "Glass bottle"}
        return [names[row] for row in rows]


def event(action: Action | None, item: int = -1, page: Page = Page.FEED, invalid: Invalid | None = None) -> Event:
    return Event(0, page, 0, action, None if invalid else action, item, invalid)


UNREAD = event(None, invalid=Invalid.UNPARSED)
MISSED = event(Action.CLICK, invalid=Invalid.NO_TARGET)


def test_shop_r1_table() -> None:
    reward, clicked = ShopR1Reward(), event(Action.CLICK, 1)
    table = [
        (UNREAD, clicked, (0, 0, 0, 0)),
        (MISSED, clicked, (0.5, 0, 0, 0)),
        (event(Action.TERMINATE), clicked, (0.5, 0, 0, 0)),
        (event(Action.CLICK, 1), clicked, (0.5, 0.3, 0.2, 1000)),
        (event(Action.CLICK, 2), clicked, (0.5, 0.3, 0.2, 750)),  # the same three levels
        (event(Action.CLICK, 3), clicked, (0.5, 0.3, 0.2, 0)),  # below the threshold
        (event(Action.ENTER_DETAIL, 1), clicked, (0.5, 0, 0, 0)),  # the right item, another type
        (event(Action.CLICK, 7), event(Action.CLICK, 7), (0.5, 0.3, 0.2, 1000)),  # itself, without labels
        (event(Action.ENTER_DETAIL, 1), event(Action.ENTER_DETAIL, 1), (0.5, 0.3, 0.2, 1000)),
        (event(Action.SCROLL_DOWN), event(Action.SCROLL_DOWN), (0.5, 0.3, 0, 0)),
        (event(Action.TERMINATE), event(Action.TERMINATE), (0.5, 0.3, 0, 0)),
    ]
    for answer, recorded, parts in table:
        assert reward(answer, recorded, Items()) == StepRewardParts(*parts, sum(parts)), (answer, recorded)


@pytest.mark.parametrize("action", [Action.ENTER_DETAIL, Action.ADD_TO_CART, Action.PURCHASE])
def test_shop_r1_pays_no_value_off_the_feed_where_there_is_no_target_to_choose(action: Action) -> None:
    step = event(action, 1, Page.PREVIEW)
    assert ShopR1Reward()(step, step, Items()) == StepRewardParts(0.5, 0.3, 0, 0, 0.8)


def test_shop_r1_options() -> None:
    recorded = event(Action.CLICK, 1)
    by_title = ShopR1Reward(similarity="rouge_l")
    assert by_title(event(Action.CLICK, 1), recorded, Items()).value == 1000
    assert by_title(event(Action.CLICK, 2), recorded, Items()).value == pytest.approx(1000 * 5 / 6)
    assert by_title(event(Action.CLICK, 3), recorded, Items()).value == 0
    assert ShopR1Reward(dars=1)(event(Action.CLICK, 2), recorded, Items()).value == 0.75
    assert ShopR1Reward(threshold=0.5)(event(Action.CLICK, 3), recorded, Items()).value == 500


def test_customer_r1_table() -> None:
    reward, clicked = CustomerR1Reward(), event(Action.CLICK, 1)
    table = [
        (UNREAD, clicked, 0, 0),
        (clicked, clicked, 1, 1000),
        (event(Action.CLICK, 2), clicked, 1, -1),
        (MISSED, clicked, 1, -1),
        (event(Action.TERMINATE), clicked, 1, 0),
        (event(Action.PURCHASE, 1, Page.DETAIL), event(Action.PURCHASE, 1, Page.DETAIL), 1, 1000),
        (event(Action.SCROLL_DOWN), event(Action.SCROLL_DOWN), 1, 1),
        (event(Action.TERMINATE), event(Action.TERMINATE), 1, 1),
    ]
    for answer, recorded, form, value in table:
        assert reward(answer, recorded, Items()) == StepRewardParts(form, 0, 0, value, form + value)
    assert CustomerR1Reward(wrong_click=0)(event(Action.CLICK, 2), clicked, Items()).value == 0


def test_exact_match_is_of_effect_and_item() -> None:
    clicked = event(Action.CLICK, 1)
    assert exact_match(clicked, clicked._replace(point=(0.1, 0.2), step=7))
    assert not exact_match(event(Action.CLICK, 2), clicked)
    assert not exact_match(event(Action.ENTER_DETAIL, 1), clicked)
    # A tap on the cart button is an add_to_cart.
    tap = Event(0, Page.DETAIL, 0, Action.CLICK, Action.ADD_TO_CART, 1)
    assert exact_match(tap, event(Action.ADD_TO_CART, 1, Page.DETAIL))


def test_rouge_l() -> None:
    assert rouge_l("the cat sat", "the cat sat") == 1
    assert rouge_l("The cat sat", "a cat SAT down") == pytest.approx(2 * 2 / 7)
    assert rouge_l("红色连衣裙", "蓝色连衣裙") == pytest.approx(0.8)
    assert rouge_l("a b c d", "d c b a") == pytest.approx(0.25)
    assert rouge_l("", "") == 1
    assert rouge_l("", "dress") == 0


@given(st.text("ab 红", max_size=12), st.text("ab 红", max_size=12))
def test_rouge_l_is_symmetric_and_bounded(x: str, y: str) -> None:
    assert 0 <= rouge_l(x, y) == rouge_l(y, x) <= 1
    assert rouge_l(x, x) == 1
