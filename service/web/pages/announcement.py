"""The page on which a tournament is announced, made for somebody who never did it before."""

from flask import Response, request

from plyscribe.domain.rulesets import list_newest
from plyscribe.domain.tournament.terms import DEFAULT_TIEBREAKS, MAX_ENTRANTS, REPEATS, TIEBREAKS
from plyscribe.service.access.accounts import Principal
from plyscribe.service.web.api.http import principal_if_any
from plyscribe.service.web.api.rulesets import find_rules
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.format_fields import list_formats
from plyscribe.service.web.pages.option_fields import describe_options
from plyscribe.service.web.pages.speech import gettext
from plyscribe.service.web.pages.time_words import list_usual

MOST_BYES = 3
"""How many byes the form offers that an entrant may ask for."""

USUAL_ENTRANTS = 64


def may_announce(who: Principal | None) -> bool:
    """Whether this visitor may announce a tournament."""
    return who is not None and "organise" in who.scopes


@blueprint.get("/tournaments/new")
def offer_tournament() -> Response:
    """Offer the form that announces a tournament, or say how to become an organiser."""
    who = principal_if_any()
    if not may_announce(who):
        return show_page("become_organiser.html")
    newest = list_newest()
    ruleset = find_rules(request.args.get("ruleset") or newest[0].id)
    return show_page(
        "announce.html",
        games=[(each.title, each.id) for each in newest],
        ruleset=ruleset,
        has_chance=ruleset.has_chance(ruleset.parse_options({})),
        formats=list_formats(),
        repeats=[(repeat, _name_repeat(repeat)) for repeat in REPEATS],
        tiebreaks=TIEBREAKS,
        usual_tiebreaks=DEFAULT_TIEBREAKS,
        most_entrants=MAX_ENTRANTS,
        usual_entrants=USUAL_ENTRANTS,
        most_byes=MOST_BYES,
        **describe_options(ruleset),
        usual_times=list_usual(),
    )


def _name_repeat(repeat: str) -> str:
    match repeat:
        case "once":
            return gettext("One")
        case "rotations":
            return gettext("One from every seat: with two players, each begins once")
    return gettext("One for every order of the seats")
