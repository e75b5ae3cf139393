"""The checkers of the campaigns find what they are there to find."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.service.client import Json
from tests.faults.checker import Verdict, check_match, check_settled
from tests.faults.failovers import Outcome, judge
from tests.faults.players import Acknowledged


def event(version: int, type: str, **data: Any) -> Json:
    return {"version": version, "type": type, "hash": f"{version:064x}", "data": data}


EVENTS = [
    event(1, "match-created"),
    event(2, "move-made", seat=1, move="a1"),
    event(3, "move-made", seat=2, move="b1"),
    event(4, "move-made", seat=1, move="c1"),
]
TOLD = [
    Acknowledged(each["data"]["seat"], each["data"]["move"], "", each["version"] - 1, {**each, "events": [each]})
    for each in EVENTS[1:]
]


@pytest.mark.parametrize(
    ("told", "events", "found"),
    [
        (TOLD, EVENTS, None),
        (TOLD, EVENTS[:3], "lost"),
        (TOLD[:2], EVENTS, "doubled"),
        (TOLD, [*EVENTS, {**EVENTS[3], "version": 5, "hash": "f" * 64}], "doubled"),
        (TOLD, [*EVENTS[:2], event(3, "move-made", seat=2, move="d1"), EVENTS[3]], "otherwise"),
        (TOLD, [*EVENTS[:2], {**EVENTS[2], "hash": "e" * 64}, EVENTS[3]], "lost"),
    ],
)
def test_a_move_that_is_lost_doubled_or_another_one_is_found(
    told: Sequence[Acknowledged], events: Sequence[Json], found: str | None
):
    verdict = Verdict()
    check_match("match", told, events, verdict)
    assert verdict.acknowledged == len(told)
    assert verdict.is_clean == (found is None)
    assert found is None or getattr(verdict, found)


@pytest.mark.parametrize(
    ("types", "clean"),
    [(["verified", "scored"], True), (["verified", "verified", "scored"], False), (["refuted"], False)],
)
def test_a_verdict_and_a_score_are_there_once(types: list[str], clean: bool):
    verdict = Verdict()
    check_settled("match", [event(number, f"match-{type}") for number, type in enumerate(types, 1)], verdict)
    assert verdict.is_clean == clean


def chain(*names: bytes) -> list[StoredEvent]:
    return link_all(first_link("match-a"), 1, list(names))


WHOLE = chain(b"one", b"two", b"three")
WRITER = SimpleNamespace(stream="match-a", sent=0, unanswered=0, longest_s=0.0, acknowledged=WHOLE)


@pytest.mark.parametrize(
    ("stored", "lost", "doubled", "broken"),
    [
        (WHOLE, 0, 0, 0),
        (WHOLE[:2], 1, 0, 0),
        (chain(b"one", b"other", b"three"), 2, 0, 0),
        (chain(b"one", b"two", b"three", b"two"), 0, 1, 0),
        ([WHOLE[0], WHOLE[2]], 1, 0, 1),
    ],
)
def test_what_a_failover_lost_doubled_or_broke_is_found(
    stored: list[StoredEvent], lost: int, doubled: int, broken: int
):
    outcome = Outcome()
    judge(WRITER, stored, outcome)  # type: ignore[arg-type]
    assert (len(outcome.lost), len(outcome.doubled), len(outcome.broken)) == (lost, doubled, broken)
    assert outcome.is_clean == (lost == doubled == broken == 0)
