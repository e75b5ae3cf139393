"""A receiver of webhooks on loopback, for tests: it keeps what it is sent, and answers as it is told."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import orjson


class Got(NamedTuple):
    """A request that came in."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]


class Receiver:
    """`answer` gets each request and returns a status; it may take its time."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.got: list[Got] = []
        self.answer: Callable[[Got], int] = lambda _: 204
        self.more: dict[str, str] = {}

    def types(self) -> list[str]:
        return [each.json["type"] for each in self.got]


@contextmanager
def receiving(certificate: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """A receiver that listens while the block runs, encrypted if there is a certificate."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            got = Got(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            receiver.got.append(got)
            status = receiver.answer(got)
            self.send_response(status)
            for name, value in receiver.more.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 64
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_: Any) -> None:
            """A sender that was killed breaks its connection off."""

    server = Server(("127.0.0.1", 0), Handler)
    if certificate is not None:
        server.socket = certificate.wrap_socket(server.socket, server_side=True)
    receiver = Receiver(f"http://127.0.0.1:{server.server_port}/hook")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
