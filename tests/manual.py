"""The manual in `plyscribe/__init__.py` as a test: the files that it reads, and the code that runs it."""

import json
from pathlib import Path

from plyscribe.domain.commands import RecordVerdict, ScoreMatch, Withdraw
from plyscribe.domain.events import MatchVerified
from plyscribe.domain.verification import verify_match
from tests.domain.given import ANN, STREAM, SYSTEM, hot_seat
from tests.domain.matches import bundle_of

RUN = "import doctest, sys, plyscribe; failed, run = doctest.testmod(plyscribe); sys.exit(failed or run < 20)"


def write_files(folder: Path) -> None:
    """Write the bundle of a scored match, and the receipt of its first move."""
    table = hot_seat("zhen")
    table.play("+5", "+3", "5-4")
    table.when(Withdraw, ANN, seat=2)
    verdict = verify_match(STREAM, table.entries)
    assert isinstance(verdict, MatchVerified)
    table.when(RecordVerdict, SYSTEM, verdict=verdict)
    table.when(ScoreMatch, SYSTEM, ledger=None)
    (folder / "match.ndjson").write_bytes(bundle_of(table))
    kept = {"match": STREAM, "version": 3, "hash": table.entries[2].h.hex()}
    (folder / "receipts.ndjson").write_text(json.dumps(kept))
