"""Accounts and their tokens. A token is shown once; the store holds its SHA-256 alone."""

import re
import secrets
import threading
import time
from dataclasses import dataclass
from hashlib import sha256

from domain.commands import Actor, Command
from domain.player import Player, RegisterPlayer, decide_player, fold_player
from service.clock import now_ms
from service.errors import ScopeMissing, Unauthenticated
from service.handlers import Aggregate, Decided, Handler
from service.ids import command_of, stream_id
from service.store.port import EventStore

TOKEN = re.compile(r"ply_([a-z2-7]{26})_[A-Za-z0-9_-]{43}")
TOKEN_BYTES = 32
CACHED_S = 10.0
"""How long a token is trusted without asking the store again."""

MAX_CACHED = 10_000


def _decide(command: Command, player: Player) -> Decided[Player]:
    return Decided(decide_player(command, player))  # type: ignore[arg-type]


PLAYERS: Aggregate[Player] = Aggregate(Player, fold_player, _decide)


@dataclass(frozen=True, slots=True)
class Principal:
    """Who a request comes from, and what its token covers."""

    account: str
    scopes: tuple[str, ...]

    def require(self, *scopes: str) -> None:
        """ScopeMissing unless the token has one of these scopes."""
        if not set(scopes) & set(self.scopes):
            raise ScopeMissing(f"the token covers {', '.join(self.scopes)}; this needs {' or '.join(scopes)}")


class Accounts:
    """Sign-up and authentication; safe to share between threads."""

    def __init__(self, store: EventStore) -> None:
        self.players = Handler(store, PLAYERS)
        self._cache: dict[str, tuple[float, Principal]] = {}
        self._lock = threading.Lock()

    def sign_up(self, actor: Actor, name: str, kind: str, scopes: tuple[str, ...]) -> tuple[Player, str]:
        """A new account and its first token; WrongValue where name, kind or scopes cannot be."""
        remembered = command_of(str(actor), "POST", "/v1/players", None, b"")
        stream = stream_id("player", remembered)
        token = f"ply_{stream.removeprefix('player-')}_{secrets.token_urlsafe(TOKEN_BYTES)}"
        command = RegisterPlayer(
            actor=actor,
            at=now_ms(),
            id=remembered.id.hex(),
            name=name,
            kind=kind,
            scopes=scopes,
            digest=_digest(token),
        )
        answer = self.players.execute(stream, lambda _: command, remembered, new=True)
        return answer.state, token

    def authenticate(self, token: str) -> Principal:
        """Who the token stands for; Unauthenticated where it is none of ours. Trusted for ten seconds at most."""
        digest = _digest(token)
        with self._lock:
            expires, principal = self._cache.get(digest, (0.0, None))
        if principal is not None and time.monotonic() < expires:
            return principal
        principal = self._look_up(token, digest)
        with self._lock:
            if len(self._cache) >= MAX_CACHED:
                self._cache.clear()
            self._cache[digest] = (time.monotonic() + CACHED_S, principal)
        return principal

    def _look_up(self, token: str, digest: str) -> Principal:
        parts = TOKEN.fullmatch(token)
        if parts is None:
            raise Unauthenticated("the token is not one of ours: it reads ply_<account>_<secret>")
        player = self.players.read(f"player-{parts[1]}")
        # The digest is looked up, not the token: how long that takes tells nothing of use.
        scopes = player.tokens.get(digest)
        if scopes is None:
            raise Unauthenticated("the token is not valid")
        return Principal(player.stream, scopes)


def _digest(token: str) -> str:
    return sha256(token.encode(errors="surrogateescape")).hexdigest()
