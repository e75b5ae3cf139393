"""Seats whose time is over are withdrawn: the deadlines of matches with limits are noted, and watched.

The set of deadlines follows the feed and can be rebuilt from the streams, which happens at every start. It only says
where to look: whether the time of a seat is over is decided from the match itself, under the version that was looked
at, so that a move that came before the withdrawal wins, and one withdrawal is recorded however many relays try.
"""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import cast

from redis import Redis

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.clock import Deadline, find_deadline
from plyscribe.domain.commands import Actor, Withdraw
from plyscribe.domain.match import Match
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.errors import VersionConflict
from plyscribe.service.store.port import FeedEntry, StoreUnavailable
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import job_command
from plyscribe.workers.duties import Chore
from plyscribe.workers.duties.scan import read_newest
from plyscribe.workers.duties.under_way import OVER, UNDER_WAY, find_created, may_be_under_way

DEADLINES = "relay:deadlines"
"""Sorted set of matches with limits that wait for a decision, by its deadline (UTC milliseconds)."""

WATCHED = "relay:deadlines:watched"
"""When (UTC milliseconds) the deadlines were last looked at."""

RESPITE = "relay:deadlines:respite"
"""Is there while nobody is withdrawn, after a time in which nobody watched."""

WATCH_EVERY_S = 0.5
AT_ONCE = 64
GRACE_MS = 500
"""How long after its deadline a seat is withdrawn at the earliest: for a move on its way, and clocks that differ."""

OUTAGE_MS = 5_000
"""So long without a look at the deadlines, and players may not have been heard either."""

LONGEST_RESPITE_MS = 3_600_000
RETRY_MS = 60_000

WATCHER = Actor("system", "deadline")
log = logging.getLogger(__name__)


class Deadlines:
    """Sees to it that no seat takes longer than the limits of its match."""

    def __init__(self, parts: Parts, connection: Redis, states: Handler[Match]) -> None:
        self._parts = parts
        self._redis = connection
        self._states = states
        self.chores = (Chore("watch", self.watch, WATCH_EVERY_S),)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Note the deadlines of matches under way, and strike off those that are over."""
        matches = [entry for entry in entries if entry.stream.startswith("match-")]
        over = {entry.stream for entry in matches if OVER & set(entry.types)}
        moved = {entry.stream for entry in matches if UNDER_WAY & set(entry.types)}
        self._strike(over)
        limited = self._find_limited(moved - over)
        self._look_at(limited, dict(read_newest(self._parts.store, limited)))

    def watch(self) -> None:
        """Withdraw the seats whose time is over, unless nobody watched for a while before."""
        if not self._is_respite():
            due = self._redis.zrangebyscore(DEADLINES, 0, now_ms() - GRACE_MS, 0, AT_ONCE)
            self._look_at([member.decode() for member in cast(list[bytes], due)], {}, enforce=True)

    def find(self, newest: Mapping[str, StoredEvent]) -> None:
        """See Tracker.find: the deadlines of matches under way are noted."""
        under_way = [each for each, entry in newest.items() if each.startswith("match-") and may_be_under_way(entry)]
        self._look_at(self._find_limited(under_way), newest)

    def _is_respite(self) -> bool:
        """Whether players must be given time: as long as nobody watched, up to an hour."""
        now = now_ms()
        watched = cast(bytes | None, self._redis.getset(WATCHED, now))
        away_ms = now - int(watched) if watched else 0
        if away_ms >= OUTAGE_MS:
            log.warning("nobody watched the deadlines for %d s: nobody is withdrawn for as long", away_ms // 1000)
            self._redis.set(RESPITE, now, px=min(away_ms, LONGEST_RESPITE_MS))
        return bool(self._redis.exists(RESPITE))

    def _find_limited(self, streams: Collection[str]) -> list[str]:
        """Those of the matches that have limits, which most have not, and which never change."""
        return [stream for stream, created in find_created(self._states, list(streams)) if created.limits is not None]

    def _look_at(self, streams: Iterable[str], newest: Mapping[str, StoredEvent], enforce: bool = False) -> None:
        """Note or strike off what these matches wait for, with `enforce` after withdrawing who is overdue.

        A match of which the newest event is given need not be read where we have it up to there.
        """
        noted: dict[str, int] = {}
        idle: list[str] = []
        for stream in streams:
            try:
                deadline = self._find_deadline(self._read(stream, newest.get(stream)), enforce)
            except StoreUnavailable:
                raise
            except VersionConflict:
                continue  # Somebody was faster, and the feed tells of it.
            except Exception:
                # Whatever it is, a ruleset of somebody's own or a missing key: it must not hold up the others.
                log.exception("the deadline of %s cannot be kept", stream)
                noted[stream] = now_ms() + RETRY_MS
                continue
            if deadline is None:
                idle.append(stream)
            else:
                noted[stream] = deadline.at
        self._note(noted)
        self._strike(idle)

    def _read(self, stream: str, newest: StoredEvent | None) -> Match:
        state = self._states.cached(stream)
        if state is not None and newest is not None and (state.version, state.head) == (newest.version, newest.h):
            return state
        return self._parts.matches.read(stream)

    def _find_deadline(self, match: Match, enforce: bool) -> Deadline | None:
        """The deadline of the match, with `enforce` the one after that if it is over."""
        deadline = find_deadline(match)
        if not enforce or deadline is None or now_ms() < deadline.at + GRACE_MS:
            return deadline
        return find_deadline(self._withdraw(match, deadline))

    def _withdraw(self, match: Match, deadline: Deadline) -> Match:
        """The match without the seat whose time is over; VersionConflict where it has moved on."""
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

    def _note(self, deadlines: Mapping[str, int]) -> None:
        if deadlines:
            self._redis.zadd(DEADLINES, dict(deadlines))

    def _strike(self, streams: Collection[str]) -> None:
        if streams:
            self._redis.zrem(DEADLINES, *streams)
