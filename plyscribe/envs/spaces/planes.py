"""What the numbers of an observation mean.

An observation is a float32 array of planes: its first axis counts planes, the others are the places of the board. It is
read off the public view of a position, so it has what a person at the table sees. A number about no place stands on all
places of its plane. "You" is the seat that observes; the others follow clockwise, so one network can play every seat.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from plyscribe.domain.chain import canonical_json
from plyscribe.domain.ruleset import Decision, Turn
from plyscribe.envs.spaces.action_ids import Path

Array = npt.NDArray[np.float32]


class Scene(NamedTuple):
    """What an observation is made of."""

    view: dict[str, Any]
    turn: Turn
    path: Path
    """The ids that the seat on turn has chosen so far for its move."""
    seat: int
    """The seat that observes."""
    seats: int

    def from_here(self, by_seat: Sequence[Any]) -> list[Any]:
        """The entries of a list by seat, from the observing seat on, clockwise."""
        return [*by_seat[self.seat - 1 :], *by_seat[: self.seat - 1]]

    def distance(self, seat: int) -> int:
        """How many places clockwise from the observing seat this seat is."""
        return (seat - self.seat) % self.seats


class Planes(NamedTuple):
    """Planes that are read together; `read` returns an array that broadcasts to (number of names, *places)."""

    names: tuple[str, ...]
    meaning: str
    read: Callable[[Scene], Any]


class Observer(ABC):
    """How a position becomes an array of a fixed shape."""

    version: int = 1
    """Goes up when a plane changes its meaning."""
    shape: tuple[int, ...]
    low: float = 0.0
    high: float = 1.0
    """The bounds of all numbers."""

    @abstractmethod
    def observe(self, scene: Scene) -> Array:
        """A new array of this shape."""


class Board(Observer):
    """Planes over the places of a board."""

    def __init__(self, places: tuple[int, ...], planes: Sequence[Planes]) -> None:
        self.planes = tuple(planes)
        self._slices: list[tuple[int, int]] = []
        count = 0
        for group in self.planes:
            self._slices.append((count, count + len(group.names)))
            count += len(group.names)
        self.places = places
        self.shape = (count, *places)

    @property
    def names(self) -> list[str]:
        """The name of each plane, in order."""
        return [name for group in self.planes for name in group.names]

    def observe(self, scene: Scene) -> Array:
        """The planes of a position."""
        tensor: Array = np.empty(self.shape, np.float32)
        for (start, stop), group in zip(self._slices, self.planes, strict=True):
            tensor[start:stop] = group.read(scene)
        return tensor


def spread(numbers: Sequence[float], places: tuple[int, ...]) -> Array:
    """One plane for each number, which stands on all its places."""
    return np.array(numbers, np.float32).reshape(-1, *(1 for _ in places))


def squash(number: int) -> float:
    """A count without a bound as a number below 1, which grows with it.

    >>> squash(3)
    0.75
    """
    return number / (1 + number)


def count_planes(places: tuple[int, ...], seats: int, ply_limit: int | None) -> list[Planes]:
    """The planes that every board ends with: whose turn it is, and how much of the match is over."""
    names = ("your turn", *(f"turn of seat +{distance}" for distance in range(1, seats)))

    def read_turn(scene: Scene) -> Array:
        turn = scene.turn
        here = scene.distance(turn.seat) if isinstance(turn, Decision) else -1
        return spread([float(distance == here) for distance in range(seats)], places)

    return [
        Planes(names, "1 on all places if this seat decides", read_turn),
        Planes(
            ("ply",),
            "moves played, divided by ply_limit; 0 without a limit",
            lambda scene: spread([min(1.0, scene.view["ply"] / ply_limit) if ply_limit else 0.0], places),
        ),
    ]


def name_seats(what: str, seats: int) -> tuple[str, ...]:
    """Names of one plane a seat, the observing one first.

    >>> name_seats("crystals", 3)
    ('crystals, yours', 'crystals, seat +1', 'crystals, seat +2')
    """
    return (f"{what}, yours", *(f"{what}, seat +{distance}" for distance in range(1, seats)))


FEATURES = 1024


class Hashed(Observer):
    """Feature hashing (Weinberger et al. 2009) of the whole view: for any ruleset.

    Every leaf of the view is a feature: a number under its path, anything else under path and value. SHA-256 gives a
    feature its place among 1,024 and its sign; a number n counts as n / (1 + |n|), anything else as 1. Sums are cut at
    -1 and 1. Two features may share a place, so planes of its own are better for a ruleset that is studied closely.
    """

    shape = (FEATURES,)
    low = -1.0

    def observe(self, scene: Scene) -> Array:
        """The features of a position, of the turn and of the ids chosen so far."""
        tensor: Array = np.zeros(FEATURES, np.float32)
        whole = {"view": scene.view, "you": scene.seat, "path": list(scene.path), "turn": _name_turn(scene)}
        for name, weight in _list_features(whole):
            place, sign = _place(name)
            tensor[place] += sign * weight
        return tensor.clip(-1, 1)


def _name_turn(scene: Scene) -> str:
    return f"+{scene.distance(scene.turn.seat)}" if isinstance(scene.turn, Decision) else type(scene.turn).__name__


def _list_features(value: Any, path: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _list_features(item, f"{path}/{key}")
    elif isinstance(value, list | tuple):
        for place, item in enumerate(value):
            yield from _list_features(item, f"{path}/{place}")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value / (1 + abs(value))
    else:
        yield f"{path}={canonical_json(value).decode()}", 1.0


@lru_cache(100_000)
def _place(name: str) -> tuple[int, int]:
    number = int.from_bytes(sha256(name.encode()).digest()[:8])
    return number // 2 % FEATURES, 1 if number % 2 else -1
