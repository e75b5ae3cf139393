"""The port's errors for what a server refuses, and for one that does not answer."""

import re
from typing import Final

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import InvalidResponse, RedisClusterException, RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from plyscribe.service.store.port import (
    StoreCannotWrite,
    StoreDenied,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
    UnsupportedServer,
    WrongType,
)

_TROUBLES: Final[dict[str, tuple[type[StoreError], str]]] = {
    "LOADING": (StoreUnavailable, "the store is loading its data"),
    "BUSY": (StoreUnavailable, "a script keeps the store busy"),
    "UNKILLABLE": (StoreUnavailable, "a script keeps the store busy"),
    "NOSCRIPT": (StoreUnavailable, "the store has just lost its scripts"),
    "CLUSTERDOWN": (StoreUnavailable, "the store's cluster is down"),
    "TRYAGAIN": (StoreUnavailable, "the store's cluster is moving keys"),
    "MASTERDOWN": (StoreReadOnly, "the store is a replica that has lost its primary"),
    "UNBLOCKED": (StoreUnavailable, "the store has just become a replica"),
    "READONLY": (StoreReadOnly, "the store is a replica, which takes no writes"),
    "OOM": (StoreFull, "the store's memory is full"),
    "MISCONF": (StoreCannotWrite, "the store cannot write to its disk"),
    "NOREPLICAS": (StoreCannotWrite, "too few replicas follow the store"),
    "NOAUTH": (StoreDenied, "the store asks for a password"),
    "WRONGPASS": (StoreDenied, "the store refuses the password"),
    "NOPERM": (StoreDenied, "the store forbids us a command"),
    "MOVED": (UnsupportedServer, "the store is one node of a cluster"),
    "ASK": (UnsupportedServer, "the store is one node of a cluster"),
    "CROSSSLOT": (UnsupportedServer, "the store is one node of a cluster"),
    "WRONGTYPE": (WrongType, "a key in the store holds a value of another type"),
}
"""What an error reply means, by its first word."""

_CODE = re.compile(r"([A-Z]+) ")

_FORBIDDEN_IN_SCRIPT = re.compile(r"ACL failure in script|The user executing the script can't ")
"""How a server says NOPERM of a command in a script, 7.0 and later ones."""

_ABORTED = re.compile(r"Transaction discarded because of: ([A-Z]+) ")
"""How a server says why it does not run a transaction that it has taken."""


_DEMOTED = "The previous master is now a slave"
"""What redis-py makes of READONLY from a server that Sentinels had named."""


def code_of(error: RedisError) -> str:
    """The first word of the server's error reply; empty if the error is not a reply."""
    if _FORBIDDEN_IN_SCRIPT.search(str(error)):
        return "NOPERM"
    if aborted := _ABORTED.search(str(error)):
        return aborted[1]
    # redis-py cuts the first word off the text if it has a class for it.
    if code := error.status_code:
        return str(code)
    found = _CODE.match(str(error)) if isinstance(error, ResponseError) else None
    return found[1] if found else ""


def translate(error: RedisError | RedisClusterException) -> StoreError:
    """The port's error for an error of redis-py."""
    if isinstance(error, RedisClusterException):
        return StoreUnavailable(f"the store's cluster is down: {error}")
    code, text = code_of(error), str(error)
    if code in _TROUBLES:
        kind, meaning = _TROUBLES[code]
        return kind(f"{meaning}: {text}")
    if text == _DEMOTED:
        return StoreReadOnly("the store has just become a replica, which takes no writes")
    if isinstance(error, InvalidResponse):
        return UnsupportedServer(f"what answers is not a Redis or Valkey server: {text}")
    if isinstance(error, (RedisConnectionError, RedisTimeoutError)):
        return StoreUnavailable(f"the store does not answer: {text}")
    return StoreError(f"the store refuses the request: {text}")
