"""`plyscribe record`: check and format text records that were typed from score sheets."""

import os
import sys
from pathlib import Path

import click

from plyscribe.domain.errors import RecordError
from plyscribe.domain.record import format_record, parse_record
from plyscribe.service.cli.languages import LANGUAGE
from plyscribe.service.config import register_rulesets
from plyscribe.service.matches.records import MAX_RECORD_BYTES
from plyscribe.service.matches.story import comment_record

STDIN = "-"


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--check", "only_check", is_flag=True, help="Report faults, print nothing else.")
@click.option("--write", is_flag=True, help="Rewrite the files in the standard layout.")
@click.option("--effects", is_flag=True, help="Add a comment to each step that says what it did.")
@LANGUAGE
def record(files: tuple[str, ...], only_check: bool, write: bool, effects: bool, language: str) -> None:
    """Check text records and print them in the standard layout.

    Each record is played by its rules. With --check, names and notes that a server would not store are faults, too.
    Faults are reported as `file:line:column: message`, and the exit code is then 1. A file with a fault is never
    changed. `-` is standard input. Needs no server; docs/record-format.md describes the format.
    """
    register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
    faults = 0
    for file in files:
        try:
            text = _read(file, only_check)
            parsed = parse_record(text, to_store=only_check)
            formatted = format_record(comment_record(parsed, language) if effects else parsed)
            _write(file, text, formatted, only_check, write)
        except (RecordError, _Unreadable) as error:
            faults += 1
            click.echo(f"{file}:{error.line}:{error.column}: {error.why}", err=True)
        except OSError as error:
            faults += 1
            click.echo(f"{file}: {error.strerror}", err=True)
    sys.exit(1 if faults else 0)


def _write(file: str, text: str, formatted: str, only_check: bool, write: bool) -> None:
    if write and file != STDIN:
        if text != formatted:
            Path(file).write_text(formatted, encoding="utf-8", newline="\n")
    elif not only_check:
        click.echo(formatted, nl=False)


class _Unreadable(Exception):
    """The file cannot be read as text. `line` and `column` say where, as in RecordError."""

    def __init__(self, why: str, before: bytes = b"") -> None:
        self.why = why
        self.line = before.count(b"\n") + 1
        self.column = len(before.rpartition(b"\n")[2].decode()) + 1


def _read(file: str, only_check: bool) -> str:
    raw = sys.stdin.buffer.read() if file == STDIN else Path(file).read_bytes()
    if only_check and len(raw) > MAX_RECORD_BYTES:
        raise _Unreadable(f"a record of {len(raw)} bytes is longer than {MAX_RECORD_BYTES}")
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise _Unreadable("this is not UTF-8", raw[: error.start]) from None
