"""Rings, whole matches: what holds after every step of random ones, what is drawn, and how the greedy bot plays."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from plyscribe.domain.bots import Bot, make_bot
from plyscribe.domain.ruleset import Over, Roll
from plyscribe.domain.rulesets.rings_v1 import RINGS_V1
from plyscribe.domain.rulesets.rings_v1.state import State
from tests.domain.rings_tables import ALLIES, draw, legal, play, start, table, turn

CAPACITY = {"a": 5, "b": 4, "c": 3, "d": 2, "t": 1, "s": 9}
GROUND = {"runner": "LMH", "warrior": "LM", "blocker": "L"}
UNITS = {"runner": 2, "warrior": 5, "blocker": 2}

EVERY_TABLE = pytest.mark.parametrize("seats", [2, 3, 4])
EVERY_OPTION = pytest.mark.parametrize(
    "options",
    [{"target": 9}, {"casualties": "out", "ply_limit": 300}, {"scoring": "countdown", "target": 15}],
    ids=["race", "out", "countdown"],
)


def walk(state: State, random: Random) -> Iterator[tuple[State, State]]:
    """Every step of a random match, now and then with a withdrawal, as the states before and after."""
    while not isinstance(awaited := turn(state), Over):
        if random.randrange(400) == 0:
            after = RINGS_V1.withdraw(state, random.choice(state.in_play))
        elif isinstance(awaited, Roll):
            after = RINGS_V1.apply_roll(state, tuple(random.randint(1, awaited.sides) for _ in range(awaited.count)))
        else:
            after = RINGS_V1.apply_move(state, RINGS_V1.sample_move(state, random.randrange))
        yield state, after
        state = after


@EVERY_TABLE
@EVERY_OPTION
def test_what_holds_after_every_step(seats: int, options: dict[str, Any]) -> None:
    random = Random(seats)
    for _ in range(4):
        for before, after in walk(start(seats, **options), random):
            old, new = RINGS_V1.view(before), RINGS_V1.view(after)
            check_units(old, new, options.get("casualties", "supply"), after.engaged is not None)
            check_places(new)
            assert all(now >= then for then, now in zip(old["points"], new["points"], strict=True))
            assert all(0 <= sum(dice.values()) <= 4 for dice in new["dice"])
            slots = [slot for slot in new["starts"] if slot]
            assert len(set(slots)) == len(slots)


def check_units(old: dict[str, Any], new: dict[str, Any], casualties: str, engaged: bool) -> None:
    """No unit comes from nowhere; none is lost but by a fight, a withdrawal or, for a moment, on its way to a pair."""
    for seat in range(1, len(new["supply"]) + 1):
        if seat in new["left"]:
            assert not any(count_units(new, seat).values())
        elif casualties == "out":
            assert all(number <= count_units(old, seat)[kind] + 1 for kind, number in count_units(new, seat).items())
            assert all(number <= UNITS[kind] for kind, number in count_units(new, seat).items())
        else:
            missing = Counter(UNITS) - count_units(new, seat)
            assert missing in (Counter(), Counter(warrior=1))
            assert engaged or not missing


def count_units(view: dict[str, Any], seat: int) -> Counter[str]:
    """The units of a seat on the board and in supply."""
    found = Counter(view["supply"][seat - 1])
    for units in view["units"].values():
        if units["seat"] == seat:
            found += Counter({kind: units[kind] for kind in UNITS})
    return found


def check_places(view: dict[str, Any]) -> None:
    """Nobody stands on ground or a START that it may not enter, and nowhere are too many."""
    if None in view["terrain"]:
        return
    assert Counter("".join(view["terrain"])) == {"L": 12, "M": 8, "H": 8}
    for field, units in view["units"].items():
        assert sum(units[kind] for kind in UNITS) <= CAPACITY[field[0]]
        if field[0] == "s":
            assert field == f"s{units['seat']}"
        elif field != "top":
            ground = view["terrain"]["abcd".index(field[0])][int(field[1]) - 1]
            assert all(ground in GROUND[kind] for kind in UNITS if units[kind])


def test_random_matches_have_pairs_alliances_and_points_in_them() -> None:
    wanted = {"engaged", "alliance", "declined", "points"}
    random, matches = Random(1), 0
    while wanted:
        matches += 1
        assert matches <= 40, f"no {wanted} in 40 matches"
        for _, after in walk(start(4, target=15), random):
            wanted -= {name for name in wanted if getattr(after, name) not in (None, False, (0, 0, 0, 0))}


@pytest.mark.parametrize(
    "state",
    [
        table("a3:1RWB s1:1W a2:2B b2:2R", dice="RMTT"),
        table("a4:1RW", dice="RMT", supply={1: ""}),
        table("", dice="MTT"),
        table(ALLIES, seats=3, dice="MTT"),
        play(table(ALLIES, seats=3), "M ally 3 b3xb4"),
        play(table("a1:1WW b2:1W a2:2B", dice="MMTT"), "M warrior a1-a2"),
        start(3, terrain=["LLLMMHH"] * 4),
    ],
    ids=["units", "no-supply", "no-units", "alliance", "answer", "second", "start"],
)
def test_every_legal_move_is_drawn_and_no_other(state: State) -> None:
    random = Random(5)
    drawn = {RINGS_V1.format_move(state, RINGS_V1.sample_move(state, random.randrange)) for _ in range(12_000)}
    assert drawn == set(legal(state))


# ---- the greedy bot


def match_of(bots: list[Bot], random: Random) -> Over:
    state = start(len(bots))
    while not isinstance(awaited := turn(state), Over):
        if isinstance(awaited, Roll):
            state = RINGS_V1.apply_roll(state, tuple(random.randint(1, awaited.sides) for _ in range(awaited.count)))
        else:
            state = RINGS_V1.apply_move(state, bots[awaited.seat - 1].choose_move(RINGS_V1, state))
    return awaited


@EVERY_TABLE
def test_greedy_beats_random_at_every_table(seats: int) -> None:
    for seed in range(2 * seats):
        mine = 1 + seed % seats
        bots = [make_bot("greedy" if seat == mine else "random", 10 * seed + seat) for seat in range(1, seats + 1)]
        assert match_of(bots, Random(seed)).ranks[mine - 1] == 1


def chosen(state: State) -> str:
    return RINGS_V1.format_move(state, make_bot("greedy", 1).choose_move(RINGS_V1, state))


def test_greedy_heads_for_top_holds_it_and_fights_or_allies_against_what_stands_there() -> None:
    assert chosen(table("c1:1R", dice="M")) == "M runner c1-top"
    assert chosen(table("top:1W a1:1W", dice="M")).startswith("M warrior a1")
    assert chosen(table("d1:1W c2:1R top:2R", dice="M")) == "M warrior d1-top"
    state = table("d1:1W d2:1W top:2B", dice="MM")
    assert chosen(state).endswith("-top")
    assert draw(play(state, chosen(state), chosen(play(state, chosen(state))))) in ("top:1W", "d1:1W", "d2:1W")
    state = table("d1:1W top:2B d2:3W", seats=3, dice="M")
    assert chosen(state) == "M ally 3 d1xtop"
    assert chosen(play(state, chosen(state))) == "accept d2"


def test_evaluate_counts_points_first_and_outcomes_before_all() -> None:
    ahead, behind = table(points=(3, 0)), table("top:1R", points=(2, 0))
    assert RINGS_V1.evaluate(ahead, 1) > RINGS_V1.evaluate(behind, 1) > RINGS_V1.evaluate(behind, 2)
    assert RINGS_V1.evaluate(RINGS_V1.withdraw(ahead, 2), 1) == 1_000_000
