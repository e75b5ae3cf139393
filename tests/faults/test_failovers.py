"""The judge of the failovers finds what it is there for."""

import threading

import pytest

from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import EventStore
from tests.faults.failovers import Outcome, Writer, judge

STREAM = "match-writer0"


def writer_of(acknowledged: list[StoredEvent], store: EventStore | None = None) -> Writer:
    writer = Writer(store or MemoryStore(), 0, threading.Event())
    writer.acknowledged = acknowledged
    return writer


def chain(*names: bytes) -> list[StoredEvent]:
    return link_all(first_link(STREAM), 1, list(names))


WHOLE = chain(b"one", b"two", b"three")


@pytest.mark.parametrize(
    ("stored", "lost", "doubled", "broken"),
    [
        (WHOLE, 0, 0, 0),
        (WHOLE[:2], 1, 0, 0),
        (chain(b"one", b"other", b"three"), 2, 0, 0),
        (chain(b"one", b"two", b"three", b"two"), 0, 1, 0),
        ([WHOLE[0], WHOLE[2]], 1, 0, 1),
        ([], 3, 0, 0),
    ],
)
def test_what_is_lost_doubled_or_broken_is_found(stored, lost, doubled, broken):
    outcome = Outcome()
    judge(writer_of(WHOLE), stored, outcome)
    assert (len(outcome.lost), len(outcome.doubled), len(outcome.broken)) == (lost, doubled, broken)
    assert outcome.is_clean == (lost == doubled == broken == 0)


def test_a_writer_whose_answers_were_lost_goes_on_from_what_is_left():
    stop = threading.Event()

    class Forgetful(MemoryStore):
        """Loses everything once, after five appends."""

        appends = 0

        def append(self, *args):
            self.appends += 1
            if self.appends == 5:
                self.__init__()
                self.appends = 5
            elif self.appends == 9:
                stop.set()
            return super().append(*args)

    store = Forgetful()
    writer = Writer(store, 0, stop)
    writer.run()
    outcome = Outcome()
    judge(writer, store.load(writer.stream).entries, outcome)
    assert len(outcome.lost) == 4
    assert outcome.acknowledged == 8
