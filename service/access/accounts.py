"""Accounts, their tokens, and the sessions of browsers. The store holds only the SHA-256 of a token or a session.

A token is shown once and is sent in a header. A session is made with a token, ends with it, and is sent in a cookie.
Neither counts in the place of the other. A recovery code, shown once too, stands for nobody: it is good for one token.

An account claims two streams of names before it is opened: that of its name as `fold_name` folds it, which never
changes, and that of its name as `fold_lookalikes` folds it, which a newer table of Unicode may change. The first makes
names unique whatever table a process has. The second keeps lookalikes away.
"""

import re
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from math import inf
from typing import Any, NamedTuple

from plyscribe.domain.at_table import TablePlace
from plyscribe.domain.claims import NAME, ClaimName, name_stream
from plyscribe.domain.commands import Actor, Command
from plyscribe.domain.errors import WrongTime
from plyscribe.domain.names import MAX_NAME_LENGTH, fold_width, is_name, is_reserved, require_name, require_unreserved
from plyscribe.domain.player import (
    PLAYER,
    AppointOrganiser,
    BeginSession,
    DismissOrganiser,
    EndSessions,
    Player,
    RecoverAccount,
    RegisterPlayer,
    RevokeToken,
    SetRecoveryCode,
    refuse_recovery,
)
from plyscribe.service.access.lookalikes import fold_lookalikes
from plyscribe.service.access.recovery_codes import digest_of_code, new_code
from plyscribe.service.access.repeatable import REPEATED_MS, Repeatable
from plyscribe.service.clock import now_ms
from plyscribe.service.errors import KeyExpired, ScopeMissing, Unauthenticated
from plyscribe.service.store import port
from plyscribe.service.store.port import EventStore
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import command_of, is_stream_id, stream_id

TOKEN = re.compile(r"ply_([a-z2-7]{26})_[A-Za-z0-9_-]{43}")
SESSION = re.compile(r"plys_([a-z2-7]{26})_[A-Za-z0-9_-]{43}")
TOKEN_BYTES = 32
CACHED_S = 10.0
"""How long a process trusts a token before it asks the store again."""

MAX_CACHED = 10_000


Given = dict[str, Any]
"""Fields of a command that issues a token: who asks, when, the command's id, and the digest of the token."""


class TableSeat(NamedTuple):
    """A table of a tournament, or a seat there, whose code somebody holds."""

    tournament: str
    place: TablePlace


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a request comes from, the scopes of its token, and the token's digest.

    Whoever holds the code of a table has no account: `account` then names the place, and `table` is that place.
    """

    account: str
    scopes: tuple[str, ...]
    digest: str = ""
    table: TableSeat | None = None

    def require(self, *scopes: str) -> None:
        """ScopeMissing unless the token has one of these scopes."""
        if not set(scopes) & set(self.scopes):
            raise ScopeMissing(f"the token covers {', '.join(self.scopes)}; this needs {' or '.join(scopes)}")


_Cache = dict[str, tuple[float, Principal]]
"""Principals by the digest of what they sent, and when to look each of them up again."""


class Issued(NamedTuple):
    """An account, the text of its new token, and whether an earlier request like this one issued it.

    `code` is the text of its new recovery code; None if it got none, or if that one counts no longer.
    """

    player: Player
    token: str
    replayed: bool = False
    code: str | None = None


class _Secrets(NamedTuple):
    """The texts that a request for a token may bring."""

    token: str
    code: str


class SignedIn(NamedTuple):
    """A session that has begun: its text, which nobody else learns, and when it expires (UTC milliseconds)."""

    session: str
    expires_at: int


class Accounts:
    """Sign-up, tokens, sessions and authentication; safe to share between threads."""

    def __init__(self, store: EventStore) -> None:
        self.players = Handler(store, PLAYER)
        self.names = Handler(store, NAME)
        self._tokens: _Cache = {}
        self._sessions: _Cache = {}
        self._changes = 0
        self._lock = threading.Lock()

    def sign_up(
        self, actor: Actor, name: str, kind: str, scopes: tuple[str, ...], official: bool = False
    ) -> tuple[Player, str]:
        """A new account and its first token, without a recovery code; as `open_account`, but not to be repeated.

        Only an `official` account can have a name that stands for the service.
        """

        def make(given: Given) -> RegisterPlayer:
            return RegisterPlayer(**given, name=name, kind=kind, scopes=scopes, official=official)

        issued = self._register(self._claim(name, actor, official=official), name, actor, make)
        return issued.player, issued.token

    def open_account(
        self,
        actor: Actor,
        name: str,
        kind: str,
        scopes: tuple[str, ...],
        repeatable: Repeatable | None = None,
    ) -> Issued:
        """A new account with its first token and a recovery code, or the same again if the request is repeated.

        WrongValue if the name, kind or scopes are invalid, WrongTime if the name is taken. For a repetition see
        `issue`.
        """

        def make(given: Given) -> RegisterPlayer:
            return RegisterPlayer(**given, name=name, kind=kind, scopes=scopes)

        account = self._claim(name, actor, repeatable)
        return self._register(account, name, actor, make, repeatable, with_code=True)

    def sign_up_here(
        self,
        actor: Actor,
        name: str,
        kind: str,
        scopes: tuple[str, ...],
        browser: str | None,
        repeatable: Repeatable | None = None,
    ) -> tuple[Issued, SignedIn]:
        """As `open_account`, and sign a browser in with the new token, in one step. A repetition signs it in anew.

        KeyExpired also for a repetition after anything was revoked: somebody who has signed out of a shared browser
        does not want the next person to send the form again.
        """
        account = self._claim(name, actor, repeatable)
        session = new_secret("plys", account)

        def make(given: Given) -> RegisterPlayer:
            digest = digest_of(session)
            return RegisterPlayer(**given, name=name, kind=kind, scopes=scopes, session=digest, browser=browser)

        issued = self._register(account, name, actor, make, repeatable, with_code=True)
        if not issued.replayed:
            return issued, _signed_in(issued.player, session)
        return issued, self._begin_again(issued, browser)

    def recover_here(
        self, name: str, code: str, browser: str | None, revoke_others: bool, repeatable: Repeatable | None = None
    ) -> tuple[Issued, SignedIn]:
        """As `recover`, and sign a browser in with the new token. A repetition is as in `sign_up_here`."""
        issued = self.recover(name, code, browser, revoke_others, repeatable)
        if issued.replayed:
            return issued, self._begin_again(issued, browser)
        return issued, self.begin_session(issued.token, browser)

    def _begin_again(self, issued: Issued, browser: str | None) -> SignedIn:
        now = self.players.read(issued.player.stream)
        # Without an end of anything, each event since then has issued one token or session.
        if now.version - issued.player.version != len(now.tokens) - len(issued.player.tokens):
            raise KeyExpired
        return self.begin_session(issued.token, browser)

    def recover(
        self, name: str, code: str, label: str | None, revoke_others: bool, repeatable: Repeatable | None = None
    ) -> Issued:
        """A new token, and a new recovery code, for whoever has the name or id of an account and its present code.

        WrongPerson, always the same, unless both belong together. For a repetition see `issue`.
        """
        # Reading an account that does not exist takes as long as reading one that does.
        account = self.find_named(name) or stream_id("player", _new_command(_RECOVERY))
        if self.players.read(account).version == 0:
            raise refuse_recovery()

        def make(given: Given) -> RecoverAccount:
            digest = digest_of_code(code)
            return RecoverAccount(**given, code=digest, label=label, revoke_others=revoke_others)

        return self.issue(account, _RECOVERY, make, repeatable, with_code=True)

    def set_code(self, who: Principal, repeatable: Repeatable | None = None) -> tuple[Player, str]:
        """The account with a new recovery code, and its text; the code that it had is void.

        If the request is repeated within REPEATED_MS, the code is the same; later, or if another one has replaced it
        since, KeyExpired.
        """
        actor = Actor("player", who.account)
        codes = list(repeatable.derive_codes(who.account)) if repeatable else [new_code()]
        asked = repeatable.command if repeatable else _new_command(actor)
        given: Given = {"actor": actor, "at": now_ms(), "id": asked.id.hex(), "under": who.digest}
        command = SetRecoveryCode(**given, digest=digest_of_code(codes[0]))
        answer = self.players.execute(who.account, lambda _: command, asked)
        if not answer.replayed:
            return answer.state, codes[0]
        player = self.players.read(who.account)
        for code in codes:
            found = player.recovery
            if found and found.digest == digest_of_code(code) and now_ms() < found.made_at + REPEATED_MS:
                return player, code
        raise KeyExpired

    def _register(
        self,
        account: str,
        name: str,
        actor: Actor,
        make: Callable[[Given], RegisterPlayer],
        repeatable: Repeatable | None = None,
        with_code: bool = False,
    ) -> Issued:
        """Open the account that a name is kept for. Nobody else can open it, then or later."""
        try:
            return self.issue(account, actor, make, repeatable, new=True, with_code=with_code)
        except WrongTime as refusal:
            if refusal.code != "player/exists":
                raise
            raise self._refuse_taken(name) from None

    def _claim(self, name: str, actor: Actor, repeatable: Repeatable | None = None, official: bool = False) -> str:
        """The id of the account that the name is kept for, from now on if the name was free; WrongTime if it is taken.

        A request that has opened an account already takes no second name for it: its account is the one.
        """
        require_name(name, official)
        if not official:
            require_unreserved(fold_lookalikes(name))
        asked = repeatable.command if repeatable else _new_command(actor)
        own = stream_id("player", asked)
        if repeatable and self.players.read(own).version:
            return own
        streams = streams_of_name(name)
        # Whoever asks for a taken name leaves no trace in the store.
        if any(map(self._find_opened, streams)):
            raise self._refuse_taken(name)
        # Whoever asks again for a name that is kept for an account which was never opened opens that one.
        account = self._keep(streams[0], own, actor, asked)
        if any(self._keep(stream, account, actor, asked) != account for stream in streams[1:]):
            raise self._refuse_taken(name)
        return account

    def _keep(self, stream: str, account: str, actor: Actor, asked: port.CommandKey) -> str:
        """The account that the stream of a name says it is kept for, which is this one if the name was free."""
        known = self.names.read(stream)
        if known.version:
            return known.player
        command = ClaimName(actor=actor, at=now_ms(), id=asked.id.hex(), player=account)
        try:
            return self.names.execute(stream, lambda _: command, asked, new=True).state.player
        except WrongTime:
            # Somebody else was faster.
            return self.names.read(stream).player

    def _refuse_taken(self, name: str) -> WrongTime:
        owner = next(filter(None, map(self._find_opened, streams_of_name(name))), None)
        taken = self.name_of(owner) if owner else None
        if taken is None:
            why = f"{name}, or a name that looks like it, is being given to somebody else"
        elif taken == name:
            why = f"there is a player called {name}"
        elif fold_width(taken) == fold_width(name):
            why = f"there is a player called {taken}; capitals, the width of characters and spaces make no difference"
        else:
            why = f"there is a player called {taken}, which looks like {name}"
        free = self._suggest(name)
        if free is None:
            return WrongTime("player/name-taken", f"{why}: choose another name")
        return WrongTime("player/name-taken", f"{why}: choose another name, such as {free}", suggestion=free)

    def _suggest(self, name: str) -> str | None:
        """A name like this one that is free now; None if none of a few is."""
        begin = name[: MAX_NAME_LENGTH - 4].strip()
        for number in (2, 3, 4, 5, 20 + secrets.randbelow(80), 200 + secrets.randbelow(800)):
            tried = f"{begin} {number}"
            taken = any(self.names.read(stream).version for stream in streams_of_name(tried))
            if is_name(tried) and not (taken or is_reserved(fold_lookalikes(tried))):
                return tried
        return None

    def _find_opened(self, stream: str) -> str | None:
        """The account that has the name of this stream; None if it is free, or kept for one that was never opened."""
        owner = self.names.read_until(stream, lambda claimed: claimed.version > 0, near=1).player
        return owner if owner and self.name_of(owner) else None

    def find_named(self, name: str) -> str | None:
        """The account with this name, or this id, which need not have been opened; None if nobody has the name."""
        return name if is_stream_id("player", name) else self._find_opened(name_stream(name))

    def issue(
        self,
        account: str,
        actor: Actor,
        make: Callable[[Given], Command],
        repeatable: Repeatable | None = None,
        new: bool = False,
        with_code: bool = False,
    ) -> Issued:
        """The account and the text of its new token, issued by the command that `make` builds; raises its Refusal.

        `make` gets the fields that every such command needs, also the digest of a recovery code if it is issued
        `with_code`. Nobody else learns the texts, and they are not stored. If the request is repeated within
        REPEATED_MS, its texts are the same; later KeyExpired. KeyReused if the request differs from the first one.
        """
        drawn = _draw_secrets(repeatable, account)
        asked = _new_command(actor) if repeatable is None else repeatable.command
        given: Given = {"actor": actor, "at": now_ms(), "id": asked.id.hex(), "digest": digest_of(drawn[0].token)}
        if with_code:
            given["recovery"] = digest_of_code(drawn[0].code)
        answer = self.players.execute(account, lambda _: make(given), asked, new=new)
        self._forget(account)
        if not answer.replayed:
            return Issued(answer.state, drawn[0].token, code=drawn[0].code if with_code else None)
        token, code = _find_issued(drawn, answer.state, now_ms())
        current = self.players.read(account).recovery if with_code else None
        still = current is not None and current.digest == digest_of_code(code)
        return Issued(answer.state, token, answer.replayed, code if still else None)

    def revoke(self, who: Principal, token: str, asked: port.CommandKey | None = None) -> int:
        """End a token or session of the account now, and return when it ended (UTC milliseconds).

        Refusal as for RevokeToken.
        """
        actor = Actor("player", who.account)
        asked = asked or _new_command(actor)
        command = RevokeToken(actor=actor, at=now_ms(), id=asked.id.hex(), token=token)
        revoked = self.players.execute(who.account, lambda _: command, asked).events[-1]
        self._forget(who.account)
        data: Any = PLAYER.parse(revoked).data
        return int(data.ends_at)

    def appoint_organiser(self, account: str, actor: Actor, asked: port.CommandKey | None = None) -> Player:
        """Make an account an organiser, whose browsers may announce tournaments; WrongTime if it is one already.

        If another process has asked for one of its sessions, that process may not know it for ten more seconds.
        """
        return self._change_office(account, AppointOrganiser, actor, asked)

    def dismiss_organiser(self, account: str, actor: Actor, asked: port.CommandKey | None = None) -> Player:
        """Make an account an organiser no longer; WrongTime if it is none. The tournaments that it announced go on."""
        return self._change_office(account, DismissOrganiser, actor, asked)

    def _change_office(
        self,
        account: str,
        change: type[AppointOrganiser | DismissOrganiser],
        actor: Actor,
        asked: port.CommandKey | None,
    ) -> Player:
        asked = asked or _new_command(actor)
        command = change(actor=actor, at=now_ms(), id=asked.id.hex())
        done = self.players.execute(account, lambda _: command, asked)
        self._forget(account)
        return done.state

    def begin_session(self, token: str, browser: str | None) -> SignedIn:
        """Sign a browser in with a token; Unauthenticated if the token is not a valid one of ours, else its Refusal."""
        who = self.authenticate(token)
        session, actor = new_secret("plys", who.account), Actor("player", who.account)
        asked = _new_command(actor)
        given: Given = {"actor": actor, "at": now_ms(), "id": asked.id.hex()}
        command = BeginSession(**given, under=who.digest, digest=digest_of(session), browser=browser)
        answer = self.players.execute(who.account, lambda _: command, asked)
        self._forget(who.account)
        return _signed_in(answer.state, session)

    def end_sessions(self, who: Principal, asked: port.CommandKey | None = None) -> int:
        """End all sessions of the account now, and return how many; WrongTime if there is none."""
        actor = Actor("player", who.account)
        asked = asked or _new_command(actor)
        command = EndSessions(actor=actor, at=now_ms(), id=asked.id.hex())
        ended = self.players.execute(who.account, lambda _: command, asked).events
        self._forget(who.account)
        return len(ended)

    def authenticate(self, token: str) -> Principal:
        """Who the token stands for; Unauthenticated if it is not a valid token of ours.

        A token expires on time. If another process revokes it, this process may trust it for up to ten more seconds.
        """
        return self._authenticate(token, self._tokens, TOKEN)

    def recall(self, token: str) -> Principal | None:
        """Who the token stands for, if `authenticate` found that out in this process a moment ago; None otherwise."""
        return self._recall(digest_of(token), self._tokens)

    def authenticate_session(self, session: str) -> Principal:
        """As `authenticate`, for the session of a browser."""
        return self._authenticate(session, self._sessions, SESSION)

    def _authenticate(self, token: str, cache: _Cache, form: re.Pattern[str]) -> Principal:
        digest = digest_of(token)
        if (known := self._recall(digest, cache)) is not None:
            return known
        asked_at, changes = time.monotonic(), self._changes
        principal, lives_s = self._look_up(token, digest, form)
        with self._lock:
            if len(cache) >= MAX_CACHED:
                cache.clear()
            # If another thread has changed an account since, what was read may be out of date.
            if changes == self._changes:
                cache[digest] = (asked_at + min(CACHED_S, lives_s), principal)
        return principal

    def _recall(self, digest: str, cache: _Cache) -> Principal | None:
        with self._lock:
            expires, principal = cache.get(digest, (0.0, None))
        return principal if time.monotonic() < expires else None

    def name_of(self, account: str) -> str:
        """The name of an account. It never changes, so each process asks the store for it only once."""
        return self.players.read_until(account, lambda player: player.version > 0, near=1).name

    def owner_of(self, name: str) -> str | None:
        """The account that has this name, or one that looks like it; None if nobody has it.

        Accounts of earlier releases may have the same name. Then the oldest one counts as its owner.
        """
        return self._find_opened(streams_of_name(name)[-1])

    def _look_up(self, token: str, digest: str, form: re.Pattern[str]) -> tuple[Principal, float]:
        """Who the token or session stands for, and for how many more seconds."""
        parts = form.fullmatch(token)
        if parts is None:
            raise Unauthenticated(_NOT_OURS[form])
        player, now = self.players.read(f"player-{parts[1]}"), now_ms()
        # The lookup is by digest, so its timing reveals nothing useful about the token.
        found = player.tokens.get(digest)
        if found is None or not found.is_valid(now) or (found.session_of is None) is not (form is TOKEN):
            raise Unauthenticated(_NOT_VALID[form])
        lives_s = inf if found.expires_at is None else (found.expires_at - now) / 1000
        return Principal(player.stream, player.scopes_of(found), digest), lives_s

    def _forget(self, account: str) -> None:
        """Drop all tokens and sessions of the account from the caches."""
        with self._lock:
            self._changes += 1
            for cache in (self._tokens, self._sessions):
                for digest in [digest for digest, (_, who) in cache.items() if who.account == account]:
                    del cache[digest]


_RECOVERY = Actor("system", "recovery")

_NOT_OURS = {
    TOKEN: "this is not one of our tokens, which read ply_<account>_<secret>",
    SESSION: "this is not a session of this service: sign in again",
}
_NOT_VALID = {
    TOKEN: "the token is not valid: it never was, or it has expired, or it was revoked",
    SESSION: "the session has ended: sign in again",
}


def new_secret(word: str, account: str) -> str:
    """A new secret text that names its account: `ply_…` is a token, `plys_…` a session."""
    return _format_secret(word, account, secrets.token_urlsafe(TOKEN_BYTES))


def _format_secret(word: str, account: str, secret: str) -> str:
    return f"{word}_{account.removeprefix('player-')}_{secret}"


def _draw_secrets(repeatable: Repeatable | None, account: str) -> list[_Secrets]:
    """The texts for a request, for a repeatable one under each of our keys."""
    if repeatable is None:
        return [_Secrets(new_secret("ply", account), new_code())]
    tokens = [_format_secret("ply", account, secret) for secret in repeatable.derive_secrets(account)]
    return list(map(_Secrets, tokens, repeatable.derive_codes(account)))


def _find_issued(drawn: list[_Secrets], player: Player, now_ms: int) -> _Secrets:
    """Those of these texts that were just issued; KeyExpired if that is too long ago, or their key is gone."""
    for each in drawn:
        found = player.tokens.get(digest_of(each.token))
        if found is not None and now_ms < found.issued_at + REPEATED_MS:
            return each
    raise KeyExpired


@lru_cache(maxsize=10_000)
def streams_of_name(name: str) -> tuple[str, ...]:
    """The streams that an account with this name claims: the one that stays for ever, and that of its lookalikes."""
    # Pages ask for each name that they show.
    return tuple(dict.fromkeys((name_stream(name), name_stream(fold_lookalikes(name)))))


def _signed_in(player: Player, session: str) -> SignedIn:
    return SignedIn(session, player.tokens[digest_of(session)].expires_at or 0)


def _new_command(actor: Actor) -> port.CommandKey:
    return command_of(str(actor), "", "", None, b"")


def digest_of(token: str) -> str:
    """What is stored of a token: the SHA-256 of its text, in hex."""
    return sha256(token.encode(errors="surrogateescape")).hexdigest()
