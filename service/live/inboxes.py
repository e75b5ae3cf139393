"""Players' inboxes: notices of their matches, each written once, read by number or followed live."""

import logging
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

import orjson
from redis import Redis

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.match import Match, fold
from plyscribe.domain.notices import Notice, list_notices
from plyscribe.service.live.followers import Entry
from plyscribe.service.store.inbox import Inboxes, Letter, Received, player_of
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.memory_inbox import MemoryInboxes
from plyscribe.service.store.port import EventStore, FeedEntry, StoreUnavailable, Stretch
from plyscribe.service.store.redis_inbox import RedisInboxes
from plyscribe.service.streams.handler import Handler

GAP = "gap"
"""The type of an entry that stands for entries that were dropped before they were read."""

log = logging.getLogger(__name__)


def open_inboxes(store: EventStore, client: Redis | None) -> Inboxes:
    """The inboxes on the server of `client`, or inboxes in memory if there is no client."""
    if client is not None:
        return RedisInboxes(client)
    return MemoryInboxes(store.announce if isinstance(store, MemoryStore) else lambda _: None)


class InboxEntries:
    """The entries of inboxes, as a Source that can be followed."""

    last_types = frozenset[str]()
    is_polled = False

    def __init__(self, inboxes: Inboxes) -> None:
        self._inboxes = inboxes

    def read(self, stream: str, after: int, limit: int) -> Sequence[Entry]:
        """See Source.read. An entry `gap` stands for all dropped entries, under the number of the last of them."""
        received = self._inboxes.read(player_of(stream), after, limit)
        entries = [_parse_entry(each) for each in received]
        if received and received[0].previous > after:
            entries.insert(0, _gap(received[0].previous))
        return entries

    def newest(self, stream: str) -> int:
        """The number of the newest entry; 0 if there is none."""
        return self._inboxes.newest(player_of(stream))


def _parse_entry(received: Received) -> Entry:
    data = received.data[:-1] + b',"id":%d}' % received.number
    return Entry(received.number, orjson.loads(received.data)["type"], data)


def dump_entries(entries: Sequence[Entry]) -> orjson.Fragment:
    """Entries as a JSON array within an answer."""
    return orjson.Fragment(b"[" + b",".join(entry.data for entry in entries) + b"]")


def _gap(number: int) -> Entry:
    return Entry(number, GAP, orjson.dumps({"type": GAP, "id": number}))


class Notifier:
    """Writes notices of appends to the players' inboxes. Not thread-safe."""

    def __init__(self, matches: Handler[Match], inboxes: Inboxes) -> None:
        self._matches = matches
        self._inboxes = inboxes

    def deliver(self, entries: Sequence[FeedEntry]) -> None:
        """Write the notices of these appends. Safe to repeat, in parallel and in any order.

        A match that cannot be read is logged and does not hold up the others. Raises StoreUnavailable.
        """
        letters: defaultdict[str, list[Letter]] = defaultdict(list)
        appends: defaultdict[str, list[FeedEntry]] = defaultdict(list)
        for entry in entries:
            if entry.stream.startswith("match-"):
                appends[entry.stream].append(entry)
        before = [self._find_before(stream, of_match[0]) for stream, of_match in appends.items()]
        stretches = [Stretch(match.stream, match.version, appends[match.stream][-1].last) for match in before]
        for match, events in zip(before, self._load(stretches), strict=True):
            for player, letter in self._write_letters(match, events, appends[match.stream]):
                letters[player].append(letter)
        if letters:
            self._inboxes.write(letters)

    def _find_before(self, stream: str, append: FeedEntry) -> Match:
        """The match at the version before this append, or at an older version."""
        match = self._matches.cached(stream)
        return match if match is not None and match.version < append.first else Match(stream)

    def _load(self, stretches: Sequence[Stretch]) -> list[list[StoredEvent]]:
        """The events of each stretch; empty if they cannot be read. Raises StoreUnavailable."""
        try:
            return self._matches.read_all_events(stretches)
        except StoreUnavailable:
            raise
        except Exception:
            # Whatever it is, such as an entry written by another program, it must not hold up the other matches.
            if len(stretches) > 1:
                return [events for each in stretches for events in self._load([each])]
            log.exception("cannot write to the inboxes of the players of %s", stretches[0].stream)
            return [[]]

    def _write_letters(
        self, match: Match, events: Sequence[StoredEvent], appends: Sequence[FeedEntry]
    ) -> list[tuple[str, Letter]]:
        try:
            return [
                (notice.player, _write_letter(after, notice))
                for after, notices in self._replay(match, deque(events), appends)
                for notice in notices
            ]
        except Exception:
            # Whatever it is, such as an error in a ruleset from outside, it must not hold up the other matches.
            log.exception("cannot write to the inboxes of the players of %s", match.stream)
            return []

    def _replay(
        self, match: Match, events: deque[StoredEvent], appends: Sequence[FeedEntry]
    ) -> Iterator[tuple[Match, list[Notice]]]:
        """The match after each of these appends, with the notices of that append."""
        for append in appends:
            before = _fold_upto(match, events, append.first - 1)
            match = _fold_upto(before, events, append.last)
            yield match, list_notices(before, match)
        # After a fault, even one in this state alone, the next reader reads from the store.
        if match.fault is None:
            self._matches.keep(match.stream, match)


def _fold_upto(match: Match, events: deque[StoredEvent], version: int) -> Match:
    """The match at a version. Takes the events up to that version off the queue."""
    taken = []
    while events and events[0].version <= version:
        taken.append(events.popleft())
    return fold(match, taken)


def _write_letter(match: Match, notice: Notice) -> Letter:
    data = {"type": notice.type, "match": match.stream, "version": match.version, "at": match.at, **notice.about}
    return Letter(f"{match.stream}:{match.version}:{notice.name}", orjson.dumps(data))
