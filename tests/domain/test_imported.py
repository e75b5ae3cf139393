"""What an import accepts, event by event."""

from contextlib import nullcontext

import pytest

from plyscribe.domain import imported
from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.domain.codec import Event, format_event
from plyscribe.domain.commands import Actor, Command
from plyscribe.domain.errors import WrongTime
from plyscribe.domain.import_list import IMPORT_LIST, ImportList, ListImport, list_of
from tests.domain.given import hot_seat

IDA, SYSTEM = Actor("player", "player-" + "i" * 26), Actor("system", "verify")
TABLE = hot_seat()
TABLE.play("a1")
TABLE.play(
    *[
        TABLE.match.play.ruleset.format_move(TABLE.match.play.state, move)
        for move in list(TABLE.match.play.ruleset.legal_moves(TABLE.match.play.state))[:1]
    ]
)
EVENTS = tuple(TABLE.entries)
MATCH = TABLE.match.stream
VERIFIED, REFUTED = imported.ImportVerified(len(EVENTS), ("chain",)), imported.ImportRefuted(2, "rules", "because")


class Stream:
    """An import under test, its events stored as a store would."""

    def __init__(self) -> None:
        self.state = imported.Import(imported.import_of(MATCH))
        self.entries: list[StoredEvent] = []

    def when(self, command: type[Command], **fields: object) -> None:
        made = imported.IMPORT.decide(command(actor=IDA, at=7, id="00", **fields), self.state).events
        stored = link_all(
            self.state.head or first_link(self.state.stream), len(self.entries) + 1, map(format_event, made)
        )
        self.entries += stored
        self.state = imported.IMPORT.fold(self.state, stored)

    def begin(self, digest: str = "a", count: int = len(EVENTS), kept: int = 0) -> None:
        self.when(
            imported.BeginImport,
            match=MATCH,
            private=False,
            count=count,
            head=EVENTS[count - 1].h,
            digest=digest,
            kept=kept,
        )

    def copy(self, *events: StoredEvent, digest: str = "a") -> None:
        self.when(imported.CopyEvents, digest=digest, events=events)

    def read(self) -> list[StoredEvent]:
        copies = imported.Copies()
        copies.add(self.entries)
        return copies.events


@pytest.fixture
def stream() -> Stream:
    return Stream()


def test_an_address_names_a_match_and_an_import_of_it():
    stream = "import-" + "q" * 26
    address = imported.address_of(MATCH, stream)
    assert imported.split_address(address) == (MATCH, stream)
    assert (imported.is_address(address), imported.is_address(MATCH)) == (True, False)
    assert first_link(address) == first_link(MATCH)


def test_an_import_goes_from_status_to_status(stream):
    seen = []
    for step in (
        stream.begin,
        lambda: stream.copy(*EVENTS),
        lambda: stream.when(imported.JudgeImport, digest="a", verdict=VERIFIED),
    ):
        step()
        seen.append(stream.state.status)
    assert seen == [*imported.STATUSES[:3]]
    assert (stream.state.importer, stream.state.at) == (IDA.id, 7)


def test_events_are_copied_in_their_order(stream):
    stream.begin()
    stream.copy(EVENTS[0])
    assert (stream.read(), stream.state.copied) == ([], 1)
    for events in (EVENTS[:1], ()):
        with pytest.raises((WrongTime, IndexError)):
            stream.copy(*events)
    with pytest.raises(WrongTime) as refused:
        stream.copy(*EVENTS[1:], digest="b")
    assert refused.value.code == "import/conflict"
    stream.copy(*EVENTS[1:])
    assert stream.read() == list(EVENTS)


@pytest.mark.parametrize("kept", [0, 1, 2, 9])
@pytest.mark.parametrize("verdict", [VERIFIED, REFUTED])
def test_what_is_whole_stands(stream, kept, verdict):
    stream.begin(count=2)
    stream.copy(*EVENTS[:2])
    stream.when(imported.JudgeImport, digest="a", verdict=verdict)
    with pytest.raises(WrongTime) as refused:
        stream.begin("b", count=2, kept=kept)
    assert refused.value.code == "import/conflict"


def test_a_longer_bundle_goes_on_and_waits_for_its_own_verdict(stream):
    stream.begin(count=2)
    stream.copy(*EVENTS[:2])
    stream.when(imported.JudgeImport, digest="a", verdict=VERIFIED)
    stream.begin("b", kept=2)
    assert stream.read() == list(EVENTS[:2])
    stream.copy(*EVENTS[2:], digest="b")
    assert (stream.state.status, stream.read()) == ("waiting", list(EVENTS))


def test_what_never_came_whole_gives_way(stream):
    stream.begin(count=2)
    stream.begin("b", count=2)
    stream.copy(*EVENTS[:2], digest="b")
    assert (stream.state.status, stream.read()) == ("waiting", list(EVENTS[:2]))


def test_a_refuted_bundle_that_an_early_release_replaced_is_read_as_it_was(stream):
    def store(*facts: object) -> None:
        start = len(stream.entries) + 1
        made = [format_event(Event(version, 7, str(IDA), "00", data)) for version, data in enumerate(facts, start)]
        stream.entries += link_all(stream.state.head or first_link(stream.state.stream), start, made)
        stream.state = imported.IMPORT.fold(stream.state, stream.entries[start - 1 :])

    stream.begin(count=1)
    stream.copy(*EVENTS[:1])
    stream.when(imported.JudgeImport, digest="a", verdict=REFUTED)
    store(imported.ImportBegun("bundle", MATCH, False, len(EVENTS), EVENTS[-1].h.hex(), "b", 0))
    stream.copy(*EVENTS, digest="b")
    assert (stream.state.status, stream.state.reached) == ("waiting", EVENTS[-1].h.hex())
    assert stream.read() == list(EVENTS)


def test_the_imports_of_a_match_are_listed_in_their_order():
    listed = ImportList(list_of(MATCH))
    for stream in ("import-b", "import-a"):
        events = IMPORT_LIST.decide(ListImport(actor=IDA, at=7, id="00", stream=stream), listed).events
        head = listed.head or first_link(listed.stream)
        listed = IMPORT_LIST.fold(listed, link_all(head, listed.version + 1, map(format_event, events)))
    assert listed.imports == ("import-b", "import-a")


def test_a_verdict_counts_for_its_bundle_and_once(stream):
    stream.begin()
    with pytest.raises(WrongTime):
        stream.when(imported.JudgeImport, digest="a", verdict=VERIFIED)
    stream.copy(*EVENTS)
    for digest in ("b", "a", "a"):
        with pytest.raises(WrongTime) if stream.state.verdict or digest == "b" else nullcontext():
            stream.when(imported.JudgeImport, digest=digest, verdict=VERIFIED)


def test_chunks_hold_all_events_and_no_more_than_fits():
    long = link_all(b"", 1, [b'{"x":"' + b"y" * 50_000 + b'"}'] * 11)
    chunks = list(imported.cut_chunks(long))
    assert [entry for chunk in chunks for entry in chunk] == long
    assert len(chunks) == 3
    assert all(sum(len(entry.e) for entry in chunk) <= imported.CHUNK_BYTES for chunk in chunks)
