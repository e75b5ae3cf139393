"""Bundles that a forger could send: sound matches with one thing changed, each chained anew so that it fits a line.

A mutation replaces, removes or adds one value of one event, or moves, repeats or inserts a whole event. The values are
of all types, some of them huge, negative or nested.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import orjson

from plyscribe.domain.bundle.bundle import Head, format_bundle
from plyscribe.domain.chain import MAX_INTEGER, canonical_json, first_link, link_all
from tests.domain import matches
from tests.domain.test_choices import against_time, on_shared_dice
from tests.domain.test_seeds import ended as against_a_sealed_bot

Raw = dict[str, Any]
MATCH = "match-" + "f" * 26

VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 3, 10_000, MAX_INTEGER),
    *("", "x", "1", "a" * 300, "../\n<b>\u0000\u202e"),
    *([], [None], [0, 0], [1, 1, 1], {}, {"x": {"y": [1, {"z": None}]}}),
)

ENVELOPES: tuple[Raw, ...] = (
    *({"at": at} for at in (-1, 0, MAX_INTEGER, -MAX_INTEGER)),
    *({"by": by} for by in ("", "player:", "x", "recorder:nobody", "system:" + "s" * 300)),
    *({"cause": cause} for cause in ("", "zz")),
    *({"type": type} for type in ("", "match-dreamt")),
    {"version": 0},
)


STORIES = {
    "drawn": matches.drawn,
    "rolled": matches.played_to_its_end,
    "recorded": matches.on_a_real_table,
    "forked": matches.forked,
    "shared": on_shared_dice,
    "against time": against_time,
    "against a bot": against_a_sealed_bot,
}
"""Sound matches. With `LATER` they have all event types, and all forms of seats and dice."""


def tell_story(name: str) -> list[Raw]:
    """The events of a sound match."""
    return [orjson.loads(entry.e) for entry in STORIES[name]().entries]


LATER: tuple[tuple[str, Raw], ...] = (
    ("match-verified", {"version": 3, "digest": "0" * 64}),
    ("match-refuted", {"version": 2, "why": "a mistake"}),
    ("match-scored", {"points": [2, 0], "ledger": None}),
    ("match-annulled", {"why": "a mistake"}),
    ("match-aborted", {"cause": "called off"}),
    ("match-ended", {"reason": "withdrawal", "ranks": [1, 2]}),
    ("seat-withdrawn", {"seat": 1, "cause": "resigned", "fault": None}),
    ("dice-revealed", {"secret": "00" * 32}),
    ("draw-agreed", {"seat": 2}),
    ("line-copied", {"steps": [{"seat": 1, "move": "+1"}], "salts": None}),
)
"""Events that any match can be made to hold, at any place."""


def format_forged(raws: list[Raw], match: str = MATCH) -> bytes | None:
    """The bundle of these events, numbered and chained anew; None if they do not begin with one that names rules."""
    try:
        created = raws[0]["data"]
        head = Head(match, created["ruleset"], created["ruleset_version"], None)
        numbered = [{**raw, "version": raw["version"] and place} for place, raw in enumerate(raws, 1)]
        return b"".join(format_bundle(head, link_all(first_link(match), 1, map(canonical_json, numbered))))
    except (LookupError, TypeError):
        return None


def mutate(raws: list[Raw]) -> Iterator[tuple[str, list[Raw]]]:
    """Every mutation of a match, with its name. The mutated events share what is unchanged."""
    seen: set[str] = set()
    for place, raw in enumerate(raws):
        name = f"{place + 1} {raw['type']}"
        yield f"{name} dropped", raws[:place] + raws[place + 1 :]
        yield f"{name} repeated", [*raws[: place + 1], *raws[place:]]
        yield f"{name} swapped", [*raws[:place], *raws[place : place + 2][::-1], *raws[place + 2 :]]
        if raw["type"] not in seen:
            seen.add(raw["type"])
            for what, changed in _mutate_event(raw):
                yield f"{name} {what}", [*raws[:place], changed, *raws[place + 1 :]]
    for place in (1, len(raws) // 2, len(raws)):
        for type, data in LATER:
            added = {**raws[-1], "type": type, "data": data}
            yield f"{type} added at {place + 1}", [*raws[:place], added, *raws[place:]]


def mutate_later(raws: list[Raw]) -> Iterator[tuple[str, list[Raw]]]:
    """Every mutation of each event of LATER, added to a match at its end."""
    for type, data in LATER:
        for what, changed in _mutate_event({**raws[-1], "type": type, "data": data}):
            yield f"{type} added, {what}", [*raws, changed]


def _mutate_event(raw: Raw) -> Iterator[tuple[str, Raw]]:
    for changed in ENVELOPES:
        yield f"with {changed}", {**raw, **changed}
    for path, change in _list_changes(raw["data"]):
        data = deepcopy(raw["data"])
        yield f"{path} {change(data)}", {**raw, "data": data}
    yield "with more", {**raw, "data": {**raw["data"], "more": 1}}


def _list_changes(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[str, Callable[[Any], str]]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        here = (*path, key)
        yield str(here), lambda data, here=here: _remove(data, here)
        for other in VALUES:
            yield str(here), lambda data, here=here, other=other: _replace(data, here, other)
        yield from _list_changes(part, here)


def _remove(data: Any, path: tuple[Any, ...]) -> str:
    for key in path[:-1]:
        data = data[key]
    del data[path[-1]]
    return "missing"


def _replace(data: Any, path: tuple[Any, ...], other: Any) -> str:
    for key in path[:-1]:
        data = data[key]
    data[path[-1]] = other
    return f"is {other!r:.40}"
