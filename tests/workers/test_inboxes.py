"""Inboxes over a real store: each notice is written once, whatever happens to the relay."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from redis import Redis

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.commands import Actor, CreateMatch, MakeMove, OfferDraw, TakeSeat
from plyscribe.domain.events import Account
from plyscribe.domain.kinds import MATCH
from plyscribe.domain.tournament.commands import (
    ChallengeEntrant,
    CreateTournament,
    InviteEntrant,
    RegisterEntrant,
    StartTournament,
)
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts, compose
from plyscribe.service.database.feed_places import Places
from plyscribe.service.lists.matches import MatchFilter
from plyscribe.service.lists.projections import ListSink, rebuild
from plyscribe.service.lists.registry import Lists, open_lists
from plyscribe.service.live import letters as letters_module
from plyscribe.service.live.inboxes import FORGOTTEN_MS, Inboxes, Received, inbox_of
from plyscribe.service.live.letters import LetterSink
from plyscribe.service.processes.embedded import start_server
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import BUCKETS, Loaded, Stretch
from plyscribe.service.store.redis import RedisStore, connect_client
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import command_of, stream_id
from plyscribe.workers import relay as relay_module
from plyscribe.workers.duties import Duty
from plyscribe.workers.duties.deadlines import Deadlines
from plyscribe.workers.duties.inboxes import InboxCare
from plyscribe.workers.duties.projecting import Projector
from plyscribe.workers.duties.reading_ahead import ReadingAhead
from plyscribe.workers.relay import Relay
from tests.service.conftest import CONFIG

pytestmark = pytest.mark.server

ANN, BEN = (Actor("player", f"player-{name * 26}") for name in "ab")


class Rig:
    """A store, a relay that only writes inboxes, and matches of Ann against Ben."""

    def __init__(self, redis: Redis, read_url: str) -> None:
        self.redis = redis
        self.config = replace(CONFIG, read_url=read_url)
        self.parts = self.new_parts()
        self.relay = self.new_relay()
        self.relay.step(block_ms=0)
        self.build()

    def new_parts(self) -> Parts:
        return compose(self.config, RedisStore(self.redis), self.redis)

    def new_relay(self, *others: Callable[[Parts, Handler], Duty]) -> Relay:
        parts, feed = self.new_parts(), FeedGroup(self.redis)
        states = Handler(parts.store, MATCH)
        sink = LetterSink(parts.inboxes, states, parts.accounts.players, parts.tournaments.handler)
        sinks = [sink, ListSink(open_lists_of(parts, states, self.redis).projections)]
        projector = Projector(feed, parts.database, sinks, [parts.inboxes.tables])
        projector.chores[0]._every_s = 0.0
        duties = [ReadingAhead(sink), projector, InboxCare(parts.inboxes, sink)]
        return Relay(feed, [*duties, *(make(parts, states) for make in others)])

    def build(self) -> None:
        [inboxes] = [each for each in self.parts.projections if each.name == "inboxes"]
        rebuild(self.parts.store, inboxes)

    def execute(self, match: str, command: type, actor: Actor, **fields: object) -> None:
        asked = command_of(str(actor), "POST", "/", None, b"")
        order = command(actor=actor, at=now_ms(), id=asked.id.hex(), **fields)
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
        return [each.data for each in self.entries(player)]

    def entries(self, player: Actor) -> list[Received]:
        return self.parts.inboxes.read(player.id, 0, 1000).entries

    def notices(self, player: Actor) -> list[tuple[bytes, int]]:
        """The types and versions of a player's notices."""
        return [(data.split(b'"')[3], int(data.split(b'"version":')[1].split(b",")[0])) for data in self.read(player)]


@pytest.fixture(scope="module")
def redis(tmp_path_factory) -> Iterator[Redis]:
    with start_server(tmp_path_factory.mktemp("store")) as server, connect_client(server.url, 60.0) as client:
        yield client


@pytest.fixture
def rig(redis: Redis, read_url: str) -> Rig:
    redis.flushall()
    return Rig(redis, read_url)


def open_lists_of(parts: Parts, states: Handler, redis: Redis) -> Lists:
    players, tournaments = parts.accounts.players, parts.tournaments.handler
    return open_lists(parts.store, redis, parts.database, states, players, parts.imports, tournaments, parts.outbox)


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


def die(*_: object) -> None:
    raise SystemExit


@pytest.mark.parametrize(
    ("where", "what"),
    [(LetterSink, "collect"), (Inboxes, "enter"), (Places, "move"), (LetterSink, "announce"), (FeedGroup, "ack")],
)
def test_wherever_a_relay_dies_each_notice_comes_once_and_is_announced(rig, monkeypatch, where, what):
    match = rig.open_match()
    rig.play(match, 4)
    position = rig.parts.store.feed_end()
    monkeypatch.setattr(where, what, die)
    with pytest.raises(SystemExit):
        rig.relay.step(block_ms=0)
    monkeypatch.undo()
    drain(rig.new_relay())
    assert rig.notices(BEN) == NOTICES_OF_BEN
    announced = [entry for entry in rig.parts.store.tail(position).entries if entry.stream == inbox_of(BEN.id)]
    numbers = {each.number for each in rig.entries(BEN)}
    assert {number for entry in announced for number in numbers if entry.first <= number <= entry.last} == numbers


def test_two_relays_deliver_everything_once_whichever_comes_first(rig):
    match = rig.open_match()
    drain(rig.relay)
    one, other = rig.new_relay(), rig.new_relay()
    for relay in (one, other):
        relay.step(block_ms=0)
    for first in (1, 3):
        rig.play(match, 2, first=first)
        for relay in (other, one):
            relay.step(block_ms=0)
    drain(one)
    drain(other)
    assert rig.notices(BEN) == NOTICES_OF_BEN


def test_a_feed_that_is_read_again_from_its_beginning_delivers_nothing_again(rig):
    match = rig.open_match()
    rig.play(match, 4)
    drain(rig.relay)
    for key in rig.redis.keys("*:feed"):
        rig.redis.execute_command("XGROUP DESTROY", key, "relay")
    relay = rig.new_relay()
    drain(relay)
    assert rig.notices(BEN) == NOTICES_OF_BEN


def test_inboxes_built_from_the_streams_have_the_entries_that_they_had(rig):
    match, other = rig.open_match(), rig.open_match()
    rig.play(match, 4)
    rig.execute(other, OfferDraw, ANN)
    drain(rig.relay)
    before = {player: rig.entries(player) for player in (ANN, BEN)}
    rig.build()
    assert {player: rig.entries(player) for player in (ANN, BEN)} == before


def test_inboxes_of_a_lost_database_are_built_again_and_numbers_go_on(rig, tmp_path):
    match = rig.open_match()
    rig.play(match, 4)
    drain(rig.relay)
    before = rig.entries(BEN)
    lost = Rig(rig.redis, f"sqlite:///{tmp_path}/another.db")
    assert lost.entries(BEN) == before
    lost.play(match, 2, first=5)
    drain(lost.relay)
    assert [each.data for each in lost.entries(BEN)[: len(before)]] == [each.data for each in before]
    assert lost.notices(BEN) == [*NOTICES_OF_BEN, (b"your-decision", 8)]


def test_a_match_that_cannot_be_read_is_left_out_of_a_build(rig, monkeypatch, caplog):
    broken, whole = rig.open_match(), rig.open_match()
    drain(rig.relay)
    read_events = Handler.read_events
    monkeypatch.setattr(
        Handler,
        "read_events",
        lambda self, stream, *more: 1 / 0 if stream == broken else read_events(self, stream, *more),
    )
    rig.build()
    assert f"nobody is notified of {broken}" in caplog.text
    assert all(whole.encode() in data for data in rig.read(BEN))
    assert rig.read(BEN)


def test_old_streams_are_left_out_of_a_build(rig, monkeypatch):
    rig.open_match()
    drain(rig.relay)
    later = now_ms() + FORGOTTEN_MS + 1
    monkeypatch.setattr("plyscribe.service.live.letters.now_ms", lambda: later)
    monkeypatch.setattr(Handler, "read_events", lambda *_: pytest.fail("an old stream was read"))
    rig.build()
    assert rig.read(BEN) == []


def test_the_matches_of_a_batch_are_read_at_once_for_all_duties(rig, monkeypatch):
    load, load_all, loads = RedisStore.load, RedisStore.load_all, []
    relay = rig.new_relay(lambda parts, states: Deadlines(parts, rig.redis, states))
    relay.step(block_ms=0)
    matches = [rig.open_match(limits=limits) for limits in (None, {"move_ms": 60_000}, {"match_ms": 60_000})]
    for match in matches:
        rig.play(match, 4)

    def note(store: RedisStore, stretches: Sequence[Stretch]) -> list[list[StoredEvent]]:
        loads.extend(each.stream for each in stretches)
        return load_all(store, stretches)

    def load_player(store: RedisStore, stream: str, *more: Any) -> Loaded:
        assert stream.startswith("player-"), "a match was read by itself"
        return load(store, stream, *more)

    monkeypatch.setattr(relay_module, "BATCH", 100 * len(BUCKETS))
    monkeypatch.setattr(RedisStore, "load_all", note)
    monkeypatch.setattr(RedisStore, "load", load_player)
    relay.step(block_ms=0)
    assert sorted(loads) == sorted(matches)
    monkeypatch.undo()
    assert [b'"ply":4' in row for row in rig.parts.lists.matches.read(MatchFilter(), None, 10, None).rows] == [True] * 3


def test_a_batch_whose_matches_are_read_in_several_parts_brings_the_same_notices(rig, monkeypatch):
    monkeypatch.setattr(letters_module, "READ_TOGETHER", 3)
    matches = [rig.open_match() for _ in range(3)]
    for match in matches:
        rig.play(match, 4)
    drain(rig.relay)
    assert len(rig.notices(BEN)) == len(matches) * len(NOTICES_OF_BEN)


@pytest.mark.parametrize("ahead", [slice(0), slice(2), slice(1, None), slice(None)])
def test_notices_are_the_same_whatever_was_read_ahead(rig, ahead):
    match, other = rig.open_match(), rig.open_match()
    rig.play(match, 4)
    rig.play(other, 2)
    parts = rig.new_parts()
    sink = LetterSink(parts.inboxes, Handler(parts.store, MATCH), parts.accounts.players, parts.tournaments.handler)
    entries = parts.store.tail("", 100).entries
    sink.follow(entries[ahead])
    with parts.database.writing() as connection:
        sink.collect(entries)(connection)
    assert sorted(rig.notices(BEN)) == sorted([*NOTICES_OF_BEN, *NOTICES_OF_BEN[:3]])


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
        order = command(actor=organiser, at=now_ms(), id=asked.id.hex(), **fields)
        rig.parts.tournaments.execute(stream, order, asked, new=command is CreateTournament)
    while FeedGroup(rig.redis).backlog()[0]:
        rig.relay.step(block_ms=0)
    [data] = rig.read(BEN)
    assert b'"type":"tournament-invited"' in data
    rig.build()
    assert rig.read(BEN) == [data]


def test_who_is_challenged_on_a_ladder_is_told_once(rig):
    stream = stream_id("tournament", command_of("test", "POST", "/", None, b""))
    organiser = Actor("organiser", "player-" + "o" * 26)
    terms = {"name": "Ladder", "ruleset": "zhen", "format": {"kind": "ladder"}, "seed": 1, "is_open": True}
    for command, actor, fields in (
        (CreateTournament, organiser, terms),
        (RegisterEntrant, BEN, {"occupant": Account(BEN.id)}),
        (RegisterEntrant, ANN, {"occupant": Account(ANN.id)}),
        (StartTournament, organiser, {}),
        (ChallengeEntrant, ANN, {"opponent": 1}),
    ):
        asked = command_of("test", "POST", "/", None, b"")
        order = command(actor=actor, at=now_ms(), id=asked.id.hex(), **fields)
        rig.parts.tournaments.execute(stream, order, asked, new=command is CreateTournament)
    while FeedGroup(rig.redis).backlog()[0]:
        rig.relay.step(block_ms=0)
    [data] = rig.read(BEN)
    assert b'"type":"tournament-challenged"' in data
    assert b'"challenger":2' in data
    assert rig.read(ANN) == []
    rig.build()
    assert rig.read(BEN) == [data]
