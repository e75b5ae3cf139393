"""The command `plyscribe` of an install without the extra `server`: it verifies bundles, and says how to get the rest.

It needs the standard library alone.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from plyscribe import __version__
from plyscribe.service.cli.extra import explain_missing
from plyscribe.service.cli.verifying import CannotVerify, find_exit_code, print_reports, verify_bundles

USAGE = """\
plyscribe verify [--receipt FILE]... [--json] BUNDLE...
       plyscribe --version | --help"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `verify`, or exit with 2 and the command that installs all others."""
    asked = sys.argv[1:] if arguments is None else list(arguments)
    match asked:
        case ["verify", *rest]:
            sys.exit(_verify(rest))
        case ["--version"]:
            sys.stdout.write(f"plyscribe, version {__version__}\n")
        case ["--help"]:
            sys.stdout.write(f"Usage: {USAGE}\n\n{explain_missing('server', 'Every other command needs')}\n")
        case []:
            sys.stderr.write(f"Usage: {USAGE}\n\n{explain_missing('server', 'Every other command needs')}\n")
            sys.exit(2)
        case [name, *_]:
            sys.stderr.write(f"error: {explain_missing('server', f'`plyscribe {name}` needs')}\n")
            sys.exit(2)


def _verify(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        "plyscribe verify",
        description="Check bundles of matches offline: bytes, hashes, rules, dice, outcome. "
        "Exits with 0 if everything is right, 1 if something is wrong, 2 if something could not be read or checked.",
    )
    parser.add_argument("bundles", nargs="+", type=Path, metavar="BUNDLE", help="a file, or - for standard input")
    parser.add_argument(
        "--receipt", action="append", default=[], type=Path, metavar="FILE", dest="receipts", help="answers to moves"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args(arguments)
    try:
        reports = verify_bundles(asked.bundles, asked.receipts)
    except CannotVerify as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    print_reports(reports, asked.json, lambda result, rest: sys.stdout.write(f"{result}{rest}\n"))
    return find_exit_code(reports)
