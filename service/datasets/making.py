"""Makes a dataset: three tables and a datasheet in a folder, from matches in a fixed order."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.match import Match, fold
from plyscribe.domain.rulesets import RULESETS
from plyscribe.service.datasets.datasheet import SHEET_JSON, SHEET_TEXT, describe_sheet, format_sheet, render_sheet
from plyscribe.service.datasets.openings import Openings
from plyscribe.service.datasets.parquet import TableFile, WrittenTable
from plyscribe.service.datasets.schema import SCHEMA_VERSION, TABLES
from plyscribe.service.datasets.tabulating import MatchRows, describe_rows, judge

Json = dict[str, Any]


class Order(NamedTuple):
    """What a dataset is of."""

    ruleset: str
    until_ms: int
    """The cut: only matches that ended before it (UTC milliseconds)."""

    licence: str | None = None
    """What its readers may do with it, in the words of the operator."""


class Candidate(NamedTuple):
    """A match that may belong to the dataset, with all its events."""

    match: str
    entries: Sequence[StoredEvent]


class Made(NamedTuple):
    """A dataset that is complete: its datasheet, and how many candidates were left out, by the reason."""

    sheet: Json
    left_out: Counter[str]


Progress = Callable[[int], object]
"""Called with the number of matches in the tables, after each. It may raise MakingStopped."""


def can_make() -> bool:
    """Whether the library that writes Parquet is installed."""
    return find_spec("pyarrow") is not None


def make_dataset(
    candidates: Iterable[Candidate], order: Order, folder: Path, report: Progress = lambda _: None
) -> Made:
    """Write the dataset into a folder, which must exist. The same matches lead to the same rows in the same order.

    Candidates come in the order of their ends, then of their ids. Those that do not belong to the dataset are left
    out. Raises OSError if the disk is full, and what the candidates and `report` raise.
    """
    about = {"schema": str(SCHEMA_VERSION), "ruleset": order.ruleset, "until": str(order.until_ms)}
    if order.licence:
        about["licence"] = order.licence
    counts, left_out = _Counts(), Counter[str]()
    with ExitStack() as stack:
        files = {
            name: stack.enter_context(closing(TableFile(folder / f"{name}.parquet", name, {"table": name, **about})))
            for name in TABLES
        }
        openings = stack.enter_context(closing(Openings()))
        for id, entries in candidates:
            match = fold(Match(id), entries)
            if why := judge(match, order.ruleset, order.until_ms):
                left_out[why] += 1
                continue
            rows = describe_rows(match, entries)
            files["matches"].add(rows.match)
            for row in rows.plies:
                files["plies"].add(row)
            openings.add(rows)
            counts.add(rows)
            report(counts.matches)
        for row in openings.list_rows():
            files["openings"].add(row)
        written = {name: file.finish() for name, file in files.items()}
    sheet = _write_sheet(order, counts, written, folder)
    return Made(sheet, left_out)


class _Counts:
    """What the datasheet says of the matches."""

    def __init__(self) -> None:
        self.matches = 0
        self.digest = sha256()
        self.by: dict[str, Counter[str]] = {
            name: Counter() for name in ("split", "ruleset_version", "reason", "preset", "seats", "kind", "server")
        }
        self.flags = Counter[str]()
        self.ended: list[int] = []

    def add(self, rows: MatchRows) -> None:
        match = rows.match
        self.matches += 1
        self.digest.update(f"{match['match']} {match['hash']}\n".encode())
        for name in ("split", "ruleset_version", "reason", "server"):
            self.by[name][str(match[name])] += 1
        self.by["preset"][match["preset"] or "other"] += 1
        self.by["seats"][str(len(match["seats"]))] += 1
        self.by["kind"].update(seat["kind"] for seat in match["seats"])
        self.flags.update(name for name in ("rated", "recorded") if match[name])
        self.flags.update(["forks"] if match["copied_plies"] else [])
        self.flags.update(["tournament"] if match["tournament"] else [])
        self.ended = [min([*self.ended, match["ended_at"]]), max([*self.ended, match["ended_at"]])]


def _write_sheet(order: Order, counts: _Counts, written: dict[str, WrittenTable], folder: Path) -> Json:
    rules = next((each for each in RULESETS if each.id == order.ruleset), None)
    versions = sorted(map(int, counts.by["ruleset_version"]))
    sheet = describe_sheet(
        ruleset=order.ruleset,
        title=rules.title if rules else order.ruleset,
        behaviours={str(each.version): each.behaviour for each in RULESETS if _is_of(each, order.ruleset, versions)},
        until_ms=order.until_ms,
        licence=order.licence,
        matches=counts.digest.hexdigest(),
        ended=tuple(counts.ended),
        by={name: dict(sorted(counter.items())) for name, counter in counts.by.items()},
        flags={name: counts.flags[name] for name in ("rated", "recorded", "forks", "tournament")},
        tables={name: table._asdict() for name, table in written.items()},
    )
    # The text comes first: where it lies beside the JSON, the dataset is complete.
    (folder / SHEET_TEXT).write_text(render_sheet(sheet), encoding="utf-8")
    (folder / SHEET_JSON).write_bytes(format_sheet(sheet))
    return sheet


def _is_of(ruleset: Any, id: str, versions: Sequence[int]) -> bool:
    return ruleset.id == id and ruleset.version in versions
