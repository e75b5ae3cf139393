"""Refusals as problem documents, with what the request or the line is about."""

from contextlib import suppress
from typing import Any

from plyscribe.domain.errors import DomainError, IllegalMove, MoveError, OptionError, RollError
from plyscribe.domain.match import Match
from plyscribe.service.errors import VersionConflict
from plyscribe.service.language.sentences import Names, translate
from plyscribe.service.matches import queries
from plyscribe.service.matches.story import name_players
from plyscribe.service.rulebooks import read_clauses
from plyscribe.service.store.port import StoreError
from plyscribe.service.web.api.http import parts
from plyscribe.service.web.problems import problem_of


def describe_refusal(
    error: Exception, language: str, match: Match | None, rules: tuple[str, int] | None = None
) -> dict[str, Any]:
    """The problem document of an error. Why a move is refused is said in the language.

    `match` is what was asked about, None if that is no match; `rules` are then the id and version of the rules.
    """
    problem = {**problem_of(error), **_more_about(error, match, rules)}
    if isinstance(error, MoveError | OptionError | RollError):
        problem["detail"] = translate(error.phrase, language, _name_players(match, language))
    return problem


def _name_players(match: Match | None, language: str) -> Names:
    """The names of the players of the match, if there is one and the store has them."""
    with suppress(StoreError, DomainError):
        return name_players(match, parts().accounts.name_of, language) if match else {}
    return {}


def _more_about(error: Exception, match: Match | None, rules: tuple[str, int] | None) -> dict[str, Any]:
    """Further details: the URL of the clause, the events that the client has missed."""
    if isinstance(error, VersionConflict):
        return {"events": queries.dump_events(error.missed)}
    if not isinstance(error, IllegalMove):
        return {}
    # A match whose first event is damaged has no rules, but nobody gets as far as to a move in it.
    of = (match.life.created.ruleset, match.life.created.ruleset_version) if match is not None else rules
    # A ruleset from outside may have no page.
    if of is not None and error.clause in read_clauses(*of):
        return {"clause_url": f"/v1/rulesets/{of[0]}/clauses/{error.clause}?version={of[1]}"}
    return {}
