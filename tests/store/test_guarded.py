"""A store whose data may not have all that this release can store."""

import pytest

from plyscribe.domain.layouts import NEWEST
from plyscribe.service.store.guarded import GuardedStore
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import Append, Stored, UpgradeUnfinished
from tests.domain.given import new_match
from tests.store.given import command

STREAM = "match-aaaaaaaaaaaaaaaaaaaaaaaaaa"


class Layout:
    """The layout of a store, and how often it was asked for."""

    def __init__(self, number: int) -> None:
        self.number, self.asked = number, 0

    def __call__(self) -> int:
        self.asked += 1
        return self.number


def creation(**limits: int) -> Append:
    table = new_match("zhen", limits=limits or None)
    types = ["match-created", "seat-taken", "match-started"]
    return Append(STREAM, 0, b"", table.entries, types[: len(table.entries)], command("create"))


def test_what_older_releases_cannot_read_is_refused_until_the_upgrade_is_finished() -> None:
    layout, growing = Layout(1), creation(match_ms=60_000, increment_ms=1000)
    store = GuardedStore(within := MemoryStore(), layout)
    for append in (lambda: store.append(*growing), lambda: store.append_all([creation(), growing])):
        with pytest.raises(UpgradeUnfinished, match="nothing was stored"):
            append()
    assert within.streams() == []
    layout.number = NEWEST
    assert isinstance(store.append(*growing), Stored)


def test_the_layout_is_asked_for_by_what_needs_it_until_it_is_the_newest() -> None:
    layout = Layout(NEWEST)
    store = GuardedStore(MemoryStore(), layout)
    assert [type(each) for each in store.append_all([creation(match_ms=60_000)])] == [Stored]
    assert layout.asked == 0
    for _ in range(3):
        store.append(*creation(match_ms=60_000, increment_ms=1000))
    assert layout.asked == 1
