"""The levels of the built-in bots, by plain names, and how often each beat the one below it."""

from typing import NamedTuple

from plyscribe.domain.bots import PLAYOUTS


class Level(NamedTuple):
    """How strong an opponent somebody wants: the bot, and its playouts for each decision if it makes any."""

    name: str
    bot: str
    playouts: int | None


LEVELS = (
    Level("beginner", "random", None),
    Level("casual", "greedy", None),
    Level("club", "mcts", PLAYOUTS),
    Level("strong", "mcts", 4 * PLAYOUTS),
)
"""All levels, the weakest first."""


class Measured(NamedTuple):
    """Games of a level against the one below it, from each seat equally often."""

    won: int
    level: int
    lost: int


MEASURED: dict[str, dict[str, Measured]] = {
    "crystals": {"casual": Measured(19, 0, 1), "club": Measured(26, 0, 6)},
    "pathagon": {"casual": Measured(20, 0, 0), "club": Measured(20, 0, 0)},
    "portals": {"casual": Measured(20, 0, 0), "club": Measured(18, 0, 2)},
    "rings": {"casual": Measured(20, 0, 0), "club": Measured(18, 0, 2)},
    "zhen": {"casual": Measured(19, 0, 1), "club": Measured(18, 0, 2), "strong": Measured(13, 0, 7)},
}
"""By ruleset and level: two seats and the usual options, as `python -m bench.strength` plays them."""


def list_levels(most_playouts: int) -> list[Level]:
    """The levels for somebody whose bots make at most so many playouts for a decision, the weakest first.

    A level that would need more makes as many as it may, or is left out if another already does.
    """
    found: dict[tuple[str, int | None], Level] = {}
    for level in LEVELS:
        playouts = level.playouts and min(level.playouts, most_playouts)
        found.setdefault((level.bot, playouts), level._replace(playouts=playouts))
    return list(found.values())
