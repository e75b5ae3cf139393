"""Play matches: moves, rolls, withdrawals and draws, and what a recorder puts right."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from flask import Response, g
from marshmallow import Schema

from plyscribe.domain.commands import (
    AnswerDraw,
    Command,
    ConfirmRecord,
    Correct,
    EnteredStep,
    MakeMove,
    OfferDraw,
    RecordRoll,
    TakeBack,
    Withdraw,
)
from plyscribe.domain.decide.mending import MAX_CORRECTED, command_of_step
from plyscribe.domain.match import Match
from plyscribe.service.access.accounts import Principal
from plyscribe.service.clock import now_ms
from plyscribe.service.matches import queries
from plyscribe.service.matches.story import name_players, preview_move
from plyscribe.service.matches.touching import describe_match_touches
from plyscribe.service.matches.typed_steps import describe_typed, read_typed
from plyscribe.service.store.port import CommandKey
from plyscribe.service.streams.handler import Order
from plyscribe.service.streams.ids import list_commands
from plyscribe.service.web.api.http import (
    answer,
    negotiate_language,
    parse_body,
    parse_query,
    parts,
    path_with,
    spoken,
    thought_ms,
)
from plyscribe.service.web.api.matches.blueprint import blueprint
from plyscribe.service.web.api.matches.commands import (
    COMMAND_PROBLEMS,
    Fields,
    Made,
    build_command,
    execute,
    parse_known,
)
from plyscribe.service.web.api.matches.reading import (
    confined,
    read_match,
    require_own,
    require_reader,
    require_sound,
    varied,
)
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.charging import READ, charge, charge_size, charged
from plyscribe.service.web.problems import describe_fault
from plyscribe.service.web.schemas import answers, bodies, parameters

TYPED = 25
"""So many words of a score sheet cost as much as reading a position."""

LISTED = 4
"""So many steps of a list count as one more move: they cost a third of the time, but all of its place in the store."""

CORRECTED = 2
"""So many steps that a correction enters count as one more move: it decides and stores each of them again."""


@blueprint.post("/<match>/moves")
@charged("moves")
@operation(
    "play", answers.Receipt, body=bodies.NewMove, problems=COMMAND_PROBLEMS, command=True, spoken=True, timed=True
)
def make_move(match: str) -> Response:
    """Make a move for the seat on turn, or several steps at once.

    With `steps`, all are stored together or none is: a bot that plays several seats, or a recorder with a sheet, needs
    one request. A player makes the moves of the own seats; a recorder also enters rolls and who left. The receipt has
    the events of all steps in their order, each with a version, a hash and a cause of its own. If a step is refused,
    the refusal has its number as `step`, from 0.

    In a match with limits, `Thought-Ms` may say how long you had the position before you moved, by your own clock. What
    the server's clock has more is the way to you and back, and does not count, up to the `lag_ms` of the match.

    The refusal of a move names the clause of the rules that it breaks, what to do instead in the language of
    `Accept-Language` (`en`, `de`), and some legal moves.
    """
    wanted, thought = parse_known(bodies.NewMove), thought_ms()
    if more := count_more(wanted):
        charge("moves", more)
    return execute(match, wanted, lambda base, body: make_moves(base, body, thought))


def count_more(wanted: Fields) -> int:
    """How many more moves the steps of a request for moves count as."""
    return len(wanted.get("steps", ())) // LISTED


def make_moves(base: Fields, wanted: Fields, thought_ms: int | None) -> Command | Iterator[Command]:
    """The commands of a request for moves, whose sender says that it thought for so long."""
    if steps := wanted.get("steps"):
        return _list_commands(base, steps, thought_ms)
    return MakeMove(**base, **wanted, thought_ms=thought_ms)


def _list_commands(base: Fields, steps: Sequence[EnteredStep], thought_ms: int | None) -> Iterator[Command]:
    """The command for each step. The client's word for its time is about the first, whose position it had."""
    for step, id in zip(steps, list_commands(base["id"], len(steps)), strict=True):
        command = command_of_step(step, {**base, "id": id})
        is_first = id == base["id"]
        yield replace(command, thought_ms=thought_ms) if is_first and isinstance(command, MakeMove) else command


@blueprint.get("/<match>/legal-moves")
@operation("play", answers.LegalMoves, query=parameters.LegalMovesQuery, problems=(401, 404, 409), open=True)
def legal_moves(match: str) -> Response:
    """List the legal moves of the seat on turn.

    With `prefix`, only the moves whose notation starts with it.
    """
    query = parse_query(parameters.LegalMovesQuery)
    state = read_match(match)
    require_sound(state)
    moves, more = queries.list_legal_moves(state, query["prefix"], query["offset"], query["limit"])
    offset = query["offset"] + query["limit"]
    page = {
        "match": state.stream,
        "version": state.version,
        "turn": queries.dump_turn(state.turn),
        "moves": moves,
        "next": path_with(offset=offset) if more else None,
    }
    return confined(answer(page), state)


@blueprint.get("/<match>/legal-moves/next")
@operation(
    "play", answers.Composition, query=parameters.CompositionQuery, problems=(401, 404, 409), open=True, spoken=True
)
def compose_move(match: str) -> Response:
    """List the ways to continue the notation of a move.

    Use this to compose a move step by step. A step is a word, a number or a field, with the punctuation before it.
    Append the `text` of one step after another until `complete` is true. `preview` says what the move would do, in the
    language of `Accept-Language` (`en`, `de`).
    """
    prefix = parse_query(parameters.CompositionQuery)["prefix"]
    state = read_match(match)
    require_sound(state)
    language = negotiate_language()
    found = queries.describe_composition(state, prefix)
    move = prefix if found["complete"] else found["finish"]
    names = name_players(state, parts().accounts.name_of, language)
    preview = None
    if move is not None and state.play is not None:
        preview = preview_move(state.play.ruleset, state.play.state, move, language, names)
    return confined(varied(spoken(answer({**found, "preview": preview}), language)), state)


@blueprint.get("/<match>/legal-moves/touched")
@operation(
    "play", answers.TouchedMoves, query=parameters.TouchedQuery, problems=(401, 404, 409), open=True, spoken=True
)
def touch_board(match: str) -> Response:
    """Tell what touches of the board lead to.

    Use this to make moves on the board's picture (see its `data-touch`): touch a piece, then a field. Without `touch`
    it lists what can be touched first, and says what is to be seen at each place. The first touch comes first, the
    others in any order. If no legal move begins with the touches, `refusal` says why, in the language of
    `Accept-Language` (`en`, `de`).
    """
    query = parse_query(parameters.TouchedQuery)
    state = read_match(match)
    require_sound(state)
    language = negotiate_language()
    names = name_players(state, parts().accounts.name_of, language)
    found = describe_match_touches(state, tuple(query["touch"]), language, names, query["seat"])
    return confined(varied(spoken(answer(found), language)), state)


@blueprint.post("/<match>/score-sheet")
@charged(READ)
@operation("play", answers.ReadSheet, body=bodies.TypedSteps, problems=(401, 404, 409), open=True, spoken=True)
def read_score_sheet(match: str) -> Response:
    """Read steps as people type them on a score sheet.

    Nothing is stored: send the steps one after the other. They go on from the present position, written as in a text
    record: `1. d4 2. e5`, dice `(3 5)`, a seat that leaves `(2 resigned)`. `fault` is the first place that is wrong;
    the steps before it are good.
    """
    wanted = parse_body(bodies.TypedSteps)
    charge_size(READ, len(wanted["text"].split()), TYPED)
    state = read_match(match, wanted["version"])
    require_sound(state)
    g.match = state
    line, found = read_typed(state, wanted["text"])
    language = negotiate_language()
    fault = None if found.fault is None else describe_fault(found.fault, language)
    return confined(spoken(answer(describe_typed(state, line, found, fault, wanted["picture"])), language), state)


@blueprint.post("/<match>/rolls")
@charged("moves")
@operation("play", answers.Receipt, body=bodies.NewRoll, problems=COMMAND_PROBLEMS, command=True, spoken=True)
def record_roll(match: str) -> Response:
    """Record what the dice showed at the table.

    Where dice lay out the board, as the terrain of Rings, say with `laid` what lies on each place instead.
    """
    return execute(match, bodies.NewRoll, _make_roll)


def _make_roll(base: Fields, body: Fields) -> Command:
    return RecordRoll(**base, values=body["laid"] if "laid" in body else tuple(body["values"]))


@blueprint.post("/<match>/take-back")
@charged("moves")
@operation("play", answers.Receipt, body=bodies.TakeBack, problems=COMMAND_PROBLEMS, command=True)
def take_back(match: str) -> Response:
    """Take back the last steps, or all after a ply.

    Only the recorder can do this, and not with server dice. It works during play and after the end, until the record is
    confirmed or verified. A match that had ended goes on.
    """
    return execute(match, bodies.TakeBack, lambda base, body: TakeBack(**base, **body))


@blueprint.post("/<match>/corrections")
@charged("moves")
@operation("play", answers.Receipt, body=bodies.Correction, problems=COMMAND_PROBLEMS, command=True, spoken=True)
def correct_steps(match: str) -> Response:
    """Put a step right where it stands.

    All at once: the last `take_back` steps are taken back, `steps` stand in place of the first `replaced` of them, and
    the others follow as they were, except the last `dropped`. Without `steps` the replaced ones are removed; with
    `replaced` 0 others are put in before them. Who may take steps back may do this. If a step cannot follow any more,
    nothing is stored, and the refusal has its number as `step`, from 0, `steps` first: ask the people, and then drop it
    and those after it.
    """
    wanted = parse_known(bodies.Correction)
    entered = len(wanted["steps"]) + wanted["take_back"] - wanted["replaced"] - wanted["dropped"]
    charge("moves", max(0, min(MAX_CORRECTED, entered)) // CORRECTED)
    return execute(match, wanted, lambda base, body: Correct(**base, **{**body, "steps": tuple(body["steps"])}))


@blueprint.post("/<match>/confirmation")
@charged("moves")
@operation("play", answers.Receipt, body=bodies.Nothing, problems=COMMAND_PROBLEMS, command=True)
def confirm_record(match: str) -> Response:
    """Confirm that everything is entered right.

    Only the recorder can do this, after the match has ended. Then nothing is taken back any more, and the match is
    verified and scored at once. Without this, that happens at `confirm_by` (see the match).
    """
    return execute(match, bodies.Nothing, lambda base, _: ConfirmRecord(**base))


@blueprint.post("/<match>/withdrawal")
@charged("moves")
@operation("play", answers.Receipt, body=bodies.Withdrawal, problems=COMMAND_PROBLEMS, command=True)
def withdraw(match: str) -> Response:
    """Resign a seat.

    The recorder and an overseer can withdraw any seat, for any cause; an overseer says `why`. In a rated match that
    does not count yet, a withdrawal aborts the match.
    """
    return execute(match, bodies.Withdrawal, _make_withdrawal, word="withdraw")


def _make_withdrawal(base: Fields, body: Fields) -> Command:
    return Withdraw(**base, **body)


@blueprint.post("/<match>/draw")
@charged("moves")
@operation("play", answers.Receipt, body=bodies.Draw, problems=COMMAND_PROBLEMS, command=True)
def draw(match: str) -> Response:
    """Offer a draw, or answer the open offer.

    A seat can offer a draw once between two of its moves. The match is drawn when every other seat in play has agreed.
    Any move, roll or withdrawal closes the offer.
    """
    return execute(match, bodies.Draw, _make_draw)


def _make_draw(base: Fields, body: Fields) -> Command:
    if body["action"] == "offer":
        return OfferDraw(**base, seat=body["seat"])
    return AnswerDraw(**base, seat=body["seat"], accept=body["action"] == "agree")


class Said(NamedTuple):
    """What can be said on a standing connection: as the body of the request of that name, and whose command it is."""

    body: type[Schema]
    make: Callable[[Fields, Fields, int | None], Command | Iterable[Command]]
    """The commands for the fields that every command has, the body, and how long the sender says that it thought."""

    word: str = ""


SAID = {
    "moves": Said(bodies.NewMove, make_moves),
    "rolls": Said(bodies.NewRoll, lambda base, body, _: _make_roll(base, body)),
    "withdrawal": Said(bodies.Withdrawal, lambda base, body, _: _make_withdrawal(base, body), "withdraw"),
    "draw": Said(bodies.Draw, lambda base, body, _: _make_draw(base, body)),
}
"""By the last word of the request's path. Each is of the kind `moves`."""


def make_order(
    said: Said,
    match: str,
    who: Principal,
    body: Fields,
    asked: CommandKey,
    thought_ms: int | None,
    expected_version: int | None,
    seen: list[Match],
) -> Order:
    """The order for the store of what `who` says of a match. It leaves the state that it was decided on in `seen`."""
    base = {"at": now_ms(), "id": asked.id.hex()}

    def command_for(state: Match) -> Made:
        # This comes first, so that nobody learns that a private match exists.
        require_reader(state, who)
        require_own(state)
        seen[:] = (state,)
        return build_command(state, who, base, body, lambda base, body: said.make(base, body, thought_ms), said.word)

    return Order(match, command_for, asked, expected_version=expected_version)
