"""Decisions while a match is played: moves, rolls, withdrawals, draws, and what a recorder puts right."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from plyscribe.domain.at_table import find_seat
from plyscribe.domain.commands import (
    Actor,
    AnswerDraw,
    ConfirmRecord,
    DeclareBuild,
    MakeMove,
    OfferDraw,
    PlayOn,
    RecordRoll,
    TakeBack,
    Withdraw,
)
from plyscribe.domain.counting import leaving_aborts
from plyscribe.domain.deadlines import Deadline, find_deadline
from plyscribe.domain.decide.ends import MAX_CAUSE_LENGTH, abort
from plyscribe.domain.decide.who import (
    Deciders,
    actor_of,
    is_recorder,
    predates_judging,
    refuse_own_match,
    require_own_seat,
    require_playing,
    require_recorder,
    require_seat,
    require_unpaused,
    seats_held,
)
from plyscribe.domain.declared_builds import check_build, require_new
from plyscribe.domain.draft import Draft
from plyscribe.domain.errors import BadNotation, MoveError, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import (
    DRAW_AGREED,
    WITHDRAWAL_CAUSES,
    WITHDRAWAL_FAULTS,
    BuildDeclared,
    DiceRolled,
    DrawAgreed,
    DrawDeclined,
    DrawOffered,
    MatchAborted,
    MovesTakenBack,
    RecordConfirmed,
    RecordedDice,
    SeatWithdrawn,
    ServerDice,
    StepsTakenBack,
)
from plyscribe.domain.match import DrawOffer, Lifecycle, Match, Play, damaged
from plyscribe.domain.names import is_printable
from plyscribe.domain.phrases import say
from plyscribe.domain.ruleset import Decision, Roll

MAX_MOVE_LENGTH = 256
MAX_MOVES_A_COMMAND = 512
LEGAL_MOVES_IN_A_REFUSAL = 20

Choose = Callable[[Match], str | None]
"""Chooses a built-in bot's next move in a match; None when no bot is to move, or the bot has not decided yet."""


def _decide_move(command: MakeMove, life: Lifecycle, draft: Draft) -> None:
    held = seats_held(command.actor, life)
    if not held:
        raise WrongPerson("seat/not-yours", "you hold no seat in this match")
    if command.seat is not None:
        require_own_seat(held, life, command.seat)
    _make_move(draft, held, command.move, command.seat, command.thought_ms)


def _make_move(
    draft: Draft, held: Sequence[int], text: str, seat: int | None = None, thought_ms: int | None = None
) -> None:
    """Make the move for the seat on turn, which must be among those held and must be `seat` if that is given."""
    # Whether a player may move depends only on the actor, the seat and the lifecycle, and on pauses, which folds check.
    # The quick verification relies on it: it asks once for each combination of these.
    require_playing(draft.match.life)
    play = draft.play
    require_unpaused(play)
    turn = play.turn
    if isinstance(turn, Roll):
        raise WrongTime("move/roll-due", f"a roll is due first: {turn.purpose}", ply=play.ply)
    if not isinstance(turn, Decision):
        # The match has ended, but this state is older than the event that says so.
        raise WrongTime("match/over", "the match is over", match_status="ended")
    if turn.seat not in held or seat not in (None, turn.seat):
        raise WrongTime("move/not-your-turn", f"it is seat {turn.seat}'s turn", ply=play.ply, seat=turn.seat)
    draft.require_room()
    draft.make_move(turn.seat, text, _parse_move(play, text), thought_ms)
    draft.settle()


def _decide_play_on(command: PlayOn, life: Lifecycle, draft: Draft) -> None:
    if not 1 <= len(command.moves) <= MAX_MOVES_A_COMMAND:
        raise WrongValue("move/how-many", f"one command plays 1 to {MAX_MOVES_A_COMMAND} moves")
    moves = iter(command.moves)
    make_moves(command.actor, draft, lambda _: next(moves, None))


def make_moves(actor: Actor, draft: Draft, choose: Choose) -> None:
    """Make the moves that `choose` chooses for built-in bots, until it chooses none or the command is full."""
    if actor.role != "system":
        raise WrongPerson("seat/not-yours", "only built-in bots make several moves at once")
    held = seats_held(actor, draft.match.life)
    if not held:
        raise WrongPerson("seat/not-yours", "no built-in bot plays in this match")
    for _ in range(MAX_MOVES_A_COMMAND):
        text = choose(draft.match)
        if text is None:
            break
        _make_move(draft, held, text)


def _parse_move(play: Play, text: str) -> Any:
    """The legal move that the text stands for. A refusal lists some legal moves."""
    ruleset, state = play.ruleset, play.state
    try:
        if len(text) > MAX_MOVE_LENGTH:
            raise BadNotation(f"{text[:20]}…", play.ply, say("at most {most} characters", most=MAX_MOVE_LENGTH))
        return ruleset.parse_move(state, text)
    except MoveError as error:
        some = zip(range(LEGAL_MOVES_IN_A_REFUSAL), ruleset.legal_moves(state), strict=False)
        error.details["legal"] = [ruleset.format_move(state, move) for _, move in some]
        raise


def _decide_roll(command: RecordRoll, life: Lifecycle, draft: Draft) -> None:
    if find_seat(command.actor, life) is None:
        require_recorder(command.actor, life)
    require_playing(life)
    turn = require_may_roll(command.actor, life, draft.play)
    draft.require_room()
    ruleset, state, thrown = draft.play.ruleset, draft.play.state, command.values
    values = ruleset.read_layout(state, thrown) if isinstance(thrown, Mapping) else thrown
    ruleset.apply_roll(state, values)
    draft.emit(DiceRolled(turn.sides, turn.count, turn.purpose, turn.seat, values))
    draft.settle()


def require_may_roll(actor: Actor, life: Lifecycle, play: Play) -> Roll:
    """The roll that is due, which the actor may record: the recorder any, a seat at a table its own."""
    require_unpaused(play)
    turn, seat = require_roll_to_record(life, play), find_seat(actor, life)
    if not is_recorder(actor, life) and (seat is None or turn.seat not in (None, seat)):
        raise WrongPerson("match/not-recorder", "this roll is not yours to record")
    return turn


def require_roll_to_record(life: Lifecycle, play: Play) -> Roll:
    """The roll that is due; Refusal if none is, or if the server rolls the dice of the match."""
    if not isinstance(life.created.dice, RecordedDice):
        raise WrongValue("roll/unwanted", "the server rolls the dice of this match, if it has any")
    if not isinstance(turn := play.turn, Roll):
        raise WrongTime("roll/not-due", "no roll is due", ply=play.ply)
    return turn


def _decide_take_back(command: TakeBack, life: Lifecycle, draft: Draft) -> None:
    play = draft.play
    require_may_take_back(command.actor, life, play)
    draft.require_room()
    if (command.ply is None) == (command.steps is None):
        raise WrongValue("take-back/how-far", "give either ply or steps")
    if command.steps is not None:
        if not 1 <= command.steps <= play.length:
            raise WrongValue("take-back/steps", f"steps is 1..{play.length}, not {command.steps}", ply=play.ply)
        draft.emit(StepsTakenBack(command.steps))
    elif command.ply is not None:
        if not 0 <= command.ply < play.ply:
            why = f"ply is 0..{play.ply - 1}, not {command.ply}" if play.ply else "no move is made yet: give steps"
            raise WrongValue("take-back/ply", why, ply=play.ply)
        draft.emit(MovesTakenBack(command.ply))


def require_may_take_back(actor: Actor, life: Lifecycle, play: Play) -> None:
    """Refusal unless the actor may take back the last step now.

    The recorder may during play, and after the end until the record is confirmed or verified, but never with server
    dice.
    """
    require_recorder(actor, life)
    if not life.awaits_confirmation:
        _require_unconfirmed(life)
        require_playing(life)
    if life.status == "playing":
        require_unpaused(play)
    if isinstance(life.created.dice, ServerDice):
        raise WrongValue("take-back/server-dice", "with server dice nothing is taken back: the next rolls are known")
    if play.length == 0:
        raise WrongTime("take-back/nothing", "there is nothing to take back")


def _require_unconfirmed(life: Lifecycle) -> None:
    if life.confirmed:
        raise WrongTime("match/confirmed", "the record is confirmed: it does not change any more")
    if life.created.recorder is not None and life.status not in ("open", "playing", "ended", "aborted"):
        raise WrongTime("match/over", f"the match is {life.status}: its record does not change any more")


def _decide_confirm(command: ConfirmRecord, life: Lifecycle, draft: Draft) -> None:
    require_may_confirm(command.actor, life)
    if draft.match.fault is not None:
        raise damaged(draft.match.fault)
    draft.emit(RecordConfirmed())


def require_may_confirm(actor: Actor, life: Lifecycle) -> None:
    """Refusal unless the actor records the match and it waits for the recorder's confirmation."""
    require_recorder(actor, life)
    if life.awaits_confirmation:
        return
    if life.status in ("open", "playing"):
        raise WrongTime("match/not-ended", f"the match is {life.status}", match_status=life.status)
    _require_unconfirmed(life)
    raise WrongTime("match/over", f"the match is {life.status}: it waits for no confirmation", match_status=life.status)


def _decide_withdraw(command: Withdraw, life: Lifecycle, draft: Draft) -> None:
    actor = actor_of(command, life)
    if actor is not command.actor and not is_recorder(actor, life):
        _require_own_leave(command, seats_held(actor, life))
    if withdraws_others(actor, life):
        if command.seat is None:
            raise WrongValue("seat/ambiguous", "name the seat that withdraws")
        seat = command.seat
    else:
        seat = require_own_seat(seats_held(actor, life), life, command.seat)
    require_seat(life, seat)
    if command.cause not in WITHDRAWAL_CAUSES:
        allowed = ", ".join(WITHDRAWAL_CAUSES)
        raise WrongValue("withdrawal/cause", f"cause is {command.cause!r}; allowed: {allowed}")
    if command.cause not in withdrawal_causes(actor, life):
        raise WrongPerson("withdrawal/cause", f"a {actor.role} cannot withdraw a seat for {command.cause!r}")
    _check_fault(command)
    _check_why(command, is_required=actor.role == "organiser" and not predates_judging(command, life))
    require_playing(life)
    if actor.role == "system":
        _require_time_over(command, seat, find_deadline(draft.match))
    draft.play.ruleset.withdraw(draft.play.state, seat)
    if leaving_aborts(draft.match):
        abort(draft, MatchAborted(command.cause, seat, command.why))
        return
    draft.emit(SeatWithdrawn(seat, command.cause, command.fault, command.why))
    draft.settle()


def _require_own_leave(command: Withdraw, held: Sequence[int]) -> None:
    """Refusal unless an organiser who sits in the match resigns a seat of their own."""
    if command.cause != "resigned" or command.seat not in (None, *held):
        raise refuse_own_match()


def withdraws_others(actor: Actor, life: Lifecycle) -> bool:
    """Whether the actor withdraws seats that it does not hold: the recorder, organisers and the system do."""
    return is_recorder(actor, life) or actor.role in ("organiser", "system")


def withdrawal_causes(actor: Actor, life: Lifecycle) -> tuple[str, ...]:
    """The causes for which the actor may withdraw a seat: the system only for time, a player only to resign."""
    if actor.role == "system":
        return ("time",)
    return WITHDRAWAL_CAUSES if withdraws_others(actor, life) else ("resigned",)


def _check_fault(command: Withdraw) -> None:
    if command.fault is None:
        return
    if command.cause != "resigned":
        raise WrongValue("withdrawal/fault", f"a fault goes with the cause 'resigned', not {command.cause!r}")
    if command.fault not in WITHDRAWAL_FAULTS:
        allowed = ", ".join(WITHDRAWAL_FAULTS)
        raise WrongValue("withdrawal/fault", f"fault is {command.fault!r}; allowed: {allowed}")


def _check_why(command: Withdraw, is_required: bool) -> None:
    if command.why is None:
        if is_required:
            raise WrongValue("withdrawal/why", "an organiser who withdraws a seat says why")
    elif not (1 <= len(command.why) <= MAX_CAUSE_LENGTH and is_printable(command.why)):
        raise WrongValue("withdrawal/why", f"why is a text of 1 to {MAX_CAUSE_LENGTH} printable characters")


def _require_time_over(command: Withdraw, seat: int, deadline: Deadline | None) -> None:
    if deadline is None or deadline.seat != seat or command.at < deadline.at:
        until = f", but seat {deadline.seat}'s lasts until {deadline.at}" if deadline else ""
        raise WrongTime("withdrawal/time", f"seat {seat}'s time is not over at {command.at}{until}", seat=seat)


def _decide_offer_draw(command: OfferDraw, life: Lifecycle, draft: Draft) -> None:
    seat = require_own_seat(seats_held(command.actor, life), life, command.seat)
    require_playing(life)
    _require_in_play(draft.play, seat)
    require_may_offer_draw(draft.match, draft.play, seat)
    draft.emit(DrawOffered(seat))


def _decide_declare(command: DeclareBuild, life: Lifecycle, draft: Draft) -> None:
    """By the account on the seat itself, while the match is played."""
    held = seats_held(command.actor, life) if command.actor.role == "player" else []
    seat = require_own_seat(held, life, command.seat)
    require_playing(life)
    if life.created.recorder is not None:
        raise WrongTime("build/recorded", "no program plays in a match that a recorder enters")
    check_build(command.build)
    require_new(command.build, life.seats[seat - 1].builds, f"seat {seat}")
    draft.require_room()
    draft.emit(BuildDeclared(seat, command.build))


def _require_in_play(play: Play, seat: int) -> None:
    if seat in play.left:
        raise WrongTime("seat/not-in-play", f"seat {seat} is not in play", seat=seat)


def require_may_offer_draw(match: Match, play: Play, seat: int) -> None:
    """WrongTime while an offer is open, until the next move of a seat that has offered, and before the match counts."""
    if leaving_aborts(match):
        raise WrongTime("draw/too-early", "a rated match has draws once it counts: until then you can leave")
    if play.offer is not None:
        raise WrongTime("draw/open", _explain_open_offer(play.offer, seat), seat=play.offer.agreed[0])
    if seat in play.offered:
        raise WrongTime("draw/offered", f"seat {seat} may offer again after its next move", seat=seat)


def _explain_open_offer(offer: DrawOffer, seat: int) -> str:
    """What an open offer means for a seat that wants to offer, or to answer again."""
    offerer = offer.agreed[0]
    if seat == offerer:
        return "your offer is open: the others have to answer it"
    if seat in offer.agreed:
        return f"you have agreed to seat {offerer}'s offer: the others have to answer it"
    return f"seat {offerer}'s offer is open: answer it"


def _decide_answer_draw(command: AnswerDraw, life: Lifecycle, draft: Draft) -> None:
    seat = require_own_seat(seats_held(command.actor, life), life, command.seat)
    require_playing(life)
    play = draft.play
    _require_in_play(play, seat)
    require_may_answer_draw(play, seat)
    draft.emit(DrawAgreed(seat) if command.accept else DrawDeclined(seat))
    offer, in_play = draft.play.offer, len(life.seats) - len(play.left)
    if offer is not None and len(offer.agreed) == in_play:
        draft.end(DRAW_AGREED, drawn_ranks(len(life.seats), play.left))


def require_may_answer_draw(play: Play, seat: int) -> None:
    """WrongTime without an open offer, and for a seat that made it or has agreed to it."""
    if play.offer is None:
        raise WrongTime("draw/none", "no draw is on offer")
    if seat in play.offer.agreed:
        raise WrongTime("draw/answered", _explain_open_offer(play.offer, seat), seat=seat)


def drawn_ranks(seats: int, left: Sequence[int]) -> tuple[int, ...]:
    """The ranks of an agreed draw: 1 for all seats in play, below them those that left, the last to leave first."""
    below = {seat: seats - place for place, seat in enumerate(left)}
    return tuple(below.get(seat, 1) for seat in range(1, seats + 1))


DECIDERS: Deciders = {
    MakeMove: _decide_move,
    PlayOn: _decide_play_on,
    RecordRoll: _decide_roll,
    TakeBack: _decide_take_back,
    ConfirmRecord: _decide_confirm,
    Withdraw: _decide_withdraw,
    DeclareBuild: _decide_declare,
    OfferDraw: _decide_offer_draw,
    AnswerDraw: _decide_answer_draw,
}
"""The deciders of this module, by command type."""
