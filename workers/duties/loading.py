"""Reads the first or newest events of many streams at once; a stream that cannot be read is logged and left out."""

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import parse_event
from plyscribe.domain.errors import StreamError
from plyscribe.domain.events import MatchCreated
from plyscribe.domain.match import Match
from plyscribe.service.store.port import EventStore, StoreError, StoreUnavailable, Stretch
from plyscribe.service.streams.handler import Handler

T = TypeVar("T")

log = logging.getLogger(__name__)


def read_newest(store: EventStore, streams: Sequence[str]) -> Iterator[tuple[str, StoredEvent]]:
    """The readable streams, each with its newest event. StoreUnavailable."""
    for stream, entry in _read_each(streams, store.newest):
        if entry is None:
            log.error("%s is listed in the store but has no events: they were deleted", stream)
        else:
            yield stream, entry


def read_created(states: Handler[Match], streams: Sequence[str]) -> Iterator[tuple[str, MatchCreated]]:
    """The readable matches, each with its first event, which never changes. StoreUnavailable.

    A match in the cache of `states` costs no read.
    """
    unknown: list[str] = []
    for stream in streams:
        state = states.cached(stream)
        if state is None or state.lifecycle is None:
            unknown.append(stream)
        else:
            yield stream, state.lifecycle.created
    if unknown:
        yield from _read_first(states, unknown)


def _read_first(states: Handler[Match], streams: Sequence[str]) -> Iterator[tuple[str, MatchCreated]]:
    def read(streams: Sequence[str]) -> Sequence[Sequence[StoredEvent]]:
        return states.read_all_events([Stretch(stream, 0, 1) for stream in streams])

    for stream, entries in _read_each(streams, read):
        try:
            data = parse_event(entries[0]).data
        except (StreamError, IndexError) as error:
            log.error("%s is ignored because its first event cannot be read: %s", stream, error)
            continue
        if isinstance(data, MatchCreated):
            yield stream, data


def _read_each(streams: Sequence[str], read: Callable[[Sequence[str]], Sequence[T]]) -> Iterator[tuple[str, T]]:
    """The readable streams, each with what `read` returns for it: all at once, or one by one where that fails."""
    try:
        found = read(streams)
    except StoreUnavailable:
        raise
    except StoreError as error:
        if len(streams) == 1:
            log.error("%s cannot be read: %s", streams[0], error)
            return
        for stream in streams:
            yield from _read_each([stream], read)
        return
    yield from zip(streams, found, strict=True)
