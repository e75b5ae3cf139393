"""Steps typed as on a score sheet: what each of them is, and at which place of the text something is wrong."""

from typing import Any

from plyscribe.domain.errors import DomainError, WrongTime
from plyscribe.domain.events import DiceRolled, MoveMade, SeatWithdrawn
from plyscribe.domain.match import Match
from plyscribe.domain.record import AgreedDraw, Line, PlacedFault, PlacedStep, ReadSteps, read_steps
from plyscribe.domain.record.values import Step
from plyscribe.service.boards import draw_board
from plyscribe.service.matches.queries import dump_turn

Json = dict[str, Any]

_DRAW = WrongTime("sheet/draw", "an agreed draw is not typed: let one seat offer it, and the others accept")


def read_typed(match: Match, text: str) -> tuple[Line, ReadSteps]:
    """What a text says that goes on from the present position, and the line after it; WrongTime before the start.

    An agreed draw is a fault: players offer and accept it.
    """
    play = match.play
    if play is None or match.life.status == "open":
        raise WrongTime("match/not-started", "the match has not started", match_status=match.life.status)
    options = play.ruleset.parse_options(match.life.created.options)
    line = Line.go_on(play.ruleset, options, len(match.life.seats), play.state, play.ply)
    found = read_steps(line, text)
    draw = next((number for number, each in enumerate(found.steps) if isinstance(each.step, AgreedDraw)), None)
    if draw is None:
        return line, found
    at = found.steps[draw]
    return line, ReadSteps(found.steps[:draw], PlacedFault(_DRAW, at.line, at.column))


def describe_typed(match: Match, line: Line, found: ReadSteps, fault: Json | None, picture: bool) -> Json:
    """What was read, as JSON. `fault` is the problem of its fault."""
    return {
        "match": match.stream,
        "version": match.version,
        "turn": dump_turn(line.turn),
        "ply": line.ply,
        "steps": [_describe_placed(each) for each in found.steps],
        "fault": fault,
        "picture": str(draw_board(line.ruleset, line.state, None, None, None)) if picture else None,
    }


def find_problem(fault: PlacedFault) -> DomainError:
    """The error that a fault is; a text that cannot be read at all is `record/invalid`."""
    if isinstance(fault.why, DomainError):
        return fault.why
    error = DomainError(fault.why, line=fault.line, column=fault.column)
    error.code = "record/invalid"
    return error


def _describe_placed(placed: PlacedStep) -> Json:
    return {"step": _describe_step(placed.step), "line": placed.line, "column": placed.column}


def _describe_step(step: Step) -> Json:
    match step:
        case MoveMade(move=move):
            return {"move": move}
        case DiceRolled(values=values):
            return {"values": list(values)}
        case SeatWithdrawn(seat, cause):
            return {"withdraw": seat, "cause": cause}
    raise AssertionError(step)  # read_typed has left it out
