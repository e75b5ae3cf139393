"""The ceiling for endpoints: one view with one call to the store, under the web server that we use."""

import os
import secrets
from functools import cache
from importlib.resources import files
from typing import Any

import click
import orjson
from flask import Flask, Response
from redis import Redis

from bench.load import HOST
from bench.matches import decide_events, long_moves, stream_name
from plyscribe.domain.chain import first_link, link_all
from plyscribe.domain.codec import format_event
from plyscribe.service.web.server import serve_application

STREAMS = 500
APPENDS = 60
"""How many streams this process can write, and how many appends each takes."""


def build() -> Flask:
    """An application with an endpoint for each comparison, without authentication, rules or checks."""
    app = Flask("bare")
    client: Any = Redis.from_url(os.environ["REDIS_URL"])
    digest = client.script_load(files("plyscribe.service.store").joinpath("append.lua").read_bytes())
    appends = [arguments for number in range(STREAMS) for arguments in _prepare_stream(number)]

    @app.get("/healthz")
    def healthz() -> Response:
        return _json({"status": "ok"})

    @app.post("/append/<int:number>")
    def append(number: int) -> Response:
        status, first, last = client.evalsha(digest, 5, *appends[number])
        return _json({"status": status.decode(), "first": first, "last": last})

    @app.get("/entries/<stream>")
    def entries(stream: str) -> Response:
        return _json({"entries": len(client.xrange(stream))})

    return app


def _json(data: dict[str, Any]) -> Response:
    return Response(orjson.dumps(data), content_type="application/json")


def _prepare_stream(number: int) -> list[list[Any]]:
    """The arguments of successive appends to one stream, with one event each."""
    stream = stream_name(number)
    keys = [f"{{bare}}:{kind}" for kind in (f"ev:{stream}", f"cmd:{stream}", "feed", "streams", "sealed")]
    head, appends = b"", []
    for version, e, h in link_all(first_link(stream), 1, _encoded_moves()):
        command = secrets.token_bytes(16), secrets.token_bytes(8)
        appends.append([*keys, *command, version - 1, head, stream, "move-made", stream, e, h])
        head = h
    return appends


@cache
def _encoded_moves() -> list[bytes]:
    events = decide_events("pathagon", long_moves(APPENDS))
    return [format_event(event) for event in events[-APPENDS:]]


@click.command()
@click.option("--port", type=int, required=True)
def main(port: int) -> None:
    """Serve the bare endpoints."""
    serve_application(build(), HOST, port)


if __name__ == "__main__":
    main()
