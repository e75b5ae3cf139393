"""Shared dice are revealed in all their matches after the last one ends, and never before."""

from collections.abc import Iterator

import pytest
from redis import Redis
from rq.registry import FailedJobRegistry
from rq.serializers import JSONSerializer

from plyscribe.domain.bundle.bundle import describe_head, format_bundle
from plyscribe.domain.codec import parse_event
from plyscribe.domain.commands import AbortMatch, Actor, AnnulMatch, Command, CreateMatch, Secret, StartMatch, Withdraw
from plyscribe.domain.events import Account
from plyscribe.domain.kinds import MATCH
from plyscribe.domain.rulesets import register
from plyscribe.service.composition import Parts, compose
from plyscribe.service.config import Config, parse_key
from plyscribe.service.matches.duplicates import share_dice
from plyscribe.service.processes.embedded import start_server
from plyscribe.service.queues import verify_queue
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import FeedEntry, bucket_of
from plyscribe.service.store.redis import RedisStore, connect_client
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import command_of, stream_id
from plyscribe.workers import verify_match as verify_module
from plyscribe.workers.duties import reveals as reveals_module
from plyscribe.workers.duties.verification import PENDING
from plyscribe.workers.relay import Relay, open_relay
from plyscribe.workers.verify_match import verify_all
from plyscribe.workers.worker import Worker
from tests.domain.toy import TOY_V1
from tests.service.conftest import CONFIG

pytestmark = pytest.mark.server
register(TOY_V1)

ANN = Actor("player", "player-" + "a" * 26)
ORGANISER = Actor("organiser", "player-" + "o" * 26)
SOLO = (Account(ANN.id), Account(ANN.id))
ROTATED = Config("", "", parse_key("00" * 32), open_sign_up=True)


class Killed(BaseException):
    """Stands for a kill: the process does nothing after it."""


class Block:
    """Three matches that share their dice over a real store, with only the first created, and a relay."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis
        self.parts = self.new_parts()
        self.relay = self.new_relay()
        asked = command_of("test", "POST", "/", None, b"")
        self.dice, self.secret = share_dice(self.parts.config.server_key, stream_id("match", asked), 3)
        self.matches = list(self.dice.matches)
        self.create(0)

    def new_parts(self, config: Config = CONFIG) -> Parts:
        return compose(config, RedisStore(self.redis), self.redis)

    def new_relay(self, config: Config = CONFIG) -> Relay:
        return open_relay(self.new_parts(config), self.redis, self.redis)

    def send(self, place: int, command: type[Command], actor: Actor = ANN, **fields: object) -> str:
        asked = command_of(str(actor), "POST", f"/{command.__name__}", None, b"")
        order = command(actor=actor, id=asked.id.hex(), secret=Secret(self.secret), **fields)
        answer = self.parts.matches.execute(self.matches[place], lambda _: order, asked, new=command is CreateMatch)
        return answer.state.life.status

    def create(self, place: int, **more: object) -> None:
        self.send(place, CreateMatch, ruleset="toy", seats=SOLO, dice=self.dice, **more)

    def end(self, place: int) -> None:
        assert self.send(place, Withdraw, seat=1) == "ended"

    def follow(self, relay: Relay | None = None) -> None:
        """Relay the whole feed."""
        while FeedGroup(self.redis).lag():
            (relay or self.relay).step(block_ms=0)

    def types(self, place: int) -> list[str]:
        return [parse_event(entry).data.type for entry in self.parts.store.load(self.matches[place]).entries]

    def revealed(self) -> list[int]:
        """How often each match has revealed its dice."""
        return [self.types(place).count("dice-revealed") for place in range(len(self.matches))]

    def verify(self) -> list[str]:
        """Verify the matches that are created, and return their statuses."""
        states = [self.parts.matches.read(match) for match in self.matches]
        return verify_all(self.parts, [(state.stream, state.version) for state in states if state.version])


@pytest.fixture(scope="module")
def redis(tmp_path_factory) -> Iterator[Redis]:
    with start_server(tmp_path_factory.mktemp("store")) as server, connect_client(server.url, 60.0) as client:
        yield client


@pytest.fixture
def block(redis: Redis) -> Block:
    register(TOY_V1)
    redis.flushall()
    return Block(redis)


def test_an_import_under_the_id_of_a_match_to_come_gives_no_dice_away(block):
    forger, match = compose(CONFIG, MemoryStore()), block.matches[2]
    for command in (
        CreateMatch(actor=ANN, id="a" * 32, secret=Secret(block.secret), ruleset="toy", seats=SOLO, dice=block.dice),
        AbortMatch(actor=ANN, id="b" * 32),
    ):
        asked = command_of("test", "POST", "/", None, b"")
        forger.matches.execute(match, lambda _, command=command: command, asked, new=True)
    state, events = forger.matches.read(match), forger.matches.read_events(match, 0)
    bundle = b"".join(format_bundle(describe_head(match, state.life.created), events))
    imported = block.parts.imports.take(ANN, bundle).imported
    assert block.parts.matches.read(imported.address).life.status == "aborted"
    block.create(1)
    block.end(0)
    block.end(1)
    block.follow()
    assert block.revealed() == [0, 0, 0]
    block.create(2)
    block.end(2)
    block.follow()
    assert block.revealed() == [1, 1, 1]


def test_shared_dice_are_revealed_in_all_matches_when_the_last_one_ends(block):
    block.create(1)
    block.create(2)
    for place in (1, 0):
        block.end(place)
        block.follow()
        assert block.revealed() == [0, 0, 0]
    block.end(2)
    block.follow()
    assert block.revealed() == [1, 1, 1]
    assert {block.parts.matches.read(match).life.secret for match in block.matches} == {block.secret.hex()}


def test_a_match_that_is_not_created_yet_keeps_the_dice_secret(block):
    block.create(1)
    for place in (0, 1):
        block.end(place)
    block.follow()
    assert block.revealed() == [0, 0, 0]
    block.create(2)
    block.follow()
    assert block.revealed() == [0, 0, 0]
    block.end(2)
    block.follow()
    assert block.revealed() == [1, 1, 1]


def test_a_match_that_is_open_or_under_way_keeps_the_dice_secret(block):
    block.create(1)
    block.create(2, start="call")
    block.end(0)
    block.end(1)
    block.follow()
    assert block.revealed() == [0, 0, 0]
    block.send(2, StartMatch)
    block.follow()
    assert block.revealed() == [0, 0, 0]


def test_an_abort_is_an_end(block):
    block.create(1)
    block.create(2, start="call")
    block.end(0)
    assert block.send(1, AbortMatch) == "aborted"
    assert block.send(2, AbortMatch) == "aborted"
    block.follow()
    assert block.revealed() == [1, 1, 1]


def test_the_dice_of_an_annulled_match_are_revealed_too(block):
    block.create(1)
    block.create(2)
    for place in range(3):
        block.end(place)
    assert block.send(0, AnnulMatch, ORGANISER, why="test") == "annulled"
    block.follow()
    assert block.revealed() == [1, 1, 1]


def test_verdict_and_score_wait_for_the_reveal(block):
    block.create(1)
    block.create(2)
    block.end(0)
    block.end(1)
    block.follow()
    assert block.verify() == ["ended", "ended", "playing"]
    block.end(2)
    block.follow()
    assert block.verify() == ["scored"] * 3


def test_a_match_that_waits_for_others_is_neither_swept_for_nor_logged_as_an_alarm(block, monkeypatch):
    block.create(1)
    block.end(0)
    block.follow()
    verifications = next(duty for duty in block.relay._duties if hasattr(duty, "sweep"))
    with monkeypatch.context() as patch:
        patch.setattr("plyscribe.workers.duties.verification.now_ms", lambda: 2**42)
        verifications.sweep()
    assert block.redis.zcard(PENDING) == 0


def test_the_matches_are_verified_after_the_reveal(block, monkeypatch):
    monkeypatch.setattr(verify_module, "process_parts", lambda: block.parts)
    block.create(1)
    block.create(2)
    for place in range(3):
        block.end(place)
        block.follow()
        worker = Worker([verify_queue(block.redis)], connection=block.redis, serializer=JSONSerializer)
        worker.work(burst=True, logging_level="WARNING")
        expected = "scored" if place == 2 else "ended"
        assert block.parts.matches.read(block.matches[place]).life.status == expected
    assert [block.parts.matches.read(match).life.status for match in block.matches] == ["scored"] * 3
    assert len(FailedJobRegistry(queue=verify_queue(block.redis))) == 0


@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize("stored", [True, False])
def test_a_relay_that_is_killed_while_it_reveals_leaves_no_match_out(block, monkeypatch, at, stored):
    block.create(1)
    block.create(2)
    for place in range(3):
        block.end(place)
    reveal, count = reveals_module.Reveals._reveal, []

    def die(self: reveals_module.Reveals, stream: str) -> None:
        count.append(stream)
        if len(count) < at or stored:
            reveal(self, stream)
        if len(count) == at:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(reveals_module.Reveals, "_reveal", die)
        with pytest.raises(Killed):
            block.follow()
    assert sum(block.revealed()) == at - (not stored)
    block.follow(block.new_relay())
    assert block.revealed() == [1, 1, 1]
    assert block.verify() == ["scored"] * 3


def test_the_scan_finds_what_the_feed_no_longer_tells(block):
    block.create(1)
    block.create(2)
    for place in range(3):
        block.end(place)
    feed = FeedGroup(block.redis)
    while feed.read(256, 0):
        feed.ack()
    block.new_relay().step(block_ms=0)
    assert block.revealed() == [1, 1, 1]


def test_two_relays_reveal_once(block):
    block.create(1)
    block.create(2)
    for place in range(3):
        block.end(place)
    for relay in (block.new_relay(), block.new_relay()):
        relay._duties[0].scan()
    block.follow()
    assert block.revealed() == [1, 1, 1]


def test_a_missing_key_holds_up_nothing_else_and_the_next_scan_tries_again(block, caplog):
    block.create(1)
    block.create(2)
    for place in range(3):
        block.end(place)
    block.follow(block.new_relay(ROTATED))
    assert block.revealed() == [0, 0, 0]
    assert "cannot be revealed" in caplog.text
    block.new_relay().step(block_ms=0)
    assert block.revealed() == [1, 1, 1]


def test_a_match_that_cannot_be_read_holds_up_no_other(block, caplog):
    block.create(1)
    block.create(2)
    for place in range(3):
        block.end(place)
    broken = stream_id("match", command_of("test", "POST", "/", None, b""))
    block.redis.set(f"{{{bucket_of(broken)}}}:ev:{broken}", "not a stream")
    ends = [FeedEntry(match, 1, 2, ("match-ended",)) for match in (broken, block.matches[0])]
    reveals_module.Reveals(block.parts, Handler(block.parts.store, MATCH)).take(ends)
    assert block.revealed() == [1, 1, 1]
    assert f"{broken} cannot be read" in caplog.text


def test_dice_that_are_not_shared_are_revealed_at_the_end_of_their_match(block):
    asked = command_of("test", "POST", "/", None, b"")
    match = stream_id("match", asked)
    dice, block.secret = block.parts.config.server_key.seal(match)
    block.matches = [match]
    block.send(0, CreateMatch, ruleset="toy", seats=SOLO, dice=dice, start="call")
    block.send(0, StartMatch)
    block.end(0)
    block.follow()
    assert block.types(0)[-2:] == ["match-ended", "dice-revealed"]
    assert block.revealed() == [1]
