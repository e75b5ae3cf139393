"""What is proved: a ruleset, and where its proofs lie."""

from dataclasses import dataclass
from pathlib import Path

from plyscribe.domain.proofs.cases import Cases
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.kit.proof_files import (
    RETELLING,
    Setting,
    explain_change,
    list_settings,
    name_command,
    name_ruleset,
    read_cases,
    read_proof,
)

PLIES = 5_000


@dataclass(frozen=True, slots=True)
class Subject:
    """A ruleset, and the folder in which the folder `<id>_v<version>` with its proofs lies."""

    ruleset: AnyRuleset
    root: Path
    plies: int = PLIES
    """How many plies of random play are to be checked."""

    @property
    def name(self) -> str:
        """The name of the folder with its proofs."""
        return name_ruleset(self.ruleset)

    @property
    def command(self) -> str:
        """The command that makes its proofs."""
        return name_command(self.ruleset)

    @property
    def advice(self) -> str:
        """What to do, step by step, after a change of proved behaviour."""
        return explain_change(self.ruleset, self.root)

    @property
    def cases(self) -> Cases:
        """The cases written by hand; Unproved if there are none or they cannot be read."""
        return read_cases(self.ruleset, self.root)

    @property
    def settings(self) -> list[Setting]:
        """The seats and options to play with: those of the cases, and every number of seats with the defaults."""
        return list_settings(self.ruleset, self.root)

    @property
    def retelling(self) -> Path:
        """The file with the second telling of its effects. It need not be there."""
        return self.root / self.name / RETELLING

    def read(self, proof: str) -> str:
        """The text of one proof; Unproved if any of them is missing."""
        return read_proof(self.ruleset, self.root, proof)
