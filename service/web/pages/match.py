"""The page of a match: any position, all moves, who sat where, what was checked, and news while it is played."""

from itertools import chain
from typing import Any
from urllib.parse import urlencode

from flask import Response, request

from plyscribe.domain.bots import BOTS
from plyscribe.domain.bundle.report import describe_report
from plyscribe.domain.chain import canonical_json
from plyscribe.domain.clock import find_deadline
from plyscribe.domain.dice import commit, parse_secret
from plyscribe.domain.errors import DomainError
from plyscribe.domain.events import EVENT_TYPES, LineCopied, MovesTakenBack, ServerDice, parse_event
from plyscribe.domain.imported import Import
from plyscribe.domain.match import Match, Play
from plyscribe.domain.replay import position_at
from plyscribe.domain.ruleset import Decision
from plyscribe.service.lists.matches import judged_status
from plyscribe.service.live.sources import is_final
from plyscribe.service.matches import queries
from plyscribe.service.web.api.http import SVG, parts
from plyscribe.service.web.api.matches.reading import read_for_position, read_match
from plyscribe.service.web.pages.badge import CHECKS, choose_badge
from plyscribe.service.web.pages.blueprint import HEADERS, blueprint, show_page
from plyscribe.service.web.pages.people import name_seats
from plyscribe.service.web.pages.score_sheet import explain_rows, list_rows, shorten_clause, tell_move

blueprint.add_app_template_filter(shorten_clause)

SPEEDS = (("Slow", 2000), ("Normal", 1000), ("Fast", 400), ("Very fast", 120))
"""Milliseconds that each position is shown while a match is played back."""


@blueprint.get("/matches/<match>")
def show_match(match: str) -> Response:
    """Show a match at a ply, at its last one without `ply`."""
    state = read_match(match)
    told = _describe_match(state)
    play, entries = state.play, _read_entries(state, 0)
    if play is None:
        return show_page("match.html", **told, position=None, rows=[], explained={}, speeds=SPEEDS)
    rows = list_rows(entries)
    position = _describe_position(state, request.args.get("ply", play.ply, type=int))
    explained = explain_rows(play.ruleset, rows)
    return show_page("match.html", **told, position=position, rows=rows, explained=explained, speeds=SPEEDS)


@blueprint.get("/matches/<match>/positions/<int:ply>")
def show_position(match: str, ply: int) -> Response:
    """Show a position as a part of the match page: the board, the move that led there, what comes next."""
    state = read_for_position(match, ply, None)
    imported = parts().imports.is_imported(match)
    names = name_seats(queries.describe_seats(state.life.seats), imported)
    return show_page(
        "match_position.html", match=match, names=names, position=_describe_position(state, ply), query=_pass_on()
    )


@blueprint.get("/matches/<match>/positions/<int:ply>.svg")
def download_position(match: str, ply: int) -> Response:
    """Give a position's picture as a file."""
    state = read_for_position(match, ply, None)
    picture = queries.draw_position(state, position_at(state, ply))
    response = Response(picture, content_type=SVG, headers=HEADERS)
    response.headers["Content-Disposition"] = f'attachment; filename="{match}-{ply}.svg"'
    return response


@blueprint.get("/matches/<match>/news")
def show_news(match: str) -> Response:
    """Show what has come after a version, as parts of the match page: further moves, and what changed around them."""
    state = read_match(match)
    told = _describe_match(state)
    after = max(0, request.args.get("after", 0, type=int))
    entries = _read_entries(state, after)
    whole = any(isinstance(parse_event(entry).data, MovesTakenBack | LineCopied) for entry in entries)
    if whole:
        rows = list_rows(_read_entries(state, 0))
    else:
        rows = list_rows(entries)
        made = sum(row.kind == "move" for row in rows)
        rows = [row._replace(ply=row.ply + told["last"] - made) for row in rows]
    explained = explain_rows(state.play.ruleset, rows) if state.play else {}
    return show_page("match_news.html", **told, rows=rows, explained=explained, whole=whole)


@blueprint.get("/matches/<match>/verification")
def show_verification(match: str) -> Response:
    """Execute the match again and show what was checked, as the API tells it."""
    state = read_match(match)
    report = describe_report(parts().reports.report(match, state.version))
    return show_page("match_verification.html", match=match, report=report, sentences=CHECKS, query=_pass_on())


def _read_entries(state: Match, after: int) -> list[Any]:
    """The stored events behind a version up to the state's, and before its fault."""
    upto = state.fault.version - 1 if state.fault else state.version
    return list(chain.from_iterable(queries.read_pages(parts().matches, state.stream, after, upto)))


def _pass_on() -> str:
    """The query that every address within the page has: the invitation by which it is read."""
    code = request.args.get("invitation")
    return f"&{urlencode({'invitation': code})}" if code else ""


def _describe_match(state: Match) -> dict[str, Any]:
    """All that the page tells beside a position and the moves."""
    life, play = state.life, state.play
    imported = parts().imports.find(state.stream)
    seats = queries.describe_seats(life.seats)
    names = name_seats(seats, imported is not None)
    own = imported is None and state.fault is None
    return {
        "match": state.stream,
        "version": state.version,
        "title": play.ruleset.title if play else life.created.ruleset.capitalize(),
        "created": life.created,
        "created_at": life.created_at,
        "creator": None if imported else parts().accounts.name_of(life.creator),
        "match_status": _format_status(state, imported),
        "standing": choose_badge(state, imported),
        "names": names,
        "seats": [_describe_seat(state, number, seat) for number, seat in enumerate(seats, 1)],
        "imported": imported is not None,
        "outcome": life.outcome,
        "about": [(name.capitalize(), _spell(value)) for name, value in (life.created.about or {}).items()],
        "options": _list_unusual(play, life.created.options) if play else list(life.created.options.items()),
        "dice": life.created.dice,
        "secret": life.secret,
        "is_dice_known": _can_repeat_dice(state),
        "entropies": list(enumerate(life.entropies, 1)) if any(life.entropies) else [],
        "offered_by": play.offer.agreed[0] if play and play.offer and life.status == "playing" else None,
        "fault": state.fault,
        "last": play.ply if play else 0,
        "is_live": own and not is_final(state),
        "can_play": own and life.status in ("open", "playing"),
        "event_types": " ".join(EVENT_TYPES),
        "bots": list(BOTS),
        "query": _pass_on(),
        "invitation": request.args.get("invitation"),
    }


def _format_status(state: Match, imported: Import | None) -> str:
    status = state.life.status
    return judged_status(status, imported) if imported else status


def _describe_seat(state: Match, number: int, seat: dict[str, Any]) -> dict[str, Any]:
    life, play = state.life, state.play
    deadline, limits = find_deadline(state), life.created.limits
    whole = limits["match_ms"] if limits else None
    turn = state.turn
    return {
        **seat,
        "is_on_turn": isinstance(turn, Decision) and turn.seat == number,
        "rank": life.outcome.ranks[number - 1] if life.outcome else None,
        "points": life.score.points[number - 1] if life.score else None,
        "left": play is not None and number in play.left,
        "clock_ms": max(0, whole - play.time_used(number)) if whole is not None and play else None,
        "deadline": deadline.at if deadline and deadline.seat == number else None,
    }


def _list_unusual(play: Play, options: dict[str, Any]) -> list[tuple[str, str]]:
    """The options that are not those that the ruleset takes by itself."""
    try:
        usual = play.ruleset.parse_options({})
    except DomainError:
        usual = {}
    return [(name, _spell(value)) for name, value in options.items() if name not in usual or usual[name] != value]


def _can_repeat_dice(state: Match) -> bool:
    """Whether a fork could go on with the match's dice: they are revealed, and ours."""
    dice, secret = state.life.created.dice, state.life.secret
    if not isinstance(dice, ServerDice) or secret is None:
        return False
    return commit(parse_secret(secret)) == dice.commitment and parts().config.server_key.has_secret_of(dice)


def _spell(value: object) -> str:
    return value if isinstance(value, str) else canonical_json(value).decode()


def _describe_position(state: Match, ply: int) -> dict[str, Any]:
    position = position_at(state, ply)
    play = state.play
    assert play is not None
    step = play.steps[ply - 1] if ply else None
    return {
        "ply": ply,
        "last": play.ply,
        "picture": queries.draw_position(state, position, theme=None),
        "text": play.ruleset.render_text(position.state).rstrip("\n"),
        "step": step,
        "explained": tell_move(play.ruleset, step.move) if step else None,
        "ruleset": play.ruleset,
        "turn": queries.dump_turn(position.turn),
        "status": state.life.status,
        "following": play.steps[ply] if ply < play.ply else None,
    }
