"""The ratings ledgers over the store: enters matches, and takes annulled ones out for good."""

import time
from random import SystemRandom

from plyscribe.domain.commands import Actor
from plyscribe.domain.ledger import LEDGER, Ledger, RateMatch, UnrateMatch, ledger_of
from plyscribe.domain.match import Match
from plyscribe.service.clock import now_ms
from plyscribe.service.errors import Contended
from plyscribe.service.ratings.model import open_ratings
from plyscribe.service.store import port
from plyscribe.service.store.port import EventStore
from plyscribe.service.streams.handler import Answer, Handler
from plyscribe.service.streams.ids import job_command

SCORER = Actor("system", "score")
WAITS_S = (0.02, 0.05, 0.1, 0.2, 0.4)
"""The longest wait before each new attempt to write to a ledger that other workers write to."""

MAX_PLACES = 4096
"""Places in ledgers that a process remembers. A match that was entered keeps its place for ever."""

_chance = SystemRandom()


class Ledgers:
    """The ledgers: which matches count, in which order; safe to share between threads."""

    def __init__(self, store: EventStore) -> None:
        self._ledgers = Handler(store, LEDGER)
        self._places: dict[str, int] = {}

    def rate(self, match: Match) -> int:
        """Enter a verified rated match, unless it is entered, and return its place; WrongTime if it was unrated."""
        life, ruleset = match.life, match.life.created.ruleset
        assert life.outcome is not None
        if match.stream in self._places:
            return self._places[match.stream]
        asked = job_command("rate", match.stream)
        command = RateMatch(
            actor=SCORER,
            at=now_ms(),
            id=asked.id.hex(),
            opening=open_ratings(ruleset),
            match=match.stream,
            players=life.players,
            ranks=life.outcome.ranks,
        )
        if len(self._places) >= MAX_PLACES:
            self._places = {}
        self._places[match.stream] = place = self._enter(ruleset, command, asked).events[-1].version
        return place

    def unrate(self, match: Match) -> None:
        """Keep an annulled rated match from counting, unless the ledger says so already."""
        ruleset, annulment = match.life.created.ruleset, match.life.annulment
        assert annulment is not None
        asked = job_command("unrate", match.stream)
        command = UnrateMatch(
            actor=SCORER,
            at=now_ms(),
            id=asked.id.hex(),
            opening=open_ratings(ruleset),
            match=match.stream,
            why=annulment.why,
        )
        self._enter(ruleset, command, asked)

    def _enter(self, ruleset: str, command: RateMatch | UnrateMatch, asked: port.CommandKey) -> Answer[Ledger]:
        """The ledger with the entry. All workers write to its end, so one that comes too late waits and retries."""
        for wait_s in WAITS_S:
            try:
                return self._ledgers.execute(ledger_of(ruleset), lambda _: command, asked)
            except Contended:
                time.sleep(_chance.uniform(0, wait_s))
        return self._ledgers.execute(ledger_of(ruleset), lambda _: command, asked)

    def is_unrated(self, match: Match) -> bool:
        """Whether the ledger says that the match does not count."""
        return match.stream in self._ledgers.read(ledger_of(match.life.created.ruleset)).unrated
