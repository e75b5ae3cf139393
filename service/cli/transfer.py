"""`plyscribe export` and `plyscribe import`: matches, or all that a store holds, are carried from one to another."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import click
import httpx
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from plyscribe.domain.bundle.bundle import describe_head, format_bundle, parse_bundle
from plyscribe.domain.chain import check_chain, first_link
from plyscribe.domain.errors import DomainError, Unknown
from plyscribe.domain.events import ServerDice, SharedDice
from plyscribe.domain.imported import Import
from plyscribe.domain.match import Match
from plyscribe.domain.record import SUFFIX
from plyscribe.domain.replay import replay
from plyscribe.service.cli import archive
from plyscribe.service.cli.archive import ArchiveError, Differs, Written
from plyscribe.service.cli.beside import DATA, OPERATOR, compose_beside
from plyscribe.service.client import Client, Problem
from plyscribe.service.composition import Parts
from plyscribe.service.errors import ServiceError
from plyscribe.service.store.port import StoreError
from plyscribe.service.streams.ids import is_stream_id

REFUSALS = (
    ArchiveError,
    Differs,
    DomainError,
    ServiceError,
    StoreError,
    Problem,
    httpx.HTTPError,
    OSError,
    UnicodeDecodeError,
)
POLL_S = 0.3
RETRY_FOR_S = 10.0
JUDGED_WITHIN_S = 60.0

URL = click.option("--url", help="A server to ask over HTTP, as http://127.0.0.1:8420; without it, the store itself.")
TOKEN = click.option("--token", envvar="PLYSCRIBE_TOKEN", help="Your token on that server.")
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@DATA
@URL
@TOKEN
@click.option(
    "--to",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    show_default=True,
    help="Where the bundles go, each as <match>.bundle.ndjson.",
)
@click.option("--all", "everything", type=click.Path(dir_okay=False, path_type=Path), help="Write all streams here.")
@click.argument("matches", nargs=-1)
def export(
    data: Path, url: str | None, token: str | None, to: Path, everything: Path | None, matches: tuple[str, ...]
) -> None:
    """Write matches as bundles, or with --all everything that the store holds as one file.

    Works on the store that REDIS_URL names, else on the one that `serve` runs on the data directory; with --url on any
    server, for bundles. An export of everything that was interrupted goes on where it is asked for again.
    """
    if (everything is None) != bool(matches) or (everything and url):
        raise click.UsageError("name matches, or export --all to a file from the store itself")
    if everything is not None:
        store = compose_beside(data).store
        with _showing("exporting") as show_progress, _told(everything):
            written = archive.export_archive(store, everything, show_progress)
        click.echo(f"{everything}: {written.streams} streams, {written.events} events")
        return
    to.mkdir(parents=True, exist_ok=True)
    read = reading_bundles(data, url, token)
    for match in matches:
        with _told(match):
            path = to / f"{match}.bundle.ndjson"
            path.write_bytes(read(match))
            click.echo(str(path))


def reading_bundles(data: Path, url: str | None, token: str | None) -> Callable[[str], bytes]:
    """What gives the bundle of a match, from a server or from the store; one of REFUSALS where it cannot."""
    if url is not None:
        return Client(url, token, retry_for_s=RETRY_FOR_S).bundle
    parts = compose_beside(data)

    def read(match: str) -> bytes:
        state = parts.matches.read(match) if is_stream_id("match", match) else None
        if state is None or state.version == 0:
            raise Unknown("match/unknown", f"there is no match {match}")
        return b"".join(format_bundle(describe_head(match, state.life.created), parts.matches.read_events(match, 0)))

    return read


@click.command("import")
@DATA
@URL
@TOKEN
@click.option("--restore", is_flag=True, help="Make matches of this server again of them, as they were.")
@click.argument("files", nargs=-1, required=True, type=FILE)
def import_files(data: Path, url: str | None, token: str | None, restore: bool, files: tuple[Path, ...]) -> None:
    """Import bundles of matches, which can then be read here, text records (.plyrec), or an export of everything.

    Works on the store that REDIS_URL names, else on the one that `serve` runs on the data directory; with --url on any
    server, for bundles, and for text records, which become matches that the account of the token records.

    With --restore a bundle, and always an export of everything, becomes what it was: streams of this server, byte for
    byte. What is there already stays, what differs is refused, and nothing of that file is written. Exits with 1 if
    anything was refused, or refuted, or is faulty.
    """
    if url is not None and restore:
        raise click.UsageError("only the administrator restores, on the store itself")
    bring = _bringing(data, url, token, restore)
    failed = False
    for path in files:
        try:
            text, is_well = bring(path)
        except REFUSALS as error:
            text, is_well = f"refused: {error}", False
        click.echo(f"{path}: {text}")
        failed |= not is_well
    sys.exit(failed)


Outcome = tuple[str, bool]
"""What there is to show_progress of a file, and whether it is well."""


def _bringing(data: Path, url: str | None, token: str | None, restore: bool) -> Callable[[Path], Outcome]:
    if url is not None:
        client = Client(url, token, retry_for_s=RETRY_FOR_S)
        return lambda path: _send(client, path)
    parts = compose_beside(data)

    def bring(path: Path) -> Outcome:
        if path.suffix == SUFFIX:
            return "a text record becomes a match of an account: send it with --url and --token", False
        if _is_archive(path):
            return _restore_all(parts, path)
        return _restore_match(parts, path) if restore else _take(parts, path)

    return bring


def _is_archive(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(archive.BEGINNING)) == archive.BEGINNING


def _restore_all(parts: Parts, path: Path) -> Outcome:
    with _showing("checking") as show_progress:
        whole = archive.check_archive(path, show_progress)
    with _showing("importing", whole.streams) as show_progress:
        written = archive.import_archive(parts.store, path, show_progress)
    new = f"{written.new_streams} streams and {written.new_events} events were not there before"
    return f"{written.streams} streams, {written.events} events; {new}", True


def _restore_match(parts: Parts, path: Path) -> Outcome:
    match, entries = (bundle := parse_bundle(path.read_bytes())).head.match, bundle.entries
    check_chain(first_link(match), 0, entries)
    _require_own_dice(parts, replay(match, entries))
    new = archive.restore_stream(parts.store, match, entries)
    return f"{match} is here as it was, {new} of {len(entries)} events were missing", True


def _require_own_dice(parts: Parts, match: Match) -> None:
    """Differs where a match has secret dice of another one, of which ours does not know.

    To go on with such a match, or to end it, would show_progress the secret of the other.
    """
    dice = match.life.created.dice
    if not isinstance(dice, ServerDice) or match.life.secret is not None:
        return
    owner = f"match-{dice.dice_id.partition('-')[2]}"
    if owner == match.stream:
        return
    ours = parts.matches.read(owner)
    told = ours.life.created.dice if parts.imports.is_own(ours) else None
    shares = isinstance(told, SharedDice) and match.stream in told.matches
    if not (shares or (told and ours.life.secret is not None)):
        raise Differs(f"its dice are those of {owner}, which knows nothing of it: restore that one first")


def _take(parts: Parts, path: Path) -> Outcome:
    taken = parts.imports.take(OPERATOR, path.read_bytes())
    if taken.imported is None:
        return f"{taken.match} is a match of this server", True
    stream = taken.imported.stream

    def look() -> tuple[str, Any]:
        state: Import = parts.imports.read(stream)
        return state.status, state.verdict and f"event {state.verdict.version}: {getattr(state.verdict, 'why', '')}"

    return _wait(taken.match, look)


def _send(client: Client, path: Path) -> Outcome:
    raw = path.read_bytes()
    # The key makes the same text the same match, however often it is sent.
    is_text = path.suffix == SUFFIX
    taken = client.import_record(raw.decode(), key=sha256(raw).hexdigest()) if is_text else client.import_bundle(raw)
    if taken["status"] == "own":
        return f"{taken['match']} is a match of this server", True

    def look() -> tuple[str, Any]:
        state = client.imported(taken["match"])
        verdict = state["verdict"]
        if verdict is None:
            return state["status"], ""
        place = f"event {verdict['version']}" if "version" in verdict else f"line {verdict.get('line')}"
        return state["status"], f"{place}: {verdict.get('why', '')}"

    return _wait(taken["match"], look)


def _wait(match: str, look: Callable[[], tuple[str, Any]]) -> Outcome:
    """What becomes of an import within a minute."""
    deadline = time.monotonic() + JUDGED_WITHIN_S
    while (found := look())[0] in ("copying", "waiting") and time.monotonic() < deadline:
        time.sleep(POLL_S)
    status, why = found
    if status in ("refuted", "faulty"):
        return f"{match} is {status}, {why}", False
    return f"{match} is imported and {'waits for its verdict' if status == 'waiting' else status}", True


@contextmanager
def _told(what: Path | str) -> Iterator[None]:
    """Ends the program with a line where what is done within fails."""
    try:
        yield
    except REFUSALS as error:
        sys.exit(f"error: {what}: {error}")


@contextmanager
def _showing(what: str, total: int | None = None) -> Iterator[Callable[[Written], None]]:
    columns = TextColumn(what), BarColumn(), TextColumn("{task.fields[text]}"), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(what, total=total, text="")

        def show_progress(at: Written) -> None:
            progress.update(task, completed=at.streams, text=f"{at.streams} streams, {at.events} events")

        yield show_progress
