"""`plyscribe new-ruleset`: names that can be taken, and nothing overwritten."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from plyscribe.service.cli.new_ruleset import new_ruleset
from plyscribe.service.kit.game_package import TEMPLATE, CannotMake, list_files, make_package, require_name


@pytest.mark.parametrize(
    ("name", "why"),
    [
        *((name, "use 2 to 24 letters a-z") for name in ("Pebbles", "my-game", "x", "x" * 25, "")),
        *((name, "a word or a module of Python") for name in ("class", "match", "random")),
        ("zhen", "there is a ruleset 'zhen' already"),
        *((name, f"there is a Python module '{name}' already") for name in ("flask", "plyscribe", "newgame")),
    ],
)
def test_a_name_that_cannot_be_taken_is_refused_with_what_can(name, why):
    with pytest.raises(CannotMake) as refused:
        require_name(name)
    assert why in str(refused.value)


def test_what_is_there_is_not_overwritten(tmp_path):
    (tmp_path / "pebbles").mkdir()
    (tmp_path / "pebbles/mine.txt").write_text("mine")
    with pytest.raises(CannotMake, match=r"is there already: nothing was written"):
        make_package("pebbles", tmp_path)
    assert [path.name for path in tmp_path.rglob("*")] == ["pebbles", "mine.txt"]
    with pytest.raises(CannotMake, match="is not a folder: make it first"):
        make_package("pebbles", tmp_path / "nowhere")


def test_a_draft_that_cannot_be_finished_leaves_nothing(tmp_path, monkeypatch):
    def fail(name: str, folder: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("plyscribe.service.kit.game_package._prove", fail)
    with pytest.raises(CannotMake, match="cannot be written: No space left on device"):
        make_package("pebbles", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_every_file_has_the_name_and_the_clauses_of_the_new_game(tmp_path):
    folder = make_package("quarry", tmp_path)
    assert "quarry" not in sys.modules
    files = list(list_files(folder))
    assert len(files) > len(list(TEMPLATE.rglob("*.in")))
    for path in files:
        text = f"{path}\n{(folder / path).read_text(encoding='utf-8')}"
        assert "newgame" not in text.lower()
        assert "NG1" not in text
    assert "### QU1 · The row" in (folder / "quarry/rulebook.md").read_text(encoding="utf-8")
    assert (folder / ".gitignore").is_file()
    assert not list(folder.rglob("__pycache__"))
    # One game can be made after another, and its code is as clean as ours.
    folder = make_package("gravelpit", tmp_path)
    for check in (["check", "--select", "B,C4,E,F,PIE,PT,RET,SIM,UP,W"], ["format", "--check"]):
        argv = [sys.executable, "-m", "ruff", *check, "--no-cache", "--isolated", "--line-length", "120", str(folder)]
        ran = subprocess.run(argv, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_command_says_what_it_wrote_and_what_comes_next(tmp_path):
    ran = CliRunner().invoke(new_ruleset, ["pebbles", "--into", str(tmp_path)])
    assert ran.exit_code == 0, ran.output
    assert str(tmp_path / "pebbles/pebbles/rules.py") in ran.output
    assert f"cd {tmp_path / 'pebbles'}" in ran.output
    again = CliRunner().invoke(new_ruleset, ["pebbles", "--into", str(tmp_path)])
    assert (again.exit_code, "nothing was written" in again.output) == (2, True)
