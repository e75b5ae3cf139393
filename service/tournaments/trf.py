"""Formats the report of a two-seat Swiss as FIDE's TRF16: a line of fixed columns for each entrant. Seat 1 is white.

In the report, entrants are numbered by their seeds, as FIDE's starting ranks are.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction

from plyscribe.domain.errors import WrongValue
from plyscribe.domain.tournament.naming import name_entrants
from plyscribe.domain.tournament.points import total_points
from plyscribe.domain.tournament.seeding import number_by_seed
from plyscribe.domain.tournament.standings import rank_entrants
from plyscribe.domain.tournament.state import Game, Round, Tournament

BYE = "U"
ABSENCES = {Fraction(0): "Z", Fraction(1, 2): "H", Fraction(1): "F"}
"""The letter for a round that an entrant sits out, by the share of a win that it is worth."""

NAME_LENGTH = 33
HIGHEST_RATING = 9999
"""The highest that four columns hold."""

NO_ROUND = "0000 - {}  "


def export_trf(state: Tournament, players: Mapping[int, str] | None = None) -> str:
    """The report as it stands now; `players` is as in name_entrants.

    WrongValue `tournament/trf` if the format cannot express the terms.
    """
    win = _find_win(state)
    order = state.list_seeds()
    named = name_entrants(state, players, NAME_LENGTH)
    named = {seed: named[entrant] for seed, entrant in enumerate(order, 1)}
    ratings = {seed: state.entrants[entrant - 1].rating for seed, entrant in enumerate(order, 1)}
    state = number_by_seed(state)
    ranks = {each.entrant: each.rank for each in rank_entrants(state)}
    points = total_points(state)
    began = datetime.fromtimestamp(state.created_at / 1000, UTC)
    head = [
        f"012 {state.terms.name}",
        f"042 {began:%Y/%m/%d}",
        f"062 {len(ranks)}",
        "072 0",
        "082 0",
        "092 Individual: Swiss-System (Dutch)",
        "XXC white1",
        f"XXR {state.terms.format['rounds']}",
    ]
    lines = [
        _format_entrant(entrant, named[entrant], ratings[entrant], points[entrant] / win, ranks[entrant])
        + "".join(_format_round(state, round, entrant, win) for round in state.rounds)
        for entrant in sorted(ranks)
    ]
    return "".join(line.rstrip() + "\n" for line in [*head, *lines])


def _format_entrant(entrant: int, name: str, rating: int | None, wins: Fraction, rank: int) -> str:
    known = rating if rating is not None and rating <= HIGHEST_RATING else ""
    return f"001 {entrant:>4}      {name:<{NAME_LENGTH}} {known:>4}{'':28}{float(wins):4.1f} {rank:>4}  "


def can_be_reported(state: Tournament) -> bool:
    """Whether the report can express the terms of this tournament."""
    try:
        _find_win(state)
    except WrongValue:
        return False
    return True


def _find_win(state: Tournament) -> int:
    """The points of a win; WrongValue unless TRF can express the scoring."""
    terms, scoring = state.terms, state.terms.scoring
    if terms.format["kind"] != "swiss" or terms.seats != 2 or len(state.seatings) != 1:
        raise WrongValue("tournament/trf", "a TRF report needs a Swiss of two seats with one game a board")
    win, loss = scoring["places"] or (2, 0)
    absences = {scoring["absence"], scoring.get("asked_bye", 0)}
    if not win or loss or scoring["bye"] != win or not {Fraction(each, win) for each in absences} <= ABSENCES.keys():
        allowed = "a loss scores 0, a bye scores a win, and an absence or an asked bye scores 0, half a win or a win"
        raise WrongValue("tournament/trf", f"a TRF report needs a scoring in which {allowed}")
    return int(win)


def _format_round(state: Tournament, round: Round, entrant: int, win: int) -> str:
    """Ten columns: opponent, colour and result, or the reason why there was no game."""
    for board, games in zip(round.boards, round.games, strict=True):
        if entrant in board:
            seat = board.index(entrant)
            return f"{board[1 - seat]:>4} {'wb'[seat]} {_format_result(games[0], seat)}  "
    if entrant in round.byes:
        return NO_ROUND.format(BYE)
    share = Fraction(0)
    if entrant in round.absent:
        name = "asked_bye" if entrant in round.byes_asked else "absence"
        share = Fraction(state.terms.scoring[name], win)
    return NO_ROUND.format(ABSENCES[share])


def _format_result(game: Game, seat: int) -> str:
    """1, = or 0, + or - by forfeit; 0 for both if the game is annulled, a space if it is still being played."""
    if game.ranks is None:
        return " "
    if game.forfeited and game.counts:
        return "-" if game.entrants[seat] in game.forfeited else "+"
    own, other = game.ranks[seat], game.ranks[1 - seat]
    return "0" if not game.counts or own > other else "=" if own == other else "1"
