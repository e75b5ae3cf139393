"""Rebuilding the command behind recorded events, so that it can be decided again."""

from collections.abc import Iterator
from typing import Any

from plyscribe.domain.codec import Event
from plyscribe.domain.commands import (
    AbortMatch,
    AddEntropy,
    AdjustClock,
    AnnulMatch,
    AnswerDraw,
    Command,
    ConfirmRecord,
    Correct,
    CorrectedStep,
    CreateMatch,
    DeclareBuild,
    LeaveSeat,
    MakeMove,
    OfferDraw,
    PauseMatch,
    PlayOn,
    RecordRoll,
    RecordVerdict,
    ResumeMatch,
    RevealDice,
    ScoreMatch,
    Secret,
    StartMatch,
    TakeBack,
    TakeSeat,
    Withdraw,
    parse_actor,
)
from plyscribe.domain.events import (
    DRAW_AGREED,
    BuildDeclared,
    ClockAdjusted,
    DiceRevealed,
    DiceRolled,
    DrawAgreed,
    DrawDeclined,
    DrawOffered,
    EntropyAdded,
    Guest,
    LineCopied,
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
    RecordConfirmed,
    SeatLeft,
    SeatTaken,
    SeatWithdrawn,
    StepsTakenBack,
)


def rebuild_command(
    events: list[Event], secret: Secret | None, rolls: tuple[tuple[int, ...], ...] | None = None
) -> Command | None:
    """The command that led to the events of one append; None if no command begins with the first of them.

    The first event holds the inputs of the command. The second holds more after a created fork (its line), after a
    seat taken with entropy, after a bot's move (further moves), and after steps taken back (those in their place). Dice
    follow from `secret`; without theirs, `rolls` are believed.
    """
    first = events[0]
    base: dict[str, Any] = {"actor": parse_actor(first.by), "at": first.at, "id": first.cause}
    without = secret is None or secret.dice is None
    base |= {"secret": secret, "rolls": rolls if without else None, "again": True}
    match first.data:
        case MatchCreated() as created:
            names = CreateMatch.__dataclass_fields__.keys() - base.keys() - {"line"}
            line = next((e.data for e in events[1:2] if isinstance(e.data, LineCopied)), None)
            return CreateMatch(**base, line=line, **{name: getattr(created, name) for name in names})
        case SeatTaken(seat, player):
            guest = player if isinstance(player, Guest) else None
            entropy = next((e.data.entropy for e in events[1:2] if isinstance(e.data, EntropyAdded)), None)
            return TakeSeat(**base, seat=seat, guest=guest, entropy=entropy)
        case SeatLeft(seat):
            return LeaveSeat(**base, seat=seat)
        case EntropyAdded(seat, entropy):
            return AddEntropy(**base, seat=seat, entropy=entropy)
        case BuildDeclared(seat, build):
            return DeclareBuild(**base, seat=seat, build=build)
        case MatchStarted():
            return StartMatch(**base)
        case MoveMade(seat, move, spent_ms, lag_ms):
            moves = tuple(event.data.move for event in events if isinstance(event.data, MoveMade))
            if moves[1:] and base["actor"].role == "system":
                return PlayOn(**base, moves=moves)
            return MakeMove(**base, seat=seat, move=move, thought_ms=spent_ms if lag_ms else None)
        case DiceRolled(values=values):
            return RecordRoll(**base, values=values)
        case MovesTakenBack(ply):
            return TakeBack(**base, ply=ply)
        case StepsTakenBack(steps):
            if len(events) == 1:
                return TakeBack(**base, steps=steps)
            return Correct(**base, take_back=steps, steps=tuple(_list_entered(events[1:])), replaced=steps)
        case SeatWithdrawn(seat, cause, fault, why):
            return Withdraw(**base, seat=seat, cause=cause, fault=fault, why=why)
        case DrawOffered(seat):
            return OfferDraw(**base, seat=seat)
        case DrawAgreed(seat):
            return AnswerDraw(**base, seat=seat, accept=True)
        case DrawDeclined(seat):
            return AnswerDraw(**base, seat=seat, accept=False)
        case MatchPaused(why):
            return PauseMatch(**base, why=why)
        case MatchResumed(why):
            return ResumeMatch(**base, why=why)
        case ClockAdjusted(seat, add_ms, why):
            return AdjustClock(**base, seat=seat, add_ms=add_ms, why=why)
        case MatchAborted(cause, seat, why):
            if seat is None or (base["actor"].role == "player" and why is None):
                return AbortMatch(**base, cause=cause)
            return Withdraw(**base, seat=seat, cause=cause, why=why)
        case RecordConfirmed():
            return ConfirmRecord(**base)
        case DiceRevealed():
            return RevealDice(**base)
        case MatchVerified() | MatchRefuted() as verdict:
            return RecordVerdict(**base, verdict=verdict)
        case MatchScored(ledger=ledger):
            return ScoreMatch(**base, ledger=ledger)
        case MatchAnnulled(why):
            return AnnulMatch(**base, why=why)
    return None


def _list_entered(events: list[Event]) -> Iterator[CorrectedStep]:
    """The steps that a correction entered. What followed from them is left out."""
    for event in events:
        match event.data:
            case MoveMade(move=move):
                yield move
            case DiceRolled(values=values):
                yield tuple(values)
            case SeatWithdrawn() as left:
                yield left
            case MatchEnded(reason) as end if reason == DRAW_AGREED:
                yield end
