"""Crystals, clause by clause: what a step did, in the order in which it happened."""

from plyscribe.domain.effects import Moved, Rolled, Step, Withdrew
from plyscribe.domain.proofs.playthrough import format_effect, take_step
from plyscribe.domain.rulesets.crystals_v1 import CRYSTALS_V1
from plyscribe.domain.rulesets.crystals_v1.state import State
from plyscribe.service.language.sentences import describe_effects
from tests.domain.crystals import play, position


def happenings(state: State, step: str | int | Step) -> list[str]:
    """The effects of a move, a roll or another step as in a transcript."""
    if isinstance(step, str):
        step = Moved(CRYSTALS_V1.parse_move(state, step))
    elif isinstance(step, int):
        step = Rolled((step,))
    effects = CRYSTALS_V1.effects(state, step, take_step(CRYSTALS_V1, state, step))
    return [format_effect(effect).removeprefix("= ") for effect in effects]


def test_cr8_a_character_that_comes_home_takes_a_crystal_and_uses_its_ability() -> None:
    state = position("1s . . . . . . . . .\n2s . . . . . . . . 1m", roll=1, crystals=(1, 0))
    assert happenings(state, "move miner") == [
        "came-home CR8* seat 1 piece miner from 20",
        "scored CR8 seat 1 amount 1 word second",
        "mined CR18 seat 1 to 20",
        "turn-began CR14 owner 2 word next",
    ]


def test_cr16_an_archer_kills_until_it_meets_one_that_is_covered_and_then_goes_on() -> None:
    drawing = "1m 1a . . 3m 2s 2m 2t . .\n2r . . . . . . . . .\n3s . . . . . . . . ."
    state = position(drawing, roll=2, xp={"1a": 5}, teleport=9)
    assert happenings(state, "move archer") == [
        "moved CR7* seat 1 piece archer from 2 to 4",
        "killed-from-afar CR16 seat 1 owner 3 piece miner from 5 word archer",
        "earned CR16 owner 1 amount 1",
        "attacked-from-afar CR16 seat 1 owner 2 piece scout to 6 word archer",
    ]
    state = play(state, "move archer")
    assert happenings(state, 1) == [
        "rolled CR12 seat 2 amount 1 word defence",
        "saved CR12 owner 2 piece scout to 6",
        "earned CR12 owner 2 amount 1",
        "attacked-from-afar CR16 seat 1 owner 2 piece miner to 7 word archer",
    ]
    assert happenings(play(state, 1), 6)[1:] == [
        "killed-from-afar CR16 seat 1 owner 2 piece miner from 7 word archer",
        "earned CR16 owner 1 amount 1",
    ]


def test_cr20_the_limit_calls_an_attack_off_and_takes_points_away() -> None:
    drawing = "1m 1a . . 2m 2s . 2t . .\n2r . . . . . . . . ."
    state = position(drawing, roll=3, xp={"1a": 2}, teleport=9, ply_limit=101)
    assert happenings(state, "move archer")[:6] == [
        "moved CR7* seat 1 piece archer from 2 to 5",
        "attacked CR11 seat 1 owner 2 piece miner to 5 word archer",
        "called-off CR20 seat 1 owner 2 to 5",
        "ended CR20 word ply-limit",
        "ranked CR20 owner 1 amount 1",
        "ranked CR20 owner 2 amount 2",
    ]
    state = position("1m 1s 2s . . . . . . .\n2t . . . . . . . . .", roll=1, ply_limit=101)
    assert "lost CR20 owner 1 amount 1" in happenings(state, "move scout")


def test_cr21_an_attack_on_a_seat_that_leaves_is_called_off_and_the_attacker_goes_on() -> None:
    drawing = "1m 1a . 2m 3m 2t . . . .\n2s . . . . . . . . .\n3s . . . . . . . . ."
    state = play(position(drawing, roll=2, teleport=9), "move archer")
    assert happenings(state, Withdrew(2))[4:] == [
        "called-off CR21 seat 1 owner 2 to 4",
        "killed-from-afar CR16 seat 1 owner 3 piece miner from 5 word archer",
        "earned CR16 owner 1 amount 1",
    ]


def test_a_move_that_kills_says_whom_in_both_languages() -> None:
    state = position("1m . . . . . 1r . . .\n2s 2a . . . . . . . .", roll=6, teleport=9)
    step = Moved(CRYSTALS_V1.parse_move(state, "move rider"))
    effects = CRYSTALS_V1.effects(state, step, take_step(CRYSTALS_V1, state, step))
    names = {1: "Ann", 2: "Ben"}
    assert describe_effects(CRYSTALS_V1, effects, "en", names) == [
        "Ann moves the rider from 7 to 13.",
        "From afar, Ann's rider kills Ben's archer on 12, which returns to its base.",
        "Ann earns a point of experience.",
    ]
    assert describe_effects(CRYSTALS_V1, effects, "de", names) == [
        "Ann zieht den Reiter von 7 nach 13.",
        "Aus der Ferne schlägt der Reiter von Ann den Bogenschützen von Ben auf 12: Er kehrt in die Basis zurück.",
        "Ann erhält einen Erfahrungspunkt.",
    ]
