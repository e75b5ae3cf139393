"""The tables of docs/environments.md, made from the spaces: `python -m tests.envs.page` prints them."""

from plyscribe.envs.spaces.planes import Board
from plyscribe.envs.stepping import Table
from tests.envs.cases import RULES


def render_planes(ruleset: str) -> str:
    """The planes with two seats and default options."""
    table = Table(ruleset)
    assert isinstance(table.observer, Board)
    lines, first = ["| planes | names | numbers |", "|---|---|---|"], 0
    for group in table.observer.planes:
        last = first + len(group.names) - 1
        number = f"{first}" if first == last else f"{first}–{last}"
        lines.append(f"| {number} | {_shorten(group.names)} | {group.meaning} |")
        first = last + 1
    return "\n".join(lines)


def _shorten(names: tuple[str, ...]) -> str:
    """The names, with those that each seat has only once."""
    bases = [name.removesuffix(", yours").removesuffix(", seat +1") for name in names]
    if len(names) > 2 and bases[: len(bases) // 2] == bases[len(bases) // 2 :]:
        return f"for each seat: {', '.join(bases[: len(bases) // 2])}"
    once = [f"{base} of each seat" if bases.count(base) == 2 else base for base in bases]
    return ", ".join(dict.fromkeys(once))


def render_sizes(ruleset: str) -> str:
    """A row for each number of seats, with default options."""
    rules = Table(ruleset).rules
    rows = []
    for seats in range(rules.min_seats, rules.max_seats + 1):
        table = Table(ruleset, seats)
        shape = " × ".join(map(str, table.observer.shape))
        rows.append(f"| {ruleset} | {seats} | {table.actions.size:,} | {table.actions.longest} | {shape} |")
    return "\n".join(rows)


if __name__ == "__main__":
    for id in RULES:
        print(render_sizes(id))
    for id in RULES:
        print(f"\n### {id}\n\n{render_planes(id)}")
