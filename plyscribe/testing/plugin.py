"""The pytest plugin: each `cases.json` in the folder of proofs is collected as a file of tests.

In `tests/conftest.py`:

    pytest_plugins = ["plyscribe.testing.plugin"]

The rulesets are those that the entry points in pyproject.toml name, or else the setting `plyscribe_rulesets`.
"""

import tomllib
from collections.abc import Iterator, Sequence
from inspect import getfile
from pathlib import Path
from typing import Any

import pytest

from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.games import GROUP, Game, GameError, list_rules, load_object, register_games
from plyscribe.service.kit.proof_files import CASES, PLACES, Unproved, find_proofs, name_ruleset, require_proofs
from plyscribe.testing.subject import PLIES, Subject

SETTING = "plyscribe_rulesets"

pytest.register_assert_rewrite(
    *(f"plyscribe.testing.{name}" for name in ("conformance", "effect_checks", "fuzzing", "lesson_checks", "proofs")),
    "plyscribe.testing.retelling",
)

FOUND = pytest.StashKey[dict[str, AnyRuleset]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plugin."""
    group = parser.getgroup("plyscribe", "proofs of rulesets")
    group.addoption(
        "--plyscribe-plies",
        type=_parse_plies,
        default=PLIES,
        metavar="N",
        help=f"plies of random play to check for each ruleset (default: {PLIES}; 200000 before a release)",
    )
    parser.addini(
        SETTING,
        type="linelist",
        help=f"the rulesets to prove, module:NAME a line (default: the entry points {GROUP} in pyproject.toml)",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "ProofFile | None":
    """The proofs of one ruleset."""
    if file_path.name == CASES and file_path.parent.parent == find_proofs(parent.config.rootpath):
        return ProofFile.from_parent(parent, path=file_path)
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add a failing test for each ruleset that has no proofs, unless only a part of the tests was asked for."""
    root = find_proofs(config.rootpath) or config.rootpath / PLACES[-1]
    if any(root.is_relative_to(Path(argument).absolute()) for argument in config.args):
        for name, ruleset in find_rulesets(config).items():
            if not (root / name / CASES).is_file():
                subject = Subject(ruleset, root)
                items.append(Missing.from_parent(session, name=f"{name}::it_has_proofs", subject=subject))


def find_rulesets(config: pytest.Config) -> dict[str, AnyRuleset]:
    """What is to be proved, by the name of the folder with its proofs; UsageError if it cannot be found."""
    if FOUND not in config.stash:
        names = config.getini(SETTING) or _read_entry_points(config.rootpath / "pyproject.toml")
        try:
            config.stash[FOUND] = {name_ruleset(each): each for each in _load(names)}
        except GameError as error:
            raise pytest.UsageError(str(error)) from None
    return config.stash[FOUND]


def _load(names: Sequence[str]) -> Iterator[AnyRuleset]:
    for name in names:
        value = load_object(name, SETTING)
        if any(isinstance(each, Game) for each in (value if isinstance(value, tuple | list) else (value,))):
            # Its board, words and lessons are found by its id.
            register_games(name)
        yield from list_rules(value, f"{SETTING} names {name!r}")


def _read_entry_points(pyproject: Path) -> list[str]:
    try:
        project = tomllib.loads(pyproject.read_text(encoding="utf-8")).get("project", {})
    except FileNotFoundError:
        project = {}
    names = list(project.get("entry-points", {}).get(GROUP, {}).values())
    if not names:
        why = f"{pyproject} has no entry points of the group {GROUP}"
        raise pytest.UsageError(f"{why}: add one, or name the rulesets in the pytest setting {SETTING}")
    return names


def _parse_plies(text: str) -> int:
    if not (text.isdecimal() and 1 <= int(text) <= 10_000_000):
        raise pytest.UsageError(f"--plyscribe-plies {text}: give a number from 1 to 10000000")
    return int(text)


class ProofFile(pytest.File):
    """The proofs of the ruleset whose cases these are."""

    def collect(self) -> Iterator[pytest.Item]:
        """A test for each proof."""
        from plyscribe.testing.proofs import PROOFS

        found, name = find_rulesets(self.config), self.path.parent.name
        if name not in found:
            why = f"{self.path.parent} has the proofs of no ruleset; there are: {', '.join(found)}"
            raise self.CollectError(f"{why}. Rename or remove it")
        subject = Subject(found[name], self.path.parents[1], self.config.getoption("--plyscribe-plies"))
        for proof, prove in PROOFS.items():
            yield Proof.from_parent(self, name=proof, subject=subject, prove=prove)


class Proof(pytest.Item):
    """One proof of one ruleset."""

    def __init__(self, *, subject: Subject, prove: Any, **more: Any) -> None:
        super().__init__(**more)
        self.subject, self.prove = subject, prove

    def runtest(self) -> None:
        """Prove it."""
        self.prove(self.subject)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where it is, and what it says of which ruleset."""
        return self.path, None, f"{self.subject.name}: {self.name.replace('_', ' ')}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What failed. Of proofs that are missing, only what to do."""
        if isinstance(excinfo.value, Unproved):
            return str(excinfo.value)
        # Nobody wants to read how pytest came to the proof.
        excinfo.traceback = excinfo.traceback.cut(path=getfile(self.prove))
        return super().repr_failure(excinfo, style)


class Missing(Proof):
    """Fails, because there are no proofs."""

    def __init__(self, *, subject: Subject, **more: Any) -> None:
        super().__init__(subject=subject, prove=lambda of: require_proofs(of.ruleset, of.root), **more)
