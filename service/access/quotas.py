"""Quotas: how much an account may have of what is scarce. Administrators have none."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence

from plyscribe.domain.errors import WrongValue
from plyscribe.domain.events import BuiltIn, Occupant
from plyscribe.domain.match import Match
from plyscribe.service.access.accounts import Principal
from plyscribe.service.config import Config
from plyscribe.service.errors import QuotaReached
from plyscribe.service.streams.handler import Handler

ListMatches = Callable[[str, int], set[str]]
"""Lists matches of an account, at most so many."""

MOST_ACCOUNTS = 2000
"""Accounts whose newest matches a process keeps in mind."""

TRUSTED_S = 1.0
"""How long a process trusts the number of matches that it has read from the list. It adds those that it began since."""


def require_room(code: str, has: int, most: int, what: str, remedy: str) -> None:
    """QuotaReached with this code if an account that may have `most` of something has as many.

    `what` says of what there are too many, `remedy` what to do about it. Both are parts of the message.
    """
    if has >= most:
        raise QuotaReached(f"{what}: you have {has}, and an account may have {most}; {remedy}", code, most=most)


class _Begun:
    """What a process knows of the matches of a kind that an account has begun."""

    def __init__(self) -> None:
        self.matches: dict[str, None] = {}
        """Those that were begun in this process, and may not be in the list yet."""

        self.unmade: set[str] = set()
        """Those of them that are just being created, so that nobody can read them yet."""

        self.listed = 0
        self.trusted_until = 0.0


class MatchQuota:
    """How many matches of a kind an account may have created that are not over; safe to share between threads.

    The count is exact for what is created in this process, and as late as the list of matches for others.
    """

    def __init__(
        self, code: str, what: str, most: int, list_matches: ListMatches, is_under_way: Callable[[str], bool]
    ) -> None:
        """`code` and `what` are for the refusal."""
        self._code = code
        self._what = what
        self._most = most
        self._list_matches = list_matches
        self._is_under_way = is_under_way
        self._lock = threading.Lock()
        self._begun: OrderedDict[str, _Begun] = OrderedDict()

    def require(self, account: str, match: str) -> None:
        """QuotaReached unless the account may have this match too. It counts until `finish`, then if there is one."""
        remedy = f"let some end, abort or leave some, such as those of /v1/matches?player={account}"
        with self._lock:
            begun = self._find_begun(account)
            begun.matches[match] = None
            begun.unmade.add(match)
        try:
            require_room(self._code, self._count_others(account, match), self._most, self._what, remedy)
        except Exception:
            with self._lock:
                begun.matches.pop(match, None)
                begun.unmade.discard(match)
            raise

    def finish(self, account: str, match: str) -> None:
        """The match was created, or was not."""
        with self._lock:
            if begun := self._begun.get(account):
                begun.unmade.discard(match)

    def _count_others(self, account: str, match: str) -> int:
        """How many matches but this one count for the account; as long as it is less than `most`, perhaps fewer do."""
        with self._lock:
            begun = self._find_begun(account)
            new, unmade = begun.matches.keys() - {match}, set(begun.unmade)
            at_most = begun.listed + len(new)
            if at_most < self._most and time.monotonic() < begun.trusted_until:
                return at_most
        asked_at = time.monotonic()
        listed = self._list_matches(account, self._most + 1)
        settled = new & listed
        if len(listed | new) >= self._most:
            # A match that was refused, or is over already, never comes into the list.
            settled |= {each for each in new - listed - unmade if not self._is_under_way(each)}
        with self._lock:
            begun.listed, begun.trusted_until = len(listed), asked_at + TRUSTED_S
            for each in settled:
                begun.matches.pop(each, None)
        return len((listed | new - settled) - {match})

    def _find_begun(self, account: str) -> _Begun:
        begun = self._begun.setdefault(account, _Begun())
        self._begun.move_to_end(account)
        if len(self._begun) > MOST_ACCOUNTS:
            self._begun.popitem(last=False)
        return begun


class Quotas:
    """The quotas of a service. Administrators have none."""

    def __init__(
        self, config: Config, list_open: ListMatches, list_with_bots: ListMatches, matches: Handler[Match]
    ) -> None:
        """The lists are of matches that an account has created and that are not over, without those of tournaments."""
        self._max_playouts = config.max_playouts

        def is_under_way(match: str) -> bool:
            state = matches.read(match)
            return state.lifecycle is not None and state.life.status in ("open", "playing")

        self._open = MatchQuota(
            "quota/matches", "matches that are not over", config.max_matches, list_open, is_under_way
        )
        self._with_bots = MatchQuota(
            "quota/bot-matches",
            "matches with bots that are not over",
            config.max_bot_matches,
            list_with_bots,
            is_under_way,
        )

    def require_match(self, who: Principal, match: str, seats: Sequence[Occupant | None]) -> None:
        """Raise unless `who` may create this match, with the built-in bots in its seats if there are any.

        WrongValue as for require_playouts. QuotaReached if `who` has as many matches as an account may have.
        """
        self.require_playouts(who, seats)
        if "admin" in who.scopes:
            return
        self._open.require(who.account, match)
        if any(isinstance(each, BuiltIn) for each in seats):
            self._with_bots.require(who.account, match)

    def finish_match(self, who: Principal, match: str) -> None:
        """The match that `require_match` allowed was created, or was not."""
        for quota in (self._open, self._with_bots):
            quota.finish(who.account, match)

    def require_playouts(self, who: Principal, occupants: Iterable[Occupant | None]) -> None:
        """WrongValue `bot/playouts-limit` if a bot makes more playouts for a decision than `who` may have it make."""
        most = self._max_playouts
        for each in occupants:
            if isinstance(each, BuiltIn) and (each.playouts or 0) > most and "admin" not in who.scopes:
                why = f"a bot makes at most {most} playouts for each decision here, not {each.playouts}"
                raise WrongValue("bot/playouts-limit", why, most=most)
