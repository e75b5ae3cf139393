"""Every ruleset with every number of seats and every preset, and random play in them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from plyscribe.domain.ruleset import Decision, Over, Roll
from plyscribe.domain.rulesets import register
from plyscribe.envs.stepping import Position, Table
from tests.domain.toy import TOY_V1

register(TOY_V1)

RULES = ("crystals", "pathagon", "portals", "rings", "zhen")


@dataclass(frozen=True)
class Case:
    ruleset: str
    seats: int = 2
    options: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([self.ruleset, str(self.seats), *(f"{name}={value}" for name, value in self.options.items())])

    def table(self) -> Table:
        return Table(self.ruleset, self.seats, self.options)

    def short(self, plies: int) -> "Case":
        return Case(self.ruleset, self.seats, {**self.options, "ply_limit": plies})


def list_cases() -> Iterator[Case]:
    for id in RULES:
        rules = Table(id).rules
        for seats in range(rules.min_seats, rules.max_seats + 1):
            for options in ({}, *rules.presets.values()):
                yield Case(id, seats, dict(options))


CASES = list(list_cases())
VARIANTS = [
    Case("portals", 3, {"radius": 2, "demons": True, "dice": True, "capacity": 2}),
    Case("rings", 4, {"scoring": "countdown", "casualties": "out"}),
    Case("zhen", 2, {"tiles": 4, "cubes": 2}),
    Case("toy", 3),
]
"""Options that no preset has, and a ruleset from outside."""
SAMPLE = [Case("crystals", 3), Case("pathagon", 2, {"size": 5}), Case("portals", 2), Case("rings", 3), Case("zhen")]
"""One case a ruleset, for what takes longer."""


def play(table: Table, seed: int, steps: int) -> Iterator[Position]:
    """The positions of random matches, one after the other, dice by dice and id by id."""
    random, position = Random(seed), table.start()
    for _ in range(steps):
        yield position
        match table.turn(position):
            case Roll(sides):
                position = table.roll_die(position, 1 + random.randrange(sides))
            case Decision():
                position = table.act(position, random.choice(table.list_ids(position)))
            case Over():
                position = table.start()
