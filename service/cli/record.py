"""`plyscribe record`: what was typed from a score sheet, checked and laid out."""

import os
import sys
from pathlib import Path

import click

from plyscribe.domain.errors import RecordError
from plyscribe.domain.record import format_record, parse_record
from plyscribe.service.config import register_rulesets

STDIN = "-"


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--check", "only_check", is_flag=True, help="Print nothing but what is wrong.")
@click.option("--write", is_flag=True, help="Put the canonical layout into the files instead of printing it.")
def record(files: tuple[str, ...], only_check: bool, write: bool) -> None:
    """Check text records by playing them, and print them in their canonical layout; - is standard input.

    What is wrong is told as file:line:column: message, and the exit status is 1 then. A file with a fault is not
    changed. Needs no server; docs/record-format.md tells the format.
    """
    register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
    faults = 0
    for file in files:
        try:
            text = _read(file)
            _put(file, text, format_record(parse_record(text)), only_check, write)
        except (RecordError, _NoText) as error:
            faults += 1
            click.echo(f"{file}:{error.line}:{error.column}: {error.why}", err=True)
        except OSError as error:
            faults += 1
            click.echo(f"{file}: {error.strerror}", err=True)
    sys.exit(1 if faults else 0)


def _put(file: str, text: str, laid_out: str, only_check: bool, write: bool) -> None:
    if write and file != STDIN:
        if text != laid_out:
            Path(file).write_text(laid_out, encoding="utf-8", newline="\n")
    elif not only_check:
        click.echo(laid_out, nl=False)


class _NoText(Exception):
    """Bytes that are no UTF-8; `line` and `column` as of RecordError."""

    why = "this is no UTF-8"

    def __init__(self, before: bytes) -> None:
        self.line = before.count(b"\n") + 1
        self.column = len(before.rpartition(b"\n")[2].decode()) + 1


def _read(file: str) -> str:
    raw = sys.stdin.buffer.read() if file == STDIN else Path(file).read_bytes()
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise _NoText(raw[: error.start]) from None
