"""How much a client may ask for in a time: an allowance for each kind of request, and for each client.

All processes share the counts, which the library `limits` keeps on the store. But most requests cost less than a look
at the store. So each process gives every client a first portion of each allowance by itself, and takes further
portions from the store. The usual client never gets beyond the first.
"""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_address, ip_network
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from redis import Redis
from redis.exceptions import RedisError

from plyscribe.service.errors import AllowanceUsed
from plyscribe.service.store.port import StoreUnavailable
from plyscribe.service.store.redis_errors import translate
from plyscribe.service.streams.patience import PATIENCE

if TYPE_CHECKING:
    from limits.strategies import SlidingWindowCounterRateLimiter

PORTIONS = 20
"""A process takes this fraction of an allowance at a time. What it does not use of its last portion is lost."""

MAX_HELD = 50_000
"""Clients whose shares a process remembers, each under each policy. The oldest are forgotten, and begin anew."""

REFUSED_S = 1.0, 60.0
"""How long a refusal holds without another look at the store: at least, and at most."""

UNCOUNTED_S = 5.0
"""How long a share lasts that is given without the store, because it does not answer."""

KEYS = "allowances"

log = logging.getLogger(__name__)


class Window(NamedTuple):
    """At most `amount` in any `seconds`, under a name of its own."""

    name: str
    amount: int
    seconds: int

    @property
    def portion(self) -> int:
        """What a process gives or takes at a time; 0 if each request is counted on the store."""
        return self.amount // PORTIONS


class Policy(NamedTuple):
    """The windows that requests of one kind count in, and how answers announce them (RateLimit-Policy)."""

    name: str
    windows: tuple[Window, ...]
    header: str


def make_policies(allowed: Mapping[str, Sequence[tuple[int, int]]]) -> dict[str, Policy]:
    """The policies of these names, each with windows of an amount and a time in seconds."""
    return {name: _make_policy(name, windows) for name, windows in allowed.items()}


def _make_policy(name: str, windows: Sequence[tuple[int, int]]) -> Policy:
    named = tuple(
        Window(name if len(windows) == 1 else f"{name}-{seconds}s", amount, seconds) for amount, seconds in windows
    )
    header = ", ".join(f'"{window.name}";q={window.amount};w={window.seconds}' for window in named)
    return Policy(name, named, header)


@dataclass(slots=True)
class Share:
    """What a process holds of a client's window: what is left here, and what else was left on the store."""

    window: Window
    left: int
    beyond: int
    until_s: float
    refused: int = 0
    """This much, or more, is refused until `refused_until_s`; there is more at `more_at_s`."""

    refused_until_s: float = 0.0
    more_at_s: float = 0.0

    def format(self, now_s: float) -> str:
        """What is left, as in the header RateLimit."""
        return f'"{self.window.name}";r={self.left + self.beyond};t={ceil(self.until_s - now_s)}'


class Allowances:
    """The allowances of all clients; safe to share between threads."""

    def __init__(
        self, policies: Mapping[str, Policy], client: Redis | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Count on the server of `client`, or in memory if there is no client."""
        self.policies = policies
        self._client = client
        self._clock = clock
        self._lock = threading.Lock()
        self._held: OrderedDict[tuple[str, str], list[Share]] = OrderedDict()

    def take(self, policy: Policy, who: str, cost: int = 1) -> str:
        """Take `cost` from the client's allowance, and return what is left as in the header RateLimit.

        AllowanceUsed if that much is not left in every window; then nothing is taken. If the store does not answer,
        the request counts for nothing.
        """
        now_s, key = self._clock(), (policy.name, who)
        while True:
            with self._lock:
                shares = self._held.get(key)
                if shares is not None and (left := _spend(shares, cost, now_s)):
                    return left
                shares = self._renew(key, policy, shares, now_s)
            # Other threads may spend what this one takes from the store. Then it takes more.
            for share in shares:
                if share.left < cost:
                    self._refill(policy, share, who, cost, now_s)

    def _renew(self, key: tuple[str, str], policy: Policy, held: list[Share] | None, now_s: float) -> list[Share]:
        """The client's shares, each that is over begun anew."""
        shares = held or [_begin(window, now_s) for window in policy.windows]
        shares[:] = [share if share.until_s > now_s else _begin(share.window, now_s) for share in shares]
        self._held[key] = shares
        if len(self._held) > MAX_HELD:
            self._held.popitem(last=False)
        return shares

    def _refill(self, policy: Policy, share: Share, who: str, cost: int, now_s: float) -> None:
        """Take a portion from the store that is enough for `cost`, or a smaller one; AllowanceUsed without either."""
        if share.refused_until_s > now_s and cost >= share.refused:
            raise _refuse(policy, share, now_s)
        window, lacking = share.window, cost - share.left
        try:
            taken, beyond, more_in_s = PATIENCE.ask(lambda: self._ask(window, who, lacking), 0.0)
        except StoreUnavailable as error:
            log.debug("requests go uncounted: %s", error)
            taken, beyond, more_in_s = max(lacking, window.portion), share.beyond, 0.0
            share.until_s = now_s + UNCOUNTED_S
        with self._lock:
            share.left, share.beyond = share.left + taken, beyond
        if not taken:
            least_s, most_s = REFUSED_S
            share.refused, share.more_at_s = cost, now_s + max(least_s, more_in_s)
            share.refused_until_s = min(share.more_at_s, now_s + most_s)
            raise _refuse(policy, share, now_s)

    def _ask(self, window: Window, who: str, lacking: int) -> tuple[int, int, float]:
        """What the store grants, what is left there, and in how many seconds there is more."""
        from limits import RateLimitItemPerSecond

        # What processes give by themselves is not counted.
        item = RateLimitItemPerSecond(window.amount - window.portion, window.seconds, window.name)
        try:
            granted = next(
                (
                    amount
                    for amount in dict.fromkeys((max(lacking, window.portion), lacking))
                    if self._counter.hit(item, who, cost=amount)
                ),
                0,
            )
            stats = self._counter.get_window_stats(item, who)
        except RedisError as error:
            raise translate(error) from error
        return granted, stats.remaining, stats.reset_time - time.time()

    @cached_property
    def _counter(self) -> "SlidingWindowCounterRateLimiter":
        # Imported here, because most processes count nothing, and it takes a tenth of a second.
        from limits.storage import MemoryStorage, RedisStorage
        from limits.strategies import SlidingWindowCounterRateLimiter

        if self._client is None:
            return SlidingWindowCounterRateLimiter(MemoryStorage())
        pool = self._client.connection_pool
        return SlidingWindowCounterRateLimiter(RedisStorage("redis://", connection_pool=pool, key_prefix=KEYS))


def _begin(window: Window, now_s: float) -> Share:
    return Share(window, window.portion, window.amount - window.portion, now_s + window.seconds)


def _spend(shares: Sequence[Share], cost: int, now_s: float) -> str:
    """Spend this much of each, and say what is left; empty, and nothing is spent, if one does not cover it."""
    for share in shares:
        if share.left < cost or share.until_s <= now_s:
            return ""
    for share in shares:
        share.left -= cost
    return ", ".join([share.format(now_s) for share in shares])


def _refuse(policy: Policy, share: Share, now_s: float) -> AllowanceUsed:
    window, waits_s = share.window, ceil(share.more_at_s - now_s)
    return AllowanceUsed(policy.name, window.amount, window.seconds, waits_s, share.format(now_s))


def network_of(address: str) -> str:
    """The network that counts as one client: an IPv4 address, the /64 of an IPv6 address, else the text itself."""
    try:
        ip = ip_address(address)
    except ValueError:
        return address
    if ip.version == 4:
        return address
    return str(ip.ipv4_mapped or ip_network((int(ip), 64), strict=False))
