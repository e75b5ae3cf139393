"""What a page shows beside what it is about, as far as the read database can be asked."""

from collections.abc import Callable
from typing import Any, TypeVar

import orjson
from flask import g

from plyscribe.service.access.accounts import Principal
from plyscribe.service.database.engine import DatabaseUnavailable
from plyscribe.service.lists.matches import MatchFilter
from plyscribe.service.web.api.http import parts
from plyscribe.service.web.pages.people import add_names

T = TypeVar("T")


def read_beside(read: Callable[[], T], otherwise: T) -> T:
    """What the function reads. While the read database is away: the other value, and the page says why it lacks it."""
    try:
        return read()
    except DatabaseUnavailable:
        g.lists_are_away = True
        return otherwise


def list_beside(wanted: MatchFilter, who: Principal | None, count: int) -> list[dict[str, Any]]:
    """The newest of the wanted matches, with the names of their players; none while the read database is away."""

    def read() -> list[dict[str, Any]]:
        # Without a relay, asking for the lag brings the lists up to date.
        parts().lists.lag()
        return [add_names(orjson.loads(row)) for row in parts().lists.matches.read(wanted, who, count, None).rows]

    return read_beside(read, [])
