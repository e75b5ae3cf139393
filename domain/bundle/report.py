"""Everything that the events of a match prove without other sources.

    form        every line is spelled canonically, and the end line matches every byte (parse_bundle requires both)
    head        the head line names the ruleset that the match was created with
    behaviour   the ruleset version behaves here as it did on the server that wrote the bundle
    chain       each hash follows from the events before it
    canonical   each event is canonical JSON (RFC 8785)
    rules       every command, decided again, leads to the recorded events
    dice        the revealed secret matches the commitment, and every roll follows from it
    seeds       the revealed seeds of bots match the commitment
    outcome     the match ended as its rules say, and was scored accordingly
    verdict     the recorded verdict matches the one found here
    receipt     the event has the hash that the receipt names; one check a receipt

A bundle gets all checks, stored events those from `chain` on. A match that was rewritten as a whole, by its rules,
passes them all except `receipt`: only a receipt that somebody kept shows it.
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
    BuiltIn,
    DiceRevealed,
    DiceRolled,
    EventData,
    MatchCreated,
    MatchEnded,
    MatchRefuted,
    MatchScored,
    MatchVerified,
    RecordedDice,
    SeedsRevealed,
    SharedDice,
)
from plyscribe.domain.match import LINE, Match
from plyscribe.domain.replay import replay
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.verification import digest_view, execute_again

OK = "ok"
NONE = "none"
UNKNOWN = "unknown"
FAULT = "fault"
RESULTS = (OK, NONE, UNKNOWN, FAULT)
"""Correct; nothing to check, at least not yet; cannot be checked here; wrong."""

BY_RULES = ("rules", "dice", "seeds", "outcome", "verdict")
"""The checks that execute the match a second time."""

CHECKS = ("form", "head", "behaviour", "chain", "canonical", *BY_RULES, "receipt")


class Check(NamedTuple):
    """One check. `why` explains a result other than `ok`.

    A fault has the version of the first faulty event, or of the place where an event is missing; 0 is the head line.
    """

    check: str
    result: str
    why: str | None = None
    version: int | None = None

    @property
    def line(self) -> int | None:
        """The faulty line of the bundle."""
        return None if self.version is None else self.version + 1


class Report(NamedTuple):
    """The checks of a match up to `version`, whose hash is `head`. Version 0 means that no event was read."""

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
    """The report on a bundle and on those of the receipts that are of its match.

    Never fails: whatever is wrong or missing is in the report.
    """
    head, entries = bundle
    behaviour = _check_behaviour(head)
    report = check_match(head.match, entries)
    checks = [Check("form", OK), _check_head(head, entries), behaviour]
    checks += [_doubt(check, behaviour) for check in report.checks]
    checks += [_check_receipt(entries, receipt) for receipt in receipts if receipt.match == head.match]
    return report._replace(checks=tuple(checks))


def check_bytes(raw: bytes, receipts: Iterable[Receipt] = ()) -> Report:
    """As check_bundle, for the bytes of a file. BundleError if not even the first line is that of a bundle."""
    try:
        return check_bundle(parse_bundle(raw), receipts)
    except BundleError as error:
        if error.line == 1:
            raise
        head = parse_head(raw.partition(b"\n")[0])
        return Report(head.match, 0, None, None, (Check("form", FAULT, error.why, error.line - 1),))


def check_match(stream: str, entries: Sequence[StoredEvent]) -> Report:
    """As check_bundle, for all stored events of a match."""
    try:
        verdict, match = execute_again(stream, entries, believe_dice=True)
    except (UnknownRuleset, UnknownEventType, UnknownEventShape) as lacking:
        match = replay(stream, entries)
        checks = [Check(name, UNKNOWN, str(lacking)) for name in BY_RULES]
        checks = [_check_chain(stream, entries), _check_canonical(entries), *checks]
    else:
        if isinstance(verdict, MatchVerified):
            checks = [Check("chain", OK), Check("canonical", OK), Check("rules", OK)]
            checks += [_check_dice(match), _check_seeds(match), _check_outcome(match), _check_verdict(match, entries)]
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
            "behaviour", UNKNOWN, f"{named} behaves differently here: its digest is {ours}, not {head.behaviour}"
        )
    return Check("behaviour", OK)


def _doubt(check: Check, behaviour: Check) -> Check:
    """The check. A fault counts as unknown if the match was played by other rules than ours."""
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
    """The checks of a match that the second execution refuted at one event."""
    checks = [_check_chain(match.stream, entries), _check_canonical(entries)]
    blamed = None if any(check.version == found.version for check in checks) else _blame(entries, found)
    recorded = match.lifecycle.verdicts[-1:] if match.lifecycle else ()
    for name in BY_RULES:
        if name == blamed:
            checks.append(Check(name, FAULT, found.why, found.version))
        elif name == "verdict" and any(isinstance(v, MatchRefuted) and v.version == found.version for v in recorded):
            checks.append(Check(name, OK))
        else:
            checks.append(Check(name, UNKNOWN, f"not checked from event {found.version} on, which is wrong"))
    return checks


def _blame(entries: Sequence[StoredEvent], found: MatchRefuted) -> str:
    """The check of BY_RULES that the faulty event belongs to. For a missing event, the reason begins with its type."""
    type = found.why.partition(" ")[0]
    if found.version <= len(entries):
        with suppress(StreamError):
            type = parse_event(entries[found.version - 1]).data.type
    return _BLAMED.get(type, "rules")


_BLAMED = {
    DiceRolled.type: "dice",
    DiceRevealed.type: "dice",
    SeedsRevealed.type: "seeds",
    MatchEnded.type: "outcome",
    MatchScored.type: "outcome",
    MatchVerified.type: "verdict",
    MatchRefuted.type: "verdict",
}


def _check_dice(match: Match) -> Check:
    dice = match.life.created.dice
    if dice is None:
        return Check("dice", NONE, "nothing in this match is left to chance")
    if isinstance(dice, RecordedDice):
        return Check("dice", NONE, "they were rolled on a table and written down")
    if match.life.secret is None:
        until = "all matches that share them end" if isinstance(dice, SharedDice) else "the match ends"
        return Check("dice", NONE, f"they are secret until {until}: the rolls are believed as recorded")
    return Check("dice", OK, _say_believed(match))


def _say_believed(match: Match) -> str | None:
    """Which rolls do not follow from the dice of the match; None if all do.

    A fork does not say which rolls after its last move before `ply` + 1 were its parent's, and which were tried.
    """
    parent, play = match.life.created.parent, match.play
    assert play is not None
    copied = [each for each in play.between if each.version == LINE and each.values]
    if parent is None:
        return "the rolls of the line that it begins with were chosen by its creator" if copied else None
    # If the fork has dice of its own, only the bundle of its parent proves the rolls before it.
    if all(each.ply < parent["ply"] for each in copied):
        return "the rolls before the fork are its parent's"
    return "the rolls before the fork are its parent's, or were chosen by the creator of the fork"


def _check_seeds(match: Match) -> Check:
    created = match.life.created
    if created.bots is None:
        bots = any(isinstance(who, BuiltIn) for who in created.seats)
        return Check("seeds", NONE, "the seeds of its bots are in the open" if bots else "it was created without bots")
    if match.life.seeds_secret is None:
        return Check("seeds", NONE, "the seeds of its bots are secret until the match ends")
    return Check("seeds", OK)


def _check_outcome(match: Match) -> Check:
    if match.life.outcome is not None:
        return Check("outcome", OK)
    why = "the match was aborted" if match.life.status == "aborted" else "the match has not ended"
    return Check("outcome", NONE, why)


def _check_verdict(match: Match, entries: Sequence[StoredEvent]) -> Check:
    """The check of the recorded verdict, the last one, on a match that the second execution found correct."""
    if not match.life.verdicts:
        return Check("verdict", NONE, "none is recorded yet")
    verdict = match.life.verdicts[-1]
    at = _last_version(entries, verdict)
    if isinstance(verdict, MatchRefuted):
        why = f"event {at} says that event {verdict.version} is wrong, but nothing is wrong there: {verdict.why}"
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
        why = f"the bundle ends at version {len(entries)}: it is older, or events were removed from it"
        return Check("receipt", FAULT, f"the receipt is for version {version}, but {why}", len(entries) + 1)
    if entries[version - 1].h != receipt.hash:
        why = f"the receipt for version {version} names the hash {receipt.hash.hex()}: the match was rewritten since"
        return Check("receipt", FAULT, why, version)
    return Check("receipt", OK)
