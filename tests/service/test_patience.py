"""Patience for a store in trouble: few may, and the others are refused before they ask."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from plyscribe.service.store.port import StoreFull, StoreUnavailable
from plyscribe.service.streams.patience import Patience
from tests.service.test_live import eventually


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


def test_who_finds_no_place_is_refused_while_the_others_wait_and_get_their_answer():
    waiting, store = Patience(places=2), Store()
    with ThreadPoolExecutor(2) as clients:
        answers = [clients.submit(waiting.ask, store.ask, 60) for _ in range(2)]
        eventually(lambda: waiting._taken == 2)
        with pytest.raises(StoreUnavailable, match="was not sent"):
            waiting.ask(lambda: pytest.fail("it was sent"), 60)
        assert not any(each.done() for each in answers)
        store.is_well = True
    assert [each.result() for each in answers] == ["answer", "answer"]
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
