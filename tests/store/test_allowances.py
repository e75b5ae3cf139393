"""Allowances, counted in memory and on each kind of server."""

import threading
from collections.abc import Callable

import pytest
from redis import Redis

from plyscribe.service.access import allowances
from plyscribe.service.access.allowances import MAX_HELD, PORTIONS, Allowances, make_policies
from plyscribe.service.errors import AllowanceUsed
from plyscribe.service.store.redis import connect_client
from tests.store.conftest import REAL

EVER = 10**9
"""A time, in seconds, that does not end while a test runs. Counts in memory begin anew at its multiples."""

POLICIES = make_policies({"few": [(5, EVER)], "many": [(200, EVER)], "both": [(100, 60), (40, EVER)]})
FEW, MANY, BOTH = POLICIES.values()

Open = Callable[[], Allowances]


class Clock:
    now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "fakeredis", *REAL])
def client(request: pytest.FixtureRequest, client_of: Callable[[str], Redis]) -> Redis | None:
    return None if request.param == "memory" else client_of(request.param)


@pytest.fixture
def open_process(client: Redis | None, clock: Clock) -> Open:
    """Another process on the same counts."""
    return lambda: Allowances(POLICIES, client, clock)


def take_all(process: Allowances, policy: allowances.Policy, who: str = "player-a", at_most: int = 10_000) -> int:
    """How many requests a client gets through."""
    for taken in range(at_most):
        try:
            process.take(policy, who)
        except AllowanceUsed:
            return taken
    return at_most


def test_each_client_gets_what_is_allowed_and_no_more(open_process: Open, monkeypatch: pytest.MonkeyPatch):
    process = open_process()
    for who in ("player-a", "player-b"):
        assert [take_all(process, policy, who) for policy in (FEW, MANY, BOTH)] == [5, 200, 40]
    monkeypatch.setattr(Allowances, "_ask", lambda *_: pytest.fail("a refusal is remembered for a moment"))
    assert take_all(process, FEW) == 0


def test_processes_share_the_counts(open_process: Open, client: Redis | None):
    if client is None:
        pytest.skip("processes share nothing in memory")
    first, second = open_process(), open_process()
    assert take_all(first, FEW) == 5
    assert take_all(second, FEW) == 0
    assert take_all(first, MANY) == 200
    # A process gives its first portion by itself.
    assert take_all(second, MANY) == 200 // PORTIONS


def test_the_first_portion_and_what_is_left_of_one_need_no_store(open_process: Open, monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []
    ask = Allowances._ask
    monkeypatch.setattr(Allowances, "_ask", lambda self, *them: asked.append(them[0].name) or ask(self, *them))
    process = open_process()
    for _ in range(200 // PORTIONS):
        process.take(MANY, "player-a")
    assert asked == []
    for _ in range(200 // PORTIONS):
        process.take(MANY, "player-a")
    assert asked == ["many"]


def test_what_is_left_is_announced_and_a_refusal_says_when_there_is_more(open_process: Open):
    process = open_process()
    assert FEW.header == f'"few";q=5;w={EVER}'
    assert BOTH.header == f'"both-60s";q=100;w=60, "both-{EVER}s";q=40;w={EVER}'
    assert [process.take(FEW, "player-a") for _ in range(5)] == [f'"few";r={left};t={EVER}' for left in (4, 3, 2, 1, 0)]
    assert [process.take(MANY, "player-a") for _ in range(25)] == [f'"many";r={199 - n};t={EVER}' for n in range(25)]
    assert process.take(BOTH, "player-a") == f'"both-60s";r=99;t=60, "both-{EVER}s";r=39;t={EVER}'
    with pytest.raises(AllowanceUsed, match="a client has 5 requests of the kind few within") as refused:
        process.take(FEW, "player-a")
    assert refused.value.details["policy"] == "few"
    assert 1 <= refused.value.details["retry_after_s"] <= EVER
    assert refused.value.left.startswith('"few";r=0;t=')


def test_what_is_too_much_at_once_is_refused_and_costs_nothing(open_process: Open):
    process = open_process()
    for cost in (201, 10**12):
        with pytest.raises(AllowanceUsed):
            process.take(MANY, "player-a", cost)
    process.take(MANY, "player-a", 150)
    with pytest.raises(AllowanceUsed):
        process.take(MANY, "player-a", 51)
    process.take(MANY, "player-a", 50)
    assert take_all(process, MANY) == 0


def test_a_new_portion_begins_when_the_time_of_the_old_one_is_over(open_process: Open, clock: Clock):
    process = open_process()
    assert take_all(process, MANY) == 200
    clock.now_s += EVER + 1
    # The clock of the counts has not moved, so the store grants nothing yet.
    assert take_all(process, MANY) == 200 // PORTIONS


def test_threads_together_get_no_more(open_process: Open):
    process, taken = open_process(), []
    threads = [threading.Thread(target=lambda: taken.append(take_all(process, MANY))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Each thread may have passed the test when the last one was granted.
    assert 200 <= sum(taken) <= 200 + 8


def test_what_a_process_remembers_is_bounded(open_process: Open):
    process = open_process()
    for number in range(MAX_HELD + 10):
        process.take(MANY, f"player-{number}")
    assert len(process._held) == MAX_HELD


def test_requests_are_not_counted_while_the_store_is_away():
    away = Allowances(POLICIES, connect_client("redis://127.0.0.1:1"))
    assert take_all(away, FEW, at_most=50) == 50
