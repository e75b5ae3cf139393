"""The ratings ledger: given entries, when a match is rated or unrated, then these entries follow."""

from collections.abc import Sequence
from typing import Any

import pytest

from plyscribe.domain.chain import StoredEvent, canonical_json, first_link, link_all
from plyscribe.domain.codec import format_event
from plyscribe.domain.commands import Actor
from plyscribe.domain.errors import FoldError, WrongTime, WrongValue
from plyscribe.domain.ledger import (
    LEDGER,
    Ledger,
    MatchRated,
    MatchUnrated,
    RateMatch,
    RatingsOpened,
    UnrateMatch,
    ledger_of,
)

STREAM = ledger_of("zhen")
OPENING = RatingsOpened("zhen", "bradley-terry-full", {"mu": 25_000_000}, "openskill 6.2.0")
SCORER = Actor("system", "score")
ONE, TWO = ("match-" + name * 26 for name in "12")
PLAYERS = ("ann", "ben")


def rate(match: str, players: tuple[str, ...] = PLAYERS, ranks: tuple[int, ...] = (1, 2)) -> RateMatch:
    return RateMatch(actor=SCORER, at=5, id="00", opening=OPENING, match=match, players=players, ranks=ranks)


def unrate(match: str) -> UnrateMatch:
    return UnrateMatch(actor=SCORER, at=5, id="00", opening=OPENING, match=match, why="cheat")


def given(*commands: Any) -> tuple[Ledger, list[StoredEvent]]:
    ledger, entries = Ledger(STREAM), []
    for command in commands:
        events = LEDGER.decide(command, ledger).events
        stored = link_all(ledger.head or first_link(STREAM), ledger.version + 1, map(format_event, events))
        ledger, entries = LEDGER.fold(ledger, stored), [*entries, *stored]
    return ledger, entries


def data(command: Any, ledger: Ledger) -> list[Any]:
    return [event.data for event in LEDGER.decide(command, ledger).events]


def test_the_first_entry_opens_the_ledger_with_its_model_and_a_later_one_stands_alone():
    ledger, _ = given()
    assert data(rate(ONE), ledger) == [OPENING, MatchRated(ONE, PLAYERS, (1, 2))]
    ledger, _ = given(rate(ONE))
    [event] = LEDGER.decide(rate(TWO), ledger).events
    assert (event.version, event.by, event.data) == (3, "system:score", MatchRated(TWO, PLAYERS, (1, 2)))


def test_a_match_is_unrated_once_after_it_was_rated_or_before_and_then_never_is():
    ledger, _ = given(rate(ONE))
    assert data(unrate(ONE), ledger) == [MatchUnrated(ONE, "cheat")]
    ledger, _ = given(unrate(ONE))
    with pytest.raises(WrongTime) as refused:
        LEDGER.decide(rate(ONE), ledger)
    assert refused.value.code == "rated/annulled"
    ledger, _ = given(rate(ONE), unrate(ONE))
    with pytest.raises(WrongTime):
        LEDGER.decide(unrate(ONE), ledger)


@pytest.mark.parametrize(
    ("players", "ranks"), [(("ann",), (1,)), (("ann", "ann"), (1, 2)), (("ann", "ben"), (1, 2, 3)), ((), ())]
)
def test_rated_are_two_players_or_more_each_with_a_rank(players, ranks):
    with pytest.raises(WrongValue) as refused:
        LEDGER.decide(rate(ONE, players, ranks), Ledger(STREAM))
    assert refused.value.code == "rated/seats"


def test_a_ledger_folds_entry_by_entry_to_what_it_folds_to_at_once_and_holds_inputs_alone():
    ledger, entries = given(rate(ONE), unrate(ONE), rate(TWO))
    assert LEDGER.fold(Ledger(STREAM), entries) == ledger
    assert (ledger.version, ledger.head, ledger.unrated) == (4, entries[-1].h, {ONE})
    _, entries = given(rate(ONE))
    held = {"match": ONE, "players": ["ann", "ben"], "ranks": [1, 2]}
    assert canonical_json(held) in entries[1].e


def without_opening(entries: Sequence[StoredEvent]) -> list[StoredEvent]:
    raw = entries[1].e.replace(b'"version":2', b'"version":1')
    return link_all(first_link(STREAM), 1, [raw])


def test_a_ledger_begins_with_its_opening_and_has_no_other():
    _, entries = given(rate(ONE))
    with pytest.raises(FoldError):
        LEDGER.fold(Ledger(STREAM), without_opening(entries))
    again = entries[0].e.replace(b'"version":1', b'"version":3')
    with pytest.raises(FoldError):
        LEDGER.fold(Ledger(STREAM), [*entries, *link_all(entries[-1].h, 3, [again])])
