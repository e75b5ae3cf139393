"""Who sits where, by name."""

from collections.abc import Iterable
from typing import Any

from plyscribe.service.web.api.http import parts

EMPTY = "nobody yet"


def add_names(row: dict[str, Any]) -> dict[str, Any]:
    """The row of a list of matches with the `names` of those for whom its seats are."""
    return {**row, "names": name_seats(row["seats"], row["imported"])}


def name_seats(seats: Iterable[dict[str, Any]], imported: bool = False) -> list[str]:
    """The names of those for whom the seats of a match are, as `describe_seats` tells them, in seat order.

    An account that an imported match names is none of ours, whatever its id.
    """
    return [name_seat(seat, imported) for seat in seats]


def name_seat(seat: dict[str, Any], imported: bool = False) -> str:
    """The name of the one for whom a seat is."""
    if "player" in seat:
        return (None if imported else parts().accounts.name_of(seat["player"])) or seat["player"]
    if "bot" in seat:
        return f"{seat['bot']} (built-in bot)"
    return str(seat.get("name", EMPTY))
