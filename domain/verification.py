"""The second execution: every command of a finished match is decided again, and must lead to the recorded events.

Nothing is checked twice in two ways: who may act, whose turn it is, what the rules allow, what the dice show and how
the match ends are all asked of `decide`, with the recorded inputs.
"""

from collections.abc import Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any

from domain.chain import StoredEvent, canonical_json
from domain.commands import (
    AbortMatch,
    AddEntropy,
    AnnulMatch,
    AnswerDraw,
    Command,
    CreateMatch,
    LeaveSeat,
    MakeMove,
    OfferDraw,
    RecordRoll,
    RecordVerdict,
    ScoreMatch,
    StartMatch,
    TakeBack,
    TakeSeat,
    Withdraw,
    parse_actor,
)
from domain.decide import decide
from domain.dice import commit
from domain.errors import DomainError
from domain.events import (
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
    MatchRefuted,
    MatchScored,
    MatchStarted,
    MatchVerified,
    MoveMade,
    MovesTakenBack,
    SeatLeft,
    SeatTaken,
    SeatWithdrawn,
    ServerDice,
    dump_data,
    format_event,
    parse_event,
)
from domain.match import Match, evolve
from domain.replay import replay


class _Refuted(Exception):
    def __init__(self, version: int, why: str) -> None:
        super().__init__(why)
        self.verdict = MatchRefuted(version, why)


def verify_match(stream: str, entries: Sequence[StoredEvent]) -> MatchVerified | MatchRefuted:
    """The verdict on a match: chain, canonical bytes, rules, dice and outcome, all executed again.

    Refuted names the version of the first event at fault. An event that should follow but is missing counts as the
    version where it should stand.
    """
    try:
        if not entries:
            raise _Refuted(1, "the match was never created")
        recorded = replay(stream, entries)
        if recorded.fault is not None:
            raise _Refuted(recorded.fault.version, str(recorded.fault.error))
        events = _parse_exactly(entries)
        match = _decide_again(stream, events, _revealed_secret(events))
    except _Refuted as refuted:
        return refuted.verdict
    return MatchVerified(match.version, digest_view(match))


def digest_view(match: Match) -> str:
    """SHA-256 of the canonical JSON of the match's present view, in hex."""
    assert match.play is not None
    return sha256(canonical_json(match.play.ruleset.view(match.play.state))).hexdigest()


def _parse_exactly(entries: Sequence[StoredEvent]) -> list[Event]:
    events = [parse_event(entry) for entry in entries]
    for entry, event in zip(entries, events, strict=True):
        if format_event(event) != entry.e:
            raise _Refuted(entry.version, "its bytes are not canonical")
    return events


def _revealed_secret(events: Sequence[Event]) -> bytes | None:
    """The secret behind the dice, which must be the one committed to in the first event."""
    created = events[0].data if events else None
    for event in events:
        if isinstance(event.data, DiceRevealed) and isinstance(created, MatchCreated):
            dice = created.dice
            secret = _parse_hex(event.data.secret)
            if not isinstance(dice, ServerDice) or secret is None or commit(secret) != dice.commitment:
                raise _Refuted(event.version, "the revealed dice are not the ones committed to")
            return secret
    return None


def _parse_hex(text: str) -> bytes | None:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None


def _decide_again(stream: str, events: Sequence[Event], secret: bytes | None) -> Match:
    match = Match(stream)
    for _, group in groupby(events, key=lambda event: event.cause):
        recorded = list(group)
        decided = _decide_group(match, recorded, secret)
        for ours, theirs in zip(decided, recorded, strict=False):
            if ours != theirs:
                raise _Refuted(theirs.version, f"expected {_tell(ours)}, recorded is {_tell(theirs)}")
        if len(recorded) > len(decided):
            raise _Refuted(recorded[len(decided)].version, f"{_tell(recorded[len(decided)])} does not follow")
        if len(decided) > len(recorded):
            raise _Refuted(decided[len(recorded)].version, f"{_tell(decided[len(recorded)])} is missing")
        for event in recorded:
            match = evolve(match, event)
    return match


def _decide_group(match: Match, recorded: list[Event], secret: bytes | None) -> list[Event]:
    first = recorded[0]
    try:
        return decide(_command_behind(recorded, secret), match)
    except DomainError as error:
        raise _Refuted(first.version, str(error)) from None


def _tell(event: Event) -> str:
    return f"{event.data.type} {canonical_json(_public(event)).decode()}"


def _public(event: Event) -> dict[str, Any]:
    return {"by": event.by, **dump_data(event.data)}


def _command_behind(events: list[Event], secret: bytes | None) -> Command:
    """The command that led to events which one append stored together: its inputs stand in the first of them."""
    first = events[0]
    base: dict[str, Any] = {"actor": parse_actor(first.by), "at": first.at, "id": first.cause, "secret": secret}
    match first.data:
        case MatchCreated() as created:
            names = CreateMatch.__dataclass_fields__.keys() - base.keys()
            return CreateMatch(**base, **{name: getattr(created, name) for name in names})
        case SeatTaken(seat, player):
            guest = player if isinstance(player, Guest) else None
            entropy = next((e.data.entropy for e in events[1:2] if isinstance(e.data, EntropyAdded)), None)
            return TakeSeat(**base, seat=seat, guest=guest, entropy=entropy)
        case SeatLeft(seat):
            return LeaveSeat(**base, seat=seat)
        case EntropyAdded(seat, entropy):
            return AddEntropy(**base, seat=seat, entropy=entropy)
        case MatchStarted():
            return StartMatch(**base)
        case MoveMade(seat, move):
            return MakeMove(**base, seat=seat, move=move)
        case DiceRolled(values=values):
            return RecordRoll(**base, values=values)
        case MovesTakenBack(ply):
            return TakeBack(**base, ply=ply)
        case SeatWithdrawn(seat, cause):
            return Withdraw(**base, seat=seat, cause=cause)
        case DrawOffered(seat):
            return OfferDraw(**base, seat=seat)
        case DrawAgreed(seat):
            return AnswerDraw(**base, seat=seat, accept=True)
        case DrawDeclined(seat):
            return AnswerDraw(**base, seat=seat, accept=False)
        case MatchAborted(cause):
            return AbortMatch(**base, cause=cause)
        case MatchVerified() | MatchRefuted() as verdict:
            return RecordVerdict(**base, verdict=verdict)
        case MatchScored(points, ledger):
            return ScoreMatch(**base, points=points, ledger=ledger)
        case MatchAnnulled(why):
            return AnnulMatch(**base, why=why)
    raise _Refuted(first.version, f"no command begins with {first.data.type}")
