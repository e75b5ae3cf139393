"""`plyscribe export` and `plyscribe import`, over HTTP and on the store."""

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import orjson
import pytest
from click.testing import CliRunner

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

    def run(self, *arguments: object) -> tuple[int, str]:
        ran = CliRunner().invoke(cli, list(map(str, arguments)))
        return ran.exit_code, ran.output


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
    assert shell.run("import", bundle) == (0, f"{bundle}: {match_in(bundle)} is imported and verified\n")
    assert shell.run("export", "--to", tmp_path / "out", match_in(bundle))[0] == 0
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
    code, told = shell.run("import", empty, wrong, bundle)
    assert code == 1
    refused, refuted, imported = told.splitlines()
    assert refused.startswith(f"{empty}: refused: line 1 of the bundle")
    assert f"{match} is refuted, event" in refuted
    assert imported.endswith("verified")


def test_bundles_and_records_go_over_http_with_a_token(
    shell: Shell, api: Api, bundle: Path, elsewhere: Elsewhere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apps = {"http://ours.localhost": api.app, "http://theirs.localhost": elsewhere.app}

    def connect(url: str, token: str | None, retry_for_s: float) -> Client:
        return Client(url, token, retry_for_s=0, transport=httpx.WSGITransport(apps[url]))

    monkeypatch.setattr(transfer, "Client", connect)
    match, to_us = match_in(bundle), ("import", "--url", "http://ours.localhost")
    assert shell.run("export", "--url", "http://theirs.localhost", "--to", tmp_path / "out", match)[0] == 0
    brought = tmp_path / "out" / bundle.name
    assert brought.read_bytes() == bundle.read_bytes()
    token = "--token", api.sign_up()[1]
    assert shell.run(*to_us, *token, brought)[1].endswith(f"{match} is imported and verified\n")
    code, told = shell.run(*to_us, brought)
    assert (code, "bearer" in told.lower()) == (1, True)
    (sound := tmp_path / "sound.plyrec").write_text(SOUND)
    (faulty := tmp_path / "faulty.plyrec").write_text(FAULTY)
    (latin := tmp_path / "latin.plyrec").write_bytes(b"\xff")
    code, told = shell.run(*to_us, *token, sound, sound, faulty, latin)
    assert code == 1
    first, again, wrong, unreadable = told.splitlines()
    assert first == again
    assert first.endswith("is imported and entered")
    assert "is faulty, line 7: " in wrong
    assert "refused" in unreadable
    assert "send it with --url" in shell.run("import", sound)[1]


def test_a_match_of_ones_own_is_restored_as_it_was_and_what_differs_refused(
    shell: Shell, bundle: Path, parts: Parts, tmp_path: Path
) -> None:
    match = match_in(bundle)
    code, told = shell.run("import", "--restore", bundle)
    assert (code, "8 of its 8 events were new" in told) == (0, True)
    assert parts.store.load(list_of(match)).entries == []
    assert "0 of its 8 events were new" in shell.run("import", "--restore", bundle)[1]
    assert "is a match of this server" in shell.run("import", bundle)[1]
    (other := tmp_path / "other").write_bytes(forged(bundle.read_bytes(), lambda raws: raws[-1].update(at=7)))
    code, told = shell.run("import", "--restore", other)
    assert (code, "differs from event 8" in told) == (1, True)
    assert bundle_of(parts, match) == bundle.read_bytes()


def test_an_imported_match_can_be_restored_as_ones_own(shell: Shell, bundle: Path, parts: Parts) -> None:
    shell.run("import", bundle)
    assert shell.run("import", "--restore", bundle)[0] == 0
    assert parts.matches.read(match_in(bundle)).version == 8
    lists = compose(CONFIG, parts.store).lists
    lists.lag()
    page = lists.matches.read(MatchFilter(), None, 10, None)
    assert [orjson.loads(row)["imported"] for row in page.rows] == [False]


def test_everything_goes_to_another_store(shell: Shell, bundle: Path, api: Api, tmp_path: Path) -> None:
    api.new_match(api.sign_up()[1])
    shell.run("import", bundle)
    held = tmp_path / "all.ndjson"
    code, told = shell.run("export", "--all", held)
    assert (code, "5 streams" in told, held.stat().st_mode & 0o777) == (0, True, 0o600)
    assert shell.run("export", "--all", held)[0] == 1
    shell.parts = compose(CONFIG, MemoryStore())
    assert "5 streams" in shell.run("import", held)[1]
    assert "0 streams and 0 events were new" in shell.run("import", held)[1]
    held.write_bytes(held.read_bytes()[:-1])
    assert shell.run("import", held)[0] == 1


@pytest.mark.parametrize(
    "arguments",
    [["export"], ["export", "--all", "x", "match-x"], ["export", "--all", "x", "--url", "http://x"], ["import"]],
)
def test_what_is_not_to_be_understood_is_a_usage_error(shell: Shell, arguments: list[str]) -> None:
    assert shell.run(*arguments)[0] == 2


def test_one_of_several_versions_is_exported_by_its_address(shell: Shell, bundle: Path, tmp_path: Path) -> None:
    (other := tmp_path / "other").write_bytes(forged(bundle.read_bytes(), lambda raws: raws[1].update(at=7)))
    assert shell.run("import", bundle, other)[1].count("is imported and verified") == 2
    match, out = match_in(bundle), tmp_path / "out"
    code, told = shell.run("export", "--to", out, match)
    assert (code, "different versions" in told) == (1, True)
    addresses = [word.rstrip(",") for word in told.split() if "~" in word]
    assert shell.run("export", "--to", out, *addresses)[0] == 0
    brought = {(out / f"{address}.bundle.ndjson").read_bytes() for address in addresses}
    assert brought == {bundle.read_bytes(), other.read_bytes()}
    code, told = shell.run("export", "--to", tmp_path / "none", f"match-{'a' * 26}")
    assert (code, "there is no match" in told) == (1, True)
    assert list((tmp_path / "none").glob("*")) == []
