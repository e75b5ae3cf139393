"""`plyscribe rules release` in a copied tree with a ruleset of its own: refused, tried, done, and done again."""

import os
import subprocess
import sys
from json import dumps
from pathlib import Path

import pytest

from plyscribe.domain.proofs.cases import DIGEST, parse_cases, prove
from tests.domain.toy import ToyV1
from tests.system.running import ROOT, WITHIN_S

CASES = {
    "perft": [{"name": "plain", "seats": 2, "depth": 2}],
    "playthroughs": [{"name": "plain", "seats": 2, "seed": 1}],
}
MODULE = """\
from tests.domain.toy import ToyV1


class Newcomer(ToyV1):
    id = "newcomer"
    version = 3
    behaviour = "{digest}"


NEWCOMER = Newcomer()
"""


class Newcomer(ToyV1):
    id = "newcomer"
    version = 3


class Tree:
    """A checkout that has one ruleset with all that a release needs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.proofs = root / "tests/domain/proofs/newcomer_v3"
        self.proofs.mkdir(parents=True)
        (self.proofs / "cases.json").write_text(dumps(CASES))
        files = prove(Newcomer(), parse_cases(CASES))
        for name, text in files.items():
            (self.proofs / name).write_text(text)
        self.digest = files[DIGEST].split()[0]
        self.module = root / "newcomer.py"
        self.module.write_text(MODULE.format(digest=self.digest))
        self.page = root / "docs/rulesets/newcomer.md"
        self.page.parent.mkdir(parents=True)
        self.page.write_text("# Newcomer\n\n### NE1 · Seats\n\nTwo.\n\n### NE2 · Moves\n\nPush.\n")
        self.test = root / "tests/domain/test_newcomer_v3.py"
        self.test.write_text('"""NE1 is named here, NE2 by a test."""\n\ndef test_ne2_a_move_is_a_push(): ...\n')

    def run(self, *arguments: str) -> tuple[int, str]:
        env = {**os.environ, "PYTHONPATH": str(ROOT), "PLYSCRIBE_RULESETS": "newcomer:NEWCOMER"}
        command = [sys.executable, "-m", "plyscribe", "rules", *arguments]
        done = subprocess.run(
            command, cwd=self.root, env=env, capture_output=True, text=True, timeout=WITHIN_S, check=False
        )
        return done.returncode, done.stdout + done.stderr

    def read(self) -> dict[str, str]:
        return {
            str(path.relative_to(self.root)): path.read_text()
            for path in self.root.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_a_dry_run_checks_and_writes_nothing(tree):
    before = tree.read()
    code, told = tree.run("release", "newcomer", "--dry-run")
    assert code == 0, told
    for check in ("proofs", "vectors", "page", "clauses", "released versions"):
        assert f"{check}: ok\n" in told
    assert "newcomer version 3 can be released; nothing was written" in told
    assert tree.read() == before


def test_a_release_marks_the_class_and_the_digest_and_says_what_to_do_next(tree):
    code, told = tree.run("release", "newcomer")
    assert code == 0, told
    assert f'    behaviour = "{tree.digest}"\n    released = True\n' in tree.module.read_text()
    assert (tree.proofs / DIGEST).read_text() == f"{tree.digest} released\n"
    assert "CHANGELOG.md" in told
    assert "commit" in told
    released = tree.read()
    code, told = tree.run("release", "newcomer")
    assert (code, "newcomer version 3 is released already" in told) == (0, True)
    assert tree.read() == released


def test_a_release_that_was_interrupted_is_finished(tree):
    tree.run("release", "newcomer")
    released = tree.read()
    (tree.proofs / DIGEST).write_text(f"{tree.digest} draft\n")
    assert tree.run("release", "newcomer")[0] == 0
    assert tree.read() == released


def spoil_perft(tree: Tree) -> None:
    path = tree.proofs / "perft.txt"
    path.write_text(path.read_text().replace("perft 2", "perft 3").replace(" 1", " 7"))


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda tree: (tree.proofs / "card.txt").unlink(), "newcomer_v3 lacks card.txt"),
        (lambda tree: (tree.proofs / "cases.json").unlink(), "cases.json"),
        (lambda tree: (tree.proofs / "playthrough-old.txt").write_text(""), "which no case asks for"),
        (spoil_perft, "behaves differently from perft.txt"),
        (lambda tree: (tree.proofs / DIGEST).write_text(f"{'0' * 64} draft\n"), "is not the one in digest.txt"),
        (lambda tree: tree.module.write_text(MODULE.format(digest="0" * 64)), "but its class says 0000"),
        (lambda tree: tree.page.unlink(), "docs/rulesets/newcomer.md is missing"),
        (lambda tree: tree.page.write_text("# Newcomer\n"), "has no clauses"),
        (lambda tree: tree.test.write_text('"""NE1"""'), "test_newcomer_v3*.py names NE2"),
    ],
)
def test_what_is_not_right_is_named_and_nothing_is_released(tree, spoil, why):
    spoil(tree)
    before = tree.read()
    code, told = tree.run("release", "newcomer")
    assert (code, why in told) == (1, True), told
    assert "newcomer version 3 is not released: mend this first" in told
    assert tree.read() == before


def test_another_released_version_that_changed_stops_the_release(tree):
    other = tree.root / "tests/domain/proofs/zhen_v1"
    other.mkdir()
    (other / DIGEST).write_text(f"{'0' * 64} released\n")
    code, told = tree.run("release", "newcomer")
    assert (code, "zhen_v1" in told) == (1, True)


def test_a_released_version_that_changed_is_refused_by_rules_check(tree):
    tree.run("release", "newcomer")
    (tree.root / "bundles").mkdir()
    assert tree.run("check", "newcomer", "--bundles", "bundles")[0] == 0
    text = tree.module.read_text().replace("\n\nNEWCOMER", "\n    max_seats = 5\n\n\nNEWCOMER")
    tree.module.write_text(text)
    code, told = tree.run("check", "newcomer", "--bundles", "bundles")
    why = "a released version never changes, but newcomer_v3 behaves differently from card.txt"
    assert (code, why in told) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [(("release", "chess"), "unknown ruleset 'chess'"), (("release", "newcomer", "--tree", "docs"), "not a checkout")],
)
def test_what_cannot_be_checked_is_told(tree, arguments, why):
    code, told = tree.run(*arguments)
    assert (code, why in told) == (2, True)
