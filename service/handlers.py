"""The command handler: five steps from a request to an answer, in an order that never refuses a retry.

1  the state, from the cache or folded from the store; a command that the store remembers goes to 5
2  expected version and `decide`; a refusal counts only on a state that is fresh
3  the events' bytes and hashes, appended under the state's version and head
4  stale: evolve by what came in between and go back to 2; no answer: the same append again
5  the answer, a pure function of the stream up to the events that the command stored
"""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from domain.chain import StoredEvent, first_link, link_all
from domain.commands import Command
from domain.errors import DomainError
from domain.events import Event, format_event
from service.errors import Contended, KeyReused, VersionConflict
from service.store import port
from service.store.port import EventStore, Forked, Reused, Seen, Stale, Stored, StoreUnavailable

DEADLINE_S = 8.0
"""How long an append without an answer is sent again; the client hears 503 after that."""

RETRY_PAUSE_S = 0.1
"""The pause before the store is asked again."""

MAX_TRIES = 6
"""How often a command is decided against other writers before it gives up."""

MAX_CACHED = 2000
"""States that a process keeps; a match of 60 plies takes about 20 kB."""

log = logging.getLogger(__name__)


class State(Protocol):
    """A folded stream: how far it reaches, and the hash there."""

    @property
    def version(self) -> int: ...  # noqa: D102
    @property
    def head(self) -> bytes: ...  # noqa: D102


S = TypeVar("S", bound=State)
T = TypeVar("T")


@dataclass(frozen=True)
class Aggregate(Generic[S]):
    """A kind of stream: its empty state, its fold of stored events, its decide."""

    empty: Callable[[str], S]
    fold: Callable[[S, Iterable[StoredEvent]], S]
    decide: Callable[[Command, S], Sequence[Event]]


@dataclass(frozen=True, slots=True)
class Answer(Generic[S]):
    """The events that a command stored, the state right after them, and whether they were stored before."""

    events: Sequence[StoredEvent]
    state: S
    replayed: bool


class Handler(Generic[S]):
    """Executes commands on streams of one kind, and reads them; safe to share between threads."""

    def __init__(self, store: EventStore, aggregate: Aggregate[S], deadline_s: float = DEADLINE_S) -> None:
        self._store = store
        self._aggregate = aggregate
        self._deadline_s = deadline_s
        self._cache: OrderedDict[str, S] = OrderedDict()
        self._lock = threading.Lock()

    def execute(
        self,
        stream: str,
        command_for: Callable[[S], Command],
        remembered: port.Command,
        expected_version: int | None = None,
        new: bool = False,
    ) -> Answer[S]:
        """Store what the command leads to and answer, or answer as before if it was stored before.

        `command_for` completes the command from the state (secrets). `new`: the stream is not expected to exist.
        Raises DomainError for a refusal, VersionConflict, KeyReused, Contended, StoreUnavailable: nothing was
        stored, except perhaps with StoreUnavailable; sending the same request again is safe always.
        """
        state, fresh = self._cached(stream), False
        if state is None:
            state = self._aggregate.empty(stream)
            if not new:
                state, seen = self._catch_up(stream, state, remembered)
                fresh = True
                if seen is not None:
                    return self._answer_again(stream, seen)
        for _ in range(MAX_TRIES):
            try:
                events = self._decide(stream, state, command_for, expected_version)
            except (DomainError, VersionConflict):
                if fresh:
                    raise
                state, seen = self._catch_up(stream, state, remembered)
                fresh = True
                if seen is not None:
                    return self._answer_again(stream, seen)
                continue
            entries = link_all(state.head or first_link(stream), state.version + 1, map(format_event, events))
            match self._append(stream, state, events, entries, remembered):
                case Stored():
                    return Answer(entries, self._advance(stream, state, entries), replayed=False)
                case Seen() as seen:
                    return self._answer_again(stream, seen)
                case Reused():
                    raise KeyReused
                case Stale(have, missed) if have > state.version:
                    state = self._advance(stream, state, missed)
                case Stale(have, _) | Forked(have):
                    # Only a store that was set back or tampered with stands elsewhere than what it once answered.
                    log.error("%s is cached at version %d, the store has another %d", stream, state.version, have)
                    self._forget(stream)
                    state, _ = self._catch_up(stream, self._aggregate.empty(stream), remembered)
                    fresh = True
        raise Contended(stream)

    def read(self, stream: str, version: int | None = None) -> S:
        """The newest state of a stream, or the state at exactly `version`; version 0 where there is none."""
        if version is not None:
            entries = self._surely(lambda: self._store.load(stream, limit=version)).entries if version else []
            return self._aggregate.fold(self._aggregate.empty(stream), entries)
        state, _ = self._catch_up(stream, self._cached(stream) or self._aggregate.empty(stream), None)
        return state

    def read_events(self, stream: str, after: int, limit: int | None = None) -> list[StoredEvent]:
        """Stored events after version `after`, at most `limit`."""
        return self._surely(lambda: self._store.load(stream, after, limit=limit)).entries

    def _decide(
        self, stream: str, state: S, command_for: Callable[[S], Command], expected_version: int | None
    ) -> Sequence[Event]:
        if expected_version is not None and state.version not in (0, expected_version):
            raise VersionConflict(stream, expected_version, state.version)
        return self._aggregate.decide(command_for(state), state)

    def _append(
        self,
        stream: str,
        state: S,
        events: Sequence[Event],
        entries: list[StoredEvent],
        remembered: port.Command,
    ) -> port.Appended:
        types = [event.data.type for event in events]
        return self._surely(lambda: self._store.append(stream, state.version, state.head, entries, types, remembered))

    def _catch_up(self, stream: str, state: S, remembered: port.Command | None) -> tuple[S, Seen | None]:
        """The state with all that the store has after it, and where the command was stored before, if it was."""
        loaded = self._surely(lambda: self._store.load(stream, state.version, remembered))
        if isinstance(loaded.command, Reused):
            raise KeyReused
        return self._advance(stream, state, loaded.entries), loaded.command

    def _advance(self, stream: str, state: S, entries: Sequence[StoredEvent]) -> S:
        state = self._aggregate.fold(state, entries)
        if state.version:
            self._keep(stream, state)
        return state

    def _cached(self, stream: str) -> S | None:
        with self._lock:
            return self._cache.get(stream)

    def _keep(self, stream: str, state: S) -> None:
        with self._lock:
            known = self._cache.get(stream)
            # Another thread may have come further meanwhile.
            if known is None or known.version <= state.version:
                self._cache[stream] = state
            self._cache.move_to_end(stream)
            if len(self._cache) > MAX_CACHED:
                self._cache.popitem(last=False)

    def _forget(self, stream: str) -> None:
        with self._lock:
            self._cache.pop(stream, None)

    def _answer_again(self, stream: str, seen: Seen) -> Answer[S]:
        entries = self._surely(lambda: self._store.load(stream, limit=seen.last)).entries
        state = self._aggregate.fold(self._aggregate.empty(stream), entries)
        return Answer(entries[seen.first - 1 :], state, replayed=True)

    def _surely(self, ask: Callable[[], T]) -> T:
        """The store's answer, asked again until the deadline: loads and appends under a command id may be repeated."""
        deadline = time.monotonic() + self._deadline_s
        while True:
            try:
                return ask()
            except StoreUnavailable:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(RETRY_PAUSE_S)
