"""The bots that play in studies: the rungs of a ladder, from the weakest up."""

from typing import Any, NamedTuple

from plyscribe.domain.bots import Bot, find_bot, make_bot


class Rung(NamedTuple):
    """A built-in bot with its playouts for each decision; None for a bot that takes none."""

    bot: str
    playouts: int | None = None

    @property
    def name(self) -> str:
        """The bot with its playouts, such as `mcts 20`."""
        return self.bot if self.playouts is None else f"{self.bot} {self.playouts}"

    def make_bot(self, seed: str) -> Bot:
        """A new bot, which plays the same moves for the same seed."""
        return make_bot(self.bot, seed, self.playouts)

    def describe(self) -> dict[str, Any]:
        """The rung for JSON, with the version of the bot."""
        return {"name": self.name, "bot": self.bot, "version": find_bot(self.bot).version, "playouts": self.playouts}


RANDOM, GREEDY = Rung("random"), Rung("greedy")


def list_rungs(playouts: int) -> tuple[Rung, Rung, Rung, Rung]:
    """random, greedy, mcts, and mcts with twice as many playouts."""
    return RANDOM, GREEDY, Rung("mcts", playouts), Rung("mcts", 2 * playouts)
