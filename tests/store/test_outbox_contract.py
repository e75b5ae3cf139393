"""The contract of the outbox: in memory, on the fake and on real servers it gives the same answers."""

from collections.abc import Callable

import pytest
from redis import Redis

from plyscribe.service.store.memory_outbox import MemoryOutbox
from plyscribe.service.store.outbox import KNOWN, LEASE_MS, MOST_WAITING, Lane, LaneState, Message, Outbox, Tried
from plyscribe.service.store.redis_outbox import RedisOutbox
from tests.store.conftest import CLUSTERS, REAL

ANN, BEN = "player-" + "a" * 26, "player-" + "b" * 26
LANE = Lane(ANN, "hook-" + "c" * 26)
OTHER = Lane(ANN, "hook-" + "d" * 26)
NOW = 1_767_225_600_000


@pytest.fixture(params=["memory", "fakeredis", *REAL, *CLUSTERS])
def outbox(request: pytest.FixtureRequest, client_of: Callable[[str], Redis]) -> Outbox:
    return MemoryOutbox() if request.param == "memory" else RedisOutbox(client_of(request.param))


def put(outbox: Outbox, *keys: str, lane: Lane = LANE, now: int = NOW) -> list[bool]:
    return [outbox.put(lane, Message(key, f"body of {key}".encode()), now) for key in keys]


def keys_of(taken) -> list[str]:
    return [each.key for each in taken]


def state(outbox: Outbox, lane: Lane = LANE) -> LaneState:
    return outbox.describe([lane])[0]


def test_messages_come_out_in_order_with_their_bodies(outbox):
    assert (outbox.take(LANE, "w", NOW, 10), outbox.list_due(NOW, 10), state(outbox)) == ([], [], LaneState())
    assert put(outbox, "1", "2") == [True, True]
    assert [tuple(each) for each in outbox.take(LANE, "w", NOW, 10)] == [("1", b"body of 1", 0), ("2", b"body of 2", 0)]
    assert keys_of(outbox.take(LANE, "w", NOW, 1)) == ["1"]


def test_a_message_enters_a_lane_once_even_after_it_was_delivered(outbox):
    assert put(outbox, "1", "1") == [True, False]
    outbox.take(LANE, "w", NOW, 10)
    outbox.settle(LANE, "1", Tried(NOW, 200, None))
    outbox.release(LANE, "w", 0)
    assert put(outbox, "1") == [False]
    assert outbox.list_due(NOW, 10) == []
    assert put(outbox, "1", lane=OTHER) == [True]


def test_a_lane_keeps_a_bounded_number_of_messages_and_of_keys(outbox):
    for number in range(KNOWN + 1):
        put(outbox, f"{number:04}", now=NOW + number)
    assert (state(outbox).waiting, state(outbox).dropped) == (MOST_WAITING, KNOWN + 1 - MOST_WAITING)
    assert keys_of(outbox.take(LANE, "w", NOW + KNOWN, 1)) == [f"{KNOWN + 1 - MOST_WAITING:04}"]
    assert put(outbox, "0001", now=NOW + KNOWN) == [False]
    assert put(outbox, "0000", now=NOW + KNOWN) == [True]


def test_a_lane_is_due_as_soon_as_a_message_comes_or_when_it_is_postponed_to(outbox):
    put(outbox, "1")
    put(outbox, "1", lane=OTHER, now=NOW + 5)
    assert outbox.list_due(NOW - 1, 10) == []
    assert outbox.list_due(NOW + 5, 10) == [LANE, OTHER]
    assert outbox.list_due(NOW + 5, 1) == [LANE]
    assert outbox.count_lanes() == 2
    outbox.postpone([LANE], NOW + 9)
    outbox.postpone([], NOW)
    assert outbox.list_due(NOW + 8, 10) == [OTHER]
    assert outbox.list_due(NOW + 9, 10) == [OTHER, LANE]


def test_a_lane_belongs_to_one_worker_until_it_is_released_or_its_lease_is_over(outbox):
    put(outbox, "1")
    assert keys_of(outbox.take(LANE, "w", NOW, 10)) == ["1"]
    assert outbox.take(LANE, "x", NOW + LEASE_MS - 1, 10) is None
    assert keys_of(outbox.take(LANE, "w", NOW, 10)) == ["1"]
    outbox.release(LANE, "x", 0)
    assert outbox.take(LANE, "x", NOW, 10) is None
    outbox.release(LANE, "w", 0)
    assert keys_of(outbox.take(LANE, "x", NOW, 10)) == ["1"]
    assert keys_of(outbox.take(LANE, "w", NOW + LEASE_MS, 10)) == ["1"], "the worker died"
    outbox.release(LANE, "x", 0)
    assert outbox.take(LANE, "x", NOW + LEASE_MS, 10) is None


def fail(outbox: Outbox, until: int, released: int) -> None:
    """Let the first message fail, which is to be tried again at a time, and release its lane for another time."""
    outbox.take(LANE, "w", NOW, 10)
    outbox.settle(LANE, "1", Tried(NOW, 500, "it answered 500"), NOW + until)
    outbox.release(LANE, "w", NOW + released)


def test_a_message_that_failed_is_due_later_and_knows_how_often_it_was_tried(outbox):
    put(outbox, "1")
    fail(outbox, until=30, released=20)
    assert outbox.list_due(NOW + 29, 10) == []
    assert outbox.list_due(NOW + 30, 10) == [LANE]
    assert outbox.take(LANE, "w", NOW + 29, 10) == []
    assert [tuple(each) for each in outbox.take(LANE, "w", NOW + 30, 10)] == [("1", b"body of 1", 1)]


def test_a_new_message_ends_no_pause_and_does_not_wait_for_one_that_failed(outbox):
    put(outbox, "1")
    fail(outbox, until=3000, released=20)
    put(outbox, "2", now=NOW + 10)
    assert outbox.list_due(NOW + 19, 10) == []
    assert outbox.list_due(NOW + 20, 10) == [LANE]
    assert keys_of(outbox.take(LANE, "w", NOW + 20, 10)) == ["2"]


def test_the_state_says_how_tries_went(outbox):
    put(outbox, "1", "2")
    outbox.take(LANE, "w", NOW, 10)
    outbox.settle(LANE, "1", Tried(NOW, 500, "it answered 500"), NOW + 30)
    outbox.settle(LANE, "1", Tried(NOW + 30, None, "no answer"), NOW + 60)
    outbox.release(LANE, "w", NOW + 60)
    failed = LaneState(2, Tried(NOW + 30, None, "no answer"), 2, NOW, NOW + 60, 0)
    assert state(outbox) == failed
    outbox.settle(LANE, "2", Tried(NOW + 60, 204, None))
    assert state(outbox) == LaneState(1, Tried(NOW + 60, 204, None), 0, None, NOW + 60, 0)
    outbox.settle(LANE, "1", Tried(NOW + 61, 500, "it answered 500"))
    assert state(outbox)._replace(next_at=None) == LaneState(
        0, Tried(NOW + 61, 500, "it answered 500"), 1, NOW + 61, None, 1
    )


def test_a_lane_that_is_woken_forgets_its_pause_and_tries_everything_now(outbox):
    put(outbox, "1", "2")
    fail(outbox, until=3000, released=2000)
    outbox.wake(LANE, NOW + 1)
    assert outbox.list_due(NOW + 1, 10) == [LANE]
    assert sorted(keys_of(outbox.take(LANE, "w", NOW + 1, 10))) == ["1", "2"]
    assert (state(outbox).failures, state(outbox).failing_since) == (0, None)
    outbox.wake(OTHER, NOW)
    assert outbox.count_lanes() == 1


def test_what_is_dropped_never_comes_out_and_does_not_come_back(outbox):
    put(outbox, "1", "2")
    outbox.drop(LANE)
    assert outbox.take(LANE, "w", NOW, 10) == []
    assert outbox.list_due(NOW, 10) == []
    assert put(outbox, "1") == [False]


def test_wants_are_those_of_the_newest_version_and_a_count_says_when_to_look_again(outbox):
    assert (outbox.list_wants([]), outbox.count_changes(), outbox.list_wanting()) == ({}, 0, frozenset())
    outbox.subscribe(ANN, 3, {"hook-1": ["your-turn"]})
    outbox.subscribe(ANN, 2, {})
    outbox.subscribe(BEN, 9, {})
    assert (outbox.count_changes(), outbox.list_wanting()) == (1, {ANN})
    found = outbox.list_wants([BEN, ANN])
    assert {player: {hook: list(topics) for hook, topics in its.items()} for player, its in found.items()} == {
        ANN: {"hook-1": ["your-turn"]}
    }
    outbox.subscribe(ANN, 4, {})
    assert outbox.list_wants([ANN, BEN]) == {}
    assert ANN in outbox.list_wanting()


@pytest.mark.parametrize("engine", ["fakeredis", *REAL])
def test_an_account_that_wants_nothing_takes_no_room_and_an_idle_lane_is_forgotten(engine, client_of):
    client = client_of(engine)
    outbox = RedisOutbox(client)
    outbox.subscribe(ANN, 1, {})
    assert client.dbsize() == 0
    put(outbox, "1")
    outbox.take(LANE, "w", NOW, 10)
    assert all(client.pttl(key) > 0 for key in client.scan_iter() if key != b"webhooks:due")
