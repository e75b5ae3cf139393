"""Committed dice: the written recipe, its published and golden vectors, and values without bias."""

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

RFC_4231 = {
    1: (b"\x0b" * 20, b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    2: (b"Jefe", b"what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    3: (b"\xaa" * 20, b"\xdd" * 50, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    4: (bytes(range(1, 26)), b"\xcd" * 50, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    5: (b"\x0c" * 20, b"Test With Truncation", "a3b6167473100ee06e0c796c2955552b"),
    6: (
        b"\xaa" * 131,
        b"Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ),
    7: (
        b"\xaa" * 131,
        b"This is a test using a larger than block-size key and a larger than block-size data. "
        b"The key needs to be hashed before being used by the HMAC algorithm.",
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
    ),
}

# Chi-square of uniform values exceeds these once in a thousand times; by sides.
CRITICAL = {6: 20.52, 8: 24.32, 210: 278.0}
CRITICAL_PAIRS = 66.62


@pytest.mark.parametrize("case", RFC_4231)
def test_hmac_is_the_published_one(case):
    key, data, expected = RFC_4231[case]
    assert hmac.digest(key, data, "sha256").hex().startswith(expected)


@pytest.mark.parametrize("case", [case for case, (_, data, _) in RFC_4231.items() if data.isascii()])
def test_a_secret_is_hmac_of_the_dice_id_under_the_server_key(case):
    key, data, expected = RFC_4231[case]
    assert derive_secret(key, data.decode()).hex().startswith(expected)


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


def test_words_that_would_favour_low_faces_do_not_count():
    # With three quarters of 2^32 sides a quarter of all words lies beyond the last whole multiple.
    sides = 3 * 2**30
    words = [word for block in (0, 1) for word in _words(block)]
    expected = [word % sides + 1 for word in words if word < sides]
    assert len(expected) < len(words)
    assert roll_dice(SECRET, "match-x", [None], 1, sides, len(expected)) == tuple(expected)


def _words(block: int) -> tuple[int, ...]:
    return unpack(">8I", hmac.digest(SECRET, f'["roll","match-x",[null],1,{block}]'.encode(), "sha256"))


@pytest.mark.parametrize("sides", [6, 7, 210, 3 * 2**30, WORDS - 1])
def test_words_count_up_to_the_last_whole_multiple_of_the_sides(sides):
    bound = WORDS - WORDS % sides
    beyond = [word for word in (bound, bound + 1, WORDS - 1) if word < WORDS]
    assert list(pick_values([*beyond, bound - 1, *beyond, 0], sides)) == [sides, 1]


@pytest.mark.parametrize("sides", [1, 2, 8, 2**16, WORDS])
def test_all_words_count_where_they_divide_evenly(sides):
    assert list(pick_values([0, WORDS - 1], sides)) == [1, sides]


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


@pytest.mark.parametrize(("sides", "count"), [(6, 20), (1, 3), (210, 9), (2, 100)])
def test_values_lie_between_one_and_sides(sides, count):
    values = roll_dice(SECRET, "d", [], 1, sides, count)
    assert len(values) == count
    assert set(values) <= set(range(1, sides + 1))
