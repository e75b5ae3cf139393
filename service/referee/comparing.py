"""What a simulator says of a position beside what our rules say of it."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from plyscribe.domain.ruleset import AnyRuleset, format_turn
from plyscribe.service.bridge.protocol import UNREADABLE, Fault
from plyscribe.service.referee.simulator_lines import Said

TURN, LEGAL, VIEW, REFUSED = "turn", "legal", "view", "refused"

SHOWN = 12
"""Moves that are quoted of a difference between two lists."""


class Difference(NamedTuple):
    """Where a simulator and our rules differ. `about` says in what: two differences that share a word are alike.

    `ours` and `theirs` are for people. Of the legal moves, `lacks` are those that the simulator does not have, `adds`
    those that only the simulator has.
    """

    kind: str
    about: frozenset[str]
    ours: str
    theirs: str
    lacks: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()

    def is_like(self, other: "Difference") -> bool:
        """Whether both are of the same kind and about the same."""
        return self.kind == other.kind and bool(self.about & other.about)


def find_difference(ruleset: AnyRuleset, state: Any, said: Said, legal: Sequence[Any] | None) -> Difference | None:
    """The first difference of what was said: a refusal, the turn, the view or the legal moves; None if there is none.

    `legal` are the moves of our rules, None if they are not compared. Fault if the view has a key that ours has not.
    """
    if said.refused is not None:
        return Difference(REFUSED, frozenset({REFUSED}), "the step is legal", f"refused: {said.refused}")
    if said.turn is not None and (differs := _compare_turns(format_turn(ruleset.turn(state)), said.turn)):
        return differs
    # A wrong position comes before the legal moves that follow from it.
    if said.view is not None and (differs := _compare_views(ruleset.view(state), said.view)):
        return differs
    if said.legal is None or legal is None:
        return None
    return _compare_moves([ruleset.format_move(state, move) for move in legal], said.legal)


def _compare_turns(ours: dict[str, Any], theirs: dict[str, Any]) -> Difference | None:
    [(kind, own)], [(other, said)] = ours.items(), theirs.items()
    if kind != other:
        about = {f"{kind}, not {other}"}
    elif isinstance(own, dict):
        about = {name for name in said if said[name] != own[name]}
    else:
        about = set() if own == said else {kind}
    return Difference(TURN, frozenset(about), _spell(ours), _spell(theirs)) if about else None


def _compare_moves(ours: Sequence[str], theirs: list[str] | int) -> Difference | None:
    if isinstance(theirs, int):
        same = theirs == len(ours)
        counted = Difference(LEGAL, frozenset({"count"}), f"{len(ours)} legal moves", f"{theirs} legal moves")
        return None if same else counted
    known, times = set(ours), Counter(theirs)
    lacks = tuple(move for move in ours if move not in times)
    adds = tuple(move for move in times if move not in known)
    twice = tuple(move for move in times if times[move] > 1)
    about = {word for word, moves in (("lacks", lacks), ("adds", adds), ("twice", twice)) if moves}
    if not about:
        return None
    told = ", and ".join(_describe_moves(lacks, adds, twice))
    return Difference(LEGAL, frozenset(about), f"{len(ours)} legal moves", f"{len(theirs)}: {told}", lacks, adds)


def _describe_moves(lacks: Sequence[str], adds: Sequence[str], twice: Sequence[str]) -> Iterator[str]:
    for word, moves in (("without", lacks), ("with", adds), ("twice", twice)):
        if moves:
            more = f" and {len(moves) - SHOWN} more" if len(moves) > SHOWN else ""
            yield f"{word} {', '.join(moves[:SHOWN])}{more}"


def _compare_views(ours: dict[str, Any], theirs: dict[str, Any]) -> Difference | None:
    for name in theirs:
        if name not in ours:
            raise Fault(UNREADABLE, f"the view has no key {name[:40]!r}; it has {', '.join(ours)}")
    about = {name for name in theirs if theirs[name] != ours[name]}
    if not about:
        return None
    own, said = ({name: view[name] for name in theirs if name in about} for view in (ours, theirs))
    return Difference(VIEW, frozenset(about), _spell(own), _spell(said))


def _spell(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
