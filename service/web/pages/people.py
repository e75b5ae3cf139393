"""The names of players, told apart where several have the same one, and of those in the seats of a match."""

from collections.abc import Iterable
from typing import Any

from plyscribe.domain.commands import parse_actor
from plyscribe.service.language.sentences import name_guest
from plyscribe.service.streams.ids import is_stream_id
from plyscribe.service.web.api.http import parts
from plyscribe.service.web.pages.speech import gettext, page_language

SHORT_ID = slice(7, 13)
"""The part of an account's id that tells it from its namesakes."""


def name_account(account: str) -> str:
    """The name of an account; with the beginning of its id if an older account has the same name; "" if unknown."""
    name = parts().accounts.name_of(account)
    if not name or parts().accounts.owner_of(name) in (account, None):
        return name
    return f"{name} ({account[SHORT_ID]})"


def add_names(row: dict[str, Any]) -> dict[str, Any]:
    """The row of a list of matches, with the `names` of its players and the name of who imported it added."""
    names = name_seats(row["seats"], row["imported"])
    return {**row, "names": names, "imported_by": _name_importer(row)}


def _name_importer(row: dict[str, Any]) -> str | None:
    # A list that is being rebuilt may still have rows of an earlier release, without importers.
    importer = row.get("importer")
    return parts().accounts.name_of(importer) if importer else None


def name_seats(seats: Iterable[dict[str, Any]], imported: bool = False) -> list[str]:
    """The names of a match's players in seat order, from what `describe_seats` returns.

    Accounts in an imported match belong to another server, whatever their ids, so they keep the id as their name.
    """
    return [name_seat(seat, imported) for seat in seats]


def name_judge(by: str, imported: bool = False) -> str | None:
    """The organiser who is the actor of an event, as a sentence begins with it; None for any other actor."""
    role, id = parse_actor(by)
    if role != "organiser":
        return None
    if is_stream_id("tournament", id):
        return gettext("The tournament")
    name = parts().accounts.name_of(id) if is_stream_id("player", id) and not imported else ""
    return gettext("Organiser %(name)s", name=name or id)


def name_director(by: str, imported: bool = False) -> str:
    """Who directs a match, from the actor of an event, as a sentence begins with it."""
    role, id = parse_actor(by)
    name = parts().accounts.name_of(id) if is_stream_id("player", id) and not imported else ""
    match role:
        case "recorder" | "player":
            return gettext("Recorder %(name)s", name=name or id)
        case "arbiter":
            return gettext("Arbiter %(name)s", name=name or id)
    return name_judge(by, imported) or by


def name_seat(seat: dict[str, Any], imported: bool = False) -> str:
    """The name of the player in a seat, or of the player that the seat is kept for."""
    if "player" in seat:
        return (None if imported else name_account(seat["player"])) or seat["player"]
    if "bot" in seat:
        return gettext("%(bot)s (built-in bot)", bot=seat["bot"])
    return name_guest(seat["name"], page_language()) if "name" in seat else gettext("nobody yet")
