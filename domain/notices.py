"""The notices that the players of a match get, so that a bot needs to follow nothing else.

A player gets a notice as soon as the match waits for it, and when the match starts, ends or changes in another way that
concerns it. Recorders get no notices, since they only enter what others do.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from plyscribe.domain.codec import dump_data
from plyscribe.domain.deadlines import find_deadline
from plyscribe.domain.events import Account
from plyscribe.domain.match import Lifecycle, Match
from plyscribe.domain.ruleset import Decision
from plyscribe.domain.waiting import list_dues

OWED = {
    "seat": "seat-offered",
    "entropy": "entropy-due",
    "start": "start-due",
    "move": "your-decision",
    "draw": "draw-offered",
}
"""The notice for what a match waits for, by its word in `plyscribe.domain.waiting`."""

BECAME = (
    "match-started",
    "match-ended",
    "match-paused",
    "match-resumed",
    "clock-adjusted",
    "match-aborted",
    "match-annulled",
    "seat-lost",
    "draw-declined",
)
NOTICE_TYPES = (*OWED.values(), *BECAME)


class Notice(NamedTuple):
    """A notice to a player: its type, and its JSON-ready content."""

    player: str
    type: str
    about: dict[str, Any]

    @property
    def name(self) -> str:
        """Unique among the notices to one player at one version of the match."""
        return f"{self.type}:{self.about.get('seat', '')}"


class Notifier:
    """Finds the notices of one match, command after command."""

    def __init__(self, match: Match) -> None:
        self._match = match
        self._owed = _list_owed(match)

    def advance(self, after: Match) -> list[Notice]:
        """The notices that follow from the next command, which took the match to `after`."""
        before, owed_before = self._match, self._owed
        self._match, self._owed = after, _list_owed(after)
        if after.lifecycle is None:
            return []
        notices = [_notify(after, *owed) for owed in self._owed if owed not in owed_before]
        if after.lifecycle is not before.lifecycle:
            # A move leaves the lifecycle as it is, and nearly all commands are moves.
            notices = [*_list_lost_seats(before, after.life), *_list_changes(before, after.life), *notices]
        return [*_list_clock_changes(before, after), *notices, *_list_declines(before, after)]


def list_decisions(before: Match, after: Match) -> dict[int, Notice] | None:
    """The notices between two versions of a match, by version; None if anything but moves and rolls came in between.

    A Notifier finds the same, from a match at each of these versions. None as well for matches with a time limit, whose
    notices tell deadlines, and after an offer of a draw.
    """
    was, play = before.play, after.play
    if was is None or play is None or was.offer or not _is_line(before, after):
        return None
    # Whoever makes the next move of the line was on turn after the step before it.
    due = [(step.version - 1, step.seat) for step in play.steps[was.ply :]]
    if isinstance(after.turn, Decision):
        due.append((after.version, after.turn.seat))
    players = [each.occupant.player if isinstance(each.occupant, Account) else "" for each in after.life.seats]
    return {
        version: Notice(players[seat - 1], OWED["move"], {"seat": seat, "ply": ply, "deadline": None})
        for ply, (version, seat) in enumerate(due, was.ply)
        if version > before.version and players[seat - 1]
    }


def _is_line(before: Match, after: Match) -> bool:
    """Whether each event in between is a step of the line of a match under way without limits."""
    life = after.lifecycle
    if after.fault or life is None or life is not before.lifecycle or life.status != "playing" or life.created.limits:
        return False
    steps = sum(match.play.length * sign for match, sign in ((after, 1), (before, -1)) if match.play)
    return steps == after.version - before.version


Owed = tuple[str, str, int | None, int]
"""What a player owes: who, a word of OWED, the seat and the ply. Decisions at different plies are different."""


def _list_owed(match: Match) -> list[Owed]:
    return [
        (player, what, seat, match.play.ply if match.play and what == "move" else 0)
        for player, what, seat in list_dues(match)
        if what in OWED and (seat is None or match.life.seats[seat - 1].occupant == Account(player))
    ]


def _notify(match: Match, player: str, what: str, seat: int | None, ply: int) -> Notice:
    return Notice(player, OWED[what], _about_due(match, what, seat, ply))


def _about_due(match: Match, what: str, seat: int | None, ply: int) -> dict[str, Any]:
    if seat is None:
        return {}
    if what == "move":
        deadline = find_deadline(match)
        return {"seat": seat, "ply": ply, "deadline": deadline.at if deadline else None}
    if what == "draw" and match.play and match.play.offer:
        return {"seat": seat, "offered_by": match.play.offer.agreed[0]}
    return {"seat": seat}


def _list_changes(before: Match, life: Lifecycle) -> Iterator[Notice]:
    was = before.life.status if before.lifecycle else "open"
    if was == "open" and life.status not in ("open", "aborted"):
        ruleset = {"ruleset": life.created.ruleset, "ruleset_version": life.created.ruleset_version}
        yield from _list_for_all(life, "match-started", ruleset)
    if life.outcome is not None and (before.lifecycle is None or before.life.outcome is None):
        yield from _list_for_all(life, "match-ended", dump_data(life.outcome))
    if was == "ended" and life.status == "playing":
        yield from _list_for_all(life, "match-resumed", {})
    if life.status != was and life.status in ("aborted", "annulled"):
        yield from _list_for_all(life, f"match-{life.status}", {})


def _list_clock_changes(before: Match, after: Match) -> Iterator[Notice]:
    """Notices to all players that a pause began or ended, or that a clock was changed."""
    was, play, life = before.play, after.play, after.life
    if was is None or play is None or life.status != "playing":
        return
    if play.pause is not None and was.pause is None:
        yield from _list_for_all(life, "match-paused", {"why": play.pause.why})
    if play.pause is None and was.pause is not None:
        yield from _list_for_all(life, "match-resumed", {})
    deadline = find_deadline(after)
    for seat, add_ms, _ in play.adjustments[len(was.adjustments) :]:
        about = {"seat": seat, "add_ms": add_ms, "deadline": deadline.at if deadline else None}
        yield from _list_for_all(life, "clock-adjusted", about)


def _list_for_all(life: Lifecycle, type: str, about: dict[str, Any]) -> Iterator[Notice]:
    """One notice for each player who holds a seat or is invited to one."""
    seats: dict[str, list[int]] = {}
    for number, seat in enumerate(life.seats, 1):
        if isinstance(seat.occupant, Account):
            seats.setdefault(seat.occupant.player, []).append(number)
    for player, theirs in seats.items():
        yield Notice(player, type, {"seats": theirs, **about})


def _list_lost_seats(before: Match, life: Lifecycle) -> Iterator[Notice]:
    """Notices to those who left a seat, were removed from it, or are no longer invited to it."""
    for number, (had, has) in enumerate(zip(_seats(before), life.seats, strict=False), 1):
        if isinstance(had.occupant, Account) and had.occupant != has.occupant:
            yield Notice(had.occupant.player, "seat-lost", {"seat": number})


def _seats(match: Match) -> Any:
    return match.life.seats if match.lifecycle else ()


def _list_declines(before: Match, after: Match) -> Iterator[Notice]:
    """Notices to those who agreed to a draw that was declined.

    Only a refusal closes an offer without changing the state of play.
    """
    if not (before.play and after.play and before.play.offer) or after.play.offer or after.life.status != "playing":
        return
    if before.play.state == after.play.state:
        for seat in before.play.offer.agreed:
            occupant = after.life.seats[seat - 1].occupant
            if isinstance(occupant, Account):
                yield Notice(occupant.player, "draw-declined", {"seat": seat})
