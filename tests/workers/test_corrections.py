"""The relay and the verify job wait for the recorder of a match that has ended, but not for ever."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from redis import Redis

from plyscribe.domain.commands import Actor, Command, ConfirmRecord, CreateMatch, MakeMove, TakeBack, Withdraw
from plyscribe.domain.events import Guest, MatchVerified
from plyscribe.domain.kinds import MATCH
from plyscribe.domain.match import Match
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import compose
from plyscribe.service.config import CORRECTIONS_S
from plyscribe.service.processes.embedded import start_server
from plyscribe.service.queues import SWEEPS, UNSETTLED, import_queue, verify_queue
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.redis import RedisStore, connect_client
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import command_of, stream_id
from plyscribe.workers import verify_match as verify_module
from plyscribe.workers.duties import corrections as corrections_module
from plyscribe.workers.duties.corrections import WAITING
from plyscribe.workers.duties.scan import Scan
from plyscribe.workers.duties.verification import PENDING, Verifications
from plyscribe.workers.relay import Relay
from plyscribe.workers.verify_match import verify_all
from tests.service.conftest import CONFIG

pytestmark = pytest.mark.server

ANN = Actor("player", "player-" + "a" * 26)


class Club:
    """A store and a relay; `finish` records a match to its end: created, started, a move, a withdrawal, the end."""

    def __init__(self, redis: Redis, corrections_s: int = CORRECTIONS_S) -> None:
        self.redis = redis
        self.parts = compose(replace(CONFIG, corrections_s=corrections_s), RedisStore(redis))
        self.queue = verify_queue(redis)
        self.start()

    def start(self) -> None:
        """Start a relay, as after a crash."""
        states = Handler(self.parts.store, MATCH)
        self.duty = Verifications(self.parts, self.redis, self.queue, import_queue(self.redis), states)
        self.scan = Scan(self.parts.store, [self.duty]).scan
        self.relay = Relay(FeedGroup(self.redis), [self.duty])

    def step(self) -> list[str]:
        """The matches that the relay wants verified after its next step."""
        self.queue.empty()
        self.relay.step(block_ms=0)
        return [job.partition("_")[2] for job in self.queue.job_ids]

    def end_corrections(self) -> list[str]:
        self.queue.empty()
        self.duty.end_corrections()
        return [job.partition("_")[2] for job in self.queue.job_ids]

    def finish(self, **more: object) -> str:
        asked = command_of("test", "POST", "/", None, b"")
        match = stream_id("match", asked)
        seats = (Guest("Ada"), Guest("Bea"))
        create = CreateMatch(actor=ANN, at=now_ms(), ruleset="pathagon", seats=seats, recorder=ANN.id, **more)
        self.parts.matches.execute(match, lambda _: create, asked, new=True)
        self.do(match, MakeMove, move="a1")
        self.leave(match)
        return match

    def leave(self, match: str) -> None:
        self.do(match, Withdraw, seat=2, cause="absent")

    def do(self, match: str, command: type[Command], **fields: object) -> Match:
        asked = command_of("test", "POST", "/c", None, b"")
        order = command(actor=ANN, at=now_ms(), id=asked.id.hex(), **fields)
        return self.parts.matches.execute(match, lambda _: order, asked).state

    def status(self, match: str) -> str:
        return self.parts.matches.read(match).life.status

    def waiting(self) -> list[str]:
        return [member.decode() for member in self.redis.zrange(WAITING, 0, -1)]


@pytest.fixture(scope="module")
def url(tmp_path_factory) -> Iterator[str]:
    server = start_server(tmp_path_factory.mktemp("store"))
    yield server.url
    server.stop()


@pytest.fixture
def club(url) -> Iterator[Club]:
    with connect_client(url, 60.0) as redis:
        redis.flushall()
        yield Club(redis)


@pytest.fixture
def later(monkeypatch):
    """Moves the clock of the corrections on."""

    def move_on(seconds: float) -> None:
        now = now_ms() + int(seconds * 1000)
        monkeypatch.setattr(corrections_module, "now_ms", lambda: now)

    return move_on


def test_an_ended_match_waits_for_its_recorder(club):
    match = club.finish()
    assert club.step() == []
    by = club.parts.matches.read(match).at + CORRECTIONS_S * 1000
    assert club.redis.zrange(WAITING, 0, -1, withscores=True) == [(match.encode(), by)]
    assert (club.redis.zcard(PENDING), club.redis.zcard(UNSETTLED)) == (0, 0)
    assert club.end_corrections() == []


def test_a_confirmed_match_is_verified_at_once(club, later):
    match = club.finish()
    club.step()
    confirmed = club.do(match, ConfirmRecord)
    assert club.step() == [f"{match}_{confirmed.version}"]
    assert verify_all(club.parts, [(match, confirmed.version)]) == ["scored"]
    later(CORRECTIONS_S + 1)
    assert club.end_corrections() == []
    assert club.waiting() == []


def test_a_match_that_was_confirmed_before_the_relay_looked_is_verified_at_once(club):
    match = club.finish()
    confirmed = club.do(match, ConfirmRecord)
    assert club.step() == [f"{match}_{confirmed.version}"]


def test_a_match_that_nobody_confirms_is_verified_when_the_time_is_over(club, later, caplog):
    match = club.finish()
    club.step()
    later(CORRECTIONS_S - 1)
    assert club.end_corrections() == []
    later(CORRECTIONS_S + 1)
    assert club.end_corrections() == [f"{match}_5"]
    assert (club.waiting(), club.redis.hlen(SWEEPS), caplog.text) == ([], 0, "")
    assert verify_all(club.parts, [(match, 5)]) == ["scored"]


def test_a_match_whose_end_was_taken_back_is_not_verified(club, later):
    match = club.finish()
    club.step()
    club.do(match, TakeBack, steps=1)
    assert club.step() == []
    later(CORRECTIONS_S + 1)
    assert (club.end_corrections(), club.waiting(), club.status(match)) == ([], [], "playing")


def test_a_take_back_that_the_relay_reads_with_the_end_is_noticed(club):
    match = club.finish()
    club.do(match, TakeBack, steps=1)
    assert (club.step(), club.waiting(), club.redis.zcard(PENDING)) == ([], [], 0)


def test_a_match_that_ends_again_waits_again(club, later):
    match = club.finish()
    club.step()
    club.do(match, TakeBack, steps=1)
    club.leave(match)
    assert club.step() == []
    later(CORRECTIONS_S + 1)
    assert club.end_corrections() == [f"{match}_8"]
    assert verify_all(club.parts, [(match, 8)]) == ["scored"]


def test_without_time_for_corrections_a_match_is_verified_at_once(club):
    club = Club(club.redis, corrections_s=0)
    match = club.finish()
    assert (club.step(), club.waiting()) == ([f"{match}_5"], [])


def test_what_waited_is_found_again_without_the_agenda(club, later):
    match = club.finish()
    club.step()
    club.redis.delete(WAITING)
    club.start()
    club.scan()
    assert (club.waiting(), club.redis.zcard(PENDING)) == ([match], 0)
    later(CORRECTIONS_S + 1)
    assert club.end_corrections() == [f"{match}_5"]


def test_a_restart_long_after_the_time_verifies_the_match(club, later):
    match = club.finish()
    club.redis.delete(*club.redis.keys("*:feed"))
    later(7 * 24 * 3600)
    club.start()
    club.scan()
    assert club.waiting() == []
    assert [member.decode() for member in club.redis.zrange(PENDING, 0, -1)] == [match]


def test_a_sweep_leaves_a_match_alone_that_waits_again(club, later):
    match = club.finish()
    club.step()
    later(CORRECTIONS_S + 1)
    assert club.end_corrections() == [f"{match}_5"]
    club.do(match, TakeBack, steps=1)
    club.leave(match)
    club.queue.empty()
    later(0)
    club.redis.zadd(PENDING, {match: 0})
    club.duty.sweep()
    assert (club.queue.job_ids, club.redis.zcard(PENDING)) == ([], 0)


def test_a_job_for_an_earlier_end_judges_no_later_one(club):
    match = club.finish()
    club.do(match, TakeBack, steps=1)
    assert verify_all(club.parts, [(match, 5)]) == ["playing"]
    club.leave(match)
    assert verify_all(club.parts, [(match, 5)]) == ["ended"]
    assert verify_all(club.parts, [(match, 8)]) == ["scored"]


def test_a_correction_during_the_verification_wins(club, monkeypatch):
    match = club.finish()
    real = verify_module.execute_again

    def execute(*given):
        done = real(*given)
        if club.parts.matches.read(match).version == 5:
            club.do(match, TakeBack, steps=1)
            club.leave(match)
        return done

    monkeypatch.setattr(verify_module, "execute_again", execute)
    assert verify_all(club.parts, [(match, 5)]) == ["ended"]
    assert verify_all(club.parts, [(match, 8)]) == ["scored"]
    [verdict] = club.parts.matches.read(match).life.verdicts
    assert isinstance(verdict, MatchVerified)
    assert verdict.version == 8
