"""A service whose store lost data while it was stopped: it says so, changes nothing, and goes on only when told to."""

import os
from pathlib import Path

import httpx
import pytest

from plyscribe.service.client import Client, Problem
from tests.system.programs import check_refused, run_cli
from tests.system.running import WITHIN_S, free_port, pair, serving, wait_for


def append_only_file(data: Path) -> Path:
    return data / "store" / "appendonlydir" / "appendonly.aof.1.incr.aof"


def test_a_store_cut_while_it_was_stopped_is_refused_until_the_loss_is_accepted(tmp_path):
    data, port = tmp_path / "data", str(free_port())
    with serving(data) as service, pair(service.url) as both:
        old = both.open_match("zhen")
        both.clients[0].move(old, "+5")
        new = both.open_match("zhen")
    path = append_only_file(data)
    whole = path.read_bytes()
    # Between two commands: what the engine takes for a complete file.
    first_event_of_new = whole.index(f":ev:{new}".encode())
    os.truncate(path, whole.rindex(b"*1\r\n$5\r\nMULTI", 0, first_event_of_new))
    check_refused(run_cli("serve", "--data", str(data), "--port", port), "has lost what was safely on disk")
    told = run_cli("doctor", "--data", str(data), "--port", port)
    assert told.returncode == 1
    assert "witness" in told.stdout
    asked = run_cli("accept-loss", "--data", str(data))
    assert asked.returncode == 1
    assert "are missing" in asked.stdout
    assert run_cli("serve", "--data", str(data), "--port", port).returncode == 1
    assert run_cli("accept-loss", "--data", str(data), "--yes").returncode == 0
    with serving(data) as service, Client(service.url) as client:
        assert client.match(old)["moves"] == ["+5"]
        assert "appends; it had" in service.output.read_text()
        assert "in use" in run_cli("accept-loss", "--data", str(data), "--yes").stderr


def test_a_byte_changed_in_the_file_is_found_named_and_answered(tmp_path):
    data = tmp_path / "data"
    with serving(data) as service, pair(service.url) as both:
        match = both.open_match("zhen")
        fault = both.clients[0].move(match, "+5")["version"]
        # Far enough from the end of the file that the witness does not see it.
        for number in range(80):
            both.clients[0].create_match("zhen", [None, None], about={"event": "x" * 200}, key=f"k{number}")
    path = append_only_file(data)
    content = path.read_bytes()
    assert content.count(b'"move":"+5"') == 1
    assert len(content) - content.index(b'"move":"+5"') > 70_000
    path.write_bytes(content.replace(b'"move":"+5"', b'"move":"+6"'))
    with serving(data) as service, pair(service.url) as both:
        ann = both.clients[0]
        wait_for(lambda: f"{match} is damaged" in (data / "log" / "relay.log").read_text(), why="the alarm")
        port = str(service.port)

        def ask_doctor():
            told = run_cli("doctor", "--data", str(data), "--port", port)
            return told if "damaged streams" in told.stdout else None

        # The relay logs what it has found, and stores it with the rest of what it read then.
        told = wait_for(ask_doctor, why="the doctor's word")
        assert told.returncode == 1
        assert f"1 damaged streams, {match} from event {fault} on" in told.stdout
        deep = run_cli("doctor", "--data", str(data), "--port", port, "--deep")
        assert deep.returncode == 1
        assert f"{match} from event {fault} on: the hash" in deep.stdout
        assert "plyscribe_damaged_streams 1.0" in httpx.get(f"{service.url}/metrics", timeout=WITHIN_S).text
        with pytest.raises(Problem) as refused:
            ann.legal_moves(match)
        assert (refused.value.status, refused.value.code) == (409, "match/damaged")
