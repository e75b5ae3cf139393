"""What other sites show beside a link to a page: a title, a sentence and a picture (Open Graph, Twitter cards)."""

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from plyscribe.domain.match import Match
from plyscribe.domain.ruleset import AnyRuleset, Decision
from plyscribe.service.access.reading import may_read
from plyscribe.service.web.api.http import current_request
from plyscribe.service.web.pages.blueprint import blueprint
from plyscribe.service.web.pages.ending import describe_ending
from plyscribe.service.web.pages.speech import gettext


class Card(NamedTuple):
    """What stands beside a link. `path` and `picture` are paths of this server, `embedded` is what oEmbed is asked.

    Some sites link to `path` in the place of the link that they were given; None if they must not.
    """

    title: str
    sentence: str
    path: str | None
    picture: str
    alternative: str
    """The picture in words."""

    embedded: str | None = None


@blueprint.app_template_global("own_origin")
def own_origin() -> str:
    """Our origin as this client knows it."""
    return current_request().own_origin


def describe_game(ruleset: AnyRuleset) -> Card:
    """The card of a game."""
    return Card(
        ruleset.title,
        gettext("Play %(game)s with friends or against a bot, in your browser.", game=ruleset.title),
        f"/rulesets/{ruleset.id}?version={ruleset.version}",
        f"/rulesets/{ruleset.id}/card.png?version={ruleset.version}",
        gettext("The starting position of %(game)s", game=ruleset.title),
    )


def describe_home(ruleset: AnyRuleset) -> Card:
    """The card of the home page, with the board of a game."""
    sentence = gettext("Play board games with friends, watch matches live and step through every move.")
    return describe_game(ruleset)._replace(title="Plyscribe", sentence=sentence, path="/")


def describe_position(state: Match, ply: int, names: Sequence[str]) -> Card | None:
    """The card of a match at a position; None for a match that not everybody may read."""
    if not may_read(state, None) or state.play is None:
        return None
    players, path = " – ".join(names), f"/matches/{state.stream}?ply={ply}"
    return Card(
        f"{players} · {state.play.ruleset.title}",
        _describe_status(state, names),
        path,
        f"/matches/{state.stream}/positions/{ply}/card.png",
        gettext("The board after move %(ply)s", ply=ply) if ply else gettext("The starting position"),
        f"/oembed?{urlencode({'url': current_request().own_origin + path, 'format': 'json'})}",
    )


def describe_invitation(host: str, ruleset: AnyRuleset) -> Card:
    """The card of an invitation: it shows nothing of the match, which may be private."""
    return describe_game(ruleset)._replace(
        title=gettext("%(name)s invites you to play %(game)s", name=host, game=ruleset.title),
        sentence=gettext("Open the link to play. It works in every browser."),
        path=None,
    )


def _describe_status(state: Match, names: Sequence[str]) -> str:
    life, turn = state.life, state.turn
    if (ending := describe_ending(state, names)) is not None:
        return ending.sentence
    if life.status == "open":
        return gettext("The match waits for players.")
    if life.status == "playing" and isinstance(turn, Decision):
        return gettext("The match is under way: %(name)s is to move.", name=names[turn.seat - 1])
    return gettext("The match is under way.") if life.status == "playing" else gettext("The match was called off.")
