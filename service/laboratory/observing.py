"""What a study sees in matches beside their outcome: moves to choose from, effects, refusals, repeated positions."""

from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, NamedTuple

from plyscribe.domain.chain import canonical_json
from plyscribe.domain.effects import Effect, Moved, Step
from plyscribe.domain.errors import IllegalMove, MoveError
from plyscribe.domain.ruleset import AnyRuleset, format_turn
from plyscribe.service.laboratory.branching import count_moves

MOST_DECISIONS = 8
"""Decisions of a match that are looked into, drawn at random: each decision is as likely as any other."""

MOST_EXAMINED = 100
"""Moves of such a decision whose effects are listed; of more, a random sample."""

MOST_TRIED = 20
"""Moves of other positions that are tried in such a position, to see which clauses forbid them."""

MOST_KNOWN = 300
"""Notations that are kept to be tried."""

Label = tuple[str, str | None, str | None, str | None]
"""A sort of effect: its kind, clause, piece and word."""


class _Choice(NamedTuple):
    number: int
    state: Any
    move: Any


class Observer:
    """Watches matches one after the other and adds up what happens in them."""

    def __init__(self, ruleset: AnyRuleset, seed: str) -> None:
        self._ruleset = ruleset
        self._random = Random(seed)  # noqa: S311 (a study shall be repeatable)
        self._known: list[str] = []
        self._clauses: set[str] = set()
        self._begin()
        self.effects: Counter[Label] = Counter()
        self.matches_with: Counter[str] = Counter()
        """In how many matches each clause had an effect."""
        self.forbidden: Counter[str] = Counter()
        """How often each clause forbade a move that is legal in another position."""
        self.offered: Counter[str] = Counter()
        """For each kind of move: at how many decisions between several kinds it was on offer."""
        self.taken: Counter[str] = Counter()
        """And at how many of these it was chosen."""
        self.by_chance: Counter[str] = Counter()
        """And how often it would have been chosen if all moves had been equally likely."""

    def _begin(self) -> None:
        self._decisions = 0
        self._choices: list[_Choice] = []
        self._positions: set[bytes] = set()
        self._repeated = self._steps = 0

    def note(self, before: Any, step: Step, after: Any, by_bot: bool) -> None:
        """See a step of the present match; what no bot chose is no decision."""
        for effect in self._ruleset.effects(before, step, after):
            self.effects[effect.kind, effect.clause, effect.piece, effect.word] += 1
            if effect.clause:
                self._clauses.add(effect.clause)
        key = find_position(self._ruleset, after)
        self._repeated += key in self._positions
        self._positions.add(key)
        self._steps += 1
        if by_bot and isinstance(step, Moved):
            self._remember(_Choice(self._decisions, before, step.move))

    def _remember(self, choice: _Choice) -> None:
        # A reservoir (Vitter 1985): each decision of the match stays with the same probability.
        self._decisions += 1
        if len(self._choices) < MOST_DECISIONS:
            self._choices.append(choice)
        elif (place := self._random.randrange(self._decisions)) < MOST_DECISIONS:
            self._choices[place] = choice

    def finish(self) -> dict[str, Any]:
        """What was seen of the match that has just ended, for JSON, and begin the next one.

        `decisions` has, for each decision of a bot that was looked into, its number, counted from 0, the number of
        moves, and whether that is exact. `repeated` is the share of steps that led to a position that had
        been there before.
        """
        decisions = [self._examine(choice) for choice in sorted(self._choices, key=lambda choice: choice.number)]
        seen = {"decisions": decisions, "repeated": self._repeated / self._steps if self._steps else 0.0}
        self.matches_with.update(self._clauses)
        self._clauses = set()
        self._begin()
        return seen

    def _examine(self, choice: _Choice) -> list[int]:
        ruleset, state = self._ruleset, choice.state
        count = count_moves(ruleset, state, self._random.randrange)
        some = count.moves
        if len(some) > MOST_EXAMINED:
            some = self._random.sample(some, MOST_EXAMINED)
        self._compare_kinds(state, choice.move, some)
        self._try_moves(state, some)
        return [choice.number, count.number, int(count.is_exact)]

    def _compare_kinds(self, state: Any, chosen: Any, moves: Sequence[Any]) -> None:
        kinds = Counter(self._find_kind(state, move) for move in moves)
        kind = self._find_kind(state, chosen)
        offered = kinds.keys() | {kind}
        if len(offered) > 1:
            self.offered.update(offered)
            self.taken[kind] += 1
            for each, number in kinds.items():
                # Shares as parts of a million keep the sum exact.
                self.by_chance[each] += round(1_000_000 * number / kinds.total())

    def _find_kind(self, state: Any, move: Any) -> str:
        return name_kind(self._ruleset.effects(state, Moved(move), self._ruleset.apply_move(state, move)))

    def _try_moves(self, state: Any, legal: Sequence[Any]) -> None:
        for text in self._random.sample(self._known, min(MOST_TRIED, len(self._known))):
            try:
                self._ruleset.parse_move(state, text)
            except IllegalMove as refused:
                self.forbidden[refused.clause] += 1
            except MoveError:
                pass
        for move in self._random.sample(legal, min(10, len(legal))):
            text = self._ruleset.format_move(state, move)
            if len(self._known) < MOST_KNOWN:
                self._known.append(text)
            else:
                self._known[self._random.randrange(MOST_KNOWN)] = text

    def describe(self) -> dict[str, Any]:
        """Everything that was added up, for JSON, in a fixed order."""
        return {
            "effects": [[*label, number] for label, number in sorted(self.effects.items(), key=repr)],
            **{
                name: dict(sorted(getattr(self, name).items()))
                for name in ("matches_with", "forbidden", "offered", "taken", "by_chance")
            },
        }


def name_kind(effects: Iterable[Effect]) -> str:
    """The kind of a move: what the seat chose in it, in the words of the ruleset, such as `recruited runner`.

    A move that does several things one after the other has the kinds of all of them, each once.
    """
    chosen = (effect for effect in effects if effect.chosen)
    parts = dict.fromkeys(" ".join(filter(None, (effect.kind, effect.piece))) for effect in chosen)
    return " + ".join(parts) or "nothing"


def find_position(ruleset: AnyRuleset, state: Any) -> bytes:
    """A key that two states share if they differ in nothing but the number of moves played."""
    view = {name: value for name, value in ruleset.view(state).items() if name != "ply"}
    return canonical_json([view, format_turn(ruleset.turn(state))])
