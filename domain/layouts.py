"""Which releases read an event: the layout that a store's data must have before the event may be stored there.

A release reads what the release before it stored, but not the other way round. While both work on one store, the newer
one stores nothing that the older one could not read. So whoever adds an event type, a field without which an event
means something else, a version of a ruleset or of a bot says here in which layout it begins.
"""

from typing import Any

from plyscribe.domain.chain import StoredEvent, parse_json
from plyscribe.domain.clocks import BONUSES

INCREMENTS = 2
"""The layout in which limits may have an increment, a delay, phases, and odds for seats: from 0.4.0 on."""

TIMED_MOVES = 2
"""The layout in which the moves of a match with limits may say how long they took: from 0.4.0 on."""

CLUBS = 2
"""The layout in which there may be organisers, arbiters, guests, and what else a club needs: from 0.4.0 on."""

BUILDS = {("mcts", 2): 2}
"""The layouts in which later versions of built-in bots begin: `mcts` version 2 from 0.4.0 on."""

EXPLORER = 2
"""The layout in which the explorer counts all matches: no release before 0.4.0 keeps its tables."""

NEWEST = INCREMENTS

_OF_CLUBS = frozenset(
    {
        "organiser-appointed",
        "organiser-dismissed",
        "arbiter-named",
        "arbiter-dismissed",
        "build-declared",
        "build-entered",
        "entry-requested",
        "entry-request-ended",
        "entry-link-revoked",
        "entrant-assigned",
        "entrant-seeded",
        "entrant-returned",
        "entrant-present",
        "tournament-paused",
        "tournament-resumed",
        "round-called",
        "round-taken-back",
        "challenge-made",
        "tournament-closed",
        "deadline-extended",
        "table-codes-revoked",
        "game-reported",
        "game-corrected",
        "game-replayed",
        "arbiter-called",
        "arbiter-call-answered",
        "penalty-given",
        "penalty-lifted",
    }
)
"""The types of events that earlier releases do not know at all."""

_OF_CLOCKS = frozenset({"match-paused", "match-resumed", "clock-adjusted"})
"""The types of events of a match that earlier releases do not know."""

_LIMITS_OF_CLOCKS = frozenset({*BONUSES, "phases", "seats"})
"""The limits that earlier releases do not know; limits without them do not name them."""

_TERMS_OF_CLUBS = frozenset({"rounds_begin", "at_table", "rated", "private"})
"""The terms of a tournament that earlier releases do not know; a tournament without them does not name them."""

_FORMATS_OF_CLUBS = frozenset(
    {"scheveningen", "team-round-robin", "team-swiss", "pyramid", "groups", "league", "ladder"}
)
"""The formats that earlier releases do not know."""

TYPES = (
    _OF_CLUBS
    | _OF_CLOCKS
    | {"match-created", "tournament-created", "entrant-registered", "game-decided", "events-copied"}
)
"""The types of events that may need more than layout 1."""


def find_layout(stored: StoredEvent, type: str) -> int:
    """The layout that this event of one of TYPES needs; 1 if every release reads it."""
    if type in _OF_CLUBS | _OF_CLOCKS:
        return CLUBS
    data: Any = parse_json(stored.e)["data"]
    if type == "tournament-created" and _is_of_clubs(data):
        return CLUBS
    if type == "entrant-registered":
        return _layout_of_builds([data["occupant"]])
    if type == "game-decided":
        return CLUBS if "builds" in data else 1
    if type == "events-copied":
        if any('"type":"build-declared"' in line for line in data["events"]):
            return CLUBS
        # Of all else, only the first event of a match says what the others may be.
        first = parse_json(data["events"][0].encode()) if data["events"] else {}
        return _layout_of_match(first["data"]) if first.get("type") == "match-created" else 1
    return _layout_of_match(data) if type == "match-created" else _layout_of_terms(data)


def _is_of_clubs(terms: dict[str, Any]) -> bool:
    """Whether a tournament with these terms is nothing that earlier releases know."""
    if _TERMS_OF_CLUBS & terms.keys() or "asked_byes" in terms.get("scoring", ()):
        return True
    # To earlier releases, a test with more than two seats would not be one.
    is_larger_test = bool(terms.get("sprt")) and terms["seats"] > 2
    return is_larger_test or terms.get("format", {}).get("kind") in _FORMATS_OF_CLUBS


def _layout_of_match(data: dict[str, Any]) -> int:
    return max(_layout_of_terms(data), _layout_of_builds(data["seats"]))


def _layout_of_builds(occupants: list[dict[str, Any] | None]) -> int:
    builds = (each for each in occupants if each and "bot" in each)
    return max((BUILDS.get((each["bot"], each["version"]), 1) for each in builds), default=1)


def _layout_of_terms(data: dict[str, Any]) -> int:
    is_newer = _LIMITS_OF_CLOCKS & (data.get("limits") or {}).keys() or "lag_ms" in data
    return INCREMENTS if is_newer else 1
