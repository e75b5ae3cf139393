"""The compiled build of the rules: found for exactly these sources, and proved as the sources are."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from plyscribe.envs import compiling
from plyscribe.envs.compiled import find_build, name_build, place_builds
from plyscribe.envs.compiling import CannotCompile, compile_rules, remove_builds
from plyscribe.envs.playing import Game
from plyscribe.envs.selfplay import play_bots
from plyscribe.service.cli.__main__ import cli

ROOT = Path(__file__).parents[2]
PROOFS = ("leaf_counts", "play_again", "digest")
"""Words in the names of the proofs that pin what a ruleset does: its perft counts, playthroughs and digests."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "plyscribe" / "compiled"


def pretend_build(name: str) -> Path:
    package = place_builds() / name / "plyscribe"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    return package.parent


def test_without_a_build_of_these_sources_there_is_none():
    assert find_build() is None
    assert CliRunner().invoke(cli, ["compile", "--check"]).exit_code == 1
    pretend_build("0.1.0-0123456789abcdef")
    assert find_build() is None


def test_a_build_of_these_sources_is_found_and_can_be_removed(cache: Path):
    build = pretend_build(name_build())
    assert find_build() == build == cache / name_build()
    assert CliRunner().invoke(cli, ["compile", "--check"]).exit_code == 0
    assert remove_builds() == 1
    assert find_build() is None


def test_a_build_that_is_there_is_not_made_again():
    build, said = pretend_build(name_build()), []
    assert compile_rules(said.append) == build
    assert "already" in said[0]


def test_without_mypyc_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(compiling, "find_spec", lambda name: None)
    with pytest.raises(CannotCompile, match=r"plyscribe\[compile\]"):
        compile_rules()


def test_a_build_that_plays_other_games_is_thrown_away(monkeypatch: pytest.MonkeyPatch):
    probes = iter([["one", "python"], ["two", "compiled"]])
    monkeypatch.setattr(compiling, "_probe", lambda folder=None: next(probes))
    monkeypatch.setattr(compiling, "_run_compiler", lambda folder, modules: None)
    with pytest.raises(CannotCompile, match="other games"):
        compile_rules()
    assert list(place_builds().iterdir()) == []


def test_a_compiler_that_fails_is_quoted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(compiling, "SETUP", "raise SystemExit('no compiler for {modules!r:.0} {how!r:.0}')")
    with pytest.raises(CannotCompile, match="no compiler"):
        compile_rules()
    assert list(place_builds().iterdir()) == []


@pytest.mark.long
def test_compiled_rules_pass_the_proofs_of_the_rulesets_and_play_the_same_games(tmp_path: Path):
    # As a user does, who stands in some directory and has nothing on a path of their own.
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    compile_it = [sys.executable, "-P", "-m", "plyscribe", "compile"]
    subprocess.run(compile_it, cwd=tmp_path, env=plain, check=True)
    build = find_build()
    assert build is not None
    there = "import plyscribe.domain.rulesets as r, sys; sys.exit(r.pathagon_v1.__file__.endswith('.py'))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(build), str(ROOT)])}
    subprocess.run([sys.executable, "-P", "-c", there], env=environment, check=True)
    # Without the tree in front of the path, where the sources are.
    options = ["-q", "-n", "0", "-o", "pythonpath=", "-p", "no:cacheprovider"]
    proofs = str(ROOT / "tests" / "domain" / "proofs")
    command = [sys.executable, "-P", "-m", "pytest", *options, "-k", " or ".join(PROOFS), proofs]
    proved = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert proved.returncode == 0, proved.stdout[-3000:]

    def play(compiled: bool) -> list[Game]:
        arguments = {"steps": True, "most_steps": 80, "workers": 1, "compiled": compiled}
        return list(play_bots("rings", 2, ["mcts:3", "random"], **arguments))

    assert play(compiled=True) == play(compiled=False)
