"""Quotas: how much an account may have of what is scarce. Administrators have none."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from plyscribe.domain.errors import WrongValue
from plyscribe.domain.events import BuiltIn, Occupant
from plyscribe.domain.match import Match
from plyscribe.service.access.accounts import Principal
from plyscribe.service.config import Config
from plyscribe.service.errors import QuotaReached
from plyscribe.service.streams.handler import Handler


class BotMatches(Protocol):
    """The matches with built-in bots that an account has created and that are not over; none of tournaments."""

    def count_bot_matches(self, account: str) -> int:
        """How many there are."""
        ...

    def list_bot_matches(self, account: str, limit: int) -> set[str]:
        """Their ids, at most `limit`."""
        ...


MOST_ACCOUNTS = 10_000
"""Accounts whose newest matches a process keeps in mind."""


def require_room(code: str, has: int, most: int, what: str, remedy: str) -> None:
    """QuotaReached with this code if an account that may have `most` of something has as many.

    `what` says of what there are too many, `remedy` what to do about it. Both are parts of the message.
    """
    if has >= most:
        raise QuotaReached(f"{what}: you have {has}, and an account may have {most}; {remedy}", code, most=most)


class Quotas:
    """The quotas of a service; safe to share between threads."""

    def __init__(self, config: Config, read_list: Callable[[], BotMatches], matches: Handler[Match]) -> None:
        self._config = config
        self._read_list = read_list
        self._matches = matches
        self._lock = threading.Lock()
        self._new: OrderedDict[str, dict[str, None]] = OrderedDict()
        """By account: matches with bots that were begun in this process, and may not be in the list yet."""

    def require_bots(self, who: Principal, match: str, seats: Sequence[Occupant | None]) -> None:
        """Raise unless `who` may create this match with the built-in bots in its seats, if there are any.

        WrongValue as for require_playouts. QuotaReached if `who` has created as many matches with bots as an account
        may have open or under way, without those of tournaments. The count is exact for what is created in this
        process, and as late as the list of matches for others.
        """
        if not any(isinstance(each, BuiltIn) for each in seats):
            return
        self.require_playouts(who, seats)
        if "admin" in who.scopes:
            return
        most = self._config.max_bot_matches
        remedy = f"let some end, abort or leave some, such as those of /v1/matches?player={who.account}&status=playing"
        with self._lock:
            self._note_new(who.account)[match] = None
        try:
            has = self._count_others(who.account, match, most)
            require_room("quota/bot-matches", has, most, "matches with bots that are not over", remedy)
        except Exception:
            self._forget_new(who.account, {match})
            raise

    def require_playouts(self, who: Principal, occupants: Iterable[Occupant | None]) -> None:
        """WrongValue `bot/playouts-limit` if a bot makes more playouts for a decision than `who` may have it make."""
        most = self._config.max_playouts
        for each in occupants:
            if isinstance(each, BuiltIn) and (each.playouts or 0) > most and "admin" not in who.scopes:
                why = f"a bot makes at most {most} playouts for each decision here, not {each.playouts}"
                raise WrongValue("bot/playouts-limit", why, most=most)

    def _count_others(self, account: str, match: str, most: int) -> int:
        """How many matches but this one count for the account, or more than do as long as that is less than `most`."""
        known = self._read_list()
        with self._lock:
            new = set(self._note_new(account)) - {match}
        if (at_most := known.count_bot_matches(account) + len(new)) < most:
            return at_most
        listed = known.list_bot_matches(account, most + 1)
        # A match that was refused, or is over already, never comes into the list.
        settled = {each for each in new if each in listed or not self._is_under_way(each)}
        self._forget_new(account, settled)
        return len((listed | new - settled) - {match})

    def _note_new(self, account: str) -> dict[str, None]:
        new = self._new.setdefault(account, {})
        self._new.move_to_end(account)
        if len(self._new) > MOST_ACCOUNTS:
            self._new.popitem(last=False)
        return new

    def _forget_new(self, account: str, matches: Iterable[str]) -> None:
        with self._lock:
            for each in matches:
                self._new.get(account, {}).pop(each, None)

    def _is_under_way(self, match: str) -> bool:
        state = self._matches.read(match)
        return state.lifecycle is not None and state.life.status in ("open", "playing")
