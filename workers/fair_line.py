"""A fair line: decides which matches with built-in bots go on a queue next, so that nobody waits for all of another's.

The queue itself is first in, first out. So each owner of matches has only little work there at a time, and the rest
waits here, in order. Whoever comes new finds that little work of each other owner before them, and no more.
"""

from collections import OrderedDict, deque
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

SHARE = 2000
"""How much work of an owner is on the queue for each worker, in playouts: about a second's. A single match may be more."""

TOGETHER = 4
"""How many matches without people share a job, because what rq does around a job costs as much as a short match."""

MOST_WAITING = 20_000
"""How many matches wait in a line, at some 400 bytes each."""


class Piece(NamedTuple):
    """Work in a match: the version at which the match waits for a bot, and an estimate of the work in playouts."""

    stream: str
    version: int
    effort: int
    may_share: bool
    """Whether it may share a job with others: nobody waits for it."""


Job = Sequence[Piece]


class _Load:
    """What an owner has in hand."""

    __slots__ = ("effort", "pieces")

    def __init__(self) -> None:
        self.effort = self.pieces = 0


class FairLine:
    """Work of many owners: each piece waits until it is taken, and is then in hand until it is struck.

    An owner has at most one piece in hand for each worker, or as many as make up SHARE for each worker and one SHARE
    on top, so that no worker waits for more work of the only owner. The pieces of an owner are taken in the order in
    which they were offered. The line holds `most` pieces that wait. Whoever offers one must find it again by other
    means, because a full line drops the last piece of the owner who has most in it.
    """

    def __init__(self, most: int = MOST_WAITING) -> None:
        self.workers = 1
        """How many workers do the work."""

        self._most = most
        self._lines: dict[str, OrderedDict[str, Piece]] = {}
        self._owners: dict[str, str] = {}
        """Of each piece that waits, by its stream."""

        self._in_hand: dict[str, tuple[str, Piece]] = {}
        self._loads: dict[str, _Load] = {}
        self._turns: dict[str, None] = {}
        """The owners who may have room for more work in hand, in the order of their turns."""

    def __len__(self) -> int:
        """How many pieces wait."""
        return len(self._owners)

    def is_waiting(self, stream: str) -> bool:
        """Whether the work in this match has not been taken yet."""
        return stream in self._owners

    def is_in_hand(self, stream: str) -> bool:
        """Whether the work in this match was taken and not struck since."""
        return stream in self._in_hand

    def offer(self, owner: str, piece: Piece) -> None:
        """Let a piece wait behind the others of its owner.

        A piece of the same match that waits is replaced in its place; one in hand at an earlier version is done.
        """
        if piece.stream in self._in_hand:
            if self._in_hand[piece.stream][1].version >= piece.version:
                return
            self.strike(piece.stream)
        if piece.stream not in self._owners and len(self._owners) >= self._most:
            longest = max(self._lines, key=lambda each: len(self._lines[each]))
            self._drop(longest, next(reversed(self._lines[longest])))
        self._owners[piece.stream] = owner
        self._lines.setdefault(owner, OrderedDict())[piece.stream] = piece
        self._turns[owner] = None

    def strike(self, stream: str) -> None:
        """Forget the work in this match: it is done, lost, or no longer due."""
        if stream in self._owners:
            self._drop(self._owners[stream], stream)
        if stream in self._in_hand:
            owner, piece = self._in_hand.pop(stream)
            self._add_load(owner, -1, piece)
            if owner in self._lines:
                self._turns[owner] = None

    def take(self) -> list[Job]:
        """All jobs that may go on the queue now, in the order in which they should; their pieces are then in hand."""
        jobs: list[Job] = []
        turns = deque(self._turns)
        self._turns.clear()
        while turns:
            if job := self._take_job(turns[0]):
                jobs.append(job)
                turns.rotate(-1)
            else:
                turns.popleft()
        return jobs

    def put_back(self, jobs: Sequence[Job]) -> None:
        """Let pieces that were taken wait again, before all others of their owners, in their old order."""
        for piece in reversed([*chain.from_iterable(jobs)]):
            owner, _ = self._in_hand[piece.stream]
            self.strike(piece.stream)
            self.offer(owner, piece)
            self._lines[owner].move_to_end(piece.stream, last=False)

    def resize(self, workers: int) -> None:
        """Note how many workers there are: with more of them, each owner has more work in hand."""
        if workers > self.workers:
            self._turns = dict.fromkeys(self._lines)
        self.workers = max(1, workers)

    def _take_job(self, owner: str) -> list[Piece]:
        """The next job of an owner; empty if nothing waits or there is no room."""
        job: list[Piece] = []
        while (line := self._lines.get(owner)) and len(job) < TOGETHER:
            piece = next(iter(line.values()))
            if not self._has_room(owner, piece) or (job and not _fit_together(job, piece)):
                break
            self._drop(owner, piece.stream)
            self._in_hand[piece.stream] = owner, piece
            self._add_load(owner, 1, piece)
            job.append(piece)
        return job

    def _has_room(self, owner: str, piece: Piece) -> bool:
        load = self._loads.get(owner)
        if load is None or load.pieces < self.workers:
            return True
        return load.effort + piece.effort <= SHARE * (1 + self.workers)

    def _add_load(self, owner: str, pieces: int, piece: Piece) -> None:
        load = self._loads.setdefault(owner, _Load())
        load.pieces += pieces
        load.effort += pieces * piece.effort
        if not load.pieces:
            del self._loads[owner]

    def _drop(self, owner: str, stream: str) -> None:
        """Take a piece out of the line of its owner."""
        del self._owners[stream], self._lines[owner][stream]
        if not self._lines[owner]:
            del self._lines[owner]


def _fit_together(job: Job, piece: Piece) -> bool:
    share = all(each.may_share for each in (*job, piece))
    return share and sum(each.effort for each in job) + piece.effort <= SHARE
