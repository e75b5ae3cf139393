"""The datasheet beside the tables: what a dataset is, as JSON for programs and as text for people.

Its questions are those of Gebru et al., "Datasheets for Datasets" (Communications of the ACM 64:12, 2021). It follows
from the matches alone, so whoever makes the same dataset again gets the same datasheet.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import orjson

from plyscribe.service.datasets.schema import OPENING_MATCHES, OPENING_MOVES, SCHEMA_VERSION, TABLES, Column
from plyscribe.service.datasets.splits import SPLITS

SHEET_JSON, SHEET_TEXT = "datasheet.json", "datasheet.md"
FILES = (*(f"{name}.parquet" for name in TABLES), SHEET_TEXT, SHEET_JSON)
"""The files of a dataset. The last one is written last."""

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
    """A time (UTC milliseconds) as in ISO 8601.

    >>> format_time(1)
    '1970-01-01T00:00:00.001Z'
    """
    seconds, ms = divmod(at_ms, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{ms:03}Z"


def render_sheet(sheet: Json) -> str:
    """The datasheet as Markdown."""
    return "\n".join(_list_lines(sheet))


def _list_lines(sheet: Json) -> Iterator[str]:
    found, title = sheet["matches"], sheet["title"]
    yield f"# Datasheet: {title}, matches that ended before {sheet['until']}"
    yield ""
    yield f"Schema version {sheet['schema']}. The questions follow Gebru et al., *Datasheets for Datasets* (2021)."
    yield ""
    yield from _part(
        "Motivation",
        f"This dataset is for those who study how {title} is played, and for programs that learn to play it. A Plyscribe "
        "service records every match as events; this is what its finished public matches say, one row for each match "
        "and one for each step.",
    )
    yield "## Composition"
    yield ""
    yield from _table(("table", "rows", "bytes"), ((n, t["rows"], t["bytes"]) for n, t in sheet["tables"].items()))
    yield from _counts("split", found["splits"])
    yield from _counts("who held the seats", found["players"])
    yield from _counts("number of seats", found["seats"])
    yield from _counts("options", found["presets"])
    yield from _counts("why matches ended", found["reasons"])
    yield from _counts("version of the rules", found["rules"])
    yield (
        f"The matches ended from {found['first_ended']} to {found['last_ended']}. "
        if found["first_ended"]
        else "There are no matches in it. "
    ) + (
        f"{found['rated']} were made to count for ratings, {found['tournament']} belong to tournaments, and "
        f"{found['forks']} began as forks of other matches."
    )
    yield ""
    yield (
        "It holds every match that meets all conditions below, so it is no sample of the service; the service itself is "
        "no sample of all play. Bots that play the same seeds may have played the same match more than once: `line` of "
        "`matches` is equal for those. The split of a match follows from the hash of its id alone. The same players, and "
        "the same lines, occur in all three splits."
    )
    yield ""
    yield from _part(
        "People",
        "Accounts have the ids that the public list of matches shows, and no names. Guests, whose names a recorder "
        "entered, have neither. Notes on a match, such as its place, and messages are left out. Ids of accounts can be "
        "looked up at the service as long as it shows them: do not try to find out who somebody is.",
    )
    yield "## Collection"
    yield ""
    yield (
        "A match is in the dataset if it is public, was played to its end before the cut, and was executed a second time "
        "by its rules without a fault. Private, unfinished, aborted, annulled and refuted matches are never in it, nor "
        "matches that were imported from other services or deleted."
    )
    yield ""
    yield (
        f"{found['count'] - found['recorded']} matches were played on a service, which kept their time. "
        f"{found['recorded']} were entered by a recorder, such as from a real table or a score sheet: they have no times."
    )
    yield ""
    yield from _counts("software that recorded them", found["servers"])
    yield "## Processing"
    yield ""
    yield (
        "Each match was replayed by the rules it names. Positions, effects and evaluations were computed in that replay. "
        "`evaluation` is the heuristic of the built-in bot `greedy`, not the truth about a position. Steps that were taken "
        "back are not there, nor the moves that a fork copied. "
        f"`openings` counts lines of up to {OPENING_MOVES} moves that at least {OPENING_MATCHES} matches of a split began "
        "with."
    )
    yield ""
    for version, behaviour in sheet["rules"].items():
        yield f"- Rules {sheet['ruleset']} version {version}, behaviour `{behaviour or 'without proofs'}`"
    yield ""
    yield from _part("Licence", sheet["licence"] or UNSTATED)
    yield "## Making it again"
    yield ""
    yield (
        f"`plyscribe dataset {sheet['ruleset']} --until {sheet['until']}`, on the same store or on a full export of it, "
        "leads to the same rows if the same matches are still public and not annulled: then these digests are equal. The "
        "files are equal too if the same version of pyarrow writes them."
    )
    yield ""
    rows = [("the matches and how they ended", found["digest"])]
    rows += [(f"the rows of `{name}`", table["content"]) for name, table in sheet["tables"].items()]
    rows += [(f"the file `{table['file']}`", table["sha256"]) for table in sheet["tables"].values()]
    yield from _table(("SHA-256 of", "is"), ((what, f"`{digest}`") for what, digest in rows))
    yield "## Columns"
    yield ""
    for name, columns in TABLES.items():
        yield f"### {name}"
        yield ""
        yield from describe_columns(columns)


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
