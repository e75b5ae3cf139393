"""Golden playthroughs: one match as a transcript that a person can check against the rules.

The transcript names its case. Then come, in turn, what the ruleset says about a state, and the next step: `> move
<notation>`, `> roll <values>` or `> withdraw <seat>`. Each effect of the step has a line: `= moved PA4* seat 1 ..`. The
steps are chosen once, when the transcript is made, and read from it from then on: a better sample_move or evaluate does
not change an old match.

Lines that start with `|` draw the board for the reader. They do not count as behaviour
(see `plyscribe.domain.proofs.cases`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from itertools import islice
from typing import Any

from plyscribe.domain.chain import canonical_json
from plyscribe.domain.effects import DETAILS, NAMES, Effect, Moved, Rolled, Step, Withdrew
from plyscribe.domain.proofs.perft import fixed_dice, fixed_randbelow
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, RandBelow, Roll, Turn

LISTED_MOVES = 40
"""The longest list of legal moves that is written in full. Of a longer one: its beginning and a digest."""
FIRST_MOVES = 8
DRAWN_EVERY = 10
STEP = "> "
EFFECT = "= "


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """`seat` leaves after `ply` moves; with `awaiting`, once the state waits for a `roll` or a `decision`.

    `roll 3` waits for that of seat 3.
    """

    ply: int
    seat: int
    awaiting: str | None = None


@dataclass(frozen=True, slots=True)
class PlaythroughCase:
    """How to play a match: first the scripted `moves` and `rolls`, then steps that follow from `seed`.

    Each chosen move is the best of `greedy` samples, as `evaluate` sees it. The match must end for the reason `ends`;
    None allows any. One ply in `every` is shown in full.
    """

    name: str
    seats: int
    seed: int
    options: dict[str, Any] = field(default_factory=dict)
    moves: tuple[str, ...] = ()
    rolls: tuple[tuple[int, ...], ...] = ()
    withdrawals: tuple[Withdrawal, ...] = ()
    greedy: int = 1
    ends: str | None = None
    every: int = 1


def start_state(ruleset: AnyRuleset, case: PlaythroughCase) -> Any:
    """The state before the first step of the case."""
    return ruleset.initial_state(ruleset.parse_options(case.options), case.seats)


def parse_step(ruleset: AnyRuleset, state: Any, text: str) -> Step:
    """The step that `move ..`, `roll ..` or `withdraw ..` names; RulesetError if it is no legal move of this state."""
    kind, _, rest = text.partition(" ")
    match kind:
        case "move":
            return Moved(ruleset.parse_move(state, rest))
        case "roll":
            return Rolled(tuple(int(value) for value in rest.split()))
        case "withdraw":
            return Withdrew(int(rest))
    raise ValueError(f"not a step of a match: {text!r}")


def take_step(ruleset: AnyRuleset, state: Any, step: Step) -> Any:
    """The state after a move, roll or withdrawal; RulesetError if the rules refuse it."""
    match step:
        case Moved(move):
            return ruleset.apply_move(state, move)
        case Rolled(values):
            return ruleset.apply_roll(state, values)
        case Withdrew(seat):
            return ruleset.withdraw(state, seat)
    raise ValueError(f"no step of a playthrough: {step!r}")


def apply_step(ruleset: AnyRuleset, state: Any, text: str) -> Any:
    """The state after `move ..`, `roll ..` or `withdraw ..`; RulesetError if the rules refuse it."""
    return take_step(ruleset, state, parse_step(ruleset, state, text))


def choose_steps(ruleset: AnyRuleset, case: PlaythroughCase) -> list[str]:
    """The steps of a whole match, a pure function of ruleset and case.

    ValueError if the match ends before all scripted steps were played, or not for the reason that the case names.
    """
    script = _Script(case)
    state, steps = start_state(ruleset, case), []
    while not isinstance(turn := ruleset.turn(state), Over):
        step = script.next_step(ruleset, state, turn)
        state = apply_step(ruleset, state, step)
        steps.append(step)
    if unused := script.unused():
        raise ValueError(f"playthrough {case.name!r} ended by {turn.reason!r} before {unused}")
    if case.ends not in (None, turn.reason):
        raise ValueError(f"playthrough {case.name!r} ended by {turn.reason!r}, not by {case.ends!r}")
    return steps


class _Script:
    """The scripted steps of a case that are still to come. When they are used up, steps are drawn."""

    def __init__(self, case: PlaythroughCase) -> None:
        self.case = case
        self.moves, self.rolls, self.withdrawals = list(case.moves), list(case.rolls), list(case.withdrawals)
        self.rolled = 0
        self.randbelow = fixed_randbelow(f"{case.seed}/moves")

    def next_step(self, ruleset: AnyRuleset, state: Any, turn: Decision | Roll) -> str:
        ply = ruleset.view(state)["ply"]
        for withdrawal in self.withdrawals:
            if ply >= withdrawal.ply and withdrawal.awaiting in (None, _kind(turn), f"{_kind(turn)} {turn.seat}"):
                self.withdrawals.remove(withdrawal)
                return f"withdraw {withdrawal.seat}"
        if isinstance(turn, Roll):
            values = self.rolls.pop(0) if self.rolls else fixed_dice(f"{self.case.seed}/rolls", self.rolled, turn)
            self.rolled += 1
            return f"roll {' '.join(map(str, values))}"
        if self.moves:
            return f"move {self.moves.pop(0)}"
        move = _draw_move(ruleset, state, turn.seat, self.randbelow, self.case.greedy)
        return f"move {ruleset.format_move(state, move)}"

    def unused(self) -> str:
        parts = {"moves": self.moves, "rolls": self.rolls, "withdrawals": self.withdrawals}
        return ", ".join(f"{name} {left}" for name, left in parts.items() if left)


def _kind(turn: Decision | Roll) -> str:
    return "roll" if isinstance(turn, Roll) else "decision"


def _draw_move(ruleset: AnyRuleset, state: Any, seat: int, randbelow: RandBelow, greedy: int) -> Any:
    moves = [ruleset.sample_move(state, randbelow) for _ in range(greedy)]
    if greedy == 1:
        return moves[0]
    return max(moves, key=lambda move: ruleset.evaluate(ruleset.apply_move(state, move), seat))


def format_playthrough(ruleset: AnyRuleset, case: PlaythroughCase, steps: Sequence[str]) -> str:
    """The transcript of the match with these steps; RulesetError if the rules refuse one."""
    state = start_state(ruleset, case)
    lines = [
        f"{ruleset.id} version {ruleset.version}",
        f"case {format_case(case)}",
        f"options {_json(ruleset.parse_options(case.options))}",
        "",
    ]
    for text in steps:
        lines += [*_describe(ruleset, state, case.every), f"{STEP}{text}"]
        step = parse_step(ruleset, state, text)
        after = take_step(ruleset, state, step)
        lines += [*map(format_effect, ruleset.effects(state, step, after)), ""]
        state = after
    return "\n".join([*lines, *_describe(ruleset, state, case.every), ""])


def format_effect(effect: Effect) -> str:
    """The effect in a line: its kind, clause and details, and `*` if a seat chose it.

    >>> format_effect(Effect("moved", "PA4", True, seat=1, source="d4", target="e5"))
    '= moved PA4* seat 1 from d4 to e5'
    """
    kind, clause, chosen, *_ = effect
    details = ((NAMES.get(name, name), getattr(effect, name)) for name in DETAILS)
    words = (f" {name} {value}" for name, value in details if value is not None)
    return f"{EFFECT}{kind} {clause or '-'}{'*' if chosen else ''}{''.join(words)}"


def format_case(case: PlaythroughCase) -> str:
    """The case as canonical JSON in one line, by which a transcript of another case is recognised."""
    return _json(asdict(case))


def read_steps(transcript: str) -> list[str]:
    """The steps in a transcript."""
    return [line.removeprefix(STEP) for line in transcript.splitlines() if line.startswith(STEP)]


def _json(value: object) -> str:
    return canonical_json(value).decode()


def _describe(ruleset: AnyRuleset, state: Any, every: int) -> Iterator[str]:
    turn, view = ruleset.turn(state), ruleset.view(state)
    ply = view["ply"]
    over = isinstance(turn, Over)
    yield f"ply {ply}: {describe_turn(turn)}"
    if ply % every and not over:
        yield f"view sha256 {sha256(canonical_json(view)).hexdigest()}"
        return
    # Keys keep the order of the ruleset's spec: `ruleset`, `ply` and `left` come first.
    yield from (f"  {key} {_json(value)}" for key, value in view.items())
    yield f"standing {_words(ruleset.standing(state))}"
    if isinstance(turn, Decision):
        yield _describe_moves(ruleset, state)
    if ply % DRAWN_EVERY == 0 or over:
        yield from (f"| {line}".rstrip() for line in ruleset.render_text(state).splitlines())


def describe_turn(turn: Turn) -> str:
    """The turn in words, as in transcripts."""
    match turn:
        case Decision(seat):
            return f"seat {seat} decides"
        case Roll(sides, count, purpose, seat):
            return f"{count}d{sides} for {purpose}, {'the table' if seat is None else f'seat {seat}'}"
        case Over(reason, ranks):
            return f"over, {reason}, ranks {_words(ranks)}"


def _describe_moves(ruleset: AnyRuleset, state: Any) -> str:
    texts = [ruleset.format_move(state, move) for move in ruleset.legal_moves(state)]
    if len(texts) <= LISTED_MOVES:
        return f"{len(texts)} legal: {', '.join(texts)}"
    digest = sha256("\n".join(texts).encode()).hexdigest()
    return f"{len(texts)} legal: {', '.join(islice(texts, FIRST_MOVES))}, .. sha256 {digest}"


def _words(values: Sequence[int]) -> str:
    return " ".join(map(str, values))
