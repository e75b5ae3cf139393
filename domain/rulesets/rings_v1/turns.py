"""Setup, rounds, passes and turns: who decides or rolls next, what follows automatically, and when the match is over.

`seat` is the seat on turn. Other modules define what uses do and cost.
"""

from plyscribe.domain.ruleset import Decision, Over, Roll, rank_seats
from plyscribe.domain.rulesets.rings_v1.board import ARRANGEMENTS, RUNNERS, SEAT, TOP, WARRIOR
from plyscribe.domain.rulesets.rings_v1.legal import has_use
from plyscribe.domain.rulesets.rings_v1.payments import NO_DICE, hold_dice
from plyscribe.domain.rulesets.rings_v1.state import COUNTDOWN, OUT, Forces, State, change

DECISIONS = tuple(Decision(seat) for seat in range(1, 5))
ROUND_ROLLS = tuple(Roll(6, 4, "round", seat) for seat in range(1, 5))
TERRAIN = Roll(len(ARRANGEMENTS), 1, "terrain", None)


# ---- before the first round


def await_terrain(state: State) -> State:
    """The roll for the next ring is due; once all rings are laid, the highest seat attaches its START (RI3)."""
    if len(state.terrain) <= TOP:
        return change(state, turn=TERRAIN)
    return await_start(state, state.setup.seats + 1)


def await_start(state: State, seat: int) -> State:
    """The next lower seat in play attaches its START; after the lowest seat, the first round begins (RI4)."""
    lower = [other for other in state.in_play if other < seat]
    return change(state, turn=Decision(lower[-1])) if lower else _begin_round(state)


# ---- rounds and passes


def _begin_round(state: State) -> State:
    return await_dice(change(state, round=state.round + 1, pass_=1, uses=0, declined=False), 0)


def await_dice(state: State, seat: int) -> State:
    """The next higher seat in play rolls; after the highest seat, the first pass begins (RI5)."""
    higher = [other for other in state.in_play if other > seat]
    return change(state, turn=ROUND_ROLLS[higher[0] - 1]) if higher else pass_on(state, 0)


def pass_on(state: State, seat: int) -> State:
    """The next higher seat with dice has its turn, or the lowest in the second pass, or a new round begins (RI6)."""
    for other in range(seat + 1, state.setup.seats + 1):
        if any(state.dice[other - 1]):
            return go_on(change(state, uses=2, declined=False, turn=DECISIONS[other - 1]), other)
    return pass_on(change(state, pass_=2), 0) if state.pass_ == 1 else _begin_round(state)


# ---- turns


def go_on(state: State, seat: int) -> State:
    """The seat decides on its next use, or its turn ends (RI6)."""
    if state.uses and any(state.dice[seat - 1]):
        if state.pass_ == 1 or state.engaged or has_use(state, seat):
            decision = DECISIONS[seat - 1]
            return state if state.turn is decision else change(state, turn=decision)
        state = hold_dice(state, seat, NO_DICE)  # RI7
    return _end_turn(state, seat)


def _end_turn(state: State, seat: int) -> State:
    if state.units[TOP] >> SEAT != seat:
        return pass_on(state, seat)
    points = list(state.points)
    points[seat - 1] += value_top(state, seat)
    state = change(state, points=tuple(points))
    is_countdown = state.setup.scoring == COUNTDOWN
    if (sum(points) if is_countdown else points[seat - 1]) < state.setup.target:
        return pass_on(state, seat)
    return finish(state, "countdown" if is_countdown else "points", winner=seat)


def value_top(state: State, seat: int) -> int:
    """The points for a turn of the seat that ends here (RI22, RI23); 0 without a unit on `top`."""
    on_top = state.units[TOP]
    if on_top >> SEAT != seat:
        return 0
    return 2 if on_top & RUNNERS and state.setup.scoring != COUNTDOWN else 1


# ---- the end


def finish(state: State, reason: str, winner: int | None = None) -> State:
    """The match is over, with the winner first, if there is one, and the others ranked by points (RI24)."""
    scores = [(seat == winner, points) for seat, points in enumerate(state.points, 1)]
    return end(state, Over(reason, rank_seats(scores, state.left)))


def end(state: State, over: Over) -> State:
    """The match is over, and no turn is under way; the first warrior of a pair goes back."""
    if state.engaged:
        assert isinstance(state.turn, Decision)
        forces = Forces(state)
        forces.put(state.engaged.source, state.turn.seat, WARRIOR)
        state = forces.settle()
    return change(state, uses=0, engaged=None, alliance=None, declined=False, turn=over)


def rank_by_points(state: State) -> tuple[int, ...]:
    """The ranks by the present points (RI24)."""
    return rank_seats(state.points, state.left)


def is_exhausted(state: State) -> bool:
    """Whether no seat has any units left (RI26)."""
    return state.setup.casualties == OUT and not any(state.units) and not any(state.supply)
