"""A kind of stream, declared once: its events, what they add up to, and what its commands lead to.

To add a kind, `declare` it beside its events and add it to STREAM_KINDS in `plyscribe.domain.kinds`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, get_args

from plyscribe.domain.chain import StoredEvent, check_chain, first_link
from plyscribe.domain.codec import Event, parse_event
from plyscribe.domain.commands import Command
from plyscribe.domain.errors import FoldError, Unknown, WrongTime


class State(Protocol):
    """A folded stream: its id, the version of its last event, and that event's hash (empty at version 0)."""

    @property
    def stream(self) -> str: ...  # noqa: D102
    @property
    def version(self) -> int: ...  # noqa: D102
    @property
    def head(self) -> bytes: ...  # noqa: D102


S = TypeVar("S", bound=State)


class Decided(NamedTuple, Generic[S]):
    """The events that a command leads to.

    `after`, if given, makes the state after these events from the hash of the last one. It saves a fold when deciding
    has already computed that state.
    """

    events: Sequence[Event]
    after: Callable[[bytes], S] | None = None


STATE_BYTES = 4096
"""About what a state takes in memory before it has grown."""

EVENT_BYTES = 1024
"""About what an event adds to a state: measured 320 to 1,000 bytes for the moves of the five rulesets."""


def weigh_events(events: int) -> int:
    """About the bytes that a state takes in memory after so many events."""
    return STATE_BYTES + EVENT_BYTES * events


def weigh_state(state: State) -> int:
    """As weigh_events, going by the version of the state."""
    return weigh_events(state.version)


@dataclass(frozen=True)
class Aggregate(Generic[S]):
    """A kind of stream: how to read it, and what a command leads to.

    A state that is not sound comes from events at fault. It is not cached, because these events may be put right.
    """

    kind: str
    """The word that the ids of its streams begin with."""

    types: Mapping[str, type]
    """Its event types by their words."""

    empty: Callable[[str], S]
    """The state of a stream without events, from the stream's id."""

    fold: Callable[[S, Iterable[StoredEvent]], S]
    """The state after more stored events."""

    decide: Callable[[Command, S], Decided[S]]
    """What a command leads to; DomainError when it is refused."""

    is_sound: Callable[[S], bool] = lambda _: True
    first: str | None = None
    """The event type that each stream has at version 1 and nowhere else; None when there is no such rule."""

    weigh: Callable[[S], int] = weigh_state
    """About the bytes that a state takes in memory; 0 for one that is never dropped from a cache."""

    def parse(self, entry: StoredEvent) -> Event:
        """The event; NotCanonical, UnknownEventType or UnknownEventShape when it cannot be read."""
        return parse_event(entry, self.types)

    def read(self, after: State, entries: Sequence[StoredEvent]) -> list[Event]:
        """The events that follow a state; StreamError when one cannot be read or does not follow."""
        return _read(after, entries, self.types, self.first)


def _read(after: State, entries: Sequence[StoredEvent], types: Mapping[str, type], first: str | None) -> list[Event]:
    check_chain(after.head or first_link(after.stream), after.version, entries)
    events = [parse_event(entry, types) for entry in entries]
    for event in events if first else []:
        if (event.data.type == first) != (event.version == 1):
            raise FoldError(event.version, f"{first} must be the first event of the stream, and only the first")
    return events


class Opening(NamedTuple):
    """The only command that may begin a stream, and the codes of two refusals.

    This command is refused when the stream exists, and all others are refused when it does not.
    """

    command: type[Command]
    exists: str
    unknown: str


def declare(
    kind: str,
    empty: Callable[[str], S],
    events: Any,
    evolve: Callable[[S, Event, Any], S],
    deciders: Mapping[type[Command], Callable[[Any, S], Sequence[Any]]],
    opening: Opening | None = None,
    first: Any = None,
    weigh: Callable[[S], int] = weigh_state,
) -> Aggregate[S]:
    """A kind of stream whose state is a dataclass with the fields of State.

    `events` is the union of its event types, or the only one; `first` is the one that is at version 1 and nowhere else,
    if any. `evolve` gets an event and its data, and need not set `version` and `head`. `deciders` has a function for
    each command, which gives the data of its events in order, or raises DomainError. See Aggregate for `weigh`.
    """
    types: dict[str, type] = {each.type: each for each in get_args(events) or (events,)}
    begins_with = first and first.type

    def fold(state: S, entries: Iterable[StoredEvent]) -> S:
        stored = list(entries)
        for event in _read(state, stored, types, begins_with):
            state = evolve(state, event, event.data)
        return _replace(state, version=stored[-1].version, head=stored[-1].h) if stored else state

    def decide(command: Command, state: S) -> Decided[S]:
        if opening is not None:
            _require_opening(opening, kind, command, state)
        by, start = str(command.actor), state.version + 1
        facts = deciders[type(command)](command, state)
        return Decided([Event(version, command.at, by, command.id, data) for version, data in enumerate(facts, start)])

    return Aggregate(kind, types, empty, fold, decide, first=begins_with, weigh=weigh)


def _require_opening(opening: Opening, kind: str, command: Command, state: State) -> None:
    opens = type(command) is opening.command
    if opens and state.version:
        raise WrongTime(opening.exists, f"the {kind} {state.stream} already exists")
    if not (opens or state.version):
        raise Unknown(opening.unknown, f"there is no {kind} {state.stream}")


_replace: Any = replace
"""Untyped, because State does not say that these states are dataclasses."""
