"""Matches under way: how the feed tells of them, and how they were created, for duties that look after some alone."""

import logging
from collections.abc import Iterator, Sequence

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import parse_event
from plyscribe.domain.errors import StreamError
from plyscribe.domain.events import MatchCreated
from plyscribe.domain.match import Match
from plyscribe.service.store.port import Stretch
from plyscribe.service.streams.handler import Handler
from plyscribe.workers.duties.each import read_each

UNDER_WAY = {"match-started", "move-made", "dice-rolled", "seat-withdrawn"}
"""What a decision may be due after, or no longer be due after; draws leave the turn and its clock alone."""

OVER = {"match-ended", "match-aborted"}
DRAWS = {"draw-offered", "draw-declined", "draw-agreed"}
AMONG_LAST = UNDER_WAY | DRAWS
"""What the newest event of a match under way may be."""

log = logging.getLogger(__name__)


def may_be_under_way(newest: StoredEvent) -> bool:
    """Whether a match with this newest event may be under way: its word is enough to tell which are worth folding."""
    return any(f'"type":"{word}"'.encode() in newest.e for word in AMONG_LAST)


def find_created(states: Handler[Match], streams: Sequence[str]) -> Iterator[tuple[str, MatchCreated]]:
    """The matches with their first events; those that cannot be read are told and left out. StoreUnavailable."""
    strange: list[str] = []
    for stream in streams:
        state = states.cached(stream)
        if state is None or state.lifecycle is None:
            strange.append(stream)
        else:
            yield stream, state.lifecycle.created
    if strange:
        yield from _read_created(states, strange)


def _read_created(states: Handler[Match], streams: Sequence[str]) -> Iterator[tuple[str, MatchCreated]]:
    def read_first(streams: Sequence[str]) -> Sequence[Sequence[StoredEvent]]:
        return states.read_all_events([Stretch(stream, 0, 1) for stream in streams])

    for stream, entries in read_each(streams, read_first):
        try:
            data = parse_event(entries[0]).data
        except (StreamError, IndexError) as error:
            log.error("%s is not looked after, its first event cannot be read: %s", stream, error)
            continue
        if isinstance(data, MatchCreated):
            yield stream, data
