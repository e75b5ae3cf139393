"""The list of moves on the match page, part by part: however long a match is, a page shows a bounded part of it."""

from collections import defaultdict
from collections.abc import Hashable, Iterable
from functools import lru_cache, partial
from itertools import chain
from typing import NamedTuple

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.match import LINE, Match, Play
from plyscribe.service.matches import queries
from plyscribe.service.web.api.http import parts
from plyscribe.service.web.pages.happenings import find_language, list_sentences
from plyscribe.service.web.pages.people import name_judge
from plyscribe.service.web.pages.score_sheet import Row, list_rows
from plyscribe.service.web.pages.speech import page_language

PART = 200
"""Moves in a part."""

KEPT = 128
"""Parts that a process keeps, of up to some 100 kB each: those of matches that many look at."""

MAX_EVENTS = 10 * PART
"""Events that are read for a part. One with more, most of which were taken back, shows its moves alone."""


class Part(NamedTuple):
    """The moves after ply `first` up to ply `last`, each with what happened after it."""

    first: int
    last: int
    rows: tuple[Row, ...]
    has_next: bool


def bound_part(ply: int, last: int) -> tuple[int, int]:
    """The plies between which the part of a ply lies, in a match whose last ply is `last`."""
    first = max(0, ply - 1) // PART * PART
    return first, min(first + PART, last)


def list_part(state: Match, ply: int, names: list[str], imported: bool) -> Part:
    """The part that the move to this ply is in."""
    assert state.play is not None
    bounds = bound_part(ply, state.play.ply)
    if state.fault is not None:
        return _make_part(state, bounds, names, imported)
    version = state.stream, state.version, state.head
    return _make_part_once(
        _Asked((version, bounds, tuple(names), imported, page_language(), find_language(state)), state)
    )


class _Asked:
    """What a part follows from. The match itself is only there to make it, and is not kept with it."""

    __slots__ = ("key", "state")

    def __init__(
        self, key: tuple[Hashable, tuple[int, int], tuple[str, ...], bool, str, Hashable], state: Match
    ) -> None:
        self.key = key
        self.state: Match | None = state

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self.key == other.key


@lru_cache(KEPT)
def _make_part_once(asked: _Asked) -> Part:
    _, bounds, names, imported, *_ = asked.key
    state, asked.state = asked.state, None
    assert state is not None
    return _make_part(state, bounds, list(names), imported)


def _make_part(state: Match, bounds: tuple[int, int], names: list[str], imported: bool) -> Part:
    assert state.play is not None
    first, last = bounds
    rows = _list_rows_between(state, state.play, first, last, names, imported)
    return Part(first, last, tuple(_add_sentences(state, rows, first)), last < state.play.ply)


def list_news(state: Match, entries: list[StoredEvent], names: list[str], imported: bool) -> list[Row]:
    """The rows of the newest events, which take nothing back."""
    assert state.play is not None
    rows = list_rows(entries, 0, names, partial(name_judge, imported=imported))
    before = state.play.ply - sum(row.kind == "move" for row in rows)
    return _add_sentences(state, [row._replace(ply=row.ply + before) for row in rows], before)


def _add_sentences(state: Match, rows: list[Row], first: int) -> list[Row]:
    """The rows with what their moves and rolls did. They have all steps from some step at ply `first` to the last."""
    last = max((row.ply for row in rows), default=first)
    found: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for kind, ply, sentence in list_sentences(state, first, last):
        found[kind, ply].append(sentence)
    # Steps at the same ply are told apart by their order. News may begin in the midst of them, but have the last.
    return [_add_time(state, row) for row in list(_fill_backwards(rows, found))[::-1]]


def _add_time(state: Match, row: Row) -> Row:
    """The row with how long its move took, unless somebody else entered it or nobody thought about it."""
    play = state.play
    if row.kind != "move" or play is None or row.ply > play.ply or state.life.created.recorder is not None:
        return row
    step = play.steps[row.ply - 1]
    return row if step.is_copied else row._replace(spent_ms=step.took_ms)


def _fill_backwards(rows: list[Row], found: dict[tuple[str, int], list[str]]) -> Iterable[Row]:
    for row in reversed(rows):
        sentences = found.get((row.kind, row.ply))
        yield row._replace(sentence=sentences.pop()) if sentences else row


def read_entries(state: Match, after: int, upto: int | None = None) -> list[StoredEvent]:
    """The stored events after a version, up to a version, or up to that of the state or to just before its fault."""
    sound = state.fault.version - 1 if state.fault else state.version
    upto = sound if upto is None else min(upto, sound)
    return list(chain.from_iterable(queries.read_pages(parts().matches, state.stream, after, upto)))


def _list_rows_between(state: Match, play: Play, first: int, last: int, names: list[str], imported: bool) -> list[Row]:
    # What happens after a move that stands takes back nothing before it.
    after = play.steps[first - 1].version if first else 0
    begun = first
    if first and after == LINE:
        # A fork copies its line in one event.
        after, begun = 0, 0
    upto = state.version if last == play.ply else max(LINE, play.steps[last].version - 1)
    if upto - after > MAX_EVENTS:
        moves = enumerate(play.steps[first:last], first + 1)
        return [Row("move", ply, step.seat, step.move) for ply, step in moves]
    rows = list_rows(read_entries(state, after, upto), begun, names, partial(name_judge, imported=imported))
    # What follows a move is in the same part.
    return [row for row in rows if (row.ply > first or not first) and row.ply <= last]
