"""What `plyscribe verify` does, with the standard library alone, so that every install can do it."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from plyscribe.domain.bundle.receipt import Receipt, parse_receipts
from plyscribe.domain.bundle.report import FAULT, OK, check_bytes, describe_report
from plyscribe.domain.errors import BundleError, ReceiptError
from plyscribe.service.config import ConfigError, register_rulesets

UNREADABLE = "unreadable"
STDIN = Path("-")
RESULT_WIDTH = 12

Described = dict[str, Any]
"""A report as JSON, with the `file` it is about and the `line` of its first fault."""


class CannotVerify(Exception):
    """No bundle can be checked, because a file of receipts or a ruleset cannot be read."""


def verify_bundles(bundles: Sequence[Path], receipts: Sequence[Path]) -> list[Described]:
    """The reports on these files, in their order, then one for each match that has a receipt but no bundle.

    A file that is not a bundle gets a report too. Raises CannotVerify.
    """
    try:
        register_rulesets(os.environ.get("PLYSCRIBE_RULESETS", ""))
    except ConfigError as error:
        raise CannotVerify(str(error)) from None
    kept = [receipt for path in receipts for receipt in _read_receipts(path)]
    reports = [_verify(path, kept) for path in bundles]
    return reports + _list_missing(kept, reports)


def find_exit_code(reports: Iterable[Described]) -> int:
    """0 if everything is right, 1 if something is wrong, 2 if something could not be read or checked."""
    results = {report["result"] for report in reports}
    return 1 if FAULT in results else 2 if results != {OK} else 0


def print_reports(reports: Sequence[Described], as_json: bool, show: Callable[[str, str], object]) -> None:
    """Print the reports as JSON, or line by line through `show`.

    `show` gets the first RESULT_WIDTH characters of a line, which are a result or blank, and the rest of it.
    """
    if as_json:
        sys.stdout.write(json.dumps(reports, indent=2) + "\n")
        return
    for report in reports:
        result = report["result"]
        for line in _format_report(report):
            # The content of a bundle must not control the terminal.
            show(result.ljust(RESULT_WIDTH), "".join(each if each.isprintable() else "?" for each in line))
            result = ""


def _read_receipts(path: Path) -> list[Receipt]:
    try:
        receipts = parse_receipts(_read(path))
    except (OSError, ReceiptError) as error:
        raise CannotVerify(f"{path}: {_explain(error)}") from None
    if not receipts:
        # Somebody may have kept a refusal by mistake, and would believe that it was compared.
        raise CannotVerify(f"{path}: it holds no receipt")
    return receipts


def _read(path: Path) -> bytes:
    return sys.stdin.buffer.read() if path == STDIN else path.read_bytes()


def _explain(error: Exception) -> str:
    return str(error.strerror) if isinstance(error, OSError) else str(error)


def _verify(path: Path, receipts: Sequence[Receipt]) -> Described:
    try:
        report = check_bytes(_read(path), receipts)
    except (OSError, BundleError) as error:
        return {"file": str(path), "match": None, "result": UNREADABLE, "why": _explain(error)}
    return {"file": str(path), **describe_report(report), "line": report.fault.line if report.fault else None}


def _list_missing(receipts: Iterable[Receipt], reports: Sequence[Described]) -> list[Described]:
    have = {report["match"] for report in reports}
    missing = dict.fromkeys(receipt.match for receipt in receipts if receipt.match not in have)
    why = "there is a receipt of this match, but no bundle"
    return [{"file": None, "match": match, "result": UNREADABLE, "why": why} for match in missing]


def _format_report(report: Described) -> Iterator[str]:
    events = f"{report['version']} events" if report.get("version") else None
    yield " · ".join(filter(None, [report["file"], report["match"], report.get("status"), events]))
    if report["result"] == UNREADABLE:
        yield report["why"]
        return
    right = [check["check"] for check in report["checks"] if check["result"] == OK]
    if right:
        yield f"right: {', '.join(dict.fromkeys(right))}"
    # One wrong event can leave several checks undone, all for the same reason.
    for (version, why), checks in groupby(report["checks"], key=itemgetter("version", "why")):
        if why:
            place = "" if version is None else f"line {version + 1}: "
            yield f"{', '.join(check['check'] for check in checks)}: {place}{why}"
