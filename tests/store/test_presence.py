"""Processes at work on a store, and the end of an upgrade."""

import threading
from pathlib import Path

import pytest
from redis import Redis

from plyscribe.service.processes.embedded import EmbeddedServer
from plyscribe.service.store import layouts, presence
from plyscribe.service.store.layouts import LAYOUT_KEY, mark_layout
from plyscribe.service.store.port import UnsupportedServer
from plyscribe.service.store.presence import PROCESSES, Attendance, Presence, Process, finish_upgrade, list_present
from plyscribe.service.store.redis import RedisStore
from tests.store.given import append, eventually

OLD = Process("web", "1.0.0", 1, "here", 7)
NEW = Process("relay", "1.1.0", 2, "there", 8)
STREAM = "match-aaaaaaaaaaaaaaaaaaaaaaaaaa"


def test_processes_at_work_are_listed_until_they_leave(client: Redis) -> None:
    old, new = Presence(client, OLD), Presence(client, NEW)
    assert list_present(client) == []
    assert [new.renew(), old.renew(), old.renew()] == [1, 1, 1]
    assert list_present(client) == [OLD, NEW]
    old.leave()
    assert list_present(client) == [NEW]


def test_a_process_without_signs_of_life_counts_no_more(client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "LASTS_S", 0.001)
    Presence(client, OLD).renew()
    eventually(lambda: list_present(client) == [])
    assert finish_upgrade(client, 2) == []
    Presence(client, NEW).leave()
    assert client.exists(PROCESSES) == 0, "nothing is kept of it"


def test_an_upgrade_is_finished_only_without_processes_that_could_not_read_on(client: Redis) -> None:
    old, new = Presence(client, OLD), Presence(client, NEW)
    old.renew()
    new.renew()
    assert finish_upgrade(client, 2) == [OLD]
    assert client.get(LAYOUT_KEY) is None
    old.leave()
    assert finish_upgrade(client, 2) == []
    assert client.get(LAYOUT_KEY) == b"2"
    assert new.renew() == old.renew() == 2
    assert list_present(client) == [NEW], "a process that cannot read the data is not at work"
    client.set(LAYOUT_KEY, 3)
    assert finish_upgrade(client, 2) == []
    assert client.get(LAYOUT_KEY) == b"3", "the layout is never lowered"


def test_an_empty_store_gets_the_newest_layout_and_another_keeps_its_own(client, monkeypatch):
    monkeypatch.setattr(layouts, "NEWEST_LAYOUT", 2)
    mark_layout(client)
    assert client.get(LAYOUT_KEY) == b"2"
    client.delete(LAYOUT_KEY)
    append(RedisStore(client), STREAM)
    mark_layout(client)
    assert client.get(LAYOUT_KEY) == b"1"
    monkeypatch.setattr(layouts, "NEWEST_LAYOUT", 3)
    mark_layout(client)
    assert client.get(LAYOUT_KEY) == b"1"


@pytest.mark.server
def test_a_process_ends_when_it_finds_data_that_it_cannot_read(server, monkeypatch):
    monkeypatch.setattr(presence, "RENEW_S", 0.01)
    with presence.connect_client(server.url) as client:
        ended = threading.Event()
        attendance = Attendance(server.url, OLD, ended.set)
        attendance.begin()
        assert list_present(client) == [OLD]
        assert attendance.layout == 1
        client.delete(PROCESSES)  # as if it had slept for too long
        client.set(LAYOUT_KEY, 2)
        assert ended.wait(30)
        assert attendance.layout == 2
        with pytest.raises(UnsupportedServer, match=r"has layout 2, and Plyscribe 1\.0\.0 reads 1 at most"):
            Attendance(server.url, OLD, ended.set).begin()


@pytest.mark.server
def test_a_process_stays_present_until_it_leaves(server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "RENEW_S", 0.01)
    with presence.connect_client(server.url) as client:
        attendance = Attendance(server.url, NEW, lambda: None)
        attendance.begin()
        client.delete(PROCESSES)
        eventually(lambda: list_present(client) == [NEW])
        attendance.leave()
        assert list_present(client) == []


def test_a_store_that_does_not_answer_keeps_no_process_from_starting(tmp_path: Path) -> None:
    attendance = Attendance(f"unix://{tmp_path / 'none.sock'}", NEW, lambda: None)
    attendance.begin()
    assert attendance.layout is None
    attendance.leave()
