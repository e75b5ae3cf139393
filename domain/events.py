"""The recorded facts of a match, their envelope, and their one canonical form.

An event's type word and fields are fixed for ever once released: older shapes are brought to the newest form here,
on reading, and nowhere else.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple, NoReturn, TypedDict, cast, get_type_hints

from plyscribe.domain.chain import StoredEvent, canonical_json, parse_json
from plyscribe.domain.errors import NotCanonical, UnknownEventShape, UnknownEventType

WITHDRAWAL_CAUSES = ("resigned", "time", "absent", "disqualified")

WITHDRAWAL_FAULTS = ("crashed", "silent", "illegal", "unreadable")
"""Why a program's seat is resigned that would have gone on: it died, gave no answer, only illegal moves, or nothing
that can be read.
"""


@dataclass(frozen=True, slots=True)
class Account:
    """The player with this account id: binds a seat only when its own token took it."""

    player: str


@dataclass(frozen=True, slots=True)
class Guest:
    """A person without an account, entered by a recorder under a name."""

    name: str


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A bot of the server, in one build: its moves follow from this, its seat and the position."""

    bot: str
    version: int
    seed: int
    playouts: int | None


Occupant = Account | Guest | BuiltIn


@dataclass(frozen=True, slots=True)
class ServerDice:
    """Dice that the server committed to before the match: SHA-256 of their secret, in hex."""

    mode: ClassVar[str] = "server"
    dice_id: str
    commitment: str
    key: str


@dataclass(frozen=True, slots=True)
class SharedDice(ServerDice):
    """Server dice that several matches have, those of this closed set: they are revealed when the last has ended."""

    mode: ClassVar[str] = "shared"
    matches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordedDice:
    """Dice thrown on a real table and written down by the recorder."""

    mode: ClassVar[str] = "recorded"


Dice = ServerDice | RecordedDice


class Limits(TypedDict):
    """The time for a move, and for all of a seat's moves: milliseconds, None for the one that is not limited."""

    move_ms: int | None
    match_ms: int | None


class Parent(TypedDict):
    """Where a fork begins: the match that it is a fork of, and the ply."""

    match: str
    ply: int


@dataclass(frozen=True, slots=True)
class MatchCreated:
    """The match is announced; its options are complete and its seats numbered in order."""

    type: ClassVar[str] = "match-created"
    ruleset: str
    ruleset_version: int
    options: dict[str, Any]
    seats: tuple[Occupant | None, ...]
    recorder: str | None
    dice: Dice | None
    rated: bool
    private: bool
    start: str
    limits: Limits | None
    about: dict[str, Any] | None
    parent: Parent | None
    rematch_of: str | None
    tournament: dict[str, Any] | None
    server: str


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """Someone sat down: an account by its own token, or a guest that the recorder entered."""

    type: ClassVar[str] = "seat-taken"
    seat: int
    player: Occupant


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """The seat is open to anyone."""

    type: ClassVar[str] = "seat-left"
    seat: int


@dataclass(frozen=True, slots=True)
class EntropyAdded:
    """The seat's salt for the server's dice."""

    type: ClassVar[str] = "entropy-added"
    seat: int
    entropy: str


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """From here on the ruleset says whose turn it is."""

    type: ClassVar[str] = "match-started"


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A legal move, in notation."""

    type: ClassVar[str] = "move-made"
    seat: int
    move: str


@dataclass(frozen=True, slots=True)
class DiceRolled:
    """What the awaited dice showed."""

    type: ClassVar[str] = "dice-rolled"
    sides: int
    count: int
    purpose: str
    seat: int | None
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MovesTakenBack:
    """The match stands as it did just before move `ply` + 1."""

    type: ClassVar[str] = "moves-taken-back"
    ply: int


@dataclass(frozen=True, slots=True)
class SeatWithdrawn:
    """A seat left the match, for one of WITHDRAWAL_CAUSES.

    `fault`, one of WITHDRAWAL_FAULTS, is what the seat's own side told of it; None otherwise.
    """

    type: ClassVar[str] = "seat-withdrawn"
    seat: int
    cause: str
    fault: str | None = None


LineStep = MoveMade | DiceRolled | SeatWithdrawn
"""What a line is made of: all that takes a match from one position to the next."""


@dataclass(frozen=True, slots=True)
class LineCopied:
    """A fork begins with this line, that of its parent up to a ply.

    `salts` are the entropies of the parent's seats where the parent's server dice go on, else None.
    """

    type: ClassVar[str] = "line-copied"
    steps: tuple[LineStep, ...]
    salts: tuple[str | None, ...] | None


@dataclass(frozen=True, slots=True)
class DrawOffered:
    """Open until every other seat in play agreed, one declined, or play went on."""

    type: ClassVar[str] = "draw-offered"
    seat: int


@dataclass(frozen=True, slots=True)
class DrawAgreed:
    """The seat agrees to the open offer."""

    type: ClassVar[str] = "draw-agreed"
    seat: int


@dataclass(frozen=True, slots=True)
class DrawDeclined:
    """The seat declined; the offer is closed."""

    type: ClassVar[str] = "draw-declined"
    seat: int


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The outcome: one rank a seat."""

    type: ClassVar[str] = "match-ended"
    reason: str
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DiceRevealed:
    """The secret behind the commitment, in hex: every roll can be computed again."""

    type: ClassVar[str] = "dice-revealed"
    secret: str


@dataclass(frozen=True, slots=True)
class MatchAborted:
    """The match has no outcome."""

    type: ClassVar[str] = "match-aborted"
    cause: str


@dataclass(frozen=True, slots=True)
class MatchVerified:
    """A second execution up to `version` agreed; `digest` is SHA-256 of the final view, in hex."""

    type: ClassVar[str] = "match-verified"
    version: int
    digest: str


@dataclass(frozen=True, slots=True)
class MatchRefuted:
    """A second execution disagreed first at event `version`."""

    type: ClassVar[str] = "match-refuted"
    version: int
    why: str


@dataclass(frozen=True, slots=True)
class MatchScored:
    """Points of each seat, and the place in the ratings ledger (None: unrated)."""

    type: ClassVar[str] = "match-scored"
    points: tuple[int, ...]
    ledger: int | None


@dataclass(frozen=True, slots=True)
class MatchAnnulled:
    """The match counts for nothing; its record stays."""

    type: ClassVar[str] = "match-annulled"
    why: str


EventData = (
    MatchCreated
    | LineCopied
    | SeatTaken
    | SeatLeft
    | EntropyAdded
    | MatchStarted
    | MoveMade
    | DiceRolled
    | MovesTakenBack
    | SeatWithdrawn
    | DrawOffered
    | DrawAgreed
    | DrawDeclined
    | MatchEnded
    | DiceRevealed
    | MatchAborted
    | MatchVerified
    | MatchRefuted
    | MatchScored
    | MatchAnnulled
)

EVENT_TYPES: dict[str, type[EventData]] = {kind.type: kind for kind in EventData.__args__}
"""Every event type of a match by its word."""


class Event(NamedTuple):
    """The envelope: `version` is the order, `at` (UTC milliseconds) informs, `cause` is the command's id in hex."""

    version: int
    at: int
    by: str
    cause: str
    data: EventData


# Nearly all events are moves and rolls. Plain text, numbers without a sign or leading zeros: what has this form is
# canonical.
_TEXT, _COUNT = r"[ !#-\[\]-~]*", r"(?:0|[1-9][0-9]{0,14})"
_PLAIN, _NUMBER = f"({_TEXT})", f"({_COUNT})"
_match_move = re.compile(
    rf'\{{"at":{_NUMBER},"by":"{_PLAIN}","cause":"{_PLAIN}","data":\{{"move":"{_PLAIN}","seat":{_NUMBER}\}},'
    rf'"type":"move-made","version":{_NUMBER}\}}'
).fullmatch

ROLL = re.compile(
    rf'\{{"at":{_NUMBER},"by":"{_TEXT}","cause":"{_TEXT}","data":\{{"count":{_COUNT},"purpose":"{_TEXT}",'
    rf'"seat":(?:null|{_COUNT}),"sides":{_COUNT},"values":\[({_COUNT}(?:,{_COUNT})*)\]\}},'
    rf'"type":"dice-rolled","version":{_NUMBER}\}}'
)
"""A stored roll; the parts are at, values, version."""


ReadMove = tuple[StoredEvent, re.Match[str]]
"""A stored move with its parts: at, by, cause, move, seat, version."""
ReadStep = tuple[StoredEvent, re.Match[str]]
"""A stored move, or a stored roll with the parts of ROLL."""


def read_move(stored: StoredEvent) -> re.Match[str] | None:
    """The parts of a stored move; None where it is another event, or where only a careful reading tells."""
    return _match_move(stored.e.decode("latin-1"))


def read_moves(entries: Sequence[StoredEvent], place: int) -> Iterator[ReadMove]:
    """The run of moves that begins at `place`, as far as read_move tells."""
    for number in range(place, len(entries)):
        stored = entries[number]
        found = _match_move(stored.e.decode("latin-1"))
        if not found:
            return
        yield stored, found


def read_steps(entries: Sequence[StoredEvent], place: int) -> Iterator[ReadStep]:
    """The run of moves and rolls that begins at `place`, as far as what has their form tells."""
    match_roll = ROLL.fullmatch
    for number in range(place, len(entries)):
        stored = entries[number]
        text = stored.e.decode("latin-1")
        found = _match_move(text) or match_roll(text)
        if not found:
            return
        yield stored, found


def format_event(event: Event) -> bytes:
    """The canonical bytes of an event, the ones that are stored and hashed; inverse of parse_event."""
    version, at, by, cause, data = event
    if type(data) is MoveMade:
        text = (
            f'{{"at":{at},"by":"{by}","cause":"{cause}","data":{{"move":"{data.move}","seat":{data.seat}}},'
            f'"type":"move-made","version":{version}}}'
        )
        if _match_move(text):
            return text.encode()
    return canonical_json(
        {"version": version, "type": data.type, "at": at, "by": by, "cause": cause, "data": dump_data(data)}
    )


def parse_event(stored: StoredEvent, types: dict[str, Any] = EVENT_TYPES) -> Event:
    """The event in its newest form, its data of one of `types`.

    NotCanonical, UnknownEventType or UnknownEventShape where it cannot be read.
    """
    found = read_move(stored) if types is EVENT_TYPES else None
    if found:
        at, by, cause, move, seat, version = found.groups()
        if int(version) == stored.version:
            return Event(stored.version, int(at), by, cause, MoveMade(int(seat), move))
    raw = parse_json(stored.e)
    if not isinstance(raw, dict):
        raise NotCanonical(f"event {stored.version} is no object")
    return Event(*parse_envelope(raw, stored.version), parse_data(types, raw))


def parse_envelope(raw: dict[str, Any], version: int) -> tuple[int, int, str, str]:
    """Version, at, by and cause of an envelope; UnknownEventShape when they are not what an envelope holds."""
    if raw.keys() != _ENVELOPE.keys() or any(type(raw[key]) is not kind for key, kind in _ENVELOPE.items()):
        raise UnknownEventShape(str(raw.get("type")), version, "not the fields of an envelope")
    if raw["version"] != version:
        raise UnknownEventShape(raw["type"], version, f"it calls itself version {raw['version']}")
    return raw["version"], raw["at"], raw["by"], raw["cause"]


_ENVELOPE = {"version": int, "type": str, "at": int, "by": str, "cause": str, "data": dict}


def parse_data(types: dict[str, Any], raw: dict[str, Any]) -> Any:
    """The data of an envelope as the dataclass that `types` names for its type word."""
    kind = types.get(raw["type"])
    if kind is None:
        raise UnknownEventType(raw["type"], raw["version"])
    shape, data = _shape_of(kind), raw["data"]
    if data.keys() != shape.keys():
        strange = sorted(data.keys() ^ shape.keys())
        raise UnknownEventShape(raw["type"], raw["version"], f"unknown or missing fields {', '.join(strange)}")
    try:
        return _build(kind, data)
    except ValueError as error:
        raise UnknownEventShape(raw["type"], raw["version"], str(error)) from None


def _build(kind: Any, data: dict[str, Any]) -> Any:
    return kind(**{name: parse(data[name]) for name, parse in _shape_of(kind).items()})


def _refuse(value: object, expected: str) -> NoReturn:
    raise ValueError(f"{value!r} is not {expected}")


def _exactly(kind: type) -> Callable[[Any], Any]:
    def parse(value: Any) -> Any:
        return value if type(value) is kind else _refuse(value, kind.__name__)

    return parse


def _optional(parse: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else parse(value)


def _each(parse: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: tuple(map(parse, value)) if type(value) is list else _refuse(value, "a list")


def _keyed(kind: Any) -> Callable[[Any], Any]:
    """What reads an object with the keys of a TypedDict, all of them."""
    hints = get_type_hints(kind)

    def parse(value: Any) -> Any:
        if type(value) is not dict or value.keys() != hints.keys():
            _refuse(value, f"an object of {', '.join(hints)}")
        return {name: _PARSERS[hint](value[name]) for name, hint in hints.items()}

    return parse


def _parse_limits(value: Any) -> Limits:
    limits: Limits = _keyed(Limits)(value)
    return limits if any(each is not None for each in limits.values()) else _refuse(value, "limits")


def parse_occupant(value: Any) -> Occupant:
    """`{"player": id}`, `{"name": name}` or a built-in bot; ValueError otherwise."""
    match value:
        case {"player": str(player)} if len(value) == 1:
            return Account(player)
        case {"name": str(name)} if len(value) == 1:
            return Guest(name)
        case {"bot": _} if value.keys() == _shape_of(BuiltIn).keys():
            return cast(BuiltIn, _build(BuiltIn, value))
    _refuse(value, "a player, a name or a bot")


def _parse_dice(value: Any) -> Dice:
    match value:
        case {"mode": "recorded"} if len(value) == 1:
            return RecordedDice()
        case {"mode": "server", "dice_id": str(dice_id), "commitment": str(commitment), "key": str(key)}:
            if len(value) == 4:
                return ServerDice(dice_id, commitment, key)
        case {"mode": "shared", "dice_id": str(dice_id), "commitment": str(commitment), "key": str(key)}:
            if value.keys() == {"mode", *_shape_of(SharedDice)}:
                return SharedDice(dice_id, commitment, key, _PARSERS[tuple[str, ...]](value["matches"]))
    _refuse(value, "dice of a known mode")


def _parse_step(value: Any) -> Any:
    for kind in LineStep.__args__:
        if type(value) is dict and value.keys() == _shape_of(kind).keys():
            return _build(kind, value)
    _refuse(value, "a move, a roll or a withdrawal")


def _parse_withdrawal(value: Any) -> Any:
    if type(value) is not dict or value.keys() != _shape_of(SeatWithdrawn).keys():
        _refuse(value, "a withdrawal")
    return _build(SeatWithdrawn, value)


_PARSERS: dict[Any, Callable[[Any], Any]] = {
    int: _exactly(int),
    str: _exactly(str),
    bool: _exactly(bool),
    int | None: _optional(_exactly(int)),
    str | None: _optional(_exactly(str)),
    dict[str, Any]: _exactly(dict),
    dict[str, Any] | None: _optional(_exactly(dict)),
    tuple[int, ...]: _each(_exactly(int)),
    tuple[str, ...]: _each(_exactly(str)),
    tuple[tuple[int, ...], ...]: _each(_each(_exactly(int))),
    tuple[tuple[str, ...], ...]: _each(_each(_exactly(str))),
    tuple[str | None, ...] | None: _optional(_each(_optional(_exactly(str)))),
    tuple[LineStep, ...]: _each(_parse_step),
    tuple[SeatWithdrawn, ...]: _each(_parse_withdrawal),
    Occupant: parse_occupant,
    tuple[Occupant | None, ...]: _each(_optional(parse_occupant)),
    Dice | None: _optional(_parse_dice),
    Limits | None: _optional(_parse_limits),
    Parent | None: _optional(_keyed(Parent)),
}

_shapes: dict[type, dict[str, Callable[[Any], Any]]] = {}


def _shape_of(kind: type) -> dict[str, Callable[[Any], Any]]:
    if kind not in _shapes:
        hints = get_type_hints(kind)
        _shapes[kind] = {field.name: _PARSERS[hints[field.name]] for field in fields(kind)}
    return _shapes[kind]


def dump_data(data: Any) -> dict[str, Any]:
    """The JSON-ready fields of an event's data, an occupant or dice; inverse of parse_data."""
    return {name: _dump_value(getattr(data, name)) for name in _shape_of(type(data))}


def _dump_value(value: Any) -> Any:
    match value:
        case Account() | Guest() | BuiltIn() | MoveMade() | DiceRolled() | SeatWithdrawn():
            return dump_data(value)
        case ServerDice() | RecordedDice():
            return {"mode": value.mode, **dump_data(value)}
        case tuple():
            return [_dump_value(item) for item in value]
    return value
