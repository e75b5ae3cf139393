"""Imports over the store: takes bundles, reads them, and records their verdicts.

Different bundles of one match stand side by side, each with a verdict of its own. The verdict says that a bundle is
consistent, not that it is the true one: only a receipt that somebody kept tells them apart.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from plyscribe.domain.bundle.bundle import Bundle, parse_bundle
from plyscribe.domain.bundle.receipt import Receipt
from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.commands import Actor, Command
from plyscribe.domain.errors import WrongTime, WrongValue
from plyscribe.domain.import_list import IMPORT_LIST, ListImport, list_of
from plyscribe.domain.imported import (
    IMPORT,
    BeginImport,
    CopyEvents,
    Import,
    ImportRefuted,
    ImportVerified,
    JudgeImport,
    cut_chunks,
    import_of,
    is_address,
    require_importable,
    split_address,
)
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.clock import now_ms
from plyscribe.service.store import port
from plyscribe.service.store.imported import ImportedStore
from plyscribe.service.store.port import EventStore
from plyscribe.service.streams.handler import Answer, Handler
from plyscribe.service.streams.ids import job_command, stream_id

VERIFIER = Actor("system", "verify")

MAX_NAMED = 20
"""The most versions of a match that a refusal or a page names."""


class Ambiguous(WrongTime):
    """A match id was asked for, of which different versions were imported."""

    def __init__(self, match: str, versions: Sequence[Import]) -> None:
        named = [describe_version(each) for each in versions[:MAX_NAMED]]
        super().__init__(
            "match/ambiguous",
            f"{len(versions)} different versions of {match} were imported here: ask for one by its address",
            versions=named,
        )


def describe_version(state: Import) -> dict[str, Any]:
    """One of several versions of an imported match, as JSON."""
    return {
        "match": state.address,
        "import": state.stream,
        "by": state.importer,
        "at": state.at,
        "status": state.status,
        "version": state.held,
        "hash": state.reached,
    }


class Rights(NamedTuple):
    """What the sender of a bundle may read. A bundle of something else is taken as if that did not exist."""

    own: Callable[[str], bool]
    """Whether they may read a match of this server."""

    imported: Callable[[Import], bool]
    """Whether they may read an import."""


OPERATOR_RIGHTS = Rights(lambda _: True, lambda _: True)


class Taken(NamedTuple):
    """What became of a bundle: its import, or None if the match is our own and has all events of the bundle."""

    match: str
    imported: Import | None


class Imports:
    """All imports; safe to share between threads."""

    def __init__(self, store: EventStore, matches: ImportedStore) -> None:
        self._store = store
        self._matches = matches
        self._imports = Handler(store, IMPORT)
        self._lists = Handler(store, IMPORT_LIST)

    def read(self, stream: str) -> Import:
        """The import as it stands now; version 0 if there is none."""
        return self._imports.read(stream)

    def read_since(self, stream: str, version: int | None) -> Import:
        """As Handler.read_since."""
        return self._imports.read_since(stream, version)

    def find(self, match: str) -> Import | None:
        """The import that a match is read from by this address; None for the id of a match."""
        return self.read(split_address(match)[1]) if is_address(match) else None

    def read_copied(self, stream: str) -> Sequence[StoredEvent]:
        """The events of the match of an import; none until the import is complete."""
        return self._matches.read_copied(stream)

    def list_versions(self, match: str, may_read: Callable[[Import], bool]) -> list[Import]:
        """The imports of a match id that can be read, each with another chain, in the order in which they began.

        An import whose chain another one continues is left out. Asks the store for each import.
        """
        found = [each for each in self._list_all(match) if each.held and may_read(each)]
        return [each for place, each in enumerate(found) if not self._is_continued(each, found, place)]

    def find_by_receipt(self, receipt: Receipt, may_read: Callable[[Import], bool]) -> list[Import]:
        """Those of list_versions that contain the event of this receipt: several if they part ways after it."""
        return [each for each in self.list_versions(receipt.match, may_read) if self._holds(each, receipt)]

    def _list_all(self, match: str) -> list[Import]:
        streams = (import_of(match), *self._lists.read(list_of(match)).imports)
        states = [self.read(stream) for stream in streams]
        return [state for state in states if state.begun is not None]

    def _is_continued(self, state: Import, others: Sequence[Import], place: int) -> bool:
        """Whether one of the others has all events of this import and more, or the same and began earlier."""
        last = Receipt("", state.held, bytes.fromhex(state.reached))
        return any(
            (other.held > state.held or (other.held == state.held and number < place)) and self._holds(other, last)
            for number, other in enumerate(others)
        )

    def _holds(self, state: Import, receipt: Receipt) -> bool:
        return holds(self.read_copied(state.stream), receipt)

    def take(self, actor: Actor, raw: bytes, rights: Rights = OPERATOR_RIGHTS) -> Taken:
        """Store a bundle, unless it is stored already. A worker judges it later.

        The same bundle is the same import, no matter who sends it and how often; the bundle of a private match is one
        for each sender. An interrupted import goes on where it stopped. A longer bundle continues an import whose
        events it begins with. Any other bundle of the match begins an import of its own, beside those that are here.

        BundleError if the bundle cannot be read; UnknownRuleset; WrongValue `import/behaviour` if our version of its
        rules behaves otherwise; WrongTime `import/own-match` if the match is our own and differs, `import/conflict`
        if somebody else is continuing the same import at this moment.
        """
        bundle = parse_bundle(raw)
        created = require_importable(bundle)
        _require_same_rules(bundle)
        match = bundle.head.match
        if self._is_own(bundle, rights):
            return Taken(match, None)
        digest = sha256(raw).hexdigest()
        state = self._choose_import(actor, bundle, created.private, digest, rights)
        if state.begun is None or state.begun.digest != digest:
            held = self.read_copied(state.stream)
            if _is_beginning(bundle.entries, held):
                # The rest may have arrived since the import was read.
                return Taken(match, self.read(state.stream))
            state = self._begin(state, actor, bundle, digest, created.private)
        for chunk in cut_chunks(bundle.entries[state.copied :]):
            state = self._copy(state, actor, digest, chunk)
        return Taken(match, state)

    def _is_own(self, bundle: Bundle, rights: Rights) -> bool:
        """Whether the match is our own and the sender may know it; WrongTime if our events differ from the bundle's."""
        head, entries = bundle
        # Both are asked in any case, so that a match that the sender may not know takes no longer than none.
        own, known = self._store.load(head.match, limit=len(entries)).entries, rights.own(head.match)
        if not (own and known):
            return False
        if tuple(own) != entries:
            raise WrongTime("import/own-match", f"{head.match} is a match of this server that differs from the bundle")
        return True

    def _choose_import(self, actor: Actor, bundle: Bundle, private: bool, digest: str, rights: Rights) -> Import:
        """The import that the bundle belongs to: one that has its events or begins with the same ones, or a new one."""
        match, last = bundle.head.match, bundle.entries[-1].h
        new = self.read(stream_id("import", job_command("bundle", match, last.hex(), actor if private else "")))
        if new.begun is not None and new.begun.digest == digest:
            return new
        known = [each for each in self._list_all(match) if rights.imported(each)]
        held = {each.stream: self.read_copied(each.stream) for each in known}
        for state in known:
            asked = state.begun is not None and state.begun.digest == digest
            if asked or _is_beginning(bundle.entries, held[state.stream]):
                return state
        begun = [state for state in known if _is_beginning(held[state.stream], bundle.entries)]
        if begun:
            return max(begun, key=lambda state: state.held)
        if not new.version:
            self._enter(actor, match, new.stream)
        return new

    def _enter(self, actor: Actor, match: str, stream: str) -> None:
        """Enter a new import in the list of its match, unless that is done."""
        listed = list_of(match)
        asked = job_command("list", listed, stream)
        command = ListImport(actor=actor, at=now_ms(), id=asked.id.hex(), stream=stream)
        self._lists.execute(listed, lambda _: command, asked, new=True)

    def _begin(self, state: Import, actor: Actor, bundle: Bundle, digest: str, private: bool) -> Import:
        held = self.read_copied(state.stream)
        asked = job_command("import", state.stream, state.version, digest)
        command = BeginImport(
            actor=actor,
            at=now_ms(),
            id=asked.id.hex(),
            match=bundle.head.match,
            private=private,
            count=len(bundle.entries),
            head=bundle.entries[-1].h,
            digest=digest,
            kept=len(held) if _is_beginning(held, bundle.entries) else 0,
        )
        return self._imports.execute(state.stream, lambda _: command, asked, new=True).state

    def _copy(self, state: Import, actor: Actor, digest: str, chunk: tuple[StoredEvent, ...]) -> Import:
        asked = job_command("copy", state.stream, state.version, digest)
        command = CopyEvents(actor=actor, at=now_ms(), id=asked.id.hex(), digest=digest, events=chunk)
        return self._imports.execute(state.stream, lambda _: command, asked).state

    def execute(self, stream: str, command: Command, asked: port.CommandKey, new: bool = False) -> Answer[Import]:
        """As Handler.execute."""
        return self._imports.execute(stream, lambda _: command, asked, new=new)

    def forget(self, stream: str) -> None:
        """As Handler.forget."""
        self._imports.forget(stream)

    def judge(self, state: Import, verdict: ImportVerified | ImportRefuted) -> Import:
        """The import with its verdict, recorded now or before; WrongTime if it waits for no verdict on this bundle."""
        assert state.begun is not None
        asked = job_command("judge", state.stream, state.begun.digest, state.version)
        command = JudgeImport(
            actor=VERIFIER, at=now_ms(), id=asked.id.hex(), digest=state.begun.digest, verdict=verdict
        )
        return self._imports.execute(state.stream, lambda _: command, asked).state


def _require_same_rules(bundle: Bundle) -> None:
    head = bundle.head
    ours = find_ruleset(head.ruleset, head.ruleset_version).behaviour
    if None not in (ours, head.behaviour) and ours != head.behaviour:
        named = f"{head.ruleset} version {head.ruleset_version}"
        raise WrongValue("import/behaviour", f"{named} behaves differently on this server: its digest here is {ours}")


def holds(entries: Sequence[StoredEvent], receipt: Receipt) -> bool:
    """Whether these events of a match contain the one that a receipt is for."""
    return len(entries) >= receipt.version and entries[receipt.version - 1].h == receipt.hash


def _is_beginning(entries: Sequence[StoredEvent], of: Sequence[StoredEvent]) -> bool:
    """Whether there are entries and `of` begins with them."""
    return 0 < len(entries) <= len(of) and tuple(of[: len(entries)]) == tuple(entries)
