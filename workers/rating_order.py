"""The order in which rated matches enter their ledger: by the time of their end, then by id.

A verified match waits for matches of the same ruleset that ended before it and are still to be verified, for each of
them at most WAIT_MS from its end. So no match waits for long, however long another one takes. Whoever settles a match
lets all go on that waited for it; the relay's sweep finds those that nobody let go on.
"""

from collections.abc import Iterable, Iterator, Sequence

from plyscribe.domain.chain import StoredEvent
from plyscribe.domain.codec import parse_event
from plyscribe.domain.counting import counts
from plyscribe.domain.errors import StreamError
from plyscribe.domain.events import MatchCreated
from plyscribe.domain.match import Match
from plyscribe.service.composition import Parts
from plyscribe.service.store.port import StoreError, StoreUnavailable, Stretch

WAIT_MS = 10_000
"""How long after its end an unverified match holds back those that ended after it."""


def place_of(match: Match) -> tuple[int, str]:
    """What decides the order of rated matches: the time of the end (UTC milliseconds), then the id."""
    return match.life.ended_at, match.stream


def list_due(matches: Iterable[Match], now_ms: int) -> list[Match]:
    """The verified ones of these matches that may enter the ledger now, in the order in which they have to."""
    due: list[Match] = []
    for match in sorted(matches, key=place_of):
        if match.life.status == "verified":
            due.append(match)
        elif match.life.status == "ended" and now_ms < match.life.ended_at + WAIT_MS:
            break
    return due


def read_unsettled(parts: Parts, match: Match) -> list[Match]:
    """The match, and all other rated matches of its ruleset that have ended and are not settled."""
    streams = [stream for stream in parts.unsettled.list() if stream.startswith("match-") and stream != match.stream]
    return [match, *_read_rated(parts, match.life.created.ruleset, streams)]


def _read_rated(parts: Parts, ruleset: str, streams: list[str]) -> Iterator[Match]:
    """Those of the matches that are rated by this ruleset and can be read; nothing waits for the others."""
    for stream in _list_rated(parts, ruleset, streams):
        found = parts.matches.read(stream)
        if found.lifecycle is not None and found.fault is None and counts(found):
            yield found


def _list_rated(parts: Parts, ruleset: str, streams: list[str]) -> list[str]:
    """The matches that are rated by this ruleset, going by their first events, which are read in one round trip."""
    first = [Stretch(stream, 0, 1) for stream in streams]
    try:
        found = list(zip(streams, parts.matches.read_all_events(first), strict=True)) if first else []
    except StoreUnavailable:
        raise
    except StoreError:
        if len(streams) == 1:
            return []
        return [each for stream in streams for each in _list_rated(parts, ruleset, [stream])]
    return [stream for stream, entries in found if _is_rated(entries, ruleset)]


def _is_rated(entries: Sequence[StoredEvent], ruleset: str) -> bool:
    # Most matches are not rated, and need no parser to see that.
    if not entries or b'"rated":true' not in entries[0].e:
        return False
    try:
        created = parse_event(entries[0]).data
    except StreamError:
        return False
    return isinstance(created, MatchCreated) and created.rated and created.ruleset == ruleset
