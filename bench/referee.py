"""`python -m bench.referee`: plies a second that the referee compares, and how far planted faults are shrunk.

The simulators are processes: the example in plain Python, and our own rules in a copy, which is as fast as a simulator
in Python can be. Faults are planted into the text of both.
"""

import resource
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import copytree
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

import plyscribe.domain.rulesets
from plyscribe.domain.proofs.shrinking import MOST_RUNS
from plyscribe.domain.proofs.tricky import list_settings
from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.referee.judging import Referee, draw_walks
from plyscribe.service.referee.simulator import Simulator

EXAMPLE = Path(__file__).parents[1] / "examples" / "pathagon_simulator.py"
RULES = Path(plyscribe.domain.rulesets.__file__).parent
HOME = "plyscribe.domain.rulesets"

SERVE = """
import json, sys
sys.path.insert(0, {folder!r})
from itertools import islice
from {module} import {name} as game
from plyscribe.domain.proofs.playthrough import apply_step
from plyscribe.domain.ruleset import format_turn

for line in sys.stdin:
    asked = json.loads(line)
    if asked["ask"] == "start":
        state = game.initial_state(asked["options"], asked["seats"])
    else:
        [(kind, value)] = asked["do"].items()
        text = " ".join(map(str, value)) if kind == "roll" else value
        state = apply_step(game, state, f"{{kind}} {{text}}")
    answer = {{"id": asked["id"], "turn": format_turn(game.turn(state)), "view": game.view(state)}}
    if asked["legal"]:
        answer["legal"] = [game.format_move(state, move) for move in game.legal_moves(state)]
    print(json.dumps(answer), flush=True)
"""

MATCHES = 60
MOST_STEPS = 400
MOST_LEGAL = 2_000
TIMEOUT_S = 20.0
SEEDS = range(3)


class Fault(NamedTuple):
    """A fault, planted by putting `wrong` in the place of `right` in the rules of a game (in this module of them)."""

    game: str
    what: str
    right: str
    wrong: str
    module: str = "__init__"


FAULTS = (
    Fault("example", "a closed square is open (PA6)", " and each not in self.closed]", "]"),
    Fault("example", "a piece never rests (PA5)", " and each != self.resting[self.seat]]", "]"),
    Fault("example", "only one piece is trapped a turn (PA8)", "self.closed.append(prey)", "self.closed = [prey]"),
    Fault(
        "example",
        "a moved piece traps nothing (PA8)",
        "if self.board.get(prey)",
        "if not source and self.board.get(prey)",
    ),
    Fault("example", "seats have each other's edges (PA10)", "along = 2 - seat", "along = seat - 1"),
    Fault("example", "the limit comes a move late (PA11)", "self.ply == self.limit", "self.ply - 1 == self.limit"),
    Fault(
        "zhen",
        "a move may undo the last one (ZH5)",
        " and line + shift != before:  # ZH4, ZH5\n            yield tile",
        ":\n            yield tile",
    ),
    Fault("zhen", "cubes enter a goal without an enemy (ZH3)", "and not (one and two):", "and not cubes:"),
    Fault(
        "zhen", "the blocked seat gets the cubes (ZH7)", "0 if state.ply & 1 else end", "end if state.ply & 1 else 0"
    ),
    Fault(
        "zhen",
        "one's own cubes count (ZH8)",
        "_cubes(state.line, 0) >> 5, _cubes",
        "_cubes(state.line, 0) & 31, _cubes",
    ),
    Fault("crystals", "a tower covers 3 fields (CR12)", "COVER = 4", "COVER = 3", "resolution"),
    Fault("crystals", "a mine gives no experience (CR13)", "            table.due[owner] += 1\n", "", "resolution"),
    Fault(
        "crystals",
        "the way back ends on others (CR12)",
        "while field in table.at and",
        "while False and",
        "resolution",
    ),
    Fault(
        "crystals",
        "no last spawn in a turn (CR14)",
        "if table.seat not in table.left and can_spawn(table):",
        "if False:",
        "turns",
    ),
)


def write_simulator(folder: Path, game: str, fault: Fault | None = None) -> tuple[AnyRuleset, list[str]]:
    """The rules of a game, and the command of a simulator of it with this fault, in files of this folder."""
    if game == "example":
        text = _plant(EXAMPLE.read_text(encoding="utf-8"), fault)
        (folder / "simulator.py").write_text(text, encoding="utf-8")
        return find_ruleset("pathagon", 1), [sys.executable, str(folder / "simulator.py")]
    ruleset = find_ruleset(game, 1)
    module = type(ruleset).__module__.rpartition(".")[2]
    if (RULES / module).is_dir():
        copytree(RULES / module, folder / module)
        paths = list((folder / module).glob("*.py"))
    else:
        paths = [folder / f"{module}.py"]
        paths[0].write_text((RULES / f"{module}.py").read_text(encoding="utf-8"), encoding="utf-8")
    for path in paths:
        text = path.read_text(encoding="utf-8").replace(f"{HOME}.{module}", module)
        is_faulty = fault is not None and (len(paths) == 1 or path.stem == fault.module)
        path.write_text(_plant(text, fault if is_faulty else None), encoding="utf-8")
    script = SERVE.format(folder=str(folder), module=module, name=module.upper())
    (folder / "simulator.py").write_text(script, encoding="utf-8")
    return ruleset, [sys.executable, str(folder / "simulator.py")]


def _plant(text: str, fault: Fault | None) -> str:
    if fault is None:
        return text
    assert text.count(fault.right) == 1, fault
    return text.replace(fault.right, fault.wrong)


class Found(NamedTuple):
    """The steps of the match in which a fault was found, those of the smallest one, and the runs between them."""

    before: int
    after: int
    runs: int
    is_done: bool


def find_fault(fault: Fault, seed: int = 0) -> Found | None:
    """How the referee finds and shrinks this fault; None if random matches do not show it."""
    with TemporaryDirectory() as folder:
        ruleset, argv = write_simulator(Path(folder), fault.game, fault)
        with Simulator(argv, TIMEOUT_S) as simulator:
            referee = Referee(ruleset, simulator, MOST_LEGAL)
            settings = list_settings(ruleset)
            for _, walked in draw_walks(ruleset, settings, MATCHES, seed, MOST_STEPS, leaving=True):
                if first := referee.judge(walked):
                    smallest = referee.shrink(first, MOST_RUNS)
                    return Found(first.steps, smallest.finding.steps, smallest.runs, smallest.is_done)
    return None


def measure_speed(game: str, seconds: float = 5.0) -> tuple[float, float]:
    """Plies that are compared in full in a second of CPU time: of both processes together, and of the referee alone."""
    with TemporaryDirectory() as folder:
        ruleset, argv = write_simulator(Path(folder), game)
        children, worked = _measure_children(), time.process_time()
        with Simulator(argv, TIMEOUT_S) as simulator:
            referee = Referee(ruleset, simulator, MOST_LEGAL)
            settings = [(ruleset.parse_options({}), ruleset.min_seats)]
            for _, walked in draw_walks(ruleset, settings, 10_000, 0, MOST_STEPS, leaving=False):
                assert referee.judge(walked) is None
                if time.process_time() - worked > seconds:
                    break
            own = time.process_time() - worked
        return referee.plies / (own + _measure_children() - children), referee.plies / own


def _measure_children() -> float:
    """The CPU time of processes that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def list_rows(faults: Sequence[Fault] = FAULTS) -> Iterator[str]:
    """A line of Markdown for each fault, with the least, the middle and the largest of the lengths before shrinking."""
    for fault in faults:
        found = [each for seed in SEEDS if (each := find_fault(fault, seed))]
        before = sorted(each.before for each in found)
        after, runs = sorted({each.after for each in found}), median(each.runs for each in found)
        game = "pathagon" if fault.game == "example" else fault.game
        shown = ", ".join(map(str, before))
        yield f"| {game} | {fault.what} | {shown} | {', '.join(map(str, after))} | {runs:.0f} |"


def main() -> None:
    """Print both tables."""
    for game in ("example", "pathagon", "zhen", "crystals", "portals", "rings"):
        both, own = measure_speed(game)
        print(f"| {game} | {both:,.0f} | {own:,.0f} |", flush=True)
    for row in list_rows():
        print(row, flush=True)


if __name__ == "__main__":
    main()
