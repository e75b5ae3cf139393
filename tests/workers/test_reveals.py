"""Shared dice are revealed in all their matches after the last one ends, and never before."""

import pytest
from redis import Redis
from rq.registry import FailedJobRegistry
from rq.serializers import JSONSerializer

from plyscribe.domain.bundle.bundle import describe_head, format_bundle
from plyscribe.domain.commands import AbortMatch, Actor, AnnulMatch, Command, CreateMatch, Secret, StartMatch, Withdraw
from plyscribe.domain.kinds import MATCH
from plyscribe.service.composition import compose
from plyscribe.service.config import Config, parse_key
from plyscribe.service.matches.duplicates import share_dice
from plyscribe.service.queues import verify_queue
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import FeedEntry
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import stream_id
from plyscribe.workers import verify_match as verify_module
from plyscribe.workers.duties import reveals as reveals_module
from plyscribe.workers.duties.verification import PENDING
from plyscribe.workers.relay import Relay, open_relay
from plyscribe.workers.verify_match import verify_all
from plyscribe.workers.worker import Worker
from tests.service.conftest import CONFIG
from tests.workers.given import ANN, ME, ORGANISER, Killed, Workplace, kill, new_key

SOLO = (ME, ME)
ROTATED = Config("", "", parse_key("00" * 32), open_sign_up=True)
NONE, ALL = [0, 0, 0], [1, 1, 1]


class Block(Workplace):
    """Three matches that share their dice over a real store, with only the first created, and a relay."""

    def __init__(self, redis: Redis) -> None:
        super().__init__(redis)
        self.relay = self.new_relay()
        self.dice, self.secret = share_dice(self.config.server_key, stream_id("match", new_key()), 3)
        self.matches = list(self.dice.matches)
        self.create(0)

    def new_relay(self, config: Config = CONFIG) -> Relay:
        self.config = config
        return open_relay(self.new_parts(), self.redis, self.redis)

    def send(self, place: int, command: type[Command], actor: Actor = ANN, **fields: object) -> str:
        state = self.do(self.matches[place], command, actor, **{"secret": Secret(self.secret), **fields})
        return str(state.life.status)

    def create(self, *places: int, **more: object) -> None:
        for place in places:
            self.send(place, CreateMatch, ruleset="toy", seats=SOLO, dice=self.dice, **more)

    def end(self, *places: int) -> None:
        for place in places:
            assert self.send(place, Withdraw, seat=1) == "ended"

    def end_all(self) -> None:
        """Create the other two matches, and end all three, of which the relay has not heard."""
        self.create(1, 2)
        self.end(0, 1, 2)

    def revealed(self) -> list[int]:
        """How often each match has revealed its dice, once the relay has heard of everything."""
        self.follow()
        return self.count_reveals()

    def count_reveals(self) -> list[int]:
        return [self.types(match).count("dice-revealed") for match in self.matches]

    def verify(self) -> list[str]:
        """Verify the matches that are created, and return their statuses."""
        states = [self.read(match) for match in self.matches]
        return verify_all(self.parts, [(state.stream, state.version) for state in states if state.version])


@pytest.fixture
def block(redis: Redis) -> Block:
    return Block(redis)


def test_an_import_under_the_id_of_a_match_to_come_gives_no_dice_away(block):
    forger, match = compose(CONFIG, MemoryStore()), block.matches[2]
    for command in (
        CreateMatch(actor=ANN, id="a" * 32, secret=Secret(block.secret), ruleset="toy", seats=SOLO, dice=block.dice),
        AbortMatch(actor=ANN, id="b" * 32),
    ):
        forger.matches.execute(match, lambda _, command=command: command, new_key(), new=True)
    state, events = forger.matches.read(match), forger.matches.read_events(match, 0)
    bundle = b"".join(format_bundle(describe_head(match, state.life.created), events))
    imported = block.parts.imports.take(ANN, bundle).imported
    assert block.status(imported.address) == "aborted"
    block.create(1)
    block.end(0, 1)
    assert block.revealed() == NONE
    block.create(2)
    block.end(2)
    assert block.revealed() == ALL


def test_dice_are_revealed_and_matches_scored_after_the_last_of_those_that_share_them_has_ended(block):
    block.create(1)
    block.end(1)
    assert block.revealed() == NONE
    block.end(0)
    assert block.revealed() == NONE, "one is not created yet"
    block.create(2, start="call")
    assert block.revealed() == NONE
    block.send(2, StartMatch)
    assert block.revealed() == NONE
    assert block.verify() == ["ended", "ended", "playing"]
    block.end(2)
    assert block.revealed() == ALL
    assert {block.read(match).life.secret for match in block.matches} == {block.secret.hex()}
    assert block.verify() == ["scored"] * 3


@pytest.mark.parametrize("annulled", [True, False])
def test_an_abort_is_an_end_and_so_is_an_annulment(block, annulled):
    block.create(1)
    block.create(2, **({} if annulled else {"start": "call"}))
    block.end(0)
    if annulled:
        block.end(1, 2)
        assert block.send(0, AnnulMatch, ORGANISER, why="test") == "annulled"
    else:
        assert block.send(1, AbortMatch) == block.send(2, AbortMatch) == "aborted"
    assert block.revealed() == ALL


def test_a_match_that_waits_for_others_is_neither_swept_for_nor_logged_as_an_alarm(block, monkeypatch):
    block.create(1)
    block.end(0)
    block.follow()
    verifications = next(duty for duty in block.relay._duties if hasattr(duty, "sweep"))
    monkeypatch.setattr("plyscribe.workers.duties.verification.now_ms", lambda: 2**42)
    verifications.sweep()
    assert block.redis.zcard(PENDING) == 0


def test_the_matches_are_verified_after_the_reveal(block, monkeypatch):
    monkeypatch.setattr(verify_module, "process_parts", lambda: block.parts)
    block.create(1, 2)
    for place in range(3):
        block.end(place)
        block.follow()
        worker = Worker([verify_queue(block.redis)], connection=block.redis, serializer=JSONSerializer)
        worker.work(burst=True, logging_level="WARNING")
        assert block.status(block.matches[place]) == ("scored" if place == 2 else "ended")
    assert [block.status(match) for match in block.matches] == ["scored"] * 3
    assert len(FailedJobRegistry(queue=verify_queue(block.redis))) == 0


@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize("stored", [True, False])
def test_a_relay_that_is_killed_while_it_reveals_leaves_no_match_out(block, monkeypatch, at, stored):
    block.end_all()
    reveal, count = reveals_module.Reveals._reveal, []

    def die(self: reveals_module.Reveals, stream: str) -> None:
        count.append(stream)
        if len(count) < at or stored:
            reveal(self, stream)
        if len(count) == at:
            kill()

    with monkeypatch.context() as patch:
        patch.setattr(reveals_module.Reveals, "_reveal", die)
        with pytest.raises(Killed):
            block.follow()
    assert sum(block.count_reveals()) == at - (not stored)
    block.relay = block.new_relay()
    assert block.revealed() == ALL
    assert block.verify() == ["scored"] * 3


def test_the_scans_of_two_relays_find_what_the_feed_no_longer_tells_once(block):
    block.end_all()
    feed = FeedGroup(block.redis)
    while feed.read(256, 0):
        feed.ack()
    for relay in (block.new_relay(), block.new_relay()):
        relay._duties[0].scan()
    assert block.revealed() == ALL


def test_a_missing_key_holds_up_nothing_else_and_the_next_scan_tries_again(block, caplog):
    block.end_all()
    block.relay = block.new_relay(ROTATED)
    assert block.revealed() == NONE
    assert "cannot be revealed" in caplog.text
    block.new_relay().step(block_ms=0)
    assert block.count_reveals() == ALL


def test_a_match_that_cannot_be_read_holds_up_no_other(block, caplog):
    block.end_all()
    broken = block.open(CreateMatch, ruleset="zhen", seats=SOLO)
    block.spoil(broken)
    ends = [FeedEntry(match, 1, 2, ("match-ended",)) for match in (broken, block.matches[0])]
    reveals_module.Reveals(block.parts, Handler(block.parts.store, MATCH)).take(ends)
    assert block.count_reveals() == ALL
    assert f"{broken} cannot be read" in caplog.text


def test_dice_that_are_not_shared_are_revealed_at_the_end_of_their_match(block):
    match = stream_id("match", new_key())
    dice, block.secret = block.config.server_key.seal(match)
    block.matches = [match]
    block.send(0, CreateMatch, ruleset="toy", seats=SOLO, dice=dice, start="call")
    block.send(0, StartMatch)
    block.end(0)
    assert block.revealed() == [1]
    assert block.types(match)[-2:] == ["match-ended", "dice-revealed"]
