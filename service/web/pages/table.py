"""The page to play a match on, or to record a match played at a real table: the board, the turn, what you can do.

Scripts replace parts of this page whenever something happens. So the page covers every state of a match and every
visitor: what it offers depends on who asks.
"""

from typing import Any
from urllib.parse import urlencode

from flask import redirect, request
from werkzeug.wrappers import Response as AnyResponse

from plyscribe.domain.clock import find_deadline
from plyscribe.domain.commands import Actor
from plyscribe.domain.decide.who import seats_held
from plyscribe.domain.events import EVENT_TYPES, WITHDRAWAL_CAUSES, Account, RecordedDice, ServerDice
from plyscribe.domain.match import Lifecycle, Match
from plyscribe.domain.replay import position_at
from plyscribe.domain.ruleset import Decision, Roll
from plyscribe.service.access.accounts import Principal
from plyscribe.service.clock import now_ms
from plyscribe.service.live.sources import is_final
from plyscribe.service.matches import queries
from plyscribe.service.web.api.http import parts, principal_if_any
from plyscribe.service.web.api.matches.reading import read_match
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.people import name_seats
from plyscribe.service.web.pages.score_sheet import find_last_rolls, format_outcome, list_log

RECENT = 40
"""How many of the newest events are read for the log."""

SHOWN = 12
"""How many entries of the log are shown."""


@blueprint.get("/matches/<match>/play")
def show_table(match: str) -> AnyResponse:
    """Show a match to its players, or to somebody who may want to join."""
    return _show(match, "play")


@blueprint.get("/matches/<match>/record")
def show_recorders_table(match: str) -> AnyResponse:
    """Show a match to its recorder."""
    return _show(match, "record")


def _show(match: str, way: str) -> AnyResponse:
    state, who = read_match(match), principal_if_any()
    life = state.life
    if parts().imports.is_imported(match):
        return redirect(f"/matches/{match}", 303)
    right_way = "record" if who is not None and who.account == life.created.recorder else "play"
    if way != right_way:
        return redirect(f"/matches/{match}/{right_way}{_format_query()}", 303)
    return show_page("table.html", **_describe_table(state, who), way=way)


def _format_query() -> str:
    """The query that links of this page need: the invitation that it was opened with."""
    code = request.args.get("invitation")
    return f"?{urlencode({'invitation': code})}" if code else ""


def _describe_table(state: Match, who: Principal | None) -> dict[str, Any]:
    life, play = state.life, state.play
    account = who.account if who else None
    held = seats_held(Actor("player", account), life) if account else []
    names = name_seats(queries.describe_seats(life.seats))
    ruleset = play.ruleset if play else None
    recent = [] if state.fault else parts().matches.read_events(state.stream, max(0, state.version - RECENT))
    log = list_log(ruleset, recent)
    return {
        "match": state.stream,
        "version": state.version,
        "now_ms": now_ms(),
        "ruleset": ruleset,
        "title": ruleset.title if ruleset else life.created.ruleset,
        "life": life,
        "ply": play.ply if play else 0,
        "picture": queries.draw_position(state, position_at(state, play.ply), theme=None) if play else None,
        "text": play.ruleset.render_text(play.state).rstrip("\n") if play else "",
        "names": names,
        "seats": [_describe_seat(state, number, names, held) for number in range(1, len(names) + 1)],
        "held": held,
        "is_recorder": account is not None and account == life.created.recorder,
        "now": _describe_now(state, names, held),
        "log": log[-SHOWN:],
        "dice": find_last_rolls(log),
        "may": _list_choices(state, account, held),
        "steps": list(enumerate((step.move for step in play.steps), 1)) if play else [],
        "offered_by": play.offer.agreed[0] if play and play.offer else None,
        "causes": WITHDRAWAL_CAUSES,
        "fault": state.fault,
        "is_live": not is_final(state) and state.fault is None,
        "event_types": " ".join(EVENT_TYPES),
        "query": _format_query(),
        "invitation": request.args.get("invitation"),
    }


def _describe_seat(state: Match, number: int, names: list[str], held: list[int]) -> dict[str, Any]:
    life, play, turn = state.life, state.play, state.turn
    deadline = find_deadline(state)
    whole = life.created.limits["match_ms"] if life.created.limits else None
    return {
        "number": number,
        "name": names[number - 1],
        "is_mine": number in held,
        "seated": life.seats[number - 1].seated,
        "is_on_turn": isinstance(turn, Decision | Roll) and turn.seat == number and life.status == "playing",
        "left": play is not None and number in play.left,
        "rank": life.outcome.ranks[number - 1] if life.outcome else None,
        "left_ms": max(0, whole - play.time_used(number)) if whole is not None and play else None,
        "deadline": deadline.at if deadline and deadline.seat == number else None,
    }


def _describe_now(state: Match, names: list[str], held: list[int]) -> dict[str, Any]:
    """What the match waits for. `mover` is the seat that the visitor moves for, `roll` the dice that they enter."""
    life, turn = state.life, state.turn
    is_playing = life.status == "playing" and state.fault is None
    return {
        "decision": turn.seat if is_playing and isinstance(turn, Decision) else None,
        "mover": turn.seat if is_playing and isinstance(turn, Decision) and turn.seat in held else None,
        "due": turn if is_playing and isinstance(turn, Roll) else None,
        "roll": turn
        if is_playing and isinstance(turn, Roll) and isinstance(life.created.dice, RecordedDice) and held
        else None,
        "outcome": format_outcome(life.outcome.reason, life.outcome.ranks, names) if life.outcome else None,
    }


def _list_choices(state: Match, account: str | None, held: list[int]) -> dict[str, Any]:
    """What the one who asks may do beside moving: whatever of it is not so any more, the match refuses."""
    if account is None or state.fault:
        return {}
    match state.life.status:
        case "open":
            return _list_choices_before(state.life, account, held)
        case "playing":
            return _list_choices_under_way(state, account, held)
    life = state.life
    concerned = account in (*life.players, life.creator) if life.created.recorder is None else bool(held)
    return {"rematch": life.outcome is not None and concerned and life.created.tournament is None}


def _list_choices_before(life: Lifecycle, account: str, held: list[int]) -> dict[str, Any]:
    is_host = account in (life.creator, life.created.recorder)
    empty = [number for number, seat in enumerate(life.seats, 1) if not seat.seated]
    for_me = [number for number in empty if life.seats[number - 1].occupant in (None, Account(account))]
    salty = [number for number in held if life.seats[number - 1].entropy is None]
    recorded = life.created.recorder is not None
    return {
        "take": [] if recorded else for_me,
        "seat_guest": empty if recorded and held else [],
        "leave": [] if recorded else held,
        "salt": salty if life.takes_entropy and not recorded else [],
        "start": is_host and not empty,
        "invite": [number for number in empty if life.seats[number - 1].occupant is None]
        if is_host and life.created.private
        else [],
        "abort": account == life.creator,
    }


def _list_choices_under_way(state: Match, account: str, held: list[int]) -> dict[str, Any]:
    life, play = state.life, state.play
    assert play is not None
    in_play = [number for number in range(1, len(life.seats) + 1) if number not in play.left]
    mine = [number for number in held if number in in_play]
    is_recorder = account == life.created.recorder
    has_moved = any(step.seat in held and not step.is_copied for step in play.steps)
    return {
        "resign": [] if is_recorder else mine,
        "withdraw": mine if is_recorder else [],
        "offer": [number for number in mine if number not in play.offered] if play.offer is None else [],
        "answer": [number for number in mine if number not in play.offer.agreed] if play.offer else [],
        "take_back": is_recorder and play.ply > 0 and not isinstance(life.created.dice, ServerDice),
        "abort": is_recorder or (bool(mine) and life.created.tournament is None and not has_moved),
    }
