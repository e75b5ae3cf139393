"""The datasheet beside the tables: what a dataset is, as JSON for programs and as text for people.

Its questions are those of Gebru et al., "Datasheets for Datasets" (Communications of the ACM 64:12, 2021). It follows
from the matches alone, so whoever makes the same dataset again gets the same datasheet.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import orjson

from plyscribe.service.datasets.schema import NESTED, OPENING_MATCHES, OPENING_MOVES, SCHEMA_VERSION, TABLES, Column
from plyscribe.service.datasets.splits import SPLITS

SHEET_JSON, SHEET_TEXT = "datasheet.json", "datasheet.md"
FILES = (*(f"{name}.parquet" for name in TABLES), SHEET_TEXT, SHEET_JSON)
"""The files of a dataset. The last one is written last."""

LAST_MS = 253_402_300_799_999
"""The last time that a date with a year of four digits can have."""

UNSTATED = "The operator of the service states no licence. Ask before you publish anything made from it."

Json = dict[str, Any]


def describe_sheet(
    *,
    ruleset: str,
    title: str,
    behaviours: Mapping[str, str | None],
    until_ms: int,
    licence: str | None,
    matches: str,
    ended: tuple[int, ...],
    by: Mapping[str, Mapping[str, int]],
    flags: Mapping[str, int],
    tables: Mapping[str, Mapping[str, Any]],
) -> Json:
    """The datasheet, JSON-ready. Times are UTC in ISO 8601, digests SHA-256 in hex."""
    first, last = (format_time(at) for at in ended) if ended else (None, None)
    return {
        "schema": SCHEMA_VERSION,
        "ruleset": ruleset,
        "title": title,
        "rules": dict(behaviours),
        "until": format_time(until_ms),
        "until_ms": until_ms,
        "licence": licence,
        "matches": {
            "count": tables["matches"]["rows"],
            "digest": matches,
            "first_ended": first,
            "last_ended": last,
            "splits": {split: by["split"].get(split, 0) for split in SPLITS},
            "rules": dict(by["ruleset_version"]),
            "presets": dict(by["preset"]),
            "seats": dict(by["seats"]),
            "reasons": dict(by["reason"]),
            "players": {kind: by["kind"].get(kind, 0) for kind in ("account", "guest", "bot")},
            "servers": dict(by["server"]),
            **flags,
        },
        "tables": {name: {"file": f"{name}.parquet", **table} for name, table in tables.items()},
    }


def format_sheet(sheet: Json) -> bytes:
    """The datasheet as the bytes of its file."""
    return orjson.dumps(sheet, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def format_time(at_ms: int) -> str:
    """A time (UTC milliseconds) as in ISO 8601. What somebody wrote of a time may be none: then the nearest that is.

    >>> format_time(1)
    '1970-01-01T00:00:00.001Z'
    """
    seconds, ms = divmod(min(max(0, at_ms), LAST_MS), 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{ms:03}Z"


def render_sheet(sheet: Json) -> str:
    """The datasheet as Markdown."""
    return "\n".join(_list_lines(sheet))


MOTIVATION = """\
This dataset is for those who study how {title} is played, and for programs that learn to play it. A Plyscribe service
records every match as events. This is what its finished public matches say: a row for each match, and a row for each
step."""

SAMPLE = """\
Every match that meets the conditions below is in it, so it is no sample of the service. The service itself is no sample
of all play. Bots may have played the same match more than once: those have the same `line` in `matches`. The split of a
match follows from the hash of its id alone, so the same players and the same openings are in all three splits."""

PEOPLE = """\
Accounts have the ids that the public list of matches shows, and no names. Guests, whose names a recorder entered, have
neither. Notes on a match, such as its place, are left out. The service can be asked who has an id, as long as it shows
that: do not try to find out more."""

CONDITIONS = """\
A match is in the dataset if it is public, was played to its end before the cut, and was executed a second time by its
rules without a fault. Private, unfinished, aborted, annulled and refuted matches are never in it, nor matches that were
imported from other services or deleted."""

SOURCES = """\
{played} matches were played on a service, which kept their time. {recorded} were entered by a recorder, as from a real
table or a score sheet, and have no times."""

PROCESSING = """\
Each match was replayed by the rules that it names. Positions, effects and evaluations come from that replay. An
evaluation is the heuristic of the bot `greedy`, not the truth about a position. Steps that were taken back are left
out, and so are moves that a fork copied. `openings` counts lines of up to {moves} moves that at least {matches} matches
of a split began with."""

AGAIN = """\
`plyscribe dataset {ruleset} --until {until}`, on the same store or on a full export of it, leads to the same rows if
the same matches are still there, public and not annulled. Then these digests are equal. The files are equal too if the
same version of pyarrow writes them."""


def _list_lines(sheet: Json) -> Iterator[str]:
    found, title = sheet["matches"], _escape(sheet["title"])
    yield from (f"# Datasheet: {title}", "", f"Matches that ended before {sheet['until']}. Schema {sheet['schema']}.")
    yield from ("The questions follow Gebru et al., *Datasheets for Datasets* (2021).", "")
    yield from _part("Motivation", MOTIVATION.format(title=title))
    yield from _part("Composition", _describe_span(found))
    yield from _table(("table", "rows", "bytes"), ((n, t["rows"], t["bytes"]) for n, t in sheet["tables"].items()))
    for what, counts in COUNTED.items():
        yield from _counts(what, found[counts])
    yield from (SAMPLE, "")
    yield from _part("People", PEOPLE)
    yield from _part("Collection", CONDITIONS)
    yield from (SOURCES.format(played=found["count"] - found["recorded"], recorded=found["recorded"]), "")
    yield from _counts("software that recorded them", found["servers"])
    yield from _part("Processing", PROCESSING.format(moves=OPENING_MOVES, matches=OPENING_MATCHES))
    rules = ((version, f"`{behaviour or 'without proofs'}`") for version, behaviour in sheet["rules"].items())
    yield from _table((f"version of {sheet['ruleset']}", "behaviour"), rules)
    yield from _part("Licence", _escape(sheet["licence"] or UNSTATED))
    yield from _part("Making it again", AGAIN.format(ruleset=sheet["ruleset"], until=sheet["until"]))
    digests = [("the matches and how they ended", found["digest"])]
    digests += [(f"the rows of `{name}`", table["content"]) for name, table in sheet["tables"].items()]
    digests += [(f"the file `{table['file']}`", table["sha256"]) for table in sheet["tables"].values()]
    yield from _table(("SHA-256 of", "is"), ((what, f"`{digest}`") for what, digest in digests))
    yield from ("## Columns", "")
    for name, columns in {**TABLES, **NESTED}.items():
        yield from (f"### {name}", "", *describe_columns(columns))


COUNTED = {
    "split": "splits",
    "who held the seats": "players",
    "number of seats": "seats",
    "options": "presets",
    "why matches ended": "reasons",
    "version of the rules": "rules",
}
"""The tables of counts, each with its place in the JSON."""


def _describe_span(found: Json) -> str:
    if not found["count"]:
        return "There are no matches in it."
    return (
        f"There are {found['count']} matches, which ended from {found['first_ended']} to {found['last_ended']}.\n"
        f"{found['rated']} were made to count for ratings, {found['tournament']} belong to tournaments, and "
        f"{found['forks']} began as forks."
    )


def describe_columns(columns: tuple[Column, ...]) -> Iterator[str]:
    """Columns as a table in Markdown; `?` after a type means that a value may be null."""
    yield from _table(
        ("column", "type", "meaning"),
        ((f"`{each.name}`", f"{each.type}{'?' * each.nullable}", each.meaning) for each in columns),
    )


def _part(heading: str, text: str) -> Iterator[str]:
    yield f"## {heading}"
    yield ""
    yield text
    yield ""


def _counts(what: str, counts: Mapping[str, int]) -> Iterator[str]:
    if counts:
        yield from _table((what, "number"), counts.items())


def _table(head: tuple[str, ...], rows: Any) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(map(_escape, row))} |"
    yield ""


def _escape(value: object) -> str:
    # What servers and rulesets are called may hold anything.
    return str(value).replace("|", "\\|").replace("\n", " ")
