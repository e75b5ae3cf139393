"""`plyscribe archive` over a real store, with processes of its own."""

from collections.abc import Iterator

import pytest

from plyscribe.service.processes.embedded import EmbeddedServer, find_binary
from tests.system.programs import run_cli
from tests.system.test_doctor import Patient


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
