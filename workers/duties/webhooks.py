"""Puts into the outbox what webhooks want to hear of, and enqueues the lanes that are due.

Nearly all accounts have no webhook. The duty keeps in memory which ones have, so the others cost it nothing. Only for
those that a batch concerns, it asks the outbox what they want, and reads anything else.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import orjson
from rq import Queue

from plyscribe.domain.codec import Event
from plyscribe.domain.events import Account
from plyscribe.domain.match import Match
from plyscribe.domain.notices import OWED
from plyscribe.domain.player import PLAYER
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.events import RoundPaired
from plyscribe.domain.tournament.state import Tournament
from plyscribe.domain.waiting import list_dues
from plyscribe.domain.webhooks import PING, WebhookAdded, WebhookChanged, WebhookDisabled, WebhookEnabled, WebhookTested
from plyscribe.service.clock import now_ms
from plyscribe.service.composition import Parts
from plyscribe.service.database.engine import DatabaseUnavailable
from plyscribe.service.lists import match_rows as match_list
from plyscribe.service.lists import tournaments as tournament_list
from plyscribe.service.live.inboxes import player_of
from plyscribe.service.queues import Delivering, enqueue_deliveries
from plyscribe.service.store.outbox import Lane, Message
from plyscribe.service.store.port import FeedEntry, StoreUnavailable
from plyscribe.service.streams.handler import Handler
from plyscribe.service.streams.ids import is_stream_id
from plyscribe.service.webhooks.targets import OFF
from plyscribe.workers.duties import Chore
from plyscribe.workers.duties.agenda import SWEEP_AT_ONCE, SWEEP_EVERY_S
from plyscribe.workers.duties.sending import Sender

GRACE_MS = 60_000
"""How long a job may take to release its lane before the sweep enqueues it again."""

MOST_JOBS = 1000
"""While more jobs than this wait on the queue, because no worker runs, no others are added."""

STALE_MS = 3 * 24 * 3600 * 1000
"""Older news is not posted, for example when a whole store is copied to another one."""

OVER = {"match-ended", "match-aborted"}
OF_TOURNAMENT = {
    "round-paired": "round-paired",
    "tournament-ended": "tournament-ended",
    "tournament-aborted": "tournament-ended",
}
"""The topic of an event of a tournament."""

OF_ACCOUNT = {WebhookAdded.type, WebhookTested.type, WebhookEnabled.type, WebhookChanged.type, WebhookDisabled.type}

log = logging.getLogger(__name__)


class News(NamedTuple):
    """Something that accounts may want to hear of: whom it concerns, and the messages that it makes for one of them."""

    topic: str
    players: Sequence[str]
    write: Callable[[str], Iterable[Message]]


class Webhooks:
    """Makes sure that what webhooks want is posted to them."""

    def __init__(self, parts: Parts, queue: Queue, states: Handler[Match], sender: Sender | None = None) -> None:
        self._parts = parts
        self._outbox = parts.outbox
        self._queue = queue
        self._states = states
        self._sender = sender or Sender()
        self._wanting: frozenset[str] = frozenset()
        self._changes = -1
        self.chores = (Chore("sweep of webhooks", self.sweep, SWEEP_EVERY_S),)

    def take(self, entries: Sequence[FeedEntry]) -> None:
        """Put into the outbox what these entries give webhooks to say, and enqueue the lanes."""
        if self._parts.config.webhooks == OFF:
            return
        own = [entry for entry in entries if OF_ACCOUNT & set(entry.types)]
        for entry in own:
            with _apart(entry.stream):
                self._heed_owner(entry)
        if own or self._changes < 0:
            self._learn_who_wants()
        if (self._wanting and self._put_all(self._list_news(entries))) or own:
            self.sweep()

    def heed(self, announced: Sequence[FeedEntry]) -> None:
        """Put into the outbox what these new entries of inboxes give webhooks to say, and enqueue the lanes.

        Safe to repeat. StoreUnavailable, DatabaseUnavailable.
        """
        if self._parts.config.webhooks == OFF:
            return
        self._learn_who_wants()
        if self._wanting and self._put_all(list(self._list_turns(announced))):
            self.sweep()

    def sweep(self) -> None:
        """Enqueue the lanes that are due."""
        if self._parts.config.webhooks == OFF:
            return
        # Another relay may have taken the entry of a new webhook.
        self._learn_who_wants()
        if not self._sender.may_try():
            return
        now = now_ms()
        lanes = self._outbox.list_due(now, SWEEP_AT_ONCE)
        self._outbox.postpone(lanes, now + GRACE_MS)
        due = [Delivering(str(lane), now) for lane in lanes]
        if not self._sender.send(due, lambda: self._enqueue(due)):
            self._outbox.postpone(lanes, now)

    def _enqueue(self, due: Sequence[Delivering]) -> None:
        if self._queue.count < MOST_JOBS:
            enqueue_deliveries(self._queue, due)

    def _learn_who_wants(self) -> None:
        changes = self._outbox.count_changes()
        if changes != self._changes:
            self._wanting, self._changes = self._outbox.list_wanting(), changes

    def _put_all(self, news: Sequence[News]) -> bool:
        """Put messages into the lanes of those who want them; whether there are any that are new."""
        wanting = dict.fromkeys(player for each in news for player in each.players if player in self._wanting)
        wants = self._outbox.list_wants(list(wanting))
        has_put = False
        for each in news if wants else ():
            for player in each.players:
                lanes = [Lane(player, id) for id, topics in wants.get(player, {}).items() if each.topic in topics]
                with _apart(player):
                    for message in each.write(player) if lanes else ():
                        for lane in lanes:
                            has_put |= self._outbox.put(lane, message, now_ms())
        return has_put

    def _list_news(self, entries: Sequence[FeedEntry]) -> list[News]:
        news: list[News] = []
        for entry in entries:
            with _apart(entry.stream):
                # The copy of an imported match has an address, not an id. The accounts in it are none of ours.
                if is_stream_id("match", entry.stream) and OVER & set(entry.types):
                    news += self._list_ends(entry)
                elif entry.stream.startswith("tournament-") and OF_TOURNAMENT.keys() & set(entry.types):
                    news += self._list_rounds(entry)
        return news

    def _list_turns(self, announced: Sequence[FeedEntry]) -> Iterator[News]:
        for entry in announced:
            yield News("your-turn", [player_of(entry.stream)], self._turns_writer(entry))

    def _turns_writer(self, announced: FeedEntry) -> Callable[[str], Iterator[Message]]:
        def write(player: str) -> Iterator[Message]:
            for received in self._parts.inboxes.read_announced(announced):
                notice = orjson.loads(received.data)
                if notice["type"] in OWED.values():
                    yield from self._write_turn(player, notice)

        return write

    def _write_turn(self, player: str, notice: dict[str, Any]) -> Iterator[Message]:
        """A message of this notice, if the match still waits for the player."""
        match = self._states.read_since(notice["match"], notice["version"])
        due = {(OWED.get(due.what), due.seat) for due in list_dues(match) if due.player == player}
        if (notice["type"], notice.get("seat")) in due and _is_news(notice["at"]):
            key = f"{match.stream}:{notice['version']}:{notice['type']}:{notice.get('seat', '')}"
            about = {"match": match_list.describe_row(match), "notice": notice}
            yield _message(key, "your-turn", notice["at"], player, about)

    def _list_ends(self, entry: FeedEntry) -> Iterator[News]:
        """The end of a match: for its players, its creator and its recorder."""
        match = self._states.read_since(entry.stream, entry.last)
        if match.lifecycle is None or not _is_news(match.at):
            return
        people = dict.fromkeys((*match.life.players, match.life.creator, match.life.created.recorder))
        concerned = [each for each in people if each is not None and each.startswith("player-")]
        about = partial(_describe_match, match)
        yield News("match-ended", concerned, _writer(f"{match.stream}:{entry.last}", "match-ended", match.at, about))

    def _list_rounds(self, entry: FeedEntry) -> Iterator[News]:
        """Rounds that were paired and the end of a tournament: for its organiser and its entrants."""
        handler = self._parts.tournaments.handler
        state = handler.read_since(entry.stream, entry.last)
        players = [each.occupant.player for each in state.entrants if isinstance(each.occupant, Account)]
        concerned = list(dict.fromkeys((state.organiser, *players)))
        for stored in handler.read_events(entry.stream, entry.first - 1, entry.last - entry.first + 1):
            event = TOURNAMENT.parse(stored)
            topic = OF_TOURNAMENT.get(event.data.type)
            if topic is not None and _is_news(event.at):
                about = partial(_describe_tournament, state, event)
                yield News(topic, concerned, _writer(f"{entry.stream}:{event.version}", topic, event.at, about))

    def _heed_owner(self, entry: FeedEntry) -> None:
        """Test webhooks and wake them, as their owner wants."""
        players = self._parts.accounts.players
        for stored in players.read_events(entry.stream, entry.first - 1, entry.last - entry.first + 1):
            event = PLAYER.parse(stored)
            data: Any = event.data
            if isinstance(data, WebhookTested):
                message = _message(f"{entry.stream}:{event.version}:{PING}", PING, event.at, entry.stream, {})
                self._outbox.put(Lane(entry.stream, data.webhook), message, now_ms())
            if isinstance(data, WebhookTested | WebhookEnabled | WebhookChanged):
                self._outbox.wake(Lane(entry.stream, data.webhook), now_ms())


def _describe_match(match: Match) -> dict[str, Any]:
    return {"match": match_list.describe_row(match)}


def _describe_tournament(state: Tournament, event: Event) -> dict[str, Any]:
    paired = {"round": event.data.round} if isinstance(event.data, RoundPaired) else {}
    return {"tournament": tournament_list.describe_row(state), **paired}


def _writer(
    key: str, topic: str, at: int, describe: Callable[[], dict[str, Any]]
) -> Callable[[str], Iterator[Message]]:
    def write(player: str) -> Iterator[Message]:
        yield _message(key, topic, at, player, describe())

    return write


def _is_news(at: int) -> bool:
    return now_ms() - at < STALE_MS


@contextmanager
def _apart(stream: str) -> Iterator[None]:
    """Log what goes wrong with one stream, so that it does not hold up the others. StoreUnavailable and the like."""
    try:
        yield
    except (StoreUnavailable, DatabaseUnavailable):
        raise
    except Exception:
        # Anything may fail here, such as a ruleset of the operator's own.
        log.exception("webhooks hear nothing of %s", stream)


def _message(key: str, type: str, at: int, player: str, about: dict[str, Any]) -> Message:
    return Message(key, orjson.dumps({"type": type, "at": at, "player": player, **about}))
