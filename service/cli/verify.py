"""`plyscribe verify`: bundles are checked offline, against the receipts that movers kept."""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NoReturn

import click
from rich.console import Console

from plyscribe.domain.bundle.receipt import Receipt, parse_receipts
from plyscribe.domain.bundle.report import FAULT, OK, check_bytes
from plyscribe.domain.errors import BundleError, ReceiptError
from plyscribe.service.config import ConfigError, register_rulesets
from plyscribe.service.matches.queries import describe_report

UNREADABLE = "unreadable"
STDIN = Path("-")

FILE = click.Path(path_type=Path)


@click.command()
@click.argument("bundles", nargs=-1, required=True, type=FILE)
@click.option("--receipt", "receipts", multiple=True, type=FILE, help="Answers that movers got, as JSON, one a line.")
@click.option("--json", "as_json", is_flag=True, help="Tell it to programs.")
def verify(bundles: tuple[Path, ...], receipts: tuple[Path, ...], as_json: bool) -> None:
    """Check bundles of matches: bytes, hashes, rules, dice, outcome. `-` reads one from standard input.

    With receipts, a match that was rewritten as a whole is found too. Exit 0: all is right; 1: something is wrong;
    2: something could not be read or checked here.
    """
    try:
        register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
    except ConfigError as error:
        _give_up(str(error))
    kept = [receipt for path in receipts for receipt in _read_receipts(path)]
    told = [_check(path, kept) for path in bundles]
    told += _miss_bundles(kept, told)
    if as_json:
        click.echo(json.dumps(told, indent=2))
    else:
        console = Console(highlight=False)
        for each in told:
            _print(console, each)
    results = {each["result"] for each in told}
    sys.exit(1 if FAULT in results else 2 if results != {OK} else 0)


def _read_receipts(path: Path) -> list[Receipt]:
    try:
        receipts = parse_receipts(_read(path))
    except (OSError, ReceiptError) as error:
        _give_up(f"{path}: {_why(error)}")
    # Otherwise a refusal that was kept by mistake would seem to have been compared.
    return receipts or _give_up(f"{path}: it holds no receipt")


def _give_up(why: str) -> NoReturn:
    # As for errors of other commands, but 1 would say that something is wrong with a match.
    click.echo(f"error: {why}", err=True)
    sys.exit(2)


def _read(path: Path) -> bytes:
    return sys.stdin.buffer.read() if path == STDIN else path.read_bytes()


def _why(error: Exception) -> str:
    return str(error.strerror) if isinstance(error, OSError) else str(error)


def _check(path: Path, receipts: Sequence[Receipt]) -> dict[str, Any]:
    try:
        report = check_bytes(_read(path), receipts)
    except (OSError, BundleError) as error:
        return {"file": str(path), "match": None, "result": UNREADABLE, "why": _why(error)}
    return {"file": str(path), **describe_report(report), "line": report.fault.line if report.fault else None}


def _miss_bundles(receipts: Iterable[Receipt], told: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What there is to tell of receipts that fit no bundle at hand."""
    missing = dict.fromkeys(receipt.match for receipt in receipts if receipt.match not in {t["match"] for t in told})
    why = "there is a receipt of this match, but no bundle"
    return [{"file": None, "match": match, "result": UNREADABLE, "why": why} for match in missing]


_COLOURS = {OK: "green", FAULT: "red"}


def _print(console: Console, told: dict[str, Any]) -> None:
    console.print(f"{told['result']:12}", style=_COLOURS.get(told["result"], "yellow"), end="")
    named = [
        told["file"],
        told["match"],
        told.get("status"),
        f"{told['version']} events" if told.get("version") else None,
    ]
    _print_line(console, " · ".join(filter(None, named)))
    if told["result"] == UNREADABLE:
        _print_line(console, f"            {told['why']}")
        return
    right = [check["check"] for check in told["checks"] if check["result"] == OK]
    if right:
        _print_line(console, f"            right: {', '.join(dict.fromkeys(right))}")
    # One event that is wrong leaves several checks undone, for one reason.
    for (version, why), checks in groupby(told["checks"], key=itemgetter("version", "why")):
        if why:
            place = "" if version is None else f"line {version + 1}: "
            _print_line(console, f"            {', '.join(check['check'] for check in checks)}: {place}{why}")


def _print_line(console: Console, text: str) -> None:
    # What stands in a bundle must not drive the terminal.
    shown = "".join(each if each.isprintable() else "?" for each in text)
    console.print(shown, markup=False, soft_wrap=True)
