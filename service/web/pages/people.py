"""The names of the players in the seats of a match."""

from collections.abc import Iterable
from typing import Any

from plyscribe.service.web.api.http import parts

EMPTY = "nobody yet"


def add_names(row: dict[str, Any]) -> dict[str, Any]:
    """The row of a list of matches, with the `names` of its players added."""
    return {**row, "names": name_seats(row["seats"], row["imported"])}


def name_seats(seats: Iterable[dict[str, Any]], imported: bool = False) -> list[str]:
    """The names of a match's players in seat order, from what `describe_seats` returns.

    Accounts in an imported match belong to another server, whatever their ids, so they keep the id as their name.
    """
    return [name_seat(seat, imported) for seat in seats]


def name_seat(seat: dict[str, Any], imported: bool = False) -> str:
    """The name of the player in a seat, or of the player that the seat is kept for."""
    if "player" in seat:
        return (None if imported else parts().accounts.name_of(seat["player"])) or seat["player"]
    if "bot" in seat:
        return f"{seat['bot']} (built-in bot)"
    return str(seat.get("name", EMPTY))
