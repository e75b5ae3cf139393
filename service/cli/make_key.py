"""`plyscribe make-key`."""

import os
import sys
from contextlib import suppress
from pathlib import Path

import click


@click.command("make-key")
@click.option(
    "--file",
    "path",
    type=click.Path(path_type=Path),
    help="Write it to this file instead, which only you can read. A file that exists is left alone.",
)
def make_server_key(path: Path | None) -> None:
    """Print a new server key.

    All processes of a service need the same key: in PLYSCRIBE_SERVER_KEY, or in the file that PLYSCRIBE_SERVER_KEY_FILE
    names. `plyscribe serve` without a store of yours makes its own.
    """
    from plyscribe.service.config import make_key, parse_key

    key = make_key()
    if path is None:
        click.echo(key)
        setting = "PLYSCRIBE_SERVER_KEY"
    else:
        _write_new(path, key)
        setting = f"PLYSCRIBE_SERVER_KEY_FILE={path.absolute()}"
    hint = f"key {parse_key(key).id}: give it to all processes ({setting}). Keep a copy, and never lose it"
    click.echo(hint, err=True)


def _write_new(path: Path, key: str) -> None:
    """Write the key to a new file of mode 0600, and on to the disk. Leaves no file behind if that fails."""
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        sys.exit(f"error: {path} exists, so it is left alone: without the key in it, matches under way cannot continue")
    except OSError as error:
        sys.exit(f"error: {path} cannot be written: {error.strerror}")
    try:
        with open(file, "w", encoding="ascii") as written:
            written.write(f"{key}\n")
            written.flush()
            os.fsync(written.fileno())
    except OSError as error:
        with suppress(OSError):
            path.unlink()
        sys.exit(f"error: {path} cannot be written: {error.strerror}")
