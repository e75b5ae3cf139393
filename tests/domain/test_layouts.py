"""Which layout of a store's data an event needs."""

import json
from dataclasses import asdict

import pytest

from plyscribe.domain.bots import BOTS, build_bot
from plyscribe.domain.bundle.bundle import format_event_line
from plyscribe.domain.chain import StoredEvent, canonical_json
from plyscribe.domain.clocks import BONUSES
from plyscribe.domain.events import BuiltIn
from plyscribe.domain.layouts import BUILDS, CLUBS, INCREMENTS, NEWEST, TYPES, find_layout
from tests.domain.given import new_match
from tests.domain.test_clock import start
from tests.domain.test_events import ALL_EVENT_TYPES, LINES

LIMITS = {"match_ms": 60_000}
GROWING = {**LIMITS, "increment_ms": 1000}
OF_CLOCKS = (
    GROWING,
    {**LIMITS, "delay_ms": 1000},
    {**LIMITS, "bronstein_ms": 1000},
    {**LIMITS, "phases": [{"after": 40, "add_ms": 60_000}]},
)
ODDS = {**LIMITS, "seats": [{"seat": 1, "match_ms": 30_000}]}


def entry(type: str, data: dict) -> StoredEvent:
    return StoredEvent(1, canonical_json({"type": type, "data": data}), b"")


def created(limits: dict | None) -> StoredEvent:
    return new_match("zhen", limits=limits).entries[0]


def test_the_types_and_every_version_of_a_bot_have_some_layout():
    assert ALL_EVENT_TYPES.keys() >= TYPES
    assert NEWEST >= INCREMENTS
    assert BUILDS.keys() == {(name, version) for name, bot in BOTS.items() for version in range(2, bot.version + 1)}
    assert [build_bot("mcts", 7, layout=layout).version for layout in (1, 2)] == [1, 2]


@pytest.mark.parametrize(("limits", "layout"), [(None, 1), (LIMITS, 1), *((each, INCREMENTS) for each in OF_CLOCKS)])
def test_a_match_with_an_increment_needs_the_layout_of_increments(limits, layout):
    first = created(limits)
    assert find_layout(first, "match-created") == layout
    assert find_layout(entry("tournament-created", {"limits": limits}), "tournament-created") == layout
    copied = entry("events-copied", {"events": [format_event_line(first).decode()]})
    assert find_layout(copied, "events-copied") == layout


def test_a_match_with_odds_needs_the_layout_of_increments_and_what_is_copied_later_nothing():
    assert find_layout(created(ODDS), "match-created") == INCREMENTS
    later = start(2, match_ms=60_000, increment_ms=1000).entries[-1]
    assert find_layout(entry("events-copied", {"events": [format_event_line(later).decode()]}), "events-copied") == 1
    assert find_layout(entry("events-copied", {"events": []}), "events-copied") == 1


@pytest.mark.parametrize("type", ["match-paused", "match-resumed", "clock-adjusted"])
def test_what_is_done_to_clocks_needs_the_layout_of_clubs(type):
    assert find_layout(entry(type, {}), type) == CLUBS


NEW = (*BONUSES, "phases", "asked_byes", "lag_ms")
CLUB = {"at_table", "rounds_begin", "rated", "private"}
OLD_FORMATS = {"round-robin", "swiss", "knockout", "gauntlet"}


OLD_TYPES = {"match-created", "tournament-created", "entrant-registered", "game-decided", "events-copied"}


def test_every_recorded_shape_has_a_layout():
    for line in LINES:
        raw = json.loads(line)
        if raw["type"] in TYPES:
            is_new = any(f'"{each}"' in line for each in NEW)
            is_new = is_new or ('"seat":1' in line and raw["type"] != "game-decided")
            is_old = raw["type"] in OLD_TYPES
            is_new = is_new or not is_old or "builds" in raw["data"]
            if raw["type"] == "tournament-created":
                is_new = is_new or CLUB & raw["data"].keys() or raw["data"]["format"]["kind"] not in OLD_FORMATS
            assert find_layout(StoredEvent(1, line.encode(), b""), raw["type"]) == (CLUBS if is_new else 1)


@pytest.mark.parametrize(
    "term",
    [
        {"at_table": True},
        {"rated": True},
        {"scoring": {"asked_byes": 1}},
        {"format": {"kind": "scheveningen"}},
        {"sprt": {"elo0": 0, "elo1": 5}, "seats": 3},
    ],
)
def test_a_tournament_of_a_club_needs_the_layout_of_clubs(term):
    assert find_layout(entry("tournament-created", {"limits": None, **term}), "tournament-created") == CLUBS


def test_a_copy_of_a_match_with_a_build_needs_the_layout_of_clubs():
    lines = [format_event_line(created(None)).decode(), '{"data":{},"type":"build-declared","version":2}']
    assert find_layout(entry("events-copied", {"events": lines}), "events-copied") == CLUBS


@pytest.mark.parametrize(("version", "layout"), [(1, 1), (2, 2)])
def test_a_later_version_of_a_bot_needs_the_layout_it_begins_in(version, layout):
    bot = BuiltIn("mcts", version, 7, 50)
    first = new_match("zhen", (bot, None)).entries[0]
    assert find_layout(first, "match-created") == layout
    copied = entry("events-copied", {"events": [format_event_line(first).decode()]})
    assert find_layout(copied, "events-copied") == layout
    registered = entry("entrant-registered", {"entrant": 1, "occupant": asdict(bot)})
    assert find_layout(registered, "entrant-registered") == layout
