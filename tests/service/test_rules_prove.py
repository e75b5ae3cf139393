"""`plyscribe rules prove`: proofs written anew in the tree of a package, and the digest put into its class."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from plyscribe.domain.rulesets import RULESETS
from plyscribe.service import games
from plyscribe.service.cli.rules import rules
from plyscribe.service.kit.game_package import make_package


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package whose row is longer than its proofs say; it is registered by name."""
    monkeypatch.setattr(games, "_GAMES", {})
    monkeypatch.setattr("plyscribe.domain.rulesets.RULESETS", known := RULESETS[:])
    monkeypatch.setattr("plyscribe.service.cli.rules.RULESETS", known)
    folder = make_package("cairn", tmp_path)
    source = folder / "cairn/rules.py"
    source.write_text(source.read_text().replace('"stones", 21', '"stones", 22'))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PLYSCRIBE_RULESETS", "cairn:GAME")
    yield folder
    for name in [each for each in sys.modules if each.partition(".")[0] == "cairn"]:
        del sys.modules[name]


def prove(tree: Path, *arguments: str) -> Result:
    return CliRunner().invoke(rules, ["prove", *arguments, "--tree", str(tree)])


def digest_of(tree: Path) -> str:
    return (tree / "tests/proofs/cairn_v1/digest.txt").read_text().split()[0]


def test_the_proofs_follow_a_change_and_the_class_gets_the_digest(tree: Path) -> None:
    old = digest_of(tree)
    ran = prove(tree, "cairn")
    assert ran.exit_code == 0, ran.output
    assert digest_of(tree) != old
    assert f'behaviour = "{digest_of(tree)}"' in (tree / "cairn/rules.py").read_text()
    assert "the digest of its behaviour is new" in ran.output


def test_a_digest_that_stands_elsewhere_is_told(tree: Path) -> None:
    source = tree / "cairn/rules.py"
    source.write_text(source.read_text().replace(f'behaviour = "{digest_of(tree)}"', "behaviour = None"))
    ran = prove(tree, "cairn")
    assert f'write into the class of cairn version 1: behaviour = "{digest_of(tree)}"' in ran.output


CASES = "tests/proofs/cairn_v1/cases.json"


@pytest.mark.parametrize(
    ("spoil", "ruleset", "why"),
    [
        (lambda tree: None, "chess", "unknown ruleset 'chess'"),
        (lambda tree: (tree / "tests/proofs").rename(tree / "proofs"), "cairn", "or tests/proofs: name the tree"),
        (lambda tree: (tree / CASES).unlink(), "cairn", "cairn_v1 has no cases: write"),
        (lambda tree: (tree / CASES).write_text("{"), "cairn", "cannot be read"),
    ],
)
def test_what_cannot_be_proved_is_told(tree: Path, spoil, ruleset: str, why: str) -> None:
    spoil(tree)
    ran = prove(tree, ruleset)
    assert (ran.exit_code, why in ran.output) == (2, True), ran.output
