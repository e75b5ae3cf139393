"""What a study is about: a version of a ruleset with options and a number of seats."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from plyscribe.domain.errors import OptionError
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import find_ruleset


class Subject(NamedTuple):
    """A ruleset version, the options that differ from its defaults, and the seats."""

    id: str
    version: int
    seats: int
    options: Mapping[str, Any]

    @property
    def ruleset(self) -> AnyRuleset:
        """The ruleset; UnknownRuleset if this process has not registered it."""
        return find_ruleset(self.id, self.version)

    @property
    def complete_options(self) -> dict[str, Any]:
        """The options with the defaults of the others."""
        return self.ruleset.parse_options(dict(self.options))

    def vary(self, **changed: Any) -> "Subject":
        """The same with other options; OptionError if the ruleset does not allow them."""
        return require_playable(self._replace(options={**self.options, **changed}))

    def describe(self) -> dict[str, Any]:
        """The subject for JSON, with the digest of the ruleset's behaviour."""
        ruleset = self.ruleset
        return {
            "ruleset": self.id,
            "version": self.version,
            "title": ruleset.title,
            "behaviour": ruleset.behaviour,
            "seats": self.seats,
            "options": self.complete_options,
            "has_chance": ruleset.has_chance(self.complete_options),
        }


def find_subject(text: str, seats: int | None, options: Mapping[str, Any]) -> Subject:
    """The subject that `pathagon` or `pathagon:2` names; by default with the fewest seats that can play.

    UnknownRuleset if there is no such ruleset or version, OptionError if options or seats cannot be.
    """
    id, colon, number = text.partition(":")
    if colon and not number.isdecimal():
        raise OptionError("version", number, "a whole number after the colon, as in pathagon:1")
    ruleset = find_ruleset(id, int(number) if colon else None)
    return require_playable(Subject(id, ruleset.version, seats or ruleset.min_seats, options))


def require_playable(subject: Subject) -> Subject:
    """The subject itself; OptionError if its options or seats cannot be."""
    subject.ruleset.initial_state(subject.complete_options, subject.seats)
    return subject
