"""The arbiter's desk: all boards of a round at a glance, and on one of them everything that an arbiter can decide."""

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Response, request

from plyscribe.domain.decide.choices import Choice
from plyscribe.domain.events import Account
from plyscribe.domain.tournament.arbiters_desk import (
    STATES,
    GameOnDesk,
    describe_desk,
    find_next_round,
    list_open_games,
    list_rulings,
)
from plyscribe.domain.tournament.due_dates import find_game_deadline
from plyscribe.domain.tournament.ladder import is_ladder
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

ROUNDS_SHOWN = 20
"""How many rounds the desk offers to look at, at most."""

Fields = dict[str, Any]


@blueprint.get("/tournaments/<tournament>/desk")
def show_desk(tournament: str) -> Response:
    """Show the arbiters of a tournament how all boards of a round stand, the last one if the query names none."""
    state, who = read_tournament(tournament), principal_if_any()
    if who is None or not is_organised_by(state, who):
        return show_page("desk_refused.html", 403, tournament=state.stream, name=state.terms.name)
    names, now, last = name_all(state, parts().accounts), now_ms(), len(state.rounds)
    asked = request.args.get("round", type=int)
    number = None if asked is None else min(max(1, asked), last)
    order = request.args.get("order", ORDERS[0])
    games = list_open_games(state) if number is None else _list_games(state, number)
    seen = look_at_games(state, games, now)
    own = _list_own(state, who.account)
    listed = [_describe(state, *each, names, own) for each in seen]
    return show_page(
        "desk.html",
        state=state,
        names=names,
        now_ms=now,
        # Without a number, all rounds that are being played are shown: in most tournaments that is the last one.
        round=number or (last if len({each.round for each in games}) <= 1 else None),
        rounds=_list_rounds(state, number),
        last=last,
        order=order,
        due=sum(each["is_due"] for each in listed),
        games=_sort(listed, order),
        count=len(listed),
        chosen=_describe_chosen(state, number or last, now, names, own),
        next_round=find_next_round(state),
        penalties=list(reversed(state.penalties)),
        judges=not own and state.status in ("playing", "ended"),
        is_listed=[each.number for each in state.entrants],
    )


def look_at_games(state: Tournament, games: Sequence[Game], now: int) -> list[tuple[Game, GameOnDesk]]:
    """These games, and how each of them stands now."""
    undecided = [each for each in games if each.ranks is None and not each.is_given_up]
    seen = describe_desk(state, games, parts().tournaments.read_matches(state, undecided), now)
    return list(zip(games, seen.values(), strict=True))


def _list_rounds(state: Tournament, shown: int | None) -> list[int]:
    """The rounds to choose from, ROUNDS_SHOWN at most: the last ones, or those around the one that is shown."""
    last = len(state.rounds)
    end = last if shown is None else min(last, max(shown + ROUNDS_SHOWN // 2, ROUNDS_SHOWN))
    return list(range(max(1, end - ROUNDS_SHOWN + 1), end + 1))


def name_place(state: Tournament, game: Game, with_round: bool = False) -> str:
    """What a game is called: its board, with its number on the board or its round if there are several."""
    if is_ladder(state):
        return str(game.round)
    board = f"{game.board}.{game.game}" if len(state.seatings) > 1 else str(game.board)
    return f"{game.round}/{board}" if with_round else board


def _list_games(state: Tournament, number: int) -> list[Game]:
    return [game for round in state.rounds[number - 1 : number] for games in round.games for game in games]


def _list_own(state: Tournament, account: str) -> set[int]:
    """The entrants that the account is."""
    return {each.number for each in state.entrants if each.occupant == Account(account)}


def _describe(state: Tournament, game: Game, seen: GameOnDesk, names: Mapping[int, str], own: set[int]) -> Fields:
    return {
        **seen._asdict(),
        "round": game.round,
        "board": game.board,
        "game": game.game,
        "place": name_place(state, game, len(state.open_rounds) > 1),
        "confirm_by": _find_confirm_by(seen),
        "due_at": find_game_deadline(state.rounds[game.round - 1], game.board) if game.ranks is None else None,
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


def _find_confirm_by(seen: GameOnDesk) -> int | None:
    """When a match that can still be corrected goes to its verdict without its recorder's word (UTC milliseconds)."""
    if seen.state != "unconfirmed" or seen.changed_at is None:
        return None
    return seen.changed_at + parts().config.corrections_ms


def _sort(games: Sequence[Fields], order: str) -> list[Fields]:
    if order == "board":
        return list(games)
    listed = [each for each in games if each["is_due"]] if order == "only-due" else games
    return sorted(listed, key=lambda each: (not each["is_due"], STATES.index(each["state"])))


def _describe_chosen(
    state: Tournament,
    number: int,
    now: int,
    names: Mapping[int, str],
    own: set[int],
) -> Fields | None:
    """The board that the query names, with what can be decided there; None if it names none that there is."""
    board, which = request.args.get("board", 0, type=int), request.args.get("game", 1, type=int)
    game = find_game(state, (number, board, which))
    if game is None:
        return None
    [(_, seen)] = look_at_games(state, [game], now)
    described = _describe(state, game, seen, names, own)
    rulings = () if described["is_own"] else list_rulings(state, game)
    id = parts().tournaments.match_id(state, game)
    has_match = (game.ranks is None and seen.begun_at is not None) or game.match is not None
    decided = (game.ranks, game.annulled, game.forfeited, game.call)
    directs = _list_directions(id) if has_match and game.ranks is None and not described["is_own"] else {}
    return {
        **described,
        "rulings": rulings,
        "match": id if has_match else None,
        "directs": directs,
        # A form that is being filled in stays as it is until what can be decided changes.
        "key": "-".join(map(str, (number, board, which, *decided, rulings, *directs))),
        "is_now": state.status == "playing" and number in [each.number for each in state.open_rounds],
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
