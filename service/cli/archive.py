"""`plyscribe archive`: what is in the archive of sealed matches, whether it is sound, and what is done by hand."""

import getpass
import json
import multiprocessing
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.filesize import decimal
from rich.progress import DownloadColumn, Progress

from plyscribe.service.cli.beside import compose_beside
from plyscribe.service.cli.shared_options import DATA, JSON

if TYPE_CHECKING:
    from plyscribe.service.archive.examining import Contents, Examined, Task
    from plyscribe.service.archive.storage import Archive
    from plyscribe.service.composition import Parts


WORKERS = 2
AHEAD = 4
"""Blocks that wait for each process that reads them."""

MOST_REASON = 500

STAYS = """\
What stays: its entries in ledgers of ratings, and its games in tournaments, by id and result; notices in inboxes for 90
days; copies that others exported or imported; and backups of yours. Restart the processes: they may have it in memory.
Then back up the store: older backups name packs that are gone now (`plyscribe rebuild --from-archive` mends that)."""


@click.group()
def archive() -> None:
    """Look after the archive of sealed matches and copies.

    The archive is the folder or bucket in PLYSCRIBE_ARCHIVE, or else `archive` in the data directory. The service keeps
    running. Uses the store in REDIS_URL, or else the one that `serve` runs on the data directory.
    """


# --------------------------------------------------------------------------------------------------------------- list


@archive.command("list")
@JSON
@DATA
def list_packs(as_json: bool, data: Path) -> None:
    """List the packs, with what is in them."""
    from plyscribe.service.archive.copies import read_progress
    from plyscribe.service.archive.examining import list_contents

    _, kept = _open(data)
    found, copies = list(list_contents(kept)), list(list_contents(kept.copies))
    copied_ms = read_progress(kept.copies).copied_ms
    if as_json:
        packs = [{**pack._asdict(), "copies": False} for pack in found]
        of_copies = [{**pack._asdict(), "copies": True, "labels": {}} for pack in copies]
        click.echo(json.dumps([*packs, *of_copies], indent=2))
        return
    for pack in found:
        labels = ", ".join(f"{label} {count:,}" for label, count in pack.labels.items())
        click.echo(f"{pack.name}  {_format_counts([pack])} ({labels}){_format_emptied(pack)}")
    for pack in copies:
        click.echo(f"{pack.name}  {_format_counts([pack])} (copies){_format_emptied(pack)}")
    click.echo(f"sealed: {_format_packs(found)}")
    click.echo(f"copies: {_format_packs(copies)}; {_format_copied(copied_ms)}")


def _format_emptied(pack: "Contents") -> str:
    return "" if pack.emptied_ms is None else f", emptied {_format_time(pack.emptied_ms)}"


def _format_packs(packs: "Sequence[Contents]") -> str:
    current = [pack for pack in packs if pack.emptied_ms is None]
    emptied = f", {len(packs) - len(current)} of them emptied; in the others" if len(current) < len(packs) else ":"
    return f"{_count(len(packs), 'pack')}{emptied} {_format_counts(current)}"


def _format_copied(copied_ms: int | None) -> str:
    if copied_ms is None:
        return "no pass over all streams is complete yet"
    return f"everything stored before {_format_time(copied_ms)} is there"


def _count(number: int, what: str, several: str = "") -> str:
    return f"{number:,} {what if number == 1 else several or f'{what}s'}"


def _format_counts(packs: "Sequence[Contents]") -> str:
    size, events = sum(pack.bytes for pack in packs), sum(pack.events for pack in packs)
    each = f", {size / events:.1f} bytes an event" if events else ""
    return f"{decimal(size)}, {_count(sum(pack.streams for pack in packs), 'stream')}, {_count(events, 'event')}{each}"


def _format_time(at_ms: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(at_ms / 1000))


# ------------------------------------------------------------------------------------------------------------- verify


@archive.command()
@click.argument("packs", nargs=-1)
@click.option("--workers", type=click.IntRange(1, 64), default=WORKERS, show_default=True, help="Processes.")
@DATA
def verify(packs: tuple[str, ...], workers: int, data: Path) -> None:
    """Read packs whole and execute their matches again.

    PACKS are their names; without any, all are read, those of copies too, and every sealed match is looked for at its
    place. Exits with 1 if anything is wrong, and names pack and match; with 2 if a match cannot be executed again,
    because this release lacks its rules. Changes nothing.
    """
    from plyscribe.service.archive.examining import find_strays, list_sealed, list_tasks

    parts, kept = _open(data)
    shelves = {False: kept, True: kept.copies}
    known = {pack.name: (is_copy, pack.size) for is_copy, shelf in shelves.items() for pack in shelf.list_packs()}
    for name in packs:
        if name not in known:
            raise click.BadParameter(f"there is no pack {name!r} in the archive")
    names = sorted(set(packs) or known)
    tasks = ((known[name][0], task) for name in names for task in list_tasks(shelves[known[name][0]], [name]))
    started = time.monotonic()
    streams = events = in_use = wrong = unknown = 0
    with _show_bar("reading packs", sum(known[name][1] for name in names)) as bar:
        for examined in _examine(parts, kept, data, tasks, workers):
            bar.advance(bar.task_ids[0], examined.size)
            for mark, fault in [*(("wrong", f) for f in examined.faults), *(("unknown", f) for f in examined.unknown)]:
                where = f"pack {fault.pack}" + (f", {fault.stream}" if fault.stream else "")
                click.echo(f"{mark}  {where}: {fault.why}")
            streams, events, in_use = streams + examined.streams, events + examined.events, in_use + examined.in_use
            wrong, unknown = wrong + len(examined.faults), unknown + len(examined.unknown)
    # Only if some places lead elsewhere, each is followed, which takes a look into a block for each.
    if not packs and sum(1 for _ in list_sealed(parts.store)) != in_use:
        for stream, why in find_strays(parts.store, kept, list_sealed(parts.store)):
            wrong += 1
            click.echo(f"wrong  {stream}: it is not at its place: {why}")
    rate = events / max(time.monotonic() - started, 1e-9)
    click.echo(
        f"{_count(len(names), 'pack')}, {_count(streams, 'stream')}, {_count(events, 'event')}, {rate:,.0f} events/s; "
        f"{_count(wrong, 'fault')}, {_count(unknown, 'match', 'matches')} of unknown rules"
    )
    sys.exit(1 if wrong else 2 if unknown else 0)


def _examine(
    parts: "Parts", kept: "Archive", data: Path, tasks: "Iterator[tuple[bool, Task]]", workers: int
) -> "Iterator[Examined]":
    """What is found in the tasks, in their order; each says whether it is about copies."""
    from plyscribe.service.archive.examining import examine
    from plyscribe.service.processes.serving import settings_beside
    from plyscribe.service.processes.stopping import deaf_to_ctrl_c

    if workers < 2:
        yield from (examine(parts.store, kept.copies if is_copy else kept, task) for is_copy, task in tasks)
        return
    # Not forked: the store has threads and connections that a fork would share.
    start = multiprocessing.get_context("spawn")
    settings = settings_beside(data, os.environ)
    with ProcessPoolExecutor(workers, start, _begin_work, (settings,)) as pool:
        try:
            begun: deque[Future[Examined]] = deque()
            for each in tasks:
                with deaf_to_ctrl_c():
                    begun.append(pool.submit(_examine_one, *each))
                if len(begun) > AHEAD * workers:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        except BrokenProcessPool:
            sys.exit("error: a process ended during the check")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _Worker:
    """What a process that examines packs has."""

    parts: "Parts"


def _begin_work(settings: Mapping[str, str]) -> None:
    from plyscribe.service.composition import compose_process

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Worker.parts = compose_process(settings)


def _examine_one(is_copy: bool, task: "Task") -> "Examined":
    from plyscribe.service.archive.examining import examine

    kept = _Worker.parts.archive
    assert kept is not None
    return examine(_Worker.parts.store, kept.copies if is_copy else kept, task)


# --------------------------------------------------------------------------------------------------------------- copy


@archive.command("copy")
@DATA
def copy_all(data: Path) -> None:
    """Copy now what is not sealed: accounts, tournaments, ledgers, imports.

    The seal worker does so now and then. This takes only what came since the last copy.
    """
    from plyscribe.service.archive.copying import copy_streams
    from plyscribe.service.clock import now_ms

    parts, kept = _open(data)
    done = copy_streams(parts.store.within, kept.copies, now_ms, begins_anew=True)
    click.echo(
        f"{_count(done.streams, 'stream')} copied, with {_count(done.events, 'event')} that came since; "
        f"{_count(done.looked_at, 'stream')} in all"
    )


# --------------------------------------------------------------------------------------------------------------- seal


@archive.command()
@click.argument("matches", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Seal all matches that are settled.")
@DATA
def seal(matches: tuple[str, ...], everything: bool, data: Path) -> None:
    """Seal settled matches now, before they have rested.

    Names the MATCHES that were not sealed, and why, and then exits with 1.
    """
    from plyscribe.service.archive.sealing import find_obstacle

    if bool(matches) == everything:
        raise click.UsageError("name matches, or use --all")
    parts, kept = _open(data)
    if everything:
        sealed = sum(_seal(parts, kept, chunk) for chunk in _chunk_matches(parts))
        click.echo(f"matches sealed: {sealed}")
        return
    wanted = list(dict.fromkeys(matches))
    places = parts.store.places(wanted)
    todo = [match for match, place in zip(wanted, places, strict=True) if place is None]
    own = [match for match in todo if _is_own(match)]
    sealed = _seal(parts, kept, own)
    for match in wanted:
        if match not in todo:
            click.echo(f"{match} is sealed already")
    left = [match for match, place in zip(own, parts.store.places(own), strict=True) if place is None]
    for match in todo:
        if match not in own:
            click.echo(f"{match} is not sealed: it is no match of this server")
        elif match in left:
            click.echo(f"{match} is not sealed: {find_obstacle(parts.store, match)}")
    click.echo(f"matches sealed: {sealed}")
    sys.exit(bool(left) or len(own) < len(todo))


def _name_operator() -> str:
    """The account of this machine that runs the command. In a container its number may have no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"


def _is_own(match: str) -> bool:
    from plyscribe.service.streams.ids import is_stream_id

    return is_stream_id("match", match)


def _seal(parts: "Parts", kept: "Archive", matches: Sequence[str]) -> int:
    """Seal those of these matches that are settled, in as many packs as it takes, and return how many they were."""
    from plyscribe.service.archive.sealing import seal_streams

    sealed, todo = 0, list(matches)
    while todo:
        outcome = seal_streams(parts.store, kept, todo)
        sealed += outcome.sealed
        if not outcome.sealed or outcome.sealed + outcome.moved_on + outcome.unfit >= len(todo):
            # All of them were looked at. What was settled since then would make another small pack.
            break
        todo = [match for match, place in zip(todo, parts.store.places(todo), strict=True) if place is None]
    return sealed


def _chunk_matches(parts: "Parts") -> Iterator[list[str]]:
    """The matches that are not sealed, in chunks that fit into a pack."""
    from plyscribe.service.archive.sealing import MOST_STREAMS

    chunk, after = list[str](), ""
    while page := parts.store.unsealed(after):
        after = page[-1]
        chunk += [stream for stream in page if stream.startswith("match-")]
        if len(chunk) >= MOST_STREAMS:
            yield chunk[:MOST_STREAMS]
            del chunk[:MOST_STREAMS]
    yield chunk


# ------------------------------------------------------------------------------------------------------------- repack


@archive.command()
@click.option("--small", "which", flag_value="small", default=True, help="Merge small packs.  [default]")
@click.option("--all", "which", flag_value="all", help="Pack everything anew.")
@DATA
def repack(which: str, data: Path) -> None:
    """Merge packs, and remove those emptied long ago.

    A pack is emptied when all that is in it is in another one. It is kept for 30 days, because a backup of the store
    may still name it.
    """
    from plyscribe.service.archive import repacking
    from plyscribe.service.archive.copying import drop_emptied_copies, merge_copies
    from plyscribe.service.clock import now_ms

    parts, kept = _open(data)
    names = _choose_packs(kept, which)
    if names:
        done = repacking.repack(parts.store, kept, names)
        click.echo(
            f"{_count(done.packs, 'pack')} became {len(done.new)}, with {_count(done.streams, 'stream')} that moved"
        )
    copies = _choose_packs(kept.copies, which)
    if copies:
        merged = merge_copies(kept.copies, copies)
        click.echo(f"{_count(merged.packs, 'pack')} of copies became {len(merged.new)}")
    if not (names or copies):
        click.echo("no packs to merge")
    dropped = [*repacking.drop_emptied(parts.store, kept, now_ms()), *drop_emptied_copies(kept.copies, now_ms())]
    click.echo(f"{_count(len(dropped), 'emptied pack')} removed")


def _choose_packs(kept: "Archive", which: str) -> list[str]:
    """The packs to merge, if there are any that become fewer or better."""
    from plyscribe.service.archive.repacking import SMALL_BYTES

    emptied = kept.list_emptied()
    packs = [pack for pack in kept.list_packs() if pack.name not in emptied]
    names = sorted(pack.name for pack in packs if which == "all" or pack.size < SMALL_BYTES)
    return names if len(names) > 1 or which == "all" else []


# ------------------------------------------------------------------------------------------------------------- forget


@archive.command()
@click.argument("match")
@click.option("--reason", required=True, help="Why, for the record: no personal data.")
@click.option("--yes", is_flag=True, help="Do it. Without it, only say what would happen.")
@DATA
def forget(match: str, reason: str, yes: bool, data: Path) -> None:
    """Delete a match for good, where the law asks for it.

    Deletes it from the store, from every pack and from the lists. Who did it, when and why is noted in the archive,
    with the match's id and last hash. If it is interrupted, run it again. Nothing brings the match back.
    """
    from plyscribe.service.archive.forgetting import find_copies, forget_match
    from plyscribe.service.archive.sealing import find_obstacle
    from plyscribe.service.clock import now_ms
    from plyscribe.service.datasets.shelf import Shelf

    if not _is_own(match):
        raise click.BadParameter(f"{match!r} is no match of this server")
    if not reason.strip() or len(reason) > MOST_REASON or not reason.isprintable():
        raise click.BadParameter(f"give a reason of 1 to {MOST_REASON} printable characters", param_hint="--reason")
    parts, kept = _open(data)
    is_stored = parts.store.within.load(match, limit=1).entries != []
    if is_stored and yes and not _seal(parts, kept, [match]):
        sys.exit(f"error: {match} is not deleted: {find_obstacle(parts.store, match)}")
    [place] = parts.store.places([match])
    copies = find_copies(kept, match)
    if not (is_stored or place is not None or copies):
        if yes and match in kept.list_forgotten():
            # It may have been interrupted here.
            Shelf(kept).clear()
        sys.exit(f"error: there is no match {match}, neither in the store nor in the archive")
    if not yes:
        where = "it would be sealed first, then " if is_stored else ""
        names = ", ".join(copies) or "none yet"
        click.echo(f"{match}: {where}it would be deleted for good. Packs that have it: {names}.\n{STAYS}")
        click.echo("Nothing was done. Add --yes to do it.")
        return
    forget_match(parts.store, kept, match, copies, _name_operator(), reason, now_ms())
    parts.lists.matches.remove(match)
    # A dataset may have its rows. Datasets are made again without it when somebody asks.
    Shelf(kept).clear()
    parts.match_counts.remove(match)
    click.echo(f"{match} is deleted, also from {_count(len(copies), 'pack')}.\n{STAYS}")


# -------------------------------------------------------------------------------------------------------------- parts


def _open(data: Path) -> "tuple[Parts, Archive]":
    parts = compose_beside(data)
    if parts.archive is None:
        raise click.UsageError("there is no archive: set PLYSCRIBE_ARCHIVE")
    return parts, parts.archive


def _show_bar(what: str, total: int) -> Progress:
    columns = *Progress.get_default_columns(), DownloadColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task(what, total=total)
    return bar
