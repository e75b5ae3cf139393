"""The split of a match: train, validation or test, by the hash of its id and by nothing else."""

from hashlib import sha256

TRAIN, VALIDATION, TEST = "train", "validation", "test"
SPLITS = (TRAIN, VALIDATION, TEST)

PARTS = 10
"""A match is in one of so many parts of the same size: eight of them are for training, one each for the other two."""


def split_of(match: str) -> str:
    """The split of a match. It is the same in every dataset, whatever else is in it, and for ever.

    >>> split_of("match-aaaaaaaaaaaaaaaaaaaaaaaaaa")
    'train'
    """
    part = int.from_bytes(sha256(match.encode()).digest()[:8], "big") % PARTS
    return TEST if part == PARTS - 1 else VALIDATION if part == PARTS - 2 else TRAIN
