"""Turning a match into its record, and a record into the commands that enter it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile

from plyscribe.domain.chain import StoredEvent, canonical_json
from plyscribe.domain.commands import Actor, AnswerDraw, Command, CreateMatch, MakeMove, OfferDraw, RecordRoll, Withdraw
from plyscribe.domain.decide.opening import MAX_ABOUT, MAX_ABOUT_LENGTH
from plyscribe.domain.errors import DomainError
from plyscribe.domain.events import (
    DRAW_AGREED,
    Account,
    Build,
    BuiltIn,
    DiceRolled,
    Guest,
    MatchCreated,
    MatchEnded,
    MoveMade,
    Occupant,
    RecordedDice,
    SeatWithdrawn,
)
from plyscribe.domain.line import TracedStep, trace_line
from plyscribe.domain.match import Match, damaged
from plyscribe.domain.record.remarks import TIME_CONTROL, list_remarks
from plyscribe.domain.record.values import UNKNOWN_NAME, AgreedDraw, Line, Record, Step
from plyscribe.domain.time_control import format_time_control


def record_of(match: Match, entries: Iterable[StoredEvent], names: Mapping[str, str]) -> Record:
    """The record of a match: all steps of its surviving line, including those copied by a fork, and the outcome.

    With limits it has their notation in its header, and the time of each move in a comment. Pauses are comments, too.

    `entries` are all events of the match. `names` maps the accounts on its seats to names, which no match contains; an
    account without a name appears by its id. A damaged match yields its part before the fault. Refusal if not even its
    start can be played, FoldError if its first event cannot be read.
    """
    created, play = match.life.created, match.play
    if play is None:
        assert match.fault is not None  # a created match without a fault has a play
        raise damaged(match.fault)
    last = match.fault.version - 1 if match.fault else match.version
    sound = list(takewhile(lambda entry: entry.version <= last, entries))
    traced = [each for each in trace_line(sound) if _is_step(each)]
    options = play.ruleset.parse_options(created.options)
    line = _follow(Line(play.ruleset, options, len(match.life.seats)), map(_read_step, traced))
    remarks = list_remarks(match, traced, sound)
    return Record(
        play.ruleset.id,
        play.ruleset.version,
        options,
        tuple(_name(seat.occupant, names) for seat in match.life.seats),
        _list_headers(match),
        tuple(line.steps),
        tuple(each for each in remarks if each.after <= len(line.steps)),
        line.outcome,
    )


def _list_headers(match: Match) -> dict[str, str]:
    """The time control, the match's own headers, and the builds that play on its seats as far as there is room."""
    builds = {f"build_{number}": seat.builds for number, seat in enumerate(match.life.seats, 1) if seat.builds}
    told = {name: _spell(value) for name, value in (match.life.created.about or {}).items() if name not in builds}
    room = max(0, MAX_ABOUT - len(told))
    told |= {name: _describe_builds(each) for name, each in islice(builds.items(), room)}
    return _name_time_control(match.life.created) | told


def _name_time_control(created: MatchCreated) -> dict[str, str]:
    """The header with the time control; none if the match has none, or if it is too long for a header."""
    written = "" if created.limits is None else format_time_control(created.limits)
    return {TIME_CONTROL: written} if 1 <= len(written) <= MAX_ABOUT_LENGTH else {}


def _describe_builds(builds: Sequence[Build]) -> str:
    """The last build, and how many others there were before."""
    others = len(builds) - 1
    return f"{builds[-1]}{f', after {others} other' if others else ''}{'s' if others > 1 else ''}"


def _is_step(traced: TracedStep) -> bool:
    """Whether this is a step of a record: of the ends, only an agreed draw is one."""
    end = traced.step
    is_draw = isinstance(end, MatchEnded) and end.reason == DRAW_AGREED
    return is_draw or isinstance(end, MoveMade | DiceRolled | SeatWithdrawn)


def _read_step(traced: TracedStep) -> Step:
    step = traced.step
    return step if isinstance(step, MoveMade | DiceRolled | SeatWithdrawn) else AgreedDraw()


def _follow(line: Line, steps: Iterable[Step]) -> Line:
    """The line after the steps, up to the first one that the rules refuse."""
    try:
        for step in steps:
            line.follow(step)
    except DomainError:
        # No command leads to this step: the match was refuted, or will be.
        pass
    return line


def _name(occupant: Occupant | None, names: Mapping[str, str]) -> str:
    match occupant:
        case Account(player):
            return names.get(player) or player
        case Guest(name) if name:
            return name
        case BuiltIn(bot):
            return f"{bot} bot"
    return UNKNOWN_NAME


def _spell(value: object) -> str:
    return value if isinstance(value, str) else canonical_json(value).decode()


def commands_of(record: Record, recorder: Actor, at: int) -> Iterator[Command]:
    """The commands with which a recorder enters the match, to be decided one after another.

    The first is CreateMatch with a guest on each seat and recorded dice, so that the match starts at once. Then comes
    one MakeMove, RecordRoll or Withdraw a step. In an agreed draw, the first seat in play offers and the others accept.
    All commands have the same time and no id; add ids and fields such as `private` with `dataclasses.replace`. The
    `record_of` the resulting match is the record without its comments.
    """
    yield CreateMatch(
        actor=recorder,
        at=at,
        ruleset=record.ruleset,
        ruleset_version=record.ruleset_version,
        options=record.options,
        seats=tuple(map(Guest, record.seats)),
        recorder=recorder.id,
        dice=RecordedDice(),
        about=record.about or None,
    )
    in_play = list(range(1, len(record.seats) + 1))
    for step in record.steps:
        match step:
            case MoveMade(seat, move):
                yield MakeMove(actor=recorder, at=at, seat=seat, move=move)
            case DiceRolled(values=values):
                yield RecordRoll(actor=recorder, at=at, values=values)
            case SeatWithdrawn(seat, cause):
                in_play.remove(seat)
                yield Withdraw(actor=recorder, at=at, seat=seat, cause=cause)
            case AgreedDraw():
                yield OfferDraw(actor=recorder, at=at, seat=in_play[0])
                for seat in in_play[1:]:
                    yield AnswerDraw(actor=recorder, at=at, seat=seat, accept=True)
