"""What the tests of workers begin with: a process over a store on a server, and the streams that its commands make."""

from types import ModuleType
from typing import Any

import pytest
from redis import Redis

from plyscribe.domain.codec import parse_event
from plyscribe.domain.commands import Actor, Command, CreateMatch
from plyscribe.domain.events import Account
from plyscribe.domain.match import Match
from plyscribe.domain.tournament.commands import CreateTournament
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts, compose
from plyscribe.service.config import Config
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import CommandKey
from plyscribe.service.store.redis import RedisStore
from plyscribe.service.streams.ids import command_of, stream_id
from plyscribe.workers.relay import Relay
from tests.service.conftest import CONFIG

ANN, BEN = (Actor("player", f"player-{letter * 26}") for letter in "ab")
ME = Account(ANN.id)
ORGANISER = Actor("organiser", "player-" + "o" * 26)


class Killed(BaseException):
    """Stands for a kill: the process does nothing after it."""


def kill(*_: object, **__: object) -> None:
    raise Killed


def new_key() -> CommandKey:
    """The key of a request that nobody sends again."""
    return command_of("test", "POST", "/", None, b"")


def put_forward(monkeypatch: pytest.MonkeyPatch, module: ModuleType, ms: int) -> None:
    """Stop the clock of a module at this time from now."""
    now = now_ms() + ms
    monkeypatch.setattr(module, "now_ms", lambda: now)


class Workplace:
    """A process over a store; a subclass gives it a relay."""

    relay: Relay

    def __init__(self, redis: Redis, config: Config = CONFIG) -> None:
        self.redis, self.config = redis, config
        self.parts = self.new_parts()

    def new_parts(self) -> Parts:
        """The parts of another process."""
        return compose(self.config, RedisStore(self.redis), self.redis)

    def open(self, command: type[Command], actor: Actor = ANN, **fields: Any) -> str:
        """Open a match or a tournament, and return its id."""
        stream = stream_id("match" if command is CreateMatch else "tournament", new_key())
        self.do(stream, command, actor, **fields)
        return stream

    def do(self, stream: str, command: type[Command], actor: Actor = ANN, **fields: Any) -> Any:
        """Carry out a command, and return the state of its stream."""
        asked, kind = new_key(), stream.partition("-")[0]
        if kind == "match" and command is not CreateMatch:
            fields.setdefault("secret", self.parts.secret_for(self.read(stream)))
        order = command(**{"actor": actor, "at": self.now_ms(), "id": asked.id.hex(), **fields})
        new = command in (CreateMatch, CreateTournament)
        if kind == "tournament":
            return self.parts.tournaments.execute(stream, order, asked, new=new).state
        handler: Any = self.parts.matches if kind == "match" else self.parts.accounts.players
        return handler.execute(stream, lambda _: order, asked, new=new).state

    def now_ms(self) -> int:
        return now_ms()

    def read(self, match: str) -> Match:
        return self.parts.matches.read(match)

    def status(self, match: str) -> str:
        return str(self.read(match).life.status)

    def types(self, match: str) -> list[str]:
        return [parse_event(entry).data.type for entry in self.parts.store.load(match).entries]

    def spoil(self, stream: str) -> None:
        """Put something that is no stream in the place of a stream."""
        [key] = self.redis.keys(f"*:ev:{stream}")
        self.redis.delete(key)
        self.redis.set(key, "no stream")

    def lose_feed(self) -> None:
        self.redis.delete(*self.redis.keys("*:feed"))

    def list_noted(self, key: str) -> list[str]:
        """What an agenda holds, the earliest first."""
        return [member.decode() for member in self.redis.zrange(key, 0, -1)]

    def follow(self) -> None:
        """Relay the whole feed."""
        while FeedGroup(self.redis).lag():
            self.relay.step(block_ms=0)
