"""What an actor may do in a match now: the one list behind the API's `choices` and the buttons of the pages.

The law: `decide` accepts every choice and refuses every command that is not one, whatever the command, seat and cause.
Only the values that a command carries besides (a notation, dice, a text, a ply) are left to `decide`. The list assumes
that the secret of the match's dice is at hand.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from plyscribe.domain.commands import Actor
from plyscribe.domain.deadlines import find_deadline
from plyscribe.domain.decide.directing import require_may_adjust, require_may_pause, require_may_resume
from plyscribe.domain.decide.ends import (
    require_may_abort,
    require_may_annul,
    require_may_judge,
    require_may_reveal,
    require_may_score,
)
from plyscribe.domain.decide.opening import (
    require_may_ask_rematch,
    require_may_leave_seat,
    require_may_start,
    require_may_take_seat,
    require_unsalted,
    starts_by_itself,
)
from plyscribe.domain.decide.play import (
    require_may_answer_draw,
    require_may_confirm,
    require_may_offer_draw,
    require_may_roll,
    require_may_take_back,
    withdrawal_causes,
    withdraws_others,
)
from plyscribe.domain.decide.who import seats_held, seats_sat_on, step_down
from plyscribe.domain.errors import DomainError, UnknownEventShape, UnknownEventType
from plyscribe.domain.events import Account, Guest, MatchRefuted, MatchVerified
from plyscribe.domain.match import Lifecycle, Match, Play
from plyscribe.domain.ruleset import Decision, Over

COMMANDS = (
    "take-seat",
    "seat-guest",
    "leave-seat",
    "add-entropy",
    "start",
    "move",
    "roll",
    "take-back",
    "confirm-record",
    "withdraw",
    "pause",
    "resume",
    "adjust-clock",
    "offer-draw",
    "answer-draw",
    "abort",
    "annul",
    "rematch",
)
"""The commands of people and their bots, in the order of a list of choices. `seat-guest` is TakeSeat with a guest."""

SYSTEM_COMMANDS = ("reveal-dice", "verify", "refute", "score")
"""The commands that only jobs of the server give; they follow the others in a list of choices."""

_SOMEONE = Guest("guest")


class Choice(NamedTuple):
    """A command that the actor may give now, for each of `seats` and for each of `causes`.

    `seats` are ascending, and empty for commands that name no seat. Only `withdraw` has `causes`.
    """

    command: str
    seats: tuple[int, ...] = ()
    causes: tuple[str, ...] = ()


def list_choices(match: Match, actor: Actor, at: int = 0) -> tuple[Choice, ...]:
    """What the actor may do in the match now, each command at most once, in a fixed order.

    `at` (UTC milliseconds) counts only for the system, which withdraws seats whose time is over.
    """
    fault = match.fault
    if match.version == 0 or (fault and isinstance(fault.error, UnknownEventType | UnknownEventShape)):
        return ()
    found = list(_list_verdicts(match, actor))
    if match.lifecycle is not None:
        found += _list_by_status(match, match.lifecycle, actor, at)
    order = (*COMMANDS, *SYSTEM_COMMANDS)
    return tuple(sorted(found, key=lambda choice: order.index(choice.command)))


def _list_by_status(match: Match, life: Lifecycle, actor: Actor, at: int) -> Iterator[Choice]:
    if life.status == "open":
        yield from _list_before(match, life, actor)
    elif life.status == "playing" and match.fault is None and match.play is not None:
        yield from _list_under_way(match, match.play, actor, at)
    if life.status in ("open", "playing"):
        yield from _single("abort", require_may_abort, step_down(actor, life), match)
        return
    if life.awaits_confirmation and match.fault is None and match.play is not None:
        if not match.is_full:
            yield from _single("take-back", require_may_take_back, actor, life, match.play)
        yield from _single("confirm-record", require_may_confirm, actor, life)
    yield from _single("reveal-dice", require_may_reveal, actor, life)
    yield from _single("score", require_may_score, actor, life)
    yield from _single("annul", require_may_annul, actor, life)
    if match.play is not None:  # else its ruleset is not here, and no match can begin with it
        yield from _single("rematch", require_may_ask_rematch, actor, life)


def _list_verdicts(match: Match, actor: Actor) -> Iterator[Choice]:
    yield from _single("verify", require_may_judge, actor, match, MatchVerified)
    yield from _single("refute", require_may_judge, actor, match, MatchRefuted)


def _list_before(match: Match, life: Lifecycle, actor: Actor) -> Iterator[Choice]:
    seats = range(1, len(life.seats) + 1)

    def can_change(number: int, **changed: Any) -> bool:
        # A damaged match takes seats, but not the last one: it cannot start.
        seat = life.seats[number - 1]._replace(**changed)
        after = life._replace(seats=(*life.seats[: number - 1], seat, *life.seats[number:]))
        return match.fault is None or not starts_by_itself(after)

    free = () if match.is_full else seats
    yield from _for_seats(
        "take-seat",
        (
            number
            for number in free
            if _is_allowed(require_may_take_seat, actor, life, number)
            and can_change(number, occupant=Account(actor.id), seated=True)
        ),
    )
    yield from _for_seats(
        "seat-guest",
        (
            number
            for number in free
            if _is_allowed(require_may_take_seat, actor, life, number, _SOMEONE)
            and can_change(number, occupant=_SOMEONE, seated=True)
        ),
    )
    yield from _for_seats(
        "leave-seat", (number for number in seats if _is_allowed(require_may_leave_seat, actor, life, number))
    )
    yield from _for_seats(
        "add-entropy",
        (
            number
            for number in seats_sat_on(actor, life)
            if _is_allowed(require_unsalted, life, number) and can_change(number, entropy="")
        ),
    )
    if match.fault is None:
        yield from _single("start", require_may_start, actor, life)


def _list_under_way(match: Match, play: Play, actor: Actor, at: int) -> Iterator[Choice]:
    life, turn, held = match.life, play.turn, seats_held(actor, match.life)
    if isinstance(turn, Decision) and turn.seat in held and not (match.is_full or play.pause):
        yield Choice("move", (turn.seat,))
    if not match.is_full:
        yield from _single("roll", require_may_roll, actor, life, play)
        yield from _single("take-back", require_may_take_back, actor, life, play)
    yield from _list_for_director(match, play, actor)
    leaver = step_down(actor, life)
    withdrawable = range(1, len(life.seats) + 1) if withdraws_others(leaver, life) else seats_held(leaver, life)
    if not withdrawable:
        return
    left = play.left
    if actor.role == "system":
        deadline = find_deadline(match)
        withdrawable = [deadline.seat] if deadline is not None and deadline.at <= at else []
    if not isinstance(turn, Over):
        causes = withdrawal_causes(leaver, life)
        yield from _for_seats("withdraw", (seat for seat in withdrawable if seat not in left), causes)
    in_play = [seat for seat in held if seat not in left]
    yield from _for_seats(
        "offer-draw", (seat for seat in in_play if _is_allowed(require_may_offer_draw, match, play, seat))
    )
    yield from _for_seats("answer-draw", (seat for seat in in_play if _is_allowed(require_may_answer_draw, play, seat)))


def _list_for_director(match: Match, play: Play, actor: Actor) -> Iterator[Choice]:
    seats = range(1, len(match.life.seats) + 1)
    if not match.is_full:
        yield from _single("pause", require_may_pause, actor, match.life, play)
        adjustable = (seat for seat in seats if _is_allowed(require_may_adjust, actor, match, seat))
        yield from _for_seats("adjust-clock", adjustable)
    yield from _single("resume", require_may_resume, actor, match.life, play)


def _single(command: str, require: Callable[..., Any], *arguments: Any) -> Iterator[Choice]:
    if _is_allowed(require, *arguments):
        yield Choice(command)


def _for_seats(command: str, seats: Iterator[int], causes: tuple[str, ...] = ()) -> Iterator[Choice]:
    if found := tuple(seats):
        yield Choice(command, found, causes)


def _is_allowed(require: Callable[..., Any], *arguments: Any) -> bool:
    try:
        require(*arguments)
    except DomainError:
        return False
    return True
