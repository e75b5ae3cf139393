"""Keeps time: notes the deadlines of matches with limits, and withdraws the seats whose time is over.

The agenda only says where to look. Whether the time of a seat is over is decided from the match itself, and the
withdrawal is stored only under the version that was read. So a move that was stored first wins, and a seat is withdrawn
once however many relays try.
"""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import cast

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.commands import Actor, Withdraw
from plyscribe.domain.deadlines import Deadline, find_deadline
from plyscribe.domain.match import Match
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.errors import VersionConflict
from plyscribe.service.queues import WATCHED
from plyscribe.service.store.cluster import Client
from plyscribe.service.store.port import FeedEntry, StoreUnavailable
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import job_command
from plyscribe.workers.duties import Chore
from plyscribe.workers.duties.agenda import Agenda
from plyscribe.workers.duties.loading import read_created, read_newest
from plyscribe.workers.duties.under_way import OVER, UNDER_WAY, may_be_under_way

DEADLINES = "relay:deadlines"
"""Sorted set, the agenda: matches with limits that wait for a decision, by its deadline (UTC milliseconds)."""

RESPITE = "relay:deadlines:respite"
"""Exists during a respite, in which nobody is withdrawn because no relay was watching before it."""

WATCH_EVERY_S = 0.5
AT_ONCE = 64
GRACE_MS = 500
"""A seat is withdrawn no sooner than this after its deadline: a move may be on its way, and clocks differ."""

OUTAGE_MS = 5_000
"""After a gap this long between two looks, the relay assumes that players could not reach the server."""

LONGEST_RESPITE_MS = 3_600_000
RETRY_MS = 60_000

WATCHER = Actor("system", "deadline")
log = logging.getLogger(__name__)


class Deadlines:
    """Makes sure that no seat takes longer than the limits of its match."""

    def __init__(self, parts: Parts, connection: Client, states: Handler[Match]) -> None:
        self._parts = parts
        self._agenda = Agenda(connection, DEADLINES)
        self._redis = connection
        self._states = states
        self.chores = (Chore("watch", self.watch, WATCH_EVERY_S),)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Note the deadlines of the matches under way; strike the matches that are over."""
        matches = [entry for entry in entries if entry.stream.startswith("match-")]
        over = {entry.stream for entry in matches if OVER & set(entry.types)}
        moved = {entry.stream for entry in matches if UNDER_WAY & set(entry.types)}
        self._agenda.strike(over)
        limited = self._list_limited(moved - over)
        self._look_at(limited, dict(read_newest(self._parts.store, limited)))

    def watch(self) -> None:
        """Withdraw the seats whose time is over, except during a respite.

        After a gap of five seconds or more in which no relay watched, nobody is withdrawn for the length of the gap
        (at most an hour).
        """
        if not self._is_respite():
            self._look_at(self._agenda.list_due(now_ms() - GRACE_MS, AT_ONCE), {}, enforce=True)

    def find(self, newest: Mapping[str, StoredEvent]) -> None:
        """See Tracker.find: note the deadlines of the matches under way."""
        under_way = [each for each, entry in newest.items() if each.startswith("match-") and may_be_under_way(entry)]
        self._look_at(self._list_limited(under_way), newest)

    def _is_respite(self) -> bool:
        now = now_ms()
        watched = cast(bytes | None, self._redis.getset(WATCHED, now))
        gap_ms = now - int(watched) if watched else 0
        if gap_ms >= OUTAGE_MS:
            respite_ms = min(gap_ms, LONGEST_RESPITE_MS)
            reason = "no relay watched the deadlines for %d s, so no seat is withdrawn for the next %d s"
            log.warning(reason, gap_ms // 1000, respite_ms // 1000)
            self._redis.set(RESPITE, now, px=respite_ms)
        return bool(self._redis.exists(RESPITE))

    def _list_limited(self, streams: Collection[str]) -> list[str]:
        """The matches that have limits. Most have none, and limits never change."""
        return [stream for stream, created in read_created(self._states, list(streams)) if created.limits is not None]

    def _look_at(self, streams: Iterable[str], newest: Mapping[str, StoredEvent], enforce: bool = False) -> None:
        """Note the deadlines of these matches and strike those without; with `enforce`, withdraw overdue seats first.

        A cached match that stands at the event given in `newest` is not read again.
        """
        next_ms: dict[str, int | None] = {}
        for stream in streams:
            try:
                deadline = self._find_deadline(self._read(stream, newest.get(stream)), enforce)
            except StoreUnavailable:
                raise
            except VersionConflict:
                continue  # The match has moved on, and the feed will say so.
            except Exception:
                # Anything may fail here, such as a ruleset of the operator's own or a missing key. It must not hold
                # up other matches.
                log.exception("the deadline of %s cannot be enforced", stream)
                next_ms[stream] = now_ms() + RETRY_MS
                continue
            next_ms[stream] = None if deadline is None else deadline.at
        self._agenda.reschedule(next_ms)

    def _read(self, stream: str, newest: StoredEvent | None) -> Match:
        state = self._states.cached(stream)
        if state is not None and newest is not None and (state.version, state.head) == (newest.version, newest.h):
            return state
        return self._parts.matches.read(stream)

    def _find_deadline(self, match: Match, enforce: bool) -> Deadline | None:
        """The deadline of the match; with `enforce`, the next one if the time for this one is over."""
        deadline = find_deadline(match)
        if not enforce or deadline is None or now_ms() < deadline.at + GRACE_MS:
            return deadline
        return find_deadline(self._withdraw(match, deadline))

    def _withdraw(self, match: Match, deadline: Deadline) -> Match:
        """The match after its overdue seat was withdrawn; VersionConflict if it has moved on."""
        asked = job_command("deadline", match.stream, match.version)

        def command_for(state: Match) -> Withdraw:
            return Withdraw(
                actor=WATCHER,
                at=now_ms(),
                id=asked.id.hex(),
                secret=self._parts.secret_for(state),
                seat=deadline.seat,
                cause="time",
            )

        log.info("%s: the time of seat %d is over", match.stream, deadline.seat)
        return self._parts.matches.execute(match.stream, command_for, asked, match.version).state
