"""What can be checked of a match by its events alone, and what came of it.

    form        one spelling, and the end line vouches for every byte: parse_bundle lets nothing else through
    head        the head line names the ruleset that the match was created with
    behaviour   that ruleset version behaves here as it did where the bundle was made
    chain       each hash follows from the events before it
    canonical   each event is canonical JSON (RFC 8785)
    rules       every command, decided again, leads to the recorded events
    dice        the revealed secret is the one committed to, and every roll follows from it
    outcome     the match ended as its rules say, and was scored so
    verdict     the recorded verdict is the one that is found here
    receipt     the event has the hash that the receipt names, one check a receipt

A bundle is checked for all of them, stored events for those from the chain on. Whoever rewrites the whole of a match by
its rules passes: only a receipt that somebody kept tells.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from plyscribe.domain.bundle.bundle import Bundle, Head, parse_bundle, parse_head
from plyscribe.domain.bundle.receipt import Receipt
from plyscribe.domain.chain import StoredEvent, canonical_json, check_chain, first_link, parse_json
from plyscribe.domain.codec import parse_event
from plyscribe.domain.errors import (
    BrokenChain,
    BundleError,
    NotCanonical,
    StreamError,
    UnknownEventShape,
    UnknownEventType,
    UnknownRuleset,
)
from plyscribe.domain.events import (
    DiceRevealed,
    DiceRolled,
    EventData,
    MatchCreated,
    MatchEnded,
    MatchRefuted,
    MatchScored,
    MatchVerified,
    RecordedDice,
    SharedDice,
)
from plyscribe.domain.match import Match
from plyscribe.domain.replay import replay
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.verification import digest_view, execute_again

OK = "ok"
NONE = "none"
UNKNOWN = "unknown"
FAULT = "fault"
RESULTS = (OK, NONE, UNKNOWN, FAULT)
"""All is right; there is nothing to check, or not yet; it cannot be checked here; something is wrong."""

BY_RULES = ("rules", "dice", "outcome", "verdict")
"""The checks of a second execution."""

CHECKS = ("form", "head", "behaviour", "chain", "canonical", *BY_RULES, "receipt")


class Check(NamedTuple):
    """One thing that was looked at: `why` says what is behind a result other than ok.

    A fault has the version of the first event at fault, or of the place where one is missing; 0 is the head line.
    """

    check: str
    result: str
    why: str | None = None
    version: int | None = None

    @property
    def line(self) -> int | None:
        """The line of the bundle at fault."""
        return None if self.version is None else self.version + 1


class Report(NamedTuple):
    """All that was checked of a match up to `version`, whose hash is `head`; version 0 where nothing was read."""

    match: str
    version: int
    head: bytes | None
    status: str | None
    checks: tuple[Check, ...]

    @property
    def result(self) -> str:
        """`fault` if anything is wrong, else `unknown` if anything could not be checked here, else `ok`."""
        results = {check.result for check in self.checks}
        return next((result for result in (FAULT, UNKNOWN) if result in results), OK)

    @property
    def fault(self) -> Check | None:
        """The first fault in the order of events."""
        faults = [check for check in self.checks if check.result == FAULT]
        return min(faults, key=lambda check: check.version or 0, default=None)


def describe_report(report: Report) -> dict[str, Any]:
    """The report as JSON, with the first fault in the order of events."""
    return {
        "match": report.match,
        "version": report.version,
        "hash": report.head.hex() if report.head else None,
        "status": report.status,
        "result": report.result,
        "fault": report.fault._asdict() if report.fault else None,
        "checks": [check._asdict() for check in report.checks],
    }


def check_bundle(bundle: Bundle, receipts: Iterable[Receipt] = ()) -> Report:
    """All that can be checked of a bundle, and whether each receipt of its match fits.

    Never fails: what is wrong or lacking is in the report.
    """
    head, entries = bundle
    behaviour = _check_behaviour(head)
    report = check_match(head.match, entries)
    checks = [Check("form", OK), _check_head(head, entries), behaviour]
    checks += [_doubt(check, behaviour) for check in report.checks]
    checks += [_check_receipt(entries, receipt) for receipt in receipts if receipt.match == head.match]
    return report._replace(checks=tuple(checks))


def check_bytes(raw: bytes, receipts: Iterable[Receipt] = ()) -> Report:
    """As check_bundle, of the bytes of a file; BundleError where not even the first line is that of a bundle."""
    try:
        return check_bundle(parse_bundle(raw), receipts)
    except BundleError as error:
        if error.line == 1:
            raise
        head = parse_head(raw.partition(b"\n")[0])
        return Report(head.match, 0, None, None, (Check("form", FAULT, error.why, error.line - 1),))


def check_match(stream: str, entries: Sequence[StoredEvent]) -> Report:
    """As check_bundle, of all stored events of a match."""
    try:
        verdict, match = execute_again(stream, entries, believe_dice=True)
    except (UnknownRuleset, UnknownEventType, UnknownEventShape) as lacking:
        match = replay(stream, entries)
        checks = [Check(name, UNKNOWN, str(lacking)) for name in BY_RULES]
        checks = [_check_chain(stream, entries), _check_canonical(entries), *checks]
    else:
        if isinstance(verdict, MatchVerified):
            checks = [Check("chain", OK), Check("canonical", OK), Check("rules", OK)]
            checks += [_check_dice(match), _check_outcome(match), _check_verdict(match, entries)]
        else:
            checks = _check_refuted(match, entries, verdict)
    status = match.lifecycle.status if match.lifecycle else None
    return Report(stream, len(entries), entries[-1].h if entries else None, status, tuple(checks))


def _check_head(head: Head, entries: Sequence[StoredEvent]) -> Check:
    try:
        created = parse_event(entries[0]).data if entries else None
    except StreamError:
        created = None
    if not isinstance(created, MatchCreated):
        return Check("head", UNKNOWN, "event 1 does not say how the match was created")
    if (head.ruleset, head.ruleset_version) != (created.ruleset, created.ruleset_version):
        made = f"{created.ruleset} version {created.ruleset_version}"
        why = f"the head line says {head.ruleset} version {head.ruleset_version}, event 1 created a match of {made}"
        return Check("head", FAULT, why, 0)
    return Check("head", OK)


def _check_behaviour(head: Head) -> Check:
    named = f"{head.ruleset} version {head.ruleset_version}"
    try:
        ours = find_ruleset(head.ruleset, head.ruleset_version).behaviour
    except UnknownRuleset:
        return Check("behaviour", UNKNOWN, f"{named} is not known here")
    if head.behaviour is None or ours is None:
        return Check("behaviour", NONE, f"{named} has no digest {'there' if ours else 'here'}")
    if head.behaviour != ours:
        return Check(
            "behaviour", UNKNOWN, f"{named} behaves otherwise here: its digest is {ours}, not {head.behaviour}"
        )
    return Check("behaviour", OK)


def _doubt(check: Check, behaviour: Check) -> Check:
    """The check, which by other rules than the match was played by finds no fault."""
    if behaviour.result == UNKNOWN and check.result == FAULT and check.check in BY_RULES:
        return Check(check.check, UNKNOWN, f"by the rules here event {check.version} is wrong: {check.why}")
    return check


def _check_chain(stream: str, entries: Sequence[StoredEvent]) -> Check:
    try:
        check_chain(first_link(stream), 0, entries)
    except BrokenChain as error:
        return Check("chain", FAULT, str(error), error.details["version"])
    return Check("chain", OK)


def _check_canonical(entries: Sequence[StoredEvent]) -> Check:
    for entry in entries:
        try:
            if canonical_json(parse_json(entry.e)) != entry.e:
                return Check("canonical", FAULT, f"the bytes of event {entry.version} are not canonical", entry.version)
        except NotCanonical as error:
            return Check("canonical", FAULT, f"event {entry.version}: {error}", entry.version)
    return Check("canonical", OK)


def _check_refuted(match: Match, entries: Sequence[StoredEvent], found: MatchRefuted) -> list[Check]:
    """The checks of a match of which a second execution says that it is wrong at one event."""
    checks = [_check_chain(match.stream, entries), _check_canonical(entries)]
    blamed = None if any(check.version == found.version for check in checks) else _blame(entries, found)
    recorded = match.lifecycle.verdicts[-1:] if match.lifecycle else ()
    for name in BY_RULES:
        if name == blamed:
            checks.append(Check(name, FAULT, found.why, found.version))
        elif name == "verdict" and any(isinstance(v, MatchRefuted) and v.version == found.version for v in recorded):
            checks.append(Check(name, OK))
        else:
            checks.append(Check(name, UNKNOWN, f"not from event {found.version} on, which is wrong"))
    return checks


def _blame(entries: Sequence[StoredEvent], found: MatchRefuted) -> str:
    """Which of BY_RULES the event at fault belongs to; of a missing one the reason begins with its type."""
    type = found.why.partition(" ")[0]
    if found.version <= len(entries):
        with suppress(StreamError):
            type = parse_event(entries[found.version - 1]).data.type
    return _BLAMED.get(type, "rules")


_BLAMED = {
    DiceRolled.type: "dice",
    DiceRevealed.type: "dice",
    MatchEnded.type: "outcome",
    MatchScored.type: "outcome",
    MatchVerified.type: "verdict",
    MatchRefuted.type: "verdict",
}


def _check_dice(match: Match) -> Check:
    dice = match.life.created.dice
    if dice is None:
        return Check("dice", NONE, "there is no chance in it")
    if isinstance(dice, RecordedDice):
        return Check("dice", NONE, "they were thrown on a table and written down")
    if match.life.secret is None:
        until = "all matches that have them end" if isinstance(dice, SharedDice) else "the match ends"
        return Check("dice", NONE, f"they are secret until {until}: its rolls are taken as recorded")
    # Where a fork does not go on with the dice of its parent, only the parent's own bundle proves those.
    return Check("dice", OK, "the rolls before the fork are its parent's" if match.life.created.parent else None)


def _check_outcome(match: Match) -> Check:
    if match.life.outcome is not None:
        return Check("outcome", OK)
    why = "the match was aborted" if match.life.status == "aborted" else "the match has not ended"
    return Check("outcome", NONE, why)


def _check_verdict(match: Match, entries: Sequence[StoredEvent]) -> Check:
    """The recorded verdicts on a match in which a second execution finds nothing wrong: the last one counts."""
    if not match.life.verdicts:
        return Check("verdict", NONE, "none is recorded yet")
    verdict = match.life.verdicts[-1]
    at = _last_version(entries, verdict)
    if isinstance(verdict, MatchRefuted):
        why = f"event {at} says that event {verdict.version} is wrong, but nothing wrong is found: {verdict.why}"
        return Check("verdict", FAULT, why, at)
    ended = _last_version(entries, match.life.outcome)
    if not ended <= verdict.version < at:
        why = f"it covers the events up to {verdict.version}, but the match ended at {ended} and the verdict is {at}"
        return Check("verdict", FAULT, why, at)
    found = digest_view(match)
    if verdict.digest != found:
        why = f"the SHA-256 of the final view is {found}, the verdict says {verdict.digest}"
        return Check("verdict", FAULT, why, at)
    return Check("verdict", OK)


def _last_version(entries: Sequence[StoredEvent], data: EventData | None) -> int:
    return next(entry.version for entry in reversed(entries) if parse_event(entry).data == data)


def _check_receipt(entries: Sequence[StoredEvent], receipt: Receipt) -> Check:
    version = receipt.version
    if version > len(entries):
        why = f"the bundle ends at version {len(entries)}: it was made before, or later events were taken away"
        return Check("receipt", FAULT, f"the receipt is of version {version}, but {why}", len(entries) + 1)
    if entries[version - 1].h != receipt.hash:
        why = f"the receipt of version {version} names the hash {receipt.hash.hex()}: the match was rewritten since"
        return Check("receipt", FAULT, why, version)
    return Check("receipt", OK)
