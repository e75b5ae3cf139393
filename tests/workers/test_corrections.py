"""The relay and the verify job wait for the recorder of a match that has ended, but not for ever."""

from dataclasses import replace

import pytest
from redis import Redis

from plyscribe.domain.commands import ConfirmRecord, CreateMatch, MakeMove, TakeBack, Withdraw
from plyscribe.domain.events import Guest, MatchVerified
from plyscribe.service.config import CORRECTIONS_S
from plyscribe.service.queues import SWEEPS, UNSETTLED
from plyscribe.workers import verify_match as verify_module
from plyscribe.workers.duties import corrections as corrections_module
from plyscribe.workers.duties.corrections import WAITING
from plyscribe.workers.duties.verification import PENDING
from plyscribe.workers.verify_match import verify_all
from tests.service.conftest import CONFIG
from tests.workers.given import ANN, put_forward
from tests.workers.test_relay import Rig


class Club(Rig):
    """A store and a relay; `finish` records a match to its end: created, started, a move, a withdrawal, the end."""

    def __init__(self, redis: Redis, corrections_s: int = CORRECTIONS_S) -> None:
        super().__init__(redis, replace(CONFIG, corrections_s=corrections_s))

    def step(self) -> list[str]:
        """The matches that the relay wants verified after its next step."""
        self.queue.empty()
        self.relay.step(block_ms=0)
        return [job.partition("_")[2] for job in self.jobs()]

    def end_corrections(self) -> list[str]:
        self.queue.empty()
        self.duty.end_corrections()
        return [job.partition("_")[2] for job in self.jobs()]

    def finish(self) -> str:
        seats = (Guest("Ada"), Guest("Bea"))
        match = self.open(CreateMatch, ruleset="pathagon", seats=seats, recorder=ANN.id)
        self.do(match, MakeMove, move="a1")
        self.leave(match)
        return match

    def leave(self, match: str) -> None:
        self.do(match, Withdraw, seat=2, cause="absent")

    def end_again(self, match: str) -> None:
        self.do(match, TakeBack, steps=1)
        self.leave(match)

    def waiting(self) -> list[str]:
        return self.list_noted(WAITING)


@pytest.fixture
def club(redis: Redis) -> Club:
    return Club(redis)


@pytest.fixture
def later(monkeypatch):
    """Moves the clock of the corrections on."""
    return lambda seconds: put_forward(monkeypatch, corrections_module, int(seconds * 1000))


def test_an_ended_match_waits_for_its_recorder(club):
    match = club.finish()
    assert club.step() == []
    by = club.read(match).at + CORRECTIONS_S * 1000
    assert club.redis.zrange(WAITING, 0, -1, withscores=True) == [(match.encode(), by)]
    assert (club.pending(), club.redis.zcard(UNSETTLED)) == ([], 0)
    assert club.end_corrections() == []


@pytest.mark.parametrize("looked_before", [True, False])
def test_a_confirmed_match_is_verified_at_once(club, later, looked_before):
    match = club.finish()
    if looked_before:
        club.step()
    confirmed = club.do(match, ConfirmRecord)
    assert club.step() == [f"{match}_{confirmed.version}"]
    assert verify_all(club.parts, [(match, confirmed.version)]) == ["scored"]
    later(CORRECTIONS_S + 1)
    assert club.end_corrections() == []
    assert club.waiting() == []


def test_a_match_that_nobody_confirms_is_verified_when_the_time_is_over(club, later, caplog):
    match = club.finish()
    club.step()
    later(CORRECTIONS_S - 1)
    assert club.end_corrections() == []
    later(CORRECTIONS_S + 1)
    assert club.end_corrections() == [f"{match}_5"]
    assert (club.waiting(), club.redis.hlen(SWEEPS), caplog.text) == ([], 0, "")
    assert verify_all(club.parts, [(match, 5)]) == ["scored"]


@pytest.mark.parametrize("looked_before", [True, False])
def test_a_match_whose_end_was_taken_back_is_not_verified(club, later, looked_before):
    match = club.finish()
    if looked_before:
        club.step()
    club.do(match, TakeBack, steps=1)
    assert (club.step(), club.pending()) == ([], [])
    later(CORRECTIONS_S + 1)
    assert (club.end_corrections(), club.waiting(), club.status(match)) == ([], [], "playing")


def test_a_match_that_ends_again_waits_again(club, later):
    match = club.finish()
    club.step()
    club.end_again(match)
    assert club.step() == []
    later(CORRECTIONS_S + 1)
    assert club.end_corrections() == [f"{match}_8"]
    assert verify_all(club.parts, [(match, 8)]) == ["scored"]


def test_without_time_for_corrections_a_match_is_verified_at_once(redis):
    club = Club(redis, corrections_s=0)
    match = club.finish()
    assert (club.step(), club.waiting()) == ([f"{match}_5"], [])


def test_what_waited_is_found_again_without_the_agenda(club, later):
    match = club.finish()
    club.step()
    club.redis.delete(WAITING)
    club.restart()
    club.scan()
    assert (club.waiting(), club.pending()) == ([match], [])
    later(CORRECTIONS_S + 1)
    assert club.end_corrections() == [f"{match}_5"]


def test_a_restart_long_after_the_time_verifies_the_match(club, later):
    match = club.finish()
    club.lose_feed()
    later(7 * 24 * 3600)
    club.restart()
    club.scan()
    assert (club.waiting(), club.pending()) == ([], [match])


def test_a_sweep_leaves_a_match_alone_that_waits_again(club, later):
    match = club.finish()
    club.step()
    later(CORRECTIONS_S + 1)
    assert club.end_corrections() == [f"{match}_5"]
    club.end_again(match)
    club.queue.empty()
    later(0)
    club.redis.zadd(PENDING, {match: 0})
    club.duty.sweep()
    assert (club.jobs(), club.pending()) == ([], [])


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
        if club.read(match).version == 5:
            club.end_again(match)
        return done

    monkeypatch.setattr(verify_module, "execute_again", execute)
    assert verify_all(club.parts, [(match, 5)]) == ["ended"]
    assert verify_all(club.parts, [(match, 8)]) == ["scored"]
    [verdict] = club.read(match).life.verdicts
    assert isinstance(verdict, MatchVerified)
    assert verdict.version == 8
