"""The proofs of rulesets on disk: found, read, written anew, and what to do where they no longer fit.

The proofs of a ruleset lie in a folder `<id>_v<version>`: `cases.json` and, if there is one, `retelling.py` are written
by hand, the rest by `plyscribe rules prove`. The folders lie in `tests/proofs` of a package, and in
`tests/domain/proofs` of Plyscribe.
"""

import inspect
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from plyscribe.domain.chain import canonical_json
from plyscribe.domain.errors import RulesetError
from plyscribe.domain.proofs.cases import (
    CARD,
    DIGEST,
    EXAMPLE,
    PERFT,
    Cases,
    is_released,
    parse_cases,
    playthrough_file,
    prove,
)
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import RULESETS

CASES = "cases.json"
RETELLING = "retelling.py"
PLACES = ("tests/domain/proofs", "tests/proofs")
"""Where proofs lie in a tree: in that of Plyscribe, and in that of a package."""

WHEN_RELEASED = """\
{old} is released and frozen: matches that name it must replay for ever. Undo the change. If it is wanted, make it a
new version beside this one:
  1. copy {module} to one for version {new}; there make the change, set version = {new} and released = False
  2. register it where {old} is registered
  3. where the rules as written change, write a rulebook for version {new}
  4. copy cases.json from {folder} to {root}/{id}_v{new}, with cases that show the change
  5. run plyscribe rules prove {id} --version {new}, which puts the digest into the new class
  6. run plyscribe rules check {id} --version {new}: it lists the recorded matches that would go differently"""

WHEN_DRAFT = """\
{old} is a draft, which may change, but matches recorded under it will then not replay. If the change is right:
  1. run {command}: it puts the new digest into the class, or says what to write
  2. read what changed in {folder} as a player would
  3. run plyscribe rules check {id} --version {version}: it lists the recorded matches that no longer replay"""


class Unproved(AssertionError):
    """Proofs that are missing or cannot be made; the text says what to do."""


class Setting(NamedTuple):
    """Seats and options (as a person gave them) of a match."""

    seats: int
    options: dict[str, Any]

    @property
    def key(self) -> bytes:
        """The same for the same seats and options."""
        return canonical_json([self.seats, self.options])


def find_proofs(tree: Path) -> Path | None:
    """The folder of all proofs in a tree; None if there is none."""
    return next((tree / place for place in PLACES if (tree / place).is_dir()), None)


def name_ruleset(ruleset: AnyRuleset) -> str:
    """The name of the folder with its proofs: `zhen_v1`."""
    return f"{ruleset.id}_v{ruleset.version}"


def name_command(ruleset: AnyRuleset) -> str:
    """The command that makes its proofs."""
    return f"plyscribe rules prove {ruleset.id} --version {ruleset.version}"


@cache
def read_cases(ruleset: AnyRuleset, root: Path) -> Cases:
    """The cases written by hand; Unproved, with an example, if there are none or they cannot be read."""
    path = root / name_ruleset(ruleset) / CASES
    try:
        return parse_cases(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise Unproved(
            f"{name_ruleset(ruleset)} has no cases: write {path} by hand, such as\n\n{EXAMPLE}\n"
            f"then run {name_command(ruleset)}"
        ) from None
    except ValueError as error:
        raise Unproved(f"{path} cannot be read: {error}") from None


def require_proofs(ruleset: AnyRuleset, root: Path) -> None:
    """Unproved unless every file that follows from the cases is there, and no transcript of a case that is gone."""
    names = {CARD, PERFT, DIGEST, *(playthrough_file(case) for case in read_cases(ruleset, root).playthroughs)}
    found = {path.name for path in (root / name_ruleset(ruleset)).glob("*.txt")}
    if missing := sorted(names - found):
        raise Unproved(f"{name_ruleset(ruleset)} lacks {', '.join(missing)}: run {name_command(ruleset)}")
    if surplus := sorted(found - names):
        why = f"{name_ruleset(ruleset)} has {', '.join(surplus)}, which no case asks for"
        raise Unproved(f"{why}: run {name_command(ruleset)}")


def read_proof(ruleset: AnyRuleset, root: Path, name: str) -> str:
    """The text of one proof; Unproved if any of them is missing."""
    require_proofs(ruleset, root)
    return (root / name_ruleset(ruleset) / name).read_text(encoding="utf-8")


def explain_change(ruleset: AnyRuleset, root: Path, others: Sequence[AnyRuleset] = RULESETS) -> str:
    """What to do, step by step, after a change of proved behaviour."""
    steps = WHEN_RELEASED if is_released(read_proof(ruleset, root, DIGEST)) else WHEN_DRAFT
    return steps.format(
        old=name_ruleset(ruleset),
        id=ruleset.id,
        version=ruleset.version,
        new=max(other.version for other in (ruleset, *others) if other.id == ruleset.id) + 1,
        module=type(ruleset).__module__,
        command=name_command(ruleset),
        root=root,
        folder=root / name_ruleset(ruleset),
    )


def list_settings(ruleset: AnyRuleset, root: Path) -> list[Setting]:
    """The seats and options to play with: those of the cases, and every number of seats with the defaults."""
    chosen = [Setting(seats, options) for seats, options in read_cases(ruleset, root).settings]
    plain = [Setting(seats, {}) for seats in range(ruleset.min_seats, ruleset.max_seats + 1)]
    return list({setting.key: setting for setting in (*plain, *chosen)}.values())


def write_proofs(ruleset: AnyRuleset, root: Path) -> list[Path]:
    """Make all proofs anew and write them; Unproved, and nothing written, if a released version changed."""
    folder = root / name_ruleset(ruleset)
    told = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.txt")}
    try:
        files = prove(ruleset, read_cases(ruleset, root), told)
    except (RulesetError, ValueError) as error:
        raise Unproved(f"{name_ruleset(ruleset)}: {error}") from None
    old = told.get(DIGEST, "")
    if is_released(old):
        if old.split()[0] != files[DIGEST].split()[0]:
            raise Unproved(
                f"{name_ruleset(ruleset)} behaves differently now, or its cases changed.\n"
                f"{explain_change(ruleset, root)}"
            )
        files[DIGEST] = old
    for stale in folder.glob("*.txt"):
        if stale.name not in files:
            stale.unlink()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return [folder / name for name in files]


def write_digest(ruleset: AnyRuleset, digest: str, tree: Path) -> Path | None:
    """Write the digest into the class of a draft, in place of the one that is there, and return the changed file.

    None, and nothing is written, if the class is outside of the tree or names its digest in another way.
    """
    source = Path(inspect.getsourcefile(type(ruleset)) or "").resolve()
    if ruleset.behaviour is None or not source.is_relative_to(tree.resolve()):
        return None
    text = source.read_text(encoding="utf-8")
    old = f'behaviour = "{ruleset.behaviour}"'
    if text.count(old) != 1:
        return None
    source.write_text(text.replace(old, f'behaviour = "{digest}"'), encoding="utf-8", newline="\n")
    return source
