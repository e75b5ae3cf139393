"""Zhen, clause by clause: each test name begins with the clause that it holds.

A line is drawn as `goal of seat 1 | tiles | goal of seat 2`, each cube as the number of its seat.
"""

import json
import re
from pathlib import Path
from random import Random

import pytest

from plyscribe.domain.errors import BadNotation, IllegalMove
from plyscribe.domain.ruleset import Decision, Over
from plyscribe.domain.rulesets.zhen_v1 import ZHEN_V1, Setup, State, lay_track
from tests.domain.rules import Rules

RULES = Rules(ZHEN_V1)
start, legal, refuse = RULES.start, RULES.legal, RULES.refuse
DOCS = (Path(__file__).parents[2] / "docs/rulesets/zhen.md").read_text()


def play(state: State, moves: str) -> State:
    return RULES.play(state, *moves.split())


def position(
    drawing: str, seat: int = 1, *, reserve: int = 0, reserve_other: int = 0, before: str = "", ply_limit: int = 200
) -> State:
    """The state that the drawing shows, with `seat` on turn; `reserve` is its own."""
    setup = Setup(lay_track(len(drawing.replace("|", "").split()) - 2), ply_limit)
    return State(setup, 99 + seat, _parse(drawing), _parse(before) if before else None, reserve, reserve_other, None)


def _parse(drawing: str) -> int:
    places = drawing.replace("|", "").split()
    return sum(cubes.count("1") + 32 * cubes.count("2") << 10 * place for place, cubes in enumerate(places))


def draw(state: State) -> str:
    view = ZHEN_V1.view(state)
    goal, *tiles, other = [
        "1" * one + "2" * two or "." for one, two in [view["goals"][0], *view["tiles"], view["goals"][1]]
    ]
    return f"{goal} | {' '.join(tiles)} | {other}"


# ---- board


def test_zh1_seat_1_plays_first_moves_down_and_alternates_with_seat_2_that_moves_up() -> None:
    assert [ZHEN_V1.turn(play(start(), moves)) for moves in ("", "+1", "+1 +2")] == list(map(Decision, (1, 2, 1)))
    state = play(position(". | . . 1 2 . | .", reserve=1, reserve_other=1), "3-2 4-5")
    assert draw(state) == ". | . 1 . . 2 | ."


def test_zh1_the_goals_lie_beyond_the_first_and_the_last_tile() -> None:
    drawing = ". | 12 . . 12 | ."
    assert draw(play(position(drawing), "1-goal")) == "12 | . . . 12 | ."
    assert draw(play(position(drawing, seat=2, reserve_other=1), "4-goal")) == ". | 12 . . . | 12"


# ---- turn


@pytest.mark.parametrize(
    ("seat", "before", "move", "after"),
    [
        (1, ". | . . 11222 . . . | .", "3-1", ". | 11222 . . . . . | ."),
        (2, ". | . . 11222 . . . | .", "3-6", ". | . . . . . 11222 | ."),
        (1, ". | 12 1 . . | .", "2-1", ". | 112 . . . | ."),  # it joins what lies there
    ],
)
def test_zh2_all_cubes_of_a_tile_move_by_the_number_of_own_cubes(seat: int, before: str, move: str, after: str) -> None:
    assert draw(play(position(before, seat, reserve_other=1), move)) == after


@pytest.mark.parametrize(
    ("drawing", "texts"),
    [(". | . 2 . 1 | .", ["2-1", "3-2"]), (". | . . . 11 . . | .", ["4-1", "4-3", "4-4", "4-6", "4-goal"])],
)
def test_zh2_only_tiles_with_own_cubes_are_moved_and_by_no_other_distance_or_direction(drawing, texts):
    for text in texts:
        refuse(position(drawing), text, "ZH2")
    assert legal(position(". | . . . 11 . . | .")) == ["4-2"]


def test_zh3_a_goal_is_entered_by_the_exact_number_of_steps_with_an_enemy_cube_and_never_left() -> None:
    assert draw(play(position(". | . 112 . . | .", reserve_other=1), "2-goal")) == "112 | . . . . | ."
    assert draw(play(position(". | . . 122 . | .", seat=2, reserve_other=1), "3-goal")) == ". | . . . . | 122"
    state = play(position(". | 12 . 1 . | 12", reserve=1, reserve_other=2), "1-goal +2 3-2 +4")
    assert draw(state) == "12 | . 12 . 2 | 12"


@pytest.mark.parametrize(
    ("drawing", "seat", "texts"),
    [
        (". | . 11 . 1 | .", 1, ["2-goal"]),
        (". | 2 . 22 . | .", 2, ["3-goal"]),
        (". | . 1112 . 1 | .", 1, ["2-goal", "2-1"]),  # nor are they overshot
        (". | 1 . 1 . | .", 1, ["1-goal", "1-2", "1-3"]),  # whatever the target
    ],
)
def test_zh3_own_cubes_alone_do_not_enter_the_goal(drawing: str, seat: int, texts: list[str]) -> None:
    for text in texts:
        refuse(position(drawing, seat), text, "ZH3")


def test_zh4_a_cube_of_the_reserve_is_put_on_an_empty_tile() -> None:
    state = play(start(tiles=4), "+2 +4")
    assert draw(state) == ". | . 1 . 2 | ."
    assert ZHEN_V1.view(state)["reserve"] == [9, 9]


@pytest.mark.parametrize(("reserve", "texts"), [(1, ["+1", "+2", "+3"]), (0, ["+4"])])
def test_zh4_no_cube_is_put_on_a_tile_with_cubes_or_from_an_empty_reserve(reserve: int, texts: list[str]) -> None:
    for text in texts:
        refuse(position(". | 1 2 12 . | .", reserve=reserve, reserve_other=5), text, "ZH4")


def test_zh5_a_move_may_not_undo_the_enemys_last_move() -> None:
    state = play(position(". | . 12 . 1 | .", reserve=1, reserve_other=1), "2-1")
    for text in ("1-2", "1-3"):
        refuse(state, text, "ZH5")
    # The goals are compared as well.
    assert "2-1" in legal(position("2 | . 12 . . | .", before=". | 12 . . . | 2", seat=1))
    refuse(position("2 | . 12 . . | .", before="2 | 12 . . . | ."), "2-1", "ZH5")


def test_zh5_a_situation_from_further_back_may_return_and_after_a_put_any_move_is_free() -> None:
    drawing = ". | . . 12 . . 12 . . 12 . | ."
    assert draw(play(position(drawing), "3-2 6-7 9-8 2-3 7-6 8-9")) == drawing
    state = play(position(". | . . 12 . | .", reserve=1, reserve_other=1), "3-2 +4 +3")
    assert "2-3" in legal(state)


def test_zh6_a_seat_must_act_if_it_can() -> None:
    state = position(". | . . 1 . | .")
    assert legal(state) == ["3-2"]
    assert ZHEN_V1.turn(state) == Decision(1)


# ---- end


@pytest.mark.parametrize("ply_limit", [200, 101])
def test_zh7_a_blocked_seat_ends_the_match_and_its_opponent_collects_the_tiles(ply_limit: int) -> None:
    state = play(position("2 | . 11 . 22 | .", reserve=3, ply_limit=ply_limit), "+1")
    assert (ZHEN_V1.turn(state), legal(state)) == (Over("blocked", (1, 2)), [])
    assert draw(state) == "111222 | . . . . | ."
    view = ZHEN_V1.view(state)
    assert view["reserve"] == [2, 0]
    assert view["before"] == {"tiles": [[0, 0], [2, 0], [0, 0], [0, 2]], "goals": [[0, 1], [0, 0]]}


@pytest.mark.parametrize(
    ("before", "fields", "move", "ranks"),
    [
        (". | . 1 1 22 | .", {"reserve": 1, "reserve_other": 7}, "+1", (1, 2)),  # a reserve, but no empty tile
        (". | 11 . . 2 | 1", {"seat": 2, "reserve": 2}, "+3", (2, 1)),
        (". | . 12 11 22 | .", {"reserve": 1}, "2-1", (1, 2)),  # it could only undo
    ],
)
def test_zh7_a_seat_is_blocked_with_a_reserve_too_and_where_it_could_only_undo(before, fields, move, ranks):
    state = play(position(before, **fields), move)
    assert ZHEN_V1.turn(state) == Over("blocked", ranks)
    if "seat" in fields:
        assert draw(state) == ". | . . . . | 11122"


def test_zh8_only_enemy_cubes_in_the_own_goal_count_and_equal_numbers_are_a_draw() -> None:
    assert ZHEN_V1.standing(position("1111 | . . . . | 12")) == (2, 1)
    assert ZHEN_V1.standing(position("122 | . . . . | 12222")) == (1, 2)
    for drawing, ranks in (("2 | . 11 . . | 1", (1, 1)), (". | . 11 . . | 1", (2, 1))):
        assert ZHEN_V1.turn(play(position(drawing, reserve=3), "+1")) == Over("blocked", ranks)


def test_zh9_at_the_ply_limit_goals_are_counted_nothing_is_collected_and_without_one_the_match_goes_on() -> None:
    state = play(position("2 | . . 1 2 . | .", reserve=3, reserve_other=1, ply_limit=101), "3-2")
    assert ZHEN_V1.turn(state) == Over("ply-limit", (1, 2))
    assert draw(state) == "2 | . 1 . 2 . | ."
    assert ZHEN_V1.turn(play(start(ply_limit=1), "+1")) == Over("ply-limit", (1, 1))
    state = play(start(ply_limit=None, tiles=7), "+3 +6 +5 +1 5-4 1-2 4-3 2-3")
    assert isinstance(ZHEN_V1.turn(state), Decision)
    assert state.setup.ply_limit is None


# ---- refusals


def test_zh2_the_move_that_a_refusal_advises_is_legal() -> None:
    state, random, advised = start(tiles=6, cubes=6), Random(5), 0
    for _ in range(400):
        if isinstance(ZHEN_V1.turn(state), Over):
            state = start(tiles=6, cubes=6)
        for text in state.setup.track.spelled:
            try:
                ZHEN_V1.parse_move(state, text)
            except IllegalMove as refused:
                if advice := re.search(r"Enter (.+)\.$", str(refused)):
                    assert advice[1] in legal(state)
                    advised += 1
        state = ZHEN_V1.apply_move(state, ZHEN_V1.sample_move(state, random.randrange))
    assert advised


def test_zh4_an_empty_reserve_is_named_before_a_tile_that_is_not_empty() -> None:
    with pytest.raises(IllegalMove, match="ZH4, the reserve is empty"):
        ZHEN_V1.parse_move(position(". | 1 . 1 . | ."), "+1")


# ---- options, notation, view


BAD_NOTATIONS = ["", "5", "+", "+0", "+05", "+11", "5-", "-5", "5-03", "0-1", "5-11", "5-3-1", "5--3", "goal", "2-Goal"]
BAD_NOTATIONS += ["goal-2", "+goal", "2-goal ", " +5", "+5\n", "+ 5", "+５", "²-1", "5–3", "\x00", "+5\x00", "\ud800"]
BAD_NOTATIONS += ["+" + "1" * 100_000, "-" * 100_000]


@pytest.mark.parametrize("text", BAD_NOTATIONS, ids=lambda text: ascii(text[:9]))
@pytest.mark.parametrize("over", [False, True])
def test_what_the_grammar_does_not_know_is_bad_notation(text: str, over: bool) -> None:
    with pytest.raises(BadNotation):
        ZHEN_V1.parse_move(ZHEN_V1.withdraw(start(), 1) if over else start(), text)


def test_puts_moves_and_goals_are_listed_by_tile() -> None:
    state = position(". | 12 . 11 2 1 . | .", reserve=1, before=". | . . . . . . | .")
    assert legal(state) == ["1-goal", "+2", "3-1", "5-4", "+6"]
    assert legal(state, "+") == ["+2", "+6"]
    assert legal(state, "1-g") == ["1-goal"]


def test_every_legal_move_is_sampled_alike() -> None:
    RULES.require_sampled_alike(position(". | 12 . 11 2 1 . | .", reserve=1), 400)


@pytest.mark.parametrize("text", ["+1", "1-2", "2-goal"])
def test_readable_moves_after_the_end_name_the_clause_of_the_end(text: str) -> None:
    blocked = play(position("2 | . 11 . 22 | .", reserve=3), "+1")
    limited = play(start(ply_limit=1), "+1")
    for over, clause in ((blocked, "ZH7"), (limited, "ZH9"), (ZHEN_V1.withdraw(start(), 1), "ZH7")):
        assert legal(over) == []
        with pytest.raises(IllegalMove, match="the match is over") as refused:
            ZHEN_V1.parse_move(over, text)
        assert refused.value.clause == clause


def test_the_view_has_exactly_these_keys() -> None:
    assert ZHEN_V1.view(start(tiles=4)) == {
        "ruleset": "zhen",
        "ply": 0,
        "left": [],
        "tiles": [[0, 0], [0, 0], [0, 0], [0, 0]],
        "goals": [[0, 0], [0, 0]],
        "reserve": [10, 10],
        "before": None,
    }


def test_the_view_tells_the_reserves_by_seat_whoever_is_on_turn() -> None:
    assert ZHEN_V1.view(play(start(), "+1"))["reserve"] == [9, 10]
    assert ZHEN_V1.view(play(start(), "+1 +2 +3"))["reserve"] == [8, 9]


@pytest.mark.parametrize(("seat", "ranks"), [(1, (2, 1)), (2, (1, 2))])
def test_a_seat_that_withdraws_loses_and_nothing_is_collected(seat: int, ranks: tuple[int, ...]) -> None:
    played = play(start(), "+1 +2")
    state = ZHEN_V1.withdraw(played, seat)
    assert ZHEN_V1.turn(state) == Over("withdrawal", ranks)
    assert ZHEN_V1.view(state) == {**ZHEN_V1.view(played), "left": [seat]}


def test_evaluate_counts_captured_cubes_threats_and_choices() -> None:
    state = position("2 | . 1122 . . | .")
    assert ZHEN_V1.evaluate(state, 1) == -ZHEN_V1.evaluate(state, 2) == 100 + 30 * 2 + 1 - 1
    assert ZHEN_V1.evaluate(ZHEN_V1.withdraw(state, 1), 1) == -1_000_000


def test_the_drawing_shows_places_and_reserves() -> None:
    state = position("2 | . 1122 . . | .", reserve=3)
    assert ZHEN_V1.render_text(state).splitlines() == [
        "tile   goal   1   2   3   4 goal",
        "seat 1    .   .   2   .   .    .   <",
        "seat 2    1   .   2   .   .    .   >",
        "",
        "Reserve: 3 of seat 1, 0 of seat 2.",
    ]


def test_the_widest_drawing_fits_the_page() -> None:
    assert max(map(len, ZHEN_V1.render_text(start(tiles=20, cubes=30)).splitlines())) <= 100


# ---- documentation


def test_the_view_in_the_documentation_is_true() -> None:
    example = json.loads(re.findall(r"```json\n(.*?)```", DOCS, re.DOTALL)[0])
    assert ZHEN_V1.view(play(start(tiles=4, cubes=3), "+2 +1 2-1")) == example
