"""The reference card beside a board: what its parts mean, and where the game is taught."""

from functools import cache

from markupsafe import Markup

from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.language.sentences import translate
from plyscribe.service.lessons import list_cards, list_lessons
from plyscribe.service.web.pages.blueprint import blueprint
from plyscribe.service.web.pages.speech import page_language, render_page


@blueprint.app_template_global("legend")
def show_legend(ruleset: AnyRuleset, opened: bool = False) -> Markup:
    """The card of a game, in the reader's language; nothing for a game from outside."""
    return _draw_legend(ruleset, page_language(), opened)


@cache
def _draw_legend(ruleset: AnyRuleset, language: str, opened: bool) -> Markup:
    # Every player's page is made anew after every move, and its card stays the same.
    cards = [{**card._asdict(), "meaning": translate(card.meaning, language, {})} for card in list_cards(ruleset)]
    return Markup(render_page("legend.html", cards=cards, opened=opened))  # noqa: S704


@blueprint.app_template_test("taught")
def is_taught(ruleset: AnyRuleset) -> bool:
    """Whether there are lessons for a game."""
    return bool(list_lessons(ruleset))
