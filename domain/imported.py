"""An import: a match from another server or a text record, kept as it came in a stream of its own, with our verdict.

A bundle's events are copied byte for byte, with their hashes, into events of the import. The match itself gets no
stream: it can be read here, but its players, results and verdicts do not count here.

Anybody can write a match anew, by its rules, so two bundles of a match id may differ. Each is an import of its own, and
each import has an address, `<id of the match>~<import>`, under which its match is read. Nothing else reads an import.

    copying → waiting → verified | refuted        a bundle
              waiting → entered | faulty → kept | dropped   a text record

A text record is played. A sound record becomes a match of our own, with its importer as the recorder. If a record has
a fault, the importer may keep the part before it, for a week. Then the text of a faulty record is dropped: one event
takes the place of all events of its import.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from plyscribe.domain.aggregate import Aggregate, declare, weigh_state
from plyscribe.domain.bundle.bundle import Bundle, format_event_line, parse_event_line
from plyscribe.domain.chain import StoredEvent, canonical_json, check_chain, first_link, parse_json
from plyscribe.domain.codec import Event, parse_event
from plyscribe.domain.commands import Actor, Command
from plyscribe.domain.errors import BrokenChain, BundleError, StreamError, WrongTime
from plyscribe.domain.events import MatchCreated

MAX_LINE_BYTES = 128 * 1024
"""The longest event that can be imported. Events of our own matches are far shorter."""

CHUNK_BYTES = 240 * 1024
"""The longest event of an import, unless a single copied event is longer."""


DROPPER = Actor("system", "drop")

KEPT_MS = 7 * 24 * 3600 * 1000
"""How long the text of a faulty record is kept after its fault was found."""

LONGEST_RECORD = 3
"""Events that the import of a text record has at most: received, refused, and entered in part."""

OBJECT_BYTES = 200
"""About what a stored event takes in memory besides its bytes."""


@dataclass(frozen=True, slots=True)
class ImportBegun:
    """The copy of a bundle begins: `count` events of a match, the last with the hash `head`.

    `digest` is the SHA-256 of the whole bundle. The first `kept` events are here already, from an earlier bundle.
    """

    type: ClassVar[str] = "import-begun"
    format: str
    match: str
    private: bool
    count: int
    head: str
    digest: str
    kept: int


@dataclass(frozen=True, slots=True)
class EventsCopied:
    """The next events of the match, each as its line in the bundle."""

    type: ClassVar[str] = "events-copied"
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CopyCompleted:
    """All events are here, so the match can be read from now on."""

    type: ClassVar[str] = "copy-completed"
    count: int


@dataclass(frozen=True, slots=True)
class ImportVerified:
    """These checks found no fault up to `version`: see `plyscribe.domain.bundle.report`."""

    type: ClassVar[str] = "import-verified"
    version: int
    checks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImportRefuted:
    """One of the checks found a fault; event `version` is the first one at fault."""

    type: ClassVar[str] = "import-refuted"
    version: int
    check: str
    why: str


@dataclass(frozen=True, slots=True)
class RecordReceived:
    """A text record came in, to become the match `match`; `digest` is the SHA-256 of its bytes."""

    type: ClassVar[str] = "record-received"
    match: str
    private: bool
    text: str
    digest: str


@dataclass(frozen=True, slots=True)
class RecordEntered:
    """The record, or the part of it that was kept, became a match with this many plies, up to this version."""

    type: ClassVar[str] = "record-entered"
    version: int
    plies: int


@dataclass(frozen=True, slots=True)
class RecordRefused:
    """The text has a fault, described as in RecordError; `can_keep` says whether the part before it can be kept."""

    type: ClassVar[str] = "record-refused"
    line: int
    column: int
    ply: int
    clause: str | None
    why: str
    can_keep: bool


@dataclass(frozen=True, slots=True)
class RecordDropped:
    """The text of a faulty record was dropped. This is the only event of its import, in the place of all others.

    There were `events` of them, the last with the hash `head`. The record came from the actor `by` at `received_at`
    (UTC milliseconds); `entered` is the match that its sound part became, if that was kept.
    """

    type: ClassVar[str] = "record-dropped"
    match: str
    private: bool
    by: str
    received_at: int
    digest: str
    fault: RecordRefused
    entered: RecordEntered | None
    events: int
    head: str


ImportEvent = (
    ImportBegun
    | EventsCopied
    | CopyCompleted
    | ImportVerified
    | ImportRefuted
    | RecordReceived
    | RecordEntered
    | RecordRefused
    | RecordDropped
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginImport(Command):
    """Accept a bundle when the stream holds no complete one, or when it holds the first `kept` events."""

    match: str
    private: bool
    count: int
    head: bytes
    digest: str
    kept: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyEvents(Command):
    """Copy the next events of the bundle with this digest."""

    digest: str
    events: tuple[StoredEvent, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeImport(Command):
    """Enter the verdict on the bundle with this digest."""

    digest: str
    verdict: ImportVerified | ImportRefuted


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiveRecord(Command):
    """Accept a text record."""

    match: str
    private: bool
    text: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRecord(Command):
    """Enter the outcome of a text record. After a refusal, the part before the fault may still be entered."""

    outcome: RecordEntered | RecordRefused


@dataclass(frozen=True, slots=True)
class Import:
    """An import folded up to `version`, without the events that it copied: see Copies."""

    stream: str
    version: int = 0
    head: bytes = b""
    begun: ImportBegun | None = None
    by: str = ""
    """The actor who imported it first, or who sent the bundle that replaced a refuted one."""

    at: int = 0
    """When the first part of the match came in (UTC milliseconds)."""

    copied: int = 0
    complete: bool = False
    reached: str = ""
    """The hash of the last event that can be read, in hex."""

    held: int = 0
    """The number of events of the last complete bundle; these can be read."""

    verdict: ImportVerified | ImportRefuted | None = None
    record: RecordReceived | None = None
    """The text record; None for a bundle."""

    fault: RecordRefused | None = None
    entered: RecordEntered | None = None
    fault_at: int = 0
    """When the fault of a text record was found (UTC milliseconds)."""

    dropped: RecordDropped | None = None
    """What is left of a faulty text record whose text was dropped; its `record` has no text."""

    @property
    def kept_until(self) -> int | None:
        """When the text of a faulty record is dropped (UTC milliseconds); None if it is not, or was."""
        return None if self.fault is None or self.dropped is not None else self.fault_at + KEPT_MS

    @property
    def status(self) -> str:
        """The status of the import: one of STATUSES."""
        if self.record is not None:
            if self.entered is not None:
                return "kept" if self.fault else "entered"
            if self.dropped is not None:
                return "dropped"
            return "faulty" if self.fault else "waiting"
        if self.verdict is not None:
            return "verified" if isinstance(self.verdict, ImportVerified) else "refuted"
        return "waiting" if self.complete else "copying"

    @property
    def importer(self) -> str | None:
        """The account that imported it; None for the operator."""
        role, _, id = self.by.partition(":")
        return id if role == "player" else None

    @property
    def address(self) -> str | None:
        """The address of the imported match; None for a text record, whose match is our own."""
        return address_of(self.begun.match, self.stream) if self.begun else None


STATUSES = ("copying", "waiting", "verified", "refuted", "entered", "faulty", "kept", "dropped")


def import_of(match: str) -> str:
    """The import stream of a text record's match. Early releases also kept a match's bundle in it."""
    return f"import-{match.removeprefix('match-')}"


def address_of(match: str, stream: str) -> str:
    """The address of a match in one of its imports."""
    return f"{match}~{stream.removeprefix('import-')}"


def is_address(stream: str) -> bool:
    """Whether a match is read by an address, so that it was imported."""
    return "~" in stream


def split_address(address: str) -> tuple[str, str]:
    """The id of the match and the import stream of an address; inverse of address_of."""
    match, _, rest = address.partition("~")
    return match, f"import-{rest}"


def require_importable(bundle: Bundle) -> MatchCreated:
    """The match-created event of the bundle; BundleError with the line at fault when the bundle cannot be kept here."""
    head, entries = bundle
    try:
        check_chain(first_link(head.match), 0, entries)
    except BrokenChain as error:
        raise BundleError(error.details["version"] + 1, str(error)) from None
    events = [_parse_line(line, entry) for line, entry in enumerate(entries, 2)]
    created = events[0].data if events else None
    if not isinstance(created, MatchCreated):
        raise BundleError(2, "a match must begin with match-created")
    if (created.ruleset, created.ruleset_version) != (head.ruleset, head.ruleset_version):
        raise BundleError(2, "the match has another ruleset than the head line says")
    return created


def _parse_line(line: int, entry: StoredEvent) -> Event:
    if len(entry.e) > MAX_LINE_BYTES:
        raise BundleError(line, f"an event may have {MAX_LINE_BYTES} bytes, and this one has {len(entry.e)}")
    try:
        return parse_event(entry)
    except StreamError as error:
        raise BundleError(line, str(error)) from None


def cut_chunks(entries: Sequence[StoredEvent]) -> Iterable[tuple[StoredEvent, ...]]:
    """The events in order, in chunks that fit into one event of an import."""
    chunk: list[StoredEvent] = []
    size = 0
    for entry in entries:
        length = len(canonical_json(format_event_line(entry).decode()))
        if chunk and size + length > CHUNK_BYTES:
            yield tuple(chunk)
            chunk, size = [], 0
        chunk.append(entry)
        size += length
    if chunk:
        yield tuple(chunk)


class Copies:
    """The events of an imported match, collected from the stored events of its import."""

    def __init__(self) -> None:
        self.version = 0
        self.match = ""
        self.events: list[StoredEvent] = []
        """The events of the last complete bundle."""

        self._coming: list[StoredEvent] = []

    def add(self, entries: Iterable[StoredEvent]) -> int:
        """Add the next events of the import; about the bytes that what they brought takes in memory."""
        size = 0
        for entry in entries:
            data: Any = IMPORT.parse(entry).data
            match data:
                case ImportBegun(match=match, kept=kept):
                    self.match = match
                    self._coming = self.events[:kept]
                case EventsCopied(events):
                    first = len(self._coming) + 2
                    self._coming += [parse_event_line(text.encode(), line) for line, text in enumerate(events, first)]
                    size += len(entry.e) + OBJECT_BYTES * len(events)
                case CopyCompleted():
                    self.events = self._coming
            self.version = entry.version
        return size


def _evolve(state: Import, event: Event, data: ImportEvent) -> Import:
    match data:
        case ImportBegun():
            # A bundle that continues another keeps that one's importer. Early releases also replaced refuted bundles.
            by = state.by if data.kept else event.by
            at = event.at if event.version == 1 else state.at
            return replace(state, begun=data, by=by, at=at, copied=data.kept, complete=False, verdict=None)
        case EventsCopied(events):
            return replace(state, copied=state.copied + len(events))
        case CopyCompleted():
            assert state.begun is not None
            return replace(state, complete=True, held=state.copied, reached=state.begun.head)
        case ImportVerified() | ImportRefuted():
            return replace(state, verdict=data)
        case RecordReceived():
            return replace(state, record=data, by=event.by, at=event.at)
        case RecordEntered():
            return replace(state, entered=data)
        case RecordRefused():
            return replace(state, fault=data, fault_at=event.at)
        case RecordDropped():
            record = RecordReceived(data.match, data.private, "", data.digest)
            at, fault, entered = data.received_at, data.fault, data.entered
            return replace(state, record=record, by=data.by, at=at, fault=fault, entered=entered, dropped=data)


def is_left_of(entries: Sequence[StoredEvent], before: Sequence[StoredEvent]) -> bool:
    """Whether these entries are all that is left of a text record that had those before."""
    if len(entries) != 1 or not before:
        return False
    raw = parse_json(entries[0].e)
    if not (isinstance(raw, dict) and raw.get("type") == RecordDropped.type):
        return False
    count, head = raw["data"]["events"], raw["data"]["head"]
    # One side may be from before a part was kept, or before the fault was found.
    return len(before) < count or (len(before) == count and bool(before[-1].h.hex() == head))


def drop_record(state: Import, at: int, cause: str) -> Event | None:
    """The event that takes the place of a faulty text record at this time (UTC milliseconds); None: it is kept.

    `cause` is the id of the command, in hex.
    """
    if state.kept_until is None or at < state.kept_until:
        return None
    assert state.record is not None
    assert state.fault is not None
    received, fault = state.record, replace(state.fault, can_keep=False)
    dropped: Any = RecordDropped(
        match=received.match,
        private=received.private,
        by=state.by,
        received_at=state.at,
        digest=received.digest,
        fault=fault,
        entered=state.entered,
        events=state.version,
        head=state.head.hex(),
    )
    return Event(1, at, str(DROPPER), cause, dropped)


def _decide_begin(command: BeginImport, state: Import) -> list[Any]:
    if state.record is not None:
        raise WrongTime("import/conflict", f"{state.stream} has another import")
    continues = 0 < command.kept == state.held < command.count
    if not continues and (command.kept or state.held):
        raise WrongTime("import/conflict", f"{state.stream} has another bundle of {command.match}")
    head = command.head.hex()
    return [ImportBegun("bundle", command.match, command.private, command.count, head, command.digest, command.kept)]


def _decide_receive(command: ReceiveRecord, state: Import) -> list[Any]:
    if state.version:
        raise WrongTime("import/conflict", f"{state.stream} has another import")
    return [RecordReceived(command.match, command.private, command.text, command.digest)]


def refuse_dropped(state: Import) -> WrongTime:
    """The refusal to do anything with a text that was dropped."""
    why = f"the text of {state.stream} was dropped a week after its fault was found: send it with a new key"
    return WrongTime("import/dropped", why)


def _decide_record(command: JudgeRecord, state: Import) -> list[Any]:
    if state.status == "dropped":
        raise refuse_dropped(state)
    keeps = isinstance(command.outcome, RecordEntered) and state.fault is not None and state.fault.can_keep
    if state.record is None or state.status not in ("waiting", "faulty") or (state.status == "faulty" and not keeps):
        raise WrongTime("import/settled", f"{state.stream} is {state.status}: it waits for no outcome")
    return [command.outcome]


def _decide_copy(command: CopyEvents, state: Import) -> list[Any]:
    begun = state.begun
    if begun is None or begun.digest != command.digest or state.copied + 1 != command.events[0].version:
        raise WrongTime("import/conflict", f"someone else is importing to {state.stream} at the same time")
    lines = tuple(format_event_line(entry).decode() for entry in command.events)
    copied = EventsCopied(lines)
    if state.copied + len(lines) < begun.count:
        return [copied]
    return [copied, CopyCompleted(begun.count)]


def _decide_verdict(command: JudgeImport, state: Import) -> list[Any]:
    if state.begun is None or state.begun.digest != command.digest or state.status != "waiting":
        raise WrongTime("import/settled", f"{state.stream} is {state.status}: it waits for no verdict")
    return [command.verdict]


def _weigh(state: Import) -> int:
    return weigh_state(state) + (len(state.record.text) if state.record else 0)


IMPORT: Aggregate[Import] = declare(
    "import",
    Import,
    ImportEvent,
    _evolve,
    {
        BeginImport: _decide_begin,
        CopyEvents: _decide_copy,
        JudgeImport: _decide_verdict,
        ReceiveRecord: _decide_receive,
        JudgeRecord: _decide_record,
    },
    weigh=_weigh,
)
