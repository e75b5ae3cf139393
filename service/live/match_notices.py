"""Writes to players' inboxes what their matches want of them, and how those went on."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import orjson

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.match import Match, fold
from plyscribe.domain.notices import Notice, Notifier
from plyscribe.service.live.inboxes import Letter


def follow_match(
    match: Match, events: Sequence[StoredEvent], appends: Iterable[tuple[int, int]]
) -> Iterator[tuple[Match, list[tuple[str, Letter]]]]:
    """The match after each of these appends, with the letters that follow from it and their players.

    `events` go on from `match`. An append is given by its first and its last version.
    """
    todo, notifier = deque(events), Notifier(match)
    for first, last in appends:
        if match.version < first - 1:
            match = _fold_upto(match, todo, first - 1)
            notifier = Notifier(match)
        match = _fold_upto(match, todo, last)
        yield match, [(notice.player, _write_letter(match, notice)) for notice in notifier.advance(match)]


def list_appends(events: Iterable[StoredEvent]) -> list[tuple[int, int]]:
    """The appends in which these events were stored: those of one command have one cause."""
    groups = [list(group) for _, group in groupby(events, key=lambda event: orjson.loads(event.e)["cause"])]
    return [(group[0].version, group[-1].version) for group in groups]


def _fold_upto(match: Match, events: deque[StoredEvent], version: int) -> Match:
    """The match at a version. Takes the events up to that version off the queue."""
    taken = []
    while events and events[0].version <= version:
        taken.append(events.popleft())
    return fold(match, taken)


def _write_letter(match: Match, notice: Notice) -> Letter:
    data = {"type": notice.type, "match": match.stream, "version": match.version, "at": match.at, **notice.about}
    return Letter(f"{match.stream}:{match.version}:{notice.name}", match.at, orjson.dumps(data))
