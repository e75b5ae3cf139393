"""The errors of the domain, each with a code that never changes.

    DomainError
    ├── RulesetError
    │   ├── UnknownRuleset      ruleset/unknown
    │   ├── OptionError         option/invalid
    │   ├── MoveError
    │   │   ├── BadNotation     move/bad-notation
    │   │   └── IllegalMove     move/illegal
    │   ├── RollError           roll/invalid
    │   └── NotInPlay           seat/not-in-play
    ├── Refusal                 a command that the match cannot accept now
    │   ├── WrongTime           the match is not in the state that the command needs
    │   ├── WrongPerson         the actor may not do this
    │   ├── WrongValue          what the command says cannot be
    │   └── Unknown             the command is about something that is not there
    ├── DiceKeyMissing          dice/key-missing
    ├── BundleError             bundle/unreadable
    ├── ReceiptError            receipt/unreadable
    ├── RecordError             record/invalid
    └── StreamError
        ├── NotCanonical        stream/not-canonical
        ├── BrokenChain         stream/broken-chain
        ├── UnknownEventType    stream/unknown-event-type
        ├── UnknownEventShape   stream/unknown-event-shape
        └── FoldError           stream/cannot-fold

Refusals carry their code as an argument: one class a kind of remedy, one code a cause.
"""

from reprlib import repr as shorten
from typing import Any


class DomainError(Exception):
    """Root of the tree: `code` is stable, `details` is JSON-ready, the text is for people."""

    code = "domain/error"

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.details = details


class RulesetError(DomainError):
    """Something that a ruleset cannot accept."""


class UnknownRuleset(RulesetError):
    """No ruleset is registered under this id and version."""

    code = "ruleset/unknown"

    def __init__(self, id: str, version: int | None = None) -> None:
        named = id if version is None else f"{id} version {version}"
        super().__init__(f"unknown ruleset {named!r}")


class OptionError(RulesetError):
    """An option, or the number of seats, lies outside of what the ruleset allows."""

    code = "option/invalid"

    def __init__(self, name: str, value: object, allowed: str) -> None:
        super().__init__(f"option {shorten(name)} is {shorten(value)}; allowed: {allowed}", allowed=allowed)
        self.name = name


class MoveError(RulesetError):
    """A text that is no legal move."""


class BadNotation(MoveError):
    """A text that does not match the ruleset's grammar or names what does not exist."""

    code = "move/bad-notation"

    def __init__(self, text: str, ply: int, expected: str) -> None:
        super().__init__(f"bad notation {text!r} at ply {ply}: expected {expected}", ply=ply)


class IllegalMove(MoveError):
    """A readable move that breaks the clause `clause`."""

    code = "move/illegal"

    def __init__(self, text: str, ply: int, clause: str, why: str) -> None:
        super().__init__(f"illegal move {text!r} at ply {ply}: {clause}, {why}", ply=ply, clause=clause)
        self.clause = clause


class RollError(RulesetError):
    """Values that the awaited dice cannot show, or a roll that nothing awaits."""

    code = "roll/invalid"


class NotInPlay(RulesetError):
    """A withdrawal of a seat that is not in play, or after the end."""

    code = "seat/not-in-play"

    def __init__(self, seat: int) -> None:
        super().__init__(f"seat {seat} is not in play", seat=seat)


class Refusal(DomainError):
    """A command refused; nothing was recorded."""

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message, **details)
        self.code = code


class WrongTime(Refusal):
    """The command would be fine at another time."""


class WrongPerson(Refusal):
    """The command would be fine from another actor."""


class WrongValue(Refusal):
    """The command can never be accepted as it is."""


class Unknown(Refusal):
    """What the command is about does not exist."""


class DiceKeyMissing(DomainError):
    """The secret behind a match's committed dice is not at hand."""

    code = "dice/key-missing"

    def __init__(self, key: str) -> None:
        super().__init__(f"the server key {key} that these dice were committed with is missing", key=key)


class BundleError(DomainError):
    """Bytes that are no bundle: `line` (from 1) is the first at fault, `why` says what is wrong there."""

    code = "bundle/unreadable"

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line} of the bundle: {why}", line=line)
        self.line = line
        self.why = why


class ReceiptError(DomainError):
    """Bytes that are no receipt."""

    code = "receipt/unreadable"

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line} is no receipt: {why}", line=line)


class RecordError(DomainError):
    """A text that is no record of a match, or one that its ruleset does not allow.

    `line` and `column` count from 1, `ply` is the number of moves before the fault, `clause` the one that a move
    breaks. `prefix` is the Record of all before the fault (of all steps where the result alone is wrong), None where
    the headers do not even begin a match.
    """

    code = "record/invalid"

    def __init__(self, why: str, line: int, column: int, ply: int, clause: str | None, prefix: Any) -> None:
        place: dict[str, Any] = {"line": line, "column": column, "ply": ply}
        super().__init__(
            f"line {line}, column {column}: {why}", **place, **({} if clause is None else {"clause": clause})
        )
        self.why = why
        self.line = line
        self.column = column
        self.ply = ply
        self.clause = clause
        self.prefix = prefix


class StreamError(DomainError):
    """Stored events that cannot be read as what they claim to be."""


class NotCanonical(StreamError):
    """A value or text that has no canonical JSON form (RFC 8785) within our limits."""

    code = "stream/not-canonical"


class BrokenChain(StreamError):
    """An event whose hash does not follow from its predecessor's."""

    code = "stream/broken-chain"

    def __init__(self, version: int) -> None:
        super().__init__(f"the hash of event {version} does not follow from the events before it", version=version)


class UnknownEventType(StreamError):
    """An event type that this release does not know."""

    code = "stream/unknown-event-type"

    def __init__(self, type: object, version: object) -> None:
        super().__init__(f"event {version} has the unknown type {type!r}", event_type=type, version=version)


class UnknownEventShape(StreamError):
    """An event of a known type whose fields this release cannot read."""

    code = "stream/unknown-event-shape"

    def __init__(self, type: str, version: object, why: str) -> None:
        what = f"event {version} of type {type!r} has an unknown shape: {why}"
        super().__init__(what, event_type=type, version=version)


class FoldError(StreamError):
    """An event that does not fit the events before it."""

    code = "stream/cannot-fold"

    def __init__(self, version: int, why: str) -> None:
        super().__init__(f"event {version} does not fit the events before it: {why}", version=version)
        self.version = version
