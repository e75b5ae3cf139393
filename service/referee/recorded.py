"""Recorded matches in files, as trials: text records, bundles, and exports of many matches."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from plyscribe.domain.bundle.bundle import parse_bundle
from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.errors import DomainError
from plyscribe.domain.proofs.trials import Trial, trial_of
from plyscribe.domain.record import SUFFIX, Record, parse_record, record_of
from plyscribe.domain.replay import replay
from plyscribe.domain.ruleset import AnyRuleset


class Recorded(NamedTuple):
    """A recorded match with its name. `trial` is None if it is of other rules, or damaged: `why` says how."""

    name: str
    trial: Trial | None
    why: str | None = None


class NotReadable(Exception):
    """The file, or a match in it, cannot be read."""


def read_recorded(ruleset: AnyRuleset, name: str, raw: bytes) -> Iterator[Recorded]:
    """The matches in a file: a text record, a bundle, or an export of many; NotReadable.

    What a file is shows in its first line.
    """
    first = raw.partition(b"\n")[0]
    try:
        if name.endswith(SUFFIX) or not first.startswith(b"{"):
            yield _recall_text(ruleset, name, raw.decode())
        elif first.startswith(b'{"behaviour":'):
            yield _read_bundle(ruleset, raw)
        else:
            yield from _read_export(ruleset, name, raw.splitlines())
    except (DomainError, UnicodeDecodeError) as error:
        raise NotReadable(f"{name}: {error}") from None


def read_exported(ruleset: AnyRuleset, exported: Iterable[Any], name: str) -> Iterator[Recorded]:
    """The matches in the lines of an export, each as read from JSON; NotReadable for a line that is no match."""
    for number, line in enumerate(exported, 1):
        match line:
            case {"match": str(match), "record": str(text)}:
                yield _read_or_explain(match, partial(_recall_text, ruleset, match, text))
            case {"match": str(match), "bundle": str(text)}:
                yield _read_or_explain(match, partial(_read_bundle, ruleset, text.encode()))
            case {"match": str(match), "fault": dict(fault)}:
                yield Recorded(match, None, str(fault.get("detail")))
            case {"count": int(), "sha256": str()}:
                return
            case _:
                wanted = "a text record, a bundle, or an export of records or bundles"
                raise NotReadable(f"{name}: line {number} holds no match: give {wanted}")


def _read_or_explain(match: str, read: Callable[[], Recorded]) -> Recorded:
    """One of many matches: if it is damaged, the others can be read all the same."""
    try:
        return read()
    except DomainError as error:
        return Recorded(match, None, str(error))


def _read_export(ruleset: AnyRuleset, name: str, lines: Iterable[bytes]) -> Iterator[Recorded]:
    try:
        yield from read_exported(ruleset, map(json.loads, lines), name)
    except (ValueError, RecursionError) as error:
        raise NotReadable(f"{name}: {error}") from None


def read_events(ruleset: AnyRuleset, match: str, entries: Sequence[StoredEvent]) -> Recorded:
    """The match with these events, up to the first that cannot be played; none if its start cannot be read."""
    return _read_or_explain(match, partial(_recall_events, ruleset, match, entries))


def _recall_events(ruleset: AnyRuleset, match: str, entries: Sequence[StoredEvent]) -> Recorded:
    return _recall(ruleset, match, record_of(replay(match, entries), entries, {}))


def _read_bundle(ruleset: AnyRuleset, raw: bytes) -> Recorded:
    bundle = parse_bundle(raw)
    return _recall_events(ruleset, bundle.head.match, bundle.entries)


def _recall_text(ruleset: AnyRuleset, name: str, text: str) -> Recorded:
    return _recall(ruleset, name, parse_record(text))


def _recall(ruleset: AnyRuleset, name: str, record: Record) -> Recorded:
    if (record.ruleset, record.ruleset_version) != (ruleset.id, ruleset.version):
        return Recorded(name, None)
    return Recorded(name, trial_of(ruleset, len(record.seats), record.options, record.steps))
