"""`plyscribe export` and `plyscribe import`, over HTTP and on the store."""

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import orjson
import pytest
from click.testing import CliRunner, Result

from plyscribe.domain.import_list import list_of
from plyscribe.service.cli import transfer
from plyscribe.service.cli.__main__ import cli
from plyscribe.service.client import Client
from plyscribe.service.composition import Parts, compose
from plyscribe.service.lists.matches import MatchFilter
from plyscribe.service.store.memory import MemoryStore
from plyscribe.workers.check_import import check_import
from tests.service.api import Api
from tests.service.conftest import CONFIG
from tests.service.test_imports_api import Elsewhere, bundle_of, forged
from tests.service.test_typed_imports_api import FAULTY, SOUND


class Shell:
    """Commands beside a service, whose worker is at work while one waits."""

    def __init__(self, parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
        self.parts = parts
        monkeypatch.setattr(transfer, "compose_beside", lambda _: self.parts)
        clock = SimpleNamespace(monotonic=time.monotonic, sleep=lambda _: self.work())
        monkeypatch.setattr(transfer, "time", clock)

    def work(self) -> None:
        for stream in self.parts.store.streams():
            if stream.startswith("import-"):
                check_import(self.parts, stream)

    def run(self, *arguments: object) -> Result:
        return CliRunner().invoke(cli, list(map(str, arguments)))


@pytest.fixture
def elsewhere(parts: Parts) -> Elsewhere:
    return Elsewhere()


@pytest.fixture
def shell(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(parts, monkeypatch)


@pytest.fixture
def bundle(elsewhere: Elsewhere, tmp_path: Path) -> Path:
    match = elsewhere.play()
    path = tmp_path / f"{match}.bundle.ndjson"
    path.write_bytes(elsewhere.bundle(match))
    return path


def match_in(path: Path) -> str:
    return path.name.partition(".")[0]


def test_a_bundle_is_imported_and_its_verdict_told(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    ran = shell.run("import", bundle)
    assert (ran.exit_code, ran.output) == (0, f"{bundle}: {match_in(bundle)} is imported and verified\n")
    ran = shell.run("export", "--to", tmp_path / "out", match_in(bundle))
    assert ran.exit_code == 0
    assert (tmp_path / "out" / bundle.name).read_bytes() == bundle.read_bytes()


def test_what_is_refused_or_refuted_fails_and_keeps_nothing_else_from_being_imported(
    shell: Shell, bundle: Path, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    def let_the_other_win(raws: list[Any]) -> None:
        [ended] = [raw for raw in raws if raw["type"] == "match-ended"]
        ended["data"]["ranks"] = ended["data"]["ranks"][::-1]

    match = elsewhere.play()
    (wrong := tmp_path / "wrong").write_bytes(forged(elsewhere.bundle(match), let_the_other_win))
    (empty := tmp_path / "empty").write_bytes(b"")
    ran = shell.run("import", empty, wrong, bundle)
    assert ran.exit_code == 1
    refused, refuted, imported = ran.output.splitlines()
    assert refused.startswith(f"{empty}: refused: line 1 of the bundle")
    assert f"{match} is refuted, event" in refuted
    assert imported.endswith("verified")


def test_bundles_go_over_http_with_a_token(
    shell: Shell, api: Api, bundle: Path, elsewhere: Elsewhere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    transports = {
        "http://ours.localhost": httpx.WSGITransport(app=api.app),
        "http://theirs.localhost": httpx.WSGITransport(elsewhere.app),
    }

    def connect(url: str, token: str | None, retry_for_s: float) -> Client:
        return Client(url, token, retry_for_s=0, transport=transports[url])

    monkeypatch.setattr(transfer, "Client", connect)
    match = match_in(bundle)
    assert shell.run("export", "--url", "http://theirs.localhost", "--to", tmp_path / "out", match).exit_code == 0
    brought = tmp_path / "out" / bundle.name
    assert brought.read_bytes() == bundle.read_bytes()
    ran = shell.run("import", "--url", "http://ours.localhost", "--token", api.sign_up()[1], brought)
    assert ran.output.endswith(f"{match} is imported and verified\n")
    refused = shell.run("import", "--url", "http://ours.localhost", brought)
    assert (refused.exit_code, "bearer" in refused.output.lower()) == (1, True)


def test_text_records_go_over_http(shell: Shell, api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    transport = httpx.WSGITransport(app=api.app)
    monkeypatch.setattr(transfer, "Client", lambda url, token, **_: Client(url, token, transport=transport))
    (sound := tmp_path / "sound.plyrec").write_text(SOUND)
    (faulty := tmp_path / "faulty.plyrec").write_text(FAULTY)
    (latin := tmp_path / "latin.plyrec").write_bytes(b"\xff")
    ran = shell.run(
        "import", "--url", "http://ours.localhost", "--token", api.sign_up()[1], sound, sound, faulty, latin
    )
    assert ran.exit_code == 1
    first, again, wrong, unreadable = ran.output.splitlines()
    assert first == again
    assert first.endswith("is imported and entered")
    assert "is faulty, line 7: " in wrong
    assert "refused" in unreadable
    assert "send it with --url" in shell.run("import", sound).output


def test_a_match_of_ones_own_is_restored_as_it_was(shell: Shell, bundle: Path, parts: Parts) -> None:
    match = match_in(bundle)
    ran = shell.run("import", "--restore", bundle)
    assert (ran.exit_code, "8 of its 8 events were new" in ran.output) == (0, True)
    assert bundle_of(parts, match) == bundle.read_bytes()
    assert parts.store.load(list_of(match)).entries == []
    assert "0 of its 8 events were new" in shell.run("import", "--restore", bundle).output
    assert "is a match of this server" in shell.run("import", bundle).output


def test_a_restore_refuses_what_differs(shell: Shell, bundle: Path, parts: Parts, tmp_path: Path) -> None:
    shell.run("import", "--restore", bundle)
    (other := tmp_path / "other").write_bytes(forged(bundle.read_bytes(), lambda raws: raws[-1].update(at=7)))
    ran = shell.run("import", "--restore", other)
    assert (ran.exit_code, "differs from event 8" in ran.output) == (1, True)
    assert bundle_of(parts, match_in(bundle)) == bundle.read_bytes()


def test_an_imported_match_can_be_restored_as_ones_own(shell: Shell, bundle: Path, parts: Parts) -> None:
    shell.run("import", bundle)
    assert shell.run("import", "--restore", bundle).exit_code == 0
    assert parts.matches.read(match_in(bundle)).version == 8
    lists = compose(CONFIG, parts.store).lists
    lists.lag()
    page = lists.matches.read(MatchFilter(), None, 10, None)
    assert [orjson.loads(row)["imported"] for row in page.rows] == [False]


def test_everything_goes_to_another_store(shell: Shell, bundle: Path, api: Api, tmp_path: Path) -> None:
    api.new_match(api.sign_up()[1])
    shell.run("import", bundle)
    held = tmp_path / "all.ndjson"
    ran = shell.run("export", "--all", held)
    assert (ran.exit_code, held.stat().st_mode & 0o777) == (0, 0o600)
    assert "5 streams" in ran.output
    assert shell.run("export", "--all", held).exit_code == 1
    shell.parts = compose(CONFIG, MemoryStore())
    assert "5 streams" in shell.run("import", held).output
    assert "0 streams and 0 events were new" in shell.run("import", held).output
    held.write_bytes(held.read_bytes()[:-1])
    assert shell.run("import", held).exit_code == 1


@pytest.mark.parametrize(
    "arguments",
    [["export"], ["export", "--all", "x", "match-x"], ["export", "--all", "x", "--url", "http://x"], ["import"]],
)
def test_what_is_not_to_be_understood_is_a_usage_error(shell: Shell, arguments: list[str]) -> None:
    assert shell.run(*arguments).exit_code == 2


def test_one_of_several_versions_is_exported_by_its_address(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    (other := tmp_path / "other").write_bytes(forged(bundle.read_bytes(), lambda raws: raws[1].update(at=7)))
    assert shell.run("import", bundle, other).output.count("is imported and verified") == 2
    match, out = match_in(bundle), tmp_path / "out"
    refused = shell.run("export", "--to", out, match)
    assert (refused.exit_code, "different versions" in refused.output) == (1, True)
    addresses = [word.rstrip(",") for word in refused.output.split() if "~" in word]
    assert shell.run("export", "--to", out, *addresses).exit_code == 0
    brought = {(out / f"{address}.bundle.ndjson").read_bytes() for address in addresses}
    assert brought == {bundle.read_bytes(), other.read_bytes()}


def test_a_match_that_is_not_there_cannot_be_exported(shell: Shell, tmp_path: Path) -> None:
    ran = shell.run("export", "--to", tmp_path, f"match-{'a' * 26}")
    assert (ran.exit_code, "there is no match" in ran.output) == (1, True)
    assert list(tmp_path.iterdir()) == []
