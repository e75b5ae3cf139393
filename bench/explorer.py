"""`python -m bench.explorer [--matches N] [--url URL]`: the explorer with very many matches, as CPU time.

Bots play a few hundred matches of three games, and their rows are entered as the relay enters them: that is what a
match costs the relay. Then the matches of one game are entered again and again under other ids, with other times,
options and winners, until there are N. These copies have the same moves as their originals, so a position deep in a
match recurs hundreds of times, which it would not among as many different matches. That makes the queries dearer.
"""

import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click
import psutil
import sqlalchemy as sa
from rich import box
from rich.console import Console
from rich.table import Table

from bench.matches import stream_name
from plyscribe.domain.bots import build_bot, choose_move
from plyscribe.domain.commands import Actor, Command, CreateMatch, MakeMove, RecordVerdict, Secret, StartMatch, TakeSeat
from plyscribe.domain.decide import decide
from plyscribe.domain.dice import commit
from plyscribe.domain.events import Account, MatchVerified, ServerDice
from plyscribe.domain.match import Match, evolve
from plyscribe.domain.ruleset import AnyRuleset, Decision
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.variation import Reached, begin, follow
from plyscribe.service.composition import compose
from plyscribe.service.config import Config, parse_key
from plyscribe.service.database.engine import Database
from plyscribe.service.explorer.asked_positions import ask_for, describe_explored, read_line_text
from plyscribe.service.explorer.counted_matches import Facts, find_facts, month_of, name_rules
from plyscribe.service.explorer.explored import Wanted
from plyscribe.service.explorer.query_language import parse_query
from plyscribe.service.store.memory import MemoryStore

GAMES: dict[str, tuple[int, dict[str, Any], str]] = {
    "pathagon": (2, {"size": 5}, "greedy"),
    "rings": (2, {}, "random"),
    "portals": (2, {"radius": 3}, "random"),
}
"""How many seats play each game, with which options, and by which bot."""

MULTIPLIED = "pathagon"
PLAYED = 300
"""Matches of the game that is multiplied."""

OTHERS = 20
"""Matches of each other game."""

PLIES = 250
"""The most plies of a match."""

CARELESS = 0.25
"""How often the bot plays at random, so that openings differ."""

YEARS_MS = 3 * 365 * 24 * 3_600_000
NOW_MS = 1_760_000_000_000
AT_ONCE = 500
ROUNDS = 9
LIMIT_MS = 50
OPTIONS = ("small", "default", "0123456789ab")
ANN, BEN = Actor("player", "player-" + "a" * 26), Actor("player", "player-" + "b" * 26)
VERIFIER = Actor("system", "verify")


class Query(NamedTuple):
    """What is measured."""

    name: str
    ask: Callable[[], int]
    """Ask once; returns how much was found."""


def play(number: int, game: str) -> Match:
    """A match of bots, ended and found without fault; at most PLIES plies, after which the others give up."""
    seats, options, bot = GAMES[game]
    ruleset, rng, secret, ids = find_ruleset(game), random.Random(number), bytes(32), count(number << 32)
    match, build = Match(stream_name(number)), build_bot(bot, number)
    actors = [(ANN, BEN)[seat % 2] for seat in range(seats)]

    def carry_out(command: type[Command], actor: Actor, **fields: Any) -> None:
        nonlocal match
        made = command(actor=actor, at=NOW_MS, id=f"{next(ids):032x}", secret=Secret(secret), **fields)
        for event in decide(made, match):
            match = evolve(match, event)

    dice = ServerDice(match.stream, commit(secret), "0" * 16)
    options = {**options, "ply_limit": PLIES}
    held = tuple(Account(actor.id) for actor in actors)
    fields = {"ruleset": game, "seats": held, "options": options, "dice": dice, "start": "call"}
    carry_out(CreateMatch, ANN, server="plyscribe", **fields)
    for seat in range(2, seats + 1, 2):
        carry_out(TakeSeat, BEN, seat=seat)
    carry_out(StartMatch, ANN)
    while (at := match.play) and match.life.status == "playing":
        assert isinstance(at.turn, Decision)
        if bot == "random" or rng.random() < CARELESS:
            move = ruleset.sample_move(at.state, rng.randrange)
        else:
            move = choose_move(build, ruleset, at.state, at.turn.seat, at.ply)
        carry_out(MakeMove, actors[at.turn.seat - 1], move=ruleset.format_move(at.state, move))
    carry_out(RecordVerdict, VERIFIER, verdict=MatchVerified(match.version, ""))
    return match


def copy(originals: Sequence[Facts], matches: int) -> Iterator[Facts]:
    """So many matches with the moves of these, and with other ids, times, options and winners."""
    rng = random.Random(1)
    for number in range(matches):
        original = originals[number % len(originals)]
        at = NOW_MS - rng.randrange(YEARS_MS)
        other = {"at": at, "month": month_of(at), "options": rng.choice(OPTIONS), "winners": rng.choice(["1", "2", ""])}
        yield original._replace(id=stream_name(number), values={**original.values, **other})


class Bench:
    """The explorer over a database of its own."""

    def __init__(self, url: str) -> None:
        self.parts = compose(Config("", "", parse_key("5a" * 32), read_url=url), MemoryStore())
        self.database: Database = self.parts.database
        self.ruleset: AnyRuleset = find_ruleset(MULTIPLIED)

    def cost_the_relay(self) -> dict[str, tuple[list[Facts], float, float, float]]:
        """For each game: what is kept of its matches; plies, and milliseconds to find that and to enter it, a match."""
        found = {}
        for game in GAMES:
            matches = [play(number, game) for number in range(PLAYED if game == MULTIPLIED else OTHERS)]
            start = time.process_time()
            facts = [find_facts(match, match.stream, match.version, match.life.status) for match in matches]
            made = time.process_time() - start
            start = time.process_time()
            kept = [each for each in facts if each is not None]
            for each in kept:
                with self.database.writing() as connection:
                    self.parts.match_counts.enter(connection, [each])
            entered = time.process_time() - start
            with self.database.writing() as connection:
                for tables in self.parts.match_counts.table.targets(connection):
                    for table in tables:
                        connection.execute(sa.delete(table))
            plies = statistics.mean(match.play.ply for match in matches if match.play)
            found[game] = (kept, plies, 1000 * made / len(matches), 1000 * entered / len(matches))
        return found

    def fill(self, originals: Sequence[Facts], matches: int) -> None:
        """Enter so many copies, half of them rated."""
        copies = copy(originals, matches)
        while some := list(islice(copies, AT_ONCE)):
            with self.database.writing() as connection:
                self.parts.match_counts.enter(connection, some)
                self._rate(connection, some[::2])
        with self.database.writing() as connection:
            connection.exec_driver_sql("ANALYZE")

    def _rate(self, connection: sa.Connection, facts: Sequence[Facts]) -> None:
        tables, rng = self.parts.ratings.tables.live, random.Random(len(facts))
        rated, steps = [], []
        for each in facts:
            version = int(each.values["at"]) * 1000 + rng.randrange(1000)
            base = {"ruleset": MULTIPLIED, "version": version, "match": each.id, "at": each.values["at"]}
            rated.append({**base, "players": [ANN.id, BEN.id], "ranks": [1, 2]})
            for player in (ANN.id, BEN.id):
                before = {"before_mu": rng.randrange(15, 40) * 10**6, "before_sigma": 3 * 10**6}
                after = {"after_mu": 25 * 10**6, "after_sigma": 3 * 10**6, "matches": 1}
                steps.append({**base, **before, **after, "player": player, "rank": 1, "seats": 2})
        connection.execute(sa.insert(tables.matches).prefix_with("OR IGNORE", dialect="sqlite"), rated)
        connection.execute(sa.insert(tables.steps).prefix_with("OR IGNORE", dialect="sqlite"), steps)

    # ------------------------------------------------------------------------------------------------------- queries

    def list_queries(self) -> list[Query]:
        """What is asked."""
        line = self._find_line(12)
        places = {"start": "", "after 4 moves": ";".join(line[:4]), "after 12 moves": ";".join(line)}
        wanted = {
            "all matches": Wanted(),
            "by seats, options, month": Wanted(seats=2, options="small", since=202401),
            "by rating": Wanted(min_rating=10.0, max_rating=20.0),
        }
        explored = [
            Query(f"{place}, {which}", partial(self._explore, moves, each))
            for place, moves in places.items()
            for which, each in wanted.items()
        ]
        key = ask_for(self._reach(places["after 4 moves"]), 2).key
        searched = {
            "in every match": "placed",
            "in many": "2 trapped then ended path",
            "in no step": "placed and moved",
            "every step looked at": "not any",
            "from a position": f"position={key} then trapped",
        }
        return [*explored, *(Query(f"search: {name}", partial(self._search, q)) for name, q in searched.items())]

    def _reach(self, moves: str) -> Reached:
        return follow(begin(self.ruleset, {"size": 5}, 2), read_line_text(moves))

    def _find_line(self, plies: int) -> list[str]:
        """The moves that most matches played, one after another."""
        line: list[str] = []
        for _ in range(plies):
            asked = ask_for(self._reach(";".join(line)), 2)
            explored = self.parts.explorer.read(MULTIPLIED, asked.key, Wanted(), 0)
            line.append(next(move for each in explored.moves if (move := asked.unfold(each.move))))
        return line

    def _explore(self, moves: str, wanted: Wanted) -> int:
        asked = ask_for(self._reach(moves), 2)
        explored = self.parts.explorer.read(MULTIPLIED, asked.key, wanted, 10)
        return int(describe_explored(asked, explored, {}, 30)["matches"])

    def _search(self, text: str) -> int:
        query = parse_query(self.ruleset, text)
        return len(self.parts.step_search.read(name_rules(self.ruleset), query, Wanted(), 20, None).matches)

    def measure(self, query: Query) -> tuple[int, float]:
        """How much it finds, and the median of its milliseconds of CPU: in this process, and in that of a server."""
        found, times = query.ask(), []
        with self.database.reading() as connection:
            server = (
                None
                if self.database.is_sqlite
                else psutil.Process(connection.scalar(sa.text("SELECT pg_backend_pid()")))
            )
        for _ in range(ROUNDS):
            before, start = _cpu_s(server), time.process_time()
            query.ask()
            times.append(1000 * (time.process_time() - start + _cpu_s(server) - before))
        return found, statistics.median(times) if server is None else statistics.mean(times)


def _cpu_s(process: psutil.Process | None) -> float:
    if process is None:
        return 0.0
    spent = process.cpu_times()
    return float(spent.user + spent.system)


@click.command()
@click.option("--matches", default=100_000, show_default=True)
@click.option("--url", default="", help="The read database, which must be empty; by default a file.")
def main(matches: int, url: str) -> None:
    """Measure the explorer with this many matches."""
    console = Console()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "read.db"
        bench = Bench(url or f"sqlite:///{file}")
        costs = bench.cost_the_relay()
        table = Table("game", "plies", "find, ms CPU", "enter, ms CPU", "bytes kept of steps", box=box.SIMPLE)
        for game, (kept, plies, made, entered) in costs.items():
            size = statistics.mean(len(each.values["steps"]) for each in kept)
            table.add_row(game, f"{plies:.0f}", f"{made:.1f}", f"{entered:.1f}", f"{size:.0f}")
        console.print("What a match costs the relay", table)
        bench.fill(costs[MULTIPLIED][0], matches)
        if not url:
            size = sum(each.stat().st_size for each in Path(folder).iterdir())
            console.print(f"{matches} matches take {size / matches:.0f} bytes each, ratings included")
        table = Table("query", "found", "ms CPU", f"≤ {LIMIT_MS} ms", box=box.SIMPLE)
        for query in bench.list_queries():
            found, took = bench.measure(query)
            table.add_row(query.name, str(found), f"{took:.1f}", "yes" if took <= LIMIT_MS else "NO")
        console.print(f"Queries over {matches} matches", table)
        bench.database.close()


if __name__ == "__main__":
    main()
