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


@pytest.mark.parametrize(
    ("steps", "kept", "weight"),
    [
        ([{"a": 40, "b": 40, "c": 40}], "bc", 80),
        ([{"a": 40, "b": 40, "c": 40}, {"b": 41, "d": 30}], "bd", 71),
        ([{"a": 10, "b": 10, "c": 10}, {"a": 85}], "ac", 95),
        ([{"a": 50, "b": 1000}], "b", 1000),
        ([{"a": 50, "b": 1000}, {"a": 1}], "a", 1),
        ([{"a": 50}, {"a": 20}], "a", 50),
    ],
    ids=[
        *("the least recently used goes", "in turn", "a state that grows makes others go"),
        *("one stays however large it is", "until the next one", "an older state changes nothing"),
    ],
)
def test_the_states_that_were_not_used_for_longest_go_first(cache, steps, kept, weight):
    for versions in steps:
        keep(cache, **versions)
    assert (names(cache), cache.weight) == (kept, weight)
    for stream in kept * 2:
        cache.drop(stream)
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
