"""Matches are played: moves, rolls, draws, withdrawals."""

from flask import Response

from plyscribe.domain.commands import AnswerDraw, Command, MakeMove, OfferDraw, RecordRoll, TakeBack, Withdraw
from plyscribe.service.matches import queries
from plyscribe.service.web.api.http import answer, parse_query, path_with
from plyscribe.service.web.api.matches.blueprint import blueprint
from plyscribe.service.web.api.matches.commands import COMMAND_PROBLEMS, Fields, execute
from plyscribe.service.web.api.matches.reading import confined, read_match
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.schemas import answers, bodies, parameters


@blueprint.post("/<match>/moves")
@operation("play", answers.Receipt, body=bodies.NewMove, problems=COMMAND_PROBLEMS, command=True)
def make_move(match: str) -> Response:
    """Play a move for the seat on turn.

    A refused move is answered with the broken clause of the rules and some legal moves.
    """
    return execute(match, bodies.NewMove, lambda base, body: MakeMove(**base, **body))


@blueprint.get("/<match>/legal-moves")
@operation("play", answers.LegalMoves, query=parameters.LegalMovesQuery, problems=(401, 404), open=True)
def legal_moves(match: str) -> Response:
    """List the legal moves of the seat on turn, those whose notation starts with a prefix, page by page."""
    query = parse_query(parameters.LegalMovesQuery)
    state = read_match(match)
    moves, more = queries.list_legal_moves(state, query["prefix"], query["offset"], query["limit"])
    offset = query["offset"] + query["limit"]
    page = {
        "match": match,
        "version": state.version,
        "turn": queries.dump_turn(state.turn),
        "moves": moves,
        "next": path_with(offset=offset) if more else None,
    }
    return confined(answer(page), state)


@blueprint.get("/<match>/legal-moves/next")
@operation("play", answers.Composition, query=parameters.CompositionQuery, problems=(401, 404), open=True)
def compose_move(match: str) -> Response:
    """Tell what may follow a prefix in the notation of a legal move, to put a move together step by step.

    A step is a word, a number or a field with the signs before it. Add the `text` of one after another until
    `complete`.
    """
    prefix = parse_query(parameters.CompositionQuery)["prefix"]
    state = read_match(match)
    return confined(answer(queries.describe_composition(state, prefix)), state)


@blueprint.post("/<match>/rolls")
@operation("play", answers.Receipt, body=bodies.NewRoll, problems=COMMAND_PROBLEMS, command=True)
def record_roll(match: str) -> Response:
    """Record what the awaited dice showed on the table."""
    return execute(match, bodies.NewRoll, lambda base, body: RecordRoll(**base, values=tuple(body["values"])))


@blueprint.post("/<match>/take-back")
@operation("play", answers.Receipt, body=bodies.TakeBack, problems=COMMAND_PROBLEMS, command=True)
def take_back(match: str) -> Response:
    """Go back to the state just before move `ply` + 1, as the recorder of a match without server dice."""
    return execute(match, bodies.TakeBack, lambda base, body: TakeBack(**base, **body))


@blueprint.post("/<match>/withdrawal")
@operation("play", answers.Receipt, body=bodies.Withdrawal, problems=COMMAND_PROBLEMS, command=True)
def withdraw(match: str) -> Response:
    """Resign your seat; the recorder may withdraw any seat, for any cause."""
    return execute(match, bodies.Withdrawal, lambda base, body: Withdraw(**base, **body))


@blueprint.post("/<match>/draw")
@operation("play", answers.Receipt, body=bodies.Draw, problems=COMMAND_PROBLEMS, command=True)
def draw(match: str) -> Response:
    """Offer a draw, agree to the open offer, or decline it.

    A seat offers once between two of its moves. The match is drawn when every other seat in play has agreed; any
    move, roll or withdrawal closes the offer.
    """

    def make(base: Fields, body: Fields) -> Command:
        if body["action"] == "offer":
            return OfferDraw(**base, seat=body["seat"])
        return AnswerDraw(**base, seat=body["seat"], accept=body["action"] == "agree")

    return execute(match, bodies.Draw, make)
