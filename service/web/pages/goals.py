"""What to try in each game, in the reader's language."""

from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.language.guidance import find_goal
from plyscribe.service.language.sentences import translate
from plyscribe.service.web.api.http import negotiate_language


def say_goal(ruleset: AnyRuleset) -> str:
    """The goal of a game in a sentence; nothing for a game that has none here."""
    goal = find_goal(ruleset)
    return translate(goal, negotiate_language(), {}) if goal else ""
