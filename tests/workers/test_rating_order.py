"""The order of rated matches: as they ended, whichever was verified first, and none waits for long."""

import pytest
from redis import Redis

from plyscribe.domain.ledger import LEDGER, MatchRated, ledger_of
from plyscribe.service.composition import Parts
from plyscribe.service.queues import UNSETTLED
from plyscribe.workers import rating_order, score_match
from plyscribe.workers.duties.verification import GRACE_MS
from plyscribe.workers.rating_order import WAIT_MS
from plyscribe.workers.score_match import score_all
from tests.workers.given import Workplace
from tests.workers.test_relay import refute
from tests.workers.test_scoring import Hall


class OrderedHall(Hall):
    """A hall whose workers know which matches are unsettled, with a clock that ticks at each command."""

    tick_ms = 10
    clock_ms = 10**12

    def new_parts(self) -> Parts:
        return Workplace.new_parts(self)

    def now_ms(self) -> int:
        self.clock_ms += self.tick_ms
        return self.clock_ms

    def entered(self) -> list[str]:
        """The matches in the ledger, in its order."""
        entries = self.parts.store.load(ledger_of("zhen")).entries
        return [data.match for entry in entries if isinstance(data := LEDGER.parse(entry).data, MatchRated)]


@pytest.fixture
def hall(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> OrderedHall:
    pass_by(monkeypatch, 0)
    return OrderedHall(redis)


def pass_by(monkeypatch: pytest.MonkeyPatch, ms: int) -> None:
    monkeypatch.setattr(score_match, "now_ms", lambda: 10**12 + ms)


def test_the_match_that_ended_first_is_rated_first_whichever_worker_verifies_which_first(hall):
    first, second, third = (hall.end() for _ in range(3))
    hall.follow()
    assert hall.verify(third) == ["verified"]
    assert hall.verify(second, parts=hall.new_parts()) == ["verified"]
    assert hall.entered() == []
    assert hall.verify(first, parts=hall.new_parts()) == ["scored"]
    assert hall.entered() == [first, second, third]
    assert [hall.status(match) for match in (first, second, third)] == ["scored"] * 3
    hall.follow()
    assert hall.pending() == []


@pytest.mark.parametrize("tick_ms", [10, 0])
def test_matches_verified_together_are_rated_in_the_order_of_their_ends_and_ids(hall, tick_ms):
    hall.tick_ms = tick_ms
    matches = [hall.end() for _ in range(5)]
    hall.follow()
    hall.verify(*reversed(matches))
    assert hall.entered() == (matches if tick_ms else sorted(matches))
    assert {hall.status(match) for match in matches} == {"scored"}


def test_a_match_waits_for_none_longer_than_ten_seconds_after_its_end(hall, monkeypatch):
    stuck, other = hall.end(), hall.end()
    hall.follow()
    ended = hall.read(stuck).life.ended_at - 10**12
    pass_by(monkeypatch, ended + WAIT_MS - 1)
    assert hall.verify(other) == ["verified"]
    pass_by(monkeypatch, ended + WAIT_MS)
    assert score_all(hall.parts, [other]) == ["scored"]
    assert hall.verify(stuck) == ["scored"]
    assert hall.entered() == [other, stuck]


def test_a_match_that_nobody_lets_go_on_is_found_by_the_sweep(hall, monkeypatch):
    stuck, other = hall.end(), hall.end()
    hall.follow()
    hall.verify(other)
    hall.follow()
    monkeypatch.setattr(score_match, "process_parts", lambda: hall.parts)
    monkeypatch.setattr("plyscribe.workers.verify_match.process_parts", lambda: hall.parts)
    monkeypatch.setattr("plyscribe.workers.verify_match.execute_again", lambda *_: 1 / 0)
    pass_by(monkeypatch, GRACE_MS + WAIT_MS)
    hall.sweep_after_a_while(monkeypatch)
    hall.do_jobs()
    assert (hall.status(stuck), hall.status(other)) == ("ended", "scored")


def test_a_refuted_match_holds_up_nobody(hall, monkeypatch):
    first, second = hall.end(), hall.end()
    hall.follow()
    assert hall.verify(second) == ["verified"]
    monkeypatch.setattr("plyscribe.workers.verify_match.execute_again", refute)
    assert hall.verify(first) == ["refuted"]
    assert hall.status(second) == "scored"
    assert hall.entered() == [second]


@pytest.mark.parametrize("rated", [True, False])
def test_only_rated_matches_of_the_same_ruleset_are_waited_for(hall, rated):
    hall.end(rated=False)
    match = hall.end(rated=rated)
    hall.follow()
    assert hall.verify(match) == ["scored"]


def test_a_match_that_cannot_be_rated_holds_up_no_other(hall, monkeypatch, caplog):
    first, second = hall.end(), hall.end()
    hall.follow()
    rate = hall.parts.ledgers.rate

    def fail_on_first(match):
        if match.stream == first:
            raise ZeroDivisionError
        return rate(match)

    monkeypatch.setattr(hall.parts.ledgers, "rate", fail_on_first)
    with pytest.raises(ExceptionGroup):
        hall.verify(first)
    assert hall.verify(second) == ["scored"]
    assert f"{first} cannot be entered" in caplog.text
    monkeypatch.setattr(hall.parts.ledgers, "rate", rate)
    assert score_all(hall.parts, [first]) == ["scored"]


def test_an_annulled_match_that_waited_never_counts(hall):
    first, second = hall.end(), hall.end()
    hall.follow()
    hall.verify(second)
    hall.annul(second)
    assert score_all(hall.parts, [second]) == ["annulled"]
    hall.verify(first)
    assert hall.entered() == [first]


def test_the_relay_notes_every_match_before_its_job_runs(hall):
    match = hall.end()
    hall.follow()
    assert hall.redis.zscore(UNSETTLED, match) is not None
    assert [each.stream for each in rating_order.read_unsettled(hall.parts, hall.read(match))] == [match]
