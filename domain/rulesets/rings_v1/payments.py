"""RI8: what a use costs, and what a seat may pay with."""

from functools import cache

from plyscribe.domain.rulesets.rings_v1.state import Dice, State, change, list_own

DICE = ("R", "M", "T")
NO_DICE: Dice = (0, 0, 0)
_COSTS = {"R": (1, 0, 0), "M": (0, 1, 0), "T": (0, 0, 1), "TT": (0, 0, 2)}


@cache
def roll_dice(values: tuple[int, ...]) -> Dice:
    """RI5: the number of dice of each class, R, M and T."""
    recruit, turn = sum(value <= 2 for value in values), sum(value >= 5 for value in values)
    return recruit, len(values) - recruit - turn, turn


def spend(dice: Dice, pay: str) -> Dice:
    """The dice that are left after the payment."""
    (recruit, move, turn), cost = dice, _COSTS[pay]
    return recruit - cost[0], move - cost[1], turn - cost[2]


@cache
def spell_dice(dice: Dice) -> str:
    """The dice as letters."""
    return "".join(die * number for die, number in zip(DICE, dice, strict=True))


def hold_dice(state: State, seat: int, dice: Dice) -> State:
    """The state with these dice of the seat."""
    return change(state, dice=_with_dice(state, seat, dice))


def spend_use(state: State, seat: int, pay: str) -> State:
    """The state after the seat paid for a use, which is a move."""
    dice = _with_dice(state, seat, spend(state.dice[seat - 1], pay))
    return change(state, ply=state.ply + 1, dice=dice, uses=state.uses - 1)


def _with_dice(state: State, seat: int, dice: Dice) -> tuple[Dice, ...]:
    return (*state.dice[: seat - 1], dice, *state.dice[seat:])


@cache
def _affordable(dice: Dice, payments: tuple[str, ...]) -> tuple[str, ...]:
    """The payments that the dice can cover, in order."""
    return tuple(pay for pay in payments if min(spend(dice, pay)) >= 0)


def recruit_payments(state: State, seat: int) -> tuple[str, ...]:
    """The payments with which the seat can recruit."""
    return _affordable(state.dice[seat - 1], recruit_costs(state, seat))


def recruit_costs(state: State, seat: int) -> tuple[str, ...]:
    """The payments for which the seat could recruit, had it the dice."""
    return ("R",) if list_own(state, seat) else ("R", "M", "TT")


def move_payments(state: State, seat: int) -> tuple[str, ...]:
    """The payments with which the seat can move, attack and propose an alliance."""
    return _affordable(state.dice[seat - 1], move_costs(state, seat))


def can_move_twice(state: State, seat: int, pay: str) -> bool:
    """Whether the seat could pay for another move after this payment."""
    return bool(_affordable(spend(state.dice[seat - 1], pay), move_costs(state, seat)))


def move_costs(state: State, seat: int) -> tuple[str, ...]:
    """The payments for which the seat could move, attack and propose an alliance, had it the dice."""
    return ("M", "TT") if state.supply[seat - 1] else ("R", "M", "TT")


def turn_payments(state: State, seat: int) -> tuple[str, ...]:
    """The payments with which the seat can turn rings, swap terrain and move its START."""
    return _affordable(state.dice[seat - 1], ("T",))


def droppable(state: State, seat: int) -> tuple[str, ...]:
    """The classes of the seat's remaining dice."""
    return _affordable(state.dice[seat - 1], DICE)
