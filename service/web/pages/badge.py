"""The badge of a match: whether it was verified, and what was checked. It only reads what is recorded."""

from typing import NamedTuple

from plyscribe.domain.events import BuiltIn, MatchRefuted, MatchVerified, RecordedDice
from plyscribe.domain.imported import Import, ImportRefuted, ImportVerified
from plyscribe.domain.match import Lifecycle, Match
from plyscribe.service.web.pages.speech import gettext, gettext_noop

CHECKS = {
    "form": gettext_noop("The file has one spelling, and its last line covers every byte."),
    "head": gettext_noop("The first line names the ruleset that the match was created with."),
    "behaviour": gettext_noop("That version of the ruleset behaves here as it did where the bundle was made."),
    "chain": gettext_noop("The hash of each event follows from all events before it."),
    "canonical": gettext_noop("Each event is stored in the one canonical spelling."),
    "rules": gettext_noop("Every move was played again by the rules and led to the recorded events."),
    "dice": gettext_noop("The revealed secret matches the earlier commitment, and every roll follows from it."),
    "seeds": gettext_noop("The revealed seeds of the server's bots match the earlier commitment."),
    "outcome": gettext_noop("The match ended as its rules say, and its points follow from that."),
    "verdict": gettext_noop("The recorded verdict is the one found here."),
    "receipt": gettext_noop("The event has the hash that the receipt names."),
}
"""What each check of `plyscribe.domain.bundle.report` establishes, in an English sentence."""


UNPROVEN = gettext_noop(
    "This does not prove that the match was played like this: anybody can write another match that is consistent. "
    "A receipt that a player kept, or the server that recorded the match, can tell."
)


class Badge(NamedTuple):
    """A badge: `kind` is `good`, `bad` or `open`; `sentences` say what is behind the label."""

    kind: str
    label: str
    sentences: tuple[str, ...]


_STATUSES = {
    "open": gettext_noop("open"),
    "playing": gettext_noop("playing"),
    "ended": gettext_noop("ended"),
    "verified": gettext_noop("verified"),
    "refuted": gettext_noop("refuted"),
    "scored": gettext_noop("finished"),
    "aborted": gettext_noop("called off"),
    "annulled": gettext_noop("annulled"),
    "consistent": gettext_noop("consistent"),
}


def label_status(status: str, imported: bool) -> str:
    """The status in the words of a page. Nobody here saw an imported match, so it is not called verified."""
    label = "consistent" if imported and status == "verified" else status
    return gettext(_STATUSES[label]) if label in _STATUSES else label


def choose_badge(match: Match, imported: Import | None) -> Badge:
    """The badge that sums up what became of a match and what was checked."""
    if imported is not None:
        return _choose_import_badge(imported)
    if match.fault is not None and match.life.status not in ("refuted", "annulled"):
        damage = gettext(
            "Event %(version)s cannot be read: %(why)s", version=match.fault.version, why=match.fault.error
        )
        return Badge("bad", gettext("Damaged"), (damage,))
    life = match.life
    verdict = life.verdicts[-1] if life.verdicts else None
    match life.status:
        case "open":
            return Badge("open", gettext("Open"), (gettext("The match has not begun."),))
        case "playing":
            checked = gettext("Every move was checked against the rules before it was stored.")
            return Badge(
                "open", gettext("Live"), (checked, gettext("When it is over, all of it will be checked again."))
            )
        case "ended":
            label = gettext("Awaits confirmation") if life.awaits_confirmation else gettext("Awaits verification")
            return Badge("open", label, (_format_wait(life),))
        case "aborted":
            return Badge("bad", gettext("Called off"), (gettext("The match was called off and has no outcome."),))
        case "annulled":
            why = gettext("Annulled: %(why)s", why=life.annulment.why if life.annulment else "")
            counted = gettext("It does not count, but its record stays.")
            return Badge("bad", gettext("Annulled"), (why, counted, *_format_verdict(life, verdict)))
    if isinstance(verdict, MatchRefuted):
        return Badge("bad", gettext("Refuted"), _format_verdict(life, verdict))
    return Badge("good", gettext("Verified"), _format_verdict(life, verdict))


def _format_wait(life: Lifecycle) -> str:
    if life.awaits_reveal:
        return gettext("Other matches share its dice. It is verified when the last of these matches is over.")
    if life.awaits_confirmation:
        return gettext(
            "Its recorder may still correct it. It is verified when the recorder confirms it, or after a while."
        )
    return gettext("The match is over and will be verified in a moment.")


def _format_verdict(life: Lifecycle, verdict: MatchVerified | MatchRefuted | None) -> tuple[str, ...]:
    match verdict:
        case MatchRefuted(version, why):
            again = gettext(
                "Playing the match again gives a different result from event %(version)s on: %(why)s",
                version=version,
                why=why,
            )
            return (again,)
        case MatchVerified(version, digest):
            again = gettext("All %(version)s events were played again, with the same result.", version=version)
            final = gettext("SHA-256 of the final position: %(digest)s", digest=digest)
            secrets = *_format_dice(life), *_format_seeds(life)
            return (again, say_check("chain"), say_check("rules"), *secrets, say_check("outcome"), final)
    return ()


def say_check(name: str) -> str:
    """What a check establishes, in a sentence."""
    return gettext(CHECKS[name])


def _format_dice(life: Lifecycle) -> list[str]:
    if life.created.dice is None:
        return []
    if isinstance(life.created.dice, RecordedDice):
        return [gettext("The dice were thrown at a real table and written down, so nobody can check them.")]
    if not any(life.entropies):
        unsalted = gettext(
            "No player shuffled the dice. They were fixed before the match, but the server may have chosen them."
        )
        return [say_check("dice"), unsalted]
    return [say_check("dice")]


def _format_seeds(life: Lifecycle) -> list[str]:
    if any(isinstance(who, BuiltIn) and who.seed is not None for who in life.created.seats):
        return [
            gettext(
                "The seed of a bot was named when the match was created: anyone could compute its moves beforehand."
            )
        ]
    return [say_check("seeds")] if life.created.bots else []


def _choose_import_badge(imported: Import) -> Badge:
    match imported.verdict:
        case ImportVerified(version, checks):
            origin = gettext(
                "This match was recorded elsewhere. Its %(version)s events are consistent. We checked:", version=version
            )
            return Badge("good", gettext("Imported, consistent"), (origin, *map(say_check, checks), gettext(UNPROVEN)))
        case ImportRefuted(version, check, why):
            fault = gettext(
                "This match was recorded elsewhere. Event %(version)s is wrong (%(check)s): %(why)s",
                version=version,
                check=check,
                why=why,
            )
            return Badge("bad", gettext("Imported, refuted here"), (fault,))
    unchecked = gettext("This match was recorded elsewhere. It has not been checked here yet.")
    return Badge("open", gettext("Imported"), (unchecked,))
