"""Accounts and their tokens. A token is shown once; the store holds only its SHA-256."""

import re
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from math import inf
from typing import Any

from plyscribe.domain.commands import Actor, Command
from plyscribe.domain.player import PLAYER, Player, RegisterPlayer, RevokeToken
from plyscribe.service.clock import now_ms
from plyscribe.service.errors import ScopeMissing, Unauthenticated
from plyscribe.service.store import port
from plyscribe.service.store.port import EventStore
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import command_of, stream_id

TOKEN = re.compile(r"ply_([a-z2-7]{26})_[A-Za-z0-9_-]{43}")
TOKEN_BYTES = 32
CACHED_S = 10.0
"""How long a process trusts a token before it asks the store again."""

MAX_CACHED = 10_000


Given = dict[str, Any]
"""Fields of a command that issues a token: who asks, when, the command's id, and the digest of the token."""


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a request comes from, the scopes of its token, and the token's digest."""

    account: str
    scopes: tuple[str, ...]
    digest: str = ""

    def require(self, *scopes: str) -> None:
        """ScopeMissing unless the token has one of these scopes."""
        if not set(scopes) & set(self.scopes):
            raise ScopeMissing(f"the token covers {', '.join(self.scopes)}; this needs {' or '.join(scopes)}")


class Accounts:
    """Sign-up, tokens and authentication; safe to share between threads."""

    def __init__(self, store: EventStore) -> None:
        self.players = Handler(store, PLAYER)
        self._cache: dict[str, tuple[float, Principal]] = {}
        self._changes = 0
        self._lock = threading.Lock()

    def sign_up(self, actor: Actor, name: str, kind: str, scopes: tuple[str, ...]) -> tuple[Player, str]:
        """A new account and its first token; WrongValue if the name, kind or scopes are invalid."""

        def make(given: Given) -> RegisterPlayer:
            return RegisterPlayer(**given, name=name, kind=kind, scopes=scopes)

        return self.issue(stream_id("player", _new_command(actor)), actor, make, new=True)

    def issue(
        self, account: str, actor: Actor, make: Callable[[Given], Command], new: bool = False
    ) -> tuple[Player, str]:
        """The account and the text of its new token, issued by the command that `make` builds; raises its Refusal.

        `make` gets the fields that every such command needs. Nobody else learns the text, and it is not stored.
        """
        token = f"ply_{account.removeprefix('player-')}_{secrets.token_urlsafe(TOKEN_BYTES)}"
        asked = _new_command(actor)
        given = {"actor": actor, "at": now_ms(), "id": asked.id.hex(), "digest": digest_of(token)}
        answer = self.players.execute(account, lambda _: make(given), asked, new=new)
        self._forget(account)
        return answer.state, token

    def revoke(self, who: Principal, token: str, asked: port.CommandKey) -> int:
        """End a token of the account now, and return when it ended (UTC milliseconds). Refusal as for RevokeToken."""
        actor = Actor("player", who.account)
        command = RevokeToken(actor=actor, at=now_ms(), id=asked.id.hex(), token=token)
        revoked = self.players.execute(who.account, lambda _: command, asked).events[-1]
        self._forget(who.account)
        data: Any = PLAYER.parse(revoked).data
        return int(data.ends_at)

    def authenticate(self, token: str) -> Principal:
        """Who the token stands for; Unauthenticated if it is not a valid token of ours.

        A token expires on time. If another process revokes it, this process may trust it for up to ten more seconds.
        """
        digest = digest_of(token)
        with self._lock:
            expires, principal = self._cache.get(digest, (0.0, None))
        if principal is not None and time.monotonic() < expires:
            return principal
        asked_at, changes = time.monotonic(), self._changes
        principal, lives_s = self._look_up(token, digest)
        with self._lock:
            if len(self._cache) >= MAX_CACHED:
                self._cache.clear()
            # If another thread has changed an account since, what was read may be out of date.
            if changes == self._changes:
                self._cache[digest] = (asked_at + min(CACHED_S, lives_s), principal)
        return principal

    def name_of(self, account: str) -> str:
        """The name of an account. It never changes, so each process asks the store for it only once."""
        return self.players.read_until(account, lambda player: player.version > 0, near=1).name

    def _look_up(self, token: str, digest: str) -> tuple[Principal, float]:
        """Who the token stands for, and for how many more seconds."""
        parts = TOKEN.fullmatch(token)
        if parts is None:
            raise Unauthenticated("this is not one of our tokens, which read ply_<account>_<secret>")
        player, now = self.players.read(f"player-{parts[1]}"), now_ms()
        # The lookup is by digest, so its timing reveals nothing useful about the token.
        found = player.tokens.get(digest)
        if found is None or not found.is_valid(now):
            raise Unauthenticated("the token is not valid: it never was, or it has expired, or it was revoked")
        lives_s = inf if found.expires_at is None else (found.expires_at - now) / 1000
        return Principal(player.stream, found.scopes, digest), lives_s

    def _forget(self, account: str) -> None:
        """Drop all tokens of the account from the cache."""
        with self._lock:
            self._changes += 1
            self._cache = {digest: known for digest, known in self._cache.items() if known[1].account != account}


def _new_command(actor: Actor) -> port.CommandKey:
    return command_of(str(actor), "", "", None, b"")


def digest_of(token: str) -> str:
    """What is stored of a token: the SHA-256 of its text, in hex."""
    return sha256(token.encode(errors="surrogateescape")).hexdigest()
