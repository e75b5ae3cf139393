"""What the real server does with requests that no decent client sends."""

import json
import socket
import time
from typing import Any

import pytest

from plyscribe.service.client import Client
from tests.system.running import WITHIN_S, Serving, open_account

BAD = "é".encode()


class Wire:
    """A connection for each request, and a match of Ann against herself."""

    def __init__(self, service: Serving) -> None:
        self.port = service.port
        with Client(service.url) as anyone:
            ann = open_account(anyone, "Ann")
        self.token = b"Authorization: Bearer " + ann["token"].encode()
        with Client(service.url, ann["token"]) as client:
            made = client.create_match("zhen", [{"player": ann["player"]}] * 2)
        self.match = b"/v1/matches/" + made["match"].encode()
        self.version = made["version"]

    def send(self, line: bytes, *headers: bytes, body: bytes = b"") -> tuple[int, Any]:
        """The answer's status and JSON."""
        length = b"Content-Length: %d" % len(body)
        head = [line + b" HTTP/1.1", b"Host: localhost", b"Connection: close", length, *headers, b"", b""]
        head_of, _, text = self.exchange(b"\r\n".join(head) + body).partition(b"\r\n\r\n")
        return int(head_of.split()[1]), json.loads(text)

    def exchange(self, request: bytes) -> bytes:
        """All that the server answers until it closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=WITHIN_S) as connection:
            connection.sendall(request)
            return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.fixture(scope="module")
def wire(service) -> Wire:
    return Wire(service)


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ([b'If-Match: "' + BAD + b'"'], "request/if-match"),
        ([b"Idempotency-Key: " + BAD], "key/invalid"),
        ([b"Idempotency-Key: " + BAD, b"Idempotency-Key: good"], "key/invalid"),
    ],
)
def test_a_condition_that_cannot_be_read_is_refused_and_not_left_out(wire, headers, code):
    given = wire.token, b"Content-Type: application/json", *headers
    status, problem = wire.send(b"POST " + wire.match + b"/moves", *given, body=b'{"move": "+1"}')
    assert (status, problem["code"]) == (400, code)


@pytest.mark.parametrize(
    ("line", "header", "status"),
    [
        (b"GET /", b"Content-Length: x", 400),
        (b"GET /" + b"a" * (1 << 16), b"A: b", 414),
        (b"GET /", b"\r\n".join(b"X-%d: 1" % number for number in range(100)), 431),
    ],
)
def test_what_cannot_be_read_as_http_is_answered_without_a_body(wire, line, header, status):
    answer = wire.exchange(line + b" HTTP/1.1\r\nHost: localhost\r\n" + header + b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert answer.endswith(b"\r\n\r\n")


def test_a_body_in_chunks_is_refused_and_not_taken_for_none(wire):
    head = [b"POST " + wire.match + b"/withdrawal HTTP/1.1", b"Host: localhost", b"Connection: close", wire.token]
    answer = wire.exchange(b"\r\n".join([*head, b"Transfer-Encoding: chunked", b"", b"2", b"{}", b"0", b"", b""]))
    assert answer.startswith(b"HTTP/1.1 411 ")
    status, match = wire.send(b"GET " + wire.match)
    assert (status, match["version"]) == (200, wire.version)


def test_a_token_that_cannot_be_read_is_not_taken_for_none_and_other_headers_are_nothing_to_us(wire):
    status, problem = wire.send(b"GET " + wire.match, b"Authorization: Bearer " + BAD)
    assert (status, problem["code"]) == (401, "auth/missing")
    status, found = wire.send(b"GET " + wire.match, b"User-Agent: " + BAD, b"X-Request-Id: " + BAD)
    assert (status, found["ply"]) == (200, 0)


@pytest.mark.parametrize("media", [b"application/json", b"text/event-stream"])
def test_who_asks_for_the_head_alone_waits_for_nothing(wire, media):
    began_s = time.monotonic()
    line = b"HEAD %s/events?after=%d&wait=30 HTTP/1.1" % (wire.match, wire.version)
    headers = b"Host: localhost", b"Connection: close", b"Accept: " + media
    answer = wire.exchange(b"\r\n".join([line, *headers, b"", b""]))
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert time.monotonic() - began_s < 15


@pytest.mark.parametrize("query", [b"limit=" + BAD, BAD + b"=1"])
def test_a_query_in_raw_utf_8_is_read_as_one(wire, query):
    status, problem = wire.send(b"GET /v1/matches?" + query)
    assert (status, problem["code"]) == (422, "request/invalid")


@pytest.mark.parametrize("header", [b"Idempotency_Key: " + b"k" * 99, b"If_Match: x", b"Content_Type: text/plain"])
def test_a_header_name_with_an_underscore_is_nothing_to_us(wire, header):
    given = wire.token, b"Content-Type: application/json"
    status, receipt = wire.send(b"POST " + wire.match + b"/entropy", *given, header, body=b'{"entropy": "x"}')
    assert (status, receipt["code"]) == (409, "match/not-open")


@pytest.mark.parametrize(
    "hosts",
    [[], [b"Host: localhost", b"Host: localhost"], [b"Host: localhost", b"host: evil"], [b"Host: evil.example"]],
)
def test_a_request_without_one_host_of_ours_is_refused(wire, hosts):
    answer = wire.exchange(b"\r\n".join([b"GET /v1/rulesets HTTP/1.1", *hosts, b"Connection: close", b"", b""]))
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"request/host" in answer
