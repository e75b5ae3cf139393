"""The pages of the games: their rules in our own words, their options, and a match to step through."""

from flask import Response

from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import RULESETS, list_newest
from plyscribe.service.boards import draw_beginning
from plyscribe.service.lists.matches import FINISHED, MatchFilter
from plyscribe.service.web.api.http import parse_query, principal_if_any
from plyscribe.service.web.api.rulesets import count_matches, find_rules
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.cards import describe_game
from plyscribe.service.web.pages.listed import list_beside
from plyscribe.service.web.pages.rules import render_rules
from plyscribe.service.web.pages.speech import gettext, ngettext
from plyscribe.service.web.schemas import parameters

LATEST = 20
"""Finished matches among which one of a certain version is looked for."""


@blueprint.get("/rulesets")
def list_rulesets() -> Response:
    """Show the newest version of every game, with its starting position."""
    shown = list_newest()
    return show_page("rulesets.html", rulesets=shown, counts=count_matches([each.id for each in shown]))


@blueprint.get("/rulesets/<ruleset>")
def show_ruleset(ruleset: str) -> Response:
    """Show the rules of a game, and its latest finished match."""
    found = find_rules(ruleset, parse_query(parameters.RulesetQuery)["version"])
    versions = [each.version for each in RULESETS if each.id == found.id]
    return show_page(
        "ruleset.html",
        ruleset=found,
        versions=versions,
        rules=render_rules(found.id, found.version),
        options=found.options_schema()["properties"],
        board=draw_beginning(found),
        sample=_find_sample(found),
        card=describe_game(found),
    )


@blueprint.app_template_filter("players")
def count_players(ruleset: AnyRuleset) -> str:
    """How many can play, in words."""
    low, high = ruleset.min_seats, ruleset.max_seats
    if low == high:
        return ngettext("%(num)s player", "%(num)s players", low)
    return gettext("%(low)s to %(high)s players", low=low, high=high)


def _find_sample(ruleset: AnyRuleset) -> dict[str, object] | None:
    """The latest finished match of this version, with the names of its players; None if there is none."""
    rows = list_beside(MatchFilter(ruleset=ruleset.id, status=FINISHED), principal_if_any(), LATEST)
    return next((row for row in rows if row["ruleset_version"] == ruleset.version and row["ply"]), None)
