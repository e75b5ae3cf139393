"""The wall screen of a tournament: a page for a projector that turns its own pages and needs nobody."""

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Response, request

from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.tournament.arbiters_desk import GameOnDesk, NextRound, find_next_round, list_open_games
from plyscribe.domain.tournament.ladder import is_ladder
from plyscribe.domain.tournament.state import Game, Round, Tournament
from plyscribe.service.clock import now_ms
from plyscribe.service.tournaments.queries import describe_table, name_all
from plyscribe.service.web.api.http import current_request, parts
from plyscribe.service.web.api.tournaments import read_tournament
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.desk_page import look_at_games, name_place
from plyscribe.service.web.pages.friend import draw_code
from plyscribe.service.web.pages.speech import gettext, ngettext

PICTURED = 4
"""Up to so many games of a round, each is shown with its board."""

MOST_BELOW = 6
"""Up to so many entrants without a board stand in one paragraph below the pictures. More get a line each."""

NAMED = 6
"""How many boards are named that the next round waits for. Of more it is told how many there are."""

THEMES = ("light", "dark")

Fields = dict[str, Any]


@blueprint.get("/tournaments/<tournament>/wall")
def show_wall(tournament: str) -> Response:
    """Show a tournament as it stands on a screen for the hall."""
    state = read_tournament(tournament)
    names, rounds = name_all(state, parts().accounts), state.rounds[-1:]
    shown = list_open_games(state)
    games = [_describe_game(state, *each, names) for each in look_at_games(state, shown, now_ms())]
    address = f"{current_request().own_origin}/tournaments/{state.stream}"
    out = _list_out(rounds[0], names) if rounds else []
    is_pictured = len(games) <= PICTURED
    theme = request.args.get("theme")
    return show_page(
        "wall.html",
        state=state,
        title=find_ruleset(state.terms.ruleset, state.terms.ruleset_version).title,
        names=names,
        now_ms=now_ms(),
        round=rounds[0] if rounds else None,
        games=games,
        out=out,
        is_out_below=is_pictured and len(out) <= MOST_BELOW,
        is_ladder=is_ladder(state),
        is_pictured=is_pictured,
        rows=describe_table(state, parts().accounts)["rows"] if rounds else [],
        upcoming=say_what_comes(state),
        begins_at=_find_date(state),
        address=address,
        code=draw_code(address),
        theme=theme if theme in THEMES else None,
    )


def _describe_game(state: Tournament, game: Game, seen: GameOnDesk, names: Mapping[int, str]) -> Fields:
    return {
        "place": name_place(state, game, len(state.open_rounds) > 1),
        "players": [(names[each], seen.state != "not-begun" and seen.on_turn == each) for each in game.entrants],
        "score": format_score(game),
        "state": seen.state,
        "ply": seen.ply,
        "last_move": seen.last_move,
        "match": parts().tournaments.match_id(state, game) if seen.begun_at is not None else None,
        "is_corrected": game.entered is not None,
    }


def _list_out(round: Round, names: Mapping[int, str]) -> list[tuple[str, str]]:
    """Who is on no board of the round, and why."""
    absent = [
        (names[each], gettext("asked bye") if each in round.byes_asked else gettext("absent")) for each in round.absent
    ]
    return [(names[each], gettext("bye")) for each in round.byes] + absent


def format_score(game: Game) -> str | None:
    """The result of a game by seat, as people write it; None while it has none.

    With two seats it is 1–0, ½–½ or 0–1, or + and – by forfeit; with more it is the place of each seat.
    """
    if game.ranks is None:
        return None
    if game.annulled:
        return "×"
    if len(game.ranks) > 2:
        return "–".join(
            "f" if each in game.forfeited else str(rank) for each, rank in zip(game.entrants, game.ranks, strict=True)
        )
    if game.forfeited:
        return " : ".join("–" if each in game.forfeited else "+" for each in game.entrants)
    first, second = game.ranks
    return "½ : ½" if first == second else "1 : 0" if first < second else "0 : 1"


def _find_date(state: Tournament) -> int | None:
    """The date that the next round waits for, and nothing else."""
    coming = find_next_round(state)
    if coming is None or coming.boards or coming.begins_at is None or state.paused is not None:
        return None
    return coming.begins_at if coming.begins_at > now_ms() else None


def say_what_comes(state: Tournament) -> str:
    """What the hall waits for next, in a sentence."""
    coming = find_next_round(state)
    if state.paused is not None:
        return gettext("There is a break: %(why)s", why=state.paused)
    if coming is None:
        return _say_status(state)
    if coming.boards:
        return _say_boards(coming)
    if coming.is_end:
        return gettext("All rounds are played. The final table comes soon.")
    if _find_date(state) is not None:
        return gettext("Round %(number)s begins:", number=coming.number)
    if coming.waits_for_call:
        return gettext("Round %(number)s begins when the arbiter calls it.", number=coming.number)
    return gettext("Round %(number)s is being paired.", number=coming.number)


def _say_status(state: Tournament) -> str:
    match state.status:
        case "open":
            return (
                gettext("The tournament has not begun. You can enter now.")
                if state.terms.is_open
                else gettext("The tournament has not begun.")
            )
        case "ended":
            return gettext("The tournament is over. Congratulations!")
        case "playing":
            return gettext("Challenge somebody on the page of the tournament.")
    return gettext("The tournament was called off.")


def _say_boards(coming: NextRound) -> str:
    if len(coming.boards) > NAMED:
        which = ngettext("%(num)s more board is over", "%(num)s more boards are over", len(coming.boards))
    elif len(coming.boards) == 1:
        which = gettext("board %(number)s is over", number=coming.boards[0])
    else:
        which = gettext("boards %(numbers)s are over", numbers=_join(coming.boards))
    if coming.is_end:
        return gettext("The final table comes as soon as %(which)s.", which=which)
    if coming.waits_for_call:
        return gettext("Round %(number)s can be called as soon as %(which)s.", number=coming.number, which=which)
    return gettext("Round %(number)s begins as soon as %(which)s.", number=coming.number, which=which)


def _join(boards: Sequence[int]) -> str:
    *first, last = map(str, boards)
    return gettext("%(some)s and %(last)s", some=", ".join(first), last=last)


@blueprint.app_template_filter("wall_state")
def name_state_for_hall(state: str) -> str:
    """How a game without a result stands, in a word or two for the hall."""
    if state in ("unconfirmed", "checking"):
        return gettext("over")
    if state == "paused":
        return gettext("paused")
    if state in ("given-up", "damaged"):
        return gettext("interrupted")
    return gettext("under way") if state in ("playing", "quiet", "overdue") else gettext("begins")
