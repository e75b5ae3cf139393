"""Finds the letters that follow from streams: those of new entries of the feed, or all when inboxes are built again."""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import orjson

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.match import Match
from plyscribe.domain.player import PLAYER, Player
from plyscribe.domain.tournament.decide import TOURNAMENT
from plyscribe.domain.tournament.state import Tournament
from plyscribe.domain.webhooks import WebhookDisabled
from plyscribe.service.clock import now_ms
from plyscribe.service.database.table_sets import Enter, Tables, enter_nothing
from plyscribe.service.live import challenge_notices, invitation_notices
from plyscribe.service.live.challenge_notices import list_challenges
from plyscribe.service.live.inboxes import FORGOTTEN_MS, KEPT, Inboxes, Letter
from plyscribe.service.live.invitation_notices import list_invitations
from plyscribe.service.live.match_notices import follow_match, list_appends
from plyscribe.service.live.webhook_notices import list_disabled
from plyscribe.service.store.port import EventStore, FeedEntry, StoreUnavailable, Stretch
from plyscribe.service.streams.handler import Handler

_OF_TOURNAMENTS = invitation_notices.TYPES | challenge_notices.TYPES
"""The types of the events of tournaments that players are notified of."""

READ_TOGETHER = 10_000
"""New events of matches that are read together: about 5 MB. Bots may play a whole match in one append."""

Addressed = Iterable[tuple[str, Letter]]
"""Letters, each with its player."""

log = logging.getLogger(__name__)


class _Followed(NamedTuple):
    """Some appends of a match, and the letters that follow from them."""

    appends: Sequence[FeedEntry]
    letters: Sequence[tuple[str, Letter]]


def _ignore(announced: Sequence[FeedEntry]) -> None:
    """Stands in for who heeds announcements if nobody does."""


class LetterSink:
    """The inboxes, as a sink of the feed. Not thread-safe."""

    def __init__(
        self,
        inboxes: Inboxes,
        matches: Handler[Match],
        players: Handler[Player],
        tournaments: Handler[Tournament],
        heed: Callable[[Sequence[FeedEntry]], object] = _ignore,
    ) -> None:
        """`heed` is called with what is announced to the feed. What it fails with is announced again."""
        self._inboxes = inboxes
        self._matches = matches
        self._players = players
        self._tournaments = tournaments
        self._heed = heed
        self._followed: dict[str, _Followed] = {}

    def follow(self, entries: Sequence[FeedEntry]) -> None:
        """Read the matches of these entries, all at once, so that they are in the cache of their handler.

        What it finds for inboxes is kept for `collect`, if that comes with the same entries next. StoreUnavailable.
        """
        self._followed = dict(self._follow_matches(_group_by_match(entries)))

    def collect(self, entries: Sequence[FeedEntry]) -> Enter:
        """See Sink.collect."""
        appends = _group_by_match(entries)
        known = {stream: each for stream, each in self._followed.items() if each.appends == appends.get(stream)}
        self._followed = {}
        known |= self._follow_matches({stream: of for stream, of in appends.items() if stream not in known})
        of_matches = [letter for stream in appends for letter in known[stream].letters]
        letters = _group_by_player([*of_matches, *self._list_others(entries)])
        return (lambda connection: self._inboxes.enter(connection, letters)) if letters else enter_nothing

    def announce(self) -> None:
        """See Sink.announce: wake those who follow inboxes."""
        self._inboxes.announce(self._heed)

    def _follow_matches(self, appends: Mapping[str, Sequence[FeedEntry]]) -> Iterator[tuple[str, "_Followed"]]:
        for streams in _gather(appends):
            before = [self._find_before(stream, appends[stream][0]) for stream in streams]
            stretches = [Stretch(match.stream, match.version, appends[match.stream][-1].last) for match in before]
            for match, events in zip(before, self._load(stretches), strict=True):
                stream = match.stream
                yield stream, _Followed(appends[stream], self._follow_match(match, events, appends[stream]))

    def _find_before(self, stream: str, append: FeedEntry) -> Match:
        """The match at the version before this append, or at an older version."""
        match = self._matches.cached(stream)
        return match if match is not None and match.version < append.first else Match(stream)

    def _load(self, stretches: Sequence[Stretch]) -> list[list[StoredEvent]]:
        """The events of each stretch; empty if they cannot be read. StoreUnavailable."""
        try:
            return self._matches.read_all_events(stretches)
        except StoreUnavailable:
            raise
        except Exception:
            # Whatever it is, such as an entry written by another program, it must not hold up the other matches.
            if len(stretches) > 1:
                return [events for each in stretches for events in self._load([each])]
            log.exception("nobody is notified of %s", stretches[0].stream)
            return [[]]

    def _follow_match(
        self, match: Match, events: Sequence[StoredEvent], appends: Sequence[FeedEntry]
    ) -> list[tuple[str, Letter]]:
        found: list[tuple[str, Letter]] = []
        with _apart(match.stream):
            for after, letters in follow_match(match, events, appends):
                match = after
                found += letters
            # After a fault, even one in this state alone, the next reader reads from the store.
            if match.fault is None:
                self._matches.keep(match.stream, match)
        return found

    def _list_others(self, entries: Sequence[FeedEntry]) -> Addressed:
        for entry in entries:
            stream, after, types = entry.stream, entry.first - 1, set(entry.types)
            if stream.startswith("tournament-") and _OF_TOURNAMENTS & types:
                yield from _list_of_tournament(self._tournaments, stream, after, entry.last - after)
            elif stream.startswith("player-") and WebhookDisabled.type in types:
                yield from _list_of_player(self._players, stream, after, entry.last - after)


def _group_by_match(entries: Iterable[FeedEntry]) -> dict[str, list[FeedEntry]]:
    appends: defaultdict[str, list[FeedEntry]] = defaultdict(list)
    for entry in entries:
        if entry.stream.startswith("match-"):
            appends[entry.stream].append(entry)
    return dict(appends)


def _gather(appends: Mapping[str, Sequence[FeedEntry]]) -> Iterator[list[str]]:
    """The matches, in groups whose events are read together."""
    group, events = list[str](), 0
    for stream, of_match in appends.items():
        group.append(stream)
        events += of_match[-1].last - of_match[0].first + 1
        if events >= READ_TOGETHER:
            yield group
            group, events = [], 0
    if group:
        yield group


class LetterProjection:
    """The inboxes, built again from the streams: their letters of the last 90 days."""

    name = "inboxes"
    kinds = ("match", "tournament", "player")

    def __init__(
        self,
        inboxes: Inboxes,
        store: EventStore,
        matches: Handler[Match],
        players: Handler[Player],
        tournaments: Handler[Tournament],
    ) -> None:
        self._inboxes = inboxes
        self._store = store
        self._matches = matches
        self._players = players
        self._tournaments = tournaments

    @property
    def table(self) -> Tables[Any]:
        """See Projection.table."""
        return self._inboxes.tables

    def collect(self, streams: Mapping[str, int | None]) -> Enter:
        """See Projection.collect. It enters letters only in the tables that are being built."""
        since = now_ms() - FORGOTTEN_MS
        recent = self._list_recent(list(streams), since)
        letters = _group_newest(found for stream in recent for found in self._list_letters(stream, since))
        return (lambda connection: self._inboxes.fill(connection, letters)) if letters else enter_nothing

    def _list_letters(self, stream: str, since_ms: int) -> Addressed:
        for player, letter in self._list_all(stream):
            if letter.at >= since_ms:
                yield player, letter

    def _list_all(self, stream: str) -> Addressed:
        kind = stream.partition("-")[0]
        if kind == "tournament":
            yield from _list_of_tournament(self._tournaments, stream)
        elif kind == "player":
            yield from _list_of_player(self._players, stream)
        else:
            with _apart(stream):
                events = self._matches.read_events(stream, 0)
                for _, letters in follow_match(Match(stream), events, list_appends(stream, events)):
                    yield from letters

    def _list_recent(self, streams: Sequence[str], since_ms: int) -> list[str]:
        """Those of these streams that have events as new as this, or whose newest cannot be read."""
        recent = []
        for stream, newest in zip(streams, self._store.newest(streams), strict=True):
            with _apart(stream):
                if newest is not None and orjson.loads(newest.e)["at"] >= since_ms:
                    recent.append(stream)
        return recent


def _list_of_tournament(
    tournaments: Handler[Tournament], stream: str, after: int = 0, limit: int | None = None
) -> Addressed:
    with _apart(stream):
        events = [TOURNAMENT.parse(each) for each in tournaments.read_events(stream, after, limit)]
        yield from list_invitations(stream, events)
        yield from list_challenges(stream, events, lambda: tournaments.read(stream))


def _list_of_player(players: Handler[Player], stream: str, after: int = 0, limit: int | None = None) -> Addressed:
    with _apart(stream):
        stored = players.read_events(stream, after, limit)
        for letter in list_disabled(stream, map(PLAYER.parse, stored)):
            yield stream, letter


@contextmanager
def _apart(stream: str) -> Iterator[None]:
    """Log what goes wrong with one stream, so that it does not hold up the others. StoreUnavailable."""
    try:
        yield
    except StoreUnavailable:
        raise
    except Exception:
        # Anything may fail here, such as a ruleset of the operator's own, or an entry written by another program.
        log.exception("nobody is notified of %s", stream)


def _group_by_player(addressed: Addressed) -> dict[str, list[Letter]]:
    grouped: defaultdict[str, list[Letter]] = defaultdict(list)
    for player, letter in addressed:
        grouped[player].append(letter)
    return grouped


def _group_newest(addressed: Addressed) -> dict[str, list[Letter]]:
    """The newest letters of each player, as many as are kept, in the order of their events."""
    grouped: defaultdict[str, list[Letter]] = defaultdict(list)
    for player, letter in addressed:
        theirs = grouped[player]
        theirs.append(letter)
        if len(theirs) >= 2 * KEPT:
            grouped[player] = _find_newest(theirs)
    return {player: _find_newest(theirs) for player, theirs in grouped.items()}


def _find_newest(letters: Sequence[Letter]) -> list[Letter]:
    return sorted(letters, key=lambda letter: letter.at)[-KEPT:]
