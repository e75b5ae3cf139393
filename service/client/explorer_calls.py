"""The operations of the API for those who study play."""

from collections.abc import Iterator
from typing import Any, cast

from plyscribe.service.client.answers import ExploredPosition, FoundMatch
from plyscribe.service.client.connection import Connection


class ExplorerCalls(Connection):
    """The part of the client that finds what was played from a position, and steps by what they did."""

    def explore(
        self,
        ruleset: str,
        *,
        position: str | None = None,
        match: str | None = None,
        ply: int | None = None,
        moves: str | None = None,
        **filters: Any,
    ) -> ExploredPosition:
        """What was played from a position: one with this key, of a match at a ply, or after `moves` from either.

        `filters` are `version`, `seats`, `options`, `since`, `min_rating` and `max_rating`. `limit` and `latest` say
        how many moves and matches are listed.
        """
        query = {"position": position, "match": match, "ply": ply, "moves": moves, **filters}
        given = {name: value for name, value in query.items() if value is not None}
        return cast(ExploredPosition, self._get(f"/v1/explorer/{ruleset}", given))

    def search_steps(self, ruleset: str, query: str, **filters: Any) -> Iterator[FoundMatch]:
        """Yield the matches with steps that pass the query, those that ended last first.

        `filters` are `version`, `seats`, `options` and `since`.
        """
        given = {name: value for name, value in filters.items() if value is not None}
        for page in self._pages(f"/v1/explorer/{ruleset}/search", {"q": query, **given}):
            yield from page["matches"]
