"""The smallest match in which a check of a ruleset fails as it failed in a longer one."""

from collections.abc import Callable, Iterator
from traceback import walk_tb

from plyscribe.domain.chain import canonical_json
from plyscribe.domain.proofs.playthrough import apply_step
from plyscribe.domain.proofs.shrinking import Shrunk, shrink
from plyscribe.domain.proofs.trials import Trial, Walk
from plyscribe.domain.ruleset import AnyRuleset

MOST_RUNS = 400

Check = Callable[[Trial], Iterator[object]]
"""Checks a match: yields once at its start and once after each step, and raises where something is wrong."""


def describe_smallest(
    ruleset: AnyRuleset, trial: Trial, check: Check, error: Exception, most_runs: int = MOST_RUNS
) -> str | None:
    """The smallest match that fails at the same line of code as `error`, as text; None if the trial does not fail so.

    `error` was raised by the last step of the trial, or by the check after it.
    """
    if not trial.steps:
        return None
    place, last = _find_place(error), trial.steps[-1]

    def fails(walked: Walk) -> int | None:
        done = -1
        try:
            for done, _ in enumerate(check(walked.trial)):  # noqa: B007
                pass
        except Exception as found:
            return done + 1 if _find_place(found) == place else None
        return None

    def breaks(walked: Walk) -> int | None:
        for steps, state in enumerate(walked.states):
            try:
                apply_step(ruleset, state, last)
            except Exception as found:
                if _find_place(found) == place:
                    return steps
        return None

    if shrunk := shrink(ruleset, trial, fails, most_runs):
        return _describe(shrunk, shrunk.trial.steps, len(trial.steps))
    # Rules that fail over a step make no state of it, so no legal match contains it.
    if shrunk := shrink(ruleset, trial._replace(steps=trial.steps[:-1]), breaks, most_runs):
        return _describe(shrunk, (*shrunk.trial.steps, last), len(trial.steps))
    return None


def _find_place(error: Exception) -> tuple[str, int] | None:
    """The file and line that failed; of an assertion in `require…`, the line that called it."""
    frames = [
        (frame.f_code.co_filename, line)
        for frame, line in walk_tb(error.__traceback__)
        if not frame.f_code.co_name.startswith("require")
    ]
    return frames[-1] if frames else None


def _describe(shrunk: Shrunk, steps: tuple[str, ...], before: int) -> str:
    seats, options, _ = shrunk.trial
    head = f"the smallest match that fails like this, {len(steps)} of {before} steps ({shrunk.runs} runs):"
    setting = f"{seats} seats, options {canonical_json(options).decode()}"
    return "\n".join([head, setting, *steps])
