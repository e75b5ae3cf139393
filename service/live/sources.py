"""What can be followed live: the events of matches and tournaments."""

from collections.abc import Sequence

import orjson

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.events import MatchAborted, MatchAnnulled, MatchScored
from plyscribe.domain.match import Match
from plyscribe.domain.tournament.events import TournamentAborted, TournamentEnded
from plyscribe.domain.tournament.state import Tournament
from plyscribe.service.live.followers import Entry
from plyscribe.service.matches.queries import dump_event
from plyscribe.service.streams.handler import Handler

FINAL = {"scored": MatchScored.type, "aborted": MatchAborted.type, "annulled": MatchAnnulled.type}
"""Statuses after which nothing is expected of a match, and the events that lead there.

A scored match may still be annulled, which is rare, and an aborted one may have dice to reveal that others share:
nobody is kept waiting for that.
"""


class MatchEvents:
    """The events of matches, as they are exported."""

    last_types = frozenset(FINAL.values())

    def __init__(self, matches: Handler[Match]) -> None:
        self._matches = matches

    def read(self, stream: str, after: int, limit: int) -> Sequence[Entry]:
        """See Source.read."""
        return _dump(self._matches.read_events(stream, after, limit))


class TournamentEvents:
    """The events of tournaments, as they are exported."""

    last_types = frozenset({TournamentEnded.type, TournamentAborted.type})

    def __init__(self, tournaments: Handler[Tournament]) -> None:
        self._tournaments = tournaments

    def read(self, stream: str, after: int, limit: int) -> Sequence[Entry]:
        """See Source.read."""
        return _dump(self._tournaments.read_events(stream, after, limit))


def _dump(events: Sequence[StoredEvent]) -> list[Entry]:
    lines = [(event.version, dump_event(event)) for event in events]
    return [Entry(version, orjson.loads(line)["type"], line) for version, line in lines]


def is_final(match: Match) -> bool:
    """Whether nothing is expected of the match any more."""
    return match.lifecycle is not None and match.life.status in FINAL
