"""A game in a package of its own, made by `plyscribe new-ruleset` and installed from a wheel: proved, and played."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from plyscribe.service.client import Client
from tests.system.programs import run_to_success
from tests.system.running import ROOT, WITHIN_S, Serving, environment, pair, serving, wait_until_scored

MOVES = ("take 3", "take 2", "take 3", "take 1")
"""A match with nine stones, which seat 2 wins."""


class Package:
    """The package, its wheel installed in a folder, and the settings with which Python finds it there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = environment(PLYSCRIBE_RULESETS="")
        self.run("-m", "plyscribe", "new-ruleset", "pebbles", "--into", folder)
        self.tree = folder / "pebbles"
        pip = ("-m", "pip", "-q", "--disable-pip-version-check")
        built = ("--no-deps", "--no-index")
        self.run(*pip, "wheel", *built, "--no-build-isolation", "-w", folder, self.tree)
        [wheel] = folder.glob("*.whl")
        self.run(*pip, "install", *built, "--no-compile", "--target", folder / "site", wheel)
        self.env["PYTHONPATH"] = os.pathsep.join((str(ROOT), str(folder / "site")))

    def run(self, *arguments: object, at: Path | None = None) -> str:
        return run_to_success(sys.executable, *arguments, cwd=at or self.folder, env=self.env)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    return Package(tmp_path_factory.mktemp("package"))


@pytest.fixture(scope="module")
def service(package: Package) -> Iterator[Serving]:
    settings = {name: package.env[name] for name in ("PYTHONPATH", "PLYSCRIBE_RULESETS")}
    with serving(package.folder / "data", **settings) as running:
        yield running


@pytest.fixture(scope="module")
def played(service: Serving) -> str:
    """A match that two people played to its end, and that a worker verified."""
    with pair(service.url) as both:
        ann = both.clients[0]
        match = both.open_match("pebbles", options={"stones": 9})
        for number, move in enumerate(MOVES):
            both.clients[number % 2].move(match, move)
        wait_until_scored(ann, match)
        assert ann.match(match)["outcome"] == {"reason": "last-stone", "ranks": [2, 1]}
    return match


def test_its_tests_pass_as_they_are_made(package: Package) -> None:
    told = package.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "--plyscribe-plies", 200, at=package.tree)
    assert " passed" in told
    assert "skipped" not in told


def test_its_proofs_are_written_by_a_command_that_finds_the_digest_as_it_was(package: Package) -> None:
    rules = package.folder / "site/pebbles/rules.py"
    assert rules.read_text() == (package.tree / "pebbles/rules.py").read_text()
    told = package.run("-m", "plyscribe", "rules", "prove", "pebbles", at=package.tree)
    assert "perft.txt" in told
    assert "behaviour" not in told


def test_it_can_be_released_once_all_is_there(package: Package) -> None:
    told = package.run("-m", "plyscribe", "rules", "release", "pebbles", "--dry-run", at=package.tree)
    assert "pebbles version 1 can be released" in told


def test_it_is_played_over_http_and_its_bundle_verified_offline(
    package: Package, service: Serving, played: str
) -> None:
    with Client(service.url) as anyone:
        assert "pebbles" in [ruleset["ruleset"] for ruleset in anyone.rulesets()]
        (package.folder / "match.ndjson").write_bytes(anyone.bundle(played))
    assert package.run("-m", "plyscribe", "verify", "match.ndjson").startswith("ok ")
    code = "import plyscribe; plyscribe.load_rulesets(); print(plyscribe.start_match('pebbles').turn)"
    assert package.run("-c", code) == "Decision(seat=1)\n"


def test_its_pages_have_rules_board_sentences_and_lessons_in_two_languages(service: Serving, played: str) -> None:
    def read(path: str, language: str = "en") -> str:
        page = httpx.get(
            f"{service.url}{path}", headers={"Accept-Language": language}, follow_redirects=True, timeout=WITHIN_S
        )
        assert page.status_code == 200, path
        return page.text

    assert 'id="PE3"' in read("/rulesets/pebbles")
    assert "Der letzte Stein" in read("/rulesets/pebbles", "de")
    assert "Take stones from the row" in read("/")
    assert "with the last stone" in read(f"/matches/{played}")
    assert "nimmt 3 Steine." in read(f"/matches/{played}", "de")
    assert 'class="pebbles-hollow"' in read(f"/matches/{played}")
    assert 'data-touch="take-3"' in read("/rulesets/pebbles/learn/last")
    picture = httpx.get(
        f"{service.url}/v1/matches/{played}/positions/4", headers={"Accept": "image/svg+xml"}, timeout=WITHIN_S
    )
    assert ".pebbles-hollow { fill: #d8cfbd; }" in picture.text
