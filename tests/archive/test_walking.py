"""A walk over all streams comes to each of them, whatever is sealed, moved and unsealed meanwhile."""

from collections import Counter

import pytest

from plyscribe.service.archive.repacking import drop_emptied, repack
from plyscribe.service.archive.sealed_store import SealedStore
from plyscribe.service.archive.sealing import seal_streams
from plyscribe.service.archive.walking import walk_streams
from plyscribe.service.clock import now_ms
from plyscribe.service.store.port import CommandKey
from tests.archive.settled import fill, make_settled, picture
from tests.archive.test_sealing import end_of
from tests.store.given import append


def walk(store: SealedStore, kinds=("match",)) -> Counter[str]:
    return Counter(stream for chunk in walk_streams(store, kinds) for stream in chunk.streams)


def test_every_stream_of_the_kinds_comes_once_and_the_progress_grows_to_its_end(store, archive):
    matches = fill(store, [make_settled(number) for number in range(9)])
    append(store, "player-a")
    append(store, "import-a")
    old = [seal_streams(store, archive, matches[place : place + 2]).pack for place in (0, 2)]
    repack(store, archive, old)
    sealed = SealedStore(store, archive)
    assert walk(sealed) == Counter(matches)
    assert walk(sealed, ("match", "player")) == Counter([*matches, "player-a"])
    assert walk(SealedStore(store, None)) == Counter(matches[4:])
    assert walk(store) == Counter(matches[4:])
    shares = [chunk.done / chunk.total for chunk in walk_streams(sealed, ("match",))]
    assert shares == sorted(shares)
    assert shares[-1] <= 1


@pytest.mark.parametrize("step", range(12))
def test_nothing_is_missed_while_streams_come_and_go(store, archive, step):
    matches = fill(store, [make_settled(number) for number in range(10)])
    before = picture(store)
    for match in matches[:5]:
        seal_streams(store, archive, [match])
    sealed, found = SealedStore(store, archive), Counter[str]()

    def disturb() -> None:
        seal_streams(store, archive, matches[5:8])
        repack(store, archive, [pack.name for pack in archive.list_packs()][:3])
        sealed.append(matches[0], *end_of(before, matches[0]), CommandKey(b"n" * 16, b"d" * 8))

    for number, chunk in enumerate(walk_streams(sealed, ("match",))):
        if number == step:
            disturb()
        found.update(chunk.streams)
    assert found.keys() == set(matches)
    drop_emptied(store, archive, now_ms() + 1, kept_ms=0)
    assert walk(sealed) == Counter(matches)
