"""What an import accepts, event by event."""

from contextlib import nullcontext

import pytest

from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.domain.codec import format_event
from plyscribe.domain.commands import Actor, Command
from plyscribe.domain.errors import WrongTime
from plyscribe.domain.imported import (
    CHUNK_BYTES,
    IMPORT,
    STATUSES,
    BeginImport,
    Copies,
    CopyEvents,
    Import,
    ImportRefuted,
    ImportVerified,
    JudgeImport,
    cut_chunks,
    import_of,
    match_of,
)
from tests.domain.given import hot_seat

IDA, SYSTEM = Actor("player", "player-" + "i" * 26), Actor("system", "verify")
TABLE = hot_seat()
TABLE.play(
    *[
        TABLE.match.play.ruleset.format_move(TABLE.match.play.state, move)
        for move in list(TABLE.match.play.ruleset.legal_moves(TABLE.match.play.state))[:1]
    ]
)
EVENTS = tuple(TABLE.entries)
MATCH = TABLE.match.stream
VERIFIED, REFUTED = ImportVerified(len(EVENTS), ("chain",)), ImportRefuted(2, "rules", "because")


class Stream:
    """An import under test, its events stored as a store would."""

    def __init__(self) -> None:
        self.state = Import(import_of(MATCH))
        self.entries: list[StoredEvent] = []

    def when(self, command: type[Command], **fields: object) -> None:
        made = IMPORT.decide(command(actor=IDA, at=7, id="00", **fields), self.state).events
        stored = link_all(
            self.state.head or first_link(self.state.stream), len(self.entries) + 1, map(format_event, made)
        )
        self.entries += stored
        self.state = IMPORT.fold(self.state, stored)

    def begin(self, digest: str = "a", count: int = len(EVENTS), kept: int = 0) -> None:
        self.when(
            BeginImport, match=MATCH, private=False, count=count, head=EVENTS[count - 1].h, digest=digest, kept=kept
        )

    def copy(self, *events: StoredEvent, digest: str = "a") -> None:
        self.when(CopyEvents, digest=digest, events=events)

    def read(self) -> list[StoredEvent]:
        copies = Copies()
        copies.add(self.entries)
        return copies.events


@pytest.fixture
def stream() -> Stream:
    return Stream()


def test_an_import_and_its_match_name_each_other():
    assert match_of(import_of(MATCH)) == MATCH


def test_an_import_goes_from_status_to_status(stream):
    seen = []
    for step in (
        stream.begin,
        lambda: stream.copy(*EVENTS),
        lambda: stream.when(JudgeImport, digest="a", verdict=VERIFIED),
    ):
        step()
        seen.append(stream.state.status)
    assert seen == [*STATUSES[:3]]
    assert (stream.state.importer, stream.state.at) == (IDA.id, 7)


def test_the_match_is_read_when_all_of_it_came(stream):
    stream.begin()
    stream.copy(EVENTS[0])
    assert (stream.read(), stream.state.copied) == ([], 1)
    stream.copy(*EVENTS[1:])
    assert stream.read() == list(EVENTS)


def test_events_are_copied_in_their_order(stream):
    stream.begin()
    for events in (EVENTS[1:], ()):
        with pytest.raises((WrongTime, IndexError)):
            stream.copy(*events)
    with pytest.raises(WrongTime) as refused:
        stream.copy(*EVENTS, digest="b")
    assert refused.value.code == "import/conflict"


@pytest.mark.parametrize("kept", [0, 1, 2, 9])
def test_what_is_whole_and_not_refuted_stands(stream, kept):
    stream.begin(count=2)
    stream.copy(*EVENTS[:2])
    stream.when(JudgeImport, digest="a", verdict=VERIFIED)
    with pytest.raises(WrongTime) as refused:
        stream.begin("b", count=2, kept=kept)
    assert refused.value.code == "import/conflict"


def test_a_longer_bundle_goes_on_and_waits_for_its_own_verdict(stream):
    stream.begin(count=2)
    stream.copy(*EVENTS[:2])
    stream.when(JudgeImport, digest="a", verdict=VERIFIED)
    stream.begin("b", kept=2)
    assert stream.read() == list(EVENTS[:2])
    stream.copy(*EVENTS[2:], digest="b")
    assert (stream.state.status, stream.read()) == ("waiting", list(EVENTS))


def test_what_was_refuted_or_never_came_whole_gives_way(stream):
    stream.begin(count=2)
    stream.begin("b", count=2)
    stream.copy(*EVENTS[:2], digest="b")
    stream.when(JudgeImport, digest="b", verdict=REFUTED)
    assert stream.state.status == "refuted"
    stream.begin("c")
    stream.copy(*EVENTS, digest="c")
    assert (stream.state.status, stream.read()) == ("waiting", list(EVENTS))


def test_a_verdict_counts_for_its_bundle_and_once(stream):
    stream.begin()
    with pytest.raises(WrongTime):
        stream.when(JudgeImport, digest="a", verdict=VERIFIED)
    stream.copy(*EVENTS)
    for digest in ("b", "a", "a"):
        with pytest.raises(WrongTime) if stream.state.verdict or digest == "b" else nullcontext():
            stream.when(JudgeImport, digest=digest, verdict=VERIFIED)


def test_chunks_hold_all_events_and_no_more_than_fits():
    long = link_all(b"", 1, [b'{"x":"' + b"y" * 50_000 + b'"}'] * 11)
    chunks = list(cut_chunks(long))
    assert [entry for chunk in chunks for entry in chunk] == long
    assert len(chunks) == 3
    assert all(sum(len(entry.e) for entry in chunk) <= CHUNK_BYTES for chunk in chunks)
