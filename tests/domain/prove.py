"""What is proved here: the built-in rulesets and the toys, with the proofs in `tests/domain/proofs`.

The plugin `plyscribe.testing` proves them. Other tests play with the same settings.
"""

from functools import partial
from pathlib import Path

import pytest

from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import RULESETS
from plyscribe.service.kit.proof_files import Setting
from plyscribe.testing.subject import Subject
from tests.domain.toy import TOY_V1
from tests.domain.toy_v2 import TOY_V2

PROOFS = Path(__file__).parent / "proofs"

TOYS: list[AnyRuleset] = [TOY_V1, TOY_V2]

# A test that registered a toy before must not enter it here twice.
PROVED: list[AnyRuleset] = [*(ruleset for ruleset in RULESETS if ruleset not in TOYS), *TOYS]
"""All that is proved: every registered ruleset, and the toys."""

every_ruleset = pytest.mark.parametrize("ruleset", PROVED, ids=lambda ruleset: f"{ruleset.id}_v{ruleset.version}")
"""Run a test for each of them."""

subject_of = partial(Subject, root=PROOFS)
"""A ruleset, as the plugin proves it."""


def settings_of(ruleset: AnyRuleset) -> list[Setting]:
    """The seats and options to play with."""
    return subject_of(ruleset).settings
