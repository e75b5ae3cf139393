"""Patience for a store in trouble: few may, and the others are refused before they ask."""

import threading
from collections.abc import Callable

import pytest

from plyscribe.service.store.port import StoreFull, StoreUnavailable
from plyscribe.service.streams.patience import Patience


class Store:
    """Fails until it is mended, and counts who asked."""

    def __init__(self, error: type[StoreUnavailable] = StoreUnavailable) -> None:
        self.is_well = False
        self.asked = 0
        self._error = error

    def ask(self) -> str:
        self.asked += 1
        if self.is_well:
            return "answer"
        raise self._error("away")


class Clients:
    """Threads that ask, and how they were answered, in that order."""

    def __init__(self, waiting: Patience, store: Store) -> None:
        self.answers: list[str] = []
        self._waiting = waiting
        self._store = store
        self._threads: list[threading.Thread] = []

    def come(self, count: int) -> None:
        for _ in range(count):
            thread = threading.Thread(target=self._ask)
            thread.start()
            self._threads.append(thread)

    def leave(self) -> None:
        for thread in self._threads:
            thread.join(30)

    def _ask(self) -> None:
        try:
            self.answers.append(self._waiting.ask(self._store.ask, 60))
        except StoreUnavailable as error:
            self.answers.append(str(error))


def until(done: Callable[[], bool]) -> None:
    soon = threading.Event()
    while not done():
        soon.wait(0.01)


def test_who_finds_no_place_is_refused_while_the_others_wait_and_get_their_answer():
    waiting, store = Patience(places=2), Store()
    clients = Clients(waiting, store)
    clients.come(2)
    until(lambda: waiting._taken == 2)
    with pytest.raises(StoreUnavailable, match="was not sent"):
        waiting.ask(lambda: pytest.fail("it was sent"), 60)
    assert clients.answers == []
    store.is_well = True
    clients.leave()
    assert clients.answers == ["answer", "answer"]
    assert waiting.ask(store.ask, 60) == "answer"


def test_what_a_person_has_to_mend_is_waited_for_by_nobody():
    store = Store(StoreFull)
    with pytest.raises(StoreFull):
        Patience().ask(store.ask, 60)
    assert store.asked == 1


def test_waiting_ends_when_the_time_is_over():
    waiting, store = Patience(places=1), Store()
    for _ in range(3):
        with pytest.raises(StoreUnavailable, match="away"):
            waiting.ask(store.ask, 0.15)
    assert store.asked > 3
