"""`plyscribe export` and `plyscribe import`: carry matches, or a whole store, from one place to another."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import httpx
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from plyscribe.domain.bundle.bundle import describe_head, format_bundle, parse_bundle
from plyscribe.domain.chain import check_chain, first_link
from plyscribe.domain.errors import DomainError, Unknown, WrongTime
from plyscribe.domain.events import ServerDice, SharedDice
from plyscribe.domain.imported import Import, is_address, split_address
from plyscribe.domain.match import Match
from plyscribe.domain.record import SUFFIX
from plyscribe.domain.replay import replay
from plyscribe.service.cli import full_export
from plyscribe.service.cli.beside import OPERATOR, compose_beside
from plyscribe.service.cli.full_export import Differs, ExportError, Written
from plyscribe.service.cli.shared_options import DATA, RETRY_FOR_S, TOKEN, URL
from plyscribe.service.client import Client, Problem
from plyscribe.service.errors import ServiceError
from plyscribe.service.matches.imports import OPERATOR_RIGHTS
from plyscribe.service.store.port import StoreError
from plyscribe.service.streams.ids import is_match_name

if TYPE_CHECKING:
    from plyscribe.service.composition import Parts

REFUSALS = (
    ExportError,
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
JUDGED_WITHIN_S = 60.0

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
    help="Directory for the bundles, each written as <match>.bundle.ndjson.",
)
@click.option(
    "--all",
    "everything",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write all streams of the store to this file.",
)
@click.argument("matches", nargs=-1)
def export(
    data: Path, url: str | None, token: str | None, to: Path, everything: Path | None, matches: tuple[str, ...]
) -> None:
    """Write matches as bundles, or a whole store as one file.

    Reads the store in REDIS_URL, or else the one that `serve` runs on the data directory. With --url, bundles come from
    that server. If an export with --all was interrupted, run it again with the same file to continue it.
    """
    if (everything is None) != bool(matches) or (everything and url):
        raise click.UsageError("name matches, or use --all without --url")
    if everything is not None:
        store = compose_beside(data).store
        with _show_progress("exporting") as show, _exit_on_refusal(everything):
            written = full_export.export_store(store, everything, show)
        click.echo(f"{everything}: {written.streams} streams, {written.events} events")
        return
    to.mkdir(parents=True, exist_ok=True)
    read = choose_reader(data, url, token)
    for match in matches:
        with _exit_on_refusal(match):
            path = to / f"{match}.bundle.ndjson"
            path.write_bytes(read(match))
            click.echo(str(path))


def choose_reader(data: Path, url: str | None, token: str | None) -> Callable[[str], bytes]:
    """A function that reads the bundle of a match by its id, from a server or from the store.

    It raises one of REFUSALS if it cannot.
    """
    if url is not None:
        return Client(url, token, retry_for_s=RETRY_FOR_S).bundle
    parts = compose_beside(data)

    def read(match: str) -> bytes:
        state = parts.matches.read(_find_match(parts, match))
        if state.version == 0:
            raise Unknown("match/unknown", f"there is no match {match}")
        id, _ = split_address(state.stream)
        return b"".join(
            format_bundle(describe_head(id, state.life.created), parts.matches.read_events(state.stream, 0))
        )

    return read


def _find_match(parts: "Parts", named: str) -> str:
    """The match of this id or address; for an id, the only version that was imported if it is not our own."""
    if not is_match_name(named):
        raise Unknown("match/unknown", f"there is no match {named}")
    if is_address(named) or parts.matches.read(named).version:
        return named
    versions = parts.imports.list_versions(named, OPERATOR_RIGHTS.imported)
    addresses = [each.address for each in versions if each.address]
    if len(addresses) > 1:
        raise WrongTime("match/ambiguous", f"different versions of it were imported here: {', '.join(addresses)}")
    return addresses[0] if addresses else named


@click.command("import")
@DATA
@URL
@TOKEN
@click.option("--restore", is_flag=True, help="Restore bundles as matches of this server.")
@click.argument("files", nargs=-1, required=True, type=FILE)
def import_files(data: Path, url: str | None, token: str | None, restore: bool, files: tuple[Path, ...]) -> None:
    """Import bundles, text records or a whole store.

    Imported bundles can be read here under their own ids. Text records (.plyrec) need --url: they become matches that
    the account of the token records. Without --url, the store in REDIS_URL is filled, or else the one that `serve` runs
    on the data directory.

    An export of a whole store, and with --restore a bundle, becomes again what it was: streams of this server, byte for
    byte. Streams that are there already stay. If a stream differs, the file is refused and nothing of it is written.
    Exits with 1 if a file was refused, refuted or faulty.
    """
    if url is not None and restore:
        raise click.UsageError("--restore works on the store itself, without --url")
    import_file = _choose_import(data, url, token, restore)
    failed = False
    for path in files:
        try:
            text, is_good = import_file(path)
        except REFUSALS as error:
            text, is_good = f"refused: {error}", False
        click.echo(f"{path}: {text}")
        failed |= not is_good
    sys.exit(failed)


Outcome = tuple[str, bool]
"""The line to print for a file, and whether the file was imported without a fault."""


def _choose_import(data: Path, url: str | None, token: str | None, restore: bool) -> Callable[[Path], Outcome]:
    if url is not None:
        client = Client(url, token, retry_for_s=RETRY_FOR_S)
        return lambda path: _send(client, path)
    parts = compose_beside(data)

    def import_file(path: Path) -> Outcome:
        if path.suffix == SUFFIX:
            return "a text record is entered by an account: send it with --url and --token", False
        if _is_full_export(path):
            return _restore_all(parts, path)
        return _restore_match(parts, path) if restore else _take(parts, path)

    return import_file


def _is_full_export(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(full_export.BEGINNING)) == full_export.BEGINNING


def _restore_all(parts: "Parts", path: Path) -> Outcome:
    with _show_progress("checking") as show:
        whole = full_export.check_export(path, show)
    with _show_progress("importing", whole.streams) as show:
        written = full_export.import_store(parts.store, path, show)
    new = f"{written.new_streams} streams and {written.new_events} events were new"
    return f"{written.streams} streams, {written.events} events; {new}", True


def _restore_match(parts: "Parts", path: Path) -> Outcome:
    match, entries = (bundle := parse_bundle(path.read_bytes())).head.match, bundle.entries
    check_chain(first_link(match), 0, entries)
    _require_own_dice(parts, replay(match, entries))
    new = full_export.restore_stream(parts.store, match, entries)
    return f"{match} is restored; {new} of its {len(entries)} events were new", True


def _require_own_dice(parts: "Parts", match: Match) -> None:
    """Raise Differs if the match uses secret dice of another match, and that one does not share them with it here.

    Otherwise continuing or ending the match would reveal the secret of the other one.
    """
    dice = match.life.created.dice
    if not isinstance(dice, ServerDice) or match.life.secret is not None:
        return
    owner = f"match-{dice.dice_id.partition('-')[2]}"
    if owner == match.stream:
        return
    ours = parts.matches.read(owner)
    owned = ours.life.created.dice if ours.version else None
    shares = isinstance(owned, SharedDice) and match.stream in owned.matches
    if not (shares or (owned and ours.life.secret is not None)):
        raise Differs(f"it uses the dice of {owner}, which does not share them here: restore {owner} first")


def _take(parts: "Parts", path: Path) -> Outcome:
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
    # With this key the same text becomes the same match, however often it is sent.
    is_text = path.suffix == SUFFIX
    taken = client.import_record(raw.decode(), key=sha256(raw).hexdigest()) if is_text else client.import_bundle(raw)
    if taken["status"] == "own":
        return f"{taken['match']} is a match of this server", True

    def look() -> tuple[str, Any]:
        state = client.imported(taken["import"] or "")
        verdict = state["verdict"]
        if verdict is None:
            return state["status"], ""
        place = f"event {verdict['version']}" if "version" in verdict else f"line {verdict.get('line')}"
        return state["status"], f"{place}: {verdict.get('why', '')}"

    return _wait(taken["match"], look)


def _wait(match: str, look: Callable[[], tuple[str, Any]]) -> Outcome:
    """The state of an import once it has a verdict, or after a minute."""
    deadline = time.monotonic() + JUDGED_WITHIN_S
    while (found := look())[0] in ("copying", "waiting") and time.monotonic() < deadline:
        time.sleep(POLL_S)
    status, why = found
    if status in ("refuted", "faulty", "dropped"):
        return f"{match} is {status}, {why}", False
    return f"{match} is imported and {'waits for its verdict' if status == 'waiting' else status}", True


@contextmanager
def _exit_on_refusal(what: Path | str) -> Iterator[None]:
    """Print one of REFUSALS as a line and exit with 1."""
    try:
        yield
    except REFUSALS as error:
        sys.exit(f"error: {what}: {error}")


@contextmanager
def _show_progress(what: str, total: int | None = None) -> Iterator[Callable[[Written], None]]:
    columns = TextColumn(what), BarColumn(), TextColumn("{task.fields[text]}"), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(what, total=total, text="")

        def show(at: Written) -> None:
            progress.update(task, completed=at.streams, text=f"{at.streams} streams, {at.events} events")

        yield show
