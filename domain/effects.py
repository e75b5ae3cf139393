"""What a step of a match did, as plain data: for sentences, pages, and whoever studies a match.

A step is a move, a roll, a withdrawal, or an end by agreement. `Ruleset.effects` lists what it did, in order:

- the first effect of a move is chosen; that of a roll is `rolled`, of a withdrawal `left`, of an agreement `ended`;
- the view before and the effects are enough to know the view after;
- nothing is listed that changed nothing, apart from rolls, and from turns that are passed over.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple


class Moved(NamedTuple):
    """A move was made."""

    move: Any


class Rolled(NamedTuple):
    """The due dice showed these values."""

    values: tuple[int, ...]


class Withdrew(NamedTuple):
    """A seat left the match."""

    seat: int


class Ended(NamedTuple):
    """The match ended with an outcome that does not follow from a move, such as an agreed draw."""


Step = Moved | Rolled | Withdrew | Ended


class Effect(NamedTuple):
    """One thing that a step did. What a kind does not have is None; see EffectKind."""

    kind: str
    """A fixed word of the ruleset, such as `trapped`."""
    clause: str | None
    """The clause that it follows from; None if it follows from no rule of the game, as the end by an agreed draw."""
    chosen: bool = False
    """Whether the seat chose it. What only follows from the choice, or from dice, is not chosen."""
    seat: int | None = None
    """The seat that caused it."""
    owner: int | None = None
    """The seat that it concerns: the owner of the piece, the receiver of the points."""
    piece: str | None = None
    """The sort of piece, a word of the ruleset."""
    source: str | None = None
    """The field that it went from, or a place beside the board, such as `reserve`. In JSON: `from`."""
    target: str | None = None
    """The field or place that it went to, or where it happened. In JSON: `to`."""
    amount: int | None = None
    """How many, or how much."""
    word: str | None = None
    """Another word of the ruleset: a terrain, a class, a reason."""


NAMES = {"source": "from", "target": "to"}
"""The names of fields in JSON and in templates where they differ."""

DETAILS = ("seat", "owner", "piece", "source", "target", "amount", "word")
"""The fields that an effect has or lacks by its kind."""


class EffectKind(NamedTuple):
    """A kind of effect: the clauses that it can follow from, and the DETAILS that it always has."""

    kind: str
    clauses: tuple[str | None, ...]
    has: tuple[str, ...]
    may: tuple[str, ...] = ()
    """The DETAILS that it can have or lack. It has no others."""
    pieces: tuple[str, ...] = ()
    """Every `piece` that it can name."""
    words: tuple[str, ...] = ()
    """Every `word` that it can name."""


ENDED, RANKED, LEFT, ROLLED = "ended", "ranked", "left", "rolled"
"""The kinds that every ruleset has: the end with its reason, the rank of each seat, a withdrawal, a roll."""


def list_end_kinds(clauses: Mapping[str, str], leaving: str | None = None) -> tuple[EffectKind, ...]:
    """The kinds of a withdrawal and of an end.

    `clauses` has the clause of each reason to end that the rules of the game name, `leaving` that of a withdrawal.
    """
    reasons = tuple(dict.fromkeys([*clauses, "ply-limit", "withdrawal", "draw-agreed"]))
    ends = tuple(dict.fromkeys([*clauses.values(), None]))
    return (
        EffectKind(LEFT, (leaving,), ("owner",)),
        EffectKind(ENDED, ends, ("word",), words=reasons),
        EffectKind(RANKED, ends, ("owner", "amount")),
    )


def list_end(reason: str, ranks: Sequence[int], clause: str | None) -> Iterator[Effect]:
    """The effects of an end: the reason, then each seat with its rank, in the order of the seats."""
    yield Effect(ENDED, clause, word=reason)
    for seat, rank in enumerate(ranks, 1):
        yield Effect(RANKED, clause, owner=seat, amount=rank)


def describe_effect(effect: Effect) -> dict[str, Any]:
    """The effect for JSON, without the details that it lacks.

    >>> describe_effect(Effect("trapped", "PA8", seat=1, owner=2, source="d4", target="reserve"))
    {'kind': 'trapped', 'clause': 'PA8', 'chosen': False, 'seat': 1, 'owner': 2, 'from': 'd4', 'to': 'reserve'}
    """
    kind, clause, chosen, *_ = effect
    details = {NAMES.get(name, name): value for name in DETAILS if (value := getattr(effect, name)) is not None}
    return {"kind": kind, "clause": clause, "chosen": chosen, **details}


def describe_kinds(kinds: Sequence[EffectKind]) -> dict[str, Any]:
    """JSON Schema of an effect of one of these kinds."""
    return {"oneOf": [_describe_kind(kind) for kind in kinds]}


def _describe_kind(kind: EffectKind) -> dict[str, Any]:
    words: dict[str, Any] = {"type": "string"}
    types: dict[str, Any] = {
        "seat": {"type": "integer", "minimum": 1},
        "owner": {"type": "integer", "minimum": 1},
        "piece": {"enum": list(kind.pieces)},
        "source": words,
        "target": words,
        "amount": {"type": "integer"},
        "word": {"enum": list(kind.words)},
    }
    properties = {
        "kind": {"const": kind.kind},
        "clause": {"enum": list(kind.clauses)},
        "chosen": {"type": "boolean"},
        **{NAMES.get(name, name): types[name] for name in DETAILS if name in kind.has + kind.may},
    }
    required = [name for name in properties if name not in [NAMES.get(name, name) for name in kind.may]]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
