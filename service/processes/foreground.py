"""The service in the foreground of a command: watched by it, stopped by Ctrl-C, gone when the command ends."""

import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from types import FrameType

import click

from plyscribe.service.logs import begin_logs
from plyscribe.service.processes.serving import ServeError, ServeOptions, Service
from plyscribe.service.processes.stopping import StopRequest

WATCH_EVERY_S = 0.1


class ForegroundService:
    """A service that runs while the block does. The main thread watches it; SIGINT or SIGTERM stops it."""

    def __init__(self, options: ServeOptions) -> None:
        _require_free(options.host, options.port)
        self._service = Service(options)
        # Now this process has a single thread.
        self._service.branch_off()
        self._request = StopRequest()
        self._stop = threading.Event()
        """The request, for threads that wait for it."""

        self._is_stopping = False

    @property
    def is_stopped(self) -> bool:
        """Whether a signal to stop has come."""
        return self._request.is_made

    def __enter__(self) -> "ForegroundService":
        begin_logs("serve")
        for signum in (signal.SIGINT, signal.SIGTERM):
            signal.signal(signum, self._on_signal)
        try:
            self._service.start()
        except BaseException:
            self._service.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._is_stopping = True
            if self.is_stopped:
                click.echo("stopping …")
            self._service.stop()
        except KeyboardInterrupt:
            self._service.kill()
            sys.exit("killed; every answered request is on disk")

    def _on_signal(self, signum: int, frame: FrameType | None) -> None:
        # A terminal and `make` may both pass on the one signal that somebody sent.
        if self._is_stopping:
            raise KeyboardInterrupt
        self._request.make()

    def watch_until_stopped(self) -> None:
        """Watch the service until a signal to stop comes."""
        while not self.is_stopped:
            self._watch()

    def watch_while(self, work: Callable[[threading.Event], None]) -> None:
        """Run `work` in a thread and watch the service meanwhile. An exception of `work` is raised here."""
        failed: list[BaseException] = []

        def run() -> None:
            try:
                work(self._stop)
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        while thread.is_alive():
            self._watch()
        if failed and not self.is_stopped:
            raise failed[0]

    def _watch(self) -> None:
        self._service.watch()
        if self._request.wait(WATCH_EVERY_S):
            self._stop.set()
            # Somebody else may still be ending.
            time.sleep(WATCH_EVERY_S)


def _require_free(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with closing(socket.socket(family)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            remedy = "choose another with --port (make: PORT=…)"
            raise ServeError(f"cannot listen on {host} port {port}: {error.strerror}; {remedy}") from None
