"""Inboxes over a real store: each notice is written once, whatever happens to the relay."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from redis import Redis

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.commands import Actor, CreateMatch, MakeMove, OfferDraw, TakeSeat
from plyscribe.domain.events import Account
from plyscribe.domain.kinds import MATCH
from plyscribe.domain.tournament import commands
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.database.feed_places import Places
from plyscribe.service.lists.matches import MatchFilter
from plyscribe.service.lists.projections import ListSink, rebuild
from plyscribe.service.lists.registry import Lists, open_lists
from plyscribe.service.live import letters as letters_module
from plyscribe.service.live.inboxes import FORGOTTEN_MS, Inboxes, Received, inbox_of
from plyscribe.service.live.letters import LetterSink
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.port import BUCKETS, Loaded, Stretch
from plyscribe.service.store.redis import RedisStore
from plyscribe.service.streams.handler import Handler
from plyscribe.workers import relay as relay_module
from plyscribe.workers.duties import Duty
from plyscribe.workers.duties.deadlines import Deadlines
from plyscribe.workers.duties.inboxes import InboxCare
from plyscribe.workers.duties.projecting import Projector
from plyscribe.workers.duties.reading_ahead import ReadingAhead
from plyscribe.workers.relay import Relay
from tests.service.conftest import CONFIG
from tests.workers.given import ANN, BEN, ME, ORGANISER, Killed, Workplace, kill


class Rig(Workplace):
    """A store, a relay that only writes inboxes, and matches of Ann against Ben."""

    def __init__(self, redis: Redis, read_url: str) -> None:
        super().__init__(redis, replace(CONFIG, read_url=read_url))
        self.relay = self.new_relay()
        self.relay.step(block_ms=0)
        self.build()

    def new_relay(self, *others: Callable[[Parts, Handler], Duty]) -> Relay:
        parts, feed = self.new_parts(), FeedGroup(self.redis)
        states = Handler(parts.store, MATCH)
        sink = sink_of(parts, states)
        sinks = [sink, ListSink(open_lists_of(parts, states, self.redis).projections)]
        projector = Projector(feed, parts.database, sinks, [parts.inboxes.tables])
        projector.chores[0]._every_s = 0.0
        duties = [ReadingAhead(sink), projector, InboxCare(parts.inboxes, sink)]
        return Relay(feed, [*duties, *(make(parts, states) for make in others)])

    def drain(self, relay: Relay | None = None) -> None:
        """Relay everything; a batch has only a few entries of each bucket."""
        for _ in range(4):
            (relay or self.relay).step(block_ms=0)

    def build(self) -> None:
        [inboxes] = [each for each in self.parts.projections if each.name == "inboxes"]
        rebuild(self.parts.store, inboxes)

    def open_match(self, moves: int = 0, **more: object) -> str:
        match = self.open(CreateMatch, ruleset="zhen", seats=(ME, Account(BEN.id)), **more)
        self.do(match, TakeSeat, BEN, seat=2)
        self.play(match, moves)
        return match

    def play(self, match: str, moves: int, first: int = 1) -> None:
        for tile in range(first, first + moves):
            self.do(match, MakeMove, ANN if tile % 2 else BEN, move=f"+{tile}")

    def read_inbox(self, player: Actor) -> list[bytes]:
        return [each.data for each in self.entries(player)]

    def entries(self, player: Actor = BEN) -> list[Received]:
        return self.parts.inboxes.read(player.id, 0, 1000).entries

    def notices(self, player: Actor = BEN) -> list[tuple[bytes, int]]:
        """The types and versions of a player's notices."""
        notices = self.read_inbox(player)
        return [(data.split(b'"')[3], int(data.split(b'"version":')[1].split(b",")[0])) for data in notices]


@pytest.fixture
def rig(redis: Redis, read_url: str) -> Rig:
    return Rig(redis, read_url)


def sink_of(parts: Parts, states: Handler) -> LetterSink:
    return LetterSink(parts.inboxes, states, parts.accounts.players, parts.tournaments.handler)


def open_lists_of(parts: Parts, states: Handler, redis: Redis) -> Lists:
    players, tournaments = parts.accounts.players, parts.tournaments.handler
    return open_lists(parts.store, redis, parts.database, states, players, parts.imports, tournaments, parts.outbox)


NOTICES_OF_BEN = [(b"seat-offered", 1), (b"match-started", 3), (b"your-decision", 4), (b"your-decision", 6)]
"""After four moves."""


def test_each_player_gets_the_notices_that_concern_it(rig):
    rig.open_match(moves=4)
    rig.drain()
    assert rig.notices() == NOTICES_OF_BEN
    assert rig.notices(ANN) == [(b"match-started", 3), *((b"your-decision", version) for version in (3, 5, 7))]


@pytest.mark.parametrize(
    ("where", "what"),
    [(LetterSink, "collect"), (Inboxes, "enter"), (Places, "move"), (LetterSink, "announce"), (FeedGroup, "ack")],
)
def test_wherever_a_relay_dies_each_notice_comes_once_and_is_announced(rig, monkeypatch, where, what):
    rig.open_match(moves=4)
    position = rig.parts.store.feed_end()
    monkeypatch.setattr(where, what, kill)
    with pytest.raises(Killed):
        rig.relay.step(block_ms=0)
    monkeypatch.undo()
    rig.drain(rig.new_relay())
    assert rig.notices() == NOTICES_OF_BEN
    announced = [entry for entry in rig.parts.store.tail(position).entries if entry.stream == inbox_of(BEN.id)]
    numbers = {each.number for each in rig.entries()}
    assert {number for entry in announced for number in numbers if entry.first <= number <= entry.last} == numbers


def test_two_relays_deliver_everything_once_whichever_comes_first(rig):
    match = rig.open_match()
    rig.drain()
    one, other = rig.new_relay(), rig.new_relay()
    for relay in (one, other):
        relay.step(block_ms=0)
    for first in (1, 3):
        rig.play(match, 2, first=first)
        for relay in (other, one):
            relay.step(block_ms=0)
    rig.drain(one)
    rig.drain(other)
    assert rig.notices() == NOTICES_OF_BEN


@pytest.mark.parametrize("from_the_beginning", [True, False])
def test_a_relay_without_any_memory_delivers_only_what_is_new(rig, from_the_beginning):
    match = rig.open_match(moves=4)
    rig.drain()
    if from_the_beginning:
        for key in rig.redis.keys("*:feed"):
            rig.redis.execute_command("XGROUP DESTROY", key, "relay")
    rig.do(match, OfferDraw)
    rig.drain(rig.new_relay())
    assert rig.notices() == [*NOTICES_OF_BEN, (b"draw-offered", 8)]


def test_inboxes_built_from_the_streams_have_the_entries_that_they_had(rig):
    rig.open_match(moves=4)
    rig.do(rig.open_match(), OfferDraw)
    rig.drain()
    before = {player: rig.entries(player) for player in (ANN, BEN)}
    rig.build()
    assert {player: rig.entries(player) for player in (ANN, BEN)} == before


def test_inboxes_of_a_lost_database_are_built_again_and_numbers_go_on(rig, tmp_path):
    match = rig.open_match(moves=4)
    rig.drain()
    before = rig.entries()
    lost = Rig(rig.redis, f"sqlite:///{tmp_path}/another.db")
    assert lost.entries() == before
    lost.play(match, 2, first=5)
    lost.drain()
    assert [each.data for each in lost.entries()[: len(before)]] == [each.data for each in before]
    assert lost.notices() == [*NOTICES_OF_BEN, (b"your-decision", 8)]


def test_a_match_that_cannot_be_read_is_left_out_of_a_build(rig, monkeypatch, caplog):
    broken, whole = rig.open_match(), rig.open_match()
    rig.drain()
    read_events = Handler.read_events
    monkeypatch.setattr(
        Handler,
        "read_events",
        lambda self, stream, *more: 1 / 0 if stream == broken else read_events(self, stream, *more),
    )
    rig.build()
    assert f"nobody is notified of {broken}" in caplog.text
    assert rig.read_inbox(BEN)
    assert all(whole.encode() in data for data in rig.read_inbox(BEN))


def test_old_streams_are_left_out_of_a_build(rig, monkeypatch):
    rig.open_match()
    rig.drain()
    later = now_ms() + FORGOTTEN_MS + 1
    monkeypatch.setattr("plyscribe.service.live.letters.now_ms", lambda: later)
    monkeypatch.setattr(Handler, "read_events", lambda *_: pytest.fail("an old stream was read"))
    rig.build()
    assert rig.read_inbox(BEN) == []


def test_the_matches_of_a_batch_are_read_at_once_for_all_duties(rig, monkeypatch):
    load, load_all, loads = RedisStore.load, RedisStore.load_all, []
    relay = rig.new_relay(lambda parts, states: Deadlines(parts, rig.redis, states))
    relay.step(block_ms=0)
    limits = (None, {"move_ms": 60_000}, {"match_ms": 60_000})
    matches = [rig.open_match(moves=4, limits=each) for each in limits]

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
    for _ in range(3):
        rig.open_match(moves=4)
    rig.drain()
    assert len(rig.notices()) == 3 * len(NOTICES_OF_BEN)


@pytest.mark.parametrize("ahead", [slice(0), slice(2), slice(1, None), slice(None)])
def test_notices_are_the_same_whatever_was_read_ahead(rig, ahead):
    rig.open_match(moves=4)
    rig.open_match(moves=2)
    parts = rig.new_parts()
    sink = sink_of(parts, Handler(parts.store, MATCH))
    entries = parts.store.tail("", 100).entries
    sink.follow(entries[ahead])
    with parts.database.writing() as connection:
        sink.collect(entries)(connection)
    assert sorted(rig.notices()) == sorted([*NOTICES_OF_BEN, *NOTICES_OF_BEN[:3]])


@pytest.mark.parametrize("topic", [b"invited", b"challenged"])
def test_who_is_invited_to_a_tournament_or_challenged_on_a_ladder_is_told_once(rig, topic):
    kind = "swiss" if topic == b"invited" else "ladder"
    terms = {"name": "Cup", "ruleset": "zhen", "format": {"kind": kind}, "seed": 1, "is_open": kind == "ladder"}
    stream = rig.open(commands.CreateTournament, ORGANISER, **terms)
    if topic == b"invited":
        rig.do(stream, commands.InviteEntrant, ORGANISER, player=BEN.id)
    else:
        for actor in (BEN, ANN):
            rig.do(stream, commands.RegisterEntrant, actor, occupant=Account(actor.id))
        rig.do(stream, commands.StartTournament, ORGANISER)
        rig.do(stream, commands.ChallengeEntrant, ANN, opponent=1)
    while FeedGroup(rig.redis).backlog()[0]:
        rig.relay.step(block_ms=0)
    [data] = rig.read_inbox(BEN)
    assert b'"type":"tournament-%b"' % topic in data
    assert (b'"challenger":2' in data) is (topic == b"challenged")
    assert rig.read_inbox(ANN) == []
    rig.build()
    assert rig.read_inbox(BEN) == [data]
