"""The check: each match is a compare-and-set register, and what was acknowledged stands in it, once and in order."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from plyscribe.service.client import Json
from tests.faults.players import Acknowledged, list_moves


@dataclass
class Verdict:
    acknowledged: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    otherwise: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return not (self.lost or self.doubled or self.otherwise)


def check_match(match: str, told: Sequence[Acknowledged], events: Sequence[Json], verdict: Verdict) -> None:
    """Compare what the players of a match were told with its events."""
    verdict.acknowledged += len(told)
    moves = list(list_moves(list(events)))
    expected = [(each.seat, each.move) for each in told]
    found = [(seat, move) for _, _, seat, move in moves]
    if [event["version"] for event in events] != list(range(1, len(events) + 1)):
        verdict.otherwise.append(f"{match}: its versions are not 1, 2, …")
    stored = {(version, hash) for version, hash, _, _ in moves}
    for number, each in enumerate(told):
        first = each.receipt["events"][0]
        if (first["version"], first["hash"]) not in stored:
            verdict.lost.append(f"{match}: move {number}, {each.move}, is not at version {first['version']}")
        elif list(events[first["version"] - 1 : each.receipt["version"]]) != each.receipt["events"]:
            verdict.otherwise.append(f"{match}: the events of move {number} differ from its receipt")
        if each.receipt["hash"] != events[min(each.receipt["version"], len(events)) - 1]["hash"]:
            verdict.lost.append(f"{match}: the hash of the receipt of move {number} is not in the stream")
    if len(found) > len(expected):
        verdict.doubled.append(f"{match}: {len(found)} moves are stored, {len(expected)} were acknowledged")
    elif found != expected and len(found) == len(expected):
        verdict.otherwise.append(f"{match}: the moves are not in the order of their receipts")


def check_settled(match: str, events: Sequence[Json], verdict: Verdict) -> None:
    """A finished match was verified once, scored once, and never refuted."""
    types = Counter(event["type"] for event in events)
    counts = tuple(types[f"match-{what}"] for what in ("verified", "scored", "refuted"))
    if counts != (1, 1, 0):
        verdict.otherwise.append(f"{match}: verified, scored and refuted {counts} times instead of (1, 1, 0)")
