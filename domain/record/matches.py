"""From a match to its record, and from a record to the commands that make a match of it."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile

from plyscribe.domain.chain import StoredEvent, canonical_json
from plyscribe.domain.commands import Actor, AnswerDraw, Command, CreateMatch, MakeMove, OfferDraw, RecordRoll, Withdraw
from plyscribe.domain.errors import DomainError
from plyscribe.domain.events import (
    Account,
    BuiltIn,
    DiceRolled,
    Guest,
    MatchEnded,
    MoveMade,
    Occupant,
    RecordedDice,
    SeatWithdrawn,
)
from plyscribe.domain.line import trace_line
from plyscribe.domain.match import Match, damaged
from plyscribe.domain.record.values import DRAW_AGREED, UNKNOWN_NAME, AgreedDraw, Line, Record, Step


def record_of(match: Match, entries: Iterable[StoredEvent], names: Mapping[str, str]) -> Record:
    """The record of a match: all steps of its surviving line, those before a fork too, and the outcome they lead to.

    `entries` are the events that the match was folded from, all of them. `names` are those of the accounts on its
    seats by id, which stand in no stream of a match; an account that is not among them goes by its id. Of a match with
    a fault it is the good prefix. Refusal where not even its beginning can be played, FoldError where nothing is known.
    """
    created, play = match.life.created, match.play
    if play is None:
        assert match.fault is not None  # a created match without a fault has a play
        raise damaged(match.fault)
    last = match.fault.version - 1 if match.fault else match.version
    sound = takewhile(lambda entry: entry.version <= last, entries)
    options = play.ruleset.parse_options(created.options)
    line = _follow(Line(play.ruleset, options, len(match.life.seats)), _list_steps(sound))
    return Record(
        play.ruleset.id,
        play.ruleset.version,
        options,
        tuple(_name(seat.occupant, names) for seat in match.life.seats),
        {name: _spell(value) for name, value in (created.about or {}).items()},
        tuple(line.steps),
        outcome=line.outcome,
    )


def _list_steps(entries: Iterable[StoredEvent]) -> Iterator[Step]:
    """The steps of the surviving line; an agreed draw is a step of its own."""
    for traced in trace_line(entries):
        match traced.step:
            case MoveMade() | DiceRolled() | SeatWithdrawn() as step:
                yield step
            case MatchEnded(reason) if reason == DRAW_AGREED:
                yield AgreedDraw()


def _follow(line: Line, steps: Iterable[Step]) -> Line:
    """The line after the steps, up to the first that the rules refuse."""
    try:
        for step in steps:
            line.follow(step)
    except DomainError:
        # The events claim what no command leads to: the match will be refuted, or was.
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
    """The commands by which a recorder enters the match, each after the one before was decided.

    First CreateMatch, with a guest on each seat and recorded dice, so that the match starts with it; then MakeMove,
    RecordRoll and Withdraw, one a step; of an agreed draw the offer of the first seat in play and the consent of all
    others. All are at the same time and without an id: `dataclasses.replace` gives them what they need beside, such as
    `private` or the ply to end with. The `record_of` what they make is the record without its comments.
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
