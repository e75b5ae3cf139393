"""The witness: a store that lost what was on disk does not start, and a sound one always does."""

import json
import logging
import os
from dataclasses import replace
from pathlib import Path

import pytest

from plyscribe.service.processes import witness as witnessing
from plyscribe.service.processes.embedded import EmbeddedServer, accept_what_is_lost, find_what_is_lost
from plyscribe.service.processes.witness import (
    FOLDER,
    WITNESS,
    LossFound,
    find_end,
    read_parts,
    read_witness,
    take_witness,
    write_witness,
)
from plyscribe.service.store.redis import connect, connect_client
from tests.store.conftest import binary_of
from tests.store.given import append, eventually

STREAM = "match-aaaaaaaaaaaaaaaaaaaaaaaaaa"
EVENTS = 40
SET = b"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$5\r\nb\r\n*c\r\n"
DELETE = b"*2\r\n$3\r\nDEL\r\n$1\r\na\r\n"
BEGIN, COMMIT = b"*1\r\n$5\r\nMULTI\r\n", b"*1\r\n$4\r\nEXEC\r\n"

pytestmark = pytest.mark.server


def last_file(directory: Path) -> Path:
    return directory / FOLDER / read_parts(directory)[-1].name


def bytes_of(directory: Path) -> dict[str, bytes]:
    """Every file of the store that a refused start must leave alone."""
    return {path.name: path.read_bytes() for path in [directory / WITNESS, *(directory / FOLDER).iterdir()]}


def fill(server: EmbeddedServer, count: int = EVENTS, stream: str = STREAM) -> None:
    store = connect(server.url, 60.0)
    for _ in range(count):
        append(store, stream)
    store.close()


def count(server: EmbeddedServer, stream: str = STREAM) -> int:
    store = connect(server.url, 60.0)
    entries = store.load(stream).entries
    store.close()
    return len(entries)


def names_of(directory: Path) -> list[str]:
    """The files that the witness names."""
    return [file["name"] for file in json.loads((directory / WITNESS).read_text())["files"]]


def kill(server: EmbeddedServer) -> None:
    server.process.kill()
    server.process.wait()
    server.stop()


def rewrite(server: EmbeddedServer) -> None:
    with connect_client(server.url) as client:
        client.bgrewriteaof()
        eventually(lambda: client.info("persistence")["aof_rewrite_in_progress"] == 0)


@pytest.fixture
def filled(tmp_path: Path, engine: str) -> Path:
    """The directory of a store that was stopped."""
    with EmbeddedServer(tmp_path / "data" / "store", binary_of(engine)) as server:
        fill(server)
    return server.directory


# What is refused


@pytest.mark.parametrize("part", [0.0, 0.25, 0.5, 0.9, 0.999, "between two records"])
def test_a_file_cut_anywhere_is_refused_and_left_alone(filled: Path, engine: str, part: float | str) -> None:
    path = last_file(filled)
    content = path.read_bytes()
    size = len(content)
    # Between two records is what the engine would take for a complete file.
    left = content.rindex(b"*1\r\n$5\r\nMULTI", 0, size // 2) if isinstance(part, str) else int(size * part)
    os.truncate(path, left)
    before = bytes_of(filled)
    with pytest.raises(LossFound) as refused:
        EmbeddedServer(filled, binary_of(engine))
    for words in (f"had {size:,}", f"{size - left:,} are missing", "backup", "accept-loss"):
        assert words in str(refused.value)
    assert bytes_of(filled) == before


def flip(directory: Path) -> None:
    """Change a byte near the end."""
    content = bytearray(last_file(directory).read_bytes())
    content[-400] ^= 1
    last_file(directory).write_bytes(content)


def remove_all(directory: Path) -> None:
    for path in (directory / FOLDER).iterdir():
        path.unlink()


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (flip, "other bytes"),
        (lambda directory: last_file(directory).unlink(), "is missing"),
        (remove_all, "no longer in use"),
        *(
            (lambda directory, text=text: (directory / WITNESS).write_text(text), r"witness\.json")
            for text in ("", "{}", '{"files": 1}', "[]")
        ),
    ],
)
def test_changed_and_missing_files_are_refused_and_a_witness_that_cannot_be_read(filled, engine, damage, why):
    damage(filled)
    with pytest.raises(LossFound, match=why):
        EmbeddedServer(filled, binary_of(engine))


def test_files_from_before_a_rewrite_are_refused(tmp_path: Path, engine: str) -> None:
    directory = tmp_path / "store"
    with EmbeddedServer(directory, binary_of(engine)) as server:
        fill(server)
        kept = {path: path.read_bytes() for path in (directory / FOLDER).iterdir()}
        rewrite(server)
        fill(server, 3)
    remove_all(directory)
    for path, content in kept.items():
        path.write_bytes(content)
    with pytest.raises(LossFound, match="no longer in use"):
        EmbeddedServer(directory, binary_of(engine))


def test_a_length_that_runs_beyond_the_end_cuts_nothing_off(filled: Path, engine: str) -> None:
    path = last_file(filled)
    content = path.read_bytes()
    place = content.index(b"$5\r\nMULTI", len(content) // 3)
    damaged = content[:place] + b"$7" + content[place + 2 :]
    path.write_bytes(damaged)
    # Make it lie far before what the witness compares.
    witness = read_witness(filled)
    assert witness
    with path.open("rb") as file:
        files = [*witness.files[:-1], witnessing._witness_of(read_parts(filled)[-1], len(damaged), file)]
    write_witness(filled, replace(witness, files=tuple(files)))
    with pytest.raises(Exception, match="did not start"):
        EmbeddedServer(filled, binary_of(engine))
    assert path.read_bytes() == damaged


# What starts


def test_what_came_after_the_witness_is_kept_after_a_kill(tmp_path: Path, engine: str) -> None:
    for round in range(4):
        server = EmbeddedServer(tmp_path / "store", binary_of(engine))
        assert count(server) == round * EVENTS
        fill(server)
        kill(server)


@pytest.mark.parametrize("keep", [1, 20, -1])
def test_a_torn_write_after_the_witness_is_cut_off(tmp_path, engine, keep, caplog):
    directory = tmp_path / "store"
    kill(EmbeddedServer(directory, binary_of(engine)))
    path = last_file(directory)
    transaction = BEGIN + b"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nb\r\n" + COMMIT
    with path.open("ab") as file:
        file.write(b"*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n" + transaction)
        sound = file.tell()
        file.write(transaction[:keep] + b"\0" * 500 * (keep == 20))
    with EmbeddedServer(directory, binary_of(engine)) as again, connect_client(again.url) as client:
        assert client.get("a") == b"b"
        # The next writes follow the last complete one.
        assert path.read_bytes()[sound : sound + 2] in (b"", b"*2", b"*1")
        fill(again, 2)
    assert "a crash cut off" in caplog.text
    with EmbeddedServer(directory, binary_of(engine)) as third:
        assert count(third) == 2


def rewritten_after_its_witness(directory: Path, engine: str, more: int) -> None:
    """Leave a store that was killed, with a witness that is older than its rewritten files."""
    server = EmbeddedServer(directory, binary_of(engine))
    fill(server)
    with connect_client(server.url) as client:
        old = take_witness(directory, client)
    rewrite(server)
    fill(server, more)
    kill(server)
    assert old
    write_witness(directory, old)


def test_a_store_rewritten_after_its_witness_starts(tmp_path: Path, engine: str) -> None:
    rewritten_after_its_witness(tmp_path / "store", engine, more=2)
    with EmbeddedServer(tmp_path / "store", binary_of(engine)) as again:
        assert count(again) == EVENTS + 2


def test_a_base_that_lost_streams_after_the_witness_is_refused(tmp_path: Path, engine: str) -> None:
    directory = tmp_path / "store"
    rewritten_after_its_witness(directory, engine, more=0)
    base = directory / FOLDER / read_parts(directory)[0].name
    os.truncate(base, base.read_bytes().index(b"\r\n*") + 2)
    with pytest.raises(LossFound, match=f"of the {EVENTS} appends"):
        EmbeddedServer(directory, binary_of(engine))
    assert find_what_is_lost(directory) == []


def test_a_copy_starts_and_says_once_if_it_has_no_witness(filled, engine, tmp_path, caplog):
    witness = read_witness(filled)
    assert witness
    assert (witness.files[-1].size, witness.appends) == (last_file(filled).stat().st_size, EVENTS)
    copy = filled.rename(tmp_path / "copy")
    for witnessed in (True, False, True):
        if not witnessed:
            (copy / WITNESS).unlink()
        caplog.clear()
        with EmbeddedServer(copy, binary_of(engine)) as server:
            assert count(server) == EVENTS
        assert ("has no witness" in caplog.text) is not witnessed


@pytest.mark.parametrize("near", [0, 2000])
def test_a_torn_copy_without_a_witness_starts_from_its_last_complete_write(filled, engine, near, monkeypatch):
    monkeypatch.setattr(witnessing, "NEAR_END", near)
    (filled / WITNESS).unlink()
    os.truncate(last_file(filled), last_file(filled).stat().st_size - 7)
    with EmbeddedServer(filled, binary_of(engine)) as server:
        assert count(server) == EVENTS - 1
        fill(server, 1)
    with EmbeddedServer(filled, binary_of(engine)) as server:
        assert count(server) == EVENTS


def test_an_accepted_loss_starts_once_and_says_what_is_gone(filled, engine, caplog):
    path = last_file(filled)
    os.truncate(path, path.stat().st_size // 2)
    assert find_what_is_lost(filled)
    accept_what_is_lost(filled)
    with EmbeddedServer(filled, binary_of(engine)) as server:
        left = count(server)
        assert 0 < left < EVENTS
        assert f"the store has {left} appends; it had {EVENTS} at" in caplog.text
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(LossFound):
        EmbeddedServer(filled, binary_of(engine))


# Taking it


def test_a_running_store_is_witnessed_every_second(tmp_path, engine, monkeypatch):
    monkeypatch.setattr(witnessing, "EVERY_S", 0.01)
    with EmbeddedServer(tmp_path, binary_of(engine)) as server:
        fill(server)
        size = last_file(tmp_path).stat().st_size
        eventually(lambda: json.loads((tmp_path / WITNESS).read_text())["files"][-1]["size"] == size)
        rewrite(server)
        eventually(lambda: names_of(tmp_path) == [part.name for part in read_parts(tmp_path)])


def test_a_witness_that_cannot_be_written_leaves_the_old_one_and_the_store_running(
    tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Nobody else writes one meanwhile.
    monkeypatch.setattr("plyscribe.service.processes.witness.EVERY_S", 3600.0)
    with EmbeddedServer(tmp_path, binary_of(engine)) as server:
        old = read_witness(tmp_path)
        with monkeypatch.context() as full:

            def refuse(*_: object) -> None:
                raise OSError(28, "No space left on device")

            full.setattr(os, "fsync", refuse)
            fill(server)
            server._keeper._take()
        assert read_witness(tmp_path) == old
        assert "No space left" in caplog.text
        assert not (tmp_path / f"{WITNESS}.new").exists()
        assert count(server) == EVENTS


def test_a_file_cut_under_a_running_store_is_logged_and_not_witnessed(tmp_path, engine, caplog):
    with EmbeddedServer(tmp_path, binary_of(engine)) as server:
        fill(server)
        server._keeper._take()
        caplog.set_level(logging.ERROR)
        os.truncate(last_file(tmp_path), 100)
        fill(server, 1)
    assert "damaged while it runs" in caplog.text
    with pytest.raises(LossFound):
        EmbeddedServer(tmp_path, binary_of(engine))


# The end of a file


@pytest.mark.parametrize("start", [0, len(SET)])
def test_every_torn_end_is_found(tmp_path: Path, start: int) -> None:
    whole = SET + b"#TS:1700000000\r\n" + BEGIN + SET + DELETE + COMMIT + DELETE
    ends = [len(SET), len(SET) + 16, len(whole) - len(DELETE), len(whole)]
    path = tmp_path / "file"
    for size in range(start, len(whole) + 1):
        path.write_bytes(whole[:size])
        with path.open("rb") as file:
            assert find_end(file, start) == max([end for end in ends if end <= size], default=0)


def test_a_damaged_record_is_not_taken_for_a_torn_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content in (SET + b"nonsense" + SET, SET + b"*1\r\n$x\r\n" + SET, SET + b"*1\r\n$3\r\nSETx\r\n" + SET):
        path.write_bytes(content)
        with path.open("rb") as file:
            assert find_end(file, 0) == len(content)
