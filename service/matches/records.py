"""Text records over the store: turns a typed record into a match of our own, with its importer as the recorder."""

from dataclasses import replace
from hashlib import sha256
from typing import Any

from plyscribe.domain.chain import StoredEvent, first_link, link_all
from plyscribe.domain.codec import format_event
from plyscribe.domain.commands import Actor, Command, ConfirmRecord
from plyscribe.domain.decide import draft_decision
from plyscribe.domain.errors import DomainError, RecordError, Unknown, WrongTime, WrongValue
from plyscribe.domain.imported import (
    Import,
    JudgeRecord,
    ReceiveRecord,
    RecordEntered,
    RecordReceived,
    RecordRefused,
    drop_record,
    import_of,
    refuse_dropped,
)
from plyscribe.domain.match import Match
from plyscribe.domain.record import Record, commands_of, parse_record
from plyscribe.domain.verification import MAX_WHY_LENGTH
from plyscribe.service.clock import now_ms
from plyscribe.service.config import SERVER
from plyscribe.service.matches.imports import VERIFIER, Imports
from plyscribe.service.store import port
from plyscribe.service.store.port import EventStore, Seen, Stored
from plyscribe.service.streams.handler import Answer
from plyscribe.service.streams.ids import job_command, stream_id

MAX_RECORD_BYTES = 128 * 1024
"""The longest text record: enough for a match of some ten thousand plies."""


class Records:
    """The imports of text records; safe to share between threads."""

    def __init__(self, store: EventStore, imports: Imports) -> None:
        self._store = store
        self._imports = imports

    def receive(self, actor: Actor, raw: bytes, private: bool, asked: port.CommandKey) -> Answer[Import]:
        """Store a text record, which a worker will play. WrongValue if it is too long or not UTF-8."""
        if len(raw) > MAX_RECORD_BYTES:
            raise WrongValue("record/too-long", f"a record of {len(raw)} bytes is longer than {MAX_RECORD_BYTES}")
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            raise WrongValue("record/unreadable", f"line {line} is not UTF-8", line=line) from None
        command = ReceiveRecord(
            actor=actor,
            at=now_ms(),
            id=asked.id.hex(),
            match=(match := stream_id("match", asked)),
            private=private,
            text=text,
            digest=sha256(raw).hexdigest(),
        )
        return self._imports.execute(import_of(match), command, asked, new=True)

    def judge(self, state: Import) -> Import:
        """Play the record, enter it as a match if it is sound, and return the import. Idempotent; calls may overlap."""
        assert state.record is not None
        outcome: RecordEntered | RecordRefused
        try:
            outcome = self._enter(state, parse_record(state.record.text, to_store=True), is_complete=True)
        except RecordError as error:
            can_keep = error.prefix is not None
            outcome = RecordRefused(
                error.line, error.column, error.ply, error.clause, error.why[:MAX_WHY_LENGTH], can_keep
            )
        except DomainError as error:
            outcome = RecordRefused(1, 1, 0, None, str(error)[:MAX_WHY_LENGTH], False)
        return self._settle(state, VERIFIER, outcome, "judge")

    def keep_prefix(self, state: Import) -> Import:
        """Enter the moves before the fault of a record as an unfinished match, now or before, and return the import.

        WrongTime if the record has no fault or nothing before it, or its text was dropped.
        """
        if state.entered is not None:
            return state
        if state.dropped is not None:
            raise refuse_dropped(state)
        if state.record is None or state.fault is None or not state.fault.can_keep:
            raise WrongTime("import/nothing-to-keep", f"{state.stream} is {state.status}: there is nothing to keep")
        try:
            parse_record(state.record.text)
        except RecordError as error:
            if error.prefix is not None:
                return self._settle(
                    state, _importer(state), self._enter(state, error.prefix, is_complete=False), "keep"
                )
        raise Unknown("ruleset/unknown", f"{state.stream} was played by rules that this server no longer has")

    def drop_text(self, stream: str) -> Import:
        """The import, whose text is dropped now if its time is over. Idempotent; what was kept of it stays a match."""
        state, at = self._imports.read(stream), now_ms()
        event = drop_record(state, at, job_command("drop", stream).id.hex())
        if event is None:
            return state
        [entry] = link_all(first_link(stream), 1, [format_event(event)])
        # If this fails, the import has changed since: part of it was kept, or another relay was faster.
        self._store.condense(stream, state.version, state.head, entry, event.data.type)
        self._imports.forget(stream)
        return self._imports.read(stream)

    def _settle(self, state: Import, actor: Actor, outcome: RecordEntered | RecordRefused, step: str) -> Import:
        asked = job_command(step, state.stream)
        command = JudgeRecord(actor=actor, at=now_ms(), id=asked.id.hex(), outcome=outcome)
        return self._imports.execute(state.stream, command, asked).state

    def _enter(self, state: Import, record: Record, is_complete: bool) -> RecordEntered:
        """Append the whole match of this record at once, unless a worker that died has appended it.

        A complete record of a match that ended is confirmed with it. What was kept of a faulty one can be corrected.
        """
        received: RecordReceived | None = state.record
        assert received is not None
        match, entries, types = Match(received.match), list[StoredEvent](), list[str]()
        importer, at = _importer(state), now_ms()
        commands: list[Command] = list(commands_of(record, importer, at))
        if is_complete and record.outcome is not None:
            # Nobody copies it from a table: the text is as its importer wants it.
            commands.append(ConfirmRecord(actor=importer, at=at))
        for number, command in enumerate(commands):
            id = job_command("enter", state.stream, number).id.hex()
            more: dict[str, Any] = {"private": received.private, "server": SERVER} if number == 0 else {}
            draft = draft_decision(replace(command, id=id, **more), match)
            head = match.head or first_link(match.stream)
            stored = link_all(head, match.version + 1, map(format_event, draft.events))
            entries += stored
            types += [event.data.type for event in draft.events]
            match = draft.match.with_head(stored[-1].h)
        appended = self._store.append(match.stream, 0, b"", entries, types, job_command("enter", state.stream))
        if not isinstance(appended, Stored | Seen):
            raise WrongTime("match/exists", f"{match.stream} was created before")
        return RecordEntered(match.version, match.play.ply if match.play else 0)


def _importer(state: Import) -> Actor:
    return Actor("player", state.importer or "")
