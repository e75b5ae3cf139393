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
    ├── Refusal                 a command that cannot be carried out
    │   ├── WrongTime           not in the present state
    │   ├── WrongPerson         not for this actor
    │   ├── WrongValue          not with these values
    │   └── Unknown             its object does not exist
    ├── KeyMissing
    │   ├── DiceKeyMissing      dice/key-missing
    │   └── SeedsKeyMissing     bot/key-missing
    ├── BundleError             bundle/unreadable
    ├── ReceiptError            receipt/unreadable
    ├── RecordError             record/invalid
    └── StreamError
        ├── NotCanonical        stream/not-canonical
        ├── BrokenChain         stream/broken-chain
        ├── UnknownEventType    stream/unknown-event-type
        ├── UnknownEventShape   stream/unknown-event-shape
        └── FoldError           stream/cannot-fold
            └── UnplayableLine  match/damaged

A Refusal gets its code as an argument: its class says what the client can do about it, its code names the cause.
"""

from reprlib import repr as shorten
from typing import Any, Self

from plyscribe.domain.phrases import Phrase, say


class DomainError(Exception):
    """The root of the tree. `code` is stable, `details` is JSON-ready, and the text is for people."""

    code = "domain/error"

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.details = details


class RulesetError(DomainError):
    """The rules of a game do not allow this."""


class UnknownRuleset(RulesetError):
    """No ruleset is registered under this id and version."""

    code = "ruleset/unknown"

    def __init__(self, id: str, version: int | None = None) -> None:
        named = id if version is None else f"{id} version {version}"
        super().__init__(f"unknown ruleset {named!r}")


class OptionError(RulesetError):
    """The ruleset does not allow this value of an option, or this number of seats.

    `phrase` is the message, for those who translate it.
    """

    code = "option/invalid"

    def __init__(self, name: str, value: object, allowed: Phrase | str) -> None:
        self.phrase = say(
            "option {option} is {value}; allowed: {allowed}",
            option=shorten(name),
            value=shorten(value),
            allowed=allowed,
        )
        super().__init__(str(self.phrase), option=name[:64], allowed=str(allowed))
        self.name = name


class MoveError(RulesetError):
    """The text is not a legal move. `phrase` is the message, for those who translate it."""

    def __init__(self, phrase: Phrase, **details: Any) -> None:
        super().__init__(str(phrase), **details)
        self.phrase = phrase


class BadNotation(MoveError):
    """The text does not match the ruleset's grammar, or names something that does not exist."""

    code = "move/bad-notation"

    def __init__(self, text: str, ply: int, expected: Phrase | str) -> None:
        read = say(
            "bad notation {text} at move {number}: expected {expected}",
            text=repr(text),
            number=ply + 1,
            expected=expected,
        )
        super().__init__(read, ply=ply)


class IllegalMove(MoveError):
    """The move is well-formed but breaks the rule `clause`. `why` says how, and what is legal instead."""

    code = "move/illegal"

    def __init__(self, text: str, ply: int, clause: str, why: Phrase | str) -> None:
        broken = say(
            "illegal move {text} at move {number}: {clause}, {why}",
            text=repr(text),
            number=ply + 1,
            clause=clause,
            why=why,
        )
        super().__init__(broken, ply=ply, clause=clause)
        self.clause = clause


class RollError(RulesetError):
    """The dice cannot show these values, or no roll is due. `phrase` is the message, for those who translate it."""

    code = "roll/invalid"

    def __init__(self, phrase: Phrase, **details: Any) -> None:
        super().__init__(str(phrase), **details)
        self.phrase = phrase


class NotInPlay(RulesetError):
    """The seat cannot withdraw: it is not in play, or the match is over."""

    code = "seat/not-in-play"

    def __init__(self, seat: int) -> None:
        super().__init__(f"seat {seat} is not in play", seat=seat)


class Refusal(DomainError):
    """The command was refused and nothing was recorded."""

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message, **details)
        self.code = code


class WrongTime(Refusal):
    """The command is refused now, but was or will be allowed at another time."""


class WrongPerson(Refusal):
    """The command is refused from this actor, but another one may give it."""


class WrongValue(Refusal):
    """The command is refused with these values, at any time and from anyone."""


class Unknown(Refusal):
    """The object of the command does not exist."""


class KeyMissing(DomainError):
    """The secret behind a commitment of a match is missing."""

    committed = "the secret"

    def __init__(self, key: str) -> None:
        super().__init__(f"the server key {key}, which {self.committed} were committed with, is missing", key=key)


class DiceKeyMissing(KeyMissing):
    """The secret behind a match's committed dice is missing."""

    code = "dice/key-missing"
    committed = "these dice"


class SeedsKeyMissing(KeyMissing):
    """The secret behind the committed seeds of a match's bots is missing."""

    code = "bot/key-missing"
    committed = "the seeds of these bots"


class WebhookKeyMissing(KeyMissing):
    """The secret of a webhook cannot be made again."""

    code = "webhook/key-missing"
    committed = "the secret of this webhook was made with"

    def __init__(self, key: str) -> None:
        DomainError.__init__(self, f"the server key {key}, which {self.committed}, is missing", key=key)


class BundleError(DomainError):
    """The bytes are not a bundle. `line` (from 1) is the first line at fault; `why` says what is wrong there."""

    code = "bundle/unreadable"

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line} of the bundle: {why}", line=line)
        self.line = line
        self.why = why


class ReceiptError(DomainError):
    """The bytes are not a receipt."""

    code = "receipt/unreadable"

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line} is not a receipt: {why}", line=line)


class RecordError(DomainError):
    """The text is not a record of a match, or its ruleset does not allow that match.

    `line` and `column` count from 1. `ply` is the number of moves before the fault. `clause` is the rule that a move
    breaks, if one does. `prefix` is the Record of everything before the fault, or of all steps if only the result is
    wrong; it is None when even the headers are at fault.
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
    """Stored events cannot be read."""

    def in_stream(self, stream: str) -> Self:
        """The same error with a message that names the stream."""
        self.args = (f"{stream} cannot be read: {self}",)
        return self


class NotCanonical(StreamError):
    """A value or text has no canonical JSON form (RFC 8785) within our limits."""

    code = "stream/not-canonical"


class BrokenChain(StreamError):
    """The hash of an event does not follow from the hash before it."""

    code = "stream/broken-chain"

    def __init__(self, version: int) -> None:
        super().__init__(f"the hash of event {version} does not follow from the events before it", version=version)


class UnknownEventType(StreamError):
    """An event has a type that this release does not know."""

    code = "stream/unknown-event-type"

    def __init__(self, type: object, version: object) -> None:
        super().__init__(f"event {version} has the unknown type {type!r}", event_type=type, version=version)


class UnknownEventShape(StreamError):
    """An event of a known type has fields that this release cannot read."""

    code = "stream/unknown-event-shape"

    def __init__(self, type: str, version: object, why: str) -> None:
        what = f"event {version} of type {type!r} has an unknown shape: {why}"
        super().__init__(what, event_type=type, version=version)


class FoldError(StreamError):
    """An event does not fit the events before it."""

    code = "stream/cannot-fold"

    def __init__(self, version: int, why: str) -> None:
        super().__init__(f"event {version} does not fit the events before it: {why}", version=version)
        self.version = version
        self.why = why


class UnplayableLine(FoldError):
    """The line of moves and rolls that a fork begins with cannot be played: the forked match is damaged."""

    code = "match/damaged"

    def __init__(self, error: FoldError) -> None:
        super().__init__(error.version, error.why)
