"""Rulesets and their clauses."""

from typing import Any

from flask import Blueprint, Response

from plyscribe.domain.effects import describe_kinds
from plyscribe.domain.errors import UnknownRuleset
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import RULESETS, find_ruleset
from plyscribe.service.database.engine import DatabaseUnavailable
from plyscribe.service.errors import NotFound
from plyscribe.service.rulebooks import Clause, read_clauses
from plyscribe.service.store.port import StoreUnavailable
from plyscribe.service.web.api.http import answer, negotiate_language, parse_query, parts, spoken
from plyscribe.service.web.api.openapi import operation
from plyscribe.service.web.schemas import answers, parameters

blueprint = Blueprint("rulesets", __name__, url_prefix="/v1/rulesets")


@blueprint.get("")
@operation("rulesets", answers.Rulesets, query=parameters.RulesetsQuery, open=True)
def list_rulesets() -> Response:
    """List all versions of all rulesets.

    With `seats`, only those that can be played with this number of seats.
    """
    seats = parse_query(parameters.RulesetsQuery)["seats"]
    found = [each for each in RULESETS if seats is None or each.min_seats <= seats <= each.max_seats]
    counts = count_matches([each.id for each in found])
    return answer({"rulesets": [{**describe_ruleset(each), "matches": counts.get(each.id)} for each in found]})


def count_matches(rulesets: list[str]) -> dict[str, int]:
    """The number of matches of each ruleset; empty while they cannot be counted, so that rules stay readable."""
    try:
        # Without a relay, asking for the lag brings the lists up to date.
        parts().lists.lag()
        return parts().lists.matches.count(rulesets)
    except (StoreUnavailable, DatabaseUnavailable):
        return {}


@blueprint.get("/<ruleset>")
@operation("rulesets", answers.RulesetDetail, query=parameters.RulesetQuery, problems=(404,), open=True, spoken=True)
def get_ruleset(ruleset: str) -> Response:
    """Get a ruleset with its options, versions and clauses, and the kinds of effects that its steps have.

    Clauses are in the language that the request prefers.
    """
    found = find_rules(ruleset, parse_query(parameters.RulesetQuery)["version"])
    versions = [describe_version(other) for other in RULESETS if other.id == found.id]
    language = negotiate_language()
    clauses = [describe_clause(found, clause) for clause in read_clauses(found.id, found.version, language).values()]
    effects = describe_kinds(found.effect_kinds)
    described = {**describe_ruleset(found), "versions": versions, "clauses": clauses, "effects": effects}
    return spoken(answer(described), language)


@blueprint.get("/<ruleset>/clauses/<clause>")
@operation("rulesets", answers.ClauseOut, query=parameters.RulesetQuery, problems=(404,), open=True, spoken=True)
def get_clause(ruleset: str, clause: str) -> Response:
    """Get one clause of the rules, in the language that the request prefers.

    Refusals of moves name the clause that the move breaks.
    """
    rules = find_rules(ruleset, parse_query(parameters.RulesetQuery)["version"])
    language = negotiate_language()
    found = read_clauses(rules.id, rules.version, language).get(clause)
    if found is None:
        raise NotFound(f"{ruleset} version {rules.version} has no clause {clause}", "ruleset/unknown-clause")
    return spoken(answer(describe_clause(rules, found)), language)


def find_rules(id: str, version: int | None = None) -> AnyRuleset:
    """The ruleset that a path names; NotFound if there is none."""
    try:
        return find_ruleset(id, version)
    except UnknownRuleset as error:
        raise NotFound(str(error), error.code) from None


def describe_version(ruleset: AnyRuleset) -> dict[str, Any]:
    """A version of a ruleset, for JSON."""
    return {"version": ruleset.version, "released": ruleset.released, "behaviour": ruleset.behaviour}


def describe_clause(ruleset: AnyRuleset, clause: Clause) -> dict[str, Any]:
    """A clause of a ruleset version, for JSON."""
    return {"ruleset": ruleset.id, "version": ruleset.version, **clause._asdict()}


def describe_ruleset(ruleset: AnyRuleset) -> dict[str, Any]:
    """One version of a ruleset, for JSON."""
    return {
        "ruleset": ruleset.id,
        **describe_version(ruleset),
        "title": ruleset.title,
        "min_seats": ruleset.min_seats,
        "max_seats": ruleset.max_seats,
        "options": ruleset.options_schema(),
        "presets": {name: dict(options) for name, options in ruleset.presets.items()},
    }
