"""What a client asks of tournaments."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from plyscribe.service.client.answers import Event
from plyscribe.service.client.connection import Connection

Json = dict[str, Any]
PAGE = 1000


class TournamentCalls(Connection):
    """The part of the client that is about tournaments."""

    def create_tournament(self, terms: Mapping[str, Any], *, key: str | None = None) -> Json:
        """The receipt of a new tournament; needs the scope `organise`."""
        return self._order("/v1/tournaments", dict(terms), key)

    def enter(
        self, tournament: str, bot: Mapping[str, Any] | None = None, label: str | None = None, *, key: str | None = None
    ) -> Json:
        """The receipt of entering oneself or, as the organiser, a bot of the server: `{"name": …}`."""
        body = {"bot": None if bot is None else dict(bot), "label": label}
        return self._order(f"/v1/tournaments/{tournament}/entrants", body, key)

    def withdraw_entrant(self, tournament: str, entrant: int, *, key: str | None = None) -> Json:
        """The receipt of leaving a tournament."""
        return self._order(f"/v1/tournaments/{tournament}/entrants/{entrant}/withdrawal", {}, key)

    def sit_out(self, tournament: str, entrant: int, round: int, *, key: str | None = None) -> Json:
        """The receipt of sitting out a round that is not paired yet."""
        return self._order(f"/v1/tournaments/{tournament}/entrants/{entrant}/absences", {"round": round}, key)

    def start_tournament(self, tournament: str, *, key: str | None = None) -> Json:
        """The receipt of the start."""
        return self._order(f"/v1/tournaments/{tournament}/start", {}, key)

    def tournament(self, tournament: str) -> Json:
        """The tournament as it stands now."""
        return self._get(f"/v1/tournaments/{tournament}")

    def rounds(self, tournament: str) -> list[Json]:
        """Its rounds with their games."""
        return cast(list[Json], self._get(f"/v1/tournaments/{tournament}/rounds")["rounds"])

    def attempts(self, tournament: str, **wanted: str | int) -> Iterator[Json]:
        """The matches made for its games, and whose faults went with them; `wanted` is what the list can be asked."""
        for page in self._pages(f"/v1/tournaments/{tournament}/attempts", wanted):
            yield from page["attempts"]

    def standings(self, tournament: str) -> Json:
        """The table as it stands."""
        return self._get(f"/v1/tournaments/{tournament}/standings")

    def table(self, tournament: str, crosstable: bool = False) -> str:
        """The table, or the crosstable, as text for a terminal."""
        query = {"crosstable": "true"} if crosstable else None
        return self._ask(
            "GET", f"/v1/tournaments/{tournament}/standings", headers={"Accept": "text/plain"}, params=query
        ).text

    def check_round(self, tournament: str, round: int) -> Json:
        """The round as it was paired, and as it comes out when it is worked out again."""
        return self._get(f"/v1/tournaments/{tournament}/rounds/{round}/check")

    def follow_tournament(self, tournament: str, after: int = 0) -> Iterator[Event]:
        """Its events after a version, those that are there and those that come; ends when it is over."""
        yield from cast(Iterator[Event], self._follow(f"/v1/tournaments/{tournament}/events", after))

    def _order(self, path: str, body: Json, key: str | None) -> Json:
        return cast(Json, self._command("POST", path, body, key))
