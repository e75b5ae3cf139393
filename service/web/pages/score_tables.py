"""The tables of a tournament for people: ranks and how they changed, penalties, the crosstable, how numbers add up."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from flask import Response

from plyscribe.domain.tournament.crosstable import ABSENT, ASKED_BYE, Cell, Line, SatOut, build_crosstable
from plyscribe.domain.tournament.ladder import is_ladder
from plyscribe.domain.tournament.points import format_points
from plyscribe.domain.tournament.results import HALF, ONE
from plyscribe.domain.tournament.standings import Value, rank_entrants
from plyscribe.domain.tournament.state import Act, Game, Penalty, Tournament
from plyscribe.domain.tournament.sums import Sum, Term, explain_row
from plyscribe.service.errors import NotFound
from plyscribe.service.tournaments.queries import name_all
from plyscribe.service.web.api.http import parts
from plyscribe.service.web.api.tournaments import read_tournament
from plyscribe.service.web.pages.blueprint import blueprint, show_page
from plyscribe.service.web.pages.speech import gettext, ngettext
from plyscribe.service.web.pages.wording import name_tiebreak

Fields = dict[str, Any]
Names = Mapping[int, str]

KEPT = 64
"""For how many tournaments a process keeps the ranks before the last round."""


# ---- ranks before the last round


class _Before(NamedTuple):
    """A tournament; equal to itself at the same event."""

    state: Tournament

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Before) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[str, bytes]:
        return self.state.stream, self.state.head


def find_ranks_before(state: Tournament) -> dict[int, int]:
    """The rank of each entrant in the table before the last round, as it counts now; empty before round 2.

    Empty on a ladder, too: its rungs do not follow from rounds.
    """
    return _find_ranks_before(_Before(state)) if len(state.rounds) > 1 and not is_ladder(state) else {}


@lru_cache(KEPT)
def _find_ranks_before(before: _Before) -> dict[int, int]:
    state = before.state
    rounds = state.rounds[:-1]
    penalties = tuple(each for each in state.penalties if each.round <= len(rounds))
    table = rank_entrants(replace(state, rounds=rounds, penalties=penalties))
    return {each.entrant: each.rank for each in table}


def describe_penalties(state: Tournament) -> dict[int, list[Penalty]]:
    """The penalties that count, by entrant."""
    found: dict[int, list[Penalty]] = {}
    for penalty in state.penalties:
        if penalty.lifted is None:
            found.setdefault(penalty.entrant, []).append(penalty)
    return found


# ---- the crosstable


def describe_crosstable(state: Tournament, names: Names, own: set[int]) -> Fields:
    """The crosstable: its lines in the order of the table, and the corrections. `own` are the visitor's entrants."""
    lines = build_crosstable(state)
    order = [line.standing.entrant for line in lines]
    return {
        "order": order,
        "lines": [_describe_line(line, order, names, own) for line in lines],
        "corrections": list_corrections(state),
        "marks": {mark for line in lines for cells in line.against.values() for cell in cells for mark in cell.mark},
        "sat_out": any(line.sat_out for line in lines),
    }


def _describe_line(line: Line, order: Sequence[int], names: Names, own: set[int]) -> Fields:
    entrant = line.standing.entrant
    return {
        "entrant": entrant,
        "rank": line.standing.rank,
        "points": format_points(line.standing.points),
        "group": line.group,
        "is_own": entrant in own,
        "cells": [
            None
            if other == entrant
            else [_describe_cell(cell, names[entrant], names[other]) for cell in line.against.get(other, ())]
            for other in order
        ],
        "sat_out": [say_sat_out(each) for each in line.sat_out],
    }


def _describe_cell(cell: Cell, one: str, other: str) -> Fields:
    return {"mark": cell.mark, "match": cell.game.match, "says": _say_cell(cell, one, other)}


def _say_cell(cell: Cell, one: str, other: str) -> str:
    """What a cell says, as a sentence that cannot be read the other way round."""
    share, values = cell.score.share, {"one": one, "other": other, "round": cell.game.round}
    if cell.score.status == "annulled":
        return gettext("round %(round)s, %(one)s against %(other)s: annulled", **values)
    if share == ONE:
        said = gettext("round %(round)s: %(one)s beat %(other)s", **values)
    elif share == HALF:
        said = gettext("round %(round)s: %(one)s and %(other)s were level", **values)
    else:
        said = gettext("round %(round)s: %(one)s lost to %(other)s", **values)
    if cell.score.status == "forfeited":
        said = gettext("%(said)s, by forfeit", said=said)
    return gettext("%(said)s, corrected", said=said) if cell.game.entered is not None else said


def say_sat_out(sat_out: SatOut) -> str:
    """Why somebody did not play a round, with the round."""
    match sat_out.kind:
        case kind if kind == ASKED_BYE:
            return gettext("asked bye in round %(round)s", round=sat_out.round)
        case kind if kind == ABSENT:
            return gettext("absent in round %(round)s", round=sat_out.round)
    return gettext("bye in round %(round)s", round=sat_out.round)


def list_corrections(state: Tournament) -> list[Fields]:
    """The games whose results were corrected: what was entered first, who corrected it and why, the latest last."""
    by: dict[tuple[int, int, int] | None, Act] = {act.place: act for act in state.acts if act.what == "game-corrected"}
    games = [(game, by.get((game.round, game.board, game.game))) for game in state.games() if game.entered is not None]
    return [_describe_correction(game, act) for game, act in games]


def _describe_correction(game: Game, act: Act | None) -> Fields:
    return {
        "round": game.round,
        "board": game.board,
        "game": game.game,
        "entrants": game.entrants,
        "entered": game.entered,
        "ranks": game.ranks,
        "by": parts().accounts.name_of(act.by) if act else "",
        "why": (act.why if act else None) or game.why,
    }


# ---- how numbers add up


@blueprint.get("/tournaments/<tournament>/entrants/<int:entrant>")
def show_sums(tournament: str, entrant: int) -> Response:
    """Show how the points and tiebreaks of an entrant add up."""
    state = read_tournament(tournament)
    names, table = name_all(state, parts().accounts), rank_entrants(state)
    row = next((each for each in table if each.entrant == entrant), None)
    if row is None:
        raise NotFound(f"entrant {entrant} is not in the table", "entrant/unknown")
    sums = explain_row(state, table, row)
    return show_page(
        "entrant_sums.html",
        tournament=state.stream,
        title=state.terms.name,
        name=names[entrant],
        rank=row.rank,
        sums=[_describe_sum(each, names) for each in sums],
    )


def _describe_sum(sum_of: Sum, names: Names) -> Fields:
    is_points = sum_of.name == "points"
    return {
        "name": gettext("Points") if is_points else name_tiebreak(sum_of.name),
        "value": format_value(sum_of.value),
        "terms": [(format_points(term.amount), term.kind == "cut", _say_term(term, names)) for term in sum_of.terms],
        "divisor": sum_of.divisor,
        "is_places": isinstance(sum_of.value, tuple),
    }


def format_value(value: Value) -> str:
    """The value of a tiebreak as the table has it."""
    return "-".join(map(str, value)) if isinstance(value, tuple) else format_points(value)


def _say_term(term: Term, names: Names) -> str:
    others = ", ".join(names[each] for each in term.others)
    match term.kind:
        case "played" | "forfeited" | "annulled":
            said = gettext("round %(round)s against %(others)s", round=term.round, others=others)
            return said if term.kind == "played" else f"{said}, {_name_kind(term.kind)}"
        case "bye" | "asked-bye" | "absent":
            return say_sat_out(SatOut(term.round or 0, term.kind.replace("-", " ")))
        case "penalty":
            return gettext("penalty: %(why)s", why=term.why)
        case "met":
            return gettext("points of %(others)s", others=others)
        case "self":
            return gettext("own points, in place of an opponent")
        case "cut":
            return gettext("points of %(others)s, the lowest, left out", others=others)
        case "beaten":
            return _say_beaten(term.factor or Fraction(0), others)
        case "won":
            return gettext("won round %(round)s against %(others)s", round=term.round, others=others)
    return gettext("mean score against %(others)s", others=others)


def _name_kind(kind: str) -> str:
    return gettext("by forfeit") if kind == "forfeited" else gettext("annulled")


def _say_beaten(factor: Fraction, others: str) -> str:
    if factor == ONE:
        return gettext("points of %(others)s, whom this player beat", others=others)
    return gettext("%(factor)s of the points of %(others)s", factor=format_points(factor), others=others)


def say_change(before: int | None, now: int) -> str | None:
    """How a rank changed since the last round, in words; None if it did not, or if there was none."""
    if before is None or before == now:
        return None
    if now < before:
        return ngettext("%(num)s place up", "%(num)s places up", before - now)
    return ngettext("%(num)s place down", "%(num)s places down", now - before)
