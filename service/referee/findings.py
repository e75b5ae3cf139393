"""What the referee found: as a record, as a vector, and with the clauses concerned."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from plyscribe.domain.effects import Moved
from plyscribe.domain.errors import IllegalMove, MoveError
from plyscribe.domain.proofs.playthrough import parse_step
from plyscribe.domain.proofs.trials import MOVE, Walk, format_roll, record_trial, walk
from plyscribe.domain.proofs.vectors import format_vector
from plyscribe.domain.record import format_record
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, Roll
from plyscribe.service.referee.judging import Finding
from plyscribe.service.rulebooks import read_clauses

MOST_MOVES = 50
"""Moves of a difference whose clauses are looked for."""


class Told(NamedTuple):
    """A finding in all its forms.

    `clauses` are those at the difference, `used` all that the steps of the match follow, both with their titles.
    """

    record: str
    vector: bytes
    clauses: dict[str, str]
    used: dict[str, str]


def describe_finding(ruleset: AnyRuleset, finding: Finding) -> Told:
    """The finding in all its forms. The vector goes one step further than the record, unless the match is over.

    A vector has the legal moves before each step, so it needs a step after the position at which the two differ.
    """
    walked = finding.walk
    used = [clause for step in range(len(walked.trial.steps)) for clause in _list_clauses(ruleset, walked, step)]
    vector = b"".join(format_vector(ruleset, _go_on(ruleset, finding)))
    return Told(
        format_record(record_trial(ruleset, walked.trial)),
        vector,
        _title(ruleset, _find_clauses(ruleset, finding)),
        _title(ruleset, used),
    )


def _title(ruleset: AnyRuleset, clauses: Iterable[str]) -> dict[str, str]:
    """The clauses with their titles, each once, in the order of the rules."""
    titles, named = read_clauses(ruleset.id, ruleset.version), set(clauses)
    ordered = [clause for clause in titles if clause in named]
    return {clause: titles[clause].title for clause in ordered} | dict.fromkeys(sorted(named - set(ordered)), "")


def _find_clauses(ruleset: AnyRuleset, finding: Finding) -> Iterator[str]:
    """The clauses at the difference: those that forbid or allow the moves, or else those that the last step follows."""
    state, differs = finding.walk.states[-1], finding.difference
    for text in differs.adds[:MOST_MOVES]:
        try:
            ruleset.parse_move(state, text)
        except IllegalMove as error:
            yield error.clause
        except MoveError:
            # It is in no notation of the game, about which no clause speaks.
            continue
    for text in differs.lacks[:MOST_MOVES]:
        move = Moved(ruleset.parse_move(state, text))
        first, *_ = ruleset.effects(state, move, ruleset.apply_move(state, move.move))
        yield from [first.clause] if first.clause else []
    if not differs.adds and not differs.lacks and finding.steps:
        yield from _list_clauses(ruleset, finding.walk, finding.steps - 1)


def _list_clauses(ruleset: AnyRuleset, walked: Walk, place: int) -> Iterator[str]:
    before, after = walked.states[place : place + 2]
    effects = ruleset.effects(before, parse_step(ruleset, before, walked.trial.steps[place]), after)
    yield from (effect.clause for effect in effects if effect.clause)


def _go_on(ruleset: AnyRuleset, finding: Finding) -> Walk:
    """The match with one step more, if it is not over: a move that the simulator lacks, or else the first one."""
    trial = finding.walk.trial
    longer = walk(ruleset, trial._replace(steps=(*trial.steps, *_list_next(ruleset, finding))))
    assert longer is not None  # the match is legal
    return longer


def _list_next(ruleset: AnyRuleset, finding: Finding) -> list[str]:
    state: Any = finding.walk.states[-1]
    match ruleset.turn(state):
        case Decision():
            lacks = finding.difference.lacks
            return [MOVE + (lacks[0] if lacks else ruleset.format_move(state, next(ruleset.legal_moves(state))))]
        case Roll(count=count):
            return [format_roll((1,) * count)]
        case Over():
            return []
