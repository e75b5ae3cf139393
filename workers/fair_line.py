"""A fair line: decides which matches with built-in bots go on a queue next, so that nobody waits for all of another's.

The queue itself is first in, first out. So each owner of matches has only little work there at a time, and the rest
waits here, in order. Whoever comes new finds that little work of each other owner before them, and no more.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

SHARE = 2000
"""How much work of an owner may be on the queue for each worker, in playouts: about a second's, by careful estimate."""

MOST_ROOM = 8 * SHARE
"""How much light work it may become if that turns out to be done quickly."""


QUICK_MS = 2000
"""Work that is done within this time from when it was taken is done quickly."""

TOGETHER = 4
"""How many matches without people share a job, because what rq does around a job costs as much as a short match."""

LIGHT = SHARE // TOGETHER
"""A piece of this effort or less is light."""

MOST_WAITING = 20_000
"""How many matches wait in a line, at some 400 bytes each."""


class Piece(NamedTuple):
    """Work in a match: the version at which the match waits for a bot, and an estimate of the work in playouts."""

    stream: str
    version: int
    effort: int
    may_share: bool
    """Whether it may share a job with others: nobody waits for it."""

    noted_ms: int = 0
    """When whoever offers it noted it elsewhere, which means nothing to the line."""


Job = Sequence[Piece]


class _Owner:
    """What waits for its turn, how much is in hand, and how much may be."""

    def __init__(self, room: int) -> None:
        self.waiting: OrderedDict[str, Piece] = OrderedDict()
        self.in_hand = self.effort = 0
        self.room = room


class _Taken(NamedTuple):
    """A piece in hand: whose it is, and when it was taken."""

    owner: str
    piece: Piece
    at_ms: int


class FairLine:
    """Work of many owners: each piece waits until it is taken, and is then in hand until it is struck.

    An owner has at most one piece in hand for each worker, or as many as make up one SHARE for each worker. Of light
    work it may be one SHARE more, and more still while it is done quickly, so that no worker waits for the next piece.
    The pieces of an owner are taken in the order in which they were offered. The line holds `most` pieces that wait.
    Whoever offers one must find it again by other means, because a full line drops the last piece of the owner who has
    most.
    """

    def __init__(self, clock_ms: Callable[[], int], most: int = MOST_WAITING) -> None:
        self._clock_ms = clock_ms
        self._most = most
        self._workers = 1
        self._owners: dict[str, _Owner] = {}
        self._waiting: dict[str, str] = {}
        """The owner of each piece that waits, by its stream."""

        self._taken: dict[str, _Taken] = {}
        self._turns: dict[str, None] = {}
        """The owners who may have room for more work in hand, in the order of their turns."""

    def __len__(self) -> int:
        """How many pieces wait."""
        return len(self._waiting)

    def is_waiting(self, stream: str) -> bool:
        """Whether the work in this match has not been taken yet."""
        return stream in self._waiting

    def is_in_hand(self, stream: str) -> bool:
        """Whether the work in this match was taken and not struck since."""
        return stream in self._taken

    def offer(self, owner: str, piece: Piece) -> None:
        """Let a piece wait behind the others of its owner.

        A piece of the same match that waits is replaced in its place; one in hand at an earlier version is done.
        """
        if piece.stream in self._taken:
            if self._taken[piece.stream].piece.version >= piece.version:
                return
            self._end(piece.stream)
        if piece.stream not in self._waiting and len(self._waiting) >= self._most:
            self._drop_last()
        self._owners.setdefault(owner, _Owner(self._least_room)).waiting[piece.stream] = piece
        self._waiting[piece.stream] = owner
        self._turns[owner] = None

    def strike(self, stream: str) -> None:
        """Forget the work in this match: it is done, lost, or no longer due."""
        if stream in self._waiting:
            name = self._waiting.pop(stream)
            del self._owners[name].waiting[stream]
            self._forget_idle(name)
        if stream in self._taken:
            name = self._taken[stream].owner
            self._end(stream)
            self._forget_idle(name)

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
            name = self._taken[piece.stream].owner
            self._let_go(piece.stream)
            self._waiting[piece.stream] = name
            self._turns[name] = None
            waiting = self._owners[name].waiting
            waiting[piece.stream] = piece
            waiting.move_to_end(piece.stream, last=False)

    def resize(self, workers: int) -> None:
        """Note how many workers there are: with more of them, each owner has more work in hand."""
        if workers > self._workers:
            self._turns |= dict.fromkeys(self._owners)
        self._workers = max(1, workers)

    @property
    def _least_room(self) -> int:
        return SHARE * (1 + self._workers)

    def _take_job(self, name: str) -> list[Piece]:
        """The next job of an owner; empty if nothing waits or there is no room."""
        owner, job = self._owners.get(name), list[Piece]()
        while owner and owner.waiting and len(job) < TOGETHER:
            piece = next(iter(owner.waiting.values()))
            room = max(self._least_room, owner.room) if piece.effort <= LIGHT else SHARE * self._workers
            if owner.in_hand >= self._workers and owner.effort + piece.effort > room:
                break
            if job and not _fit_together(job, piece):
                break
            del owner.waiting[piece.stream], self._waiting[piece.stream]
            self._taken[piece.stream] = _Taken(name, piece, self._clock_ms())
            owner.in_hand += 1
            owner.effort += piece.effort
            job.append(piece)
        return job

    def _end(self, stream: str) -> None:
        """Let go of a piece that is done, or lost, and learn from how long it took."""
        name, piece, at_ms = self._taken[stream]
        self._let_go(stream)
        self._turns[name] = None
        owner = self._owners[name]
        if piece.effort <= LIGHT:
            room = owner.room + (piece.effort if self._clock_ms() - at_ms <= QUICK_MS else -piece.effort)
            owner.room = max(self._least_room, min(MOST_ROOM, room))

    def _let_go(self, stream: str) -> None:
        name, piece, _ = self._taken.pop(stream)
        self._owners[name].in_hand -= 1
        self._owners[name].effort -= piece.effort

    def _drop_last(self) -> None:
        """Drop the last piece of the owner of whom most pieces wait."""
        name = max(self._owners, key=lambda each: len(self._owners[each].waiting))
        self.strike(next(reversed(self._owners[name].waiting)))

    def _forget_idle(self, name: str) -> None:
        owner = self._owners[name]
        if not owner.waiting and not owner.in_hand:
            del self._owners[name]
            self._turns.pop(name, None)


def _fit_together(job: Job, piece: Piece) -> bool:
    share = all(each.may_share for each in (*job, piece))
    return share and sum(each.effort for each in job) + piece.effort <= SHARE
