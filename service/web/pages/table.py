"""The page to play a match on, or to record a match played at a real table: the board, the turn, what you can do.

Scripts replace parts of this page whenever something happens. So the page covers every state of a match and every
visitor: what it offers depends on who asks.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from flask import redirect, request
from werkzeug.wrappers import Response as AnyResponse

from plyscribe.domain.at_table import find_table
from plyscribe.domain.bots import PLAYOUTS
from plyscribe.domain.commands import Actor
from plyscribe.domain.counting import counts
from plyscribe.domain.decide.choices import Choice
from plyscribe.domain.decide.who import is_recorder, seats_held
from plyscribe.domain.events import EVENT_TYPES, WITHDRAWAL_CAUSES, BuiltIn
from plyscribe.domain.imported import is_address
from plyscribe.domain.match import Interlude, Match, PlayedMove
from plyscribe.domain.replay import position_at
from plyscribe.domain.ruleset import AnyRuleset, Decision, Roll
from plyscribe.service.access.accounts import Principal
from plyscribe.service.access.acting import DIRECTING, act_in
from plyscribe.service.clock import now_ms
from plyscribe.service.language.guidance import find_prompt, list_purposes
from plyscribe.service.language.sentences import translate
from plyscribe.service.live.sources import is_final
from plyscribe.service.matches import queries
from plyscribe.service.matches.variations import is_contested
from plyscribe.service.web.api.http import negotiate_language, parts, principal_if_any
from plyscribe.service.web.api.matches.reading import confirm_by, list_choices_now, read_match
from plyscribe.service.web.pages.bars import choose_view, describe_bars, format_view, turn_query
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.cards import describe_position
from plyscribe.service.web.pages.ending import describe_ending, find_rematch
from plyscribe.service.web.pages.friend import list_links
from plyscribe.service.web.pages.goals import say_goal
from plyscribe.service.web.pages.happenings import find_happenings
from plyscribe.service.web.pages.levels import count_most_playouts
from plyscribe.service.web.pages.pause_note import describe_pause
from plyscribe.service.web.pages.people import name_judge, name_seats
from plyscribe.service.web.pages.recording import (
    FEW,
    MANY,
    describe_roll,
    explain_leaving,
    find_line_rolls,
    list_line,
)
from plyscribe.service.web.pages.score_sheet import (
    LogEntry,
    find_last_rolls,
    list_log,
    name_cause,
    name_roll,
    name_withdrawal,
)
from plyscribe.service.web.pages.sharing import describe_sharing
from plyscribe.service.web.pages.speech import gettext

RECENT = 40
"""How many of the newest events are read for the log."""

SHOWN = 12
"""How many entries of the log are shown."""

MOST_SIDES = 20
"""The most sides of dice that are shown. Those with more draw lots, so that their numbers mean nothing to players."""

STEPS = 200
"""How many steps the page offers to take back at most. The API takes back any number."""


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
    if is_address(state.stream):
        return redirect(f"/matches/{state.stream}", 303)
    actor = find_actor(state, who)
    right_way = "record" if actor is not None and is_recorder(actor, life) else "play"
    if way != right_way:
        return redirect(f"/matches/{match}/{right_way}{_format_query()}", 303)
    return show_page("table.html", **describe_play(state, who), way=way)


def _format_query() -> str:
    """The query that links of this page need: the invitation that it was opened with, and the side of the board."""
    code = request.args.get("invitation")
    invited = f"&{urlencode({'invitation': code})}" if code else ""
    return f"{invited}{format_view()}".replace("&", "?", 1)


def find_actor(state: Match, who: Principal | None) -> Actor | None:
    """As whom the visitor looks at the match: with the code of a table, as an arbiter who records, or as a player."""
    if who is None:
        return None
    if who.table is not None:
        return who.table.place.actor
    records = find_table(state.life) is not None and parts().arbitrates(state, who)
    return Actor("arbiter" if records else "player", who.account)


def describe_play(state: Match, who: Principal | None) -> dict[str, Any]:
    """What the page shows of the match, for this visitor."""
    life, play = state.life, state.play
    account, actor = who.account if who else None, find_actor(state, who)
    choices = {choice.command: choice for choice in list_choices_now(state)}
    held = seats_held(actor, life) if actor else []
    names = name_seats(queries.describe_seats(life.seats))
    ruleset = play.ruleset if play else None
    view = choose_view(state, held)
    ending = describe_ending(state, names, held)
    rematch = find_rematch(state, account)
    records = actor is not None and is_recorder(actor, life)
    line = list_line(state, names, request.args.get("steps", FEW, type=int)) if records else None
    told = [] if line else _read_log(state, names)
    dice = find_line_rolls(line.entries) if line else find_last_rolls(told)
    log = line.entries if line else told[-SHOWN:]
    may = _list_deeds(state, account, choices)
    leavers = choices["withdraw"].seats if "withdraw" in choices else ()
    return {
        "match": state.stream,
        "version": state.version,
        "now_ms": now_ms(),
        "ruleset": ruleset,
        "title": ruleset.title if ruleset else life.created.ruleset,
        "life": life,
        "ply": play.ply if play else 0,
        "picture": queries.draw_position(state, position_at(state, play.ply), None, view) if play else None,
        "view": view,
        "turn_query": turn_query(view, len(names)),
        "text": queries.write_board(play.ruleset, play.state) if play else "",
        "names": names,
        "bars": describe_bars(state, names, held, view),
        "ending": ending,
        "rematch": rematch,
        "goal": say_goal(ruleset) if ruleset else "",
        "held": held,
        "is_recorder": records,
        "now": _describe_now(state, choices),
        "hint": _count_hint_playouts(state) if "move" in choices else 0,
        "log": log,
        "more_steps": min(MANY, 4 * len(log)) if line and line.has_more and len(log) < MANY else 0,
        "happenings": find_happenings(state, [each.version for each in log]),
        "dice": [roll for roll in dice if roll.sides <= MOST_SIDES],
        "may": may,
        # A rematch is offered where the end is told.
        "has_deeds": any(may[deed] for deed in may if deed != "rematch") or not choices.keys().isdisjoint(DIRECTING),
        "steps": _list_steps(state, names) if "take-back" in choices else [],
        "confirm_by": confirm_by(state),
        "offered_by": play.offer.agreed[0] if play and play.offer else None,
        "pause": describe_pause(state),
        "directing": {command: choices[command] for command in DIRECTING if command in choices},
        "counts": counts(state) if life.status == "playing" and life.created.counts_from else None,
        "says_why": who is not None
        and "withdraw" in choices
        and act_in(state, who, "withdraw", parts().arbitrates(state, who)).role == "organiser",
        "leaving": explain_leaving(state, leavers, names) if leavers else {},
        "roll": describe_roll(play.ruleset, play.state, names) if play and "roll" in choices else None,
        "causes": [(cause, name_cause(cause)) for cause in choices["withdraw"].causes] if "withdraw" in choices else [],
        "causes_of_all": [(cause, name_cause(cause)) for cause in WITHDRAWAL_CAUSES],
        "fault": state.fault,
        "is_live": not is_final(state) and state.fault is None,
        "awaits_rematch": rematch is None and life.outcome is not None and account in life.players,
        "event_types": " ".join(EVENT_TYPES),
        "card": describe_position(state, play.ply, names) if play else None,
        "friends": list_links(state, account),
        "sharing": describe_sharing(state, play.ply, names) if play and life.outcome else None,
        "query": _format_query(),
        "invitation": request.args.get("invitation"),
    }


def _read_log(state: Match, names: list[str]) -> list[LogEntry]:
    """What happened in the newest events."""
    recent = [] if state.fault else parts().matches.read_events(state.stream, max(0, state.version - RECENT))
    return list_log(recent, names, name_judge)


def _describe_now(state: Match, choices: Mapping[str, Choice]) -> dict[str, Any]:
    """What the match waits for. `mover` is the seat that the visitor moves for, `roll` the dice that they enter.

    `prompt` says what that seat has to do, `purpose` what the dice are rolled for.
    """
    life, play, turn = state.life, state.play, state.turn
    is_playing = life.status == "playing" and state.fault is None
    mover = choices["move"].seats[0] if "move" in choices else None
    prompt = find_prompt(play.ruleset, play.ruleset.view(play.state), mover) if play and mover else None
    due = turn if is_playing and isinstance(turn, Roll) else None
    purpose = list_purposes().get(due.purpose) if due else None
    return {
        "decision": turn.seat if is_playing and isinstance(turn, Decision) else None,
        "mover": mover,
        "prompt": prompt and translate(prompt, negotiate_language(), {}),
        "due": due,
        "purpose": purpose and translate(purpose, negotiate_language(), {}),
        "roll": turn if "roll" in choices else None,
    }


def _count_hint_playouts(state: Match) -> int:
    """How many playouts a hint may have; 0 if there are none: players get hints against built-in bots alone."""
    has_bots = any(isinstance(seat.occupant, BuiltIn) for seat in state.life.seats)
    return min(PLAYOUTS, count_most_playouts()) if has_bots and not is_contested(state) else 0


def _list_deeds(state: Match, account: str | None, choices: Mapping[str, Choice]) -> dict[str, Any]:
    """What the page offers besides moves and dice: for each deed its seats, or whether it can be done."""

    def seats_of(command: str) -> tuple[int, ...]:
        return choices[command].seats if command in choices else ()

    withdrawal = choices.get("withdraw", Choice("withdraw"))
    resigns = withdrawal.causes == ("resigned",)
    return {
        "take": seats_of("take-seat"),
        "seat_guest": seats_of("seat-guest"),
        "leave": seats_of("leave-seat"),
        "salt": seats_of("add-entropy"),
        "start": "start" in choices,
        "offer": seats_of("offer-draw"),
        "answer": seats_of("answer-draw"),
        "resign": withdrawal.seats if resigns else (),
        "withdraw": () if resigns else withdrawal.seats,
        "take_back": "take-back" in choices,
        "confirm": "confirm-record" in choices,
        "abort": "abort" in choices,
        "rematch": "rematch" in choices,
    }


def _list_steps(state: Match, names: list[str]) -> list[str]:
    """The latest STEPS steps of the surviving line in words, the latest first."""
    assert state.play is not None  # its steps can be taken back
    steps, ply = [], state.play.ply
    for step in state.play.list_last(STEPS):
        steps.append(_name_step(state.play.ruleset, step, ply, names))
        ply -= isinstance(step, PlayedMove)
    return steps


def _name_step(ruleset: AnyRuleset, step: PlayedMove | Interlude, ply: int, names: list[str]) -> str:
    if isinstance(step, PlayedMove):
        return gettext("move %(ply)s, %(move)s", ply=ply, move=step.move)
    if step.values:
        return gettext("terrain") if ruleset.layout(step.state) else name_roll(step.values)
    return gettext("agreed draw") if step.seat is None else name_withdrawal(names[step.seat - 1])
