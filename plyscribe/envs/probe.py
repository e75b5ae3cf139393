"""`python -m plyscribe.envs.probe` prints a digest over games of every ruleset, and how its rules run.

Two builds with the same digest played the same games, move by move.
"""

from collections.abc import Iterator
from hashlib import sha256

from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import list_newest
from plyscribe.envs import playing
from plyscribe.envs.playing import Player, Task, play_games

GAMES = 5
BOT_STEPS = 60
"""Games of bots are cut off here, because they are slow."""

SEARCH = (Player("mcts", 6), Player("greedy"))


def is_compiled() -> bool:
    """Whether this process runs a compiled build."""
    return not playing.__file__.endswith(".py")


def digest_games() -> str:
    """A digest over random games and games of bots, with all options that may be rated, and any number of seats."""
    digest = sha256()
    for ruleset in list_newest():
        for task, games in _list_tasks(ruleset):
            for game in play_games(task, range(games)):
                digest.update(repr((ruleset.id, tuple(game))).encode())
    return digest.hexdigest()


def _list_tasks(ruleset: AnyRuleset) -> Iterator[tuple[Task, int]]:
    for seats in range(ruleset.min_seats, ruleset.max_seats + 1):
        for options in ({}, *ruleset.presets.values()):
            complete = ruleset.parse_options(dict(options))
            yield Task(ruleset, complete, seats, 1, (), False, True, 10_000), GAMES
            yield Task(ruleset, complete, seats, 2, SEARCH, True, True, BOT_STEPS), 1


if __name__ == "__main__":
    print(digest_games(), "compiled" if is_compiled() else "python")  # noqa: T201
