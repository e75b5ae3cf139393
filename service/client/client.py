"""What a client can ask for, one method an operation."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, cast
from uuid import uuid4

from plyscribe.domain.bundle.bundle import parse_bundle
from plyscribe.domain.errors import BundleError
from plyscribe.service.client.answers import (
    Event,
    Import,
    InboxEntry,
    Invitation,
    Json,
    LegalMoves,
    ListedToken,
    Match,
    MatchRow,
    NewAccount,
    NewToken,
    OwnAccount,
    PlayerAccount,
    Position,
    RatedMatch,
    RatingChange,
    Receipt,
    Standing,
    Verification,
    VerificationDue,
)
from plyscribe.service.client.connection import Connection, Problem
from plyscribe.service.client.tournaments import TournamentCalls

PAGE = 1000
ROWS = 200


class Client(TournamentCalls, Connection):
    """One account's view of a server; without a token it can read and sign up."""

    # ------------------------------------------------------------------------------------------------------ accounts

    def sign_up(self, name: str, kind: str = "person", scopes: Sequence[str] = ("play", "record")) -> NewAccount:
        """A new account with `player` and `token`; not sent again when it fails, for each one opens an account."""
        body = {"name": name, "kind": kind, "scopes": list(scopes)}
        return cast(NewAccount, self._send("POST", "/v1/players", json=body).json())

    def me(self) -> OwnAccount:
        """Who the token stands for."""
        return cast(OwnAccount, self._get("/v1/players/me"))

    def player(self, player: str) -> PlayerAccount:
        """A player's name and kind."""
        return cast(PlayerAccount, self._get(f"/v1/players/{player}"))

    def tokens(self) -> list[ListedToken]:
        """The valid tokens of the account."""
        return cast(list[ListedToken], self._get("/v1/players/me/tokens")["tokens"])

    def issue_token(
        self, scopes: Sequence[str] | None = None, *, label: str | None = None, expires_in_s: int | None = None
    ) -> NewToken:
        """A further token; without `scopes` and an expiry it is like the one of this client."""
        body = _given(scopes=list(scopes) if scopes else None, label=label, expires_in_s=expires_in_s)
        return cast(NewToken, self._send("POST", "/v1/players/me/tokens", json=body).json())

    def rotate_token(self, *, overlap_s: int | None = None, expires_in_s: int | None = None) -> NewToken:
        """The successor of this client's token, with which it goes on from here."""
        body = _given(overlap_s=overlap_s, expires_in_s=expires_in_s)
        made = cast(NewToken, self._send("POST", "/v1/players/me/tokens/rotation", json=body).json())
        self.token = made["token"]
        self._http.headers["Authorization"] = f"Bearer {self.token}"
        return made

    def revoke_token(self, id: str, *, key: str | None = None) -> Json:
        """End a token of the account."""
        headers = {"Idempotency-Key": key or uuid4().hex}
        revoked: Json = self._ask("DELETE", f"/v1/players/me/tokens/{id}", headers=headers).json()
        return revoked

    def recover_account(
        self,
        player: str,
        scopes: Sequence[str] = ("play", "record"),
        *,
        label: str | None = None,
        expires_in_s: int | None = None,
        revoke_others: bool = True,
    ) -> NewToken:
        """A token for someone who has lost theirs; needs the scope `admin`."""
        body = _given(scopes=list(scopes), label=label, expires_in_s=expires_in_s, revoke_others=revoke_others)
        return cast(NewToken, self._send("POST", f"/v1/players/{player}/tokens", json=body).json())

    # ------------------------------------------------------------------------------------------------------- matches

    def create_match(
        self,
        ruleset: str,
        seats: Sequence[Json | None],
        *,
        ruleset_version: int | None = None,
        options: Json | None = None,
        recorded: bool = False,
        dice: str = "server",
        shared_dice: int | None = None,
        private: bool = False,
        limits: Mapping[str, int] | None = None,
        rated: bool = False,
        start: str = "auto",
        about: Mapping[str, str] | None = None,
        key: str | None = None,
    ) -> Receipt:
        """The receipt of a new match; a seat is None (open), `{"player": id}` or, recorded, `{"name": name}`."""
        body = {
            "ruleset": ruleset,
            "ruleset_version": ruleset_version,
            "options": options or {},
            "seats": list(seats),
            "recorded": recorded,
            "dice": dice,
            "shared_dice": shared_dice,
            "private": private,
            "limits": limits,
            "rated": rated,
            "start": start,
            "about": about,
        }
        return self._command("POST", "/v1/matches", body, key)

    def fork(
        self,
        match: str,
        ply: int,
        *,
        dice: str = "fresh",
        seats: Sequence[Json | None] | None = None,
        recorded: bool = False,
        private: bool = False,
        limits: Mapping[str, int] | None = None,
        start: str = "auto",
        about: Mapping[str, str] | None = None,
        key: str | None = None,
    ) -> Receipt:
        """The receipt of a new match that goes on just before move `ply` + 1; without `seats` all are yours."""
        body = {
            "ply": ply,
            "dice": dice,
            "seats": None if seats is None else list(seats),
            "recorded": recorded,
            "private": private,
            "limits": limits,
            "start": start,
            "about": about,
        }
        return self._command("POST", f"/v1/matches/{match}/forks", body, key)

    def duplicate(self, match: str, number: int, seats: Sequence[Json | None], *, key: str | None = None) -> Receipt:
        """The receipt of a new match, by its number among those that have the same dice as `match`."""
        return self._command("POST", f"/v1/matches/{match}/duplicates/{number}", {"seats": list(seats)}, key)

    def take_seat(
        self,
        match: str,
        seat: int,
        *,
        entropy: str | None = None,
        name: str | None = None,
        invitation: str | None = None,
        key: str | None = None,
    ) -> Receipt:
        """The receipt of sitting down, with the code of an invitation if need be; a recorder gives a guest's `name`."""
        body = _given(entropy=entropy, name=name, invitation=invitation)
        return self._command("POST", f"/v1/matches/{match}/seats/{seat}", body, key)

    def invite(self, match: str, seat: int, *, expires_in_s: int | None = None) -> Invitation:
        """An invitation to an open seat, for whoever holds it."""
        body = _given(expires_in_s=expires_in_s)
        return cast(Invitation, self._ask("POST", f"/v1/matches/{match}/seats/{seat}/invitations", json=body).json())

    def leave_seat(self, match: str, seat: int, *, key: str | None = None) -> Receipt:
        """The receipt of standing up."""
        return self._command("DELETE", f"/v1/matches/{match}/seats/{seat}", None, key)

    def add_entropy(self, match: str, entropy: str, seat: int | None = None, *, key: str | None = None) -> Receipt:
        """The receipt of salting the server's dice."""
        return self._command("POST", f"/v1/matches/{match}/entropy", {"entropy": entropy, **_seat(seat)}, key)

    def start(self, match: str, *, key: str | None = None) -> Receipt:
        """The receipt of starting the match."""
        return self._command("POST", f"/v1/matches/{match}/start", {}, key)

    def move(
        self,
        match: str,
        move: str,
        *,
        seat: int | None = None,
        version: int | None = None,
        key: str | None = None,
    ) -> Receipt:
        """The receipt of a move; with `version` it counts only if nothing has happened since."""
        return self._command("POST", f"/v1/matches/{match}/moves", {"move": move, **_seat(seat)}, key, version)

    def roll(self, match: str, values: Sequence[int], *, key: str | None = None) -> Receipt:
        """The receipt of a roll on the table."""
        return self._command("POST", f"/v1/matches/{match}/rolls", {"values": list(values)}, key)

    def take_back(self, match: str, ply: int, *, key: str | None = None) -> Receipt:
        """The receipt of going back to a ply."""
        return self._command("POST", f"/v1/matches/{match}/take-back", {"ply": ply}, key)

    def withdraw(
        self,
        match: str,
        seat: int | None = None,
        cause: str = "resigned",
        *,
        fault: str | None = None,
        key: str | None = None,
    ) -> Receipt:
        """The receipt of leaving a match under way; `fault` is by what the program failed that played, if it did."""
        body = {"cause": cause, "fault": fault, **_seat(seat)}
        return self._command("POST", f"/v1/matches/{match}/withdrawal", body, key)

    def draw(self, match: str, action: str, seat: int | None = None, *, key: str | None = None) -> Receipt:
        """The receipt of an offer, an agreement or a decline."""
        return self._command("POST", f"/v1/matches/{match}/draw", {"action": action, **_seat(seat)}, key)

    def abort(self, match: str, cause: str = "called off", *, key: str | None = None) -> Receipt:
        """The receipt of ending a match without an outcome."""
        return self._command("POST", f"/v1/matches/{match}/abort", {"cause": cause}, key)

    def rematch(self, match: str, *, key: str | None = None) -> Receipt:
        """The receipt of the match's one rematch: of its creation, or of your sitting down in it."""
        return self._command("POST", f"/v1/matches/{match}/rematch", {}, key)

    def match(self, match: str, *, invitation: str | None = None) -> Match:
        """The match as it stands now; a private one with the code of an invitation, if need be."""
        return cast(Match, self._get(f"/v1/matches/{match}", _given(invitation=invitation)))

    def position(self, match: str, ply: int, version: int | None = None) -> Position:
        """The state just before move `ply` + 1."""
        query = {"version": version} if version else None
        return cast(Position, self._get(f"/v1/matches/{match}/positions/{ply}", query))

    def board(self, match: str, ply: int) -> str:
        """The position as text for a terminal."""
        return self._ask("GET", f"/v1/matches/{match}/positions/{ply}", headers={"Accept": "text/plain"}).text

    def legal_moves(self, match: str, prefix: str = "") -> list[str]:
        """All legal moves of the seat on turn whose notation starts with `prefix`."""
        query = {"prefix": prefix, "limit": PAGE}
        return [move for page in self._pages(f"/v1/matches/{match}/legal-moves", query) for move in page["moves"]]

    def first_legal_moves(self, match: str, limit: int = PAGE) -> LegalMoves:
        """The first legal moves of the seat on turn, and the version that they belong to; 1,000 at most."""
        return cast(LegalMoves, self._get(f"/v1/matches/{match}/legal-moves", {"limit": limit}))

    def events(self, match: str, after: int = 0) -> list[Event]:
        """All events after a version."""
        query = {"after": after, "limit": PAGE}
        return [event for page in self._pages(f"/v1/matches/{match}/events", query) for event in page["events"]]

    def export(self, match: str) -> bytes:
        """All events as NDJSON, ended by the line of count, head and digest; Problem `export/incomplete` without it."""
        headers = {"Accept": "application/x-ndjson"}
        export = self._ask("GET", f"/v1/matches/{match}/events", headers=headers).content
        lines, _, end = export.rstrip(b"\n").rpartition(b"\n")
        if sha256(lines + b"\n" if lines else b"").hexdigest().encode() not in end:
            raise Problem({"code": "export/incomplete", "detail": "the export broke off", "status": 503})
        return export

    def record(self, match: str) -> str:
        """The match as a text record, which `plyscribe.domain.record.parse_record` reads."""
        return self._ask("GET", f"/v1/matches/{match}/record").text

    def bundle(self, match: str) -> bytes:
        """The whole match as one file, which `plyscribe verify` checks; Problem `export/incomplete` without its end."""
        bundle = self._ask("GET", f"/v1/matches/{match}/bundle").content
        try:
            parse_bundle(bundle)
        except BundleError as error:
            raise Problem({"code": "export/incomplete", "detail": str(error), "status": 503}) from None
        return bundle

    def verification(self, match: str) -> Verification:
        """What the server finds when it executes the match again as it is stored."""
        return cast(Verification, self._get(f"/v1/matches/{match}/verification"))

    def follow(self, match: str, after: int = 0) -> Iterator[Event]:
        """The events after a version, those that are there and those that come, each once and in order.

        Goes on by itself when the connection breaks off, ends when nothing is expected of the match any more.
        """
        yield from cast(Iterator[Event], self._follow(f"/v1/matches/{match}/events", after))

    def inbox(self, after: int = 0) -> Iterator[InboxEntry]:
        """What this account's matches want of it and what became of them, after an id and for ever, each once.

        Goes on by itself when the connection breaks off. An entry `gap` stands for entries that were dropped.
        """
        yield from cast(Iterator[InboxEntry], self._follow("/v1/players/me/events", after))

    def newest_in_inbox(self) -> int:
        """The id of the newest entry of the inbox, from which on to follow it; 0 where there is none."""
        newest: int = self._get("/v1/players/me/events", {"limit": 1})["newest"]
        return newest

    # ------------------------------------------------------------------------------------------------------- imports

    def import_bundle(self, bundle: bytes) -> Import:
        """What becomes of the bundle of a match of another server; sending it again is the same import."""
        headers = {"Content-Type": "application/vnd.plyscribe.bundle+ndjson"}
        return cast(Import, self._ask("POST", "/v1/imports", content=bundle, headers=headers).json())

    def import_record(self, text: str, *, private: bool = False, key: str | None = None) -> Import:
        """The import of a text record, which a worker plays; `imported` tells what came of it."""
        headers = {"Content-Type": "text/vnd.plyscribe.record", "Idempotency-Key": key or uuid4().hex}
        path = "/v1/imports?private=true" if private else "/v1/imports"
        return cast(Import, self._ask("POST", path, content=text.encode(), headers=headers).json())

    def keep_prefix(self, match: str) -> Import:
        """The import after what comes before the fault of its text was kept as an unfinished match."""
        path = f"/v1/imports/{match.replace('match-', 'import-', 1)}/prefix"
        return cast(Import, self._ask("POST", path, json={}).json())

    def imported(self, match: str) -> Import:
        """How far the import of a match is, and what was found of it."""
        return cast(Import, self._get(f"/v1/imports/{match.replace('match-', 'import-', 1)}"))

    # --------------------------------------------------------------------------------------------------------- lists

    def matches(
        self,
        *,
        player: str | None = None,
        ruleset: str | None = None,
        status: Sequence[str] = (),
        tournament: str | None = None,
        rated: bool | None = None,
        imported: bool | None = None,
        since: int | None = None,
        until: int | None = None,
        waiting: bool = False,
    ) -> Iterator[MatchRow]:
        """The matches that all of this holds for, the newest first, read page by page as they are asked for.

        `waiting`: those that wait for the token's account. Lists follow what happens some moments behind.
        """
        query = {
            "player": player,
            "ruleset": ruleset,
            "status": ",".join(status) or None,
            "tournament": tournament,
            "rated": None if rated is None else str(rated).lower(),
            "imported": None if imported is None else str(imported).lower(),
            "since": since,
            "until": until,
            "waiting": "me" if waiting else None,
        }
        yield from self._rows("matches", query)

    def players(self, name: str = "", kind: str | None = None) -> Iterator[PlayerAccount]:
        """The players whose names begin so, in any case, by name, read page by page as they are asked for."""
        yield from self._rows("players", {"name": name, "kind": kind})

    def ratings(self, ruleset: str) -> Iterator[Standing]:
        """The table of a ruleset's ratings, best first, asked for page by page."""
        for page in self._pages(f"/v1/ratings/{ruleset}", {}):
            yield from page["players"]

    def rating(self, ruleset: str, player: str) -> list[RatedMatch]:
        """The matches that made a player's rating, oldest first."""
        pages = self._pages(f"/v1/ratings/{ruleset}/{player}", {"limit": PAGE})
        return [match for page in pages for match in page["history"]]

    def annul(self, match: str, why: str, *, key: str | None = None) -> Receipt:
        """The receipt of making a finished match count for nothing."""
        return self._command("POST", f"/v1/matches/{match}/annulment", {"why": why}, key)

    def annulment(self, match: str, *, preview: bool = False) -> list[RatingChange]:
        """The ratings that an annulment changed, or, for a preview, would change."""
        query = {"limit": PAGE, **({"preview": "true"} if preview else {})}
        return [change for page in self._pages(f"/v1/matches/{match}/annulment", query) for change in page["changes"]]

    def verify_again(self, match: str, *, key: str | None = None) -> VerificationDue:
        """Have a refuted match executed again; needs the scope `admin`."""
        headers = {"Idempotency-Key": key or uuid4().hex}
        return cast(VerificationDue, self._ask("POST", f"/v1/matches/{match}/verification", headers=headers).json())

    def rulesets(self, seats: int | None = None) -> list[Json]:
        """All rulesets in all versions, or those that so many can play."""
        listed: list[Json] = self._get("/v1/rulesets", _given(seats=seats))["rulesets"]
        return listed

    # ------------------------------------------------------------------------------------------------------- service

    def ready(self) -> Json:
        """What the server says of itself once its store answers."""
        return self._get("/readyz")

    def _rows(self, name: str, query: Mapping[str, Any]) -> Iterator[Any]:
        for page in self._pages(f"/v1/{name}", {**_given(**query), "limit": ROWS}):
            yield from page[name]


def _given(**fields: Any) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def _seat(seat: int | None) -> Json:
    return _given(seat=seat)
