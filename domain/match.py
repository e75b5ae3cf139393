"""The match: what its events amount to. `domain.decide` holds the other half, commands to events.

The match has two halves. The lifecycle folds envelopes and knows no rules; the play folds the ruleset. A match whose
play cannot be folded keeps the good prefix and its first fault, and can still be refuted, annulled or aborted.

    open → playing → ended → verified → scored        open | playing → aborted
    ended → refuted → verified                        ended | verified | refuted | scored → annulled
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from domain.chain import StoredEvent, first_link, next_link
from domain.commands import parse_actor
from domain.errors import BrokenChain, DomainError, FoldError, StreamError
from domain.events import (
    Account,
    DiceRevealed,
    DiceRolled,
    DrawAgreed,
    DrawDeclined,
    DrawOffered,
    EntropyAdded,
    Event,
    Guest,
    MatchAborted,
    MatchAnnulled,
    MatchCreated,
    MatchEnded,
    MatchRefuted,
    MatchScored,
    MatchStarted,
    MatchVerified,
    MoveMade,
    MovesTakenBack,
    Occupant,
    SeatLeft,
    SeatTaken,
    SeatWithdrawn,
    parse_event,
)
from domain.ruleset import AnyRuleset, Decision, Over, Turn
from domain.rulesets import find_ruleset

STATUSES = ("open", "playing", "ended", "verified", "refuted", "scored", "aborted", "annulled")


class Seat(NamedTuple):
    """Who a seat is for (None: anyone) and whether that one sat down."""

    occupant: Occupant | None
    seated: bool
    entropy: str | None = None


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """What is known of a match without its rules."""

    created: MatchCreated
    creator: str
    seats: tuple[Seat, ...]
    status: str = "open"
    outcome: MatchEnded | None = None
    secret: str | None = None
    revealed_at: int = 0
    """The version of the event that revealed the dice's secret."""
    verdicts: tuple[MatchVerified | MatchRefuted, ...] = ()


class Step(NamedTuple):
    """A move on the surviving line: the state just before it, and the version of its event."""

    version: int
    seat: int
    move: str
    state: Any


class DrawOffer(NamedTuple):
    """An open offer and the seats that agreed so far, the offering one first."""

    agreed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Play:
    """What the ruleset makes of the events: `steps` is the surviving line, `state` stands after it."""

    ruleset: AnyRuleset
    state: Any
    steps: tuple[Step, ...] = ()
    rolls: int = 0
    offer: DrawOffer | None = None
    offered: frozenset[int] = frozenset()

    @property
    def ply(self) -> int:
        """Moves on the surviving line."""
        return len(self.steps)

    @property
    def turn(self) -> Turn:
        """What the ruleset waits for."""
        return self.ruleset.turn(self.state)

    @property
    def left(self) -> list[int]:
        """The seats that withdrew, in that order."""
        left: list[int] = self.ruleset.view(self.state)["left"]
        return left


class Fault(NamedTuple):
    """The first event that could not be folded, and why."""

    version: int
    error: DomainError


@dataclass(frozen=True, slots=True)
class Match:
    """A match folded up to `version`; `head` is the hash of that event. Version 0 is a match not yet created.

    With a fault, `play` is the good prefix: it stands just before the event at fault.
    """

    stream: str
    version: int = 0
    head: bytes = b""
    lifecycle: Lifecycle | None = None
    play: Play | None = None
    fault: Fault | None = None

    @property
    def life(self) -> Lifecycle:
        """The lifecycle of a created match; FoldError where the first event cannot be read."""
        if self.lifecycle is None:
            raise FoldError(1, "the match was never created")
        return self.lifecycle

    @property
    def turn(self) -> Turn | None:
        """What the match waits for: the outcome once it ended, None while it is open, or aborted, or damaged."""
        if self.lifecycle is None or self.play is None:
            return None
        if self.lifecycle.outcome is not None:
            return Over(self.lifecycle.outcome.reason, self.lifecycle.outcome.ranks)
        return self.play.turn if self.lifecycle.status == "playing" and self.fault is None else None


def fold(match: Match, entries: Iterable[StoredEvent]) -> Match:
    """The match after these stored events; never fails: the first fault is kept in the match."""
    for entry in entries:
        match = _evolve_stored(match, entry)
    return match


def _evolve_stored(match: Match, entry: StoredEvent) -> Match:
    expected = match.version + 1
    linked = entry.h == next_link(match.head or first_link(match.stream), entry.e)
    match = replace(match, version=entry.version, head=entry.h)
    if not (linked and entry.version == expected):
        # Where an event is missing, its place is where the chain breaks.
        match = replace(match, fault=match.fault or Fault(expected, BrokenChain(expected)))
    try:
        return _evolve_halves(match, parse_event(entry))
    except StreamError as error:
        return _with_fault(match, error)


def evolve(match: Match, event: Event) -> Match:
    """The match after one event; its `head` is left for the store to say."""
    return _evolve_halves(replace(match, version=event.version), event)


def _evolve_halves(match: Match, event: Event) -> Match:
    try:
        match = replace(match, lifecycle=_evolve_lifecycle(match.lifecycle, event))
        return match if match.fault else replace(match, play=_evolve_play(match.play, event))
    except DomainError as error:
        return _with_fault(match, error)
    except Exception as error:
        # A ruleset that fails where it should refuse must not take the lifecycle with it.
        return _with_fault(match, FoldError(event.version, f"the ruleset fails with {error!r}"))


def _with_fault(match: Match, error: DomainError) -> Match:
    return match if match.fault else replace(match, fault=Fault(match.version, error))


def _evolve_lifecycle(life: Lifecycle | None, event: Event) -> Lifecycle:
    data = event.data
    if isinstance(data, MatchCreated):
        return _evolve_created(life, event, data)
    if life is None:
        raise FoldError(event.version, "the match was never created")
    match data:
        case MoveMade() | DiceRolled() | MovesTakenBack() | SeatWithdrawn():
            return life
        case DrawOffered() | DrawAgreed() | DrawDeclined():
            return life
        case SeatTaken(seat, occupant):
            return _with_seat(life, event, seat, Seat(occupant, seated=True))
        case SeatLeft(seat):
            return _with_seat(life, event, seat, Seat(None, seated=False))
        case EntropyAdded(seat, entropy):
            return _with_seat(life, event, seat, _seat(life, event, seat)._replace(entropy=entropy))
        case MatchStarted():
            return replace(life, status="playing")
        case MatchEnded():
            return replace(life, status="ended", outcome=data)
        case DiceRevealed(secret):
            return replace(life, secret=secret, revealed_at=event.version)
        case MatchAborted():
            return replace(life, status="aborted")
        case MatchVerified():
            return replace(life, status="verified", verdicts=(*life.verdicts, data))
        case MatchRefuted():
            return replace(life, status="refuted", verdicts=(*life.verdicts, data))
        case MatchScored():
            return replace(life, status="scored")
        case MatchAnnulled():
            return replace(life, status="annulled")


def _evolve_created(life: Lifecycle | None, event: Event, data: MatchCreated) -> Lifecycle:
    if life is not None:
        raise FoldError(event.version, "the match was created before")
    creator = parse_actor(event.by).id
    seats = tuple(Seat(who, seated=isinstance(who, Guest) or who == Account(creator)) for who in data.seats)
    return Lifecycle(data, creator, seats)


def _seat(life: Lifecycle, event: Event, number: int) -> Seat:
    if not 1 <= number <= len(life.seats):
        raise FoldError(event.version, f"there is no seat {number}")
    return life.seats[number - 1]


def _with_seat(life: Lifecycle, event: Event, number: int, seat: Seat) -> Lifecycle:
    _seat(life, event, number)
    return replace(life, seats=(*life.seats[: number - 1], seat, *life.seats[number:]))


def _evolve_play(play: Play | None, event: Event) -> Play:
    match event.data:
        case MatchCreated(ruleset=id, ruleset_version=version, options=options, seats=seats):
            ruleset = find_ruleset(id, version)
            return Play(ruleset, ruleset.initial_state(ruleset.parse_options(options), len(seats)))
    if play is None:
        raise FoldError(event.version, "the match was never created")
    match event.data:
        case MoveMade(seat, text):
            return _play_move(play, event.version, seat, text)
        case DiceRolled(values=values):
            return replace(play, state=play.ruleset.apply_roll(play.state, values), rolls=play.rolls + 1, offer=None)
        case MovesTakenBack(ply):
            return _take_back(play, event.version, ply)
        case SeatWithdrawn(seat):
            return replace(play, state=play.ruleset.withdraw(play.state, seat), offer=None)
        case DrawOffered(seat):
            return replace(play, offer=DrawOffer((seat,)), offered=play.offered | {seat})
        case DrawAgreed(seat):
            return replace(play, offer=DrawOffer((*(play.offer.agreed if play.offer else ()), seat)))
        case DrawDeclined():
            return replace(play, offer=None)
        case MatchEnded(reason, ranks) if not isinstance(play.turn, Over):
            return replace(play, state=play.ruleset.end(play.state, Over(reason, ranks)))
    return play


def _play_move(play: Play, version: int, seat: int, text: str) -> Play:
    ruleset, state = play.ruleset, play.state
    if ruleset.turn(state) != Decision(seat):
        raise FoldError(version, f"it is not seat {seat}'s turn")
    after = ruleset.apply_move(state, ruleset.parse_move(state, text))
    steps = (*play.steps, Step(version, seat, text, state))
    return replace(play, state=after, steps=steps, offer=None, offered=play.offered - {seat})


def _take_back(play: Play, version: int, ply: int) -> Play:
    if not 0 <= ply < play.ply:
        raise FoldError(version, f"there is no move {ply + 1} to take back")
    return replace(play, state=play.steps[ply].state, steps=play.steps[:ply], offer=None, offered=frozenset())
