"""The option types of rulesets: one declaration gives a parser, a default and a JSON Schema."""

from collections.abc import Sequence
from dataclasses import dataclass
from json import dumps
from typing import Any, Protocol

from plyscribe.domain.errors import OptionError
from plyscribe.domain.phrases import Phrase, say


class Option(Protocol):
    """An option that a ruleset declares. A ruleset may define option types of its own."""

    @property
    def name(self) -> str:
        """The option's key."""

    @property
    def default(self) -> Any:
        """The value to use when none is given."""

    def parse(self, value: object) -> Any:
        """The value itself; OptionError unless it is allowed."""

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the value."""


@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number from `low` to `high` (None: no upper bound); with `nullable`, null as well."""

    name: str
    default: int | None
    low: int
    high: int | None = None
    nullable: bool = False

    def parse(self, value: object) -> int | None:
        """The value itself; OptionError unless it is in range. True and false are not integers."""
        if value is None and self.nullable:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.ceiling:
            return value
        raise OptionError(self.name, value, self.allowed)

    @property
    def ceiling(self) -> int:
        """The greatest value; without an upper bound, the greatest integer that JSON represents exactly."""
        return 2**53 - 1 if self.high is None else self.high

    @property
    def allowed(self) -> Phrase:
        """The range in words."""
        if self.high is None:
            bounds = say("an integer ≥ {low}", low=self.low)
        else:
            bounds = say("an integer {low}..{high}", low=self.low, high=self.high)
        return say("{bounds} or null", bounds=bounds) if self.nullable else bounds

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the value."""
        kind: Any = ["integer", "null"] if self.nullable else "integer"
        schema: dict[str, Any] = {"type": kind, "minimum": self.low, "maximum": self.ceiling}
        return schema if self.default is None and not self.nullable else {**schema, "default": self.default}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words or whole numbers."""

    name: str
    default: str | int
    values: tuple[str | int, ...]

    def parse(self, value: object) -> str | int:
        """The value itself; OptionError unless it equals one of the values in value and type: true is not 1."""
        for known in self.values:
            if type(value) is type(known) and value == known:
                return known
        raise OptionError(self.name, value, _join_words([dumps(known) for known in self.values]))

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the value."""
        return {"enum": list(self.values), "default": self.default}


def _join_words(words: Sequence[str]) -> Phrase | str:
    *others, last = words
    return say("{first} or {second}", first=_join_words(others), second=last) if others else last


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    name: str
    default: bool = False

    def parse(self, value: object) -> bool:
        """The value itself; OptionError unless it is true or false. 1 is neither."""
        if isinstance(value, bool):
            return value
        raise OptionError(self.name, value, say("true or false"))

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the value."""
        return {"type": "boolean", "default": self.default}


def refuse_unknown(raw: dict[str, Any], options: Sequence[Option]) -> None:
    """OptionError at the first name in `raw` that no option has."""
    names = [option.name for option in options]
    for name, value in raw.items():
        if name not in names:
            raise OptionError(name, value, say("only {names}", names=", ".join(names)))


def parse_options(raw: dict[str, Any], options: Sequence[Option]) -> dict[str, Any]:
    """The complete options in the order of their declaration; OptionError when one is unknown or out of range."""
    refuse_unknown(raw, options)
    return {option.name: option.parse(raw.get(option.name, option.default)) for option in options}


def options_schema(options: Sequence[Option]) -> dict[str, Any]:
    """JSON Schema of an object with these options and nothing else."""
    properties = {option.name: option.schema() for option in options}
    return {"type": "object", "properties": properties, "additionalProperties": False}
