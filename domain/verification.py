"""The second execution: every command of a finished match is decided again and must lead to the recorded events.

No check exists twice: who may act, whose turn it is, what the rules allow, what the dice show and how the match ends
are all left to `decide`, with the recorded inputs. An honest match is confirmed by the quick way
(`quick_verification.py`). What that cannot confirm, the careful way here examines event by event.
"""

from collections.abc import Sequence
from hashlib import sha256
from itertools import groupby, takewhile
from typing import Any, NamedTuple

from plyscribe.domain.chain import StoredEvent, canonical_json
from plyscribe.domain.codec import Event, dump_data, is_canonical, parse_event
from plyscribe.domain.commands import Secret
from plyscribe.domain.decide import decide
from plyscribe.domain.decide.who import require_revealed
from plyscribe.domain.dice import commit, parse_secret
from plyscribe.domain.errors import (
    DomainError,
    FoldError,
    UnknownEventShape,
    UnknownEventType,
    UnknownRuleset,
    WrongTime,
)
from plyscribe.domain.events import DiceRolled, MatchRefuted, MatchVerified, ServerDice
from plyscribe.domain.match import Lifecycle, Match, evolve
from plyscribe.domain.quick_verification import confirm_match
from plyscribe.domain.reconstruction import rebuild_command
from plyscribe.domain.replay import replay

MAX_WHY_LENGTH = 500


class _Refuted(Exception):
    def __init__(self, version: int, why: str) -> None:
        super().__init__(why)
        self.verdict = MatchRefuted(version, why[:MAX_WHY_LENGTH])


class Execution(NamedTuple):
    """The verdict of a second execution, and the match folded from its events."""

    verdict: MatchVerified | MatchRefuted
    match: Match


def verify_match(stream: str, entries: Sequence[StoredEvent]) -> MatchVerified | MatchRefuted:
    """The verdict on a finished match: chain, canonical bytes, rules, dice and outcome, all executed again.

    A refutation names the version of the first faulty event; a missing event counts as the version where it should
    be. UnknownRuleset, UnknownEventType and UnknownEventShape are raised, because they are no fault of the match but
    something that this release lacks. WrongTime is raised while server dice are secret: the match is under way, or
    shares them with matches that are.
    """
    return execute_again(stream, entries).verdict


def execute_again(stream: str, entries: Sequence[StoredEvent], believe_dice: bool = False) -> Execution:
    """As verify_match, together with the match.

    With `believe_dice`, a match with secret dice is executed too, and the recorded rolls are taken as they are.
    """
    confirmed = confirm_match(stream, entries)
    if confirmed is not None:
        return Execution(MatchVerified(confirmed.version, digest_view(confirmed)), confirmed)
    recorded = replay(stream, entries)
    try:
        return Execution(_verify(recorded, entries, believe_dice), recorded)
    except _Refuted as refuted:
        return Execution(refuted.verdict, recorded)


def _verify(recorded: Match, entries: Sequence[StoredEvent], believe_dice: bool) -> MatchVerified:
    if not entries:
        raise _Refuted(1, "the match was never created")
    fault = recorded.fault
    if fault is not None and isinstance(fault.error, UnknownRuleset | UnknownEventType | UnknownEventShape):
        raise fault.error
    sound = list(takewhile(lambda entry: fault is None or entry.version < fault.version, entries))
    events = _parse_exactly(sound)
    secret = _find_secret(recorded, believe_dice)
    if fault is None:
        match = _decide_again(recorded.stream, events, secret)
        return MatchVerified(match.version, digest_view(match))
    # An event before the fault may be wrong too, and the verdict names the first one.
    try:
        _decide_again(recorded.stream, events, secret, cut=True)
    except _Refuted as refuted:
        if refuted.verdict.version < fault.version:
            raise
    raise _Refuted(fault.version, str(fault.error))


def _is_under_way(match: Match) -> bool:
    return match.lifecycle is not None and match.lifecycle.status in ("open", "playing")


def _has_secret(match: Match) -> bool:
    """Whether the server dice of the match, if it has any, are still secret for a good reason."""
    return _is_under_way(match) or (match.lifecycle is not None and match.lifecycle.awaits_reveal)


def digest_view(match: Match) -> str:
    """SHA-256 of the canonical JSON of the match's current view, in hex."""
    assert match.play is not None
    return sha256(canonical_json(match.play.ruleset.view(match.play.state))).hexdigest()


def _parse_exactly(entries: Sequence[StoredEvent]) -> list[Event]:
    events = [parse_event(entry) for entry in entries]
    for entry in entries:
        if not is_canonical(entry):
            raise _Refuted(entry.version, "its bytes are not canonical")
    return events


def _find_secret(recorded: Match, believe_dice: bool) -> Secret:
    """What the match revealed. It must match the commitments; only with `believe_dice` may dice be secret still."""
    life = recorded.lifecycle
    if life is None:
        return Secret()
    dice = None if believe_dice and _has_secret(recorded) else _revealed_dice(recorded, life)
    return Secret(dice, _revealed_seeds(recorded, life))


def _revealed_dice(recorded: Match, life: Lifecycle) -> bytes | None:
    """The secret of the match's dice, which must match the commitment; None for a match without server dice."""
    if not isinstance(life.created.dice, ServerDice):
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


def _revealed_seeds(recorded: Match, life: Lifecycle) -> bytes | None:
    """The secret of the bots' seeds, which must match the commitment; None without one, and before the end."""
    if life.created.bots is None or _is_under_way(recorded):
        return None
    secret = parse_secret(life.seeds_secret or "")
    if commit(secret) == life.created.bots.commitment:
        return secret
    if recorded.fault is not None:
        raise _Refuted(recorded.fault.version, str(recorded.fault.error))
    if life.seeds_secret is None:
        raise _Refuted(recorded.version + 1, "seeds-revealed is missing")
    raise _Refuted(life.seeds_revealed_at, "the revealed seeds are not the ones committed to")


def _decide_again(stream: str, events: Sequence[Event], secret: Secret, cut: bool = False) -> Match:
    """The match as decided again. With `cut`, events of the last command may be missing at the end."""
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


def _decide_group(match: Match, recorded: list[Event], secret: Secret) -> list[Event]:
    first = recorded[0]
    try:
        command = rebuild_command(recorded, secret, _recorded_rolls(recorded))
        if command is None:
            raise _Refuted(first.version, f"no command begins with {first.data.type}")
        return decide(command, match)
    except FoldError as error:
        raise _Refuted(error.version, str(error)) from None
    except DomainError as error:
        raise _Refuted(first.version, str(error)) from None
    except _Refuted:
        raise
    except Exception as error:
        # A ruleset that fails in the second execution has not confirmed the first.
        raise _Refuted(first.version, f"the ruleset fails with {error!r}") from error


def _recorded_rolls(recorded: list[Event]) -> tuple[tuple[int, ...], ...]:
    return tuple(event.data.values for event in recorded if isinstance(event.data, DiceRolled))


def _format_event(event: Event) -> str:
    return f"{event.data.type} {canonical_json(_public(event)).decode()}"


def _public(event: Event) -> dict[str, Any]:
    return {"by": event.by, **dump_data(event.data)}
