"""Sources to follow: the events of matches and of tournaments."""

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
"""The statuses after which no events are expected of a match, each with the event that leads to it.

There are exceptions: a scored match may be annulled, and an aborted one may still reveal dice that it shares with other
matches. Streams do not stay open for those.
"""


class MatchEvents:
    """The events of matches, in the form of exports."""

    last_types = frozenset(FINAL.values())
    is_polled = False

    def __init__(self, matches: Handler[Match]) -> None:
        self._matches = matches

    def read(self, stream: str, after: int, limit: int) -> Sequence[Entry]:
        """See Source.read."""
        return _dump(self._matches.read_events(stream, after, limit))


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
