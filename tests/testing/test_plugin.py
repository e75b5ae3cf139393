"""The pytest plugin: which rulesets it proves, and what it says where proofs are missing."""

import json
from pathlib import Path

import pytest

from tests.domain.prove import PROOFS

CONFTEST = 'pytest_plugins = ["plyscribe.testing.plugin"]\n'
NEWCOMER = """
from tests.domain.toy import ToyV1

class Newcomer(ToyV1):
    id = "newcomer"

GAME = Newcomer()
"""
CASES = {
    "perft": [{"name": "plain", "seats": 2, "depth": 2}],
    "playthroughs": [{"name": "plain", "seats": 2, "seed": 1}],
}


@pytest.fixture
def tree(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A package with a ruleset and no proofs yet."""
    monkeypatch.syspath_prepend(str(pytester.path))
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(newcomer=NEWCOMER)
    pytester.makepyprojecttoml('[project.entry-points."plyscribe.rulesets"]\nnewcomer = "newcomer:GAME"\n')
    return pytester


def add_cases(tree: pytest.Pytester, name: str = "newcomer_v1") -> Path:
    folder = tree.path / "tests" / "proofs" / name
    folder.mkdir(parents=True)
    (folder / "cases.json").write_text(json.dumps(CASES))
    return folder


def test_a_ruleset_without_proofs_fails_and_says_what_to_write(tree: pytest.Pytester) -> None:
    ran = tree.runpytest("-q", "-p", "no:hypothesispytest")
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["newcomer_v1 has no cases: write *tests/proofs/newcomer_v1/cases.json by hand, such as"])
    ran.stdout.fnmatch_lines(["then run plyscribe rules prove newcomer --version 1"])


def test_only_a_part_of_the_tests_asks_for_no_proofs(tree: pytest.Pytester) -> None:
    tree.makepyfile(test_mine="def test_mine(): ...\n")
    tree.runpytest("-q", "test_mine.py").assert_outcomes(passed=1)


def test_cases_are_collected_as_a_file_of_tests(tree: pytest.Pytester) -> None:
    add_cases(tree)
    ran = tree.runpytest("-q", "-k", "has_an_id or its_proofs")
    assert {name: ran.parseoutcomes()[name] for name in ("passed", "failed")} == {"passed": 1, "failed": 1}
    ran.stdout.fnmatch_lines(["*newcomer_v1 lacks card.txt, *: run plyscribe rules prove newcomer --version 1"])
    ran.stdout.fnmatch_lines(["*newcomer_v1: its proofs are complete*"])


def test_proofs_of_no_ruleset_are_an_error(tree: pytest.Pytester) -> None:
    add_cases(tree)
    add_cases(tree, "oldcomer_v1")
    ran = tree.runpytest("-q", "--collect-only")
    ran.assert_outcomes(errors=1)
    ran.stdout.fnmatch_lines(["*oldcomer_v1 has the proofs of no ruleset; there are: newcomer_v1. Rename or*"])


def test_rulesets_may_be_named_in_the_settings_instead(tree: pytest.Pytester) -> None:
    tree.makepyprojecttoml('[tool.pytest.ini_options]\nplyscribe_rulesets = ["tests.domain.toy:TOY_V1"]\n')
    ran = tree.runpytest("-q")
    ran.stdout.fnmatch_lines(["toy_v1 has no cases:*"])


@pytest.mark.parametrize(
    ("project", "why"),
    [
        ("[project]\nname = 'x'\n", "*has no entry points of the group plyscribe.rulesets: add one, or name the*"),
        (
            "[tool.pytest.ini_options]\nplyscribe_rulesets = ['nowhere:GAME']\n",
            "*plyscribe_rulesets names 'nowhere:GAME', which cannot be loaded: ModuleNotFoundError*",
        ),
        (
            "[tool.pytest.ini_options]\nplyscribe_rulesets = ['os:path']\n",
            "*plyscribe_rulesets names 'os:path': this is not a ruleset*",
        ),
    ],
)
def test_a_tree_that_names_no_ruleset_is_told_what_to_write(tree: pytest.Pytester, project: str, why: str) -> None:
    tree.makepyprojecttoml(project)
    ran = tree.runpytest("-q")
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    ran.stderr.fnmatch_lines([why])


@pytest.mark.parametrize("plies", ["0", "many", "-1", "99999999"])
def test_a_number_of_plies_that_makes_no_sense_is_refused(tree: pytest.Pytester, plies: str) -> None:
    ran = tree.runpytest(f"--plyscribe-plies={plies}")
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    ran.stderr.fnmatch_lines(["*give a number from 1 to 10000000*"])


def test_our_own_rulesets_all_have_a_second_telling() -> None:
    assert all((path.parent / "retelling.py").is_file() for path in PROOFS.glob("*/cases.json"))
