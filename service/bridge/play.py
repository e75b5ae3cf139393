"""Plays an account's matches with a bot in any language.

The inbox says which matches to look at. The list of matches that wait for the account covers the time when nobody
followed the inbox.
"""

import threading
import time
from collections.abc import Callable

import httpx

from plyscribe.service.bridge.decisions import POLL_S, RETRY_PAUSE_S, Worker
from plyscribe.service.bridge.run import GivenUp, Run, Settings, Stopped
from plyscribe.service.client import Client, InboxEntry, Problem

SWEEP_EVERY_S = 30.0
"""How often the list of waiting matches is read, to find matches that no inbox entry mentioned."""

OWED = ("seat-offered", "entropy-due", "your-decision", "draw-offered")
OVER = ("match-ended", "match-aborted", "match-annulled")
TOKEN_STATUSES = (401, 403)


class Bridge:
    """Follows the inbox of an account and lets a bot decide, with as many processes as may decide at the same time.

    `connect` makes a client of the account for each thread. `report` is called with each line about what happens.
    """

    def __init__(self, connect: Callable[[], Client], settings: Settings, report: Callable[[str], None]) -> None:
        self._connect = connect
        self._run = Run(settings, report)
        self._workers: list[Worker] = []
        self._homes: dict[str, Worker] = {}
        self._lock = threading.Lock()
        self._failures: list[BaseException] = []
        self._is_asked_to_stop = False

    def stop(self) -> None:
        """End when the current decisions are made. May be called from any thread and from a signal handler."""
        # Not an Event: the signal may interrupt code that holds its lock.
        self._is_asked_to_stop = True

    @property
    def is_stopped(self) -> bool:
        """Whether the bridge is ending."""
        return self._is_asked_to_stop or self._run.ending.is_set()

    @property
    def moves(self) -> int:
        """The number of moves made so far."""
        return self._run.moves

    def run(self) -> None:
        """Play until `stop`; raises GivenUp, or what the server refuses, if that comes first."""
        with self._connect() as client:
            me = client.me()
            if "play" not in me["scopes"]:
                raise GivenUp("the token does not have the scope play; its scopes are " + ", ".join(me["scopes"]))
            self._run.player = me["player"]
            self._run.report(f"playing for {me['player']} at {client.url}")
            for _ in range(self._run.settings.concurrency):
                self._workers.append(Worker(self._run, self._connect(), self._release))
            threads = [self._begin(worker.work) for worker in self._workers]
            self._begin(self._follow)
            try:
                self._sweep_until_stopped(client)
            except Exception as error:
                self._failures.append(error)
            # Not in a `finally`: a KeyboardInterrupt does not wait for the threads.
            self._run.ending.set()
            for thread in threads:
                thread.join()
        if self._failures:
            raise self._failures[0]

    def _begin(self, work: Callable[[], None]) -> threading.Thread:
        """Start a thread that does this work. Whatever it raises, except Stopped, ends the bridge."""

        def run() -> None:
            try:
                work()
            except Stopped:
                pass
            except BaseException as error:
                self._failures.append(error)
                self._run.ending.set()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    def _sweep_until_stopped(self, client: Client) -> None:
        sweep_at = time.monotonic()
        while not self.is_stopped:
            if time.monotonic() >= sweep_at:
                try:
                    self._sweep(client)
                except (Problem, httpx.HTTPError) as error:
                    self._report_or_raise(error, "cannot read the list of waiting matches")
                sweep_at = time.monotonic() + SWEEP_EVERY_S
            time.sleep(POLL_S)

    def _sweep(self, client: Client) -> None:
        for row in client.matches(waiting=True):
            if self.is_stopped:
                return
            self._look_at(row["match"])

    def _follow(self) -> None:
        after = 0
        with self._connect() as client:
            while True:
                try:
                    for entry in client.inbox(after):
                        after = entry["id"]
                        self._take(entry, client)
                except (Problem, httpx.HTTPError) as error:
                    self._report_or_raise(error, "cannot follow the inbox")
                    self._run.pause(RETRY_PAUSE_S)

    def _take(self, entry: InboxEntry, client: Client) -> None:
        if self.is_stopped:
            raise Stopped
        if entry["type"] in OWED:
            self._look_at(entry["match"])
        elif entry["type"] == "gap":
            self._sweep(client)
        elif entry["type"] in OVER and self._release(entry["match"]):
            outcome = f", {entry['reason']}, ranks {entry['ranks']}" if "ranks" in entry else ""
            self._run.report(
                f"{entry['match']}: {entry['type'].removeprefix('match-')}{outcome}; our seats: {entry['seats']}"
            )

    def _report_or_raise(self, error: Exception, what: str) -> None:
        """Report an error that may pass; raise one that will not."""
        if isinstance(error, Problem) and error.status in TOKEN_STATUSES:
            raise error
        self._run.report(f"{what}: {error}; trying again")

    def _look_at(self, match: str) -> None:
        """Hand the match to the worker that plays it already, or else to the one with the fewest matches."""
        with self._lock:
            if match not in self._homes:
                homes = list(self._homes.values())
                self._homes[match] = min(self._workers, key=homes.count)
            self._homes[match].look_at(match)

    def _release(self, match: str) -> bool:
        """Forget the match, and return whether a worker had it."""
        with self._lock:
            return self._homes.pop(match, None) is not None
