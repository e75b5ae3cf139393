"""What a process keeps of streams is bounded by memory, and by weight a long match counts for more than a short one."""

from dataclasses import dataclass

import pytest

from plyscribe.domain.commands import MakeMove
from plyscribe.domain.events import LineCopied, MoveMade
from plyscribe.domain.imported import IMPORT, Import, RecordReceived
from plyscribe.domain.kinds import MATCH
from plyscribe.domain.ledger import LEDGER
from plyscribe.service.streams import cache as cache_module
from plyscribe.service.streams.cache import StateCache
from tests.domain.given import ANN, account, hot_seat, new_match


@dataclass
class Kept:
    stream: str
    version: int
    head: bytes = b""


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch) -> StateCache[Kept]:
    monkeypatch.setattr(cache_module, "MAX_CACHED_BYTES", 100)
    return StateCache(lambda state: state.version)


def keep(cache: StateCache[Kept], **versions: int) -> None:
    for stream, version in versions.items():
        cache.keep(stream, Kept(stream, version))


def names(cache: StateCache[Kept]) -> str:
    return "".join(stream for stream in "abcde" if cache.get(stream))


def test_the_states_that_were_not_used_for_longest_go_first(cache):
    keep(cache, a=40, b=40, c=40)
    assert (names(cache), cache.weight) == ("bc", 80)
    keep(cache, b=41, d=30)
    assert (names(cache), cache.weight) == ("bd", 71)


def test_a_state_that_grows_makes_others_go(cache):
    keep(cache, a=10, b=10, c=10)
    keep(cache, a=85)
    assert (names(cache), cache.weight) == ("ac", 95)


def test_one_state_stays_however_large_it_is(cache):
    keep(cache, a=50, b=1000)
    assert (names(cache), cache.weight) == ("b", 1000)
    keep(cache, a=1)
    assert (names(cache), cache.weight) == ("a", 1)


def test_an_older_state_changes_neither_the_kept_one_nor_the_weight(cache):
    keep(cache, a=50)
    keep(cache, a=20)
    assert (cache.get("a"), cache.weight) == (Kept("a", 50), 50)


def test_a_dropped_state_weighs_nothing(cache):
    keep(cache, a=50)
    cache.drop("a")
    cache.drop("a")
    assert (names(cache), cache.weight) == ("", 0)


def test_a_match_weighs_what_its_line_does_even_if_one_event_holds_it():
    table = hot_seat("zhen")
    short = MATCH.weigh(table.match)
    table.when(MakeMove, ANN, move="+1")
    assert MATCH.weigh(table.match) > short
    line = tuple(MoveMade(1 + ply % 2, move) for ply, move in enumerate([f"+{tile}" for tile in range(1, 9)]))
    fork = new_match(
        "zhen",
        (account(ANN),) * 2,
        parent={"match": "match-" + "b" * 26, "ply": len(line)},
        line=LineCopied(line, None),
    )
    assert fork.match.version < len(line)
    assert MATCH.weigh(fork.match) > MATCH.weigh(table.match)


def test_the_import_of_a_long_text_weighs_more():
    texts = ["", "x" * 100_000]
    short, long = (Import("import-a", 1, record=RecordReceived("match-a", False, text, "")) for text in texts)
    assert IMPORT.weigh(long) - IMPORT.weigh(short) == 100_000


def test_ledgers_are_never_dropped(monkeypatch):
    monkeypatch.setattr(cache_module, "MAX_CACHED_BYTES", 10)
    kept = StateCache(LEDGER.weigh)
    for name in ("ratings-a", "ratings-b"):
        kept.keep(name, LEDGER.empty(name))
    assert kept.get("ratings-a") is not None
