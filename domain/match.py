"""The match: the state that its events add up to. `plyscribe.domain.decide` turns commands into events.

A match has two halves. The lifecycle knows no rules of games; the play follows the ruleset. If the play cannot be
folded, the match keeps the play before the first fault, and can still be refuted, annulled or aborted.

    open → playing → ended → verified → scored        open | playing → aborted
    ended → refuted → verified                        ended | verified | refuted | scored → annulled
    ended → playing: until its record is confirmed or verified, a recorder takes steps back
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any, NamedTuple

from plyscribe.domain.chain import StoredEvent, first_link, next_link
from plyscribe.domain.codec import ROLL, Event, ReadStep, parse_event, read_steps
from plyscribe.domain.commands import parse_actor
from plyscribe.domain.dice import parse_secret
from plyscribe.domain.errors import BrokenChain, DomainError, FoldError, StreamError, WrongTime
from plyscribe.domain.events import (
    DRAW_AGREED,
    WITHDRAWAL_CAUSES,
    WITHDRAWAL_FAULTS,
    Account,
    Build,
    BuildDeclared,
    BuiltIn,
    ClockAdjusted,
    DiceRevealed,
    DiceRolled,
    DrawAgreed,
    DrawDeclined,
    DrawOffered,
    EntropyAdded,
    Guest,
    LineCopied,
    LineStep,
    MatchAborted,
    MatchAnnulled,
    MatchCreated,
    MatchEnded,
    MatchPaused,
    MatchRefuted,
    MatchResumed,
    MatchScored,
    MatchStarted,
    MatchVerified,
    MoveMade,
    MovesTakenBack,
    Occupant,
    RecordConfirmed,
    SeatLeft,
    SeatTaken,
    SeatWithdrawn,
    SeedsRevealed,
    ServerDice,
    SharedDice,
    StepsTakenBack,
)
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, Roll, Turn
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.seeds import open_seeds

STATUSES = ("open", "playing", "ended", "verified", "refuted", "scored", "aborted", "annulled")

LINE = 2
"""The version of line-copied in a fork: it follows match-created."""


MAX_EVENTS = 50_000
"""Events of a match, after which nobody can move. Sensible matches have some thousands; any may be without a limit.

A limit of what a server keeps, not a rule: a longer match that was recorded before, or elsewhere, is no fault. Do not
raise it: a match that was aborted because it was full must have been full for every later release.
"""


class Seat(NamedTuple):
    """The occupant that a seat is for (None: anyone), and whether that occupant has sat down."""

    occupant: Occupant | None
    seated: bool
    entropy: str | None = None
    since: int = 1
    """The version of the event that opened, reserved or took the seat."""

    builds: tuple[Build, ...] = ()
    """The builds that play or played for it, in order, as its account says."""


class Lifecycle(NamedTuple):
    """The half of a match that needs no rules of games."""

    created: MatchCreated
    creator: str
    seats: tuple[Seat, ...]
    created_at: int
    """UTC milliseconds."""
    status: str = "open"
    outcome: MatchEnded | None = None
    secret: str | None = None
    revealed_at: int = 0
    """The version of the event that revealed the secret of the dice."""
    salts: tuple[str | None, ...] | None = None
    """The entropies of the parent's seats, if this fork continues the parent's server dice."""
    verdicts: tuple[MatchVerified | MatchRefuted, ...] = ()
    score: MatchScored | None = None
    annulment: MatchAnnulled | None = None
    withdrawals: tuple[SeatWithdrawn, ...] = ()
    """All withdrawals recorded in this match, including those that were taken back."""
    abort: Event | None = None
    """The event that aborted the match."""

    confirmed: bool = False
    """Whether the recorder has confirmed that everything is entered right."""

    ended_at: int = 0
    """When the match ended with an outcome (UTC milliseconds); 0 before."""
    seeds_secret: str | None = None
    seeds_revealed_at: int = 0
    """The version of the event that revealed the secret of the bots' seeds."""

    @property
    def players(self) -> tuple[str, ...]:
        """The accounts on the seats, in order; guests and empty seats are left out."""
        return tuple(seat.occupant.player for seat in self.seats if isinstance(seat.occupant, Account))

    @property
    def takes_entropy(self) -> bool:
        """Whether the seats salt the dice: server dice, not shared with other matches and not the parent's."""
        dice = self.created.dice
        return isinstance(dice, ServerDice) and not isinstance(dice, SharedDice) and self.salts is None

    @property
    def awaits_reveal(self) -> bool:
        """Whether the match is over, but its dice stay secret until all matches that share them are over."""
        is_over = self.status not in ("open", "playing")
        return is_over and self.secret is None and isinstance(self.created.dice, SharedDice)

    @property
    def awaits_confirmation(self) -> bool:
        """Whether the match has ended, but its recorder may still take steps back or confirm the record.

        No record waits that cannot be corrected: with server dice the next rolls are known.
        """
        created = self.created
        is_recorded = created.recorder is not None and not isinstance(created.dice, ServerDice)
        return is_recorded and self.status == "ended" and not self.confirmed

    @property
    def entropies(self) -> tuple[str | None, ...]:
        """The salt of the dice from each seat."""
        return tuple(seat.entropy for seat in self.seats) if self.salts is None else self.salts

    @property
    def may_be_rated(self) -> bool:
        """Whether the match counts for ratings, or did until it was annulled."""
        return self.created.rated and any(isinstance(verdict, MatchVerified) for verdict in self.verdicts)


class PlayedMove(NamedTuple):
    """A move on the surviving line, with the state just before it, the version of its event and the time it took."""

    version: int
    seat: int
    move: str
    state: Any
    took_ms: int

    @property
    def is_copied(self) -> bool:
        """Whether the move belongs to the line that the match begins with: nobody made it here."""
        return self.version == LINE


class Interlude(NamedTuple):
    """A step between two moves of the surviving line: after `ply` moves, with the state just before it.

    A roll has `values`, a withdrawal the seat that `left` and why. An agreed draw has neither.
    """

    ply: int
    version: int
    state: Any
    values: tuple[int, ...] = ()
    left: SeatWithdrawn | None = None

    @property
    def seat(self) -> int | None:
        """The seat that left."""
        return self.left.seat if self.left else None


class DrawOffer(NamedTuple):
    """An open offer of a draw; `agreed` are the seats that agreed so far, starting with the one that offered."""

    agreed: tuple[int, ...]


class Pause(NamedTuple):
    """A pause of a match: since when (UTC milliseconds), by whom, and why."""

    at: int
    by: str
    why: str


class Adjustment(NamedTuple):
    """Time that a seat was given, or was taken from it if negative, and how many steps the line had then."""

    seat: int
    add_ms: int
    length: int


class Unmade(NamedTuple):
    """A decision during which a seat left, the milliseconds until it left, and how many steps the line had then."""

    seat: int
    ms: int
    length: int


class Play(NamedTuple):
    """The half of a match that follows the ruleset: `steps` is the surviving line, `state` the state after it.

    `steps` has its moves and `between` its other steps, in order. `since` is when the last event changed the state
    (UTC milliseconds), so it is when the present decision became due; a pause that has ended moves it on by its length.
    `unmade` are the decisions during which a seat left.
    """

    ruleset: AnyRuleset
    state: Any
    since: int
    steps: tuple[PlayedMove, ...] = ()
    rolls: int = 0
    offer: DrawOffer | None = None
    offered: frozenset[int] = frozenset()
    between: tuple[Interlude, ...] = ()
    unmade: tuple[Unmade, ...] = ()
    pause: Pause | None = None
    adjustments: tuple[Adjustment, ...] = ()
    lag_ms: int | None = None
    """The most lag that a move is compensated for; None if moves are not timed."""

    def time_move(self, at: int, thought_ms: int | None) -> tuple[int | None, int]:
        """What a move at this time records: how long it took, and the lag that it is compensated for.

        `thought_ms` is how long its seat had the position, by the word of its program. What is missing from the time
        by our clock is lag. None and 0 if moves are not timed.
        """
        if self.lag_ms is None:
            return None, 0
        elapsed_ms = self.elapsed_at(at)
        lag_ms = 0 if thought_ms is None else min(self.lag_ms, max(0, elapsed_ms - max(0, thought_ms)))
        return elapsed_ms - lag_ms, lag_ms

    def elapsed_at(self, at: int) -> int:
        """The milliseconds that the clock of the present decision has run by this time; never negative."""
        return max(0, (at if self.pause is None else min(at, self.pause.at)) - self.since)

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
        """The seats that withdrew, in order."""
        left: list[int] = self.ruleset.view(self.state)["left"]
        return left

    @property
    def length(self) -> int:
        """Steps on the surviving line: moves, rolls, withdrawals and an agreed draw."""
        return len(self.steps) + len(self.between)

    def list_last(self, count: int) -> list[PlayedMove | Interlude]:
        """The last `count` steps of the surviving line, the latest first; all steps if there are fewer."""
        last: list[PlayedMove | Interlude] = []
        moves, others = len(self.steps), len(self.between)
        for _ in range(min(count, self.length)):
            if others and self.between[others - 1].ply == moves:
                others -= 1
                last.append(self.between[others])
            else:
                moves -= 1
                last.append(self.steps[moves])
        return last

    def time_used(self, seat: int) -> int:
        """The milliseconds that the seat has taken for its moves so far; not for a decision that it did not make."""
        return sum(step.took_ms for step in self.steps if step.seat == seat)

    def list_spent(self, seat: int) -> list[int]:
        """The milliseconds that each move of the seat took, in order, without those with which a line began."""
        return [step.took_ms for step in self.steps if step.seat == seat and step.version > LINE]


class Fault(NamedTuple):
    """The first event that could not be folded, and the reason."""

    version: int
    error: DomainError


def damaged(fault: Fault) -> WrongTime:
    """The refusal of a command that needs a match without a fault."""
    return WrongTime("match/damaged", f"the match cannot go on: {fault.error}", version=fault.version)


class Match(NamedTuple):
    """A match folded up to `version`; `head` is the hash of that event. At version 0 the match is not created yet.

    With a fault, `play` is the play just before the event at fault.
    """

    stream: str
    version: int = 0
    head: bytes = b""
    lifecycle: Lifecycle | None = None
    play: Play | None = None
    fault: Fault | None = None
    at: int = 0
    """When the last readable event was recorded (UTC milliseconds)."""

    @property
    def is_full(self) -> bool:
        """Whether the match has as many events as one may have, so that it can only end."""
        return self.version >= MAX_EVENTS

    @property
    def pause(self) -> Pause | None:
        """The pause of a match under way; None for all others."""
        is_under_way = self.play is not None and self.lifecycle is not None and self.lifecycle.status == "playing"
        return self.play.pause if is_under_way and self.play is not None else None

    def with_head(self, head: bytes) -> "Match":
        """The same match with this hash of its last event."""
        stream, version, _, life, play, fault, at = self
        return Match(stream, version, head, life, play, fault, at)

    @property
    def life(self) -> Lifecycle:
        """The lifecycle of a created match; WrongTime when its first event cannot be read."""
        if self.lifecycle is None:
            raise damaged(self.fault or Fault(1, FoldError(1, "the match was never created")))
        return self.lifecycle

    @property
    def turn(self) -> Turn | None:
        """What the match waits for, or its outcome if it has ended; None if it is open, aborted or damaged."""
        if self.lifecycle is None or self.play is None:
            return None
        if self.lifecycle.outcome is not None:
            return Over(self.lifecycle.outcome.reason, self.lifecycle.outcome.ranks)
        return self.play.turn if self.lifecycle.status == "playing" and self.fault is None else None


def fold(match: Match, entries: Iterable[StoredEvent]) -> Match:
    """The match after these stored events. It never fails: the match records the first fault."""
    entries = list(entries)
    place = 0
    while place < len(entries):
        after = fold_steps(match, read_steps(entries, place))
        place += after.version - match.version
        match = after
        if place < len(entries):
            match, place = _fold_one(match, entries[place]), place + 1
    return match


def fold_steps(match: Match, read: Iterable[ReadStep]) -> Match:
    """The match after these moves and rolls, up to the first one that is not allowed or does not follow.

    Nearly all events are moves and rolls, so this loop decides what a fold costs. _fold_one finds the fault.
    """
    play = match.play
    if play is None or match.fault or play.pause:
        return match
    ruleset, state, since, steps, head = play.ruleset, play.state, play.since, list(play.steps), match.head
    turn, parse_move, apply_move, make = ruleset.turn, ruleset.parse_move, ruleset.apply_move, tuple.__new__
    reached, rolls, between, quota = match.version, play.rolls, list(play.between), play.lag_ms
    with suppress(Exception):
        for expected, ((version, e, h), found) in enumerate(read, match.version + 1):
            if version != expected or sha256(head + e).digest() != h:
                break
            if found.re is ROLL:
                at, values, named = found.groups()
                if int(named) != version:
                    break
                thrown = tuple(map(int, values.split(",")))
                after = ruleset.apply_roll(state, thrown)
                between.append(make(Interlude, (len(steps), version, state, thrown, None)))
                state = after
                since, head, reached, rolls = int(at), h, version, rolls + 1
                continue
            at, _, _, lag, text, seat, spent, named = found.groups()
            decision = turn(state)
            if type(decision) is not Decision or decision.seat != int(seat) or int(named) != version:
                break
            after, now = apply_move(state, parse_move(state, text)), int(at)
            took = now - since if now > since else 0
            if quota is not None:
                lagged = int(lag or 0)
                if spent is None or lagged > quota or lagged > took or int(spent) != took - lagged:
                    break
                took -= lagged
            elif spent is not None or lag is not None:
                break
            # PlayedMove(...) takes twice as long.
            steps.append(make(PlayedMove, (version, decision.seat, text, state, took)))
            state, since, head, reached = after, now, h, version
    if reached == match.version:
        return match
    offered = play.offered - {step.seat for step in steps[play.ply :]}
    more = play.unmade, play.pause, play.adjustments, quota
    play = Play(ruleset, state, since, tuple(steps), rolls, None, offered, tuple(between), *more)
    return match._replace(version=reached, head=head, play=play, at=since)


def _fold_one(match: Match, entry: StoredEvent) -> Match:
    expected = match.version + 1
    linked = entry.h == next_link(match.head or first_link(match.stream), entry.e)
    match = match._replace(version=entry.version, head=entry.h)
    if not (linked and entry.version == expected):
        # If an event is missing, the chain breaks at its version.
        match = match._replace(fault=match.fault or Fault(expected, BrokenChain(expected)))
    try:
        return _evolve_halves(match, parse_event(entry))
    except StreamError as error:
        return _with_fault(match, error)


def evolve(match: Match, event: Event) -> Match:
    """The match after one event; its `head` stays, because only a stored event has a hash."""
    return _evolve_halves(match._replace(version=event.version), event)


def _evolve_halves(match: Match, event: Event) -> Match:
    stream, version, head, life, play, fault, _ = match
    try:
        life = _evolve_lifecycle(stream, life, event)
        if fault is None:
            play = _evolve_play(play, event)
        return Match(stream, version, head, life, play, fault, event.at)
    except DomainError as error:
        return _with_fault(match._replace(lifecycle=life, at=event.at), error)
    except Exception as error:
        # A bug in a ruleset must not damage the lifecycle.
        failed = FoldError(event.version, f"the ruleset fails with {error!r}")
        return _with_fault(match._replace(lifecycle=life, at=event.at), failed)


def _with_fault(match: Match, error: DomainError) -> Match:
    return match if match.fault else match._replace(fault=Fault(match.version, error))


def _evolve_lifecycle(stream: str, life: Lifecycle | None, event: Event) -> Lifecycle:
    data = event.data
    if isinstance(data, MatchCreated):
        return _evolve_created(life, event, data)
    if life is None:
        raise FoldError(event.version, "the match was never created")
    match data:
        case MoveMade() | DiceRolled():
            return life
        case MovesTakenBack() | StepsTakenBack():
            return life._replace(status="playing", outcome=None) if life.status == "ended" else life
        case SeatWithdrawn():
            return life._replace(withdrawals=(*life.withdrawals, data))
        case DrawOffered() | DrawAgreed() | DrawDeclined() | MatchPaused() | MatchResumed() | ClockAdjusted():
            return life
        case LineCopied():
            return _evolve_copied(life, event, data)
        case SeatTaken(seat, occupant):
            return _with_seat(life, event, seat, Seat(occupant, seated=True, since=event.version))
        case SeatLeft(seat):
            return _with_seat(life, event, seat, Seat(None, seated=False, since=event.version))
        case EntropyAdded(seat, entropy):
            return _with_seat(life, event, seat, _seat(life, event, seat)._replace(entropy=entropy))
        case BuildDeclared(seat, build):
            held = _seat(life, event, seat)
            return _with_seat(life, event, seat, held._replace(builds=(*held.builds, build)))
        case MatchStarted():
            return life._replace(status="playing")
        case MatchEnded(ranks=ranks):
            _require_one_each(life, event, ranks, "rank")
            return life._replace(status="ended", outcome=data, ended_at=event.at)
        case RecordConfirmed():
            return life._replace(confirmed=True)
        case DiceRevealed(secret):
            return life._replace(secret=secret, revealed_at=event.version)
        case SeedsRevealed(secret):
            return _with_seeds(stream, life, event, secret)
        case MatchAborted():
            return life._replace(status="aborted", abort=event)
        case MatchVerified():
            return life._replace(status="verified", verdicts=(*life.verdicts, data))
        case MatchRefuted():
            return life._replace(status="refuted", verdicts=(*life.verdicts, data))
        case MatchScored(points=points):
            _require_one_each(life, event, points, "number of points")
            return life._replace(status="scored", score=data)
        case MatchAnnulled():
            return life._replace(status="annulled", annulment=data)


def _evolve_created(life: Lifecycle | None, event: Event, data: MatchCreated) -> Lifecycle:
    if life is not None:
        raise FoldError(event.version, "the match was created before")
    creator = parse_actor(event.by).id
    # Whoever enters a tournament agrees to sit down in its matches.
    seats = tuple(
        Seat(who, isinstance(who, Guest | BuiltIn) or who == Account(creator) or data.tournament is not None)
        for who in data.seats
    )
    return Lifecycle(data, creator, seats, event.at)


def _with_seeds(stream: str, life: Lifecycle, event: Event, secret: str) -> Lifecycle:
    """The lifecycle once the seeds of the bots are known."""
    known = open_seeds(stream, [seat.occupant for seat in life.seats], parse_secret(secret))
    seats = tuple(seat._replace(occupant=who) for seat, who in zip(life.seats, known, strict=True))
    return life._replace(seats=seats, seeds_secret=secret, seeds_revealed_at=event.version)


def _evolve_copied(life: Lifecycle, event: Event, data: LineCopied) -> Lifecycle:
    parent, salts = life.created.parent, data.salts
    moves = sum(isinstance(step, MoveMade) for step in data.steps)
    copied = 0 if parent is None else parent.get("ply")
    if event.version != LINE or not isinstance(copied, int) or not 0 <= copied <= moves:
        raise FoldError(event.version, f"a line of {moves} moves is not how this match begins")
    is_salted = parent is not None and isinstance(life.created.dice, ServerDice) and len(salts or ()) == len(life.seats)
    if salts is not None and not is_salted:
        raise FoldError(event.version, "salts need the server dice of a parent, and there must be one for each seat")
    return life._replace(salts=salts)


def _require_one_each(life: Lifecycle, event: Event, given: Sequence[int], what: str) -> None:
    if len(given) != len(life.seats):
        raise FoldError(event.version, f"there must be one {what} for each of {len(life.seats)} seats")


def _seat(life: Lifecycle, event: Event, number: int) -> Seat:
    if not 1 <= number <= len(life.seats):
        raise FoldError(event.version, f"there is no seat {number}")
    return life.seats[number - 1]


def _with_seat(life: Lifecycle, event: Event, number: int, seat: Seat) -> Lifecycle:
    _seat(life, event, number)
    return life._replace(seats=(*life.seats[: number - 1], seat, *life.seats[number:]))


def _evolve_play(play: Play | None, event: Event) -> Play:
    data = event.data
    if isinstance(data, MatchCreated):
        ruleset = find_ruleset(data.ruleset, data.ruleset_version)
        state = ruleset.initial_state(ruleset.parse_options(data.options), len(data.seats))
        return Play(ruleset, state, event.at, lag_ms=data.lag_ms)
    if play is None:
        raise FoldError(event.version, "the match was never created")
    match data:
        case MoveMade():
            return _play_move(play, event, data)
        case MatchStarted():
            return play._replace(since=event.at)
        case DiceRolled(values=values):
            state = play.ruleset.apply_roll(play.state, values)
            between = _add_interlude(play, event, values)
            return play._replace(state=state, since=event.at, rolls=play.rolls + 1, offer=None, between=between)
        case LineCopied(steps):
            return _copy_line(play, event, steps)
        case MovesTakenBack(ply):
            return _take_back(play, event, ply)
        case StepsTakenBack(steps):
            return _take_back_steps(play, event, steps)
        case SeatWithdrawn() as left:
            return _withdraw(_stop_clock(play, event, left.seat), event, left)
        case MatchAborted(seat=int(seat)):
            return _stop_clock(play, event, seat)
        case DrawOffered(seat):
            return play._replace(offer=DrawOffer((seat,)), offered=play.offered | {seat})
        case DrawAgreed(seat):
            return play._replace(offer=DrawOffer((*(play.offer.agreed if play.offer else ()), seat)))
        case DrawDeclined():
            return play._replace(offer=None)
        case MatchPaused() | MatchResumed() | ClockAdjusted():
            return _change_clock(play, event)
        case MatchEnded(reason, ranks) if not isinstance(play.turn, Over):
            if reason != DRAW_AGREED:
                raise FoldError(event.version, f"the rules do not end the match here, by {reason}")
            state = play.ruleset.end(play.state, Over(reason, ranks))
            return play._replace(state=state, between=_add_interlude(play, event))
    return play


def _copy_line(play: Play, event: Event, steps: Iterable[LineStep]) -> Play:
    made: list[PlayedMove] = []
    between: list[Interlude] = []
    # Nobody thinks about moves that are copied.
    play, lag_ms = play._replace(lag_ms=None), play.lag_ms
    for number, step in enumerate(steps, 1):
        if isinstance(step, DiceRolled) and play.turn != Roll(step.sides, step.count, step.purpose, step.seat):
            raise FoldError(event.version, f"the roll at step {number} of the line is not due")
        if isinstance(step, SeatWithdrawn) and step.cause not in WITHDRAWAL_CAUSES:
            raise FoldError(event.version, f"step {number} of the line withdraws a seat for {step.cause!r}")
        if isinstance(step, SeatWithdrawn) and step.fault not in (None, *WITHDRAWAL_FAULTS):
            raise FoldError(event.version, f"step {number} of the line withdraws a seat for the fault {step.fault!r}")
        # Appending to a tuple would copy it at each step.
        play = _evolve_play(play._replace(steps=(), between=()), event._replace(data=step))
        between += [each._replace(ply=len(made)) for each in play.between]
        made += play.steps
    return play._replace(steps=tuple(made), between=tuple(between), lag_ms=lag_ms)


def _change_clock(play: Play, event: Event) -> Play:
    """The play after a pause began or ended, or after a clock was adjusted."""
    match event.data:
        case MatchPaused(why):
            _require_unpaused(play, event)
            return play._replace(pause=Pause(event.at, event.by, why))
        case MatchResumed():
            if play.pause is None:
                raise FoldError(event.version, "the match is not paused")
            # Since then: a seat that left during the pause may have put another one on turn.
            stopped = max(play.since, play.pause.at)
            return play._replace(since=play.since + max(0, event.at - stopped), pause=None)
        case ClockAdjusted(seat, add_ms):
            return play._replace(adjustments=(*play.adjustments, Adjustment(seat, add_ms, play.length)))
    return play


def _require_unpaused(play: Play, event: Event) -> None:
    if play.pause is not None:
        raise FoldError(event.version, "the match is paused")


def _play_move(play: Play, event: Event, made: MoveMade) -> Play:
    _require_unpaused(play, event)
    ruleset, state = play.ruleset, play.state
    if ruleset.turn(state) != Decision(made.seat):
        raise FoldError(event.version, f"it is not seat {made.seat}'s turn")
    if (made.spent_ms, made.lag_ms) != play.time_move(event.at, made.spent_ms if made.lag_ms else None):
        raise FoldError(event.version, "the move took another time than it says")
    return make_move(play, event, made, ruleset.parse_move(state, made.move))


def make_move(play: Play, event: Event, made: MoveMade, move: Any) -> Play:
    """The play after the move that the seat on turn made with this event. `move` is it as the ruleset parsed it."""
    state, seat = play.state, made.seat
    took_ms = play.elapsed_at(event.at) if made.spent_ms is None else made.spent_ms
    step = PlayedMove(event.version, seat, made.move, state, took_ms)
    after = play.ruleset.apply_move(state, move)
    steps = play.steps + (step,)  # noqa: RUF005 (unpacking copies a long tuple twice)
    offered = play.offered - {seat}
    more = play.between, play.unmade, play.pause, play.adjustments, play.lag_ms
    return Play(play.ruleset, after, event.at, steps, play.rolls, None, offered, *more)


def _take_back(play: Play, event: Event, ply: int) -> Play:
    if not 0 <= ply < play.ply:
        raise FoldError(event.version, f"there is no move {ply + 1} to take back")
    between = tuple(each for each in play.between if each.ply <= ply)
    return _return_to(play, event, play.steps[ply].state, play.steps[:ply], between)


def _take_back_steps(play: Play, event: Event, count: int) -> Play:
    if not 1 <= count <= play.length:
        raise FoldError(event.version, f"there are {play.length} steps to take back, not {count}")
    undone = play.list_last(count)
    moves = sum(isinstance(step, PlayedMove) for step in undone)
    steps = play.steps[: play.ply - moves]
    return _return_to(play, event, undone[-1].state, steps, play.between[: len(play.between) - count + moves])


def _return_to(
    play: Play, event: Event, state: Any, steps: tuple[PlayedMove, ...], between: tuple[Interlude, ...]
) -> Play:
    """The play at this earlier state, whose clock begins anew. Offers of a draw are forgotten."""
    return play._replace(state=state, since=event.at, steps=steps, offer=None, offered=frozenset(), between=between)


def _add_interlude(
    play: Play, event: Event, values: tuple[int, ...] = (), left: SeatWithdrawn | None = None
) -> tuple[Interlude, ...]:
    return play.between + (Interlude(play.ply, event.version, play.state, values, left),)  # noqa: RUF005 (see make_move)


def _stop_clock(play: Play, event: Event, seat: int) -> Play:
    """The play with the time that the seat, which leaves now, has taken for the decision that it does not make."""
    if play.turn != Decision(seat):
        return play
    return play._replace(unmade=(*play.unmade, Unmade(seat, play.elapsed_at(event.at), play.length)))


def _withdraw(play: Play, event: Event, left: SeatWithdrawn) -> Play:
    state = play.ruleset.withdraw(play.state, left.seat)
    after = play._replace(state=state, offer=None, between=_add_interlude(play, event, left=left))
    # A seat that was on turn already keeps its clock running.
    return after if after.turn == play.turn else after._replace(since=event.at)
