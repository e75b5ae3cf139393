"""Which processes work on a store, of which releases, and how an upgrade from one release to the next ends.

Every process gives signs of life here. An upgrade is finished only when no process is left that could not read what is
stored from then on, and afterwards such a process does not begin. One that slept meanwhile ends when it wakes.
"""

import atexit
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from secrets import token_hex
from typing import NamedTuple

import orjson

from plyscribe.service.store.cluster import Client
from plyscribe.service.store.layouts import LAYOUT_KEY, NEWEST_LAYOUT
from plyscribe.service.store.port import StoreError, UnsupportedServer
from plyscribe.service.store.redis import connect_client
from plyscribe.service.store.redis_server import Script, ask

PROCESSES = "{00}:processes"

LASTS_S = 30.0
"""How long a process counts without a sign of life. So long an upgrade waits for one that was killed."""

RENEW_S = 5.0
TIMEOUT_S = 2.0

log = logging.getLogger(__name__)


class Process(NamedTuple):
    """A process at work: what it does, its release, the newest layout that it reads, and where it runs."""

    kind: str
    release: str
    newest: int
    host: str
    pid: int


def describe_process(kind: str, release: str) -> Process:
    """What this process is."""
    return Process(kind, release, NEWEST_LAYOUT, socket.gethostname(), os.getpid())


class Presence:
    """The signs of life of one process. Not thread-safe."""

    def __init__(self, client: Client, process: Process) -> None:
        self.process = process
        self._id = token_hex(8)
        self._attend = Script(client, "attend.lua")

    def renew(self) -> int:
        """Give a sign of life and return the layout of the data. It counts only if the process reads that layout.

        Raises the errors of the port.
        """
        return self._ask(LASTS_S)

    def leave(self) -> None:
        """Give notice that the process ends. Raises the errors of the port."""
        self._ask(0.0)

    def _ask(self, lasts_s: float) -> int:
        what = orjson.dumps(self.process._asdict())
        args = LAYOUT_KEY, PROCESSES, self._id, int(lasts_s * 1000), self.process.newest, what
        return int(self._attend(2, args))


def list_present(client: Client) -> list[Process]:
    """The processes at work, by release, kind, host and id. Only reads. Raises the errors of the port."""
    seconds, rest_us = ask(client, "TIME")
    now_ms = 1000 * int(seconds) + int(rest_us) // 1000
    signs = [each.split(b" ", 2) for each in ask(client, "HGETALL", PROCESSES).values()]
    return sorted((_parse(what) for upto, _, what in signs if int(upto) > now_ms), key=_order)


def finish_upgrade(client: Client, layout: int = NEWEST_LAYOUT) -> list[Process]:
    """Let data of this layout be stored from now on, and return none.

    If processes are at work that could not read it, change nothing and return them. Raises the errors of the port.
    """
    against = Script(client, "finish_upgrade.lua")(2, [LAYOUT_KEY, PROCESSES, layout])
    return sorted(map(_parse, against), key=_order)


def _parse(what: bytes) -> Process:
    return Process(**orjson.loads(what))


def _order(process: Process) -> tuple[str, str, str, int]:
    return process.release, process.kind, process.host, process.pid


class Attendance:
    """Keeps a process present in the background until it ends, and knows the layout of the store's data."""

    def __init__(self, url: str, process: Process, end: Callable[[], object] | None = None) -> None:
        """`end` is called once the process cannot read the data any more; without it, the process gets SIGTERM."""
        self._client = connect_client(url, TIMEOUT_S)
        self._presence = Presence(self._client, process)
        self._end = end or partial(os.kill, os.getpid(), signal.SIGTERM)
        self._over = threading.Event()
        self._lock = threading.Lock()
        self.layout: int | None = None
        """The layout at the last sign of life; None until the store has answered."""

    def begin(self) -> None:
        """Give the first sign of life, if the store answers, and go on in the background.

        UnsupportedServer if this process cannot read the data.
        """
        with suppress(StoreError):
            self._renew()
        if not self._can_read():
            raise UnsupportedServer(self._explain())
        atexit.register(self.leave)
        threading.Thread(target=self._keep, name="presence", daemon=True).start()

    def leave(self) -> None:
        """End it, and give notice if the store answers."""
        if not self._over.is_set():
            self._over.set()
            with self._lock, suppress(StoreError):
                self._presence.leave()

    def _keep(self) -> None:
        while not self._over.wait(RENEW_S):
            with suppress(StoreError):
                self._renew()
            if not self._can_read():
                log.critical("this process ends: %s", self._explain())
                self._over.set()
                self._end()

    def _renew(self) -> None:
        with self._lock:
            if not self._over.is_set():
                self.layout = self._presence.renew()

    def _can_read(self) -> bool:
        return self.layout is None or self.layout <= self._presence.process.newest

    def _explain(self) -> str:
        release, newest = self._presence.process.release, self._presence.process.newest
        return (
            f"an upgrade of this store was finished: its data has layout {self.layout}, and Plyscribe {release} reads "
            f"{newest} at most. Install the newer release here too"
        )
