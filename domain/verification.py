"""The second execution: every command of a finished match is decided again, and must lead to the recorded events.

Nothing is checked twice in two ways: who may act, whose turn it is, what the rules allow, what the dice show and how
the match ends are all asked of `decide`, with the recorded inputs.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import groupby, takewhile
from typing import Any, NamedTuple

from plyscribe.domain.chain import StoredEvent, canonical_json, first_link, link_all
from plyscribe.domain.codec import (
    Event,
    ReadMove,
    dump_data,
    format_event,
    is_canonical,
    parse_event,
    read_move,
    read_moves,
)
from plyscribe.domain.commands import (
    AbortMatch,
    AddEntropy,
    AnnulMatch,
    AnswerDraw,
    Command,
    CreateMatch,
    LeaveSeat,
    MakeMove,
    OfferDraw,
    PlayOn,
    RecordRoll,
    RecordVerdict,
    RevealDice,
    ScoreMatch,
    StartMatch,
    TakeBack,
    TakeSeat,
    Withdraw,
    parse_actor,
)
from plyscribe.domain.decide import decide, draft_decision
from plyscribe.domain.decide.play import MAX_MOVE_LENGTH, MAX_MOVES_A_COMMAND
from plyscribe.domain.decide.who import require_revealed
from plyscribe.domain.dice import commit, parse_secret
from plyscribe.domain.draft import Draft
from plyscribe.domain.errors import (
    DomainError,
    FoldError,
    UnknownEventShape,
    UnknownEventType,
    UnknownRuleset,
    WrongTime,
)
from plyscribe.domain.events import (
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
)
from plyscribe.domain.match import Match, evolve, fold_steps
from plyscribe.domain.replay import replay

MAX_WHY_LENGTH = 500


_Hand = tuple[str, str]
"""Who made a move, as its envelope says, and the seat, in digits."""
_Origin = tuple[str, str, str]
"""At, by and cause of a move, as its envelope says; of other events the cause alone."""


class _Refuted(Exception):
    def __init__(self, version: int, why: str) -> None:
        super().__init__(why)
        self.verdict = MatchRefuted(version, why[:MAX_WHY_LENGTH])


class Execution(NamedTuple):
    """What a second execution found, and the match as its events make it."""

    verdict: MatchVerified | MatchRefuted
    match: Match


def verify_match(stream: str, entries: Sequence[StoredEvent]) -> MatchVerified | MatchRefuted:
    """The verdict on a finished match: chain, canonical bytes, rules, dice and outcome, all executed again.

    Refuted names the version of the first event at fault. An event that should follow but is missing counts as the
    version where it should stand. UnknownRuleset, UnknownEventType and UnknownEventShape are raised: they say what
    this verifier lacks, nothing of the match. So is WrongTime, where server dice are secret: of a match under way, or
    of one that shares them with such matches.
    """
    return execute_again(stream, entries).verdict


def execute_again(stream: str, entries: Sequence[StoredEvent], believe_dice: bool = False) -> Execution:
    """As verify_match, with the match, which is found out on the way.

    With `believe_dice` a match whose dice are secret is executed as well: what they showed is then taken as recorded.
    """
    confirmed = _decide_alike(stream, entries)
    if confirmed is not None:
        return Execution(MatchVerified(confirmed.version, digest_view(confirmed)), confirmed)
    recorded = replay(stream, entries)
    try:
        return Execution(_verify(recorded, entries, believe_dice), recorded)
    except _Refuted as refuted:
        return Execution(refuted.verdict, recorded)


def _decide_alike(stream: str, entries: Sequence[StoredEvent]) -> Match | None:
    """The match, if deciding its commands again leads to exactly these bytes and hashes; None says nothing yet.

    This is all that an honest match costs. What is wrong with another one is for the careful way to find out.
    """
    with suppress(Exception):
        match, place, last, secret = Match(stream), 0, ("", "", ""), _find_secret(entries)
        hands: set[_Hand] = set()
        made: Counter[str] = Counter()
        while place < len(entries):
            if quiet := _quiet_moves(entries, place, hands, last):
                folded = fold_steps(match, quiet)
                if folded.version - match.version < len(quiet):
                    return None
                at, by, cause, *_ = quiet[-1][1].groups()
                match, place, last = folded, place + len(quiet), (at, by, cause)
                made.update(found[3] for _, found in quiet)
            command = _read_command(entries, place, secret)
            origin = _find_origin(command)
            if not _may_follow(origin, last):
                return None
            draft = draft_decision(command, match)
            decided = link_all(match.head or first_link(stream), match.version + 1, map(format_event, draft.events))
            behind = place + len(decided)
            if decided != entries[place:behind]:
                return None
            hands = _let_through(hands, draft, match)
            match, place, last = draft.match.with_head(decided[-1].h), behind, origin
            made[command.id] += 1
        if max(made.values()) > MAX_MOVES_A_COMMAND:
            return None
        return match if match.life.secret or not isinstance(match.life.created.dice, ServerDice) else None
    return None


def _quiet_moves(entries: Sequence[StoredEvent], place: int, hands: set[_Hand], last: _Origin) -> list[ReadMove]:
    """The moves from `place` on that another move follows, each by a hand that was let through before.

    Of such a move a fold asks all that `decide` does: that its seat is on turn, and that it is legal. Nothing else can
    come of it, for the next event is a move. `last` is the origin of the event before them.
    """
    moves: list[ReadMove] = []
    for stored, found in read_moves(entries, place):
        at, by, cause, move, seat, _ = found.groups()
        origin = at, by, cause
        if (by, seat) not in hands or len(move) > MAX_MOVE_LENGTH or not _may_follow(origin, last):
            return moves
        moves.append((stored, found))
        last = origin
    return moves[:-1]


def _may_follow(origin: _Origin, last: _Origin) -> bool:
    """Whether an event of this origin, a command's first one or a bot's move, may stand behind one of that other.

    Several moves of bots that one command makes are what as many commands would make of them, but for their cause, and
    for how many they may be.
    """
    return origin[2] != last[2] or (origin == last and origin[1].startswith("system:"))


def _find_origin(command: Command) -> _Origin:
    is_move = isinstance(command, MakeMove)
    return (str(command.at), str(command.actor), command.id) if is_move else ("", "", command.id)


def _let_through(hands: set[_Hand], draft: Draft, before: Match) -> set[_Hand]:
    """Whose moves `decide` has let through since the lifecycle last changed: what it asks of a hand hangs on that."""
    if draft.match.lifecycle is not before.lifecycle:
        return set()
    made = draft.events[0]
    return hands | {(made.by, str(made.data.seat))} if isinstance(made.data, MoveMade) else hands


def _find_secret(entries: Sequence[StoredEvent]) -> bytes | None:
    """What the match revealed of its dice after its last move; None where it did not."""
    for entry in reversed(entries):
        if b'"type":"move-made"' in entry.e:
            return None
        if b'"type":"dice-revealed"' in entry.e:
            revealed = parse_event(entry).data
            assert isinstance(revealed, DiceRevealed)
            return bytes.fromhex(revealed.secret)
    return None


def _read_command(entries: Sequence[StoredEvent], place: int, secret: bytes | None) -> Command:
    found = read_move(entries[place])
    if not found:
        return _command_behind(_read_inputs(entries, place), secret)
    # That the event is what it says of itself shows when the command leads to the same bytes.
    at, by, cause, move, seat, _ = found.groups()
    return MakeMove(actor=parse_actor(by), at=int(at), id=cause, secret=secret, move=move, seat=int(seat))


def _read_inputs(entries: Sequence[StoredEvent], place: int) -> list[Event]:
    """The events at `place` that hold the inputs of their command.

    That is one, but for a fork, whose line stands in the second, and a seat that is taken with entropy.
    """
    first = parse_event(entries[place])
    if isinstance(first.data, MatchCreated | SeatTaken) and place + 1 < len(entries):
        second = parse_event(entries[place + 1])
        return [first, second] if second.cause == first.cause else [first]
    return [first]


def _verify(recorded: Match, entries: Sequence[StoredEvent], believe_dice: bool) -> MatchVerified:
    if not entries:
        raise _Refuted(1, "the match was never created")
    fault = recorded.fault
    if fault is not None and isinstance(fault.error, UnknownRuleset | UnknownEventType | UnknownEventShape):
        raise fault.error
    sound = list(takewhile(lambda entry: fault is None or entry.version < fault.version, entries))
    events = _parse_exactly(sound)
    secret = None if believe_dice and _has_secret(recorded) else _revealed_secret(recorded)
    if fault is None:
        match = _decide_again(recorded.stream, events, secret)
        return MatchVerified(match.version, digest_view(match))
    # An event before the fault may be wrong as well, and it is the first one that counts.
    try:
        _decide_again(recorded.stream, events, secret, cut=True)
    except _Refuted as refuted:
        if refuted.verdict.version < fault.version:
            raise
    raise _Refuted(fault.version, str(fault.error))


def _is_under_way(match: Match) -> bool:
    return match.lifecycle is not None and match.lifecycle.status in ("open", "playing")


def _has_secret(match: Match) -> bool:
    """Whether it is rightly that the match's server dice, if it has any, are not revealed."""
    return _is_under_way(match) or (match.lifecycle is not None and match.lifecycle.awaits_reveal)


def digest_view(match: Match) -> str:
    """SHA-256 of the canonical JSON of the match's present view, in hex."""
    assert match.play is not None
    return sha256(canonical_json(match.play.ruleset.view(match.play.state))).hexdigest()


def _parse_exactly(entries: Sequence[StoredEvent]) -> list[Event]:
    events = [parse_event(entry) for entry in entries]
    for entry in entries:
        if not is_canonical(entry):
            raise _Refuted(entry.version, "its bytes are not canonical")
    return events


def _revealed_secret(recorded: Match) -> bytes | None:
    """The secret behind the match's dice, which must be the one committed to; None where there are no server dice."""
    life = recorded.lifecycle
    if life is None or not isinstance(life.created.dice, ServerDice):
        return None
    require_revealed(life)
    secret = parse_secret(life.secret or "")
    if commit(secret) == life.created.dice.commitment:
        return secret
    if recorded.fault is not None:
        raise _Refuted(recorded.fault.version, str(recorded.fault.error))
    if _is_under_way(recorded):
        raise WrongTime("match/not-ended", "the dice of a match under way are secret", match_status=life.status)
    if life.secret is None:
        raise _Refuted(recorded.version + 1, "dice-revealed is missing")
    raise _Refuted(life.revealed_at, "the revealed dice are not the ones committed to")


def _decide_again(stream: str, events: Sequence[Event], secret: bytes | None, cut: bool = False) -> Match:
    """The match as decided again; with `cut` the last command's events may be the first of more."""
    match = Match(stream)
    for _, group in groupby(events, key=lambda event: event.cause):
        recorded = list(group)
        decided = _decide_group(match, recorded, secret)
        for ours, theirs in zip(decided, recorded, strict=False):
            if ours != theirs:
                raise _Refuted(theirs.version, f"expected {_format_event(ours)}, recorded is {_format_event(theirs)}")
        if len(recorded) > len(decided):
            raise _Refuted(recorded[len(decided)].version, f"{_format_event(recorded[len(decided)])} does not follow")
        if len(decided) > len(recorded) and not (cut and recorded[-1] is events[-1]):
            raise _Refuted(decided[len(recorded)].version, f"{_format_event(decided[len(recorded)])} is missing")
        for event in recorded:
            match = evolve(match, event)
    return match


def _decide_group(match: Match, recorded: list[Event], secret: bytes | None) -> list[Event]:
    first = recorded[0]
    try:
        return decide(_command_behind(recorded, secret, _recorded_rolls(recorded)), match)
    except FoldError as error:
        raise _Refuted(error.version, str(error)) from None
    except DomainError as error:
        raise _Refuted(first.version, str(error)) from None
    except _Refuted:
        raise
    except Exception as error:
        # A ruleset that fails at its second execution has not confirmed the first one.
        raise _Refuted(first.version, f"the ruleset fails with {error!r}") from error


def _recorded_rolls(recorded: list[Event]) -> tuple[tuple[int, ...], ...]:
    return tuple(event.data.values for event in recorded if isinstance(event.data, DiceRolled))


def _format_event(event: Event) -> str:
    return f"{event.data.type} {canonical_json(_public(event)).decode()}"


def _public(event: Event) -> dict[str, Any]:
    return {"by": event.by, **dump_data(event.data)}


def _command_behind(
    events: list[Event], secret: bytes | None, rolls: tuple[tuple[int, ...], ...] | None = None
) -> Command:
    """The command that led to events which one append stored together: its inputs stand in the first of them.

    Its dice are those of the secret; without one, the rolls that were recorded.
    """
    first = events[0]
    base: dict[str, Any] = {"actor": parse_actor(first.by), "at": first.at, "id": first.cause}
    base |= {"secret": secret, "rolls": rolls if secret is None else None}
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
        case MatchStarted():
            return StartMatch(**base)
        case MoveMade(seat, move):
            moves = tuple(event.data.move for event in events if isinstance(event.data, MoveMade))
            if moves[1:] and base["actor"].role == "system":
                return PlayOn(**base, moves=moves)
            return MakeMove(**base, seat=seat, move=move)
        case DiceRolled(values=values):
            return RecordRoll(**base, values=values)
        case MovesTakenBack(ply):
            return TakeBack(**base, ply=ply)
        case SeatWithdrawn(seat, cause, fault):
            return Withdraw(**base, seat=seat, cause=cause, fault=fault)
        case DrawOffered(seat):
            return OfferDraw(**base, seat=seat)
        case DrawAgreed(seat):
            return AnswerDraw(**base, seat=seat, accept=True)
        case DrawDeclined(seat):
            return AnswerDraw(**base, seat=seat, accept=False)
        case MatchAborted(cause):
            return AbortMatch(**base, cause=cause)
        case DiceRevealed():
            return RevealDice(**base)
        case MatchVerified() | MatchRefuted() as verdict:
            return RecordVerdict(**base, verdict=verdict)
        case MatchScored(ledger=ledger):
            return ScoreMatch(**base, ledger=ledger)
        case MatchAnnulled(why):
            return AnnulMatch(**base, why=why)
    raise _Refuted(first.version, f"no command begins with {first.data.type}")
