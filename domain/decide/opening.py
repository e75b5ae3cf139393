"""Deciding until the start: a match is created, its seats are taken and left, its dice salted."""

from typing import Any

from plyscribe.domain.bots import require_build
from plyscribe.domain.chain import canonical_json
from plyscribe.domain.clock import parse_limits
from plyscribe.domain.codec import dump_data
from plyscribe.domain.commands import AddEntropy, CreateMatch, LeaveSeat, StartMatch, TakeSeat
from plyscribe.domain.decide.who import (
    Deciders,
    is_creator,
    is_recorder,
    require_open,
    require_own_seat,
    require_seat,
    seats_sat_on,
    sign_actor,
)
from plyscribe.domain.draft import Draft
from plyscribe.domain.errors import FoldError, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import (
    Account,
    BuiltIn,
    EntropyAdded,
    Guest,
    MatchCreated,
    MatchStarted,
    RecordedDice,
    SeatLeft,
    SeatTaken,
    ServerDice,
    SharedDice,
)
from plyscribe.domain.match import LINE, Lifecycle, Match
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over
from plyscribe.domain.rulesets import find_ruleset

START_MODES = ("auto", "call")
MAX_ENTROPY_LENGTH = 64
MAX_LINE_BYTES = 120 * 1024
"""How long the line of a fork is as canonical JSON: some 4,500 moves, or 1,600 rolls. Imports take no longer events."""

MAX_SHARING = 64
"""Matches that have the same dice, at most."""


def decide_create(command: CreateMatch, match: Match) -> Draft:
    """The draft of a new match, which starts at once where nothing is missing."""
    if match.version:
        raise WrongTime("match/exists", f"the match {match.stream} was created before")
    draft = Draft(match, command, sign_actor(command.actor, command.recorder))
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
    _require_bots_welcome(command)
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


def _require_bots_welcome(command: CreateMatch) -> None:
    bots = [who for who in command.seats if isinstance(who, BuiltIn)]
    for bot in bots:
        require_build(bot)
    if bots and command.recorder is not None:
        raise WrongValue("bot/recorded", "a recorded match has no built-in bots: its recorder enters all moves")
    if bots and command.rated:
        raise WrongValue("rated/seats", "a rated match has no built-in bots: each seat is played by its own account")


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
    # Nobody salts the dice of a tournament's matches, so that nobody keeps others waiting and it goes alike again.
    return (
        life.created.tournament is None
        and life.takes_entropy
        and any(isinstance(seat.occupant, Account) and seat.entropy is None for seat in life.seats)
    )


def _start(draft: Draft) -> None:
    draft.emit(MatchStarted())
    draft.settle()
    tournament = draft.match.life.created.tournament
    for move in (tournament or {}).get("opening", ()):
        turn, play = draft.play.turn, draft.play
        if not isinstance(turn, Decision):
            raise WrongValue("tournament/openings", f"nobody decides at ply {play.ply} of the opening")
        draft.make_move(turn.seat, move, play.ruleset.parse_move(play.state, move))
        draft.settle()


def _decide_take_seat(command: TakeSeat, life: Lifecycle, draft: Draft) -> None:
    require_open(life)
    seat = require_seat(life, command.seat)
    occupant = command.guest or Account(command.actor.id)
    if command.guest is not None and not is_recorder(command.actor, life):
        raise WrongPerson("seat/needs-recorder", "only the recorder of the match seats guests")
    if command.actor.role not in ("player", "recorder"):
        raise WrongPerson("seat/not-yours", f"a {command.actor.role} takes no seat")
    if life.created.rated and seats_sat_on(command.actor, life):
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
    if not (is_creator(command.actor, life) or seat.occupant == Account(command.actor.id)):
        raise WrongPerson("seat/not-yours", f"seat {command.seat} is not yours", seat=command.seat)
    if seat.occupant is None:
        raise WrongTime("seat/empty", f"seat {command.seat} is open already", seat=command.seat)
    draft.emit(SeatLeft(command.seat))


def _decide_add_entropy(command: AddEntropy, life: Lifecycle, draft: Draft) -> None:
    require_open(life)
    # A recorder salts for itself alone.
    number = require_own_seat(seats_sat_on(command.actor, life), life, command.seat)
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
    if not (is_creator(actor, life) or is_recorder(actor, life) or actor.role == "organiser"):
        raise WrongPerson("match/not-yours", "only the creator, the recorder or the organiser starts it")
    free = [number for number, seat in enumerate(life.seats, 1) if not seat.seated]
    if free:
        raise WrongTime("seat/not-taken", f"not taken yet: seats {', '.join(map(str, free))}", seats=free)
    _start(draft)


DECIDERS: Deciders = {
    TakeSeat: _decide_take_seat,
    LeaveSeat: _decide_leave_seat,
    AddEntropy: _decide_add_entropy,
    StartMatch: _decide_start,
}
"""What is decided here, by command."""
