"""Which releases read an event: the layout that a store's data must have before the event may be stored there.

A release reads what the release before it stored, but not the other way round. While both work on one store, the newer
one stores nothing that the older one could not read. So whoever adds an event type, a field without which an event
means something else, a version of a ruleset or of a bot says here in which layout it begins.
"""

from typing import Any

from plyscribe.domain.chain import StoredEvent, parse_json

INCREMENTS = 2
"""The layout in which limits may have an increment: from 0.4.0 on."""

CLUBS = 2
"""The layout in which tournaments may have arbiters, guests, and what else a club needs: from 0.4.0 on."""

NEWEST = INCREMENTS

_OF_CLUBS = frozenset(
    {
        "arbiter-named",
        "arbiter-dismissed",
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
        "table-codes-revoked",
        "game-reported",
        "game-corrected",
        "game-replayed",
        "penalty-given",
        "penalty-lifted",
    }
)
"""The types of events that earlier releases do not know at all."""

_TERMS_OF_CLUBS = frozenset({"rounds_begin", "at_table", "rated", "private"})
"""The terms of a tournament that earlier releases do not know; a tournament without them does not name them."""

_FORMATS_OF_CLUBS = frozenset({"scheveningen", "team-round-robin", "team-swiss"})
"""The formats that earlier releases do not know."""

TYPES = _OF_CLUBS | {"match-created", "tournament-created", "events-copied"}
"""The types of events that may need more than layout 1."""


def find_layout(stored: StoredEvent, type: str) -> int:
    """The layout that this event of one of TYPES needs; 1 if every release reads it."""
    if type in _OF_CLUBS:
        return CLUBS
    data: Any = parse_json(stored.e)["data"]
    if type == "tournament-created" and (_TERMS_OF_CLUBS & data.keys() or "asked_byes" in data.get("scoring", ())):
        return CLUBS
    if type == "tournament-created" and data.get("format", {}).get("kind") in _FORMATS_OF_CLUBS:
        return CLUBS
    if type == "tournament-created" and data.get("sprt") and data["seats"] > 2:
        return CLUBS  # to earlier releases it would not be a test
    if type == "events-copied":
        # Only the first event of a match says what the others may be.
        first = parse_json(data["events"][0].encode()) if data["events"] else {}
        return _layout_of_terms(first["data"]) if first.get("type") == "match-created" else 1
    return _layout_of_terms(data)


def _layout_of_terms(data: dict[str, Any]) -> int:
    return INCREMENTS if "increment_ms" in (data.get("limits") or {}) else 1
