"""The page of a match: every position, all moves, the players, what was checked, and live news."""

from typing import Any
from urllib.parse import urlencode

from flask import Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from plyscribe.domain.codec import parse_event
from plyscribe.domain.commands import Actor
from plyscribe.domain.decide.choices import Choice
from plyscribe.domain.decide.who import seats_held, sits_in
from plyscribe.domain.dice import commit, parse_secret
from plyscribe.domain.errors import DomainError
from plyscribe.domain.events import EVENT_TYPES, LineCopied, MovesTakenBack, Parent, ServerDice, StepsTakenBack
from plyscribe.domain.imported import Import, is_address, split_address
from plyscribe.domain.match import Match, Play
from plyscribe.domain.replay import position_at
from plyscribe.service.access.acting import OVERSEEN, act_in, oversees
from plyscribe.service.clock import now_ms
from plyscribe.service.errors import NotFound
from plyscribe.service.lists.match_rows import judged_status
from plyscribe.service.live.sources import is_final
from plyscribe.service.matches import queries
from plyscribe.service.matches.imports import MAX_NAMED
from plyscribe.service.matches.variations import is_contested
from plyscribe.service.web.api.http import SVG, parts, principal_if_any
from plyscribe.service.web.api.matches.bundles import answer_verification
from plyscribe.service.web.api.matches.reading import (
    confirm_by,
    list_choices_now,
    list_other_versions,
    read_for_position,
    read_match,
)
from plyscribe.service.web.charging import charged
from plyscribe.service.web.pages.badge import CHECKS, choose_badge, label_status, say_check
from plyscribe.service.web.pages.bars import choose_view, describe_bars, format_view, turn_query
from plyscribe.service.web.pages.blueprint import HEADERS, blueprint, show_page
from plyscribe.service.web.pages.cards import describe_position
from plyscribe.service.web.pages.ending import Rematch, describe_ending, find_rematch
from plyscribe.service.web.pages.happenings import list_happenings
from plyscribe.service.web.pages.levels import offer_levels
from plyscribe.service.web.pages.move_list import PART, bound_part, list_news, list_part, read_entries
from plyscribe.service.web.pages.option_fields import describe_chosen, format_value, name_option
from plyscribe.service.web.pages.pause_note import describe_pause
from plyscribe.service.web.pages.people import name_account, name_seats
from plyscribe.service.web.pages.score_sheet import Row, format_word, name_cause
from plyscribe.service.web.pages.sharing import describe_sharing
from plyscribe.service.web.pages.speech import gettext, gettext_noop
from plyscribe.service.web.pages.wording import name_note

blueprint.add_app_template_filter(format_word)
blueprint.add_app_template_filter(label_status)

blueprint.add_app_template_filter(name_cause)

NORMAL_MS = 1000
SPEEDS = (
    (gettext_noop("Slow"), 2000),
    (gettext_noop("Normal"), NORMAL_MS),
    (gettext_noop("Fast"), 400),
    (gettext_noop("Very fast"), 120),
)
"""Playback speeds, with the milliseconds that each position is shown."""


@blueprint.get("/matches/<match>")
def show_match(match: str) -> AnyResponse:
    """Show a match at a ply: the last one if the query names none. The page of an imported match is at its address."""
    state = read_match(match)
    if state.stream != match:
        query = {name: value for name, value in request.args.items() if name != "receipt"}
        return redirect(f"/matches/{state.stream}?{urlencode(query)}".rstrip("?"), 303)
    described, play = _describe_match(state), state.play
    if play is None:
        return show_page("match.html", **described, position=None)
    position = _describe_position(state, request.args.get("ply", play.ply, type=int), described["names"])
    part = list_part(state, position["ply"], described["names"], described["imported"])
    speeds = [(gettext(name), pause_ms, pause_ms == NORMAL_MS) for name, pause_ms in SPEEDS]
    return show_page(
        "match.html",
        **described,
        position=position,
        part=part,
        speeds=speeds,
        sharing=describe_sharing(state, position["ply"], described["names"]),
        card=describe_position(state, position["ply"], described["names"]),
    )


@blueprint.get("/matches/<match>/moves")
def show_moves(match: str) -> Response:
    """Show a part of the list of moves as part of the match page: the one with the move to a ply."""
    state = read_match(match)
    if state.play is None:
        raise NotFound(f"{match} has no moves yet", "position/unknown")
    is_imported = is_address(state.stream)
    names = name_seats(queries.describe_seats(state.life.seats), is_imported)
    ply = min(max(0, request.args.get("ply", state.play.ply, type=int)), state.play.ply)
    return show_page(
        "match_moves.html", part=list_part(state, ply, names, is_imported), page_query=format_query() + format_view()
    )


@blueprint.get("/matches/<match>/positions/<int:ply>")
def show_position(match: str, ply: int) -> Response:
    """Show one position as part of the match page: the board, the move that led to it, and what comes next."""
    state = read_for_position(match, ply, None)
    names = name_seats(queries.describe_seats(state.life.seats), is_address(state.stream))
    position = _describe_position(state, ply, names)
    return show_page(
        "match_position.html",
        match=state.stream,
        names=names,
        position=position,
        query=format_query(),
        page_query=format_query() + format_view(),
    )


@blueprint.get("/matches/<match>/positions/<int:ply>.svg")
def download_position(match: str, ply: int) -> Response:
    """Send the picture of a position as a file."""
    state = read_for_position(match, ply, None)
    picture = queries.draw_position(state, position_at(state, ply))
    response = Response(picture, content_type=SVG, headers=HEADERS)
    response.headers["Content-Disposition"] = f'attachment; filename="{state.stream}-{ply}.svg"'
    return response


@blueprint.get("/matches/<match>/news")
def show_news(match: str) -> Response:
    """Show what happened after a version, as parts of the match page: new moves, and everything else that changed.

    It is `whole`, without moves, if the list of moves has to be loaded again.
    """
    state = read_match(match)
    described = _describe_match(state)
    after = max(0, request.args.get("after", 0, type=int))
    rows = _list_new_rows(state, after, described)
    return show_page("match_news.html", **described, rows=rows or (), whole=rows is None)


def _list_new_rows(state: Match, after: int, described: dict[str, Any]) -> list[Row] | None:
    """The rows of what happened after a version; None if they are many, take something back or begin a new part."""
    if state.play is None:
        return []
    if state.version - after > PART:
        return None
    entries = read_entries(state, after)
    if any(isinstance(parse_event(entry).data, MovesTakenBack | StepsTakenBack | LineCopied) for entry in entries):
        return None
    rows = list_news(state, entries, described["names"], described["imported"])
    made, last = sum(row.kind == "move" for row in rows), state.play.ply
    return rows if bound_part(last - made, last) == bound_part(last, last) else None


@blueprint.get("/matches/<match>/verification")
@charged("heavy")
def show_verification(match: str) -> Response:
    """Play the match again by its rules and show what was checked, like the API."""
    state = read_match(match)

    def show(report: dict[str, Any]) -> Response:
        return show_page(
            "match_verification.html",
            match=state.stream,
            report=report,
            sentences={check: say_check(check) for check in CHECKS},
            query=format_query(),
        )

    return answer_verification(state, show)


def format_query() -> str:
    """The query that every link within the page needs: the invitation that the page was opened with."""
    code = request.args.get("invitation")
    return f"&{urlencode({'invitation': code})}" if code else ""


def _describe_match(state: Match) -> dict[str, Any]:
    """Everything that the page shows, except the position and the moves."""
    life, play = state.life, state.play
    imported = parts().imports.find(state.stream)
    seats = queries.describe_seats(life.seats)
    names = name_seats(seats, imported is not None)
    own = imported is None and state.fault is None
    held = list_held(state)
    view = choose_view(state, held)
    return {
        "match": state.stream,
        "id": split_address(state.stream)[0],
        "version": state.version,
        "ruleset": play.ruleset if play else None,
        "title": play.ruleset.title if play else life.created.ruleset.capitalize(),
        "created": life.created,
        "created_at": life.created_at,
        "tried": _count_tried(play, life.created.parent) if play else 0,
        "creator": None if imported else name_account(life.creator),
        "match_status": _format_status(state, imported),
        "badge": choose_badge(state, imported),
        "names": names,
        "bars": describe_bars(state, names, held, view),
        "bot_seeds": [(names[seat["seat"] - 1], seat["seed"]) for seat in seats if "bot" in seat],
        "turn_query": turn_query(view, len(names)),
        "imported": imported is not None,
        "importer": _name_importer(imported),
        "others": list_other_versions(imported)[:MAX_NAMED] if imported else [],
        "about": [(name_note(name), format_value(value)) for name, value in (life.created.about or {}).items()],
        "options": _list_changed_options(play, life.created.options) if play else _format_options(life.created.options),
        "dice": life.created.dice,
        "secret": life.secret,
        "is_dice_known": _can_repeat_dice(state),
        "entropies": list(enumerate(life.entropies, 1)) if any(life.entropies) else [],
        "offered_by": play.offer.agreed[0] if play and play.offer and life.status == "playing" else None,
        "pause": describe_pause(state),
        "fault": state.fault,
        "last": play.ply if play else 0,
        "is_live": own and not is_final(state),
        "explorable": play is not None and not is_contested(state),
        "oversight": _list_oversight(state) if imported is None else {},
        "can_play": own and (life.status in ("open", "playing") or _may_correct(state)),
        "confirm_by": confirm_by(state),
        "event_types": " ".join(EVENT_TYPES),
        "now_ms": now_ms(),
        "bots": offer_levels(),
        "query": format_query(),
        "page_query": format_query() + format_view(),
        "seen": request.args.get("seen"),
        "invitation": request.args.get("invitation"),
    }


def _count_tried(play: Play, parent: Parent | None) -> int:
    """How many moves the match begins with that were tried out, and played in no match."""
    copied = next((ply for ply, step in enumerate(play.steps) if not step.is_copied), play.ply)
    return max(0, copied - (parent["ply"] if parent else 0))


def list_held(state: Match) -> list[int]:
    """The seats of the visitor in a match of this server."""
    who = principal_if_any()
    return seats_held(Actor("player", who.account), state.life) if who and not is_address(state.stream) else []


def _may_correct(state: Match) -> bool:
    """Whether the visitor records the match, which has ended and can still be corrected."""
    who = principal_if_any()
    return who is not None and who.account == state.life.created.recorder and confirm_by(state) is not None


def _list_oversight(state: Match) -> dict[str, Choice]:
    """What the visitor may do in the match as its overseer; nothing for those who sit in it."""
    who = principal_if_any()
    arbitrates = parts().arbitrates(state, who)
    if who is None or not oversees(state, who, arbitrates) or sits_in(Actor("player", who.account), state.life):
        return {}
    return {
        choice.command: choice
        for choice in list_choices_now(state)
        if choice.command in OVERSEEN and act_in(state, who, choice.command, arbitrates).role == "organiser"
    }


def _format_status(state: Match, imported: Import | None) -> str:
    status = state.life.status
    return judged_status(status, imported) if imported else status


def _name_importer(imported: Import | None) -> str | None:
    if imported is None:
        return None
    return parts().accounts.name_of(imported.importer) if imported.importer else gettext("the operator")


def _list_changed_options(play: Play, options: dict[str, Any]) -> list[tuple[str, str]]:
    """The options that differ from the ruleset's defaults."""
    try:
        defaults = play.ruleset.parse_options({})
    except DomainError:
        defaults = {}
    changed = {name: value for name, value in options.items() if name not in defaults or defaults[name] != value}
    return describe_chosen(play.ruleset, changed)


def _format_options(options: dict[str, Any]) -> list[tuple[str, str]]:
    return [(name_option(name), format_value(value)) for name, value in options.items()]


def _can_repeat_dice(state: Match) -> bool:
    """Whether a fork can continue with the same dice: they are revealed, and this server rolled them."""
    dice, secret = state.life.created.dice, state.life.secret
    if not isinstance(dice, ServerDice) or secret is None:
        return False
    return commit(parse_secret(secret)) == dice.commitment and parts().config.server_key.has_secret_of(dice)


def _describe_position(state: Match, ply: int, names: list[str]) -> dict[str, Any]:
    position = position_at(state, ply)
    play, turn, held = state.play, position.turn, list_held(state)
    assert play is not None
    step = play.steps[ply - 1] if ply else None
    is_last = ply == play.ply
    return {
        "ply": ply,
        "last": play.ply,
        "picture": queries.draw_position(state, position, None, choose_view(state, held)),
        "text": queries.write_board(play.ruleset, position.state),
        "step": step,
        "happenings": list_happenings(state, ply),
        "ruleset": play.ruleset,
        "turn": queries.dump_turn(turn),
        "ending": describe_ending(state, names, held) if is_last else None,
        "rematch": _find_rematch(state) if is_last else None,
        "may_rematch": is_last and _may_rematch(state),
        "status": state.life.status,
        "following": play.steps[ply] if ply < play.ply else None,
    }


def _may_rematch(state: Match) -> bool:
    # Most matches that are looked at are under way.
    is_over = state.life.status not in ("open", "playing")
    return is_over and any(choice.command == "rematch" for choice in list_choices_now(state))


def _find_rematch(state: Match) -> Rematch | None:
    who = principal_if_any()
    return find_rematch(state, who.account if who else None)
