"""The pages of the rulesets list the kinds of effects that the rulesets declare."""

import re

import pytest

from plyscribe.domain.effects import NAMES
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.rulebooks import read_page
from tests.domain.prove import PROVED, TOYS


def read_effects_table(ruleset: AnyRuleset) -> dict[str, tuple[set[str], set[str]]]:
    """The clauses and details of each kind, from the table under `## Effects` of the ruleset's page."""
    page = read_page(ruleset.id, ruleset.version) or ""
    section = page.partition("\n## Effects\n")[2].partition("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("| `")
    ]
    return {
        kind.strip("`"): ({*filter(None, clauses.split(", "))}, {*re.findall(r"`([a-z]+)`", details)})
        for kind, clauses, details, _ in rows
    }


@pytest.mark.parametrize(
    "ruleset",
    [ruleset for ruleset in PROVED if ruleset not in TOYS],
    ids=lambda ruleset: f"{ruleset.id}_v{ruleset.version}",
)
def test_the_page_of_a_ruleset_lists_the_kinds_of_its_effects(ruleset: AnyRuleset) -> None:
    kinds = {
        kind.kind: ({*kind.clauses} - {None}, {NAMES.get(name, name) for name in kind.has + kind.may})
        for kind in ruleset.effect_kinds
    }
    assert read_effects_table(ruleset) == kinds
