"""The formats of tournaments as a form offers them: what each is, its options as fields, and how many seats it takes.

A format without words here is offered by its name, and so are its options.
"""

from typing import NamedTuple

from plyscribe.domain.errors import WrongValue
from plyscribe.domain.options import Option
from plyscribe.domain.tournament.terms import FORMATS, parse_format
from plyscribe.service.web.pages.option_fields import OptionField, name_option, read_field
from plyscribe.service.web.pages.speech import gettext, gettext_noop
from plyscribe.service.web.schemas.field_types import MAX_SEATS


class FormatField(NamedTuple):
    """An option of a format: its field, its label, and a sentence that explains it ("" if there is none)."""

    field: OptionField
    label: str
    says: str


class OfferedFormat(NamedTuple):
    """A format that can be chosen, with the numbers of seats that it is possible with."""

    kind: str
    label: str
    says: str
    seats: tuple[int, ...]
    fields: list[FormatField]


_FORMATS = {
    "round-robin": (
        gettext_noop("Round robin"),
        gettext_noop("Everybody meets everybody. That is fair, but takes long: 8 players need 7 rounds."),
    ),
    "swiss": (
        gettext_noop("Swiss"),
        gettext_noop(
            "Everybody plays in every round, against somebody who has about as many points. Five rounds are "
            "enough for 30 players, and latecomers can join."
        ),
    ),
    "knockout": (
        gettext_noop("Knockout"),
        gettext_noop("If you lose, you are out. That is the fastest way to a winner."),
    ),
    "gauntlet": (
        gettext_noop("Gauntlet"),
        gettext_noop("The first entrant meets all others, one in each round."),
    ),
}

_OPTIONS = {
    "rounds": (gettext_noop("Rounds"), gettext_noop("How many rounds are played.")),
    "cycles": (gettext_noop("Cycles"), gettext_noop("How often the same players meet.")),
    "lives": (gettext_noop("Lives"), gettext_noop("How many losses it takes to be out.")),
}


def list_formats() -> list[OfferedFormat]:
    """All formats, the one for an evening at a club first."""
    return sorted(map(_offer_format, FORMATS), key=lambda each: each.kind != "swiss")


def _offer_format(kind: str) -> OfferedFormat:
    label, says = _FORMATS.get(kind, (name_option(kind.replace("-", "_")), ""))
    seats = tuple(count for count in range(2, MAX_SEATS + 1) if _takes(kind, count))
    return OfferedFormat(kind, gettext(label), says and gettext(says), seats, list(map(_offer_option, FORMATS[kind])))


def _takes(kind: str, seats: int) -> bool:
    try:
        parse_format({"kind": kind}, seats)
    except WrongValue:
        return False
    return True


def _offer_option(option: Option) -> FormatField:
    label, says = _OPTIONS.get(option.name, (name_option(option.name), ""))
    return FormatField(read_field(option.name, option.schema()), gettext(label), says and gettext(says))
