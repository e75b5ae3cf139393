"""Studies: what is asked, which batches of matches answer it, and the findings as JSON."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from plyscribe import __version__
from plyscribe.service.laboratory.batches import ALIKE, CROSSED, ROTATED, Batch, Task, draw_lineups
from plyscribe.service.laboratory.clauses import describe_clauses, list_unseen_effects
from plyscribe.service.laboratory.comparing import ALPHA, BETA, Comparison
from plyscribe.service.laboratory.conclusions import draw_conclusions, format_value
from plyscribe.service.laboratory.estimates import estimate_score
from plyscribe.service.laboratory.kinds_of_moves import describe_kinds
from plyscribe.service.laboratory.luck import describe_luck
from plyscribe.service.laboratory.notebook import Notebook, StudyError
from plyscribe.service.laboratory.outcomes import describe_play
from plyscribe.service.laboratory.playing import score_seats
from plyscribe.service.laboratory.rungs import GREEDY, RANDOM, Rung, list_rungs
from plyscribe.service.laboratory.running import Progress, run_tasks
from plyscribe.service.laboratory.sensitivity import Variant, describe_change, list_variants
from plyscribe.service.laboratory.subject import Subject

FORMAT = 1
"""The version of the findings as JSON."""

FEWEST_BOARDS = 4
RANDOM_PLIES = 2
"""By default each seat begins with so many random moves, so that matches differ."""

SEEDS = 2
"""Seeds of each lineup in a game with chance."""


class Request(NamedTuple):
    """What to study. With `against`, the two subjects are compared and nothing else is asked."""

    subject: Subject
    matches: int
    playouts: int
    seed: int
    opening: int
    against: Subject | None = None
    difference: float = 0.1

    def describe(self) -> dict[str, Any]:
        """The request for JSON, with all on which the results depend."""
        asked = {
            "study": FORMAT,
            "plyscribe": __version__,
            "subject": self.subject.describe(),
            "matches": self.matches,
            "seed": self.seed,
            "opening": self.opening,
            "bots": [rung.describe() for rung in list_rungs(self.playouts)],
        }
        if self.against is None:
            return asked
        return {**asked, "against": self.against.describe(), "difference": str(self.difference)}


class Plan(NamedTuple):
    """The batches of a study of one subject."""

    play: dict[Rung, Batch]
    gradient: dict[tuple[Rung, Rung], Batch]
    luck: Batch
    options: list[tuple[Variant, Batch | None]]

    def list_batches(self) -> list[Batch]:
        """All batches, in the order in which they are played."""
        varied = (batch for _, batch in self.options if batch)
        return [*self.play.values(), *self.gradient.values(), self.luck, *varied]


def make_plan(request: Request) -> Plan:
    """The batches that answer the request; a pure function of it."""
    subject, seed, opening, seats = request.subject, request.seed, request.opening, request.subject.seats
    rungs = list_rungs(request.playouts)
    boards = max(FEWEST_BOARDS, request.matches // 4)

    def play(rung: Rung) -> Batch:
        alike = ((rung,) * seats,)
        return Batch(
            f"play/{rung.name}",
            subject,
            ALIKE,
            alike,
            request.matches,
            seed,
            10,
            opening,
            is_watched=True,
            with_curve=True,
        )

    def meet(weak: Rung, strong: Rung) -> Batch:
        lineup = (strong, *(weak,) * (seats - 1))
        return Batch(f"gradient/{strong.name}", subject, ROTATED, (lineup,), boards, seed, 4, opening)

    def vary(number: int, variant: Variant) -> Batch | None:
        if variant.subject is None:
            return None
        return Batch(
            f"options/{number}",
            variant.subject,
            ALIKE,
            ((GREEDY,) * seats,),
            request.matches,
            seed,
            10,
            opening,
            True,
            True,
        )

    return Plan(
        {rung: play(rung) for rung in rungs[:3]},
        {pair: meet(*pair) for pair in pairwise(rungs)},
        _plan_luck(request, rungs),
        [(variant, vary(number, variant)) for number, variant in enumerate(list_variants(subject), 1)],
    )


def _plan_luck(request: Request, rungs: tuple[Rung, ...]) -> Batch:
    subject = request.subject
    lineups = draw_lineups(rungs, RANDOM, subject.seats)
    many = max(FEWEST_BOARDS, request.matches // 16)
    has_chance = subject.ruleset.has_chance(subject.complete_options)
    seeds, dice = (SEEDS, max(FEWEST_BOARDS, many // SEEDS)) if has_chance else (many, 1)
    boards = len(lineups) * seeds * dice
    row = min(8, seeds * dice)
    return Batch(
        "luck", subject, CROSSED, lineups, boards, request.seed, row, request.opening, repeats=seeds, dice=dice
    )


def make_study(request: Request, notebook: Notebook, workers: int, progress: Progress) -> dict[str, Any]:
    """Play what is missing in the notebook, and the findings; the same for the same request, however it was run."""
    if request.against is not None:
        return _compare(request, request.against, notebook, workers, progress)
    plan = make_plan(request)
    run_tasks((task for batch in plan.list_batches() for task in batch.list_tasks()), notebook, workers, progress)
    return _write_up(request, plan, notebook)


def count_matches(request: Request) -> int:
    """How many matches the study has; at most, if a test may stop it."""
    if request.against is not None:
        return sum(task.matches for batch in _plan_comparison(request) for task in batch.list_tasks())
    return sum(task.matches for batch in make_plan(request).list_batches() for task in batch.list_tasks())


def _write_up(request: Request, plan: Plan, notebook: Notebook) -> dict[str, Any]:
    play, kinds, seen = {}, {}, []
    for rung, batch in plan.play.items():
        matches = list(_list_matches(batch, notebook))
        if not any(match["decisions"] for match in matches):
            raise StudyError(
                f"every match ended within its opening of {request.opening} random moves: give fewer with --opening"
            )
        play[rung.name] = describe_play(matches)
        watched = [result["seen"] for result in notebook.read_batch(batch)]
        kinds[rung.name] = describe_kinds(watched)
        seen += watched
    varied = {
        f"{variant.option} = {format_value(variant.value)}": [result["seen"] for result in notebook.read_batch(batch)]
        for variant, batch in plan.options
        if batch
    }
    ruleset = request.subject.ruleset
    findings = {
        **request.describe(),
        "play": play,
        "gradient": [_describe_meeting(*pair, batch, notebook) for pair, batch in plan.gradient.items()],
        "luck": _describe_luck(plan.luck, notebook),
        "kinds": kinds,
        "clauses": describe_clauses(ruleset, seen, varied),
        "unseen_effects": list_unseen_effects(ruleset, [*seen, *(each for some in varied.values() for each in some)]),
        "options": list(_describe_options(plan, notebook)),
    }
    return {**findings, "conclusions": draw_conclusions(findings)}


def _list_matches(batch: Batch, notebook: Notebook) -> Iterator[dict[str, Any]]:
    return (match for result in notebook.read_batch(batch) for board in result["boards"] for match in board)


def _describe_meeting(weak: Rung, strong: Rung, batch: Batch, notebook: Notebook) -> dict[str, Any]:
    boards = [board for result in notebook.read_batch(batch) for board in result["boards"]]
    scores = [[score_seats(match["ranks"])[place] for place, match in enumerate(board)] for board in boards]
    return {"strong": strong.name, "weak": weak.name, "boards": len(boards), "score": estimate_score(scores).describe()}


def _describe_luck(batch: Batch, notebook: Notebook) -> dict[str, Any]:
    """The components over all bots, and over those that think: without lineups that have a random bot."""
    scores = np.array([score_seats(match["ranks"]) for match in _list_matches(batch, notebook)])
    table = scores.reshape(len(batch.lineups), batch.repeats, batch.dice, -1)
    thinking = [place for place, lineup in enumerate(batch.lineups) if RANDOM not in lineup]
    return {"all_bots": describe_luck(table), "without_random": describe_luck(table[thinking])}


def _describe_options(plan: Plan, notebook: Notebook) -> Iterator[dict[str, Any]]:
    base = list(_list_matches(plan.play[GREEDY], notebook))
    for variant, batch in plan.options:
        found: dict[str, Any] = {"option": variant.option, "value": variant.value, "refusal": variant.refusal}
        if batch:
            varied = list(_list_matches(batch, notebook))
            found |= {"matches": len(varied), "measures": describe_change(base, varied)}
        yield found


def _plan_comparison(request: Request) -> tuple[Batch, Batch]:
    assert request.against is not None
    _, weak, strong, _ = list_rungs(request.playouts)
    lineup = (strong, *(weak,) * (request.subject.seats - 1))

    def meet(name: str, subject: Subject) -> Batch:
        return Batch(
            name, subject, ROTATED, (lineup,), request.matches, request.seed, 4, request.opening, with_curve=True
        )

    return meet("first", request.subject), meet("second", request.against)


def _compare(
    request: Request, against: Subject, notebook: Notebook, workers: int, progress: Progress
) -> dict[str, Any]:
    comparison = Comparison(request.difference)
    batches = _plan_comparison(request)
    pairs = list(zip(*(batch.list_tasks() for batch in batches), strict=True))
    last_of = {second.name: first for first, second in pairs}

    def list_tasks() -> Iterator[Task]:
        for pair in pairs:
            if comparison.is_decided:
                return
            yield from pair

    def take_in(task: Task) -> None:
        if first := last_of.get(task.name):
            boards = (notebook.read(each.name)["boards"] for each in (first, task))
            for before, after in zip(*boards, strict=True):
                comparison.add(before, after)
        progress(task)

    run_tasks(list_tasks(), notebook, workers, take_in)
    lineup = [rung.name for rung in batches[0].lineups[0]]
    errors = {"alpha": ALPHA, "beta": BETA, "difference": request.difference}
    found = {**request.describe(), **errors, "lineup": lineup, "comparison": comparison.describe()}
    return {**found, "conclusions": draw_conclusions(found)}
