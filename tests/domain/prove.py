"""The proofs on disk, and the command that writes them: `python -m tests.domain.prove <ruleset id> [<version>]`.

Each ruleset's proofs lie in `tests/domain/proofs/<id>_v<version>/`: `cases.json` by hand, the rest by the command.
"""

import sys
from functools import cache
from json import JSONDecodeError, loads
from pathlib import Path

import pytest

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
from tests.domain.conformance import Setting
from tests.domain.toy import TOY_V1
from tests.domain.toy_v2 import TOY_V2

PROOFS = Path(__file__).parent / "proofs"
CASES = "cases.json"

TOYS: list[AnyRuleset] = [TOY_V1, TOY_V2]

# A test that registered a toy before must not enter it here twice.
PROVED: list[AnyRuleset] = [*(ruleset for ruleset in RULESETS if ruleset not in TOYS), *TOYS]
"""All that must be proved: every registered ruleset, and the toys."""

every_ruleset = pytest.mark.parametrize("ruleset", PROVED, ids=lambda ruleset: f"{ruleset.id}_v{ruleset.version}")
"""Run a test for each of them."""


class Unproved(AssertionError):
    """Proofs that are missing or cannot be made; the text says what to do."""


def name_ruleset(ruleset: AnyRuleset) -> str:
    return f"{ruleset.id}_v{ruleset.version}"


def folder_of(ruleset: AnyRuleset, root: Path = PROOFS) -> Path:
    return root / name_ruleset(ruleset)


def command_for(ruleset: AnyRuleset) -> str:
    return f"python -m tests.domain.prove {ruleset.id} {ruleset.version}"


@cache
def read_cases(ruleset: AnyRuleset, root: Path = PROOFS) -> Cases:
    """The cases written by hand; Unproved with an example where there are none or they cannot be read."""
    path = folder_of(ruleset, root) / CASES
    try:
        return parse_cases(loads(path.read_text()))
    except FileNotFoundError:
        raise Unproved(
            f"{name_ruleset(ruleset)} has no cases: write {path} by hand, such as\n\n{EXAMPLE}\n"
            f"then run {command_for(ruleset)}"
        ) from None
    except (JSONDecodeError, ValueError) as error:
        raise Unproved(f"{path} cannot be read: {error}") from None


def require_proofs(ruleset: AnyRuleset, root: Path = PROOFS) -> None:
    """Unproved unless every file that follows from the cases is there, and no transcript of a case that is gone."""
    names = {CARD, PERFT, DIGEST, *(playthrough_file(case) for case in read_cases(ruleset, root).playthroughs)}
    found = {path.name for path in folder_of(ruleset, root).glob("*.txt")}
    if missing := sorted(names - found):
        raise Unproved(f"{name_ruleset(ruleset)} lacks {', '.join(missing)}: run {command_for(ruleset)}")
    if surplus := sorted(found - names):
        raise Unproved(f"{name_ruleset(ruleset)} has {', '.join(surplus)}, no case's: run {command_for(ruleset)}")


def read_proof(ruleset: AnyRuleset, name: str, root: Path = PROOFS) -> str:
    """The text of one proof; Unproved where any is missing."""
    require_proofs(ruleset, root)
    return (folder_of(ruleset, root) / name).read_text()


WHEN_RELEASED = """\
{old} is released and frozen: matches that name it must replay for ever. Undo the change. If it is wanted, make it a
new version beside this one:
  1. copy {module} to one for version {new}; there make the change, set version = {new} and released = False
  2. register it where {old} is registered
  3. where the rules as written change, write docs/rulesets/{id}_v{new}.md
  4. copy cases.json from tests/domain/proofs/{old} to tests/domain/proofs/{id}_v{new}, with cases that show the change
  5. run python -m tests.domain.prove {id} {new}, and write the digest that it prints into the new class
  6. run plyscribe rules check {id} --version {new}: it tells which recorded matches would go otherwise"""

WHEN_DRAFT = """\
{old} is a draft, which may change, but matches recorded under it will then not replay. If the change is right:
  1. run {command}, and write the digest that it prints into the class
  2. read what changed in tests/domain/proofs/{old} as a player would
  3. run plyscribe rules check {id} --version {version}: it tells which recorded matches do not replay any more"""


def what_to_do(ruleset: AnyRuleset, root: Path = PROOFS) -> str:
    """What a change of proved behaviour asks of whoever made it, step by step."""
    steps = WHEN_RELEASED if is_released(read_proof(ruleset, DIGEST, root)) else WHEN_DRAFT
    return steps.format(
        old=name_ruleset(ruleset),
        id=ruleset.id,
        version=ruleset.version,
        new=max(other.version for other in (ruleset, *PROVED) if other.id == ruleset.id) + 1,
        module=type(ruleset).__module__,
        command=command_for(ruleset),
    )


def settings_of(ruleset: AnyRuleset) -> list[Setting]:
    """The seats and options to play with: those of the cases, and every number of seats with the defaults."""
    chosen = [Setting(seats, options) for seats, options in read_cases(ruleset).settings]
    plain = [Setting(seats, {}) for seats in range(ruleset.min_seats, ruleset.max_seats + 1)]
    return list({setting.key: setting for setting in (*plain, *chosen)}.values())


def write_proofs(ruleset: AnyRuleset, root: Path = PROOFS) -> list[Path]:
    """Make all proofs anew and write them; Unproved, and nothing written, where a released version changed."""
    folder = folder_of(ruleset, root)
    told = {path.name: path.read_text() for path in folder.glob("*.txt")}
    try:
        files = prove(ruleset, read_cases(ruleset, root), told)
    except (RulesetError, ValueError) as error:
        raise Unproved(f"{name_ruleset(ruleset)}: {error}") from None
    old = told.get(DIGEST, "")
    if is_released(old):
        if old.split()[0] != files[DIGEST].split()[0]:
            raise Unproved(
                f"{name_ruleset(ruleset)} behaves otherwise now, or its cases changed.\n{what_to_do(ruleset, root)}"
            )
        files[DIGEST] = old
    for stale in folder.glob("*.txt"):
        if stale.name not in files:
            stale.unlink()
    for name, text in files.items():
        (folder / name).write_text(text)
    return [folder / name for name in files]


def find_proved(id: str, version: int | None) -> AnyRuleset | None:
    return next((ruleset for ruleset in PROVED if ruleset.id == id and version in (None, ruleset.version)), None)


def main(arguments: list[str]) -> int:
    """Write the proofs of the ruleset that the arguments name; 0, or 2 with the reason on stderr."""
    if not 1 <= len(arguments) <= 2 or not all(word.isdecimal() for word in arguments[1:]):
        print("usage: python -m tests.domain.prove <ruleset id> [<version>]", file=sys.stderr)
        return 2
    ruleset = find_proved(arguments[0], int(arguments[1]) if arguments[1:] else None)
    if ruleset is None:
        known = ", ".join(f"{ruleset.id} {ruleset.version}" for ruleset in PROVED)
        print(f"no ruleset {' '.join(arguments)!r} is registered; there are: {known}", file=sys.stderr)
        return 2
    try:
        for path in write_proofs(ruleset):
            print(path)
        digest = read_proof(ruleset, DIGEST).split()[0]
        if digest != ruleset.behaviour:
            print(f'write into the class of {name_ruleset(ruleset)}: behaviour = "{digest}"')
    except Unproved as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
