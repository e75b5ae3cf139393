"""Imports over the store: takes bundles, reads them, and records their verdicts."""

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from plyscribe.domain.bundle.bundle import Bundle, parse_bundle
from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.commands import Actor, Command
from plyscribe.domain.errors import WrongTime, WrongValue
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
    match_of,
    require_importable,
)
from plyscribe.domain.match import Match
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.clock import now_ms
from plyscribe.service.store import port
from plyscribe.service.store.imported import ImportedStore
from plyscribe.service.store.port import EventStore
from plyscribe.service.streams.handler import Answer, Handler
from plyscribe.service.streams.ids import job_command

VERIFIER = Actor("system", "verify")


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

    def read(self, stream: str) -> Import:
        """The import as it stands now; version 0 if there is none."""
        return self._imports.read(stream)

    def read_since(self, stream: str, version: int | None) -> Import:
        """As Handler.read_since."""
        return self._imports.read_since(stream, version)

    def is_imported(self, match: str) -> bool:
        """Whether the match is read from its import; costs no request if this process has read it before."""
        return self._matches.is_imported(match)

    def is_own(self, match: Match) -> bool:
        """Whether one of our own streams holds the match as it stands; asks the store.

        Only such a match may learn the secrets of our dice: an imported one may name the dice of any match.
        """
        last = self._store.load(match.stream, max(0, match.version - 1), limit=1).entries
        return [(entry.version, entry.h) for entry in last] == [(match.version, match.head)]

    def find(self, match: str) -> Import | None:
        """The import that the match is read from; None if the match is our own or does not exist."""
        return self.read(import_of(match)) if self.is_imported(match) else None

    def read_copied(self, stream: str) -> Sequence[StoredEvent]:
        """The events of the imported match; none until the import is complete."""
        return self._matches.read_copied(match_of(stream))

    def take(self, actor: Actor, raw: bytes) -> Taken:
        """Store a bundle, unless it is stored already. A worker judges it later.

        The same bundle is the same import, no matter who sends it and how often. An interrupted import goes on where it
        stopped. A longer bundle of the same match continues a shorter one. Any bundle replaces a refuted one.

        BundleError if the bundle cannot be read; UnknownRuleset; WrongValue `import/behaviour` if our version of its
        rules behaves otherwise; WrongTime `import/own-match` if the match is our own and differs, `import/conflict`
        if a different bundle of the match was imported.
        """
        bundle = parse_bundle(raw)
        created = require_importable(bundle)
        _require_same_rules(bundle)
        match = bundle.head.match
        if self._is_own(bundle):
            return Taken(match, None)
        digest = sha256(raw).hexdigest()
        state = self.read(import_of(match))
        if state.begun is None or state.begun.digest != digest:
            if _is_beginning(bundle.entries, self.read_copied(state.stream)):
                # The rest may have arrived since the import was read.
                return Taken(match, self.read(state.stream))
            state = self._begin(state, actor, bundle, digest, created.private)
        for chunk in cut_chunks(bundle.entries[state.copied :]):
            state = self._copy(state, actor, digest, chunk)
        return Taken(match, state)

    def _is_own(self, bundle: Bundle) -> bool:
        """Whether the match is our own; WrongTime if our events differ from the bundle's."""
        head, entries = bundle
        own = self._store.load(head.match, limit=len(entries)).entries
        if own and tuple(own) != entries:
            raise WrongTime("import/own-match", f"{head.match} is a match of this server that differs from the bundle")
        return bool(own)

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


def _is_beginning(entries: Sequence[StoredEvent], of: Sequence[StoredEvent]) -> bool:
    """Whether there are entries and `of` begins with them."""
    return 0 < len(entries) <= len(of) and tuple(of[: len(entries)]) == tuple(entries)
