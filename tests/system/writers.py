"""Players who write while processes are killed."""

import random
import threading
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from plyscribe.service.client import Client, Json
from tests.system.running import Serving, wait_for


class Writer:
    """Plays matches of its own, with moves drawn by lot, and keeps every receipt, in order, by match."""

    def __init__(self, number: int) -> None:
        self._random = random.Random(number)
        self.receipts: dict[str, list[Json]] = defaultdict(list)

    def write(self, enough: threading.Event) -> None:
        raise NotImplementedError

    @property
    def moves(self) -> int:
        return sum(map(len, list(self.receipts.values())))


def kill_while_they_write(service: Serving, client: Client, writers: Sequence[Writer], names: Sequence[str], more: int):
    """Kill processes of these names, each after every writer has made more moves. Nothing may be lost or doubled."""
    enough = threading.Event()
    with ThreadPoolExecutor(len(writers)) as pool:
        writing = [pool.submit(writer.write, enough) for writer in writers]

        def wait_for_progress() -> None:
            before = [writer.moves + more for writer in writers]
            # A writer that has ended before its time has failed.
            wait_for(
                lambda: (
                    any(each.done() for each in writing)
                    or all(writer.moves > least for writer, least in zip(writers, before, strict=True))
                ),
                why="progress",
            )

        try:
            for name in names:
                wait_for_progress()
                service.kill(name)
            wait_for_progress()
        finally:
            enough.set()
        for each in writing:
            each.result()
    service.wait_until_ready()
    for writer in writers:
        for match, receipts in writer.receipts.items():
            made = [event for event in client.events(match) if event["type"] == "move-made"]
            assert made == [receipt["events"][0] for receipt in receipts]
