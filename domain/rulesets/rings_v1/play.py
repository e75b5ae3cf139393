"""What moves, rolls and withdrawals do."""

from plyscribe.domain.ruleset import Decision, Over, Roll, require_roll
from plyscribe.domain.rulesets.rings_v1.board import ARRANGEMENTS, WARRIOR, start_of
from plyscribe.domain.rulesets.rings_v1.fighting import attacked_seat, decide_alliance, move_unit
from plyscribe.domain.rulesets.rings_v1.moves import (
    Accept,
    Attach,
    Decline,
    Drop,
    Move,
    Propose,
    Recruit,
    Settle,
    Spin,
    Swap,
    Use,
    Walk,
)
from plyscribe.domain.rulesets.rings_v1.payments import NO_DICE, hold_dice, roll_dice, spend_use
from plyscribe.domain.rulesets.rings_v1.ringwork import attach, spin, swap
from plyscribe.domain.rulesets.rings_v1.state import Alliance, Forces, State, change, lay_ring, list_own
from plyscribe.domain.rulesets.rings_v1.turns import (
    await_dice,
    await_start,
    await_terrain,
    finish,
    go_on,
    is_exhausted,
    pass_on,
    rank_by_points,
)


def play_move(state: State, move: Move) -> State:
    """The state after a legal move and everything that follows automatically."""
    assert isinstance(state.turn, Decision)
    after = _play(state, state.turn.seat, move)
    if after.ply == after.setup.ply_limit and not isinstance(after.turn, Over):
        return change(after, turn=Over("ply-limit", rank_by_points(after)))
    return after


def _play(state: State, seat: int, move: Move) -> State:
    match move:
        case Settle(field):
            return await_start(attach(change(state, ply=state.ply + 1), seat, field), seat)
        case Propose(pay, ally, source, at):
            alliance = Alliance(seat, ally, source, at, pay)
            return change(state, ply=state.ply + 1, alliance=alliance, turn=Decision(ally))
        case Accept() | Decline():
            return _answer(state, move)
        case _:
            return _settle_use(_use(state, seat, move), seat)


def _answer(state: State, move: Accept | Decline) -> State:
    alliance = state.alliance
    assert alliance is not None
    if isinstance(move, Decline):
        return go_on(change(state, ply=state.ply + 1, alliance=None, declined=True), alliance.seat)
    accepted = alliance._replace(backer=move.source)
    paid = spend_use(state, alliance.seat, alliance.pay)
    return change(paid, alliance=accepted, turn=Roll(6, 1, "alliance", alliance.seat))


def _settle_use(state: State, seat: int) -> State:
    return finish(state, "exhausted") if is_exhausted(state) else go_on(state, seat)  # RI26


def _use(state: State, seat: int, move: Use) -> State:
    """The state after a use and its payment."""
    match move:
        case Walk(pay, kind, source, target):
            return move_unit(spend_use(state, seat, pay), seat, kind, source, target)
        case Drop(die):
            return spend_use(state, seat, die)
        case Recruit(pay, kind):
            forces = Forces(spend_use(state, seat, pay))
            forces.supply[seat - 1] -= kind
            forces.put(start_of(seat), seat, kind)
            return forces.settle()
        case Spin(pay, ring, step):
            return spin(spend_use(state, seat, pay), ring, step)
        case Attach(pay, field):
            return attach(spend_use(state, seat, pay), seat, field)
        case Swap(pay, one, two):
            return swap(spend_use(state, seat, pay), one, two)


def play_roll(state: State, values: tuple[int, ...]) -> State:
    """The state after the due roll and everything that follows automatically; RollError if it is impossible."""
    roll = require_roll(state.turn, values, state.ply)
    if roll.purpose == "terrain":
        return await_terrain(change(state, terrain=lay_ring(state.terrain, ARRANGEMENTS[values[0] - 1])))
    assert roll.seat is not None
    if roll.purpose == "round":
        return await_dice(hold_dice(state, roll.seat, roll_dice(values)), roll.seat)
    return _settle_use(decide_alliance(state, values[0]), roll.seat)


# ---- withdrawal (RI25)


def play_withdrawal(state: State, seat: int) -> State:
    """The state after a seat in play left, and everything that follows automatically."""
    assert not isinstance(state.turn, Over)
    on_turn = state.alliance.seat if state.alliance else state.turn.seat
    after = change(_break_off(state, seat, on_turn), left=(*state.left, seat))
    if len(after.in_play) == 1:
        return finish(after, "withdrawal")
    if is_exhausted(after):
        return finish(after, "exhausted")
    if seat == on_turn:
        return _skip(change(after, uses=0, declined=False), seat)
    # A seat in setup or rolling has no uses. An alliance may have taken the last one; its roll is no longer due.
    is_free = after.uses or (state.alliance and not after.alliance)
    return go_on(after, on_turn) if is_free and on_turn and not after.alliance else after


def _skip(state: State, seat: int) -> State:
    """The state that skips whatever the seat had to do."""
    if not state.round:
        return await_start(state, seat)
    is_roll = isinstance(state.turn, Roll) and state.turn.purpose == "round"
    return await_dice(state, seat) if is_roll else pass_on(state, seat)


def _break_off(state: State, seat: int, on_turn: int | None) -> State:
    """The state without anything of the seat, and without fights in which it took part."""
    attacked = attacked_seat(state)
    forces = Forces(state)
    for field in list_own(state, seat):
        forces.units[field] = 0
    forces.supply[seat - 1] = 0
    engaged, alliance = state.engaged, state.alliance
    if engaged and seat in (on_turn, attacked):
        if seat == attacked and on_turn:
            forces.put(engaged.at, on_turn, WARRIOR)
        engaged = None
    if alliance and seat in (alliance.seat, alliance.ally, attacked):
        alliance = None
    cleared = forces.settle(engaged=engaged, alliance=alliance)
    return hold_dice(attach(cleared, seat, None), seat, NO_DICE)
