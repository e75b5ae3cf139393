"""Sources to follow: the events of matches and of tournaments."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import orjson

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.events import MatchAborted, MatchAnnulled, MatchScored
from plyscribe.domain.match import Match
from plyscribe.domain.replay import find_step
from plyscribe.domain.tournament.events import TournamentAborted, TournamentEnded
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.language.sentences import Names
from plyscribe.service.live.followers import Entry
from plyscribe.service.matches.queries import dump_event
from plyscribe.service.matches.story import describe_story, name_players
from plyscribe.service.streams.handler import Handler

FINAL = {"scored": MatchScored.type, "aborted": MatchAborted.type, "annulled": MatchAnnulled.type}
"""The statuses after which no events are expected of a match, each with the event that leads to it.

There are exceptions: a scored match may be annulled, and an aborted one may still reveal dice that it shares with other
matches. Streams do not stay open for those.
"""

TOLD = 100
"""Events that are told at a time: some hundredths of a second."""


class MatchEvents:
    """The events of matches, in the form of exports."""

    last_types = frozenset(FINAL.values())
    is_polled = False

    def __init__(self, matches: Handler[Match]) -> None:
        self._matches = matches

    def read(self, stream: str, after: int, limit: int) -> Sequence[Entry]:
        """See Source.read."""
        return _dump(self._matches.read_events(stream, after, limit))


class ToldEvents:
    """The events of matches, each with what its step did, in one language.

    Steps that were taken back since, and those that a fork copied, have no effects here.
    """

    last_types = frozenset(FINAL.values())
    is_polled = False

    def __init__(self, matches: Handler[Match], name_of: Callable[[str], str], language: str) -> None:
        """`name_of` finds the name of an account."""
        self._matches = matches
        self._name_of = name_of
        self._language = language

    def read(self, stream: str, after: int, limit: int) -> Sequence[Entry]:
        """See Source.read."""
        events = self._matches.read_events(stream, after, min(limit, TOLD))
        if not events:
            return []
        match = self._matches.read_since(stream, events[-1].version)
        describe = partial(self._describe, match, name_players(match, self._name_of, self._language))
        return [entry._replace(data=_add(entry.data, describe(entry.number))) for entry in _dump(events)]

    def _describe(self, match: Match, names: Names, version: int) -> dict[str, Any]:
        step = find_step(match.play, version) if match.play else None
        if step is None or match.play is None:
            return {"effects": [], "sentences": []}
        return describe_story(match.play.ruleset, step, self._language, names)


def _add(line: bytes, fields: dict[str, Any]) -> bytes:
    """The JSON object in a line, with more fields at its end."""
    return line[:-1] + b"," + orjson.dumps(fields)[1:]


class TournamentEvents:
    """The events of tournaments, in the form of exports."""

    last_types = frozenset({TournamentEnded.type, TournamentAborted.type})
    is_polled = False

    def __init__(self, tournaments: Handler[Tournament]) -> None:
        self._tournaments = tournaments

    def read(self, stream: str, after: int, limit: int) -> Sequence[Entry]:
        """See Source.read."""
        return _dump(self._tournaments.read_events(stream, after, limit))


def _dump(events: Sequence[StoredEvent]) -> list[Entry]:
    lines = [(event.version, dump_event(event)) for event in events]
    return [Entry(version, orjson.loads(line)["type"], line) for version, line in lines]


def is_final(match: Match) -> bool:
    """Whether no more events are expected of the match."""
    return match.lifecycle is not None and match.life.status in FINAL
