"""What a match's standing is, and what was checked of it: told from what is recorded, nothing executed again."""

from typing import NamedTuple

from plyscribe.domain.events import MatchRefuted, MatchVerified, RecordedDice
from plyscribe.domain.imported import Import, ImportRefuted, ImportVerified
from plyscribe.domain.match import Lifecycle, Match

CHECKS = {
    "form": "The file has one spelling, and its last line vouches for every byte.",
    "head": "The head line names the ruleset that the match was created with.",
    "behaviour": "That version of the ruleset behaves here as it did where the bundle was made.",
    "chain": "The hash of each event follows from all events before it.",
    "canonical": "Each event is stored in the one canonical spelling.",
    "rules": "Every move, executed a second time by the rules, leads to the recorded events.",
    "dice": "The revealed secret is the one committed to before, and every roll follows from it.",
    "outcome": "The match ended as its rules say, and was scored so.",
    "verdict": "The recorded verdict is the one that is found here.",
    "receipt": "The event has the hash that the receipt names.",
}
"""What each check of `plyscribe.domain.bundle.report` says, in a sentence."""


class Badge(NamedTuple):
    """A badge: `good`, `bad` or `open`, its words, and sentences about what is behind it."""

    kind: str
    badge: str
    told: tuple[str, ...]


def choose_badge(match: Match, imported: Import | None) -> Badge:
    """What became of a match, and what of it was checked."""
    if imported is not None:
        return _choose_import_badge(imported)
    if match.fault is not None and match.life.status not in ("refuted", "annulled"):
        return Badge("bad", "Damaged", (f"Event {match.fault.version} cannot be read: {match.fault.error}",))
    life = match.life
    verdict = life.verdicts[-1] if life.verdicts else None
    match life.status:
        case "open":
            return Badge("open", "Open", ("The match has not begun.",))
        case "playing":
            checked = "Every move was checked against the rules before it was stored."
            return Badge("open", "Live", (checked, "The whole match is executed a second time once it is over."))
        case "ended":
            return Badge("open", "Awaits verification", (_format_wait(life),))
        case "aborted":
            return Badge("bad", "Aborted", ("The match was called off and has no outcome.",))
        case "annulled":
            why = life.annulment.why if life.annulment else ""
            counted = "It counts for nothing; the record of it stays."
            return Badge("bad", "Annulled", (f"Annulled: {why}", counted, *_format_verdict(life, verdict)))
    if isinstance(verdict, MatchRefuted):
        return Badge("bad", "Refuted", _format_verdict(life, verdict))
    return Badge("good", "Verified", _format_verdict(life, verdict))


def _format_wait(life: Lifecycle) -> str:
    if life.awaits_reveal:
        return "Other matches have the same dice. It is executed a second time when the last of them is over."
    return "The match is over and will be executed a second time within moments."


def _format_verdict(life: Lifecycle, verdict: MatchVerified | MatchRefuted | None) -> tuple[str, ...]:
    match verdict:
        case MatchRefuted(version, why):
            return (f"A second execution disagrees from event {version} on: {why}",)
        case MatchVerified(version, digest):
            told = [f"{version} events were executed a second time, with the same result.", CHECKS["chain"]]
            told += [CHECKS["rules"], *_format_dice(life), CHECKS["outcome"]]
            return (*told, f"SHA-256 of the final position: {digest}")
    return ()


def _format_dice(life: Lifecycle) -> list[str]:
    if life.created.dice is None:
        return []
    if isinstance(life.created.dice, RecordedDice):
        return ["The dice were thrown on a table and written down; whether they fell so, nobody can check."]
    if not any(life.entropies):
        return [
            CHECKS["dice"],
            "No seat added entropy: the dice were fixed before, which does not prove that nobody picked them.",
        ]
    return [CHECKS["dice"]]


def _choose_import_badge(imported: Import) -> Badge:
    match imported.verdict:
        case ImportVerified(version, checks):
            begun = f"This match was played elsewhere. Of its {version} events was checked here:"
            return Badge("good", "Imported, verified here", (begun, *(CHECKS[name] for name in checks)))
        case ImportRefuted(version, check, why):
            told = f"This match was played elsewhere. Event {version} is wrong ({check}): {why}"
            return Badge("bad", "Imported, refuted here", (told,))
    return Badge("open", "Imported", ("This match was played elsewhere. Nothing of it was checked here yet.",))
