"""Accounts and their tokens. A token is shown once; the store holds its SHA-256 alone."""

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
"""How long a token is trusted without asking the store again."""

MAX_CACHED = 10_000


Given = dict[str, Any]
"""The fields of a command that say who asks and when, and the digest of the token that it issues."""


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a request comes from, what its token covers, and its digest."""

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
        """A new account and its first token; WrongValue where name, kind or scopes cannot be."""

        def make(given: Given) -> RegisterPlayer:
            return RegisterPlayer(**given, name=name, kind=kind, scopes=scopes)

        return self.issue(stream_id("player", _new_command(actor)), actor, make, new=True)

    def issue(
        self, account: str, actor: Actor, make: Callable[[Given], Command], new: bool = False
    ) -> tuple[Player, str]:
        """The account and the text of its new token, issued by the command that `make` builds; Refusal as of that.

        `make` is given who asks, when, and the digest of the token. The text is known to nobody else and not kept.
        """
        token = f"ply_{account.removeprefix('player-')}_{secrets.token_urlsafe(TOKEN_BYTES)}"
        asked = _new_command(actor)
        given = {"actor": actor, "at": now_ms(), "id": asked.id.hex(), "digest": digest_of(token)}
        answer = self.players.execute(account, lambda _: make(given), asked, new=new)
        self._forget(account)
        return answer.state, token

    def revoke(self, who: Principal, token: str, asked: port.CommandKey) -> int:
        """End a token of the account at once; the UTC milliseconds since which it has ended. Refusal: RevokeToken."""
        actor = Actor("player", who.account)
        command = RevokeToken(actor=actor, at=now_ms(), id=asked.id.hex(), token=token)
        revoked = self.players.execute(who.account, lambda _: command, asked).events[-1]
        self._forget(who.account)
        data: Any = PLAYER.parse(revoked).data
        return int(data.ends_at)

    def authenticate(self, token: str) -> Principal:
        """Who the token stands for; Unauthenticated where it is none of ours.

        A token that expires ends on time. One that is revoked in another process is trusted here for ten seconds more
        at most.
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
            # What was read before another thread changed the account is not to be trusted after it.
            if changes == self._changes:
                self._cache[digest] = (asked_at + min(CACHED_S, lives_s), principal)
        return principal

    def name_of(self, account: str) -> str:
        """The name of an account, which never changes, so that each process asks the store for it but once."""
        return self.players.read_until(account, lambda player: player.version > 0, near=1).name

    def _look_up(self, token: str, digest: str) -> tuple[Principal, float]:
        """Who the token stands for, and for how many seconds yet."""
        parts = TOKEN.fullmatch(token)
        if parts is None:
            raise Unauthenticated("the token is not one of ours: it reads ply_<account>_<secret>")
        player, now = self.players.read(f"player-{parts[1]}"), now_ms()
        # The digest is looked up, not the token: how long that takes tells nothing of use.
        found = player.tokens.get(digest)
        if found is None or not found.is_valid(now):
            raise Unauthenticated("the token is not valid: it never was, or it has expired or was revoked")
        lives_s = inf if found.expires_at is None else (found.expires_at - now) / 1000
        return Principal(player.stream, found.scopes, digest), lives_s

    def _forget(self, account: str) -> None:
        """Look all tokens of the account up again."""
        with self._lock:
            self._changes += 1
            self._cache = {digest: known for digest, known in self._cache.items() if known[1].account != account}


def _new_command(actor: Actor) -> port.CommandKey:
    return command_of(str(actor), "", "", None, b"")


def digest_of(token: str) -> str:
    """What is kept of a token: the SHA-256 of its text, in hex."""
    return sha256(token.encode(errors="surrogateescape")).hexdigest()
