"""Committed dice."""

import hmac
from hashlib import sha256
from struct import unpack

import pytest

from domain.dice import commit, derive_secret, roll_dice

SECRET = derive_secret(b"k" * 32, "match-x")


def test_hmac_is_the_published_one():
    # RFC 4231, test case 2.
    expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    assert derive_secret(b"Jefe", "what do ya want for nothing?").hex() == expected


def test_a_commitment_is_sha256_of_the_secret():
    assert commit(SECRET) == sha256(SECRET).hexdigest()


def test_values_follow_the_written_recipe():
    message = b'["roll","match-x",["salt",null],3,0]'
    words = unpack(">8I", hmac.digest(SECRET, message, "sha256"))
    assert roll_dice(SECRET, "match-x", ["salt", None], 3, 6, 4) == tuple(word % 6 + 1 for word in words[:4])


def test_words_that_would_favour_low_faces_do_not_count():
    # With three quarters of 2^32 sides a quarter of all words lies beyond the last whole multiple.
    sides = 3 * 2**30
    words = [word for block in (0, 1) for word in _words(block)]
    expected = [word % sides + 1 for word in words if word < sides]
    assert len(expected) < len(words)
    assert roll_dice(SECRET, "match-x", [None], 1, sides, len(expected)) == tuple(expected)


def _words(block: int) -> tuple[int, ...]:
    return unpack(">8I", hmac.digest(SECRET, f'["roll","match-x",[null],1,{block}]'.encode(), "sha256"))


@pytest.mark.parametrize("changed", [{"roll_number": 2}, {"entropies": ["x"]}, {"dice_id": "match-y"}, {"secret": b""}])
def test_every_argument_changes_the_dice(changed):
    given = {"secret": SECRET, "dice_id": "match-x", "entropies": [None], "roll_number": 1, "sides": 2**31, "count": 4}
    assert roll_dice(**given) != roll_dice(**{**given, **changed})


@pytest.mark.parametrize(("sides", "count"), [(6, 20), (1, 3), (210, 9), (2, 100)])
def test_values_lie_between_one_and_sides(sides, count):
    values = roll_dice(SECRET, "d", [], 1, sides, count)
    assert len(values) == count
    assert set(values) <= set(range(1, sides + 1))
