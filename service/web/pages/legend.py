"""The reference card beside a board: what its parts mean, and where the game is taught."""

from functools import cache
from typing import Any

from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.language.sentences import translate
from plyscribe.service.lessons import list_cards, list_lessons
from plyscribe.service.web.api.http import negotiate_language
from plyscribe.service.web.pages.blueprint import blueprint


@blueprint.app_template_global("legend")
def list_legend(ruleset: AnyRuleset) -> list[dict[str, Any]]:
    """The cards of a game, in the reader's language; nothing for a game from outside."""
    return _say_cards(ruleset, negotiate_language())


@cache
def _say_cards(ruleset: AnyRuleset, language: str) -> list[dict[str, Any]]:
    # Every player's page is made anew after every move, and its card stays the same.
    return [{**card._asdict(), "meaning": translate(card.meaning, language, {})} for card in list_cards(ruleset)]


@blueprint.app_template_test("taught")
def is_taught(ruleset: AnyRuleset) -> bool:
    """Whether there are lessons for a game."""
    return bool(list_lessons(ruleset))
