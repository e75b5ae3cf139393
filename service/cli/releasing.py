"""Releasing a version of a ruleset in a checkout: what must be right before, and the two marks that freeze it.

The checkout is that of Plyscribe, or of a package that brings a game.

A version is released when its `digest.txt` says so and its class has `released = True`. From then on its digest is
pinned: the proofs refuse to be written anew, and a changed behaviour fails `rules check` and the tests.
"""

import inspect
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from plyscribe.domain.errors import RulesetError
from plyscribe.domain.proofs.cases import DIGEST, behaviour_lines, is_released, parse_cases, prove
from plyscribe.domain.proofs.vectors import write_vectors
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.kit.proof_files import CASES, PLACES, find_proofs, name_command, name_ruleset
from plyscribe.service.rulebooks import read_page

_CLAUSE = re.compile(r"^### ([A-Z]{2}[0-9]+) · ", re.MULTILINE)
_NAMED = re.compile(r"[A-Z]{2}[0-9]+|(?<=def test_)[a-z]{2}[0-9]+(?=_)")
"""A clause in a test, as in the rules or at the beginning of the test's name."""


class Checked(NamedTuple):
    """A check, and the faults that it found."""

    check: str
    faults: tuple[str, ...]


class CannotRelease(Exception):
    """The checks cannot be made, or the marks cannot be written. The message says why."""


def is_checkout(tree: Path) -> bool:
    """Whether the folder holds the proofs of rulesets."""
    return find_proofs(tree) is not None


def check_release(ruleset: AnyRuleset, others: Sequence[AnyRuleset], tree: Path) -> list[Checked]:
    """All checks before a release; `others` are the rulesets that are registered beside it. It changes nothing."""
    if not is_checkout(tree):
        places = " or ".join(PLACES)
        raise CannotRelease(f"{tree.resolve()} is not a checkout of Plyscribe or of a package: it has no {places}")
    # A tree with rulesets of its own need not have the built-in ones.
    here = [each for each in others if _find_page(each, tree) or _folder(each, tree).is_dir()]
    frozen = [each for each in here if each.released or _is_frozen(each, tree)]
    return [
        Checked("proofs", tuple(check_proofs(ruleset, tree))),
        Checked("vectors", tuple(_check_vectors(ruleset))),
        Checked("page", tuple(_check_page(ruleset, tree))),
        Checked("clauses", tuple(_check_clauses(ruleset, tree))),
        Checked("released versions", tuple(fault for each in frozen for fault in check_proofs(each, tree))),
    ]


def check_proofs(ruleset: AnyRuleset, tree: Path) -> Iterator[str]:
    """What is wrong with the proofs on file: each is there, follows from the rules, and has the digest of the class."""
    name, folder = name_ruleset(ruleset), _folder(ruleset, tree)
    command = name_command(ruleset)
    try:
        cases = parse_cases(json.loads((folder / CASES).read_text(encoding="utf-8")))
        told = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.txt")}
        files = prove(ruleset, cases, told)
    except (OSError, ValueError, RulesetError) as error:
        yield f"{name}: {error}"
        return
    for file in sorted(files.keys() - told.keys()):
        yield f"{name} lacks {file}: run {command}"
    for file in sorted(told.keys() - files.keys()):
        yield f"{name} has {file}, which no case asks for: run {command}"
    for file in sorted((files.keys() & told.keys()) - {DIGEST}):
        if behaviour_lines(files[file]) != behaviour_lines(told[file]):
            yield f"{name} behaves differently from {file}"
    found = files[DIGEST].split()[0]
    if told.get(DIGEST, "").split()[:1] != [found]:
        yield f"{name} has the digest {found}, which is not the one in {DIGEST}"
    if ruleset.behaviour != found:
        yield f"{name} has the digest {found}, but its class says {ruleset.behaviour}"


def _check_vectors(ruleset: AnyRuleset) -> Iterator[str]:
    for seats in range(ruleset.min_seats, ruleset.max_seats + 1):
        try:
            first, again = (list(write_vectors(ruleset, seats, {}, matches=1)) for _ in range(2))
        except Exception as error:
            yield f"vectors for {seats} seats fail: {error!r}"
            continue
        if first != again:
            yield f"vectors for {seats} seats come out differently the second time"


def _check_page(ruleset: AnyRuleset, tree: Path) -> Iterator[str]:
    page = _read_page(ruleset, tree)
    if page is None:
        yield f"docs/rulesets/{ruleset.id}.md is missing, or the rulebook of the game that a package brings"
    elif not _CLAUSE.search(page):
        yield f"the rulebook of {name_ruleset(ruleset)} has no clauses: write each as a heading '### XX1 · Title'"


def _check_clauses(ruleset: AnyRuleset, tree: Path) -> Iterator[str]:
    page = _read_page(ruleset, tree)
    if page is None:
        return
    folder, pattern = tree / "tests", "test_*.py"
    if (folder / "domain").is_dir():
        folder, pattern = folder / "domain", f"test_{name_ruleset(ruleset)}*.py"
    tests = sorted(folder.glob(pattern))
    named = {found.upper() for path in tests for found in _NAMED.findall(path.read_text(encoding="utf-8"))}
    for clause in _CLAUSE.findall(page):
        if clause not in named:
            yield f"no test in {folder.relative_to(tree)}/{pattern} names {clause}"


def release(ruleset: AnyRuleset, tree: Path) -> list[Path]:
    """Write the marks of a release that are missing, and return the files that changed; none if it is released."""
    changed = []
    if not ruleset.released:
        source, text = _mark_class(ruleset, tree)
        source.write_text(text, encoding="utf-8")
        changed.append(source)
    digest = _folder(ruleset, tree) / DIGEST
    if not is_released(told := digest.read_text(encoding="utf-8")):
        digest.write_text(f"{told.split()[0]} released\n", encoding="utf-8")
        changed.append(digest)
    return changed


def _mark_class(ruleset: AnyRuleset, tree: Path) -> tuple[Path, str]:
    """The source file of the ruleset's class, and its text with the class marked as released."""
    found = inspect.getsourcefile(type(ruleset))
    source = Path(found or "").resolve()
    if not source.is_relative_to(tree.resolve()):
        raise CannotRelease(f"{name_ruleset(ruleset)} is loaded from {source}, which is not in {tree.resolve()}")
    text = source.read_text(encoding="utf-8")
    line = re.compile(rf'^([ \t]+)behaviour = "{ruleset.behaviour}"\n(?:[ \t]+released = False\n)?', re.MULTILINE)
    marked, count = line.subn(rf'\1behaviour = "{ruleset.behaviour}"\n\1released = True\n', text)
    if count != 1:
        raise CannotRelease(f'{source} must hold the line behaviour = "{ruleset.behaviour}" once, not {count} times')
    return source, marked


def _is_frozen(ruleset: AnyRuleset, tree: Path) -> bool:
    digest = _folder(ruleset, tree) / DIGEST
    return digest.is_file() and is_released(digest.read_text(encoding="utf-8"))


def _read_page(ruleset: AnyRuleset, tree: Path) -> str | None:
    """The rules: a page in the tree, or else the rulebook of the game that a package brings."""
    page = _find_page(ruleset, tree)
    return page.read_text(encoding="utf-8") if page else read_page(ruleset.id, ruleset.version)


def _find_page(ruleset: AnyRuleset, tree: Path) -> Path | None:
    """The page with the rules in the tree: that of this version, or else that of all versions."""
    pages = (tree / "docs" / "rulesets" / f"{name}.md" for name in (name_ruleset(ruleset), ruleset.id))
    return next((page for page in pages if page.is_file()), None)


def _folder(ruleset: AnyRuleset, tree: Path) -> Path:
    return (find_proofs(tree) or tree / PLACES[0]) / name_ruleset(ruleset)
