"""Deadlines over a real store: the relay withdraws seats whose time is over, once."""

import threading

import pytest
from redis import Redis

from plyscribe.domain.codec import parse_event
from plyscribe.domain.commands import AbortMatch, AdjustClock, CreateMatch, MakeMove, PauseMatch, ResumeMatch, Withdraw
from plyscribe.domain.events import SeatWithdrawn
from plyscribe.domain.kinds import MATCH
from plyscribe.service.composition import Parts
from plyscribe.service.store.feed import FeedGroup
from plyscribe.service.streams.handler import Handler
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
from tests.workers.given import ME, ORGANISER, Killed, Workplace, kill

MOVE_MS = 60_000
T = 1_800_000_000_000


class Rig(Workplace):
    """A store, a relay that watches deadlines, and a clock that the test moves."""

    def __init__(self, redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(redis)
        self.now = T
        monkeypatch.setattr(duty_module, "now_ms", self.now_ms)
        self.duty, self.relay = self.new_relay(self.parts)

    def now_ms(self) -> int:
        return self.now

    def new_relay(self, parts: Parts) -> tuple[Deadlines, Relay]:
        duty = Deadlines(parts, self.redis, Handler(parts.store, MATCH))
        return duty, Relay(FeedGroup(self.redis), [duty])

    def start(self, seats: int = 2, **more: object) -> str:
        """A match with limits, which the relay has heard of."""
        match = self.open(
            CreateMatch, **{"ruleset": "zhen", "seats": (ME,) * seats, "limits": {"move_ms": MOVE_MS}, **more}
        )
        self.relay.step(block_ms=0)
        return match

    def start_three(self) -> str:
        return self.start(3, ruleset="toy", options={"dice": 0})

    def move(self, match: str) -> None:
        """Move, by another process, of which the relay hears only from the feed."""
        own, self.parts = self.parts, self.new_parts()
        legal = self.read(match).play
        move = next(legal.ruleset.legal_moves(legal.state))
        self.do(match, MakeMove, move=legal.ruleset.format_move(legal.state, move), seat=legal.turn.seat)
        self.parts = own

    def pause(self, match: str) -> None:
        self.do(match, PauseMatch, ORGANISER, why="the lights went out")

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


@pytest.fixture
def rig(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> Rig:
    return Rig(redis, monkeypatch)


@pytest.mark.parametrize(("end", "fields"), [(Withdraw, {"seat": 1}), (AbortMatch, {"actor": ORGANISER})])
def test_a_deadline_is_noted_then_moved_then_struck(rig, end, fields):
    rig.start(limits=None)
    match = rig.start()
    assert rig.noted() == {match: T + MOVE_MS}
    rig.do(match, AdjustClock, ORGANISER, seat=1, add_ms=5_000, why="a late start")
    rig.relay.step(block_ms=0)
    assert rig.noted() == {match: T + MOVE_MS + 5_000}
    rig.now += 7_000
    rig.move(match)
    rig.relay.step(block_ms=0)
    assert rig.noted() == {match: T + 7_000 + MOVE_MS}
    rig.do(match, end, **fields)
    rig.relay.step(block_ms=0)
    assert rig.noted() == {}


def test_a_seat_is_withdrawn_when_its_time_and_the_grace_are_over(rig):
    match = rig.start()
    rig.let_pass(MOVE_MS + GRACE_MS - 1)
    assert rig.withdrawn(match) == []
    rig.let_pass(1)
    assert rig.withdrawn(match) == [1]
    last = parse_event(rig.parts.matches.read_events(match, 2)[0])
    assert (last.by, last.data.cause, last.at) == ("system:deadline", "time", rig.now)
    assert rig.read(match).life.outcome.ranks == (2, 1)
    assert rig.noted() == {}


def test_with_three_seats_the_others_play_on_against_the_clock(rig):
    match = rig.start_three()
    rig.let_pass(MOVE_MS + GRACE_MS)
    assert rig.withdrawn(match) == [1]
    assert rig.noted() == {match: rig.now + MOVE_MS}
    rig.let_pass(MOVE_MS + GRACE_MS)
    assert rig.withdrawn(match) == [1, 2]
    assert rig.status(match) == "ended"


@pytest.mark.parametrize("is_paused", [True, False])
def test_a_move_or_a_pause_that_the_relay_has_not_heard_of_wins(rig, is_paused):
    match = rig.start()
    rig.let_pass(MOVE_MS)
    if is_paused:
        rig.pause(match)
    else:
        rig.move(match)
    rig.let_pass(GRACE_MS)
    assert rig.withdrawn(match) == []
    assert rig.noted() == ({} if is_paused else {match: T + 2 * MOVE_MS})


def test_a_move_between_the_look_and_the_withdrawal_wins(rig, monkeypatch):
    match = rig.start()
    withdraw = rig.duty._withdraw

    def move_first(*found: object) -> object:
        rig.move(match)
        return withdraw(*found)

    monkeypatch.setattr(rig.duty, "_withdraw", move_first)
    rig.let_pass(MOVE_MS + GRACE_MS)
    assert rig.withdrawn(match) == []


def test_two_relays_withdraw_a_seat_once(rig):
    matches = [rig.start() for _ in range(20)]
    rig.let_pass(MOVE_MS)
    rig.now += GRACE_MS
    duties = [rig.new_relay(rig.new_parts())[0] for _ in range(3)]
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
    match = rig.start_three()
    monkeypatch.setattr(rig.duty._agenda, "reschedule", lambda next_ms: next_ms and kill())
    with pytest.raises(Killed):
        rig.let_pass(MOVE_MS + GRACE_MS)
    assert rig.withdrawn(match) == [1]
    rig.duty, relay = rig.new_relay(rig.new_parts())
    rig.duty.watch()
    relay.step(block_ms=0)
    assert rig.withdrawn(match) == [1]
    assert rig.noted() == {match: rig.now + MOVE_MS}


def test_the_scan_finds_deadlines_that_the_feed_no_longer_holds_and_none_of_a_paused_match(rig):
    moved, fresh, ended, paused, resumed = (rig.start() for _ in range(5))
    rig.start(limits=None)
    rig.move(moved)
    rig.do(ended, Withdraw, seat=1)
    for match in (paused, resumed):
        rig.pause(match)
    rig.do(resumed, ResumeMatch, ORGANISER)
    rig.lose_feed()
    rig.redis.delete(DEADLINES)
    duty, _ = rig.new_relay(rig.new_parts())
    Scan(rig.parts.store, [duty]).scan()
    assert rig.noted() == dict.fromkeys((moved, fresh, resumed), T + MOVE_MS)


@pytest.mark.parametrize(
    ("away_ms", "respite_ms"), [(OUTAGE_MS, MOVE_MS + OUTAGE_MS), (100 * LONGEST_RESPITE_MS, LONGEST_RESPITE_MS)]
)
def test_after_an_outage_nobody_is_withdrawn_for_its_length_or_an_hour(rig, away_ms, respite_ms):
    match = rig.start()
    rig.now += MOVE_MS + away_ms
    rig.duty.watch()
    assert rig.withdrawn(match) == []
    assert 0 < rig.redis.pttl(RESPITE) <= respite_ms
    rig.redis.delete(RESPITE)
    rig.let_pass(1)
    assert rig.withdrawn(match) == [1]


def test_a_short_absence_gives_no_respite(rig):
    match = rig.start()
    rig.let_pass(MOVE_MS)
    rig.now += OUTAGE_MS - 1
    rig.duty.watch()
    assert rig.withdrawn(match) == [1]


def test_a_match_whose_deadline_cannot_be_enforced_holds_up_no_other(rig, monkeypatch, caplog):
    spoilt, match = rig.start(), rig.start()
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
    rig.start()
    spoilt = rig.open(CreateMatch, ruleset="zhen", seats=(ME, ME), limits={"move_ms": MOVE_MS})
    rig.redis.delete(*rig.redis.keys(f"*:ev:{spoilt}"))
    rig.start()
    assert len(rig.noted()) == 2
    assert f"{spoilt} is ignored because its first event cannot be read" in caplog.text


def test_a_pause_strikes_the_deadline_and_its_end_notes_the_one_that_is_left(rig):
    match = rig.start()
    rig.let_pass(20_000)
    rig.pause(match)
    rig.relay.step(block_ms=0)
    assert rig.noted() == {}
    rig.let_pass(2 * MOVE_MS)
    rig.do(match, ResumeMatch, ORGANISER)
    rig.relay.step(block_ms=0)
    assert rig.noted() == {match: T + 3 * MOVE_MS}
    rig.let_pass(MOVE_MS - 20_000 + GRACE_MS - 1)
    assert rig.withdrawn(match) == []
    rig.let_pass(1)
    assert rig.withdrawn(match) == [1]
