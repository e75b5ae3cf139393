"""The checker of the campaign finds what it is there to find, and the proxy breaks what it forwards."""

import socket
import threading
from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest

from plyscribe.service.client import Json
from tests.faults.checker import Verdict, check_match, check_settled
from tests.faults.players import Acknowledged
from tests.faults.proxy import Proxy
from tests.system.running import free_port, wait_for


def event(version: int, type: str, **data: Any) -> Json:
    return {"version": version, "type": type, "hash": f"{version:064x}", "data": data}


EVENTS = [
    event(1, "match-created"),
    event(2, "move-made", seat=1, move="a1"),
    event(3, "move-made", seat=2, move="b1"),
    event(4, "move-made", seat=1, move="c1"),
]
TOLD = [
    Acknowledged(each["data"]["seat"], each["data"]["move"], "", each["version"] - 1, receipt)
    for each in EVENTS[1:]
    for receipt in [{"version": each["version"], "hash": each["hash"], "events": [each]}]
]


def verdict_of(told: list[Acknowledged], events: list[Json]) -> dict[str, int]:
    verdict = Verdict()
    check_match("match", told, events, verdict)
    assert verdict.acknowledged == len(told)
    found = {name: len(getattr(verdict, name)) for name in ("lost", "doubled", "otherwise")}
    return {name: number for name, number in found.items() if number}


def test_a_match_as_it_was_told_is_clean():
    assert verdict_of(TOLD, EVENTS) == {}


def test_a_lost_move_is_found():
    assert "lost" in verdict_of(TOLD, EVENTS[:3])


def test_a_move_that_nobody_was_told_of_or_that_is_there_twice_is_found():
    assert "doubled" in verdict_of(TOLD[:2], EVENTS)
    again = {**EVENTS[3], "version": 5, "hash": "f" * 64}
    assert "doubled" in verdict_of(TOLD, [*EVENTS, again])


def test_another_move_in_the_place_of_one_is_found():
    events = deepcopy(EVENTS)
    events[2]["data"]["move"] = "d1"
    assert "otherwise" in verdict_of(TOLD, events)


def test_another_hash_is_found():
    events = deepcopy(EVENTS)
    events[2]["hash"] = "e" * 64
    assert "lost" in verdict_of(TOLD, events)


@pytest.mark.parametrize(
    ("types", "clean"),
    [
        (["verified", "scored"], True),
        (["verified", "verified", "scored"], False),
        (["verified"], False),
        (["refuted"], False),
    ],
)
def test_a_verdict_and_a_score_are_there_once(types, clean):
    verdict = Verdict()
    check_settled("match", [event(number, f"match-{type}") for number, type in enumerate(types, 1)], verdict)
    assert verdict.is_clean == clean


def echo(listener: socket.socket) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection, suppress(OSError):
            connection.settimeout(20)
            connection.sendall(connection.recv(100))


@pytest.mark.parametrize("pause_s", [0.0, 0.02])
def test_a_proxy_forwards_until_it_breaks_a_connection(pause_s):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=echo, args=[listener], daemon=True).start()
        port = free_port()
        proxy = Proxy(port, listener.getsockname()[1], pause_s, seed=1)
        try:
            wait_for(lambda: can_connect(port), why="the proxy")
            with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
                if pause_s:
                    assert connection.recv(1) == b"", "it was cut or half-closed"
                    assert sum(proxy.counts.values())
                else:
                    connection.sendall(b"hello")
                    assert connection.recv(5) == b"hello"
        except ConnectionResetError:
            assert pause_s
        finally:
            proxy.stop()


def can_connect(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    except OSError:
        return False
