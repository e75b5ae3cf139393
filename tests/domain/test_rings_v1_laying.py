"""RI3 for people: terrain as it lies on the board, and the roll that stands for it."""

from random import Random

import pytest

from plyscribe.domain.errors import RollError
from plyscribe.domain.ruleset import Layout, Roll
from plyscribe.domain.rulesets import RULESETS
from plyscribe.domain.rulesets.rings_v1 import RINGS_V1

WORDS = {"H": "heavy", "M": "medium", "L": "light"}


def begin():
    return RINGS_V1.initial_state(RINGS_V1.parse_options({}), 2)


def lay(state, letters: str):
    """The position after terrain was laid as on the table."""
    layout = RINGS_V1.layout(state)
    laid = {place: WORDS[letter] for place, letter in zip(layout.places, letters, strict=True)}
    return RINGS_V1.apply_roll(state, RINGS_V1.read_layout(state, laid))


def test_thousands_of_boards_are_laid_as_they_were_clicked():
    rng = Random("terrain")
    for _ in range(2000):
        rings = ["".join(rng.sample("HHLLLMM", 7)) for _ in range(4)]
        state = begin()
        for letters in rings:
            state = lay(state, letters)
        assert RINGS_V1.view(state)["terrain"] == rings
        assert RINGS_V1.layout(state) is None


def test_each_value_of_the_roll_is_read_back_from_the_terrain_that_it_lays():
    for value in range(1, 211):
        letters = RINGS_V1.view(RINGS_V1.apply_roll(begin(), (value,)))["terrain"][0]
        laid = {f"a{slot}": WORDS[letter] for slot, letter in enumerate(letters, 1)}
        assert RINGS_V1.read_layout(begin(), laid) == (value,)


def test_the_rings_are_laid_from_the_outside_to_the_inside():
    state = begin()
    for ring in "abcd":
        kinds = {"heavy": 2, "medium": 2, "light": 3}
        assert RINGS_V1.layout(state) == Layout(tuple(f"{ring}{slot}" for slot in range(1, 8)), kinds)
        state = lay(state, "HHLLLMM")


RING = dict(zip((f"a{slot}" for slot in range(1, 8)), [WORDS[letter] for letter in "HHLLLMM"], strict=True))


@pytest.mark.parametrize(
    ("laid", "why"),
    [
        ({**RING, "a1": "light"}, "lie 2 heavy, 2 medium, 3 light"),
        ({**RING, "a1": "lava"}, "lie 2 heavy, 2 medium, 3 light"),
        ({**RING, "b1": "light"}, "on a1 a2 a3 a4 a5 a6 a7 lie"),
        (dict(list(RING.items())[:6]), "on a1 a2 a3 a4 a5 a6 a7 lie"),
        ({}, "on a1 a2 a3 a4 a5 a6 a7 lie"),
    ],
)
def test_terrain_that_no_ring_has_is_refused(laid, why):
    with pytest.raises(RollError, match=why):
        RINGS_V1.read_layout(begin(), laid)


def test_terrain_is_laid_only_while_it_is_due():
    state = begin()
    for _ in range(4):
        state = lay(state, "HHLLLMM")
    with pytest.raises(RollError, match="lay nothing on the board"):
        RINGS_V1.read_layout(state, RING)


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: f"{ruleset.id} {ruleset.version}")
def test_dice_that_lay_nothing_have_no_layout(ruleset):
    state = ruleset.initial_state(ruleset.parse_options({}), 2)
    turn = ruleset.turn(state)
    assert (ruleset.layout(state) is None) == (not isinstance(turn, Roll) or turn.purpose != "terrain")
    if ruleset.layout(state) is None:
        with pytest.raises(RollError):
            ruleset.read_layout(state, {"a1": "heavy"})
