"""A full disk: one end, one message, and after some space was freed everything that was acknowledged is there."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from plyscribe.service.client import Client, Json, Problem
from tests.system.running import Serving, free_port, pair, serving

MIB = 1 << 20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of a few MiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    options = ["-t", "tmpfs", "-o", "size=24m,mode=700", "tmpfs", str(disk)]
    if os.geteuid() or subprocess.run(["mount", *options], capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk needs root")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def play_until_refused(service: Serving) -> list[Json]:
    """The receipts of moves up to the first that gets none."""
    receipts: list[Json] = []
    with pair(service.url) as both:
        hasty = [Client(service.url, client.token, retry_for_s=0.0) for client in both.clients]
        try:
            while True:
                match = hasty[0].create_match("pathagon", [{"player": both.ids[0]}, None])["match"]
                hasty[1].take_seat(match, 2)
                for ply, move in enumerate(("a1", "b1", "c1", "d1")):
                    receipts.append(hasty[ply % 2].move(match, move))
        except (Problem, httpx.TransportError):
            return receipts
        finally:
            for client in hasty:
                client.close()


def test_a_full_disk_ends_the_service_once_with_one_message_and_loses_nothing(small_disk):
    data, port = small_disk / "data", free_port()
    service = Serving(data, port)
    try:
        service.wait_until_ready()
        ballast = small_disk / "ballast"
        ballast.write_bytes(bytes(_free(small_disk) - MIB))
        receipts = play_until_refused(service)
        assert receipts
        _fill(small_disk)
        assert service.process.wait(60) == 1
    finally:
        service.stop()
    told = service.output.read_text()
    assert told.count("is full, so the service has ended") == 1
    assert "Traceback" not in told
    assert told.count("is being restarted") <= 1
    ballast.unlink()
    (small_disk / "rest").unlink(missing_ok=True)
    with serving(data) as again, Client(again.url) as client:
        for receipt in receipts:
            events = client.events(receipt["match"])
            assert events[receipt["events"][0]["version"] - 1 : receipt["version"]] == receipt["events"]


def _free(disk: Path) -> int:
    found = os.statvfs(disk)
    return found.f_bavail * found.f_frsize


def _fill(disk: Path) -> None:
    """Take what is left, until the store notices: the relay and the workers write to it."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            with (disk / "rest").open("ab", buffering=0) as rest:
                rest.write(bytes(4096))
        except OSError:
            time.sleep(0.2)
