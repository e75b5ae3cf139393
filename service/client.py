"""A small typed client of the HTTP API, for bots, scripts and tests.

Every command carries an idempotency key, so what the network or a restart swallowed is sent again until the deadline
and counts once.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime
from hashlib import sha256
from types import TracebackType
from typing import Any, Self, TypedDict, cast
from uuid import uuid4

import httpx

RETRY_FOR_S = 60.0
RETRY_PAUSE_S = 0.2
PAGE = 1000
ROWS = 200

Json = dict[str, Any]


class Turn(TypedDict, total=False):
    """What a match waits for: exactly one of the three."""

    decision: int
    roll: Json
    over: Json


class Event(TypedDict):
    """A stored event."""

    version: int
    type: str
    at: int
    by: str
    cause: str
    data: Json
    hash: str


class Receipt(TypedDict):
    """The answer to a command."""

    match: str
    version: int
    hash: str
    turn: Turn | None
    events: list[Event]


class Match(TypedDict):
    """A match as it stands."""

    match: str
    version: int
    hash: str
    status: str
    ruleset: str
    ruleset_version: int
    options: Json
    seats: list[Json]
    creator: str
    recorder: str | None
    private: bool
    rated: bool
    start: str
    dice: Json | None
    about: dict[str, str] | None
    limits: dict[str, int | None] | None
    clock: Json | None
    rematch_of: str | None
    ply: int
    moves: list[str]
    turn: Turn | None
    draw_offered_by: int | None
    outcome: Json | None
    verdict: Json | None
    score: Json | None
    annulment: Json | None
    fault: Json | None
    view: Json | None


class Rating(TypedDict):
    """A rating, in millionths."""

    rating_micro: int
    uncertainty_micro: int
    ordinal_micro: int


class Standing(Rating):
    """A player in a table of ratings."""

    rank: int
    player: str
    name: str
    matches: int
    last_match: str
    last_at: int


class RatedMatch(TypedDict):
    """A match of a player's history, and what it made of the rating."""

    version: int
    at: int
    match: str
    rank: int
    seats: int
    before: Rating
    after: Rating


class RatingChange(TypedDict):
    """What a match that is annulled changes for a player; None: none of the player's matches counts."""

    player: str
    name: str
    before: Rating | None
    after: Rating | None


class Invitation(TypedDict):
    """An invitation to a seat."""

    match: str
    seat: int
    invitation: str
    expires_at: int
    path: str


class MatchRow(TypedDict):
    """A match as lists show it."""

    match: str
    version: int
    status: str
    ruleset: str
    ruleset_version: int
    seats: list[Json]
    creator: str
    recorder: str | None
    rated: bool
    private: bool
    tournament: str | None
    created_at: int
    updated_at: int
    ply: int
    turn: Turn | None
    waits_for: list[dict[str, str]]
    outcome: Json | None


class Position(TypedDict):
    """The state just before move `ply` + 1."""

    match: str
    version: int
    ply: int
    turn: Turn | None
    view: Json


class PlayerAccount(TypedDict):
    """An account as anyone may see it."""

    player: str
    name: str
    kind: str
    registered_at: int


class OwnAccount(PlayerAccount):
    """The account of a token."""

    scopes: list[str]


class NewAccount(OwnAccount):
    """A new account and its token."""

    token: str


class Token(TypedDict):
    """What a token may do, and when; times in UTC milliseconds."""

    id: str
    label: str | None
    scopes: list[str]
    issued_at: int
    expires_at: int | None


class ListedToken(Token):
    """A token that is valid."""

    current: bool


class NewToken(Token):
    """A new token with its text."""

    player: str
    token: str


class Problem(Exception):
    """A refusal by the server: the fields of its problem document, `code` and `status` first."""

    def __init__(self, document: Json, retry_after_s: float = 0.0) -> None:
        super().__init__(f"{document['code']}: {document['detail']}")
        self.code: str = document["code"]
        self.status: int = document["status"]
        self.document = document
        self.retry_after_s = retry_after_s


class Client:
    """One account's view of a server; without a token it can read and sign up."""

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        retry_for_s: float = RETRY_FOR_S,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.url = url
        self.token = token
        self._retry_for_s = retry_for_s
        self._http = httpx.Client(base_url=url, headers=headers, timeout=30.0, transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

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
            "private": private,
            "limits": limits,
            "rated": rated,
            "start": start,
            "about": about,
        }
        return self._command("POST", "/v1/matches", body, key)

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
        self, match: str, seat: int | None = None, cause: str = "resigned", *, key: str | None = None
    ) -> Receipt:
        """The receipt of leaving a match under way."""
        return self._command("POST", f"/v1/matches/{match}/withdrawal", {"cause": cause, **_seat(seat)}, key)

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

    # --------------------------------------------------------------------------------------------------------- lists

    def matches(
        self,
        *,
        player: str | None = None,
        ruleset: str | None = None,
        status: Sequence[str] = (),
        tournament: str | None = None,
        rated: bool | None = None,
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

    def rulesets(self, seats: int | None = None) -> list[Json]:
        """All rulesets in all versions, or those that so many can play."""
        listed: list[Json] = self._get("/v1/rulesets", _given(seats=seats))["rulesets"]
        return listed

    def _rows(self, name: str, query: Mapping[str, Any]) -> Iterator[Any]:
        for page in self._pages(f"/v1/{name}", {**_given(**query), "limit": ROWS}):
            yield from page[name]

    # ---------------------------------------------------------------------------------------------------------- rest

    def ready(self) -> Json:
        """What the server says of itself once its store answers."""
        return self._get("/readyz")

    def _get(self, path: str, query: Mapping[str, Any] | None = None) -> Json:
        got: Json = self._ask("GET", path, params=query).json()
        return got

    def _pages(self, path: str, query: Mapping[str, Any]) -> Iterator[Json]:
        page = self._get(path, query)
        while page["next"] is not None:
            yield page
            page = self._get(page["next"])
        yield page

    def _command(
        self, method: str, path: str, body: Json | None, key: str | None, version: int | None = None
    ) -> Receipt:
        headers = {"Idempotency-Key": key or uuid4().hex}
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        return cast(Receipt, self._ask(method, path, json=body, headers=headers).json())

    def _ask(self, method: str, path: str, **request: Any) -> httpx.Response:
        """The answer, asked for again while the server cannot be reached or is not ready."""
        deadline = time.monotonic() + self._retry_for_s
        while True:
            try:
                return self._send(method, path, **request)
            except httpx.TransportError:
                if time.monotonic() >= deadline:
                    raise
            except Problem as problem:
                if problem.status != 503 or time.monotonic() + problem.retry_after_s >= deadline:
                    raise
                time.sleep(max(0.0, problem.retry_after_s - RETRY_PAUSE_S))
            time.sleep(RETRY_PAUSE_S)

    def _send(self, method: str, path: str, **request: Any) -> httpx.Response:
        response = self._http.request(method, path, **request)
        if response.is_success:
            return response
        try:
            document = response.json()
        except ValueError:
            document = None
        if not (isinstance(document, dict) and "code" in document and "detail" in document):
            document = {"code": "server/unreadable", "detail": response.text[:200], "status": response.status_code}
        raise Problem(document, _retry_after_s(response))


def _retry_after_s(response: httpx.Response) -> float:
    """How long the server asks to wait, in either form of RFC 9110, 10.2.3; 0 where it does not say."""
    text = response.headers.get("Retry-After", "")
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return 0.0


def _given(**fields: Any) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def _seat(seat: int | None) -> Json:
    return _given(seat=seat)
