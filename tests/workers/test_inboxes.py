"""Inboxes over a real store: each notice is written once, whatever happens to the relay."""

from collections.abc import Iterator, Sequence

import pytest
from redis import Redis

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.commands import Actor, CreateMatch, MakeMove, OfferDraw, TakeSeat
from plyscribe.domain.events import Account
from plyscribe.domain.kinds import MATCH
from plyscribe.domain.tournament.commands import CreateTournament, InviteEntrant
from plyscribe.service.composition import Parts, compose
from plyscribe.service.lists.matches import MatchFilter
from plyscribe.service.processes.embedded import start_server
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import BUCKETS, Stretch
from plyscribe.service.store.redis import RedisStore, connect_client
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import command_of, stream_id
from plyscribe.workers import relay as relay_module
from plyscribe.workers.duties.deadlines import Deadlines
from plyscribe.workers.duties.inboxes import Notices
from plyscribe.workers.duties.listing import Listing
from plyscribe.workers.relay import Relay
from tests.service.conftest import CONFIG

pytestmark = pytest.mark.server

ANN, BEN = (Actor("player", f"player-{name * 26}") for name in "ab")


class Rig:
    """A store, a relay that only writes inboxes, and matches of Ann against Ben."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        self.parts: Parts = compose(CONFIG, RedisStore(redis), redis)
        self.relay = self.new_relay()

    def new_parts(self) -> Parts:
        return compose(CONFIG, RedisStore(self.redis), self.redis)

    def new_relay(self) -> Relay:
        parts = self.new_parts()
        return Relay(FeedGroup(self.redis), [Notices(parts, Handler(parts.store, MATCH))])

    def execute(self, match: str, command: type, actor: Actor, **fields: object) -> None:
        asked = command_of(str(actor), "POST", "/", None, b"")
        order = command(actor=actor, id="00", **fields)
        self.parts.matches.execute(match, lambda _: order, asked, new=command is CreateMatch)

    def open_match(self, **more: object) -> str:
        match = stream_id("match", command_of("test", "POST", "/", None, b""))
        self.execute(match, CreateMatch, ANN, ruleset="zhen", seats=(Account(ANN.id), Account(BEN.id)), **more)
        self.execute(match, TakeSeat, BEN, seat=2)
        return match

    def play(self, match: str, moves: int, first: int = 1) -> None:
        for tile in range(first, first + moves):
            self.execute(match, MakeMove, ANN if tile % 2 else BEN, move=f"+{tile}")

    def read(self, player: Actor) -> list[bytes]:
        return [each.data for each in self.parts.inboxes.read(player.id, 0, 1000)]

    def notices(self, player: Actor) -> list[tuple[bytes, int]]:
        """The types and versions of a player's notices."""
        return [(data.split(b'"')[3], int(data.split(b'"version":')[1].split(b",")[0])) for data in self.read(player)]


@pytest.fixture(scope="module")
def redis(tmp_path_factory) -> Iterator[Redis]:
    with start_server(tmp_path_factory.mktemp("store")) as server, connect_client(server.url) as client:
        yield client


@pytest.fixture
def rig(redis: Redis) -> Rig:
    redis.flushall()
    return Rig(redis)


def drain(relay: Relay) -> None:
    """Relay everything; a batch has only a few entries of each bucket."""
    for _ in range(4):
        relay.step(block_ms=0)


NOTICES_OF_BEN = [(b"seat-offered", 1), (b"match-started", 3), (b"your-decision", 4), (b"your-decision", 6)]


def test_each_player_gets_the_notices_that_concern_it(rig):
    match = rig.open_match()
    rig.play(match, 4)
    drain(rig.relay)
    assert rig.notices(BEN) == NOTICES_OF_BEN
    assert rig.notices(ANN) == [(b"match-started", 3), *((b"your-decision", version) for version in (3, 5, 7))]


def test_a_relay_that_dies_before_it_acknowledges_doubles_nothing(rig, monkeypatch):
    match = rig.open_match()
    rig.play(match, 4)
    monkeypatch.setattr(FeedGroup, "ack", lambda *_: (_ for _ in ()).throw(SystemExit))
    with pytest.raises(SystemExit):
        rig.relay.step(block_ms=0)
    monkeypatch.undo()
    drain(rig.new_relay())
    assert rig.notices(BEN) == NOTICES_OF_BEN


def test_a_relay_that_dies_before_it_writes_leaves_nothing_out(rig, monkeypatch):
    match = rig.open_match()
    rig.play(match, 4)
    monkeypatch.setattr(Notices, "take", lambda *_: (_ for _ in ()).throw(SystemExit))
    with pytest.raises(SystemExit):
        rig.relay.step(block_ms=0)
    monkeypatch.undo()
    drain(rig.new_relay())
    assert rig.notices(BEN) == NOTICES_OF_BEN


def test_two_relays_deliver_everything_once_whichever_comes_first(rig):
    match = rig.open_match()
    drain(rig.relay)
    one, other = rig.new_relay(), rig.new_relay()
    rig.play(match, 2)
    held = one._feed.read(100)
    rig.play(match, 2, first=3)
    drain(other)
    for duty in (*one._duties, *other._duties):
        duty.take(held)
    assert sorted(rig.notices(BEN), key=lambda each: each[1]) == NOTICES_OF_BEN


def test_a_feed_that_is_read_again_from_its_beginning_delivers_nothing_again(rig):
    match = rig.open_match()
    rig.play(match, 4)
    drain(rig.relay)
    for key in rig.redis.keys("*:feed"):
        rig.redis.execute_command("XGROUP DESTROY", key, "relay")
    relay = rig.new_relay()
    drain(relay)
    assert rig.notices(BEN) == NOTICES_OF_BEN


def test_the_matches_of_a_batch_are_read_at_once_for_all_duties(rig, monkeypatch):
    parts, load_all, loads = rig.new_parts(), RedisStore.load_all, []
    states = Handler(parts.store, MATCH)
    duties = Notices(parts, states), Deadlines(parts, rig.redis, states), Listing(parts, rig.redis, states)
    relay = Relay(FeedGroup(rig.redis), duties)
    # No list is built meanwhile either.
    relay._chores.clear()
    relay.step(block_ms=0)
    matches = [rig.open_match(limits=limits) for limits in (None, {"move_ms": 60_000}, {"match_ms": 60_000})]
    for match in matches:
        rig.play(match, 4)

    def note(store: RedisStore, stretches: Sequence[Stretch]) -> list[list[StoredEvent]]:
        loads.extend(each.stream for each in stretches)
        return load_all(store, stretches)

    monkeypatch.setattr(relay_module, "BATCH", 100 * len(BUCKETS))
    monkeypatch.setattr(RedisStore, "load_all", note)
    monkeypatch.setattr(RedisStore, "load", lambda *_: pytest.fail("a stream was read by itself"))
    relay.step(block_ms=0)
    assert sorted(loads) == sorted(matches)
    monkeypatch.undo()
    assert [b'"ply":4' in row for row in parts.lists.matches.read(MatchFilter(), None, 10, None).rows] == [True] * 3


def test_a_relay_without_any_memory_delivers_only_what_is_new(rig):
    match = rig.open_match()
    rig.play(match, 4)
    drain(rig.relay)
    rig.execute(match, OfferDraw, ANN)
    drain(rig.new_relay())
    assert rig.notices(BEN) == [*NOTICES_OF_BEN, (b"draw-offered", 8)]


def test_who_is_invited_to_a_tournament_is_told_once(rig):
    stream = stream_id("tournament", command_of("test", "POST", "/", None, b""))
    organiser = Actor("organiser", ANN.id)
    terms = {"name": "Cup", "ruleset": "zhen", "format": {"kind": "swiss"}, "seed": 1}
    for command, fields in ((CreateTournament, terms), (InviteEntrant, {"player": BEN.id})):
        asked = command_of("test", "POST", "/", None, b"")
        order = command(actor=organiser, id=asked.id.hex(), **fields)
        rig.parts.tournaments.execute(stream, order, asked, new=command is CreateTournament)
    while FeedGroup(rig.redis).backlog()[0]:
        rig.relay.step(block_ms=0)
    Notices(rig.parts, Handler(rig.parts.store, MATCH)).take(rig.parts.store.tail().entries)
    [received] = rig.parts.inboxes.read(BEN.id, 0, 10)
    assert b'"type":"tournament-invited"' in received.data
