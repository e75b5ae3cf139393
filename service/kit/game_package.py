"""The package that `plyscribe new-ruleset` makes: a game of two minutes that passes its tests, to be replaced.

`template/` is that package, under the name `newgame` with clauses `NG1`, `NG2`, …; its files end in `.in`.
"""

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from keyword import iskeyword, issoftkeyword
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from plyscribe.domain.proofs.cases import DIGEST
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import RULESETS
from plyscribe.service.kit.proof_files import name_ruleset, write_proofs

TEMPLATE = Path(__file__).parent / "template"
SUFFIX = ".in"
HIDDEN = "gitignore"
"""The file whose name begins with a dot in the package."""

LONGEST = 24

_NAME = re.compile(r"[a-z]+")
_NO_DIGEST = "0" * 64


class CannotMake(Exception):
    """The package cannot be made. The message says why, and what to do."""


def require_name(name: str) -> None:
    """CannotMake unless this can be the id of a new ruleset, and the name of a module."""
    if not _NAME.fullmatch(name) or not 2 <= len(name) <= LONGEST:
        raise CannotMake(f"{name!r} cannot be a ruleset's id: use 2 to {LONGEST} letters a-z, such as pebbles")
    if iskeyword(name) or issoftkeyword(name) or name in sys.stdlib_module_names:
        raise CannotMake(f"{name!r} is a word or a module of Python: choose another name")
    if name in {ruleset.id for ruleset in RULESETS}:
        raise CannotMake(f"there is a ruleset {name!r} already: choose another name")
    if name in ("newgame", "tests", "plyscribe") or find_spec(name) is not None:
        raise CannotMake(f"there is a Python module {name!r} already: choose another name")


def make_package(name: str, into: Path) -> Path:
    """Make the package in a new folder of this name in `into`, and return the folder.

    CannotMake, and nothing is left behind, if the name cannot be taken, the folder exists or cannot be written.
    """
    require_name(name)
    if not into.is_dir():
        raise CannotMake(f"{into} is not a folder: make it first, or name another one with --into")
    target = into / name
    if target.exists() or target.is_symlink():
        raise CannotMake(f"{target} is there already: nothing was written. Choose another name, or another --into")
    try:
        draft = Path(mkdtemp(prefix=f".{name}-", dir=into))
    except OSError as error:
        raise CannotMake(f"{into} cannot be written to: {error.strerror}") from None
    try:
        _write_files(name, draft)
        _prove(name, draft)
        draft.chmod(0o755)
        draft.rename(target)
    except OSError as error:
        raise CannotMake(f"{target} cannot be written: {error.strerror}") from None
    finally:
        rmtree(draft, ignore_errors=True)
    return target


def list_clauses(name: str) -> tuple[str, str]:
    """The two letters with which the clauses begin, in capitals and small: of the name's first two letters."""
    return name[:2].upper(), name[:2]


def _write_files(name: str, folder: Path) -> None:
    for source in sorted(TEMPLATE.rglob(f"*{SUFFIX}")):
        place = _rename(str(source.relative_to(TEMPLATE)).removesuffix(SUFFIX), name)
        path = folder / (f".{place}" if place == HIDDEN else place)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_rename(source.read_text(encoding="utf-8"), name), encoding="utf-8", newline="\n")


def _rename(text: str, name: str) -> str:
    """The text with the name of the game, and the letters of its clauses, in place of the template's."""
    capitals, small = list_clauses(name)
    text = re.sub(r"\bNG(?=\d)", capitals, text)
    text = re.sub(r"(?<=\btest_)ng(?=\d_)", small, text)
    return text.replace("newgame", name).replace("Newgame", name.capitalize()).replace("NEWGAME", name.upper())


def _prove(name: str, folder: Path) -> None:
    """Write the proofs, and the digest into the class."""
    root = folder / "tests" / "proofs"
    ruleset = _load(name, folder)
    write_proofs(ruleset, root)
    digest = (root / name_ruleset(ruleset) / DIGEST).read_text(encoding="utf-8").split()[0]
    source = folder / name / "rules.py"
    source.write_text(source.read_text(encoding="utf-8").replace(_NO_DIGEST, digest), encoding="utf-8", newline="\n")


def _load(name: str, folder: Path) -> AnyRuleset:
    """The ruleset of the package in this folder, imported without a trace."""
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, str(folder))
    try:
        ruleset: AnyRuleset = getattr(import_module(f"{name}.rules"), f"{name.upper()}_V1")
    finally:
        sys.path.remove(str(folder))
        sys.dont_write_bytecode = written
        for module in [each for each in sys.modules if each == name or each.startswith(f"{name}.")]:
            del sys.modules[module]
    return ruleset


def list_files(folder: Path) -> Iterator[Path]:
    """The files of a package, sorted, relative to it."""
    return (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file())
