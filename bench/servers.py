"""Serves one small application with different web servers: `python -m bench.servers <name> --port <port>`.

The application answers at once, does one append, or streams to followers. Only the server in front of it differs.
"""

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from io import BytesIO
from typing import Any

import click
from flask import Flask, Response, request

from bench import bare
from bench.load import HOST
from plyscribe.domain.chain import link_all
from plyscribe.service import metrics
from plyscribe.service.live.reader import Live
from plyscribe.service.live.sources import MatchEvents
from plyscribe.service.processes.children import raise_file_limit
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.store.port import CommandKey
from plyscribe.service.web.handover import HOLD, HOLDS
from plyscribe.service.web.request_environ import make_environ
from plyscribe.service.web.server import serve_application

FOLLOWED = "match-" + "a" * 26
EVENT = b'{"at":1767225600000,"data":{"move":"d4","seat":1},"type":"move-made","version":1}'


class Published:
    """A stream in memory that can be extended by an event, and followed."""

    def __init__(self) -> None:
        self._store = MemoryStore()
        self._live = Live(self._store, 2000, 2000)
        self._source = MatchEvents(self)  # type: ignore[arg-type]
        self._version, self._head = 0, b""

    def read_events(self, stream: str, after: int, limit: int) -> Any:
        """The stored events, as Handler.read_events returns them."""
        return self._store.load(stream, after, limit=limit).entries

    def publish(self) -> Response:
        """Append an event."""
        entries = link_all(self._head, self._version + 1, [EVENT])
        command = CommandKey(self._version.to_bytes(16, "big"), bytes(8))
        self._store.append(FOLLOWED, self._version, self._head, entries, ["move-made"], command)
        self._version, self._head = entries[-1].version, entries[-1].h
        return Response(b"{}", content_type="application/json")

    def follow(self) -> Response:
        """Stream the events from now on."""
        follower = self._live.follow(self._source, FOLLOWED, self._version)
        if HOLDS in request.environ:
            request.environ[HOLD] = follower
        return Response(iter(follower), content_type="text/event-stream")


def build() -> Flask:
    """The application that all servers serve."""
    app, published = bare.build(), Published()
    app.post("/publish", endpoint="publish")(published.publish)
    app.get("/follow", endpoint="follow")(published.follow)
    return app


class AsyncioFront:
    """A textbook RSGI application: an event loop reads bodies and holds streams, threads answer everything else."""

    def __init__(self) -> None:
        self._app = build()
        self._pool = ThreadPoolExecutor(64)

    async def __rsgi__(self, scope: Any, proto: Any) -> None:
        body = await proto() if scope.method == "POST" else b""
        environ = {**make_environ(scope), "wsgi.input": BytesIO(body)}
        loop = asyncio.get_running_loop()
        status, headers, chunks = await loop.run_in_executor(self._pool, self._answer, environ)
        if follower := environ.get(HOLD):
            ended = asyncio.Event()
            follower.start(proto.response_stream(status, headers).send_bytes, ended.set)
            await proto.client_disconnect()
            follower.stop()
        else:
            proto.response_bytes(status, headers, b"".join(chunks))

    def _answer(self, environ: dict[str, Any]) -> tuple[int, Any, Any]:
        begun: list[Any] = []

        def start(status: str, headers: Any, exc_info: Any = None) -> Any:
            begun[:] = int(status[:3]), headers

        chunks = self._app(environ, start)
        return begun[0], begun[1], chunks


def serve_plyscribe(port: int) -> None:
    """Serve with our own server."""
    serve_application(build(), HOST, port)


def serve_granian(factory: str, interface: str, threads: int) -> Callable[[int], None]:
    """Granian, with a main process that supervises one worker."""

    def serve(port: int) -> None:
        from granian import Granian
        from granian.constants import HTTPModes, Interfaces

        Granian(
            factory,
            factory=True,
            interface=Interfaces(interface),
            http=HTTPModes.http1,
            address=HOST,
            port=port,
            blocking_threads=threads,
            backpressure=4096,
            backlog=2048,
            websockets=False,
        ).serve()

    return serve


def serve_gunicorn(port: int) -> None:
    """Gunicorn with one gevent worker; run under `python -m gevent.monkey --module`."""
    base: Any = import_module("gunicorn.app.base")

    class Gunicorn(base.BaseApplication):
        def load_config(self) -> None:
            self.cfg.set("bind", f"{HOST}:{port}")
            self.cfg.set("worker_class", "gevent")
            self.cfg.set("worker_connections", 4000)
            self.cfg.set("keepalive", 60)

        def load(self) -> Flask:
            return build()

    Gunicorn(prog="bench").run()


SERVERS: dict[str, Callable[[int], None]] = {
    "plyscribe": serve_plyscribe,
    "granian-wsgi-64": serve_granian("bench.servers:build", "wsgi", 64),
    "granian-wsgi-1400": serve_granian("bench.servers:build", "wsgi", 1400),
    "granian-asyncio": serve_granian("bench.servers:AsyncioFront", "rsgi", 1),
    "gunicorn-gevent": serve_gunicorn,
}


@click.command()
@click.argument("name", type=click.Choice(list(SERVERS)))
@click.option("--port", type=int, required=True)
def main(name: str, port: int) -> None:
    """Serve the application with the server named."""
    sys.argv = sys.argv[:1]
    metrics.begin("bench")
    raise_file_limit()
    SERVERS[name](port)


if __name__ == "__main__":
    main()
