"""The formats of tournaments as a form offers them: what each is, its options as fields, and how many seats it takes.

A format without words here is offered by its name, and so are its options.
"""

from typing import NamedTuple

from plyscribe.domain.errors import WrongValue
from plyscribe.domain.options import Option
from plyscribe.domain.tournament.terms import FORMATS, WITH_DEADLINES, parse_format
from plyscribe.service.web.pages.blueprint import blueprint
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
    is_dated: bool
    """Whether its rounds begin at dates or by challenges, so that nobody calls them."""


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
    "pyramid": (
        gettext_noop("Pyramid"),
        gettext_noop("Everybody who enters meets all who entered before."),
    ),
    "groups": (
        gettext_noop("Groups, then knockout"),
        gettext_noop("Everybody meets everybody in a small group. The best of each group go on in a knockout."),
    ),
    "league": (
        gettext_noop("League"),
        gettext_noop("Everybody meets everybody, with some days for each round. It runs for weeks."),
    ),
    "ladder": (
        gettext_noop("Ladder"),
        gettext_noop("Everybody challenges those just above them and takes their place by a win. It runs for weeks."),
    ),
    "scheveningen": (
        gettext_noop("Scheveningen: two teams"),
        gettext_noop("Everybody of one team meets everybody of the other."),
    ),
    "team-round-robin": (
        gettext_noop("Round robin of teams"),
        gettext_noop("All teams meet all others, board by board."),
    ),
    "team-swiss": (
        gettext_noop("Swiss of teams"),
        gettext_noop("In each round, teams with about as many points meet, board by board."),
    ),
}

_OPTIONS = {
    "rounds": (gettext_noop("Rounds"), gettext_noop("How many rounds are played.")),
    "cycles": (gettext_noop("Cycles"), gettext_noop("How often the same players meet.")),
    "lives": (gettext_noop("Lives"), gettext_noop("How many losses it takes to be out.")),
    "boards": (gettext_noop("Boards of a team"), gettext_noop("How many members of a team play in each round.")),
    "first": (gettext_noop("What counts first for teams"), ""),
    "groups": (gettext_noop("How many groups"), gettext_noop("If it is empty, it follows from the size.")),
    "size": (gettext_noop("Players in a group at most"), gettext_noop("4 if both this and the number are empty.")),
    "advance": (gettext_noop("How many of each group go on"), ""),
    "round_days": (gettext_noop("Days for a round"), ""),
    "begins_at": (gettext_noop("When the first round begins"), gettext_noop("At the start if it is empty.")),
    "next_round": (gettext_noop("When the next round begins"), ""),
    "overdue": (gettext_noop("Who loses a game that is not played in time"), ""),
    "reach": (gettext_noop("Rungs that a challenge can reach up"), ""),
    "days": (gettext_noop("Days to play a challenge"), ""),
    "cooldown_days": (gettext_noop("Days until the same two can meet again"), ""),
    "weeks": (gettext_noop("Weeks that it runs"), gettext_noop("Until you close it if it is empty.")),
}

_VALUES = {
    "match-points": gettext_noop("Match points"),
    "board-points": gettext_noop("Board points"),
    "decided": gettext_noop("At its date, if the round before is decided"),
    "date": gettext_noop("At its date in any case"),
    "early": gettext_noop("As soon as the round before is decided"),
    "absent": gettext_noop("The one who was to move"),
    "both": gettext_noop("Both players"),
    "challenged": gettext_noop("The one who was challenged"),
}


@blueprint.app_template_filter("format_value")
def name_value(value: str | int) -> str:
    """A value of an option of a format that is one of a few."""
    known = _VALUES.get(str(value))
    return gettext(known) if known else name_option(str(value).replace("-", "_"))


def list_formats() -> list[OfferedFormat]:
    """All formats, the one for an evening at a club first."""
    return sorted(map(_offer_format, FORMATS), key=lambda each: each.kind != "swiss")


def _offer_format(kind: str) -> OfferedFormat:
    label, says = _FORMATS.get(kind, (name_option(kind.replace("-", "_")), ""))
    seats = tuple(count for count in range(2, MAX_SEATS + 1) if _takes(kind, count))
    return OfferedFormat(
        kind,
        gettext(label),
        says and gettext(says),
        seats,
        list(map(_offer_option, FORMATS[kind])),
        kind in WITH_DEADLINES,
    )


def _takes(kind: str, seats: int) -> bool:
    try:
        parse_format({"kind": kind}, seats)
    except WrongValue:
        return False
    return True


def _offer_option(option: Option) -> FormatField:
    label, says = _OPTIONS.get(option.name, (name_option(option.name), ""))
    return FormatField(read_field(option.name, option.schema()), gettext(label), says and gettext(says))
