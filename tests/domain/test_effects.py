"""Effects say what a step did: all of it, in a fixed order, and nothing that changed nothing."""

import re

import pytest

from plyscribe.domain.effects import NAMES
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.rulebooks import read_page
from tests.domain.effect_checks import (
    check_clauses,
    check_completeness,
    check_ends,
    check_first_effect,
    check_kinds,
    check_need,
    check_occurrence,
    check_stability,
    proved,
    sample,
    walk,
)
from tests.domain.prove import PROVED, TOYS, every_ruleset


@every_ruleset
def test_the_view_before_and_the_effects_tell_the_view_after(ruleset: AnyRuleset) -> None:
    check_completeness(ruleset, (*sample(ruleset), *proved(ruleset)))


@pytest.mark.long
@every_ruleset
def test_the_effects_of_many_matches_tell_every_view(ruleset: AnyRuleset) -> None:
    check_completeness(ruleset, walk(ruleset, 30_000, seed=5))


@every_ruleset
def test_no_effect_changes_nothing(ruleset: AnyRuleset) -> None:
    check_need(ruleset, (*sample(ruleset), *proved(ruleset)))


@every_ruleset
def test_effects_are_a_function_of_the_step(ruleset: AnyRuleset) -> None:
    check_stability(ruleset, sample(ruleset)[:500])


@every_ruleset
def test_the_first_effect_says_what_step_it_was(ruleset: AnyRuleset) -> None:
    check_first_effect(ruleset, (*sample(ruleset), *proved(ruleset)))


@every_ruleset
def test_effects_are_of_their_kinds(ruleset: AnyRuleset) -> None:
    check_kinds(ruleset, (*sample(ruleset), *proved(ruleset)))


@every_ruleset
def test_every_kind_clause_and_word_occurs_in_some_proof(ruleset: AnyRuleset) -> None:
    check_occurrence(ruleset, proved(ruleset))


@every_ruleset
def test_every_clause_that_changes_something_is_named_by_some_kind(ruleset: AnyRuleset) -> None:
    check_clauses(ruleset)


@every_ruleset
def test_an_end_gives_every_seat_its_rank_last_of_all(ruleset: AnyRuleset) -> None:
    check_ends(ruleset, (*sample(ruleset), *proved(ruleset)))


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
