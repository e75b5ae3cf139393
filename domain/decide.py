"""Deciding: what events a command on a match leads to, or why to none.

One command is one append. After whatever a command does, with server dice all rolls then due follow, and where the
ruleset is over the end of the match and the reveal of its dice.
"""

from collections.abc import Callable, Sequence
from typing import Any

from domain.chain import canonical_json
from domain.clock import Deadline, find_deadline, parse_limits
from domain.commands import (
    AbortMatch,
    Actor,
    AddEntropy,
    AnnulMatch,
    AnswerDraw,
    Command,
    CreateMatch,
    LeaveSeat,
    MakeMove,
    OfferDraw,
    RecordRoll,
    RecordVerdict,
    RevealDice,
    ScoreMatch,
    StartMatch,
    TakeBack,
    TakeSeat,
    Withdraw,
)
from domain.draft import Draft
from domain.errors import (
    BadNotation,
    FoldError,
    MoveError,
    Unknown,
    UnknownEventShape,
    UnknownEventType,
    WrongPerson,
    WrongTime,
    WrongValue,
)
from domain.events import (
    WITHDRAWAL_CAUSES,
    Account,
    DiceRolled,
    DrawAgreed,
    DrawDeclined,
    DrawOffered,
    EntropyAdded,
    Event,
    Guest,
    MatchAborted,
    MatchAnnulled,
    MatchCreated,
    MatchRefuted,
    MatchScored,
    MatchStarted,
    MovesTakenBack,
    RecordedDice,
    SeatLeft,
    SeatTaken,
    SeatWithdrawn,
    ServerDice,
    SharedDice,
    dump_data,
)
from domain.match import LINE, Lifecycle, Match, Play, Seat, damaged
from domain.ruleset import AnyRuleset, Decision, Over, Roll
from domain.rulesets import find_ruleset

START_MODES = ("auto", "call")
MAX_MOVE_LENGTH = 256
MAX_ENTROPY_LENGTH = 64
MAX_LINE_BYTES = 120 * 1024
"""How long the line of a fork is as canonical JSON: some 4,500 moves, or 1,600 rolls. Imports take no longer events."""

MAX_CAUSE_LENGTH = 200
MAX_SHARING = 64
"""Matches that have the same dice, at most."""

LEGAL_MOVES_IN_A_REFUSAL = 20


def decide(command: Command, match: Match) -> list[Event]:
    """The events that the command leads to, at least one, in the order in which they are appended together.

    Refusal and MoveError say why there are none; DiceKeyMissing when dice are due and the command's secret is not
    the one that was committed to.
    """
    return draft_decision(command, match).events


def draft_decision(command: Command, match: Match) -> Draft:
    """As `decide`, with the match as it will stand after the events."""
    if isinstance(command, CreateMatch):
        return _decide_create(command, match)
    if match.version == 0:
        raise Unknown("match/unknown", f"there is no match {match.stream}")
    if match.fault and isinstance(match.fault.error, UnknownEventType | UnknownEventShape):
        # Not even the lifecycle is known: a newer release has written here.
        raise damaged(match.fault)
    if isinstance(command, RecordVerdict):
        return _decide_verdict(command, match)
    draft = Draft(match, command, _sign(command.actor, match.life.created.recorder))
    _DECIDERS[type(command)](command, match.life, draft)
    return draft


def _sign(actor: Actor, recorder: str | None) -> Actor:
    """The actor as events name it: the recorder of a match acts as its recorder."""
    return actor._replace(role="recorder") if actor.id == recorder and actor.role == "player" else actor


def _is_recorder(actor: Actor, life: Lifecycle) -> bool:
    return actor.id == life.created.recorder and actor.role in ("player", "recorder")


def _is_creator(actor: Actor, life: Lifecycle) -> bool:
    return actor.role in ("player", "recorder", "organiser") and actor.id == life.creator


def _seats_sat_on(actor: Actor, life: Lifecycle) -> list[int]:
    return [
        number
        for number, seat in enumerate(life.seats, 1)
        if seat.seated and isinstance(seat.occupant, Account) and seat.occupant.player == actor.id
    ]


def _seats_held(actor: Actor, life: Lifecycle) -> list[int]:
    """The seats that the actor speaks for: a player its own, the recorder all."""
    if _is_recorder(actor, life):
        return list(range(1, len(life.seats) + 1))
    return _seats_sat_on(actor, life) if actor.role == "player" else []


def require_open(life: Lifecycle) -> None:
    """WrongTime once seats are settled."""
    if life.status != "open":
        raise WrongTime("match/not-open", f"the match is {life.status}: seats are settled", match_status=life.status)


def require_revealed(life: Lifecycle) -> None:
    """WrongTime while the dice of a match that is over are secret for the sake of others."""
    if life.awaits_reveal:
        raise WrongTime("dice/secret", "the dice are secret until all matches that have them are over")


def _require_playing(life: Lifecycle) -> None:
    if life.status == "open":
        raise WrongTime("match/not-started", "the match has not started", match_status=life.status)
    if life.status != "playing":
        raise WrongTime("match/over", f"the match is {life.status}", match_status=life.status)


def require_seat(life: Lifecycle, number: int) -> Seat:
    """The seat of this number; Unknown where there is none."""
    if not 1 <= number <= len(life.seats):
        raise Unknown("seat/unknown", f"the match has seats 1..{len(life.seats)}, not {number}", seat=number)
    return life.seats[number - 1]


def _require_own_seat(held: list[int], life: Lifecycle, seat: int | None) -> int:
    """The seat that the actor means of those it holds: the one named, or its only one."""
    if seat is not None:
        require_seat(life, seat)
        if seat not in held:
            raise WrongPerson("seat/not-yours", f"seat {seat} is not yours", seat=seat)
        return seat
    if not held:
        raise WrongPerson("seat/not-yours", "you hold no seat in this match")
    if len(held) > 1:
        raise WrongValue("seat/ambiguous", f"name one of your seats {', '.join(map(str, held))}", seats=held)
    return held[0]


def _decide_create(command: CreateMatch, match: Match) -> Draft:
    if match.version:
        raise WrongTime("match/exists", f"the match {match.stream} was created before")
    draft = Draft(match, command, _sign(command.actor, command.recorder))
    draft.emit(_created(command, match.stream))
    if command.parent is not None or command.line is not None:
        _copy_line(command, draft)
    _start_if_ready(draft)
    return draft


def _copy_line(command: CreateMatch, draft: Draft) -> None:
    if command.parent is None or command.line is None:
        raise FoldError(LINE, "a fork, and no other match, begins with a line of its parent")
    length = len(canonical_json(dump_data(command.line)))
    if length > MAX_LINE_BYTES:
        raise WrongValue("fork/too-long", f"the line takes {length} bytes, and a fork copies {MAX_LINE_BYTES} at most")
    draft.emit(command.line)
    if draft.match.fault:
        raise draft.match.fault.error
    if isinstance(draft.play.turn, Over):
        raise WrongTime("fork/over", f"at ply {draft.play.ply} the match is over: nothing is left to play")


def _created(command: CreateMatch, stream: str) -> MatchCreated:
    ruleset = find_ruleset(command.ruleset, command.ruleset_version)
    options = ruleset.parse_options(command.options)
    ruleset.initial_state(options, len(command.seats))
    if command.recorder is None and any(isinstance(who, Guest) for who in command.seats):
        raise WrongValue("seat/needs-recorder", "a seat for a guest needs a recorder, who enters its moves")
    if command.recorder not in (None, command.actor.id) and command.actor.role != "organiser":
        raise WrongPerson("match/recorder", "a match is recorded by who creates it")
    if command.start not in START_MODES:
        raise WrongValue("match/start-mode", f"start is {command.start!r}; allowed: {', '.join(START_MODES)}")
    dice = command.dice if ruleset.has_chance(options) else None
    if ruleset.has_chance(options) and dice is None:
        raise WrongValue("dice/needed", f"{ruleset.id} needs dice: server or recorded")
    if isinstance(command.dice, SharedDice):
        dice = _share(command, command.dice, dice is not None, stream)
    if isinstance(dice, RecordedDice) and command.recorder is None:
        raise WrongValue("dice/needs-recorder", "recorded dice need a recorder, who enters them")
    if command.limits is not None and command.recorder is not None:
        raise WrongValue("limits/recorded", "a recorded match has the clock of its table, not ours")
    if command.rated:
        _require_ratable(command, ruleset, options)
    return MatchCreated(
        ruleset=ruleset.id,
        ruleset_version=ruleset.version,
        options=options,
        seats=command.seats,
        recorder=command.recorder,
        dice=dice,
        rated=command.rated,
        private=command.private,
        start=command.start,
        limits=None if command.limits is None else parse_limits(command.limits),
        about=command.about,
        parent=command.parent,
        rematch_of=command.rematch_of,
        tournament=command.tournament,
        server=command.server,
    )


def _share(command: CreateMatch, dice: SharedDice, has_chance: bool, stream: str) -> ServerDice:
    """The dice of a match that is created with shared ones: a fork of one that shared them has them for itself."""
    if not has_chance:
        raise WrongValue("dice/shared", "there are no dice to share: the game has no chance in it")
    if command.parent is not None:
        return ServerDice(dice.dice_id, dice.commitment, dice.key)
    if command.rated:
        raise WrongValue("rated/shared-dice", "a rated match shares no dice: its verdict would wait for other matches")
    matches = set(dice.matches)
    if stream not in matches or len(matches) < len(dice.matches) or not 2 <= len(matches) <= MAX_SHARING:
        raise WrongValue("dice/shared", f"2 to {MAX_SHARING} matches have the same dice, this one among them")
    return dice


def _require_ratable(command: CreateMatch, ruleset: AnyRuleset, options: dict[str, Any]) -> None:
    if command.recorder is not None:
        raise WrongValue("rated/recorded", "in a rated match every seat is played by its own account: none is recorded")
    if command.parent is not None:
        raise WrongValue("rated/fork", "a fork is not rated, for it begins with what others have played")
    if command.private:
        raise WrongValue("rated/private", "a rated match is public, for its outcome stands in the ratings")
    accounts = [who for who in command.seats if who is not None]
    if len(command.seats) < 2 or len(set(accounts)) < len(accounts):
        raise WrongValue("rated/seats", "a rated match is played by two accounts at least, each on one seat")
    if not is_ratable(ruleset, options):
        allowed = ", ".join(["the defaults", *ruleset.presets])
        raise WrongValue("rated/options", f"a rated match has options that all can compare: {allowed}")


def is_ratable(ruleset: AnyRuleset, options: dict[str, Any]) -> bool:
    """Whether matches with these complete options may be rated: the defaults may, and the ruleset's presets."""
    return any(options == ruleset.parse_options(dict(named)) for named in ({}, *ruleset.presets.values()))


def _start_if_ready(draft: Draft) -> None:
    life = draft.match.life
    if life.created.start == "auto" and all(seat.seated for seat in life.seats) and not _entropy_missing(life):
        _start(draft)


def _entropy_missing(life: Lifecycle) -> bool:
    return life.takes_entropy and any(
        isinstance(seat.occupant, Account) and seat.entropy is None for seat in life.seats
    )


def _start(draft: Draft) -> None:
    draft.emit(MatchStarted())
    draft.settle()


def _decide_take_seat(command: TakeSeat, life: Lifecycle, draft: Draft) -> None:
    require_open(life)
    seat = require_seat(life, command.seat)
    occupant = command.guest or Account(command.actor.id)
    if command.guest is not None and not _is_recorder(command.actor, life):
        raise WrongPerson("seat/needs-recorder", "only the recorder of the match seats guests")
    if command.actor.role not in ("player", "recorder"):
        raise WrongPerson("seat/not-yours", f"a {command.actor.role} takes no seat")
    if life.created.rated and _seats_sat_on(command.actor, life):
        raise WrongPerson("rated/second-seat", "in a rated match nobody plays two seats", seat=command.seat)
    if seat.seated:
        raise WrongTime("seat/taken", f"seat {command.seat} is taken", seat=command.seat)
    if seat.occupant not in (None, occupant):
        raise WrongPerson("seat/reserved", f"seat {command.seat} is reserved for another player", seat=command.seat)
    draft.emit(SeatTaken(command.seat, occupant))
    if command.entropy is not None:
        draft.emit(_entropy_added(draft.match.life, command.seat, command.entropy))
    _start_if_ready(draft)


def _decide_leave_seat(command: LeaveSeat, life: Lifecycle, draft: Draft) -> None:
    require_open(life)
    seat = require_seat(life, command.seat)
    if not (_is_creator(command.actor, life) or seat.occupant == Account(command.actor.id)):
        raise WrongPerson("seat/not-yours", f"seat {command.seat} is not yours", seat=command.seat)
    if seat.occupant is None:
        raise WrongTime("seat/empty", f"seat {command.seat} is open already", seat=command.seat)
    draft.emit(SeatLeft(command.seat))


def _decide_add_entropy(command: AddEntropy, life: Lifecycle, draft: Draft) -> None:
    require_open(life)
    # A recorder salts for itself alone.
    number = _require_own_seat(_seats_sat_on(command.actor, life), life, command.seat)
    draft.emit(_entropy_added(life, number, command.entropy))
    _start_if_ready(draft)


def _entropy_added(life: Lifecycle, seat: int, entropy: str) -> EntropyAdded:
    if not life.takes_entropy:
        why = "it has none, others have the same, or they are its parent's, salted already"
        raise WrongValue("entropy/unwanted", f"this match has no server dice to salt: {why}")
    if life.seats[seat - 1].entropy is not None:
        raise WrongTime("entropy/given", f"seat {seat} has added its entropy already", seat=seat)
    if not (1 <= len(entropy) <= MAX_ENTROPY_LENGTH and entropy.isascii() and entropy.isprintable()):
        raise WrongValue("entropy/invalid", f"entropy is 1 to {MAX_ENTROPY_LENGTH} printable ASCII characters")
    return EntropyAdded(seat, entropy)


def _decide_start(command: StartMatch, life: Lifecycle, draft: Draft) -> None:
    require_open(life)
    actor = command.actor
    if not (_is_creator(actor, life) or _is_recorder(actor, life) or actor.role == "organiser"):
        raise WrongPerson("match/not-yours", "only the creator, the recorder or the organiser starts it")
    free = [number for number, seat in enumerate(life.seats, 1) if not seat.seated]
    if free:
        raise WrongTime("seat/not-taken", f"not taken yet: seats {', '.join(map(str, free))}", seats=free)
    _start(draft)


def _decide_move(command: MakeMove, life: Lifecycle, draft: Draft) -> None:
    # Who may move hangs on actor, seat and lifecycle alone: verification asks it once for each of these.
    held = _seats_held(command.actor, life)
    if not held:
        raise WrongPerson("seat/not-yours", "you hold no seat in this match")
    if command.seat is not None:
        _require_own_seat(held, life, command.seat)
    _require_playing(life)
    play = draft.play
    turn = play.turn
    if isinstance(turn, Roll):
        raise WrongTime("move/roll-due", f"a roll is due first: {turn.purpose}", ply=play.ply)
    if not isinstance(turn, Decision):
        # The match has ended, and who holds this state has not read that event yet.
        raise WrongTime("match/over", "the match is over", match_status="ended")
    if turn.seat not in held or command.seat not in (None, turn.seat):
        raise WrongTime("move/not-your-turn", f"it is seat {turn.seat}'s turn", ply=play.ply, seat=turn.seat)
    draft.make_move(turn.seat, command.move, _parse_move(play, command.move))
    draft.settle()


def _parse_move(play: Play, text: str) -> Any:
    """The legal move that the text spells; a refusal lists some legal ones."""
    ruleset, state = play.ruleset, play.state
    try:
        if len(text) > MAX_MOVE_LENGTH:
            raise BadNotation(f"{text[:20]}…", play.ply, f"at most {MAX_MOVE_LENGTH} characters")
        return ruleset.parse_move(state, text)
    except MoveError as error:
        some = zip(range(LEGAL_MOVES_IN_A_REFUSAL), ruleset.legal_moves(state), strict=False)
        error.details["legal"] = [ruleset.format_move(state, move) for _, move in some]
        raise


def _decide_roll(command: RecordRoll, life: Lifecycle, draft: Draft) -> None:
    _require_recorder(command, life)
    _require_playing(life)
    turn = draft.play.turn
    if not isinstance(life.created.dice, RecordedDice):
        raise WrongValue("roll/unwanted", "the server rolls the dice of this match, if it has any")
    if not isinstance(turn, Roll):
        raise WrongTime("roll/not-due", "no roll is due", ply=draft.play.ply)
    draft.play.ruleset.apply_roll(draft.play.state, command.values)
    draft.emit(DiceRolled(turn.sides, turn.count, turn.purpose, turn.seat, command.values))
    draft.settle()


def _require_recorder(command: Command, life: Lifecycle) -> None:
    if not _is_recorder(command.actor, life):
        raise WrongPerson("match/not-recorder", "only the recorder of the match may do this")


def _decide_take_back(command: TakeBack, life: Lifecycle, draft: Draft) -> None:
    _require_recorder(command, life)
    _require_playing(life)
    if isinstance(life.created.dice, ServerDice):
        raise WrongValue("take-back/server-dice", "with server dice no move is taken back: the next rolls are known")
    if draft.play.ply == 0:
        raise WrongTime("take-back/nothing", "there is no move to take back")
    if not 0 <= command.ply < draft.play.ply:
        raise WrongValue("take-back/ply", f"ply is 0..{draft.play.ply - 1}, not {command.ply}", ply=draft.play.ply)
    draft.emit(MovesTakenBack(command.ply))


def _decide_withdraw(command: Withdraw, life: Lifecycle, draft: Draft) -> None:
    actor = command.actor
    trusted = _is_recorder(actor, life) or actor.role in ("organiser", "system")
    if trusted and command.seat is None:
        raise WrongValue("seat/ambiguous", "name the seat that withdraws")
    seat = command.seat if trusted else _require_own_seat(_seats_held(actor, life), life, command.seat)
    assert seat is not None
    require_seat(life, seat)
    if command.cause not in WITHDRAWAL_CAUSES:
        allowed = ", ".join(WITHDRAWAL_CAUSES)
        raise WrongValue("withdrawal/cause", f"cause is {command.cause!r}; allowed: {allowed}")
    if (actor.role == "system" and command.cause != "time") or (not trusted and command.cause != "resigned"):
        raise WrongPerson("withdrawal/cause", f"a {actor.role} cannot withdraw a seat for {command.cause!r}")
    _require_playing(life)
    if actor.role == "system":
        _require_time_over(command, seat, find_deadline(draft.match))
    draft.play.ruleset.withdraw(draft.play.state, seat)
    draft.emit(SeatWithdrawn(seat, command.cause))
    draft.settle()


def _require_time_over(command: Withdraw, seat: int, deadline: Deadline | None) -> None:
    if deadline is None or deadline.seat != seat or command.at < deadline.at:
        until = f", but seat {deadline.seat}'s until {deadline.at}" if deadline else ""
        raise WrongTime("withdrawal/time", f"seat {seat}'s time is not over at {command.at}{until}", seat=seat)


def _decide_offer_draw(command: OfferDraw, life: Lifecycle, draft: Draft) -> None:
    seat = _require_own_seat(_seats_held(command.actor, life), life, command.seat)
    _require_playing(life)
    _require_in_play(draft.play, seat)
    if draft.play.offer is not None:
        raise WrongTime("draw/open", f"seat {draft.play.offer.agreed[0]}'s offer is open: answer it")
    if seat in draft.play.offered:
        raise WrongTime("draw/offered", f"seat {seat} may offer again after its next move", seat=seat)
    draft.emit(DrawOffered(seat))


def _require_in_play(play: Play, seat: int) -> None:
    if seat in play.left:
        raise WrongTime("seat/not-in-play", f"seat {seat} is not in play", seat=seat)


def _decide_answer_draw(command: AnswerDraw, life: Lifecycle, draft: Draft) -> None:
    seat = _require_own_seat(_seats_held(command.actor, life), life, command.seat)
    _require_playing(life)
    play = draft.play
    _require_in_play(play, seat)
    if play.offer is None:
        raise WrongTime("draw/none", "no draw is on offer")
    if seat in play.offer.agreed:
        raise WrongTime("draw/answered", f"seat {seat} has agreed already", seat=seat)
    draft.emit(DrawAgreed(seat) if command.accept else DrawDeclined(seat))
    offer, in_play = draft.play.offer, len(life.seats) - len(play.left)
    if offer is not None and len(offer.agreed) == in_play:
        draft.end("draw-agreed", drawn_ranks(len(life.seats), play.left))


def drawn_ranks(seats: int, left: Sequence[int]) -> tuple[int, ...]:
    """All seats in play share rank 1; those that left stand below, the one that left last first."""
    below = {seat: seats - place for place, seat in enumerate(left)}
    return tuple(below.get(seat, 1) for seat in range(1, seats + 1))


def _decide_abort(command: AbortMatch, life: Lifecycle, draft: Draft) -> None:
    if life.status not in ("open", "playing"):
        raise WrongTime("match/over", f"the match is {life.status}", match_status=life.status)
    if not 1 <= len(command.cause) <= MAX_CAUSE_LENGTH:
        raise WrongValue("match/abort-cause", f"the cause is a text of 1 to {MAX_CAUSE_LENGTH} characters")
    if life.status == "open" and not _is_creator(command.actor, life):
        raise WrongPerson("match/not-yours", "only the creator aborts a match that has not started")
    if life.status == "playing":
        _require_may_abort(command.actor, life, draft.match.play)
    draft.emit(MatchAborted(command.cause))
    draft.reveal_own()


def _require_may_abort(actor: Actor, life: Lifecycle, play: Play | None) -> None:
    if _is_recorder(actor, life) or actor.role in ("organiser", "system"):
        return
    held = _seats_held(actor, life)
    if not held:
        raise WrongPerson("seat/not-yours", "you hold no seat in this match")
    if play is None or any(step.seat in held and not step.is_copied for step in play.steps):
        raise WrongTime("match/under-way", "after your first move the match is resigned, not aborted")


def _require_system(actor: Actor) -> None:
    if actor.role != "system":
        raise WrongPerson("match/not-yours", f"a {actor.role} cannot do this")


def _decide_reveal(command: RevealDice, life: Lifecycle, draft: Draft) -> None:
    _require_system(command.actor)
    dice = life.created.dice
    if not isinstance(dice, SharedDice):
        raise WrongValue("dice/shared", "this match shares no dice: its own are revealed at its end")
    if life.status in ("open", "playing"):
        raise WrongTime("match/not-ended", f"the match is {life.status}", match_status=life.status)
    if life.secret is not None:
        raise WrongTime("dice/revealed", "the dice are revealed")
    draft.reveal(dice)


def _decide_verdict(command: RecordVerdict, match: Match) -> Draft:
    _require_system(command.actor)
    status = match.life.status if match.lifecycle else "open"
    # That it ended cannot be told where the event that says so is at fault.
    set_aside = match.fault is not None and isinstance(command.verdict, MatchRefuted)
    if status not in ("ended", "refuted") and not (set_aside and status in ("open", "playing")):
        raise WrongTime("match/not-ended", f"the match is {status}", match_status=status)
    if match.lifecycle:
        require_revealed(match.lifecycle)
    draft = Draft(match, command, command.actor)
    draft.emit(command.verdict)
    return draft


def _decide_score(command: ScoreMatch, life: Lifecycle, draft: Draft) -> None:
    _require_system(command.actor)
    if life.status != "verified":
        raise WrongTime("match/not-verified", f"the match is {life.status}", match_status=life.status)
    if (command.ledger is not None) != life.created.rated:
        raise WrongValue("rated/ledger", "a rated match, and no other, is scored with its place in the ledger")
    assert life.outcome is not None  # a verified match has ended
    draft.emit(MatchScored(points_of(life.outcome.ranks), command.ledger))


def points_of(ranks: Sequence[int]) -> tuple[int, ...]:
    """The points of each seat: two for every seat placed worse, one for every other seat that shares its rank.

    >>> points_of((1, 3, 1))
    (3, 0, 3)
    """
    return tuple(sum(2 * (other > mine) + (other == mine) for other in ranks) - 1 for mine in ranks)


def _decide_annul(command: AnnulMatch, life: Lifecycle, draft: Draft) -> None:
    if command.actor.role != "organiser":
        raise WrongPerson("match/not-yours", "only an organiser or an administrator annuls a match")
    if life.status not in ("ended", "verified", "refuted", "scored"):
        raise WrongTime("match/not-ended", f"the match is {life.status}", match_status=life.status)
    if not 1 <= len(command.why) <= MAX_CAUSE_LENGTH:
        raise WrongValue("match/annul-why", f"the reason is a text of 1 to {MAX_CAUSE_LENGTH} characters")
    draft.emit(MatchAnnulled(command.why))


_DECIDERS: dict[type[Command], Callable[[Any, Lifecycle, Draft], None]] = {
    TakeSeat: _decide_take_seat,
    LeaveSeat: _decide_leave_seat,
    AddEntropy: _decide_add_entropy,
    StartMatch: _decide_start,
    MakeMove: _decide_move,
    RecordRoll: _decide_roll,
    TakeBack: _decide_take_back,
    Withdraw: _decide_withdraw,
    OfferDraw: _decide_offer_draw,
    AnswerDraw: _decide_answer_draw,
    AbortMatch: _decide_abort,
    RevealDice: _decide_reveal,
    ScoreMatch: _decide_score,
    AnnulMatch: _decide_annul,
}
