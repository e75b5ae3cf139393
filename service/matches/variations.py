"""Variations as requests name them: positions reached by steps from a new game, or from a position of a match."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple

import orjson

from plyscribe.domain.effects import Ended, Rolled, Withdrew
from plyscribe.domain.events import BuiltIn
from plyscribe.domain.match import Match
from plyscribe.domain.mcts import Weighed, weigh_moves
from plyscribe.domain.replay import TakenStep, list_steps, position_at
from plyscribe.domain.ruleset import Decision, Over, format_turn
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.variation import Reached, Tried, begin, follow
from plyscribe.service.boards import draw_board
from plyscribe.service.boards.board import LastMove
from plyscribe.service.language.sentences import Names
from plyscribe.service.matches.story import describe_step, preview_move

Json = dict[str, Any]

MICRO = 1_000_000

BOT = "mcts"
"""The bot that suggests moves."""


class Start(NamedTuple):
    """Where a variation begins: a new game with `seats`, or a `match` at `ply`."""

    ruleset: str
    version: int
    options: Json
    seats: int
    match: str | None = None
    ply: int = 0


def reach(start: Start, steps: Sequence[Tried], read_match: Callable[[str], Match]) -> Reached:
    """The position after the steps; the errors of `find_beginning` and `follow`."""
    return follow(find_beginning(start, read_match), steps)


def find_beginning(start: Start, read_match: Callable[[str], Match]) -> Reached:
    """The position before the first step; the errors of `begin`, `read_match` and `position_at`."""
    if start.match is None:
        return begin(find_ruleset(start.ruleset, start.version), start.options, start.seats)
    match = read_match(start.match)
    state = position_at(match, start.ply).state
    assert match.play is not None  # or there would be no position
    return Reached(match.play.ruleset, state, start.ply)


def list_begun(match: Match, ply: int) -> tuple[int, list[Tried]]:
    """Where to begin to try something on this position: a ply, and the steps from there to the position.

    No step can follow a withdrawal or an agreed draw that ended the match. So these are left out, as in a fork.
    """
    play = match.play
    if play is None or ply < max(1, play.ply) or not isinstance(position_at(match, ply).turn, Over):
        return ply, []
    taken = list(list_steps(play, ply, ply))
    if not isinstance(taken[-1].step, Withdrew | Ended):
        return ply, []
    return ply - 1, [_try_again(step) for step in taken[:-1]]


def _try_again(taken: TakenStep) -> Tried:
    if isinstance(taken.step, Rolled | Withdrew):
        return taken.step
    assert taken.notation is not None  # a move has one
    return taken.notation


def describe_tried(step: Tried) -> Json:
    """The step as requests name it."""
    match step:
        case str():
            return {"move": step}
        case Rolled(values):
            return {"values": list(values)}
    return {"withdraw": step.seat}


def describe_variation(
    reached: Reached, language: str, names: Names, seen_from: int | None = None, with_picture: bool = False
) -> Json:
    """The position that was reached, and what the last step did."""
    ruleset, last = reached.ruleset, reached.last
    described = {
        "ruleset": ruleset.id,
        "ruleset_version": ruleset.version,
        "ply": reached.ply,
        "turn": format_turn(ruleset.turn(reached.state)),
        "view": ruleset.view(reached.state),
        "step": None if last is None else describe_step(ruleset, last, language, names),
    }
    return {**described, "picture": draw_variation(reached, seen_from)} if with_picture else described


def draw_variation(reached: Reached, seen_from: int | None = None) -> str:
    """The position with its last move marked, if that was the last step, in the colours of the page around it."""
    last = reached.last
    marked = None
    if last is not None and last.notation is not None and last.seat is not None:
        marked = LastMove(last.seat, last.notation, reached.ruleset.view(last.before))
    return draw_board(reached.ruleset, reached.state, marked, None, seen_from)


def is_contested(match: Match) -> bool:
    """Whether advice would be unfair: in a match under way that counts, or has several people or bots of theirs.

    It counts for ratings or for a tournament.
    """
    life, created = match.life, match.life.created
    players = {seat.occupant for seat in life.seats if not isinstance(seat.occupant, BuiltIn)}
    is_decided_here = created.rated or created.tournament is not None or len(players) > 1
    return life.status in ("open", "playing") and is_decided_here


def dump_variation(start: Start, steps: Sequence[Tried]) -> str:
    """The variation as text; inverse of `load_variation`."""
    return orjson.dumps([list(start), [_dump_step(step) for step in steps]], option=orjson.OPT_SORT_KEYS).decode()


def load_variation(text: str) -> tuple[Start, list[Tried]]:
    """The variation from its text."""
    start, steps = orjson.loads(text)
    return Start(*start), [_load_step(step) for step in steps]


def _dump_step(step: Tried) -> str | list[int] | int:
    match step:
        case Rolled(values):
            return list(values)
        case Withdrew(seat):
            return seat
        case str():
            return step


def _load_step(step: Any) -> Tried:
    match step:
        case list():
            return Rolled(tuple(step))
        case int():
            return Withdrew(step)
    return str(step)


def weigh_position(reached: Reached, playouts: int, seed: str, most: int) -> Json:
    """The best moves for the seat on turn, with what the search found about each; the same for the same arguments."""
    ruleset, state = reached.ruleset, reached.state
    # A suggestion shall be repeatable, not unpredictable.
    found = weigh_moves(ruleset, state, playouts, Random(seed).randrange)[:most]  # noqa: S311
    return {"moves": [{"move": ruleset.format_move(state, each.move), **_describe_weight(each)} for each in found]}


def _describe_weight(weighed: Weighed) -> Json:
    return {"share_micro": round(weighed.share * MICRO), "gain_micro": round(weighed.gain * MICRO)}


def describe_suggestion(reached: Reached, report: Json, playouts: int, language: str, names: Names) -> Json:
    """A report on a position, with what each move would do."""
    ruleset, turn = reached.ruleset, reached.ruleset.turn(reached.state)
    assert isinstance(turn, Decision)
    return {
        "ruleset": ruleset.id,
        "ruleset_version": ruleset.version,
        "seat": turn.seat,
        "bot": BOT,
        "playouts": playouts,
        "moves": [
            {**each, **preview_move(ruleset, reached.state, each["move"], language, names)} for each in report["moves"]
        ],
    }
