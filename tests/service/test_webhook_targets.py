"""Where messages may go: hostile URLs, hostile addresses, and names that change what they lead to."""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from plyscribe.domain.errors import WrongValue
from plyscribe.service.webhooks.posting import NotPosted, Poster, resolve_name
from plyscribe.service.webhooks.targets import Target, is_public, parse_target
from tests.workers.receiver import Receiver, receiving


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://example.org", Target("https", "example.org", 443, "/")),
        ("https://Hooks.Example.org/a/b?c=d", Target("https", "hooks.example.org", 443, "/a/b?c=d")),
        ("https://example.org:8443/x", Target("https", "example.org", 8443, "/x")),
        ("https://xn--bcher-kva.example/", Target("https", "xn--bcher-kva.example", 443, "/")),
        ("https://93.184.216.34/x", Target("https", "93.184.216.34", 443, "/x")),
        ("https://[2606:2800:220:1::1]/x", Target("https", "2606:2800:220:1::1", 443, "/x")),
    ],
)
def test_public_urls_are_taken_apart(url, target):
    assert parse_target(url, "public") == target


REFUSED = """
    example.org //example.org/ http://example.org/ ftp://example.org/ file:///etc/passwd
    gopher://example.org:6379/_FLUSHALL https:// https:///path https://user@example.org/
    https://user:password@example.org/ https://example.org@127.0.0.1/ https://example.org\\@127.0.0.1/
    https://example.org/#part https://example.org:22/ https://example.org:25/ https://example.org:0/
    https://example.org:65536/ https://example.org:port/ https://example..org/ https://-example.org/
    https://exa%6dple.org/ https://2130706433/ https://0x7f000001/ https://0x7f.1/ https://017700000001/
    https://127.1/ https://127.0.0.1./ https://[::1 https://[::ffff:127.0.0.1%25eth0]/ https://exämple.org/
"""
LONG = ["https://" + "a" * 64 + ".org/", "https://" + "a.b." * 64 + "org/"]


@pytest.mark.parametrize("url", ["", "https://exa mple.org/", *REFUSED.split(), *LONG])
def test_urls_that_no_webhook_may_have_are_refused(url):
    with pytest.raises(WrongValue) as refused:
        parse_target(url, "public")
    assert refused.value.code == "webhook/url"


NOT_PUBLIC = """
    0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 192.0.0.8 192.0.2.1
    192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
    :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:7f00:1 ::ffff:0:127.0.0.1 64:ff9b::127.0.0.1
    64:ff9b::a9fe:a9fe 64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:7f00:1::1 2002:808:808::1 3fff::1 4000::1
    fc00::1 fd12:3456::1 fe80::1 fe80::1%eth0 2606:2800:220:1::1%eth0 fec0::1 ff02::1 localhost
"""


@pytest.mark.parametrize("address", ["", *NOT_PUBLIC.split()])
def test_addresses_that_are_not_public_are_not_reached(address):
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "93.184.216.34", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"]
)
def test_public_addresses_are_reached(address):
    assert is_public(address)


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "[::1]", "[::ffff:10.0.0.1]", "169.254.169.254"])
def test_a_literal_address_that_is_not_public_is_refused_at_once_unless_any_is_allowed(address):
    with pytest.raises(WrongValue) as refused:
        parse_target(f"https://{address}/", "public")
    assert refused.value.code == "webhook/address"
    assert parse_target(f"http://{address}:8080/", "any").port == 8080


@pytest.fixture
def open_poster() -> Iterator[Callable[..., Poster]]:
    """Makes posters, and closes them in the end."""
    with ExitStack() as stack:

        def open_one(*args: Any, **more: Any) -> Poster:
            poster = Poster(*args, **more)
            stack.callback(poster.close)
            return poster

        yield open_one


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


def post(poster: Poster, url: str) -> int:
    return poster.post(parse_target(url, "any"), {"x": "y"}, b"{}").status


@pytest.mark.parametrize("found", ["", "127.0.0.1", "::ffff:127.0.0.1", "10.0.0.1", "64:ff9b::7f00:1", "fe80::1%lo"])
def test_a_private_name_is_not_connected_to_and_looks_like_one_that_does_not_exist(receiver, found, open_poster):
    poster = open_poster("public", lambda *_: found.split())
    with pytest.raises(NotPosted) as refused:
        post(poster, receiver.url.replace("127.0.0.1", "hooks.example.org"))
    assert (str(refused.value), receiver.got) == ("its name has no address that is public", [])


def test_numbers_that_the_system_takes_for_an_address_do_not_lead_to_loopback(open_poster):
    for host in ("2130706433", "0x7f.1", "127.1", "localhost"):
        with pytest.raises(NotPosted):
            open_poster("public").post(Target("http", host, 9, "/"), {}, b"")


def test_a_connection_goes_to_the_address_that_was_checked_and_not_to_what_the_name_means_now(receiver, open_poster):
    answers = [["127.0.0.1"], ["10.255.255.1"]]
    poster = open_poster("any", lambda *_: answers.pop(0))
    assert post(poster, receiver.url.replace("127.0.0.1", "rebinding.example")) == 204
    assert len(answers) == 1
    assert receiver.got[0].headers["host"].startswith("rebinding.example")


def test_private_addresses_among_public_ones_are_left_out_and_the_next_one_is_tried_if_one_refuses(
    receiver, monkeypatch, open_poster
):
    url = receiver.url.replace("127.0.0.1", "two.example")
    assert post(open_poster("any", lambda *_: ["127.0.0.2", "127.0.0.1"]), url) == 204
    monkeypatch.setattr("plyscribe.service.webhooks.posting.is_public", lambda address: address == "127.0.0.1")
    assert post(open_poster("public", lambda *_: ["10.0.0.1", "127.0.0.1"]), url) == 204


def test_a_name_without_an_address_says_so(open_poster):
    def fail(*_: object) -> list[str]:
        raise OSError

    with pytest.raises(NotPosted, match="its name has no address"):
        post(open_poster("any", fail), "http://nowhere.invalid/")
    assert resolve_name("127.0.0.1", 80) == ["127.0.0.1"]


def test_connections_are_used_again_by_many_at_a_time_and_proxies_of_the_environment_are_not(
    receiver, monkeypatch, open_poster
):
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    looked_up: list[str] = []
    poster = open_poster("any", lambda host, _: looked_up.append(host) or ["127.0.0.1"])
    assert [post(poster, receiver.url) for _ in range(3)] == [204] * 3
    assert len(looked_up) == 1
    receiver.answer = lambda got: time.sleep(0.05) or 200
    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(lambda _: post(poster, receiver.url), range(16))) == [200] * 16


CERTIFICATE = Path(__file__).with_name("hooks.example.org.pem")
"""A certificate for this name, signed by itself, with its key: for tests alone."""


def trust_it() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(CERTIFICATE))


@pytest.fixture
def encrypted() -> Iterator[Receiver]:
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(CERTIFICATE)
    with receiving(own) as receiver:
        yield receiver


def test_the_certificate_is_checked_against_the_name_although_the_address_is_pinned(encrypted, open_poster):
    url = encrypted.url.replace("http://127.0.0.1", "https://hooks.example.org")
    assert post(open_poster("any", lambda *_: ["127.0.0.1"], trust_it()), url) == 204
    assert encrypted.got[0].headers["host"].startswith("hooks.example.org")


@pytest.mark.parametrize(("name", "trusts"), [("other.example.org", True), ("hooks.example.org", False)])
def test_a_certificate_of_another_name_or_of_nobody_we_trust_is_refused(encrypted, open_poster, name, trusts):
    url = encrypted.url.replace("http://127.0.0.1", f"https://{name}")
    poster = open_poster("any", lambda *_: ["127.0.0.1"], *([trust_it()] if trusts else []))
    with pytest.raises(NotPosted, match="certificate verify failed"):
        post(poster, url)
    assert encrypted.got == []


@contextmanager
def answering(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """The address of a server that does this with its first connection, once it has read a request."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            connection, _ = server.accept()
            with connection, suppress(OSError):
                connection.recv(4096)
                serve(connection)

        thread = threading.Thread(target=accept)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"
        thread.join()


def test_an_answer_that_comes_byte_by_byte_is_cut_off_in_time(open_poster):
    stop = threading.Event()

    def drip(connection: socket.socket) -> None:
        for byte in b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 1000:
            if stop.wait(0.02):
                return
            connection.send(bytes([byte]))

    with answering(drip) as url:
        with pytest.raises(NotPosted, match="no answer within"):
            post(open_poster("any", within_s=0.5), url)
        stop.set()


def test_of_an_endless_answer_little_is_read(open_poster):
    sent = [0]

    def flood(connection: socket.socket) -> None:
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        while sent[0] < 500_000_000:
            sent[0] += connection.send(b"x" * 65536)

    with answering(flood) as url:
        assert post(open_poster("any"), url) == 200
    assert sent[0] < 100_000_000
