"""The command handler: five steps from a request to an answer. Their order ensures that a retry is never refused.

1  Take the state from the cache, or fold it from the store. If the store remembers the command, go to 5.
2  Check the expected version and call `decide`. A refusal counts only if the state is fresh from the store.
3  Make the bytes and hashes of the events and append them to the state's version and head.
4  If the state was stale, fold the events in between and go back to 2. If there is no answer, repeat the append.
5  Answer. The answer is a pure function of the stream up to the events that the command stored.
"""

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from plyscribe.domain.aggregate import Aggregate, Decided, S, State
from plyscribe.domain.chain import StoredEvent, first_link, link_all, next_link
from plyscribe.domain.codec import format_event
from plyscribe.domain.commands import Command
from plyscribe.domain.errors import DomainError, StreamError
from plyscribe.service.errors import Contended, KeyReused, QuotaReached, ServiceError, VersionConflict
from plyscribe.service.store import port
from plyscribe.service.store.port import (
    EventStore,
    Forked,
    Reused,
    Seen,
    Stale,
    Stored,
    StoreError,
    StoreUnavailable,
    Stretch,
)
from plyscribe.service.streams.cache import StateCache
from plyscribe.service.streams.patience import PATIENCE

APPEND_WITHIN_S = 8.0
"""How long an append without an answer is repeated before the client gets 503."""

LOAD_WITHIN_S = 1.0
"""How long a load is repeated. It is short because a client can repeat a read at no risk."""

MAX_TRIES = 6
"""How often a command is decided anew because other writers were faster, before it gives up."""

PAGE = 1000
"""Events that are loaded at a time. A ratings ledger has as many as there are rated matches."""

MAX_MISSED = 256
"""The most missed events in the answer to a stale client."""

log = logging.getLogger(__name__)


T = TypeVar("T")


class Ready(NamedTuple, Generic[S]):
    """A command that was decided in advance, on this state. On any other state it is a VersionConflict."""

    state: S
    decided: Decided[S]


class Order(NamedTuple):
    """A command on a stream, decided or not, and its key in the store."""

    stream: str
    command: Command | Ready[Any] | Callable[[Any], Command | Ready[Any]]
    """The command, or what builds it from the state: see `Handler.execute`."""

    asked: port.CommandKey
    new: bool = False
    """Whether the stream should not exist yet."""

    expected_version: int | None = None

    def command_for(self, state: Any) -> Command | Ready[Any]:
        """The command on this state."""
        return self.command(state) if callable(self.command) else self.command


class _Draft(NamedTuple, Generic[S]):
    """A decided command, ready to be appended."""

    state: S
    append: port.Append
    after: Callable[[bytes], S] | None


@dataclass(frozen=True, slots=True)
class Answer(Generic[S]):
    """The events that a command stored, the state right after them, and whether an earlier request stored them."""

    events: Sequence[StoredEvent]
    state: S
    replayed: bool


class Handler(Generic[S]):
    """Executes commands on streams of one kind and reads those streams; safe to share between threads."""

    def __init__(
        self,
        store: EventStore,
        aggregate: Aggregate[S],
        append_within_s: float = APPEND_WITHIN_S,
        load_within_s: float = LOAD_WITHIN_S,
    ) -> None:
        self._store = store
        self._aggregate = aggregate
        self._append_within_s = append_within_s
        self._load_within_s = load_within_s
        self._cache = StateCache(aggregate.weigh)

    def execute(
        self,
        stream: str,
        command_for: Callable[[S], Command | Ready[S]],
        asked: port.CommandKey,
        expected_version: int | None = None,
        new: bool = False,
    ) -> Answer[S]:
        """Execute a command, or give the same answer again if it was stored before.

        `command_for` builds the command from the state, for example with secrets. With `new` the stream should not
        exist yet. Raises DomainError (a refusal), VersionConflict, KeyReused, Contended or StoreUnavailable. Then
        nothing was stored, except perhaps with StoreUnavailable. Repeating the same request is always safe.
        """
        try:
            return self._execute(stream, command_for, asked, expected_version, new)
        except _SeenBefore as known:
            return self._answer_again(stream, known.seen)
        except VersionConflict as conflict:
            conflict.missed = self.read_events(stream, conflict.expected, MAX_MISSED)
            raise

    def _execute(
        self,
        stream: str,
        command_for: Callable[[S], Command | Ready[S]],
        asked: port.CommandKey,
        expected_version: int | None,
        new: bool,
    ) -> Answer[S]:
        # A new stream should not exist yet. If it does, the append says so, and what it holds.
        known = None if new else self.cached(stream)
        state, fresh = known or self._aggregate.empty(stream), False
        if not (state.version or new):
            state, fresh = self._catch_up(stream, state, asked), True
        for _ in range(MAX_TRIES):
            try:
                draft = self._draft(stream, state, command_for(state), asked, expected_version)
            except (DomainError, QuotaReached, VersionConflict):
                if fresh:
                    raise
                state, fresh = self._catch_up(stream, state, asked), True
                continue
            match self._append(draft.append):
                case Stored():
                    return self._answer(draft)
                case Seen() as seen:
                    raise _SeenBefore(seen)
                case Reused():
                    raise KeyReused
                case Stale(_, missed) if _follows(stream, state, missed):
                    state = self._advance(stream, state, missed)
                case Stale() | Forked():
                    state, fresh = self._catch_up(stream, state, asked), True
        raise Contended(stream)

    def execute_all(self, orders: Sequence[Order]) -> list[Answer[S] | Exception]:
        """As `execute` for each order, but errors are returned, and all appends take one round trip.

        That works for new streams and for states in the cache. Any other order, and one that meets another writer, is
        executed by itself. Orders on the same stream are executed in their order, each on what the ones before it made
        of the stream.
        """
        drafts = self._draft_all(orders)
        try:
            appended = iter(self._append_all([draft.append for draft in drafts if draft]))
        except StoreUnavailable as error:
            return [error] * len(orders)
        return [
            self._answer(draft) if draft and isinstance(next(appended), Stored) else self._try(order)
            for order, draft in zip(orders, drafts, strict=True)
        ]

    def execute_known(self, orders: Sequence[Order]) -> list[Answer[S] | None]:
        """As `execute_all`, but nothing is waited for or asked again: None for each order that needs that, and for a
        refusal.

        Such an order may have been stored. Execute it by itself, with the same key.
        """
        drafts = self._draft_all(orders)
        appends = [draft.append for draft in drafts if draft]
        try:
            appended = iter(self._store.append_all(appends) if appends and not PATIENCE.is_tried else ())
        except StoreError as error:
            log.debug("orders that go together are executed one by one: %s", error)
            appended = iter(())
        return [self._answer(draft) if draft and isinstance(next(appended, None), Stored) else None for draft in drafts]

    def _draft_all(self, orders: Sequence[Order]) -> list[_Draft[S] | None]:
        """A draft for each order; None for one that has to be executed by itself, and for those after it there."""
        newest: dict[str, _Draft[S] | None] = {}
        drafts = []
        for order in orders:
            if order.stream in newest:
                before = newest[order.stream]
                state = before and self._foresee_or_fold(before)
            else:
                state = self._aggregate.empty(order.stream) if order.new else self.cached(order.stream)
            newest[order.stream] = draft = self._draft_if_known(order, state)
            drafts.append(draft)
        return drafts

    def _foresee_or_fold(self, draft: _Draft[S]) -> S | None:
        """The state after a draft, once that is stored; None if its own events cannot be folded."""
        state = _foresee(draft)
        if state is None:
            with suppress(StreamError):
                return self._fold(draft.state, draft.append.events)
        return state

    def _draft_if_known(self, order: Order, state: S | None) -> _Draft[S] | None:
        with suppress(DomainError, ServiceError, StoreError):
            if state is not None:
                return self._draft(order.stream, state, order.command_for(state), order.asked, order.expected_version)
        return None

    def _try(self, order: Order) -> Answer[S] | Exception:
        try:
            return self.execute(order.stream, order.command_for, order.asked, order.expected_version, order.new)
        except (DomainError, ServiceError, StoreError) as error:
            return error

    def read(self, stream: str, version: int | None = None) -> S:
        """The newest state of a stream, or its state at exactly `version`. Without a stream it is the empty state."""
        if version is not None:
            return self._fold_on(stream, self._aggregate.empty(stream), 0, version)
        return self._catch_up(stream, self.cached(stream) or self._aggregate.empty(stream), None)

    def read_all(self, streams: Sequence[str]) -> list[S]:
        """The newest states of several streams, in this order, in one round trip. None of them may be named twice."""
        known = [self.cached(stream) or self._aggregate.empty(stream) for stream in streams]
        # As in `_catch_up`, the entry at the state's own version is read again.
        tails = self.read_all_events([Stretch(each.stream, max(0, each.version - 1)) for each in known])
        return [self._go_on(state, tail) for state, tail in zip(known, tails, strict=True)]

    def _go_on(self, state: S, tail: Sequence[StoredEvent]) -> S:
        if not state.version:
            return self._advance(state.stream, state, tail)
        return self._advance(state.stream, state, tail[1:]) if _is_at(state, tail) else self.read(state.stream)

    def read_until(self, stream: str, done: Callable[[S], bool], near: int) -> S:
        """A state of a stream for which `done` is true, or the newest state if `done` is true for none.

        `near` is about how many events that takes. A state in the cache is not compared with the store.
        """
        state = self.cached(stream)
        if state is not None:
            return state if done(state) else self.read(stream)
        entries = self.read_events(stream, 0, near)
        state = self._advance(stream, self._aggregate.empty(stream), entries)
        return state if len(entries) < near or done(state) else self.read(stream)

    def read_since(self, stream: str, version: int | None) -> S:
        """A state of a stream at this version or a later one; the newest if `version` is None or not reached yet.

        A state in the cache is compared with the store only if `version` is None.
        """
        if version is None:
            return self.read(stream)
        return self.read_until(stream, lambda state: state.version >= version, near=version)

    def cached(self, stream: str) -> S | None:
        """The state in the cache of this process, which may be older than the stream; None if there is none."""
        return self._cache.get(stream)

    def keep(self, stream: str, state: S) -> None:
        """Put a state in the cache unless it has a newer one. It must be folded from the stream's own events."""
        if not self._aggregate.is_sound(state):
            self._cache.drop(stream)
            return
        self._cache.keep(stream, state)

    def forget(self, stream: str) -> None:
        """Drop the state of a stream that was condensed from the cache."""
        self._cache.drop(stream)

    def read_events(self, stream: str, after: int, limit: int | None = None) -> list[StoredEvent]:
        """The stored events after version `after`, at most `limit`."""
        return self._load(stream, after, limit=limit).entries

    def read_all_events(self, stretches: Sequence[Stretch]) -> list[list[StoredEvent]]:
        """The stored events of each stretch, in the given order."""
        return PATIENCE.ask(lambda: self._store.load_all(stretches), self._load_within_s)

    def _draft(
        self,
        stream: str,
        state: S,
        command: Command | Ready[S],
        asked: port.CommandKey,
        expected_version: int | None = None,
    ) -> _Draft[S]:
        if expected_version is not None and state.version not in (0, expected_version):
            raise VersionConflict(stream, expected_version, state.version)
        if not isinstance(command, Ready):
            events, after = self._aggregate.decide(command, state)
        elif (command.state.version, command.state.head) == (state.version, state.head):
            events, after = command.decided
        else:
            raise VersionConflict(stream, command.state.version, state.version)
        entries = link_all(state.head or first_link(stream), state.version + 1, map(format_event, events))
        types = [event.data.type for event in events]
        return _Draft(state, port.Append(stream, state.version, state.head, entries, types, asked), after)

    def _append(self, append: port.Append) -> port.Appended:
        return PATIENCE.ask(lambda: self._store.append(*append), self._append_within_s)

    def _append_all(self, appends: Sequence[port.Append]) -> Sequence[port.Appended | None]:
        try:
            return PATIENCE.ask(lambda: self._store.append_all(appends), self._append_within_s) if appends else []
        except StoreUnavailable:
            raise
        except StoreError:
            # Each is now sent by itself, which shows which of them the store refuses.
            return [None] * len(appends)

    def _load(
        self, stream: str, after: int = 0, asked: port.CommandKey | None = None, limit: int | None = None
    ) -> port.Loaded:
        return PATIENCE.ask(lambda: self._store.load(stream, after, asked, limit), self._load_within_s)

    def _catch_up(self, stream: str, state: S, asked: port.CommandKey | None) -> S:
        """The state, brought up to date from the store; _SeenBefore if the command was stored before.

        The entry at the state's own version is read again: if the store was restored from a backup, the store is right.
        """
        loaded = self._load(stream, max(0, state.version - 1), asked, PAGE)
        if isinstance(loaded.command, Reused):
            raise KeyReused
        if loaded.command is not None:
            raise _SeenBefore(loaded.command)
        if state.version and not _is_at(state, loaded.entries):
            log.warning("%s is cached at version %d, which the store does not have any more", stream, state.version)
            self._cache.drop(stream)
            return self._catch_up(stream, self._aggregate.empty(stream), asked)
        state = self._advance(stream, state, loaded.entries[1:] if state.version else loaded.entries)
        if len(loaded.entries) < PAGE:
            return state
        state = self._fold_on(stream, state, loaded.entries[-1].version)
        self.keep(stream, state)
        return state

    def _fold_on(self, stream: str, state: S, after: int, upto: int | None = None) -> S:
        """Fold the events after a version, up to another or to the newest, page by page."""
        while upto is None or after < upto:
            limit = PAGE if upto is None else min(PAGE, upto - after)
            entries = self.read_events(stream, after, limit)
            state = self._fold(state, entries)
            if len(entries) < limit:
                break
            after += limit
        return state

    def _answer(self, draft: _Draft[S]) -> Answer[S]:
        """The answer to a command whose draft was stored."""
        stream, entries = draft.append.stream, draft.append.events
        if not draft.append.expected_version:
            self._cache.drop(stream)
        state = _foresee(draft)
        if state is None:
            return Answer(entries, self._advance(stream, draft.state, entries), replayed=False)
        self.keep(stream, state)
        return Answer(entries, state, replayed=False)

    def _advance(self, stream: str, state: S, entries: Sequence[StoredEvent]) -> S:
        state = self._fold(state, entries)
        if state.version:
            self.keep(stream, state)
        return state

    def _fold(self, state: S, entries: Sequence[StoredEvent]) -> S:
        try:
            return self._aggregate.fold(state, entries)
        except StreamError as error:
            raise error.in_stream(state.stream) from None

    def _answer_again(self, stream: str, seen: Seen) -> Answer[S]:
        entries = self.read_events(stream, seen.first - 1, seen.last - seen.first + 1)
        return Answer(entries, self.read(stream, seen.last), replayed=True)


class _SeenBefore(Exception):
    def __init__(self, seen: Seen) -> None:
        super().__init__(seen)
        self.seen = seen


def _foresee(draft: _Draft[S]) -> S | None:
    """The state after a draft, once that is stored; None if it cannot be told without folding.

    A new stream is folded from what is stored. Its first event has objects whose keys are in the order of the request,
    and other processes read them in the canonical order: their answers would differ, under the same ETag.
    """
    if draft.after is None or not draft.append.expected_version:
        return None
    return draft.after(draft.append.events[-1].h)


def _is_at(state: State, entries: Sequence[StoredEvent]) -> bool:
    """Whether the first entry is the last one that the state was folded from."""
    return [(entry.version, entry.h) for entry in entries[:1]] == [(state.version, state.head)]


def _follows(stream: str, state: State, entries: Sequence[StoredEvent]) -> bool:
    """Whether the entries directly follow the state. They do unless the store was restored or tampered with."""
    if not entries or entries[0].version != state.version + 1:
        return False
    return entries[0].h == next_link(state.head or first_link(stream), entries[0].e)
