"""Describes matches as JSON-ready answers, as text, and as pictures."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from typing import Any

import orjson
from markupsafe import Markup

from plyscribe.domain.bundle.bundle import format_event_line
from plyscribe.domain.bundle.export import format_end_line
from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import dump_data
from plyscribe.domain.completion import compose
from plyscribe.domain.counting import counts
from plyscribe.domain.deadlines import find_deadline, time_left, time_used
from plyscribe.domain.decide.choices import Choice
from plyscribe.domain.events import ServerDice
from plyscribe.domain.imported import Import, split_address
from plyscribe.domain.match import Match, Play, Seat, damaged
from plyscribe.domain.replay import Position
from plyscribe.domain.ruleset import AnyRuleset, Decision, Turn, format_turn
from plyscribe.service.boards import draw_board, explain_move
from plyscribe.service.boards.board import LastMove
from plyscribe.service.boards.colours import Theme
from plyscribe.service.matches.imports import MAX_NAMED
from plyscribe.service.streams.handler import Answer, Handler

UNREADABLE = "unreadable"
"""The type in answers of an event whose stored bytes are not an event."""

PICTURES = 256
"""Drawings that a process caches, of some 30 KB each. People look at few positions at a time."""

PAGE = 250
"""Events that an export holds in memory at a time: a page of each export that somebody reads slowly."""


def dump_turn(turn: Turn | None) -> dict[str, Any] | None:
    """The turn as JSON; None while the match waits for nothing."""
    return None if turn is None else format_turn(turn)


def dump_event(stored: StoredEvent) -> bytes:
    """A stored event as a line of JSON. Bytes that are not an event are wrapped in one of the type `unreadable`.

    Everything else is sent as stored; the hashes show readers whether it was changed.
    """
    try:
        is_event = orjson.loads(stored.e).keys() == _ENVELOPE and b"\n" not in stored.e
    except (ValueError, AttributeError):
        is_event = False
    return format_event_line(stored if is_event else stored._replace(e=_wrap(stored)))


_ENVELOPE = {"at", "by", "cause", "data", "type", "version"}


def _wrap(stored: StoredEvent) -> bytes:
    data = {"bytes": b64encode(stored.e).decode()}
    event = {"at": 0, "by": "", "cause": "", "data": data, "type": UNREADABLE, "version": stored.version}
    return orjson.dumps(event)


def dump_events(entries: Iterable[StoredEvent]) -> orjson.Fragment:
    """Stored events as a JSON array inside an answer."""
    return orjson.Fragment(b"[" + b",".join(map(dump_event, entries)) + b"]")


def describe_receipt(answer: Answer[Match]) -> dict[str, Any]:
    """The receipt of a command; follows from the stream up to the last event that the command stored, and no more.

    WrongTime if an event up to there has been damaged since.
    """
    last, state = answer.events[-1], answer.state
    if state.fault and state.life.status == "playing":
        # What the match waited for cannot be told again.
        raise damaged(state.fault)
    receipt = {
        "match": state.stream,
        "version": last.version,
        "hash": last.h.hex(),
        "turn": dump_turn(state.turn),
        "events": dump_events(answer.events),
    }
    if state.life.created.rated:
        receipt["counts"] = counts(state)
    return receipt


def describe_match(
    match: Match,
    choices: list[dict[str, Any]],
    imported: Import | None = None,
    others: Sequence[Import] = (),
    confirm_by: int | None = None,
) -> dict[str, Any]:
    """The match as it stands, with the choices of the one who asks.

    An import has the other versions of it in `others`. `confirm_by` is as from find_confirm_by.
    """
    life, play = match.life, match.play
    created = life.created
    return {
        "match": match.stream,
        "version": match.version,
        "hash": match.head.hex(),
        "status": life.status,
        "ruleset": created.ruleset,
        "ruleset_version": created.ruleset_version,
        "options": created.options,
        "seats": [
            {**each, "entropy": seat.entropy, "builds": [dump_data(build) for build in seat.builds]}
            for each, seat in zip(describe_seats(life.seats), life.seats, strict=True)
        ],
        "creator": life.creator,
        "recorder": created.recorder,
        "private": created.private,
        "rated": created.rated,
        "counts": counts(match),
        "start": created.start,
        "dice": _describe_dice(match),
        "bots": {**dump_data(created.bots), "secret": life.seeds_secret} if created.bots else None,
        "about": created.about,
        "limits": created.limits,
        "clock": _describe_clock(match),
        "paused": match.pause._asdict() if match.pause else None,
        "rematch_of": created.rematch_of,
        # A bundle from elsewhere may say anything here.
        "tournament": created.tournament.get("id") if created.tournament else None,
        "parent": created.parent,
        "ply": play.ply if play else 0,
        "moves": [step.move for step in play.steps] if play else [],
        "turn": dump_turn(match.turn),
        "draw_offered_by": play.offer.agreed[0] if play and play.offer and life.status == "playing" else None,
        "outcome": dump_data(life.outcome) if life.outcome else None,
        "confirm_by": confirm_by,
        "verdict": {"type": life.verdicts[-1].type, **dump_data(life.verdicts[-1])} if life.verdicts else None,
        "score": dump_data(life.score) if life.score else None,
        "annulment": dump_data(life.annulment) if life.annulment else None,
        "fault": {"version": match.fault.version, "why": str(match.fault.error)} if match.fault else None,
        "imported": _describe_imported(imported, others) if imported else None,
        "view": play.ruleset.view(play.state) if play else None,
        "choices": choices,
    }


def _describe_imported(imported: Import, others: Sequence[Import]) -> dict[str, Any]:
    id, _ = split_address(imported.address or "")
    named = [each.address for each in others[:MAX_NAMED]]
    return {
        "import": imported.stream,
        "match": id,
        "by": imported.importer,
        "status": imported.status,
        "others": named,
    }


def describe_choices(choices: Iterable[Choice]) -> list[dict[str, Any]]:
    """The choices; `seats` and `causes` only of commands that name one."""
    return [{name: value for name, value in choice._asdict().items() if value} for choice in choices]


def describe_seats(seats: Sequence[Seat]) -> list[dict[str, Any]]:
    """The seats: who each is for, and whether that player has taken it."""
    return [
        {"seat": number, **(dump_data(seat.occupant) if seat.occupant else {}), "seated": seat.seated}
        for number, seat in enumerate(seats, 1)
    ]


def _describe_clock(match: Match) -> dict[str, Any] | None:
    if match.life.created.limits is None or match.play is None:
        return None
    seats, deadline = range(1, len(match.life.seats) + 1), find_deadline(match)
    return {
        "since": match.play.since,
        "used_ms": [time_used(match, seat) for seat in seats],
        "left_ms": [time_left(match, seat) for seat in seats],
        "deadline": deadline._asdict() if deadline else None,
        "spent_ms": [step.took_ms for step in match.play.steps],
        "lag_ms": match.play.lag_ms,
    }


def _describe_dice(match: Match) -> dict[str, Any] | None:
    dice = match.life.created.dice
    if dice is None:
        return None
    secret = {"secret": match.life.secret} if isinstance(dice, ServerDice) else {}
    return {"mode": dice.mode, **dump_data(dice), **secret}


def describe_position(match: Match, position: Position) -> dict[str, Any]:
    """A position of the match."""
    assert match.play is not None
    return {
        "match": match.stream,
        "version": position.version,
        "ply": position.ply,
        "turn": dump_turn(position.turn),
        "view": match.play.ruleset.view(position.state),
    }


@lru_cache(maxsize=PICTURES)
def write_board(ruleset: AnyRuleset, state: Any) -> str:
    """The board as text, without a line break at its end."""
    return ruleset.render_text(state).rstrip("\n")


def render_position(match: Match, position: Position) -> str:
    """A position of the match as text for a terminal."""
    assert match.play is not None
    ruleset = match.play.ruleset
    head = f"{ruleset.title} · {match.stream} · ply {position.ply} · version {position.version}"
    return f"{head}\n\n{write_board(ruleset, position.state)}\n\n{_format_next(match, position)}\n"


def draw_position(match: Match, position: Position, theme: Theme | None = "auto", seat: int | None = None) -> Markup:
    """A position of the match as an SVG picture, seen by a seat, that marks the last move and names no player.

    With a theme the picture stands alone; without one it takes the colours of the page around it.
    """
    assert match.play is not None
    ruleset, step = match.play.ruleset, match.play.steps[position.ply - 1] if position.ply else None
    return _draw(ruleset, position.state, step and (step.seat, step.move, step.state), theme, seat)


def draw_after(ruleset: AnyRuleset, state: Any, move: str, seat: int | None) -> Markup:
    """The position right after a legal move, as the seat sees it and as a page shows it once the move was made."""
    turn = ruleset.turn(state)
    assert isinstance(turn, Decision)
    after = ruleset.apply_move(state, ruleset.parse_move(state, move))
    return _draw(ruleset, after, (turn.seat, move, state), None, seat)


@lru_cache(maxsize=PICTURES)
def _draw(
    ruleset: AnyRuleset, state: Any, step: tuple[int, str, Any] | None, theme: Theme | None, seat: int | None
) -> Markup:
    """The drawing, which follows from these arguments alone, so that everybody who watches a position shares one."""
    last = step and LastMove(step[0], step[1], ruleset.view(step[2]))
    return draw_board(ruleset, state, last, theme, seat)


def _format_next(match: Match, position: Position) -> str:
    assert match.play is not None
    if position.ply < match.play.ply:
        step = match.play.steps[position.ply]
        return f"Then seat {step.seat} plays {step.move}."
    match dump_turn(position.turn):
        case {"decision": seat}:
            return f"Seat {seat} is to move."
        case {"roll": roll}:
            return f"Due: {roll['count']}d{roll['sides']} for {roll['purpose']}."
        case {"over": over}:
            return f"Over ({over['reason']}); ranks by seat: {', '.join(map(str, over['ranks']))}."
    return f"The match is {match.life.status}."


def list_legal_moves(match: Match, prefix: str, offset: int, limit: int) -> tuple[list[str], bool]:
    """A page of legal moves in notation, and whether more follow; empty unless the match awaits a decision."""
    play = _play_under_way(match)
    if play is None:
        return [], False
    moves = islice(play.ruleset.legal_moves(play.state, prefix), offset, offset + limit + 1)
    page = [play.ruleset.format_move(play.state, move) for move in moves]
    return page[:limit], len(page) > limit


def describe_composition(match: Match, prefix: str) -> dict[str, Any]:
    """The ways to continue a text to a legal move; none unless the match awaits a decision."""
    play = _play_under_way(match)
    head = {"match": match.stream, "version": match.version, "turn": dump_turn(match.turn), "prefix": prefix}
    if play is None:
        return {**head, "complete": False, "finish": None, "explanation": None, "steps": [], "truncated": False}

    def explain(move: str | None) -> dict[str, Any] | None:
        explained = None if move is None else explain_move(play.ruleset, move)
        return explained and explained._asdict()

    found = compose(play.ruleset, play.state, prefix)
    return {
        **head,
        "complete": found.complete,
        "finish": found.finish,
        "explanation": explain(prefix if found.complete else found.finish),
        "steps": [
            {**step._asdict(), "explanation": explain(prefix + step.text if step.completes else None)}
            for step in found.steps
        ],
        "truncated": found.truncated,
    }


def _play_under_way(match: Match) -> Play | None:
    return None if match.fault or match.life.status != "playing" else match.play


def read_pages(matches: Handler[Any], match: str, after: int, upto: int) -> Iterable[list[StoredEvent]]:
    """The stored events after version `after` up to version `upto`, a page at a time."""
    while after < upto:
        page = matches.read_events(match, after, min(PAGE, upto - after))
        if not page:
            return
        yield page
        after = page[-1].version


def export_lines(pages: Iterable[list[StoredEvent]]) -> Iterable[bytes]:
    """The events as NDJSON. The last line holds their count, the head hash and the SHA-256 of all bytes before it."""
    digest, count, head = sha256(), 0, None
    for page in pages:
        lines = b"".join(dump_event(entry) + b"\n" for entry in page)
        digest.update(lines)
        count, head = count + len(page), page[-1].h.hex()
        yield lines
    yield format_end_line(count, head, digest.hexdigest())
