"""The loop: its STARTs and teleports, and where a roll leads from each field (CR1, CR8, CR9)."""

from dataclasses import dataclass, field
from functools import cache

HOME = 0
"""The target of a character that comes home. Fields are numbered from 1."""

FACES = range(1, 7)

Way = tuple[int, int]
"""The field on which a roll ends, or HOME; and if that field is a teleport, the next one clockwise, otherwise 0."""


@dataclass(frozen=True, slots=True)
class Track:
    """The geometry of a track."""

    seats: int
    section: int
    teleport: int
    fields: int = field(compare=False, repr=False)
    starts: tuple[int, ...] = field(compare=False, repr=False)
    """The START of each seat."""
    teleports: tuple[int, ...] = field(compare=False, repr=False)
    ways: tuple[tuple[tuple[Way, ...], ...], ...] = field(compare=False, repr=False)
    """The way of a roll, by seat (from 0), field and roll."""


@cache
def lay_track(seats: int, section: int, teleport: int) -> Track:
    """The track with `section` fields for each seat, and each teleport `teleport` fields from its START."""
    fields = seats * section
    starts = tuple(range(1, fields, section))
    teleports = tuple(sorted(start + teleport for start in starts))
    ways = tuple(
        tuple(
            tuple(_find_way(fields, section, teleports, start, at, roll) for roll in (0, *FACES)) for at in _all(fields)
        )
        for start in starts
    )
    return Track(seats, section, teleport, fields, starts, teleports, ways)


def _all(fields: int) -> range:
    return range(fields + 1)


def _find_way(fields: int, section: int, teleports: tuple[int, ...], start: int, at: int, roll: int) -> Way:
    if roll >= steps_home(fields, start, at):
        return HOME, 0  # CR8
    end = _wrap(at + roll, fields)
    return end, _wrap(end + section, fields) if end in teleports else 0  # CR9


def steps_home(fields: int, start: int, at: int) -> int:
    """How many steps a character is from home, if its seat has this START: a full round on the START itself (CR1).

    >>> [steps_home(20, 11, at) for at in (10, 11, 12)]
    [1, 20, 19]
    """
    return (start - at) % fields or fields


def _wrap(at: int, fields: int) -> int:
    return at - fields if at > fields else at
