"""Decisions up to the start: matches are created, seats are taken and left, dice are salted."""

from typing import Any

from plyscribe.domain.bots import require_build
from plyscribe.domain.commands import Actor, AddEntropy, CreateMatch, LeaveSeat, StartMatch, TakeSeat
from plyscribe.domain.counting import PLAY
from plyscribe.domain.decide.who import (
    Deciders,
    is_creator,
    is_recorder,
    require_open,
    require_own_seat,
    require_recorder,
    require_seat,
    seats_sat_on,
    sign_actor,
)
from plyscribe.domain.draft import Draft
from plyscribe.domain.errors import FoldError, UnplayableLine, WrongPerson, WrongTime, WrongValue
from plyscribe.domain.events import (
    Account,
    BuiltIn,
    EntropyAdded,
    Guest,
    MatchCreated,
    MatchStarted,
    Occupant,
    RecordedDice,
    SealedSeeds,
    SeatLeft,
    SeatTaken,
    ServerDice,
    SharedDice,
)
from plyscribe.domain.limits import MAX_LAG_MS, parse_limits
from plyscribe.domain.line import measure_line
from plyscribe.domain.match import LINE, Lifecycle, Match, Seat
from plyscribe.domain.names import describe_names, is_name
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.domain.seeds import has_secret_seed

START_MODES = ("auto", "call")
MAX_ENTROPY_LENGTH = 64
MAX_LINE_BYTES = 120 * 1024
"""The longest line that a match begins with, as canonical JSON: some 4,500 moves, or 1,600 rolls.

Imports accept no longer events.
"""

MAX_SHARING = 64
"""How many matches may share dice."""

MAX_ABOUT = 16
MAX_ABOUT_LENGTH = 200
ABOUT_KEY = r"[a-z][a-z0-9_]{0,31}"


def decide_create(command: CreateMatch, match: Match) -> Draft:
    """The draft of a new match, which starts at once if nothing is missing."""
    if match.version:
        raise WrongTime("match/exists", f"the match {match.stream} was created before")
    draft = Draft(match, command, sign_actor(command.actor, command.recorder))
    draft.emit(_created(command, match.stream))
    if command.parent is not None or command.line is not None:
        _copy_line(command, draft)
    _start_if_ready(draft)
    return draft


def _copy_line(command: CreateMatch, draft: Draft) -> None:
    if command.line is None:
        raise FoldError(LINE, "a fork begins with a line of its parent")
    length = measure_line(command.line)
    if length > MAX_LINE_BYTES:
        raise WrongValue(
            "fork/too-long", f"the line takes {length} bytes, and a match begins with {MAX_LINE_BYTES} at most"
        )
    draft.emit(command.line)
    if draft.match.fault:
        error = draft.match.fault.error
        # A fold of the parent believes its rolls, this one requires that they are due.
        raise UnplayableLine(error) if isinstance(error, FoldError) else error
    if isinstance(draft.play.turn, Over):
        raise WrongTime("fork/over", f"the match is over after move {draft.play.ply}: nothing is left to play")


def _created(command: CreateMatch, stream: str) -> MatchCreated:
    ruleset = find_ruleset(command.ruleset, command.ruleset_version)
    options = ruleset.parse_options(command.options)
    ruleset.initial_state(options, len(command.seats))
    if command.recorder is None and any(isinstance(who, Guest) for who in command.seats):
        raise WrongValue("seat/needs-recorder", "a seat for a guest needs a recorder, who enters its moves")
    # These names were stored before, perhaps by a release that allowed more.
    if not (command.again or command.tournament or command.rematch_of):
        for who in command.seats:
            _require_name(who)
    if command.recorder not in (None, command.actor.id) and command.actor.role != "organiser":
        raise WrongPerson("match/recorder", "only the creator of a match can record it")
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
        raise WrongValue("limits/recorded", "a recorded match has no limits: the table keeps its own clock")
    _require_bots_welcome(command)
    seeds = _sealed_seeds(command)
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
        limits=None if command.limits is None else parse_limits(command.limits, len(command.seats)),
        about=command.about,
        parent=command.parent,
        rematch_of=command.rematch_of,
        bots=seeds,
        tournament=command.tournament,
        server=command.server,
        counts_from=PLAY if command.rated and command.counts_from is not None else None,
        lag_ms=_find_quota(command),
    )


def _find_quota(command: CreateMatch) -> int | None:
    if command.limits is None or command.lag_ms is None:
        return None
    if not 0 <= command.lag_ms <= MAX_LAG_MS:
        raise WrongValue("limits/range", f"lag_ms must be 0..{MAX_LAG_MS} milliseconds")
    return command.lag_ms


def _require_bots_welcome(command: CreateMatch) -> None:
    bots = [who for who in command.seats if isinstance(who, BuiltIn)]
    for bot in bots:
        require_build(bot)
    if bots and command.recorder is not None:
        raise WrongValue("bot/recorded", "a recorded match has no built-in bots: its recorder enters all moves")
    if bots and command.rated:
        raise WrongValue("rated/seats", "a rated match has no built-in bots: every seat is played by its own account")


def _sealed_seeds(command: CreateMatch) -> SealedSeeds | None:
    """The commitment to the seeds of the bots; None if each bot has a seed in the open."""
    if not any(map(has_secret_seed, command.seats)):
        return None
    if command.bots is None:
        raise WrongValue("bot/seed", "a bot needs a seed: one that is given, or one that the match commits to")
    return command.bots


def _share(command: CreateMatch, dice: SharedDice, has_chance: bool, stream: str) -> ServerDice:
    """The dice of a match that asks for shared ones. A fork gets the same dice, but shares them with nobody."""
    if not has_chance:
        raise WrongValue("dice/shared", "there are no dice to share: nothing in this game is left to chance")
    if command.parent is not None:
        return ServerDice(dice.dice_id, dice.commitment, dice.key)
    if command.line is not None:
        raise WrongValue("dice/shared", "matches that share dice begin at the beginning: leave out the steps")
    if command.rated:
        raise WrongValue("rated/shared-dice", "a rated match shares no dice: its verdict would wait for other matches")
    matches = set(dice.matches)
    if stream not in matches or len(matches) < len(dice.matches) or not 2 <= len(matches) <= MAX_SHARING:
        raise WrongValue("dice/shared", f"2 to {MAX_SHARING} matches share dice, and this one must be among them")
    return dice


def _require_ratable(command: CreateMatch, ruleset: AnyRuleset, options: dict[str, Any]) -> None:
    if command.recorder is not None:
        raise WrongValue("rated/recorded", "a rated match is not recorded: every seat is played by its own account")
    if command.parent is not None:
        raise WrongValue("rated/fork", "a fork is not rated: others played its beginning")
    if command.line is not None:
        raise WrongValue("rated/fork", "a match that begins with steps is not rated: nobody played them")
    if command.private:
        raise WrongValue("rated/private", "a rated match is public: its outcome shows in the ratings")
    accounts = [who for who in command.seats if who is not None]
    if len(command.seats) < 2 or len(set(accounts)) < len(accounts):
        raise WrongValue("rated/seats", "a rated match needs at least two accounts, each on one seat")
    if command.limits is not None and command.limits.get("seats"):
        raise WrongValue("rated/odds", "in a rated match all seats have the same limits")
    if not is_ratable(ruleset, options):
        allowed = ", ".join(["the defaults", *ruleset.presets])
        raise WrongValue("rated/options", f"a rated match has standard options: {allowed}")


def is_ratable(ruleset: AnyRuleset, options: dict[str, Any]) -> bool:
    """Whether these complete options may be rated: they are the defaults or one of the ruleset's presets."""
    return any(options == ruleset.parse_options(dict(named)) for named in ({}, *ruleset.presets.values()))


def _start_if_ready(draft: Draft) -> None:
    if starts_by_itself(draft.match.life):
        _start(draft)


def starts_by_itself(life: Lifecycle) -> bool:
    """Whether an open match starts now without a command: `start` is "auto", all are seated, no entropy is missing."""
    return life.created.start == "auto" and all(seat.seated for seat in life.seats) and not _entropy_missing(life)


def _entropy_missing(life: Lifecycle) -> bool:
    # Nobody salts the dice of tournament matches: no player can delay the start, and replayed games get the same dice.
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
            raise WrongValue("tournament/openings", f"nobody decides at move {play.ply + 1} of the opening")
        draft.make_move(turn.seat, move, play.ruleset.parse_move(play.state, move))
        draft.settle()


def _decide_take_seat(command: TakeSeat, life: Lifecycle, draft: Draft) -> None:
    occupant = require_may_take_seat(command.actor, life, command.seat, command.guest)
    if not command.again:
        _require_name(occupant)
    draft.require_room()
    draft.emit(SeatTaken(command.seat, occupant))
    if command.entropy is not None:
        draft.emit(_entropy_added(draft.match.life, command.seat, command.entropy))
    _start_if_ready(draft)


def require_may_take_seat(actor: Actor, life: Lifecycle, number: int, guest: Guest | None = None) -> Account | Guest:
    """The occupant that the actor may put on the seat now: its own account, or the guest that a recorder seats."""
    require_open(life)
    seat = require_seat(life, number)
    occupant = guest or Account(actor.id)
    if guest is not None and not is_recorder(actor, life):
        raise WrongPerson("seat/needs-recorder", "only the recorder of the match seats guests")
    if actor.role not in ("player", "recorder"):
        raise WrongPerson("seat/not-yours", f"a {actor.role} takes no seat")
    if seat.seated and seat.occupant == occupant and guest is None:
        raise WrongTime("seat/taken", f"seat {number} is yours already", seat=number)
    if life.created.rated and seats_sat_on(actor, life):
        raise WrongPerson("rated/second-seat", "in a rated match nobody plays two seats", seat=number)
    if seat.seated:
        raise WrongTime("seat/taken", f"seat {number} is taken", seat=number)
    if seat.occupant not in (None, occupant):
        raise WrongPerson("seat/reserved", f"seat {number} is reserved for another player", seat=number)
    return occupant


def _require_name(who: Occupant | None) -> None:
    if isinstance(who, Guest) and not is_name(who.name):
        raise WrongValue("seat/guest-name", f"the name of a guest must have {describe_names()}")


def _decide_leave_seat(command: LeaveSeat, life: Lifecycle, draft: Draft) -> None:
    require_may_leave_seat(command.actor, life, command.seat)
    draft.emit(SeatLeft(command.seat))


def require_may_leave_seat(actor: Actor, life: Lifecycle, number: int) -> Seat:
    """The seat, which the actor may open to anyone: its occupant, seated or invited, and the creator may."""
    require_open(life)
    seat = require_seat(life, number)
    if not (is_creator(actor, life) or seat.occupant == Account(actor.id)):
        raise WrongPerson("seat/not-yours", f"seat {number} is not yours", seat=number)
    if seat.occupant is None:
        raise WrongTime("seat/empty", f"seat {number} is open already", seat=number)
    return seat


def _decide_add_entropy(command: AddEntropy, life: Lifecycle, draft: Draft) -> None:
    require_open(life)
    _require_seated(command.actor, life, command.seat)
    # A recorder holds all seats, but salts only for those it sits on.
    number = require_own_seat(seats_sat_on(command.actor, life), life, command.seat)
    draft.emit(_entropy_added(life, number, command.entropy))
    _start_if_ready(draft)


def _require_seated(actor: Actor, life: Lifecycle, number: int | None) -> None:
    """WrongTime for a player who is invited to the seat but has not taken it. `number` is None for any seat."""
    invited = [each for each, seat in enumerate(life.seats, 1) if seat.occupant == Account(actor.id)]
    sat_on = seats_sat_on(actor, life)
    wanted = [each for each in invited if each not in sat_on and number in (None, each)]
    if wanted and (number is not None or not sat_on):
        raise WrongTime("seat/not-taken", f"take seat {wanted[0]} first: it is reserved for you", seats=wanted)


def _entropy_added(life: Lifecycle, seat: int, entropy: str) -> EntropyAdded:
    require_unsalted(life, seat)
    if not (1 <= len(entropy) <= MAX_ENTROPY_LENGTH and entropy.isascii() and entropy.isprintable()):
        raise WrongValue("entropy/invalid", f"entropy is 1 to {MAX_ENTROPY_LENGTH} printable ASCII characters")
    return EntropyAdded(seat, entropy)


def require_unsalted(life: Lifecycle, seat: int) -> None:
    """Refusal unless the match has dice that its seats salt, and this seat has not done so."""
    if not life.takes_entropy:
        why = "it has none, shares them with others, or took them over from its parent"
        raise WrongValue("entropy/unwanted", f"this match has no server dice to salt: {why}")
    if life.seats[seat - 1].entropy is not None:
        raise WrongTime("entropy/given", f"seat {seat} has added its entropy already", seat=seat)


def _decide_start(command: StartMatch, life: Lifecycle, draft: Draft) -> None:
    require_may_start(command.actor, life)
    _start(draft)


def require_may_start(actor: Actor, life: Lifecycle) -> None:
    """Refusal unless the match is open, all are seated, and the actor is its creator, recorder or organiser."""
    require_open(life)
    if not (is_creator(actor, life) or is_recorder(actor, life) or actor.role == "organiser"):
        raise WrongPerson("match/not-yours", "only the creator, the recorder or an organiser starts the match")
    free = [number for number, seat in enumerate(life.seats, 1) if not seat.seated]
    if free:
        raise WrongTime("seat/not-taken", f"not taken yet: seats {', '.join(map(str, free))}", seats=free)


def require_may_ask_rematch(actor: Actor, life: Lifecycle) -> None:
    """Refusal unless the match has an outcome and the actor may ask for its rematch.

    Its creator and its players may; only the recorder may if the match was recorded.
    """
    if life.outcome is None:
        raise WrongTime("match/not-ended", f"the match is {life.status}", match_status=life.status)
    if life.created.recorder is not None:
        require_recorder(actor, life)
    is_player = actor.role in ("player", "recorder") and any(seat.occupant == Account(actor.id) for seat in life.seats)
    if not (is_player or is_creator(actor, life)):
        raise WrongPerson("seat/not-yours", "you had no seat in this match")


DECIDERS: Deciders = {
    TakeSeat: _decide_take_seat,
    LeaveSeat: _decide_leave_seat,
    AddEntropy: _decide_add_entropy,
    StartMatch: _decide_start,
}
"""The deciders of this module, by command type."""
