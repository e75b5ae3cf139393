"""What waits is taken as one batch, and a batch that takes long does not hold up what comes after it."""

import threading
from collections.abc import Iterator

import pytest

from plyscribe.service.web import batching as batches_module
from plyscribe.service.web.batching import MOST_TOGETHER, THREADS, Batches
from tests.service.test_live import eventually


class Desk:
    """Batches of numbers, whose work waits for the gate."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.begun: list[list[int]] = []
        self.done: list[list[int]] = []
        self.fails_at: set[int] = set()
        self.batches: Batches[int] = Batches("desk", self._work, lambda number: number)

    def _work(self, batch: list[int]) -> None:
        self.begun.append(batch)
        assert self.gate.wait(60)
        self.done.append(batch)
        if self.fails_at.intersection(batch):
            raise RuntimeError("a bug")

    @property
    def threads(self) -> int:
        return sum(thread.name.startswith("desk-") for thread in threading.enumerate())

    def put_one_that_is_begun(self, number: int) -> None:
        self.batches.put(number)
        eventually(lambda: [number] in self.begun)


@pytest.fixture
def desk() -> Iterator[Desk]:
    eventually(lambda: not any(thread.name.startswith("desk-") for thread in threading.enumerate()))
    desk = Desk()
    yield desk
    desk.gate.set()
    # Ends the threads: a test leaves none behind.
    desk.batches._turn = batches_module._Turn()
    for _ in range(THREADS):
        desk.batches._waiting.put(0)


def test_what_comes_during_a_batch_is_the_next_batch_in_its_order_until_it_is_large(desk, monkeypatch):
    monkeypatch.setattr(batches_module, "TURN_S", 600.0)
    desk.put_one_that_is_begun(1)
    for number in (2, 3, MOST_TOGETHER - 1, 5):
        desk.batches.put(number)
    desk.gate.set()
    eventually(lambda: desk.done == [[1], [2, 3, MOST_TOGETHER - 1], [5]])
    assert desk.threads == 1


def test_an_error_in_one_batch_does_not_end_the_next(desk, monkeypatch):
    monkeypatch.setattr(batches_module, "TURN_S", 600.0)
    desk.gate.set()
    desk.fails_at = {1}
    for number in (1, 2):
        desk.batches.put(number)
        eventually(lambda number=number: desk.done[-1:] == [[number]])


def test_what_waits_for_a_batch_that_takes_long_goes_to_another_thread(desk, monkeypatch):
    monkeypatch.setattr(batches_module, "TURN_S", 0.0)
    desk.put_one_that_is_begun(1)
    desk.put_one_that_is_begun(2)
    desk.gate.set()
    eventually(lambda: sorted(desk.done) == [[1], [2]])
    # The one that was relieved ends.
    eventually(lambda: desk.threads == 1)


def test_it_may_be_relieved_later_than_something_was_put(desk, monkeypatch):
    monkeypatch.setattr(batches_module, "TURN_S", 600.0)
    desk.put_one_that_is_begun(1)
    desk.batches.put(2)
    assert desk.threads == 1
    monkeypatch.setattr(batches_module, "TURN_S", 0.0)
    desk.batches.relieve()
    eventually(lambda: [2] in desk.begun)


def test_it_is_stuck_once_all_threads_are_at_batches_that_take_long_and_recovers(desk, monkeypatch):
    monkeypatch.setattr(batches_module, "TURN_S", 0.0)
    for number in range(1, THREADS + 1):
        assert not desk.batches.is_stuck
        desk.put_one_that_is_begun(number)
    eventually(lambda: desk.batches.is_stuck)
    desk.batches.put(99)
    assert desk.threads == THREADS
    desk.gate.set()
    eventually(lambda: [99] in desk.done)
    eventually(lambda: not desk.batches.is_stuck)


def test_after_a_batch_of_several_it_waits_for_what_follows_from_it_and_nobody_takes_over(desk, monkeypatch):
    monkeypatch.setattr(batches_module, "TURN_S", 600.0)
    monkeypatch.setattr(batches_module, "REST_S", 60.0)
    paused = threading.Event()
    monkeypatch.setattr(batches_module.time, "sleep", lambda seconds: paused.wait(60) if seconds > 30 else None)
    desk.put_one_that_is_begun(1)
    for number in (2, 3):
        desk.batches.put(number)
    desk.gate.set()
    eventually(lambda: desk.done == [[1], [2, 3]])
    # The first of what follows does not go alone, and the rest is not taken for a batch that takes long.
    monkeypatch.setattr(batches_module, "TURN_S", 0.0)
    desk.batches.put(4)
    eventually(desk.batches._waiting.empty)
    desk.batches.put(5)
    assert desk.threads == 1
    paused.set()
    eventually(lambda: desk.done[2:] == [[4, 5]])
