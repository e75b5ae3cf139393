"""Committed dice: the written recipe, its golden vectors, and values without bias."""

import hmac
import json
import re
from collections import Counter
from itertools import islice
from pathlib import Path
from struct import unpack

import pytest

from plyscribe.domain.chain import canonical_json
from plyscribe.domain.dice import WORDS, commit, derive_secret, pick_values, roll_dice

SECRET = derive_secret(b"k" * 32, "match-x")
VERIFICATION = (Path(__file__).parents[2] / "docs" / "verification.md").read_text(encoding="utf-8")
GOLDEN = json.loads(re.search(r"```json\n(.+?)```", VERIFICATION, re.DOTALL)[1])


# Chi-square of uniform values exceeds these once in a thousand times; by sides.
CRITICAL = {6: 20.52, 8: 24.32, 210: 278.0}
CRITICAL_PAIRS = 66.62


def test_the_golden_vector_has_our_secret_and_commitment():
    secret = derive_secret(bytes.fromhex(GOLDEN["server_key"]), GOLDEN["dice_id"])
    assert secret.hex() == GOLDEN["secret"]
    assert commit(secret) == GOLDEN["commitment"]


@pytest.mark.parametrize("roll", GOLDEN["rolls"], ids=lambda roll: f"{roll['count']}d{roll['sides']}")
def test_the_golden_vector_has_our_messages_words_and_values(roll):
    secret, words = bytes.fromhex(GOLDEN["secret"]), []
    for number, block in enumerate(roll["blocks"]):
        asked = ["roll", GOLDEN["dice_id"], GOLDEN["entropies"], roll["roll_number"], number]
        assert canonical_json(asked).decode() == block["message"]
        assert list(unpack(">8I", hmac.digest(secret, block["message"].encode(), "sha256"))) == block["words"]
        words += block["words"]
    fair = [word for word in words if word < roll["fair_below"]]
    assert [word % roll["sides"] + 1 for word in fair[: roll["count"]]] == roll["values"]
    given = (GOLDEN["dice_id"], GOLDEN["entropies"], roll["roll_number"], roll["sides"], roll["count"])
    assert list(roll_dice(secret, *given)) == roll["values"]


def test_the_golden_vector_takes_a_second_block_and_passes_words_over():
    last = GOLDEN["rolls"][-1]
    assert len(last["blocks"]) == 2
    assert any(word >= last["fair_below"] for word in last["blocks"][0]["words"])


@pytest.mark.parametrize("bits", [4, 5, 8])
@pytest.mark.parametrize("sides", [1, 2, 3, 5, 6, 7, 15, 16])
def test_of_all_words_each_value_comes_equally_often(monkeypatch, bits, sides):
    monkeypatch.setattr("plyscribe.domain.dice.WORDS", 2**bits)
    counts = Counter(pick_values(range(2**bits), sides))
    assert counts == dict.fromkeys(range(1, sides + 1), 2**bits // sides)


@pytest.mark.parametrize("sides", [0, -1, WORDS + 1])
def test_dice_that_no_word_can_show_are_refused(sides):
    with pytest.raises(ValueError, match="sides"):
        roll_dice(SECRET, "match-x", [None], 1, sides, 1)


@pytest.mark.parametrize("sides", CRITICAL)
def test_rolls_are_uniform(sides):
    require_uniform(sides, 20_000)


@pytest.mark.long
@pytest.mark.parametrize("sides", CRITICAL)
def test_a_million_rolls_are_uniform(sides):
    require_uniform(sides, 1_000_000)


def test_pairs_of_values_are_uniform():
    values = roll_dice(SECRET, "match-x", [None], 1, 6, 72_000)
    pairs = Counter(zip(islice(values, 0, None, 2), islice(values, 1, None, 2), strict=True))
    assert chi_square(pairs, 36, 36_000) < CRITICAL_PAIRS


def require_uniform(sides: int, rolls: int) -> None:
    """As a match rolls them: one die at a time, each roll with its own number."""
    rolled = (roll_dice(SECRET, "match-x", ["salt", None], number, sides, 1) for number in range(1, rolls + 1))
    counts = Counter(value for (value,) in rolled)
    assert set(counts) == set(range(1, sides + 1))
    assert chi_square(counts, sides, rolls) < CRITICAL[sides]


def chi_square(counts: Counter, cells: int, draws: int) -> float:
    expected = draws / cells
    return sum((seen - expected) ** 2 for seen in counts.values()) / expected + (cells - len(counts)) * expected


@pytest.mark.parametrize("changed", [{"roll_number": 2}, {"entropies": ["x"]}, {"dice_id": "match-y"}, {"secret": b""}])
def test_every_argument_changes_the_dice(changed):
    given = {"secret": SECRET, "dice_id": "match-x", "entropies": [None], "roll_number": 1, "sides": 2**31, "count": 4}
    assert roll_dice(**given) != roll_dice(**{**given, **changed})
