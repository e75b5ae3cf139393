"""Where a version of the rules goes another way than another one, and the smallest match that shows it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from plyscribe.domain.errors import IllegalMove, MoveError, NotInPlay, OptionError, RollError
from plyscribe.domain.proofs.candidate import END, FAILS, ILLEGAL, OPTIONS, ROLL, TURN, VIEW, WITHDRAWAL
from plyscribe.domain.proofs.playthrough import apply_step, describe_turn
from plyscribe.domain.proofs.shrinking import MOST_RUNS, Shrunk, shrink
from plyscribe.domain.proofs.trials import Trial, Walk
from plyscribe.domain.ruleset import AnyRuleset, Over, Roll, Turn


class Departure(NamedTuple):
    """The place, after `steps` steps of a match, at which a candidate goes another way. `ply` of them are moves.

    `kind` is a kind of Difference. `expected` is what the match has there, and `came` what the candidate has instead.
    `clause` says why a move is illegal.
    """

    steps: int
    ply: int
    kind: str
    expected: str
    came: str
    clause: str | None = None


def find_departure(walked: Walk, own: AnyRuleset, candidate: AnyRuleset) -> Departure | None:
    """The first place at which the candidate goes another way than the match; None if it goes all of it.

    `walked` is the match under `own`, and may stop anywhere. Views are compared where the match is over.
    """
    trial, states = walked
    state: Any = None
    for place, before in enumerate(states):
        ply = own.view(before)["ply"]
        step = trial.steps[place - 1] if place else "the first position"
        try:
            if place:
                state = apply_step(candidate, state, step)
            else:
                state = candidate.initial_state(candidate.parse_options(trial.options), trial.seats)
            turn, came = own.turn(before), candidate.turn(state)
            if came != turn:
                return Departure(place, ply, _find_kind(turn, came), describe_turn(turn), describe_turn(came))
            if isinstance(turn, Over) and candidate.view(state) != own.view(before):
                return Departure(place, ply, VIEW, "the final view", "another final view")
        except Exception as error:
            # A candidate is a draft: it may fail in any way.
            kind, came_to, clause = _read_refusal(error)
            return Departure(place, ply, kind, step, came_to, clause)
    return None


def _find_kind(turn: Turn, came: Turn) -> str:
    for kind, of_turn in ((END, Over), (ROLL, Roll)):
        if isinstance(turn, of_turn) or isinstance(came, of_turn):
            return kind
    return TURN


def _read_refusal(error: Exception) -> tuple[str, str, str | None]:
    match error:
        case OptionError():
            return OPTIONS, str(error), None
        case MoveError():
            return ILLEGAL, str(error), error.clause if isinstance(error, IllegalMove) else None
        case RollError():
            return ROLL, str(error), None
        case NotInPlay():
            return WITHDRAWAL, str(error), None
    return FAILS, repr(error), None


def shrink_departure(
    trial: Trial, own: AnyRuleset, kind: str, find: Callable[[Walk], Departure | None], most_runs: int = MOST_RUNS
) -> tuple[Shrunk, Departure] | None:
    """The smallest match with a departure of this kind; None if the trial, played under `own`, has none.

    `find` is find_departure for some candidate, within limits that the caller sets. What it raises is passed on.
    """
    latest: Departure | None = None

    def shows(walked: Walk) -> int | None:
        nonlocal latest
        found = find(walked)
        if found is None or found.kind != kind:
            return None
        latest = found
        return found.steps

    shrunk = shrink(own, trial, shows, most_runs)
    if shrunk is None or shows(shrunk.walk) is None or latest is None:
        return None
    return shrunk, latest
