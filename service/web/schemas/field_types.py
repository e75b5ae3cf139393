"""The kinds of fields, and the fields that several schemas share."""

import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from marshmallow import RAISE, Schema, ValidationError, fields, validate

from plyscribe.domain.chain import MAX_INTEGER
from plyscribe.domain.names import MAX_NAME_LENGTH, UNPRINTABLE, is_printable

MAX_SEATS = 16

PRINTABLE = f"[^{UNPRINTABLE}]+"
"""What is_printable accepts, as the contract says it."""

TRIMMED_PRINTABLE = f"(?! )[^{UNPRINTABLE}]*[^ {UNPRINTABLE}]"
"""The same without spaces at the ends."""


class Strict(Schema):
    """A schema that refuses unknown fields."""

    alternatives: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """The sets of fields of which an object has exactly one, if there are several. The first of each is required."""

    class Meta:
        """Marshmallow's settings."""

        unknown = RAISE


class Boolean(fields.Boolean):
    """True or false; refuses everything that merely looks like one of them."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if value is not True and value is not False:
            raise self.make_error("invalid", input=value)
        return value


def _printable(text: str) -> None:
    if not is_printable(text):
        raise ValidationError("Only printable characters are allowed.")


def _trimmed(text: str) -> None:
    if text != text.strip():
        raise ValidationError("Spaces at the start or the end are not allowed.")


class QueryInteger(fields.Integer):
    """An integer in a query; only ASCII digits are accepted."""

    def _validated(self, value: Any) -> Any:
        if not (isinstance(value, str) and value.isascii() and value.isdigit()):
            raise self.make_error("invalid", input=value)
        return super()._validated(value)


class QueryTime(QueryInteger):
    """A time in UTC milliseconds. A number of ten digits is a time in seconds, and refused."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        metadata = {
            "description": f"{description}, in UTC milliseconds.",
            "not": {"minimum": _SECONDS.start, "maximum": _SECONDS.stop - 1},
        }
        super().__init__(validate=validate.Range(0, MAX_INTEGER), metadata=metadata, **kwargs)

    def _validated(self, value: Any) -> Any:
        time = super()._validated(value)
        if time in _SECONDS:
            raise ValidationError(f"This is a time in seconds. In milliseconds it is {time}000.")
        return time


_SECONDS = range(10**9, 10**10)


class QueryBoolean(fields.Boolean):
    """`true` or `false` in a query."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(truthy={"true"}, falsy={"false"}, **kwargs)


_NUMBERS = r"[0-9]{1,4}(,[0-9]{1,4})*"


class QueryNumbers(fields.String):
    """Whole numbers of up to four digits with commas between them, loaded as a tuple."""

    def __init__(self, **kwargs: Any) -> None:
        metadata = {"pattern": rf"{_NUMBERS}\Z", **kwargs.pop("metadata", {})}
        super().__init__(metadata=metadata, **kwargs)

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str:
        return ",".join(map(str, value))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = str(super()._deserialize(value, attr, data, **kwargs))
        if not re.fullmatch(_NUMBERS, text):
            raise ValidationError("Must be whole numbers with commas between them, such as 1,2.")
        return tuple(map(int, text.split(",")))


class QueryWords(fields.String):
    """One or more words of a set, separated by commas."""

    def __init__(self, words: Sequence[str], **kwargs: Any) -> None:
        one = "|".join(words)
        metadata = {"pattern": rf"({one})(,({one}))*\Z", **kwargs.pop("metadata", {})}
        super().__init__(metadata=metadata, **kwargs)
        self._words = words

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str:
        return ",".join(value)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        words = tuple(super()._deserialize(value, attr, data, **kwargs).split(","))
        if not set(words) <= set(self._words):
            raise ValidationError(f"Must be one or more of {', '.join(self._words)}, separated by commas.")
        return words


def integer_field(low: int, high: int, **kwargs: Any) -> fields.Integer:
    """A JSON integer from `low` to `high`."""
    return fields.Integer(strict=True, validate=validate.Range(low, high), **kwargs)


def seat_field(**kwargs: Any) -> fields.Integer:
    """The number of one of your seats; needed only by those who have several."""
    description = "The seat that acts, counted from 1. Needed only if you act for more than one."
    return integer_field(1, MAX_SEATS, metadata={"description": description}, **kwargs)


def name_field(**kwargs: Any) -> fields.String:
    """A display name."""
    validators: list[Callable[[str], Any]] = [validate.Length(1, MAX_NAME_LENGTH), _printable, _trimmed]
    return fields.String(validate=validators, **_with_pattern(TRIMMED_PRINTABLE, kwargs))


def time_field(description: str = "", note: str = "", **kwargs: Any) -> fields.Integer:
    """A time of an answer, in UTC milliseconds; `note` follows the description."""
    text = f"{description}, in UTC milliseconds. {note}" if description else f"UTC milliseconds. {note}"
    return fields.Integer(metadata={"description": text.rstrip()}, **{"required": True, **kwargs})


def text_field(longest: int, **kwargs: Any) -> fields.String:
    """Printable text of 1 to `longest` characters."""
    return fields.String(validate=[validate.Length(1, longest), _printable], **_with_pattern(PRINTABLE, kwargs))


def _with_pattern(pattern: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    return {**kwargs, "metadata": {"pattern": pattern, **kwargs.get("metadata", {})}}


RECEIPT = re.compile(r"([1-9][0-9]{0,14}):([0-9a-f]{64})")
"""A receipt in a query: the version and the hash of an event."""


def receipt_field() -> fields.String:
    """A receipt; None if it is left out."""
    description = (
        "The version and the hash of an event, as in the answer to a command. Chooses the version of the match that "
        "contains this event."
    )
    return fields.String(
        load_default=None,
        validate=validate.Regexp(rf"{RECEIPT.pattern}\Z"),
        metadata={"description": description},
    )


def touch_field() -> fields.String:
    """The name of a part of a board's picture."""
    return fields.String(validate=validate.Regexp(r"[A-Za-z0-9:>+.-]{1,40}\Z"))


def invitation_field() -> fields.String:
    """The code of an invitation; None if it is left out."""
    description = "The code of an invitation to a seat of the match. It opens a private match."
    return fields.String(load_default=None, validate=validate.Length(1, 128), metadata={"description": description})
