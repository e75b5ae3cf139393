"""`plyscribe archive` over a real store, with processes of its own."""

from collections.abc import Iterator
from shutil import rmtree

import pytest

from plyscribe.service.client import Client, Problem
from plyscribe.service.processes.embedded import EmbeddedServer, find_binary
from tests.system.running import pair, serving, status_of, wait_for
from tests.system.test_doctor import Patient
from tests.system.test_serve import run_cli

pytestmark = pytest.mark.server


@pytest.fixture
def service(tmp_path) -> Iterator[Patient]:
    with EmbeddedServer(tmp_path / "store", find_binary()) as server:
        yield Patient(server, tmp_path / "data")


def test_several_processes_verify_packs_and_name_what_is_wrong(service):
    for _ in range(3):
        match = service.open_match_with_dice()
        service.call_off(match)
        assert service.seal(match).sealed == 1
    arguments = ["archive", "verify", "--workers", "2", "--data", str(service.data)]
    ran = run_cli(*arguments, **service.environ)
    assert (ran.returncode, "3 packs, 3 streams" in ran.stdout, "0 faults" in ran.stdout) == (0, True, True), ran.stderr
    path = next((service.data / "archive").rglob("*.pack"))
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    ran = run_cli(*arguments, **service.environ)
    assert (ran.returncode, path.stem in ran.stdout) == (1, True)


def test_a_service_that_lost_its_store_comes_back_from_the_archive(tmp_path):
    data = tmp_path / "data"
    with serving(data) as service, pair(service.url) as both:
        match = both.open_match("zhen")
        both.play_out(match, lambda match: both.clients[0].legal_moves(match)[0])
        wait_for(lambda: status_of(both.clients[0], match) == "scored", why="the score")
        bundle, token = both.clients[0].export(match), both.clients[0].token
        for arguments in (["seal", "--all"], ["copy"]):
            assert run_cli("archive", *arguments, "--data", str(data)).returncode == 0
    admin = (data / "admin.token").read_text()
    rmtree(data / "store")
    (data / "read.db").unlink()
    with serving(data) as service:
        with Client(service.url, token) as ann, pytest.raises(Problem):
            ann.me()
        ran = run_cli("rebuild", "--from-archive", "--data", str(data))
        assert (ran.returncode, "matches: 1 of 1 sealed ones found again" in ran.stdout) == (0, True), ran.stdout
        with Client(service.url, token) as ann:
            assert ann.me()["name"] == "Ann"
            assert ann.export(match) == bundle
        tokens = [(data / name).read_text() for name in ("admin.token.old", "admin.token")]
        assert tokens[0] == admin
        for each in tokens:
            with Client(service.url, each.strip()) as administrator:
                assert "admin" in administrator.me()["scopes"]
