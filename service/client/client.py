"""The client: one method for each operation of the API."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, cast
from urllib.parse import urlencode
from uuid import uuid4

from plyscribe.domain.bundle.bundle import parse_bundle
from plyscribe.domain.errors import BundleError
from plyscribe.service.client.answers import (
    BotList,
    EndedSessions,
    Event,
    Import,
    InboxEntry,
    Invitation,
    Json,
    LegalMoves,
    ListedToken,
    ListedWebhook,
    Match,
    MatchRow,
    Me,
    NewPlayer,
    NewRecoveryCode,
    NewToken,
    NewWebhook,
    Player,
    Position,
    RatedMatch,
    RatingChange,
    RatingsRow,
    Ready,
    Receipt,
    RecoveredAccount,
    RemovedWebhook,
    RevokedToken,
    RulesetRow,
    Story,
    Suggestion,
    TakenStep,
    TouchedMoves,
    Variation,
    Verification,
    VerificationDue,
    Webhook,
    WebhookTest,
)
from plyscribe.service.client.clock_calls import ClockCalls
from plyscribe.service.client.connection import Connection, Problem
from plyscribe.service.client.dataset_calls import DatasetCalls
from plyscribe.service.client.explorer_calls import ExplorerCalls
from plyscribe.service.client.many import ManyCalls
from plyscribe.service.client.standing import Standing
from plyscribe.service.client.tournaments import TournamentCalls

PAGE = 1000
ROWS = 200


class ToldEvent(Event, Story):
    """An event with what its step did: nothing, if it is no step or if the step was taken back since."""


class Client(TournamentCalls, ManyCalls, DatasetCalls, ExplorerCalls, ClockCalls, Connection):
    """A server as one account sees it. Without a token, the client can read public data and sign up."""

    # ------------------------------------------------------------------------------------------------------ accounts

    def sign_up(
        self,
        name: str,
        kind: str = "person",
        scopes: Sequence[str] = ("play", "record"),
        *,
        key: str | None = None,
    ) -> NewPlayer:
        """Open an account. The answer holds its `player` id, its `token` and its `recovery_code`.

        Who knows a `key` of yours gets the token too, for ten minutes: at least 22 random characters. By default there
        is a new one for each call. The same holds for the other calls whose answers hold a token.
        """
        body = {"name": name, "kind": kind, "scopes": list(scopes)}
        return cast(NewPlayer, self._ask("POST", "/v1/players", json=body, headers=_keyed(key)).json())

    def me(self) -> Me:
        """The account that the token belongs to."""
        return cast(Me, self._get("/v1/players/me"))

    def player(self, player: str) -> Player:
        """A player's public account."""
        return cast(Player, self._get(f"/v1/players/{player}"))

    def tokens(self) -> list[ListedToken]:
        """The account's valid tokens and sessions, oldest first."""
        return cast(list[ListedToken], self._get("/v1/players/me/tokens")["tokens"])

    def issue_token(
        self,
        scopes: Sequence[str] | None = None,
        *,
        label: str | None = None,
        expires_in_s: int | None = None,
        key: str | None = None,
    ) -> NewToken:
        """Issue another token. By default it has the scopes and the expiry of this client's token."""
        body = _given(scopes=list(scopes) if scopes else None, label=label, expires_in_s=expires_in_s)
        return cast(NewToken, self._ask("POST", "/v1/players/me/tokens", json=body, headers=_keyed(key)).json())

    def rotate_token(
        self, *, overlap_s: int | None = None, expires_in_s: int | None = None, key: str | None = None
    ) -> NewToken:
        """Replace this client's token. From now on the client uses the new one."""
        body = _given(overlap_s=overlap_s, expires_in_s=expires_in_s)
        rotated = self._ask("POST", "/v1/players/me/tokens/rotation", json=body, headers=_keyed(key))
        made = cast(NewToken, rotated.json())
        self._use(made["token"])
        return made

    def _use(self, token: str) -> None:
        self.token = token
        self._http.headers["Authorization"] = f"Bearer {token}"

    def revoke_token(self, id: str, *, key: str | None = None) -> RevokedToken:
        """Revoke one of the account's tokens."""
        return cast(RevokedToken, self._ask("DELETE", f"/v1/players/me/tokens/{id}", headers=_keyed(key)).json())

    def end_sessions(self, *, key: str | None = None) -> EndedSessions:
        """Sign every browser out of the account. Tokens stay valid."""
        return cast(EndedSessions, self._ask("DELETE", "/v1/players/me/sessions", headers=_keyed(key)).json())

    def recover_account(
        self,
        player: str,
        scopes: Sequence[str] = ("play", "record"),
        *,
        label: str | None = None,
        expires_in_s: int | None = None,
        revoke_others: bool = True,
        key: str | None = None,
    ) -> NewToken:
        """Issue a token for a player who lost theirs. Needs the scope `admin`."""
        body = _given(scopes=list(scopes), label=label, expires_in_s=expires_in_s, revoke_others=revoke_others)
        return cast(NewToken, self._ask("POST", f"/v1/players/{player}/tokens", json=body, headers=_keyed(key)).json())

    def recover_own_account(
        self, name: str, code: str, *, label: str | None = None, revoke_others: bool = True, key: str | None = None
    ) -> RecoveredAccount:
        """Get a new token with the name or id of an account and its recovery code. The client uses it from now on."""
        body = _given(name=name, code=code, label=label, revoke_others=revoke_others)
        recovered = self._ask("POST", "/v1/players/recovery", json=body, headers=_keyed(key))
        made = cast(RecoveredAccount, recovered.json())
        self._use(made["token"])
        return made

    def set_recovery_code(self, *, key: str | None = None) -> NewRecoveryCode:
        """Make a new recovery code for the account. The one that it had is void."""
        asked = self._ask("POST", "/v1/players/me/recovery-code", headers=_keyed(key))
        return cast(NewRecoveryCode, asked.json())

    # ------------------------------------------------------------------------------------------------------ webhooks

    def webhooks(self) -> list[ListedWebhook]:
        """The account's webhooks, oldest first, and how their deliveries go."""
        return cast(list[ListedWebhook], self._get("/v1/players/me/webhooks")["webhooks"])

    def add_webhook(self, url: str, topics: Sequence[str], *, key: str | None = None) -> NewWebhook:
        """Have messages about these topics posted to a URL. The answer holds the `secret` that signs them."""
        body = {"url": url, "topics": list(topics)}
        return cast(NewWebhook, self._command("POST", "/v1/players/me/webhooks", body, key))

    def change_webhook(
        self,
        id: str,
        *,
        url: str | None = None,
        topics: Sequence[str] | None = None,
        enabled: bool | None = None,
        key: str | None = None,
    ) -> Webhook:
        """Change, enable or disable a webhook. None: as it is."""
        body = _given(url=url, topics=None if topics is None else list(topics), enabled=enabled)
        return cast(Webhook, self._command("PATCH", f"/v1/players/me/webhooks/{id}", body, key))

    def test_webhook(self, id: str, *, key: str | None = None) -> WebhookTest:
        """Have a message of the type `ping` posted to a webhook."""
        return cast(WebhookTest, self._command("POST", f"/v1/players/me/webhooks/{id}/test", {}, key))

    def replace_webhook_secret(self, id: str, *, key: str | None = None) -> NewWebhook:
        """Make a new secret for a webhook. The old one signs too, for 24 hours."""
        return cast(NewWebhook, self._command("POST", f"/v1/players/me/webhooks/{id}/secret", {}, key))

    def remove_webhook(self, id: str, *, key: str | None = None) -> RemovedWebhook:
        """Remove a webhook."""
        return cast(RemovedWebhook, self._command("DELETE", f"/v1/players/me/webhooks/{id}", None, key))

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
        steps: Sequence[Json] = (),
        key: str | None = None,
    ) -> Receipt:
        """Create a match, which may begin with steps as for `try_steps`.

        Each seat is None (open to anyone), `{"player": id}`, `{"bot": name}` or, in a recorded match, `{"name": name}`.
        """
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
            "steps": list(steps),
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
        steps: Sequence[Json] = (),
        key: str | None = None,
    ) -> Receipt:
        """Create a match that continues another one from just before move `ply` + 1. By default you have all seats.

        It goes on with `steps`, as for `try_steps`.
        """
        body = {
            "ply": ply,
            "dice": dice,
            "seats": None if seats is None else list(seats),
            "recorded": recorded,
            "private": private,
            "limits": limits,
            "start": start,
            "about": about,
            "steps": list(steps),
        }
        return self._command("POST", f"/v1/matches/{match}/forks", body, key)

    def duplicate(self, match: str, number: int, seats: Sequence[Json | None], *, key: str | None = None) -> Receipt:
        """Create the match with this `number` among those that share the dice of `match`."""
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
        """Take a seat, with an invitation's code if the match is private. A recorder seats a guest by `name`."""
        body = _given(entropy=entropy, name=name, invitation=invitation)
        return self._command("POST", f"/v1/matches/{match}/seats/{seat}", body, key)

    def invite(self, match: str, seat: int, *, expires_in_s: int | None = None) -> Invitation:
        """Create an invitation to an open seat. Anyone who has its code can take the seat."""
        body = _given(expires_in_s=expires_in_s)
        return cast(Invitation, self._ask("POST", f"/v1/matches/{match}/seats/{seat}/invitations", json=body).json())

    def leave_seat(self, match: str, seat: int, *, key: str | None = None) -> Receipt:
        """Leave a seat before the match starts."""
        return self._command("DELETE", f"/v1/matches/{match}/seats/{seat}", None, key)

    def add_entropy(self, match: str, entropy: str, seat: int | None = None, *, key: str | None = None) -> Receipt:
        """Add a seat's entropy to the server's dice."""
        return self._command("POST", f"/v1/matches/{match}/entropy", {"entropy": entropy, **_seat(seat)}, key)

    def declare_build(
        self, match: str, build: Mapping[str, Any], seat: int | None = None, *, key: str | None = None
    ) -> Receipt:
        """Say which build of a program plays for your seat: its `digest`, `command`, `version` and `options`."""
        return self._command("POST", f"/v1/matches/{match}/builds", {**build, **_seat(seat)}, key)

    def start(self, match: str, *, key: str | None = None) -> Receipt:
        """Start the match."""
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
        """Make a move. With `version`, the server refuses it if the match has changed since that version.

        The client says since when it has had the position, so that the way to the server and back costs no time.
        """
        body, thought_ms = {"move": move, **_seat(seat)}, self._positions.find_thought_ms(match)
        return self._command("POST", f"/v1/matches/{match}/moves", body, key, version, thought_ms)

    def move_all(
        self,
        match: str,
        steps: Sequence[str | Mapping[str, Any]],
        *,
        version: int | None = None,
        key: str | None = None,
    ) -> Receipt:
        """Enter several steps in one request: all of them or, if one is refused, none.

        A step is the text of a move, or a dictionary as for `correct`. `document["step"]` of a refusal (Problem) is the
        number of the step that was refused, from 0. The receipt has the events of all steps.
        """
        listed = [{"move": step} if isinstance(step, str) else dict(step) for step in steps]
        return self._command("POST", f"/v1/matches/{match}/moves", {"steps": listed}, key, version)

    def stand(self) -> Standing:
        """A standing connection: moves of many matches cost less on it than as requests, for the server and for you.

        Use it in one thread; other threads may use this client meanwhile. Close it before the client.
        """
        return Standing(self._http, self._retry_for_s)

    def roll(self, match: str, values: Sequence[int], *, key: str | None = None) -> Receipt:
        """Record the dice rolled at the table."""
        return self._command("POST", f"/v1/matches/{match}/rolls", {"values": list(values)}, key)

    def lay(self, match: str, laid: Mapping[str, str], *, key: str | None = None) -> Receipt:
        """Record the due roll by what lies on each place of the board because of it."""
        return self._command("POST", f"/v1/matches/{match}/rolls", {"laid": dict(laid)}, key)

    def take_back(
        self, match: str, ply: int | None = None, *, steps: int | None = None, key: str | None = None
    ) -> Receipt:
        """Take back all that came after the first `ply` moves, or the last `steps` steps."""
        return self._command("POST", f"/v1/matches/{match}/take-back", _given(ply=ply, steps=steps), key)

    def correct(
        self,
        match: str,
        take_back: int,
        steps: Sequence[Mapping[str, Any]] = (),
        *,
        replaced: int = 1,
        dropped: int = 0,
        version: int | None = None,
        key: str | None = None,
    ) -> Receipt:
        """Put `steps` in place of the first `replaced` of the last `take_back` steps; what came after them follows.

        The last `dropped` steps are lost. A step is a dictionary with `move`, `values`, `laid` as for `lay`,
        or `withdraw`, which `cause` and `why` go with.
        """
        body = {"take_back": take_back, "steps": list(steps), "replaced": replaced, "dropped": dropped}
        return self._command("POST", f"/v1/matches/{match}/corrections", body, key, version)

    def confirm_record(self, match: str, *, key: str | None = None) -> Receipt:
        """Confirm, as the recorder of a match that has ended, that everything is entered right."""
        return self._command("POST", f"/v1/matches/{match}/confirmation", {}, key)

    def withdraw(
        self,
        match: str,
        seat: int | None = None,
        cause: str = "resigned",
        *,
        fault: str | None = None,
        why: str | None = None,
        key: str | None = None,
    ) -> Receipt:
        """Withdraw a seat from a running match.

        A program that resigns because it failed says how in `fault`. An overseer says `why`.
        """
        body = {"cause": cause, "fault": fault, "why": why, **_seat(seat)}
        return self._command("POST", f"/v1/matches/{match}/withdrawal", body, key)

    def draw(self, match: str, action: str, seat: int | None = None, *, key: str | None = None) -> Receipt:
        """Offer a draw, or answer an offer: `action` is `offer`, `agree` or `decline`."""
        return self._command("POST", f"/v1/matches/{match}/draw", {"action": action, **_seat(seat)}, key)

    def abort(self, match: str, cause: str = "called off", *, key: str | None = None) -> Receipt:
        """End a match without an outcome."""
        return self._command("POST", f"/v1/matches/{match}/abort", {"cause": cause}, key)

    def rematch(self, match: str, *, key: str | None = None) -> Receipt:
        """Create the match's only rematch, or take your seat in it if it exists."""
        return self._command("POST", f"/v1/matches/{match}/rematch", {}, key)

    def match(self, match: str, *, invitation: str | None = None, receipt: Receipt | None = None) -> Match:
        """The match as it stands now. The code of an invitation opens a private match.

        If different versions of a match were imported, a receipt chooses the one that contains its event.
        """
        named = None if receipt is None else f"{receipt['version']}:{receipt['hash']}"
        state = cast(Match, self._get(f"/v1/matches/{match}", _given(invitation=invitation, receipt=named)))
        self._positions.note(match, state["version"])
        return state

    def position(
        self, match: str, ply: int, version: int | None = None, *, effects: bool = False, language: str | None = None
    ) -> Position:
        """The state just before move `ply` + 1; with `effects`, the steps that led to it and what they did."""
        query = _given(version=version, include="effects" if effects else None, language=language)
        return cast(Position, self._get(f"/v1/matches/{match}/positions/{ply}", query))

    def effects(
        self, match: str, first: int = 0, last: int | None = None, *, language: str | None = None
    ) -> Iterator[TakenStep]:
        """Yield the steps that led to the positions `first` to `last`, with what each did, read page by page.

        The sentences are in a language that the server has (`en`, `de`), by default in English.
        """
        query = _given(**{"from": first, "to": last, "language": language})
        for page in self._pages(f"/v1/matches/{match}/effects", query):
            yield from cast(list[TakenStep], page["steps"])

    def board(self, match: str, ply: int) -> str:
        """The state just before move `ply` + 1, as text for a terminal."""
        return self._ask("GET", f"/v1/matches/{match}/positions/{ply}", headers={"Accept": "text/plain"}).text

    def legal_moves(self, match: str, prefix: str = "") -> list[str]:
        """All legal moves whose notation starts with `prefix`."""
        query = {"prefix": prefix, "limit": PAGE}
        return [move for page in self._pages(f"/v1/matches/{match}/legal-moves", query) for move in page["moves"]]

    def first_legal_moves(self, match: str, limit: int = PAGE) -> LegalMoves:
        """The first legal moves, at most 1,000, with the version of the match that they belong to."""
        return cast(LegalMoves, self._get(f"/v1/matches/{match}/legal-moves", {"limit": limit}))

    def touch(self, match: str, *touches: str, seat: int | None = None) -> TouchedMoves:
        """What touches of the board's picture lead to: what can be touched next, the moves that are ready, a refusal.

        `seat` is the seat that looks at the picture.
        """
        query = {"touch": list(touches), **_given(seat=seat)}
        return cast(TouchedMoves, self._get(f"/v1/matches/{match}/legal-moves/touched", query))

    def events(self, match: str, after: int = 0) -> list[Event]:
        """All events after the version `after`."""
        query = {"after": after, "limit": PAGE}
        return [event for page in self._pages(f"/v1/matches/{match}/events", query) for event in page["events"]]

    def export(self, match: str) -> bytes:
        """All events as NDJSON, including the last line with their count, head hash and digest.

        Raises Problem `export/incomplete` if the export broke off or does not match its digest.
        """
        headers = {"Accept": "application/x-ndjson"}
        export = self._ask("GET", f"/v1/matches/{match}/events", headers=headers).content
        lines, _, end = export.rstrip(b"\n").rpartition(b"\n")
        if sha256(lines + b"\n" if lines else b"").hexdigest().encode() not in end:
            raise Problem({"code": "export/incomplete", "detail": "the export broke off", "status": 503})
        return export

    def record(self, match: str, *, effects: bool = False, language: str | None = None) -> str:
        """The match as a text record, which `plyscribe.domain.record.parse_record` reads.

        With `effects`, comments say what each step did, in this language.
        """
        query = _given(comments="effects" if effects else None, language=language)
        return self._ask("GET", f"/v1/matches/{match}/record", params=query).text

    def bundle(self, match: str) -> bytes:
        """The whole match as one file, which `plyscribe verify` checks.

        Raises Problem `export/incomplete` if the file broke off.
        """
        bundle = self._ask("GET", f"/v1/matches/{match}/bundle").content
        try:
            parse_bundle(bundle)
        except BundleError as error:
            raise Problem({"code": "export/incomplete", "detail": str(error), "status": 503}) from None
        return bundle

    def verification(self, match: str) -> Verification:
        """Verify the match: the server executes its stored events again and reports every check."""
        return cast(Verification, self._get(f"/v1/matches/{match}/verification"))

    def verify_again(self, match: str, *, key: str | None = None) -> VerificationDue:
        """Request another verification of a refuted match. Needs the scope `admin`."""
        due = self._ask("POST", f"/v1/matches/{match}/verification", headers=_keyed(key))
        return cast(VerificationDue, due.json())

    def follow(self, match: str, after: int = 0) -> Iterator[Event]:
        """Yield the events after the version `after`, first the stored ones, then new ones, each once and in order.

        Reconnects when the connection breaks. Ends when the match can have no more events.
        """
        for event in cast(Iterator[Event], self._follow(f"/v1/matches/{match}/events", after)):
            self._positions.note(match, event["version"])
            yield event

    def follow_effects(self, match: str, after: int = 0, *, language: str | None = None) -> Iterator[ToldEvent]:
        """Yield events as `follow` does, each with what its step did, in sentences of this language too."""
        query = urlencode(_given(include="effects", language=language))
        for event in cast(Iterator[ToldEvent], self._follow(f"/v1/matches/{match}/events?{query}", after)):
            self._positions.note(match, event["version"])
            yield event

    def inbox(self, after: int = 0) -> Iterator[InboxEntry]:
        """Yield the inbox entries after the id `after`, first the stored ones, then new ones, each once.

        Reconnects when the connection breaks, and never ends. An entry `gap` stands for entries that were dropped.
        """
        for entry in cast(Iterator[InboxEntry], self._follow("/v1/players/me/events", after)):
            self._positions.note(entry.get("match"), entry.get("version"))
            yield entry

    def newest_in_inbox(self) -> int:
        """The id of the newest entry in the inbox, 0 if it is empty. Pass it to `inbox` to get only newer entries."""
        newest: int = self._get("/v1/players/me/events", {"limit": 1})["newest"]
        return newest

    # ------------------------------------------------------------------------------------------------------- imports

    def import_bundle(self, bundle: bytes) -> Import:
        """Import a match of another server. Sending the same bundle again returns the same import."""
        headers = {"Content-Type": "application/vnd.plyscribe.bundle+ndjson"}
        return cast(Import, self._ask("POST", "/v1/imports", content=bundle, headers=headers).json())

    def import_record(self, text: str, *, private: bool = False, key: str | None = None) -> Import:
        """Import a text record. A worker plays it through; `imported` returns the result."""
        headers = {"Content-Type": "text/vnd.plyscribe.record", "Idempotency-Key": key or uuid4().hex}
        path = "/v1/imports?private=true" if private else "/v1/imports"
        return cast(Import, self._ask("POST", path, content=text.encode(), headers=headers).json())

    def keep_prefix(self, named: str) -> Import:
        """Keep the moves before the first fault of a text record as an unfinished match. Name it as in `imported`."""
        return cast(Import, self._ask("POST", f"/v1/imports/{_import_of(named)}/prefix", json={}).json())

    def imported(self, named: str) -> Import:
        """The progress and the result of an import, named by its id or by the address of its match."""
        return cast(Import, self._get(f"/v1/imports/{_import_of(named)}"))

    # --------------------------------------------------------------------------------------------------------- lists

    def matches(
        self,
        *,
        player: str | None = None,
        opponent: str | None = None,
        result: str | None = None,
        ruleset: str | None = None,
        status: Sequence[str] = (),
        reason: str | None = None,
        tournament: str | None = None,
        rated: bool | None = None,
        imported: bool | None = None,
        since: int | None = None,
        until: int | None = None,
        waiting: bool = False,
        q: str | None = None,
        place: str | None = None,
        about: str | None = None,
        min_plies: int | None = None,
        max_plies: int | None = None,
        sort: str = "created",
        order: str = "desc",
    ) -> Iterator[MatchRow]:
        """Yield the matches that meet all conditions. Pages are fetched as they are needed.

        `opponent` plays against `player`, for whom `result` is `won`, `lost` or `drawn`. `q` has words of the names of
        players, `place` and `about` have words of the notes. `waiting` selects the matches that wait for this account.
        `sort` is `created`, `ended` or `length`, and `order` is `desc` or `asc`: by default the newest match comes
        first. Lists lag a few moments behind the matches.
        """
        query = {
            "player": player,
            "opponent": opponent,
            "result": result,
            "ruleset": ruleset,
            "status": ",".join(status) or None,
            "reason": reason,
            "tournament": tournament,
            "rated": None if rated is None else str(rated).lower(),
            "imported": None if imported is None else str(imported).lower(),
            "since": since,
            "until": until,
            "waiting": "me" if waiting else None,
            "q": q,
            "place": place,
            "about": about,
            "min_plies": min_plies,
            "max_plies": max_plies,
            "sort": sort,
            "order": order,
        }
        yield from self._rows("matches", query)

    def players(self, name: str = "", kind: str | None = None) -> Iterator[Player]:
        """Yield the players whose names start with `name`, ignoring case, sorted by name."""
        yield from self._rows("players", {"name": name, "kind": kind})

    def rulesets(self, seats: int | None = None) -> list[RulesetRow]:
        """All versions of all rulesets, or of those for this number of seats."""
        return cast(list[RulesetRow], self._get("/v1/rulesets", _given(seats=seats))["rulesets"])

    def bots(self) -> BotList:
        """The server's bots, and levels by plain names: a level's `bot` and `playouts` are what a seat asks for."""
        return cast(BotList, self._get("/v1/bots"))

    def try_steps(self, ruleset: str, steps: Sequence[Json], **start: Any) -> Variation:
        """The position after these steps, each a `move`, `values` or `withdraw`, which are not stored anywhere.

        Begin with a new game of `seats` (and `options`, `ruleset_version`), or with a `match` at a `ply`.
        """
        return cast(Variation, self._try("positions", ruleset, steps, start))

    def suggest(self, ruleset: str, steps: Sequence[Json], **start: Any) -> Suggestion:
        """The moves that a bot finds best after these steps; begin as for `try_steps`, with `playouts` if you wish."""
        return cast(Suggestion, self._try("suggestions", ruleset, steps, start))

    def _try(self, what: str, ruleset: str, steps: Sequence[Json], start: Json) -> Json:
        body = {**start, "steps": list(steps)}
        return cast(Json, self._ask("POST", f"/v1/rulesets/{ruleset}/{what}", json=body).json())

    # ------------------------------------------------------------------------------------------------------- ratings

    def ratings(self, ruleset: str) -> Iterator[RatingsRow]:
        """Yield the ratings of a ruleset, best first."""
        for page in self._pages(f"/v1/ratings/{ruleset}", {}):
            yield from page["players"]

    def ratings_lag(self, ruleset: str) -> int:
        """How many results of a ruleset do not count in its ratings yet; usually none a moment after they came."""
        return cast(int, self._get(f"/v1/ratings/{ruleset}", {"limit": 1})["lag"])

    def rating(self, ruleset: str, player: str) -> list[RatedMatch]:
        """The matches that a player's rating is based on, oldest first."""
        pages = self._pages(f"/v1/ratings/{ruleset}/{player}", {"limit": PAGE})
        return [match for page in pages for match in page["history"]]

    def annul(self, match: str, why: str, *, key: str | None = None) -> Receipt:
        """Annul a finished match, so that it no longer counts."""
        return self._command("POST", f"/v1/matches/{match}/annulment", {"why": why}, key)

    def annulment(self, match: str, *, preview: bool = False) -> list[RatingChange]:
        """The ratings that an annulment changed. With `preview`, those that it would change."""
        query = {"limit": PAGE, **({"preview": "true"} if preview else {})}
        return [change for page in self._pages(f"/v1/matches/{match}/annulment", query) for change in page["changes"]]

    # ------------------------------------------------------------------------------------------------------- service

    def ready(self) -> Ready:
        """The store and the durability that the server works with, once its store answers."""
        return cast(Ready, self._get("/readyz"))

    def _rows(self, name: str, query: Mapping[str, Any]) -> Iterator[Any]:
        for page in self._pages(f"/v1/{name}", {**_given(**query), "limit": ROWS}):
            yield from page[name]


def _import_of(named: str) -> str:
    """The import's id from itself, from the address of its match, or from the id of a text record's match."""
    return f"import-{named.rpartition('~')[2].rpartition('-')[2]}"


def _keyed(key: str | None) -> dict[str, str]:
    return {"Idempotency-Key": key or uuid4().hex}


def _given(**fields: Any) -> Json:
    return {name: value for name, value in fields.items() if value is not None}


def _seat(seat: int | None) -> Json:
    return _given(seat=seat)
