"""Writes to players' inboxes what their matches want of them, and how those went on."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter

import orjson

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import find_time, find_type
from plyscribe.domain.events import DiceRolled, MoveMade
from plyscribe.domain.match import Match, fold
from plyscribe.domain.notices import Notice, Notifier, list_decisions
from plyscribe.service.live.inboxes import Letter
from plyscribe.service.store.port import FeedEntry

STEPS = frozenset({MoveMade.type, DiceRolled.type})

Followed = tuple[Match, list[tuple[str, Letter]]]
"""A match after one or more appends, with the letters that follow from them and their players."""


def follow_match(match: Match, events: Sequence[StoredEvent], appends: Iterable[FeedEntry]) -> Iterator[Followed]:
    """The letters that follow from each of these appends, and the match after it; `events` go on from `match`.

    Appends of moves and rolls alone come together, as far as nothing but decisions follows from them.
    """
    for are_steps, group in groupby(appends, key=lambda append: STEPS.issuperset(append.types)):
        run = list(group)
        match = _fold_upto(match, events, run[0].first - 1)
        together = _follow_steps(match, events, run) if are_steps else None
        for followed in [together] if together else _follow_each(match, events, run):
            yield followed
            match = followed[0]


def list_appends(stream: str, events: Iterable[StoredEvent]) -> list[FeedEntry]:
    """The appends in which these events of a stream were stored: those of one command have one cause."""
    groups = [list(group) for _, group in groupby(events, key=lambda event: orjson.loads(event.e)["cause"])]
    return [FeedEntry(stream, of[0].version, of[-1].version, tuple(map(find_type, of))) for of in groups]


def _follow_steps(match: Match, events: Sequence[StoredEvent], appends: Sequence[FeedEntry]) -> Followed | None:
    """The match after all of these appends. One fold finds every decision, without a match for each."""
    after = _fold_upto(match, events, appends[-1].last)
    decisions = list_decisions(match, after)
    if decisions is None:
        return None
    entries = {event.version: event for event in events}
    letters = [
        (notice.player, _write_letter(match.stream, version, find_time(entries[version]), notice))
        for _, _, version, _ in appends
        if (notice := decisions.get(version))
    ]
    return after, letters


def _follow_each(match: Match, events: Sequence[StoredEvent], appends: Iterable[FeedEntry]) -> Iterator[Followed]:
    notifier = Notifier(match)
    for append in appends:
        if match.version < append.first - 1:
            match = _fold_upto(match, events, append.first - 1)
            notifier = Notifier(match)
        match = _fold_upto(match, events, append.last)
        notices = notifier.advance(match)
        yield match, [(each.player, _write_letter(match.stream, match.version, match.at, each)) for each in notices]


def _fold_upto(match: Match, events: Sequence[StoredEvent], version: int) -> Match:
    """The match at a version, with those of these events that it has not had."""
    if version <= match.version:
        return match
    start, end = (bisect_right(events, each, key=attrgetter("version")) for each in (match.version, version))
    return fold(match, events[start:end])


def _write_letter(stream: str, version: int, at: int, notice: Notice) -> Letter:
    data = {"type": notice.type, "match": stream, "version": version, "at": at, **notice.about}
    return Letter(f"{stream}:{version}:{notice.name}", at, orjson.dumps(data))
