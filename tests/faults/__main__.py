"""`python -m tests.faults`: run the campaign and print what was found. Exits with 1 unless all is clean."""

import faulthandler
import random
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from types import FrameType

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from tests.faults.campaign import VICTIMS, Counts, Plan, Result, run_campaign
from tests.faults.failovers import Failovers, run_failovers
from tests.postgres import PostgresServer
from tests.store.conftest import binary_of


@click.command()
@click.option("--minutes", type=click.FloatRange(0.1, 60), default=25.0, show_default=True, help="The longest.")
@click.option("--kills", type=int, default=0, help="End earlier after so many kills, if there were as many moves.")
@click.option("--moves", type=int, default=0, help="End earlier after so many moves, if there were as many kills.")
@click.option("--seed", type=int, help="Repeat the order of a run.  [default: by lot]")
@click.option("--postgres", is_flag=True, help="Keep the lists in a PostgreSQL server instead of a file.")
@click.option("--keep", is_flag=True, help="Keep data and logs, whatever happens.")
@click.option("--failovers", type=int, default=0, help="Instead: kill the primary of a watched store so many times.")
@click.option("--replicas", type=click.IntRange(0, 2), default=2, show_default=True, help="PLYSCRIBE_REPLICAS there.")
@click.option("--victims", type=click.IntRange(1, 2), default=1, help="2: a replica dies together with the primary.")
@click.option("--cluster", is_flag=True, help="Of a cluster instead: any of three primaries, with a replica each.")
@click.option("--engine", type=click.Choice(["valkey", "redis"]), default="valkey", help="The servers there.")
def main(
    minutes: float,
    kills: int,
    moves: int,
    seed: int | None,
    postgres: bool,
    keep: bool,
    failovers: int,
    replicas: int,
    victims: int,
    cluster: bool,
    engine: str,
) -> None:
    """Kill processes and break connections while matches are played, then check that nothing is lost."""
    signal.signal(signal.SIGTERM, end)
    seed = random.SystemRandom().randrange(10**6) if seed is None else seed
    console, folder = Console(), Path(tempfile.mkdtemp(prefix="plyscribe-faults-"))
    if failovers:
        if cluster and (replicas > 1 or victims > 1):
            raise click.UsageError("in the cluster each primary has one replica: --replicas 0 or 1, --victims 1")
        failing = Failovers(failovers, replicas, victims=victims, is_cluster=cluster, seed=seed)
        sys.exit(not fail_over(console, folder, failing, engine))
    console.print(f"seed {seed}, data and logs in {folder}")
    server = PostgresServer() if postgres else None
    plan, clean = Plan(60 * minutes, kills, moves, seed, server.url() if server else ""), False
    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[done]}"), TimeElapsedColumn()
    try:
        with Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task("preparing", total=plan.seconds, done="")

            def say(counts: Counts) -> None:
                done = f"{counts.kills.total()} kills, {counts.moves:,} moves"
                progress.update(task, description=counts.phase, completed=counts.seconds, done=done)

            result = run_campaign(folder, plan, say)
        clean = result.is_clean
        show(console, result, seed)
    finally:
        if server is not None:
            server.remove()
        if clean and not keep:
            shutil.rmtree(folder)
        else:
            console.print(f"data and logs are kept in {folder}; the seed was {seed}")
    sys.exit(not clean)


def fail_over(console: Console, folder: Path, plan: Failovers, engine: str) -> bool:
    """Run a campaign of failovers, and say whether nothing was lost."""
    say = Progress(TextColumn("{task.completed} failovers"), TimeElapsedColumn(), console=console, transient=True)
    with say as progress:
        task = progress.add_task("", total=plan.failovers)
        outcome = run_failovers(
            binary_of(engine).path, folder, plan, lambda number: progress.update(task, completed=number)
        )
    dead = {1: "the primary", 2: "the primary and a replica at once"}[plan.victims]
    store, followers = (f"{engine} cluster", 1) if plan.is_cluster else (engine, 2)
    waits = f"answers wait for {plan.replicas} of {followers} replicas"
    title = f"Failovers, {store}, killed: {dead}; {waits}; seed {plan.seed}"
    table = Table(title=title, show_header=False)
    table.add_row("failovers", f"{outcome.failovers} in {outcome.seconds:.0f} s")
    table.add_row("appends sent, of which again", f"{outcome.sent:,}, {outcome.unanswered:,}")
    table.add_row("acknowledged", f"{outcome.acknowledged:,}")
    for name in ("lost", "doubled", "broken"):
        table.add_row({"broken": "broken chains"}.get(name, name), str(len(getattr(outcome, name))))
    table.add_row("longest wait for an answer", f"{outcome.longest_s:.1f} s")
    console.print(table)
    for line in [*outcome.lost, *outcome.doubled, *outcome.broken][:20]:
        console.print(line, markup=False)
    if outcome.is_clean:
        shutil.rmtree(folder)
    return outcome.is_clean


def end(number: int, frame: FrameType | None) -> None:
    """Say what every thread waits for, and end after stopping what was started."""
    faulthandler.dump_traceback()
    sys.exit(128 + number)


def show(console: Console, result: Result, seed: int) -> None:
    counts, verdict = result.counts, result.verdict
    table = Table(title=f"Fault campaign, seed {seed}", show_header=False)
    kills = ", ".join(f"{name} {counts.kills[name]}" for name in VICTIMS)
    table.add_row("time under fire", f"{counts.seconds / 60:.1f} minutes")
    table.add_row("kills", f"{counts.kills.total()}: {kills}")
    for name, faults in result.faults.items():
        table.add_row(f"connections, {name}", ", ".join(f"{fault} {count}" for fault, count in faults.items()))
    table.add_row("`serve` ended by itself", str(counts.gave_up))
    table.add_row("matches, of which ended", f"{result.matches:,}, {result.finished:,}")
    table.add_row("matches sealed", f"{result.sealed:,}")
    table.add_row("moves acknowledged", f"{verdict.acknowledged:,}")
    table.add_row("moves sent again, raced", f"{result.repeats:,}, {result.races:,}")
    for name in ("lost", "doubled", "otherwise"):
        table.add_row({"otherwise": "answered otherwise"}.get(name, name), str(len(getattr(verdict, name))))
    table.add_row("damaged streams", str(len(result.damaged)))
    table.add_row("rows that do not follow from the streams", str(len(result.underived)))
    table.add_row("tournament as undisturbed", "yes" if result.is_table_same else "NO")
    table.add_row("longest outage of the API", f"{result.longest_unready_s:.1f} s")
    table.add_row("longest wait for a receipt", f"{result.longest_s:.1f} s")
    console.print(table)
    for line in [*verdict.lost, *verdict.doubled, *verdict.otherwise, *result.damaged, *result.underived][:20]:
        console.print(line, markup=False)


if __name__ == "__main__":
    main()
