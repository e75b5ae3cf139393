"""Every kind of stream there is."""

from typing import Any

from plyscribe.domain.aggregate import Aggregate, Decided, weigh_events
from plyscribe.domain.claims import NAME
from plyscribe.domain.commands import Command
from plyscribe.domain.decide import draft_decision
from plyscribe.domain.events import EVENT_TYPES
from plyscribe.domain.import_list import IMPORT_LIST
from plyscribe.domain.imported import IMPORT
from plyscribe.domain.ledger import LEDGER
from plyscribe.domain.match import Match, fold
from plyscribe.domain.player import PLAYER
from plyscribe.domain.tournament.decide import TOURNAMENT


def _decide_match(command: Command, match: Match) -> Decided[Match]:
    return draft_decision(command, match).decided


def _weigh_match(match: Match) -> int:
    # A fork has its whole line in one event, and what was taken back is no longer in the state.
    play = match.play
    return weigh_events(match.version if play is None else max(match.version, play.length))


MATCH: Aggregate[Match] = Aggregate(
    "match",
    EVENT_TYPES,
    Match,
    fold,
    _decide_match,
    is_sound=lambda match: match.fault is None,
    weigh=_weigh_match,
)
"""A match. Its fold never fails: what cannot be folded is the match's fault."""

STREAM_KINDS: tuple[Aggregate[Any], ...] = (MATCH, PLAYER, LEDGER, IMPORT, IMPORT_LIST, TOURNAMENT, NAME)
