"""Crystals: ranks and withdrawals, CR20 and CR21; what holds in every match, and what positions are worth."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plyscribe.domain.bots import make_bot
from plyscribe.domain.effects import Withdrew
from plyscribe.domain.proofs.playthrough import format_effect
from plyscribe.domain.ruleset import Decision, Over
from plyscribe.domain.rulesets.crystals_v1 import CRYSTALS_V1
from plyscribe.domain.rulesets.crystals_v1.state import State
from tests.domain.crystals import begun, is_over, legal, play, play_on, position, require_board, roll_for, start

turn, withdraw = CRYSTALS_V1.turn, CRYSTALS_V1.withdraw

FOUR = """
1s . . . . . . . . .
2s . . . . . . . . .
3s . . . . . . . . .
4s . . . . . . . . .
"""


def view(state: State) -> dict[str, Any]:
    return CRYSTALS_V1.view(state)


# ---- ranks


def test_cr20_standing_goes_by_crystals_then_by_total_experience() -> None:
    state = position(FOUR, crystals=(1, 2, 1, 1), xp={"1s": 3, "3t": 2, "3m": 2, "4s": 2})
    assert CRYSTALS_V1.standing(state) == (2, 1, 2, 4)
    assert CRYSTALS_V1.standing(begun(3)) == (1, 1, 1)
    assert CRYSTALS_V1.standing(play(start(3), "choose rider")) == (1, 1, 1), "an attacker not yet chosen counts one"


def test_cr20_the_winner_is_first_though_others_have_more_crystals() -> None:
    state = position(
        "1m 1s 2s . . . . . . .\n2t . . . . . . . . .\n3s . . . . . . . . .",
        roll=1,
        crystals=(0, 1, 2),
        xp={"1s": 5, "1r": 5, "1t": 5, "1m": 4},
    )
    assert is_over(play(state, "move scout", "xp miner"), "experience", 1, 3, 2)


def test_cr20_the_ply_limit_ends_a_match_by_standing_unless_another_end_goes_before() -> None:
    state = position(FOUR, crystals=(0, 1, 0, 0), xp={"4s": 2}, roll=3, ply_limit=101)
    state = play(state, "move scout")
    assert is_over(state, "ply-limit", 3, 1, 3, 2)
    assert (view(state)["phase"], view(state)["roll"], legal(state)) == ("over", None, [])
    state = position("1m . . . . . . .\n2s . . . . . . 1s", roll=1, crystals=(2, 0), ply_limit=101)
    assert is_over(play(state, "move scout"), "crystals", 1, 2)


def test_cr20_the_ply_limit_drops_a_defence_roll_and_experience() -> None:
    state = position("1s . . 2m . 2t . . . .\n2s . . . . . . . . .", roll=3, ply_limit=101)
    state = play(state, "move scout")
    assert is_over(state, "ply-limit", 1, 1)
    require_board(state, "1s . . 2m . 2t . . . .\n2s . . . . . . . . .")
    assert view(state)["attack"] is None
    state = play(position("1s . 2m . . . . .\n2s . . . . . . .", roll=2, ply_limit=101), "move scout")
    assert (view(state)["due"], view(state)["extra"]) == ([0, 0], False)


# ---- withdrawal


def test_cr21_characters_and_mines_go_and_crystals_and_experience_stay() -> None:
    drawing = "1s . . *1 . . . . . .\n2s . . . . . . . . .\n3s . . . . . 1t . . ."
    state = withdraw(position(drawing, seat=2, crystals=(2, 0, 0), xp={"1t": 3}), 1)
    require_board(state, ". . . . . . . . . .\n2s . . . . . . . . .\n3s . . . . . . . . .")
    assert (view(state)["left"], view(state)["crystals"]) == ([1], [2, 0, 0])
    assert view(state)["characters"][0]["tower"] == {"at": "base", "xp": 3, "level": 2}
    assert (view(state)["starts"], view(state)["teleports"]) == ([1, 11, 21], [6, 16, 26])


@pytest.mark.parametrize("roll", [0, 3, 6])
def test_cr21_the_turn_of_the_seat_on_turn_ends_at_once(roll: int) -> None:
    state = withdraw(position(FOUR, seat=2, roll=roll), 2)
    assert (turn(state), view(state)["extra"]) == (roll_for("turn", 3), False)


def test_cr21_a_seat_that_left_is_passed_over_and_its_start_keeps_its_meaning() -> None:
    state = withdraw(position(FOUR, seat=1, roll=3), 2)
    assert turn(state) == Decision(1)
    assert turn(play(state, "move scout", "spawn miner")) == roll_for("turn", 3)
    state = withdraw(position("1m . . . . . . . . 1s\n2s . . . . . . . . .\n3s . . . . . . . . .", roll=1), 2)
    assert view(play(state, "move scout"))["extra"] is False


def test_cr21_who_leaves_before_the_contest_is_out_of_it() -> None:
    state = withdraw(start(3), 1)
    assert (turn(state), view(state)["on_turn"], view(state)["contest"]) == (Decision(2), 2, ["out", None, None])
    state = play(state, "choose rider", "choose archer")
    assert (turn(state), view(state)["phase"]) == (Decision(2), "deploy")
    assert list(view(state)["characters"][0]) == ["scout", "miner", "tower"]
    state = play(state, "spawn scout", "spawn tower", 5, 4)
    assert turn(state) == roll_for("turn", 3)


@pytest.mark.parametrize(
    ("steps", "leaver", "expected"),
    [
        (["choose rider"] * 2, 3, Decision(1)),
        (["choose rider"] * 2, 1, Decision(3)),
        ([*["choose rider"] * 3, "spawn scout", "spawn scout"], 3, roll_for("first", 1)),
        ([*["choose rider"] * 3, "spawn scout"], 1, Decision(2)),
        ([*["choose rider"] * 3, *["spawn scout"] * 3], 1, roll_for("first", 2)),
        ([*["choose rider"] * 3, *["spawn scout"] * 3, 2, 1], 3, roll_for("turn", 2)),
        ([*["choose rider"] * 3, *["spawn scout"] * 3, 1, 2], 1, roll_for("first", 3)),
        ([*["choose rider"] * 3, *["spawn scout"] * 3, 1, 1, 2], 2, roll_for("turn", 1)),
        ([*["choose rider"] * 3, *["spawn scout"] * 3, 1, 1, 1, 3], 2, roll_for("first", 3)),
    ],
)
def test_cr21_a_seat_leaves_in_the_opening(steps: list[str | int], leaver: int, expected: object) -> None:
    assert turn(withdraw(play(start(3), *steps), leaver)) == expected


ATTACK = "1m . . 1s . 2m 2t . . .\n2s . . . . . . . . .\n3s . . . . . . . . ."


@pytest.mark.parametrize(
    ("leaver", "drawing", "then"),
    [
        (1, ". . . . . 2m 2t . . .\n2s . . . . . . . . .\n3s . . . . . . . . .", roll_for("turn", 2)),
        # The attack is void, and the attacker takes the field.
        (2, "1m . . . . 1s . . . .\n. . . . . . . . . .\n3s . . . . . . . . .", roll_for("turn", 1)),
        (3, "1m . . 1s . 2m 2t . . .\n2s . . . . . . . . .\n. . . . . . . . . .", roll_for("defence", 2)),
    ],
)
def test_cr21_an_attack_ends_when_the_attacking_or_the_attacked_seat_leaves(leaver, drawing, then):
    state = withdraw(play(position(ATTACK, roll=2, teleport=9, xp={"1s": 2}), "move scout"), leaver)
    require_board(state, drawing)
    assert (turn(state), view(state)["attack"] is None, view(state)["due"]) == (then, leaver != 3, [0, 0, 0])


def test_cr21_an_attack_on_a_seat_that_leaves_is_called_off_and_the_attacker_goes_on() -> None:
    drawing = "1m 1a . 2m 3m 2t . . . .\n2s . . . . . . . . .\n3s . . . . . . . . ."
    state = play(position(drawing, roll=2, teleport=9), "move archer")
    effects = CRYSTALS_V1.effects(state, Withdrew(2), withdraw(state, 2))
    assert [format_effect(effect).removeprefix("= ") for effect in effects][4:] == [
        "called-off CR21 seat 1 owner 2 to 4",
        "killed-from-afar CR16 seat 1 owner 3 piece miner from 5 word archer",
        "earned CR16 owner 1 amount 1",
    ]


def test_cr21_a_rider_or_archer_turns_to_its_next_target() -> None:
    drawing = "1m 1a . . 2s 3m 2m 2t 3t .\n2r . . . . . . . . .\n3s . . . . . . . . ."
    state = play(position(drawing, roll=2, xp={"1a": 5}, teleport=9), "move archer")
    state = withdraw(state, 2)
    assert (turn(state), view(state)["attack"]["target"]) == (roll_for("defence", 3), {"seat": 3, "class": "miner"})
    require_board(state, "1m . . 1a . 3m . . 3t .\n. . . . . . . . . .\n3s . . . . . . . . .")


def test_cr21_experience_due_to_others_is_still_given_out_when_the_seat_on_turn_leaves() -> None:
    drawing = "1m 1a . . 2s 3m 2m 2t 3t .\n2r . . . . . . . . .\n3s . . . . . . . . ."
    state = play(position(drawing, roll=2, xp={"1a": 5}, teleport=9), "move archer", 6, 1)
    assert view(state)["due"] == [1, 0, 1]
    state = withdraw(state, 1)
    assert (turn(state), view(state)["on_turn"], view(state)["due"]) == (Decision(3), 1, [0, 0, 1])
    state = play(state, "xp tower")
    assert (turn(state), view(state)["roll"]) == (roll_for("turn", 2), None)


def test_cr21_experience_due_to_a_seat_that_leaves_is_lost_and_so_is_its_extra_turn() -> None:
    state = play(position("1m 1r . . . . . *2 . .\n2s . . . . . . . . .\n3s . . . . . . . . .", roll=6), "move rider")
    assert turn(state) == Decision(2)
    state = play(withdraw(state, 1), "xp scout")
    assert (turn(state), view(state)["extra"]) == (roll_for("turn", 2), False)
    state = play(position("1m 1r . *2 . . . . . .\n2s . . . . . . . . .\n3s . . . . . . . . .", roll=2), "move rider")
    assert view(state)["due"] == [0, 1, 0]
    state = withdraw(state, 2)
    assert (turn(state), view(state)["due"]) == (roll_for("turn", 3), [0, 0, 0])


def test_cr21_a_start_that_becomes_empty_is_filled_at_the_next_check() -> None:
    state = withdraw(position("2m 1s . . . . . . . .\n2s . . . . . . . . .\n3s . . . . . . . . .", roll=3), 2)
    assert legal(state) == ["move scout"]
    assert view(play(state, "move scout"))["phase"] == "respawn"
    waiting = withdraw(position("2m 1s . . . . . . . .\n2s . . . . . . . . .\n3s . . . . . . . . ."), 2)
    assert turn(waiting) == roll_for("turn", 1)


def test_cr21_the_last_seat_in_play_wins_and_who_left_later_ranks_higher() -> None:
    state = withdraw(withdraw(position(FOUR, crystals=(0, 0, 2, 2)), 3), 4)
    assert CRYSTALS_V1.standing(state) == (1, 1, 4, 3)
    assert is_over(withdraw(state, 1), "withdrawal", 2, 1, 4, 3)


def test_an_agreed_end_drops_what_was_pending_and_leaves_the_board() -> None:
    state = play(position(ATTACK, roll=2, teleport=9), "move scout")
    ended = CRYSTALS_V1.end(state, Over("draw-agreed", (1, 1, 1)))
    require_board(ended, ATTACK)
    nothing = {"on_turn": None, "phase": "over", "roll": None, "extra": False, "due": [0, 0, 0], "attack": None}
    assert view(ended) == {**view(state), **nothing}


def test_a_match_that_ends_in_the_contest_shows_none() -> None:
    state = play(start(), "choose rider", "choose rider", "spawn scout", "spawn scout", 3)
    assert view(state)["contest"] == [3, None]
    assert view(withdraw(state, 1))["contest"] is None


# ---- every match


def check_state(state: State, seats: int) -> None:
    shown = view(state)
    own = [character for seat in shown["characters"] for character in seat.values()]
    on_track = [character["at"] for character in own if character["at"] != "base"]
    mines = [field for fields in shown["mines"] for field in fields]
    taken = [*on_track, *mines]
    assert len(set(taken)) == len(taken)
    assert not set(mines) & set(shown["starts"])
    assert set(taken) <= set(range(1, shown["fields"] + 1))
    assert all(len(fields) <= 4 for fields in shown["mines"])
    assert all((character["xp"], character["level"]) in {(1, 1), (2, 2), (3, 2), (4, 2), (5, 3)} for character in own)
    assert sum(shown["crystals"]) + shown["bank"] == 2 * seats + 1
    assert max(shown["crystals"]) <= 3
    assert min(shown["due"]) >= 0


@given(seats=st.integers(2, 4), section=st.integers(8, 20), teleport=st.integers(1, 19), random=st.randoms())
def test_fields_experience_mines_and_crystals_add_up_in_every_match(seats, section, teleport, random):
    state = start(seats, section=section, teleport=min(teleport, section - 1), ply_limit=150)
    while not isinstance(turn(state), Over):
        check_state(state, seats)
        if random.randrange(200) == 0:
            state = withdraw(state, random.choice([seat for seat in range(1, seats + 1) if seat not in state.left]))
        else:
            state = play_on(state, random)
    check_state(state, seats)


# ---- value


@pytest.mark.parametrize(
    ("roll", "best", "drawing"),
    [
        (2, "move scout", "1m . 1r . . . . . . .\n2s . . . . . . . 1s ."),  # home
        (2, "move rider", "1m . 1r . 2s . . . . .\n2m . . . . . . . . ."),  # a kill
        (5, "move scout", "1m . . . . . . . . .\n. . 2s . 1s . . . . ."),  # away from an enemy
        (5, "move scout", "1m . . 1s . . 1r . . .\n. . . . . . . . . 2s"),  # through the teleport
    ],
)
def test_greedy_goes_home_kills_flees_and_runs(roll: int, best: str, drawing: str) -> None:
    state = position(drawing, roll=roll, teleport=8)
    assert CRYSTALS_V1.format_move(state, make_bot("greedy", 1).choose_move(CRYSTALS_V1, state)) == best


@pytest.mark.parametrize(
    ("in_danger", "drawing"),
    [(True, "1m . . . . . . . . .\n2t . 2s . 1s . 1t . . ."), (False, "1m . . 1s . . 1t . . .\n2t . 2s . . . . . . .")],
)
def test_a_towers_level_is_worth_more_where_it_covers_who_is_in_danger(in_danger: bool, drawing: str) -> None:
    tower, miner = (CRYSTALS_V1.evaluate(position(drawing, xp={own: 5}), 1) for own in ("1t", "1m"))
    assert (tower > miner) is in_danger


def test_a_defence_that_is_awaited_counts_by_its_odds() -> None:
    values = []
    for xp in (1, 2, 5):
        state = play(position("1m 1s . 2m . 2t . . . .\n2s . . . . . . . . .", roll=2, xp={"2t": xp}), "move scout")
        saved, killed = (CRYSTALS_V1.evaluate(play(state, value), 1) for value in (1, 6))
        awaited = CRYSTALS_V1.evaluate(state, 1)
        assert saved < awaited < killed
        values.append((killed - awaited) / (killed - saved))
    assert values == pytest.approx([1 / 6, 2 / 6, 3 / 6], abs=0.01)


def test_an_ended_match_is_worth_its_ranks() -> None:
    over = withdraw(begun(2), 1)
    assert (CRYSTALS_V1.evaluate(over, 1), CRYSTALS_V1.evaluate(over, 2)) == (-1_000_000, 1_000_000)
