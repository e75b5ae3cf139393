"""Which clauses of the rulebook were seen in play, and which kinds of effects never came about."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plyscribe.domain.effects import LEFT
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.rulebooks import read_clauses

SEEN, VARIANT, FORBADE, UNSEEN, SILENT = "seen", "variant", "forbade", "unseen", "silent"
"""A clause had effects; it had some only with another option; it only forbade moves; it never showed although effects
can name it; nothing ever names it."""

OUT_OF_PLAY = ("withdrawal", "draw-agreed")
"""Reasons for an end that no bot brings about."""


def describe_clauses(
    ruleset: AnyRuleset, seen: Sequence[dict[str, Any]], varied: Mapping[str, Sequence[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """Each clause of the rulebook, or each that effects can name if there is no page, with what was seen of it.

    `seen` is of the options of the study, `varied` of others by their names.
    """
    effects = _count_effects(seen)
    others = {name: _count_effects(some) for name, some in varied.items()}
    matches, forbidden = (_add_up(each[name] for each in seen) for name in ("matches_with", "forbidden"))
    nameable = _list_nameable(ruleset)
    titles = {number: clause.title for number, clause in read_clauses(ruleset.id, ruleset.version).items()}
    return [
        {
            "clause": clause,
            "title": titles.get(clause),
            "effects": effects[clause],
            "matches": matches[clause],
            "forbidden": forbidden[clause],
            "only_with": [] if effects[clause] else [name for name, counts in others.items() if counts[clause]],
            "status": _judge(clause, effects, others, forbidden, nameable),
        }
        for clause in titles or sorted(nameable)
    ]


def _list_nameable(ruleset: AnyRuleset) -> set[str]:
    """The clauses that an effect of a match between bots can name."""
    kinds = (clause for kind in ruleset.effect_kinds if kind.kind != LEFT for clause in kind.clauses if clause)
    return {*kinds, *ruleset.end_clauses.values()}


def _count_effects(seen: Sequence[dict[str, Any]]) -> Counter[str]:
    effects: Counter[str] = Counter()
    for each in seen:
        for _, clause, _, _, number in each["effects"]:
            effects[clause] += number
    return effects


def _judge(
    clause: str,
    effects: Mapping[str, int],
    others: Mapping[str, Mapping[str, int]],
    forbidden: Mapping[str, int],
    nameable: set[str],
) -> str:
    if effects[clause]:
        return SEEN
    if any(counts[clause] for counts in others.values()):
        return VARIANT
    if forbidden[clause]:
        return FORBADE
    return UNSEEN if clause in nameable else SILENT


def _add_up(counts: Iterable[Mapping[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return total


def list_unseen_effects(ruleset: AnyRuleset, seen: Sequence[dict[str, Any]]) -> list[str]:
    """The kinds of effects that never came about, and the pieces and words that a kind never had.

    Withdrawals and agreed draws are left out, because bots do not leave.
    """
    labels = {(kind, piece, word) for each in seen for kind, _, piece, word, _ in each["effects"]}
    unseen: list[str] = []
    for kind in ruleset.effect_kinds:
        if kind.kind == LEFT:
            continue
        of_kind = [label for label in labels if label[0] == kind.kind]
        if not of_kind:
            unseen.append(kind.kind)
            continue
        pieces, words = {piece for _, piece, _ in of_kind}, {word for _, _, word in of_kind}
        unseen += [f"{kind.kind} {piece}" for piece in kind.pieces if piece not in pieces]
        unseen += [f"{kind.kind} {word}" for word in kind.words if word not in words and word not in OUT_OF_PLAY]
    return unseen
