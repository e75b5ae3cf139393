"""The operations of the API on tournaments."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from plyscribe.service.client.answers import (
    Attempt,
    ChallengeOptions,
    Event,
    GameDeadlines,
    Json,
    Round,
    RoundCheck,
    Standings,
    Tournament,
    TournamentReceipt,
    TournamentRow,
)
from plyscribe.service.client.connection import Connection


class TournamentCalls(Connection):
    """The part of the client that runs and reads tournaments."""

    def create_tournament(self, terms: Mapping[str, Any], *, key: str | None = None) -> TournamentReceipt:
        """Announce a tournament. Needs the scope `organise`."""
        return self._order("/v1/tournaments", dict(terms), key)

    def import_tournament(
        self,
        trf: str,
        ruleset: str,
        *,
        name: str | None = None,
        private: bool = False,
        key: str | None = None,
    ) -> TournamentReceipt:
        """Make a tournament of a club from a TRF16 report. Needs the scope `organise`."""
        body: Json = {"trf": trf, "ruleset": ruleset, "private": private}
        return self._order("/v1/tournament-imports", {**body, **({} if name is None else {"name": name})}, key)

    def enter(
        self,
        tournament: str,
        bot: Mapping[str, Any] | None = None,
        label: str | None = None,
        *,
        team: str | None = None,
        place: int | None = None,
        key: str | None = None,
    ) -> TournamentReceipt:
        """Enter a tournament yourself. Its organiser can also enter a bot of the server, `{"name": …}`.

        In a format of teams, the organiser can say for which team, and at which place in its board order.
        """
        body: Json = {"bot": None if bot is None else dict(bot), "label": label}
        body |= {name: value for name, value in (("team", team), ("place", place)) if value is not None}
        return self._order(f"/v1/tournaments/{tournament}/entrants", body, key)

    def invite_entrant(
        self,
        tournament: str,
        player: str | None = None,
        *,
        name: str | None = None,
        label: str | None = None,
        key: str | None = None,
    ) -> TournamentReceipt:
        """Invite an account by its id or its name. It takes part once it accepts, with `enter`."""
        body = {"player": player, "name": name, "label": label}
        given = {field: value for field, value in body.items() if value is not None}
        return self._order(f"/v1/tournaments/{tournament}/invitations", given, key)

    def enter_build(
        self, tournament: str, entrant: int, build: Mapping[str, Any], *, pinned: bool = False, key: str | None = None
    ) -> TournamentReceipt:
        """Say which build of a program plays for you in a tournament, and whether no other one may."""
        return self._order(f"/v1/tournaments/{tournament}/entrants/{entrant}/builds", {**build, "pinned": pinned}, key)

    def end_invitation(self, tournament: str, player: str, *, key: str | None = None) -> TournamentReceipt:
        """Decline your invitation or, as the organiser, withdraw one."""
        path = f"/v1/tournaments/{tournament}/invitations/{player}"
        return cast(TournamentReceipt, self._command("DELETE", path, {}, key))

    def invitations(self) -> Iterator[TournamentRow]:
        """Yield the tournaments that invite you and that you have not answered, newest first."""
        for page in self._pages("/v1/tournaments", {"invited": "me"}):
            yield from page["tournaments"]

    def withdraw_entrant(
        self,
        tournament: str,
        entrant: int,
        *,
        why: str | None = None,
        disqualified: bool = False,
        key: str | None = None,
    ) -> TournamentReceipt:
        """Withdraw an entrant from the tournament. Only the organiser may disqualify, and must say why."""
        body = {"why": why, "disqualified": disqualified}
        return self._order(f"/v1/tournaments/{tournament}/entrants/{entrant}/withdrawal", body, key)

    def sit_out(self, tournament: str, entrant: int, round: int, *, key: str | None = None) -> TournamentReceipt:
        """Announce that an entrant sits out a round that is not paired yet."""
        return self._order(f"/v1/tournaments/{tournament}/entrants/{entrant}/absences", {"round": round}, key)

    def start_tournament(self, tournament: str, *, key: str | None = None) -> TournamentReceipt:
        """Start the tournament."""
        return self._order(f"/v1/tournaments/{tournament}/start", {}, key)

    def annul_game(
        self, tournament: str, round: int, board: int, game: int = 1, *, why: str, key: str | None = None
    ) -> TournamentReceipt:
        """Annul a decided game, as its organiser."""
        return self._rule(tournament, "annulments", (round, board, game), why, key)

    def retry_game(
        self, tournament: str, round: int, board: int, game: int = 1, *, why: str, key: str | None = None
    ) -> TournamentReceipt:
        """Try a game again that was given up, as its organiser."""
        return self._rule(tournament, "retries", (round, board, game), why, key)

    def adjudicate_game(
        self,
        tournament: str,
        round: int,
        board: int,
        game: int = 1,
        *,
        ranks: Sequence[int],
        why: str,
        key: str | None = None,
    ) -> TournamentReceipt:
        """Decide an undecided game by the rank of each seat, as its organiser."""
        return self._rule(tournament, "adjudications", (round, board, game), why, key, ranks=list(ranks))

    def forfeit_game(
        self,
        tournament: str,
        round: int,
        board: int,
        game: int = 1,
        *,
        entrants: Sequence[int],
        why: str,
        key: str | None = None,
    ) -> TournamentReceipt:
        """Let these entrants lose an undecided game, as its organiser."""
        return self._rule(tournament, "forfeits", (round, board, game), why, key, entrants=list(entrants))

    def extend_deadline(
        self, tournament: str, round: int, days: int, why: str, *, board: int | None = None, key: str | None = None
    ) -> TournamentReceipt:
        """Give the games of a round, or of one of its boards, so many days more, as its organiser."""
        body = {"round": round, "days": days, "why": why, **({} if board is None else {"board": board})}
        return self._order(f"/v1/tournaments/{tournament}/deadlines", body, key)

    def challenge(
        self, ladder: str, opponent: int, entrant: int | None = None, *, key: str | None = None
    ) -> TournamentReceipt:
        """Challenge an entrant of a ladder; organisers may do it for another `entrant`."""
        body = {"opponent": opponent, **({} if entrant is None else {"entrant": entrant})}
        return self._order(f"/v1/tournaments/{ladder}/challenges", body, key)

    def close_ladder(self, ladder: str, why: str, *, key: str | None = None) -> TournamentReceipt:
        """Close a ladder, as its organiser: it ends once all challenges are decided."""
        return self._order(f"/v1/tournaments/{ladder}/close", {"why": why}, key)

    def abort_tournament(
        self, tournament: str, cause: str = "called off", *, key: str | None = None
    ) -> TournamentReceipt:
        """Call off the tournament."""
        return self._order(f"/v1/tournaments/{tournament}/abort", {"cause": cause}, key)

    def tournament(self, tournament: str) -> Tournament:
        """The tournament as it stands now."""
        return cast(Tournament, self._get(f"/v1/tournaments/{tournament}"))

    def deadlines(self, tournament: str) -> GameDeadlines:
        """The undecided games with the time left for them, and when the next round begins."""
        return cast(GameDeadlines, self._get(f"/v1/tournaments/{tournament}/deadlines"))

    def challenges(self, ladder: str, entrant: int) -> ChallengeOptions:
        """Whom an entrant of a ladder can challenge now, and why not the others within its reach."""
        return cast(ChallengeOptions, self._get(f"/v1/tournaments/{ladder}/challenges?entrant={entrant}"))

    def rounds(self, tournament: str) -> list[Round]:
        """All rounds paired so far, with their games."""
        return cast(list[Round], self._get(f"/v1/tournaments/{tournament}/rounds")["rounds"])

    def attempts(self, tournament: str, **query: str | int) -> Iterator[Attempt]:
        """Yield the matches made for the tournament's games, with their faults; `query` filters as in the API."""
        for page in self._pages(f"/v1/tournaments/{tournament}/attempts", query):
            yield from page["attempts"]

    def standings(self, tournament: str) -> Standings:
        """The table as it stands now."""
        return cast(Standings, self._get(f"/v1/tournaments/{tournament}/standings"))

    def table(self, tournament: str, crosstable: bool = False) -> str:
        """The table, or the crosstable, as text for a terminal."""
        query = {"crosstable": "true"} if crosstable else None
        return self._ask(
            "GET", f"/v1/tournaments/{tournament}/standings", headers={"Accept": "text/plain"}, params=query
        ).text

    def check_round(self, tournament: str, round: int) -> RoundCheck:
        """Pair a round again on the server, and compare the result with the stored pairing."""
        return cast(RoundCheck, self._get(f"/v1/tournaments/{tournament}/rounds/{round}/check"))

    def follow_tournament(self, tournament: str, after: int = 0) -> Iterator[Event]:
        """Yield the events after the version `after`, first the stored ones, then new ones, until it is over."""
        yield from cast(Iterator[Event], self._follow(f"/v1/tournaments/{tournament}/events", after))

    def _rule(
        self, tournament: str, ruling: str, place: tuple[int, int, int], why: str, key: str | None, **more: Any
    ) -> TournamentReceipt:
        body = dict(zip(("round", "board", "game"), place, strict=True))
        return self._order(f"/v1/tournaments/{tournament}/{ruling}", {**body, "why": why, **more}, key)

    def _order(self, path: str, body: Json, key: str | None) -> TournamentReceipt:
        return cast(TournamentReceipt, self._command("POST", path, body, key))
