"""The servers of the tests start although other tests take ports at the same time."""

import socket
from itertools import count
from pathlib import Path

import pytest

from tests.store import own_servers
from tests.store.conftest import binary_of
from tests.store.own_servers import ABOVE, OwnServer, PortTaken, free_port, own_server

pytestmark = pytest.mark.server


@pytest.mark.parametrize("above", [0, ABOVE])
def test_a_server_whose_port_was_taken_meanwhile_starts_at_another_one(engine, above, tmp_path, monkeypatch):
    taken = free_port()
    ports = iter((taken, taken, free_port()))
    monkeypatch.setattr(own_servers, "free_port", lambda: next(ports))
    with (
        socket.create_server(("127.0.0.1", taken + above)),
        own_server(binary_of(engine).path, tmp_path, "--cluster-enabled", "yes") as server,
    ):
        assert server.port != taken


def test_a_server_that_has_to_have_its_port_says_that_somebody_else_has_it(engine, tmp_path):
    with socket.create_server(("127.0.0.1", taken := free_port())), pytest.raises(PortTaken, match="already in use"):
        OwnServer(binary_of(engine).path, tmp_path, port=taken)


def test_a_server_that_ends_says_why(engine, tmp_path):
    with pytest.raises(AssertionError, match=r"the server has ended:\n(?s:.*)(?i:nonsense)") as raised:
        OwnServer(binary_of(engine).path, Path(tmp_path), "--nonsense", "yes")
    assert not isinstance(raised.value, PortTaken)


def test_a_port_is_not_given_out_while_somebody_has_the_one_that_goes_with_it(monkeypatch):
    monkeypatch.setattr(own_servers, "LOWEST", base := free_port())
    monkeypatch.setattr(own_servers, "_given", set())
    draws = count()
    monkeypatch.setattr(own_servers.secrets, "randbelow", lambda _: next(draws))
    with socket.create_server(("127.0.0.1", base + ABOVE)):
        # The next ones may be those of other tests.
        assert free_port() > base
