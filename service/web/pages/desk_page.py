"""The arbiter's desk: all boards of a round at a glance, and on one of them everything that an arbiter can decide."""

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Response, request

from plyscribe.domain.decide.choices import Choice
from plyscribe.domain.events import Account
from plyscribe.domain.tournament.arbiters_desk import STATES, GameOnDesk, describe_desk, find_next_round, list_rulings
from plyscribe.domain.tournament.state import Game, Tournament, find_game
from plyscribe.service.clock import now_ms
from plyscribe.service.tournaments.queries import name_all
from plyscribe.service.web.api.http import parts, principal_if_any
from plyscribe.service.web.api.matches.reading import list_choices_now
from plyscribe.service.web.api.tournaments import is_organised_by, read_tournament
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.speech import gettext

ORDERS = ("due", "board", "only-due")
"""How the boards are listed: what is due first, by number, or what is due alone."""

DIRECTIONS = ("pause", "resume", "adjust-clock")

Fields = dict[str, Any]


@blueprint.get("/tournaments/<tournament>/desk")
def show_desk(tournament: str) -> Response:
    """Show the arbiters of a tournament how all boards of a round stand, the last one if the query names none."""
    state, who = read_tournament(tournament), principal_if_any()
    if who is None or not is_organised_by(state, who):
        return show_page("desk_refused.html", 403, tournament=state.stream, name=state.terms.name)
    names, now, last = name_all(state, parts().accounts), now_ms(), len(state.rounds)
    number = min(max(1, request.args.get("round", last, type=int)), last)
    order = request.args.get("order", ORDERS[0])
    seen = _look_at_round(state, number, now) if last else {}
    own = _list_own(state, who.account)
    listed = [_describe(state, each, seen[each.board, each.game], names, own) for each in _list_games(state, number)]
    return show_page(
        "desk.html",
        state=state,
        names=names,
        now_ms=now,
        round=number,
        last=last,
        order=order,
        due=sum(each["is_due"] for each in listed),
        games=_sort(listed, order),
        count=len(listed),
        chosen=_describe_chosen(state, number, seen, names, own),
        next_round=find_next_round(state),
        penalties=list(reversed(state.penalties)),
        judges=not own and state.status in ("playing", "ended"),
        is_listed=[each.number for each in state.entrants],
        of_round=f"&round={number}" if number != last else "",
    )


def _look_at_round(state: Tournament, number: int, now: int) -> dict[tuple[int, int], GameOnDesk]:
    undecided = [each for each in _list_games(state, number) if each.ranks is None and not each.is_given_up]
    return describe_desk(state, number, parts().tournaments.read_matches(state, undecided), now)


def _list_games(state: Tournament, number: int) -> list[Game]:
    return [game for round in state.rounds[number - 1 : number] for games in round.games for game in games]


def _list_own(state: Tournament, account: str) -> set[int]:
    """The entrants that the account is."""
    return {each.number for each in state.entrants if each.occupant == Account(account)}


def _describe(state: Tournament, game: Game, seen: GameOnDesk, names: Mapping[int, str], own: set[int]) -> Fields:
    return {
        **seen._asdict(),
        "board": game.board,
        "game": game.game,
        "place": f"{game.board}.{game.game}" if len(state.seatings) > 1 else str(game.board),
        "entrants": game.entrants,
        "players": [names[each] for each in game.entrants],
        "ranks": game.ranks,
        "forfeited": game.forfeited,
        "result": format_result(game, names),
        "reason": game.reason,
        "why": game.why,
        "is_corrected": game.entered is not None,
        "annulled": game.annulled,
        "call": game.call,
        "attempts": len(game.failed) + (not game.is_given_up),
        "faults": game.failed,
        "is_own": bool(own & set(game.entrants)),
        "name_on_turn": names.get(seen.on_turn or 0),
        "names_missing": [names[each] for each in seen.missing],
    }


def _sort(games: Sequence[Fields], order: str) -> list[Fields]:
    if order == "board":
        return list(games)
    listed = [each for each in games if each["is_due"]] if order == "only-due" else games
    return sorted(listed, key=lambda each: (not each["is_due"], STATES.index(each["state"])))


def _describe_chosen(
    state: Tournament,
    number: int,
    seen: Mapping[tuple[int, int], GameOnDesk],
    names: Mapping[int, str],
    own: set[int],
) -> Fields | None:
    """The board that the query names, with what can be decided there; None if it names none that there is."""
    board, which = request.args.get("board", 0, type=int), request.args.get("game", 1, type=int)
    game = find_game(state, (number, board, which))
    if game is None:
        return None
    described = _describe(state, game, seen[board, which], names, own)
    rulings = () if described["is_own"] else list_rulings(state, game)
    id = parts().tournaments.match_id(state, game)
    has_match = (game.ranks is None and seen[board, which].begun_at is not None) or game.match is not None
    decided = (game.ranks, game.annulled, game.forfeited, game.call)
    directs = _list_directions(id) if has_match and game.ranks is None and not described["is_own"] else {}
    return {
        **described,
        "rulings": rulings,
        "match": id if has_match else None,
        "directs": directs,
        # A form that is being filled in stays as it is until what can be decided changes.
        "key": "-".join(map(str, (number, board, which, *decided, rulings, *directs))),
        "is_now": number == len(state.rounds) and state.status == "playing",
    }


def _list_directions(match: str) -> dict[str, Choice]:
    """What the visitor can do to the clocks of a match."""
    choices = {each.command: each for each in list_choices_now(parts().matches.read(match))}
    return {command: choices[command] for command in DIRECTIONS if command in choices}


def format_result(game: Game, names: Mapping[int, str]) -> str | None:
    """The result of a game in words, with the names of those who won; None while it has none."""
    if game.ranks is None:
        return None
    if game.forfeited:
        absent = ", ".join(names[each] for each in game.forfeited)
        return gettext("%(names)s lost by forfeit", names=absent)
    ahead = [names[each] for each, rank in zip(game.entrants, game.ranks, strict=True) if rank == 1]
    if len(ahead) == len(game.entrants):
        return gettext("Draw")
    if len(ahead) == 1:
        return gettext("%(name)s won", name=ahead[0])
    return gettext("%(names)s tied for the first place", names=", ".join(ahead))


@blueprint.app_template_filter("desk_state")
def name_state(state: str) -> str:
    """How a game stands, in words, for a word of STATES."""
    return {
        "given-up": gettext("given up"),
        "damaged": gettext("damaged"),
        "overdue": gettext("time is over"),
        "not-begun": gettext("not begun"),
        "quiet": gettext("standing still"),
        "paused": gettext("paused"),
        "failed": gettext("starts again"),
        "unconfirmed": gettext("ended, can still be corrected"),
        "checking": gettext("ended, being checked"),
        "waiting": gettext("about to begin"),
        "playing": gettext("being played"),
        "annulled": gettext("annulled"),
        "decided": gettext("decided"),
    }[state]
