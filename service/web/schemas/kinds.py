"""What the schemas are made of: kinds of fields, and fields that stand in several schemas."""

from collections.abc import Sequence
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, fields, validate

from plyscribe.domain.player import MAX_NAME_LENGTH, is_printable

MAX_SEATS = 16


class Strict(Schema):
    """A schema that refuses what it does not name."""

    class Meta:
        """Marshmallow's settings."""

        unknown = RAISE


class Boolean(fields.Boolean):
    """True or false, and nothing that only looks like it."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if value is not True and value is not False:
            raise self.make_error("invalid", input=value)
        return value


def _printable(text: str) -> None:
    if not is_printable(text):
        raise ValidationError("Only printable characters.")


def _trimmed(text: str) -> None:
    if text != text.strip():
        raise ValidationError("No space at the ends.")


class QueryInteger(fields.Integer):
    """A number in a query, in plain digits."""

    def _validated(self, value: Any) -> Any:
        if not (isinstance(value, str) and value.isascii() and value.isdigit()):
            raise self.make_error("invalid", input=value)
        return super()._validated(value)


class QueryBoolean(fields.Boolean):
    """`true` or `false` in a query."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(truthy={"true"}, falsy={"false"}, **kwargs)


class QueryWords(fields.String):
    """Some of a set of words, separated by commas."""

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
            raise ValidationError(f"Some of {', '.join(self._words)}, separated by commas.")
        return words


def integer_field(low: int, high: int, **kwargs: Any) -> fields.Integer:
    """A JSON number within these bounds."""
    return fields.Integer(strict=True, validate=validate.Range(low, high), **kwargs)


def seat_field(**kwargs: Any) -> fields.Integer:
    """The number of a seat."""
    return integer_field(1, MAX_SEATS, metadata={"description": "A seat, counted from 1."}, **kwargs)


def name_field(**kwargs: Any) -> fields.String:
    """A display name."""
    return fields.String(validate=[validate.Length(1, MAX_NAME_LENGTH), _printable, _trimmed], **kwargs)


def text_field(longest: int, **kwargs: Any) -> fields.String:
    """A printable text of at most so many characters."""
    return fields.String(validate=[validate.Length(1, longest), _printable], **kwargs)


def invitation_field() -> fields.String:
    """The code of an invitation, None without one."""
    description = "The code of an invitation to a seat of a private match."
    return fields.String(load_default=None, validate=validate.Length(1, 128), metadata={"description": description})
