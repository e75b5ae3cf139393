"""Deadlines over a real store: the relay withdraws seats whose time is over, once."""

import threading
from collections.abc import Iterator

import pytest
from redis import Redis

from plyscribe.domain.codec import parse_event
from plyscribe.domain.commands import (
    AbortMatch,
    Actor,
    AdjustClock,
    CreateMatch,
    MakeMove,
    PauseMatch,
    ResumeMatch,
    Withdraw,
)
from plyscribe.domain.events import Account, SeatWithdrawn
from plyscribe.domain.kinds import MATCH
from plyscribe.domain.rulesets import register
from plyscribe.service.composition import Parts, compose
from plyscribe.service.processes.embedded import start_server
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.store.redis import RedisStore, connect_client
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import command_of, stream_id
from plyscribe.workers.duties import deadlines as duty_module
from plyscribe.workers.duties.deadlines import (
    DEADLINES,
    GRACE_MS,
    LONGEST_RESPITE_MS,
    OUTAGE_MS,
    RESPITE,
    RETRY_MS,
    Deadlines,
)
from plyscribe.workers.duties.scan import Scan
from plyscribe.workers.relay import Relay
from tests.domain.toy import TOY_V1
from tests.service.conftest import CONFIG

pytestmark = pytest.mark.server

ANN = Actor("player", "player-" + "a" * 26)
MOVE_MS = 60_000
T = 1_800_000_000_000


class Rig:
    """A store, a relay that watches deadlines, and a clock that the test moves."""

    def __init__(self, redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
        self.redis = redis
        self.now = T
        monkeypatch.setattr(duty_module, "now_ms", lambda: self.now)
        self.parts, self.duty, self.relay = self.new_process()

    def new_process(self) -> tuple[Parts, Deadlines, Relay]:
        parts = compose(CONFIG, RedisStore(self.redis))
        duty = Deadlines(parts, self.redis, Handler(parts.store, MATCH))
        return parts, duty, Relay(FeedGroup(self.redis), [duty])

    def start(self, seats: int = 2, ruleset: str = "zhen", **more: object) -> str:
        asked = command_of("test", "POST", "/", None, b"")
        match = stream_id("match", asked)
        limits = {"move_ms": MOVE_MS}
        whole = {"at": self.now, "ruleset": ruleset, "seats": (Account(ANN.id),) * seats, "limits": limits, **more}
        self.parts.matches.execute(match, lambda _: CreateMatch(actor=ANN, **whole), asked, new=True)
        return match

    def do(self, match: str, command: type, by: Actor = ANN, **fields: object) -> None:
        asked = command_of("test", "POST", "/", None, b"")
        order = command(actor=by, at=self.now, id=asked.id.hex(), **fields)
        self.parts.matches.execute(match, lambda _: order, asked)

    def move(self, match: str) -> None:
        legal = self.parts.matches.read(match).play
        move = next(legal.ruleset.legal_moves(legal.state))
        self.do(match, MakeMove, move=legal.ruleset.format_move(legal.state, move), seat=legal.turn.seat)

    def noted(self) -> dict[str, int]:
        return {member.decode(): int(score) for member, score in self.redis.zrange(DEADLINES, 0, -1, withscores=True)}

    def let_pass(self, ms: int) -> None:
        """Let time pass while the relay watches."""
        while ms > 0:
            step = min(ms, OUTAGE_MS - 1)
            self.now, ms = self.now + step, ms - step
            self.duty.watch()

    def withdrawn(self, match: str) -> list[int]:
        events = (parse_event(entry) for entry in self.parts.matches.read_events(match, 0))
        return [event.data.seat for event in events if isinstance(event.data, SeatWithdrawn)]


@pytest.fixture(scope="module")
def redis(tmp_path_factory) -> Iterator[Redis]:
    with start_server(tmp_path_factory.mktemp("store")) as server, connect_client(server.url, 60.0) as client:
        yield client


@pytest.fixture
def rig(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> Rig:
    redis.flushall()
    register(TOY_V1)
    return Rig(redis, monkeypatch)


def test_a_deadline_is_noted_then_moved_then_struck(rig):
    match = rig.start()
    rig.relay.step(block_ms=0)
    assert rig.noted() == {match: T + MOVE_MS}
    rig.now += 5_000
    rig.move(match)
    rig.relay.step(block_ms=0)
    assert rig.noted() == {match: T + 5_000 + MOVE_MS}
    rig.do(match, Withdraw, seat=1)
    rig.relay.step(block_ms=0)
    assert rig.noted() == {}


def test_matches_without_limits_are_not_noted(rig):
    rig.start(limits=None)
    rig.relay.step(block_ms=0)
    assert rig.noted() == {}


def test_an_aborted_match_is_struck(rig):
    match = rig.start()
    rig.relay.step(block_ms=0)
    rig.do(match, AbortMatch)
    rig.relay.step(block_ms=0)
    assert rig.noted() == {}


def test_a_seat_is_withdrawn_when_its_time_and_the_grace_are_over(rig):
    match = rig.start()
    rig.relay.step(block_ms=0)
    rig.let_pass(MOVE_MS + GRACE_MS - 1)
    assert rig.withdrawn(match) == []
    rig.let_pass(1)
    assert rig.withdrawn(match) == [1]
    last = parse_event(rig.parts.matches.read_events(match, 2)[0])
    assert (last.by, last.data.cause, last.at) == ("system:deadline", "time", rig.now)
    assert rig.parts.matches.read(match).life.outcome.ranks == (2, 1)
    assert rig.noted() == {}


def test_with_three_seats_the_others_play_on_against_the_clock(rig):
    match = rig.start(3, "toy", options={"dice": 0})
    rig.relay.step(block_ms=0)
    rig.let_pass(MOVE_MS + GRACE_MS)
    assert rig.withdrawn(match) == [1]
    assert rig.noted() == {match: rig.now + MOVE_MS}
    rig.let_pass(MOVE_MS + GRACE_MS)
    assert rig.withdrawn(match) == [1, 2]
    assert rig.parts.matches.read(match).life.status == "ended"


def test_a_move_that_the_relay_has_not_heard_of_wins(rig):
    match = rig.start()
    rig.relay.step(block_ms=0)
    rig.let_pass(MOVE_MS)
    other, _, _ = rig.new_process()
    rig.parts, own = other, rig.parts
    rig.move(match)
    rig.parts = own
    rig.let_pass(GRACE_MS)
    assert rig.withdrawn(match) == []
    assert rig.noted() == {match: T + 2 * MOVE_MS}


def test_a_move_between_the_look_and_the_withdrawal_wins(rig, monkeypatch):
    match = rig.start()
    rig.relay.step(block_ms=0)
    withdraw, mover = rig.duty._withdraw, rig.new_process()[0]

    def move_first(*found: object) -> object:
        rig.parts, own = mover, rig.parts
        rig.move(match)
        rig.parts = own
        return withdraw(*found)

    monkeypatch.setattr(rig.duty, "_withdraw", move_first)
    rig.let_pass(MOVE_MS + GRACE_MS)
    assert rig.withdrawn(match) == []
    monkeypatch.undo()


def test_two_relays_withdraw_a_seat_once(rig):
    matches = [rig.start() for _ in range(20)]
    rig.relay.step(block_ms=0)
    rig.let_pass(MOVE_MS)
    rig.now += GRACE_MS
    duties = [rig.new_process()[1] for _ in range(3)]
    barrier = threading.Barrier(len(duties))

    def watch(duty: Deadlines) -> None:
        barrier.wait()
        duty.watch()

    threads = [threading.Thread(target=watch, args=[duty]) for duty in duties]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [rig.withdrawn(match) for match in matches] == [[1]] * 20
    assert rig.noted() == {}


def test_a_relay_that_died_before_it_noted_the_next_deadline_withdraws_nobody_twice(rig, monkeypatch):
    match = rig.start(3, "toy", options={"dice": 0})
    rig.relay.step(block_ms=0)

    def die(next_ms: dict[str, int | None]) -> None:
        if next_ms:
            raise SystemExit

    monkeypatch.setattr(rig.duty._agenda, "reschedule", die)
    with pytest.raises(SystemExit):
        rig.let_pass(MOVE_MS + GRACE_MS)
    assert rig.withdrawn(match) == [1]
    _, rig.duty, relay = rig.new_process()
    rig.duty.watch()
    relay.step(block_ms=0)
    assert rig.withdrawn(match) == [1]
    assert rig.noted() == {match: rig.now + MOVE_MS}


def test_the_scan_finds_deadlines_that_the_feed_no_longer_holds(rig):
    match, fresh, ended = rig.start(), rig.start(), rig.start()
    rig.start(limits=None)
    rig.move(match)
    rig.do(ended, Withdraw, seat=1)
    rig.redis.delete(*rig.redis.keys("*:feed"))
    _, duty, _ = rig.new_process()
    Scan(rig.parts.store, [duty]).scan()
    assert rig.noted() == {match: T + MOVE_MS, fresh: T + MOVE_MS}


def test_after_an_outage_nobody_is_withdrawn_for_the_length_of_the_outage(rig):
    match = rig.start()
    rig.relay.step(block_ms=0)
    rig.now += MOVE_MS + OUTAGE_MS
    rig.duty.watch()
    assert rig.withdrawn(match) == []
    assert 0 < rig.redis.pttl(RESPITE) <= MOVE_MS + OUTAGE_MS
    rig.redis.delete(RESPITE)
    rig.let_pass(1)
    assert rig.withdrawn(match) == [1]


def test_a_respite_lasts_an_hour_at_most(rig):
    rig.start()
    rig.relay.step(block_ms=0)
    rig.now += 100 * LONGEST_RESPITE_MS
    rig.duty.watch()
    assert 0 < rig.redis.pttl(RESPITE) <= LONGEST_RESPITE_MS


def test_a_short_absence_gives_no_respite(rig):
    match = rig.start()
    rig.relay.step(block_ms=0)
    rig.let_pass(MOVE_MS)
    rig.now += OUTAGE_MS - 1
    rig.duty.watch()
    assert rig.withdrawn(match) == [1]


def test_a_match_whose_deadline_cannot_be_enforced_holds_up_no_other(rig, monkeypatch, caplog):
    spoilt, match = rig.start(), rig.start()
    rig.relay.step(block_ms=0)
    withdraw = rig.duty._withdraw

    def fail_at_one(found: object, deadline: object) -> object:
        if found.stream == spoilt:
            raise ZeroDivisionError
        return withdraw(found, deadline)

    monkeypatch.setattr(rig.duty, "_withdraw", fail_at_one)
    rig.let_pass(MOVE_MS + GRACE_MS)
    assert rig.withdrawn(match) == [1]
    assert f"the deadline of {spoilt} cannot be enforced" in caplog.text
    assert rig.noted() == {spoilt: rig.now + RETRY_MS}


def test_a_match_that_cannot_be_read_has_no_deadline_and_holds_up_nothing(rig, caplog):
    spoilt, match = rig.start(), rig.start()
    [key] = rig.redis.keys(f"*:ev:{spoilt}")
    rig.redis.delete(key)
    rig.relay.step(block_ms=0)
    assert rig.noted() == {match: T + MOVE_MS}
    assert f"{spoilt} is ignored because its first event cannot be read" in caplog.text


DIRECTOR = Actor("organiser", "player-" + "o" * 26)


def test_a_pause_strikes_the_deadline_and_its_end_notes_the_one_that_is_left(rig):
    match = rig.start()
    rig.relay.step(block_ms=0)
    rig.let_pass(20_000)
    rig.do(match, PauseMatch, by=DIRECTOR, why="the lights went out")
    rig.relay.step(block_ms=0)
    assert rig.noted() == {}
    rig.let_pass(2 * MOVE_MS)
    rig.do(match, ResumeMatch, by=DIRECTOR)
    rig.relay.step(block_ms=0)
    assert rig.noted() == {match: T + 3 * MOVE_MS}
    rig.let_pass(MOVE_MS - 20_000 + GRACE_MS - 1)
    assert rig.withdrawn(match) == []
    rig.let_pass(1)
    assert rig.withdrawn(match) == [1]


def test_a_pause_that_the_relay_has_not_heard_of_holds(rig):
    match = rig.start()
    rig.relay.step(block_ms=0)
    rig.let_pass(MOVE_MS)
    rig.do(match, PauseMatch, by=DIRECTOR, why="the lights went out")
    rig.let_pass(GRACE_MS)
    assert rig.withdrawn(match) == []
    assert rig.noted() == {}


def test_time_that_is_given_moves_the_deadline(rig):
    match = rig.start()
    rig.relay.step(block_ms=0)
    rig.do(match, AdjustClock, by=DIRECTOR, seat=1, add_ms=5_000, why="a late start")
    rig.relay.step(block_ms=0)
    assert rig.noted() == {match: T + MOVE_MS + 5_000}


def test_the_scan_notes_no_match_that_is_paused(rig):
    match = rig.start()
    rig.do(match, PauseMatch, by=DIRECTOR, why="the lights went out")
    other = rig.start()
    rig.do(other, PauseMatch, by=DIRECTOR, why="the lights went out")
    rig.do(other, ResumeMatch, by=DIRECTOR)
    rig.redis.delete(*rig.redis.keys("*:feed"))
    Scan(rig.parts.store, [rig.new_process()[1]]).scan()
    assert rig.noted() == {other: T + MOVE_MS}
