"""Bundles that a forger could send: sound matches with one thing changed, each chained anew so that it fits a line.

A mutation replaces, removes or adds one value of one event, or moves, repeats or inserts a whole event. The values are
of all types, some of them huge, negative or nested.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import orjson

from plyscribe.domain.bundle.bundle import Head, format_bundle, parse_bundle
from plyscribe.domain.chain import MAX_INTEGER, canonical_json, first_link, link_all
from tests.service.test_imports_api import Elsewhere

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


def tell_stories() -> dict[str, list[Raw]]:
    """Sound matches, each as its events. Together they have all event types, and all forms of seats and dice."""
    server = Elsewhere()
    stories = {"drawn": _tell_draw(server), "rolled": _tell_rolls(server), "recorded": _tell_record(server)}
    stories |= {"forked": _tell_fork(server), "shared": _tell_block(server), "bots": _tell_bots(server)}
    return {name: [orjson.loads(entry.e) for entry in parse_bundle(bundle).entries] for name, bundle in stories.items()}


def _tell_draw(server: Elsewhere) -> bytes:
    (_, ann), (_, ben) = server.sign_up(), server.sign_up()
    limits = {"move_ms": 60_000, "match_ms": 600_000}
    match = server.new_match(ann, ruleset="zhen", limits=limits, about={"place": "Turin", "event": "Open"})
    path = f"/v1/matches/{match}"
    server.post(f"{path}/seats/1", ben, {})
    server.send("DELETE", f"{path}/seats/1", ben, json={})
    for seat, token in ((1, ann), (2, ben)):
        server.post(f"{path}/seats/{seat}", token, {})
    for token, action, body in (
        (ann, "draw", {"action": "offer"}),
        (ben, "draw", {"action": "decline"}),
        (ann, "moves", None),
        (ben, "draw", {"action": "offer"}),
        (ann, "draw", {"action": "agree"}),
    ):
        done = server.post(f"{path}/{action}", token, body or {"move": _first_move(server, match)})
        assert done.status_code == 200, done.json
    return server.bundle(match)


def _tell_rolls(server: Elsewhere) -> bytes:
    (_, ann), (_, ben) = server.sign_up(), server.sign_up()
    match = server.new_match(ann, ruleset="toy")
    path = f"/v1/matches/{match}"
    for seat, token in ((1, ann), (2, ben)):
        server.post(f"{path}/seats/{seat}", token, {"entropy": f"salt {seat}"} if seat == 1 else {})
    server.post(f"{path}/entropy", ben, {"seat": 2, "entropy": "pepper"})
    for _ in range(2):
        # The dice differ each time, so the match may be over by now.
        if seat := server.get(path).json["turn"].get("decision"):
            server.post(f"{path}/moves", (ann, ben)[seat - 1], {"move": _first_move(server, match)})
    server.post(f"{path}/withdrawal", ben, {})
    server.verify(match)
    return server.bundle(match)


def _tell_record(server: Elsewhere) -> bytes:
    _, ann = server.sign_up()
    seats = [{"name": "Ada"}, {"name": "Bea"}]
    match = server.new_match(ann, seats, ruleset="toy", recorded=True, dice="recorded")
    path = f"/v1/matches/{match}"
    for _ in range(6):
        turn = server.get(path).json["turn"]
        if "roll" in turn:
            server.post(f"{path}/rolls", ann, {"values": [1] * turn["roll"]["count"]})
        elif "decision" in turn:
            server.post(f"{path}/moves", ann, {"move": _first_move(server, match)})
    server.post(f"{path}/take-back", ann, {"ply": 0})
    return server.bundle(match)


def _tell_fork(server: Elsewhere) -> bytes:
    ann, token = server.sign_up()
    while True:
        match = server.new_match(token, [{"player": ann}] * 2, ruleset="toy")
        path = f"/v1/matches/{match}"
        server.post(f"{path}/start", token, {})
        server.post(f"{path}/moves", token, {"move": _first_move(server, match)})
        server.post(f"{path}/withdrawal", token, {"seat": 1})
        made = server.post(f"{path}/forks", token, {"ply": 1, "dice": "same"})
        # With some dice the match is over after one move.
        if made.status_code == 201:
            return server.bundle(made.json["match"])


def _tell_block(server: Elsewhere) -> bytes:
    _, ann = server.sign_up()
    match = server.new_match(ann, ruleset="toy", shared_dice=2, start="call")
    server.post(f"/v1/matches/{match}/abort", ann, {})
    return server.bundle(match)


def _tell_bots(server: Elsewhere) -> bytes:
    _, ann = server.sign_up()
    return server.bundle(server.new_match(ann, [None, {"bot": "random"}], ruleset="pathagon"))


def _first_move(server: Elsewhere, match: str) -> str:
    return str(server.get(f"/v1/matches/{match}/legal-moves?limit=1").json["moves"][0])


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
