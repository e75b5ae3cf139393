"""The server's bots: which there are, and the levels that they play at."""

from typing import Any

from flask import Blueprint, Response

from plyscribe.domain.bots import BOTS, MAX_PLAYOUTS
from plyscribe.domain.levels import LEVELS, MEASURED, Level
from plyscribe.service.web.api.http import answer
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.schemas import answers

blueprint = Blueprint("bots", __name__, url_prefix="/v1/bots")


@blueprint.get("")
@operation("rulesets", answers.BotList, open=True)
def list_bots() -> Response:
    """List the server's bots, and levels by plain names.

    Every bot plays every ruleset. `bot` and `playouts` of a level are what a seat or an entrant asks for.
    """
    bots = [
        {
            "bot": name,
            "version": bot.version,
            "playouts": bot.default_playouts,
            "most_playouts": MAX_PLAYOUTS if bot.default_playouts else None,
        }
        for name, bot in BOTS.items()
    ]
    return answer({"bots": bots, "levels": [_describe_level(level) for level in LEVELS]})


def _describe_level(level: Level) -> dict[str, Any]:
    measured = [
        {"ruleset": ruleset, **games[level.name]._asdict()}
        for ruleset, games in sorted(MEASURED.items())
        if level.name in games
    ]
    return {"level": level.name, "bot": level.bot, "playouts": level.playouts, "measured": measured}
