"""Processor time and memory of the processes of a service."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from redis import Redis

from plyscribe.service.processes.embedded import find_running
from tests.system.running import Serving

TICKS = os.sysconf("SC_CLK_TCK")
ANSWERING = ("web", "relay", "store")
"""The processes that every answer needs. Workers only take what these leave."""


class Reading(NamedTuple):
    """What a service has used so far, in seconds and bytes."""

    cpu_s: float
    store_bytes: int
    web_bytes: int

    def since(self, before: "Reading") -> "Reading":
        return Reading(*(now - then for now, then in zip(self, before, strict=True)))


def read(service: Serving) -> Reading:
    """What the service has used so far."""
    with Redis.from_url(find_running(service.data / "store")) as store:
        used = int(store.info("memory")["used_memory"])
    pids = [pid for name in ANSWERING for pid in service.pids(name)]
    return Reading(_cpu_s(pids), used, sum(map(_resident_bytes, service.pids("web"))))


def _cpu_s(pids: Iterable[int]) -> float:
    spent = 0
    for pid in pids:
        with suppress(OSError):
            user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
            spent += int(user) + int(system)
    return spent / TICKS


def _resident_bytes(pid: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0
