"""The badge of a match: whether it was verified, and what was checked. It only reads what is recorded."""

from typing import NamedTuple

from plyscribe.domain.events import BuiltIn, MatchRefuted, MatchVerified, RecordedDice
from plyscribe.domain.imported import Import, ImportRefuted, ImportVerified
from plyscribe.domain.match import Lifecycle, Match

CHECKS = {
    "form": "The file has one spelling, and its last line covers every byte.",
    "head": "The first line names the ruleset that the match was created with.",
    "behaviour": "That version of the ruleset behaves here as it did where the bundle was made.",
    "chain": "The hash of each event follows from all events before it.",
    "canonical": "Each event is stored in the one canonical spelling.",
    "rules": "Every move was played again by the rules and led to the recorded events.",
    "dice": "The revealed secret matches the earlier commitment, and every roll follows from it.",
    "seeds": "The revealed seeds of the server's bots match the earlier commitment.",
    "outcome": "The match ended as its rules say and was scored accordingly.",
    "verdict": "The recorded verdict is the one found here.",
    "receipt": "The event has the hash that the receipt names.",
}
"""What each check of `plyscribe.domain.bundle.report` establishes, in a sentence."""


UNPROVEN = (
    "This does not prove that the match was played like this: anybody can write another match that is consistent. "
    "A receipt that a player kept, or the server that recorded the match, can tell."
)


class Badge(NamedTuple):
    """A badge: `kind` is `good`, `bad` or `open`; `sentences` say what is behind the label."""

    kind: str
    label: str
    sentences: tuple[str, ...]


def label_status(status: str, imported: bool) -> str:
    """The status in the words of a page. Nobody here saw an imported match, so it is not called verified."""
    return "consistent" if imported and status == "verified" else status


def choose_badge(match: Match, imported: Import | None) -> Badge:
    """The badge that sums up what became of a match and what was checked."""
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
            return Badge("open", "Live", (checked, "When it is over, all of it will be checked again."))
        case "ended":
            label = "Awaits confirmation" if life.awaits_confirmation else "Awaits verification"
            return Badge("open", label, (_format_wait(life),))
        case "aborted":
            return Badge("bad", "Aborted", ("The match was called off and has no outcome.",))
        case "annulled":
            why = life.annulment.why if life.annulment else ""
            counted = "It does not count, but its record stays."
            return Badge("bad", "Annulled", (f"Annulled: {why}", counted, *_format_verdict(life, verdict)))
    if isinstance(verdict, MatchRefuted):
        return Badge("bad", "Refuted", _format_verdict(life, verdict))
    return Badge("good", "Verified", _format_verdict(life, verdict))


def _format_wait(life: Lifecycle) -> str:
    if life.awaits_reveal:
        return "Other matches share its dice. It is verified when the last of these matches is over."
    if life.awaits_confirmation:
        return "Its recorder may still correct it. It is verified when the recorder confirms it, or after a while."
    return "The match is over and will be verified in a moment."


def _format_verdict(life: Lifecycle, verdict: MatchVerified | MatchRefuted | None) -> tuple[str, ...]:
    match verdict:
        case MatchRefuted(version, why):
            return (f"Playing the match again gives a different result from event {version} on: {why}",)
        case MatchVerified(version, digest):
            again = f"All {version} events were played again, with the same result."
            final = f"SHA-256 of the final position: {digest}"
            secrets = *_format_dice(life), *_format_seeds(life)
            return (again, CHECKS["chain"], CHECKS["rules"], *secrets, CHECKS["outcome"], final)
    return ()


def _format_dice(life: Lifecycle) -> list[str]:
    if life.created.dice is None:
        return []
    if isinstance(life.created.dice, RecordedDice):
        return ["The dice were thrown at a real table and written down, so nobody can check them."]
    if not any(life.entropies):
        return [
            CHECKS["dice"],
            "No player added salt. The dice were fixed before the match, but the server may have chosen them.",
        ]
    return [CHECKS["dice"]]


def _format_seeds(life: Lifecycle) -> list[str]:
    if any(isinstance(who, BuiltIn) and who.seed is not None for who in life.created.seats):
        return ["The seed of a bot was named when the match was created: anyone could compute its moves beforehand."]
    return [CHECKS["seeds"]] if life.created.bots else []


def _choose_import_badge(imported: Import) -> Badge:
    match imported.verdict:
        case ImportVerified(version, checks):
            origin = f"This match was recorded elsewhere. Its {version} events are consistent. We checked:"
            return Badge("good", "Imported, consistent", (origin, *(CHECKS[name] for name in checks), UNPROVEN))
        case ImportRefuted(version, check, why):
            fault = f"This match was recorded elsewhere. Event {version} is wrong ({check}): {why}"
            return Badge("bad", "Imported, refuted here", (fault,))
    return Badge("open", "Imported", ("This match was recorded elsewhere. It has not been checked here yet.",))
