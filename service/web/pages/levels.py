"""The levels of the server's bots, as pages offer them."""

from itertools import pairwise

from plyscribe.domain.bots import MAX_PLAYOUTS
from plyscribe.domain.levels import LEVELS, MEASURED, Level, list_levels
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.web.api.http import parts
from plyscribe.service.web.charging import is_limited
from plyscribe.service.web.pages.speech import gettext


def count_most_playouts() -> int:
    """The most playouts for a decision that this visitor may have a bot make."""
    return parts().config.max_playouts if is_limited() else MAX_PLAYOUTS


def offer_levels() -> list[tuple[str, str]]:
    """The levels that this visitor may choose, the weakest first: what a form sends, and what people read."""
    return [(_format_choice(level), _describe_level(level)) for level in list_levels(count_most_playouts())]


def offer_bots() -> list[tuple[str, str]]:
    """The bots, for forms that ask for the number of playouts too."""
    simple = [(level.bot, _describe_level(level)) for level in LEVELS if level.playouts is None]
    return [*simple, offer_own_playouts()]


def offer_own_playouts() -> tuple[str, str]:
    """The choice of a bot that makes as many playouts as another field says."""
    return "mcts", gettext("Bot mcts: as strong as its number of trial games makes it")


def say_levels() -> str:
    """How many playouts the levels make that make any."""
    levels = [
        gettext("%(level)s: %(playouts)s", level=_name_level(level.name), playouts=level.playouts)
        for level in list_levels(count_most_playouts())
        if level.playouts
    ]
    return ", ".join(levels)


def say_strengths(ruleset: AnyRuleset) -> list[str]:
    """How each level did against the one below it in this game, in sentences; empty if nobody measured it."""
    games = MEASURED.get(ruleset.id, {})
    return [
        gettext(
            "%(stronger)s won %(won)s of %(games)s games against %(weaker)s.",
            stronger=_name_level(stronger.name),
            weaker=_name_level(weaker.name),
            won=games[stronger.name].won,
            games=sum(games[stronger.name]),
        )
        for weaker, stronger in pairwise(LEVELS)
        if stronger.name in games
    ]


def _format_choice(level: Level) -> str:
    return level.bot if level.playouts is None else f"{level.bot}:{level.playouts}"


def _describe_level(level: Level) -> str:
    """The name of a level with a word on how it plays."""
    match level.name:
        case "beginner":
            return gettext("Beginner bot: plays any move")
        case "casual":
            return gettext("Casual bot: looks one move ahead")
        case "club":
            return gettext("Club bot: thinks ahead")
    return gettext("Strong bot: thinks ahead for longer")


def _name_level(name: str) -> str:
    match name:
        case "beginner":
            return gettext("Beginner")
        case "casual":
            return gettext("Casual")
        case "club":
            return gettext("Club")
    return gettext("Strong")
