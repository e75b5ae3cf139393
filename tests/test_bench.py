"""How bench measures: the rounds, the ratios, the verdict."""

from bench.measuring import Claim, Sample, compare, take_rounds, times_as_fast, times_the_cost


def candidate(calls: list[str], name: str, *cpu_s: float):
    samples = iter(cpu_s)

    def run() -> Sample:
        calls.append(name)
        return Sample(1, next(samples))

    return run


def test_candidates_take_turns_there_and_back_after_a_round_that_does_not_count():
    calls: list[str] = []
    rounds = take_rounds({"a": candidate(calls, "a", 9, 1, 2), "b": candidate(calls, "b", 9, 3, 4)}, 2)
    assert "".join(calls) == "abab" + "ba"
    assert [(taken["a"].cpu_s, taken["b"].cpu_s) for taken in rounds] == [(1, 3), (2, 4)]


def test_a_ratio_is_the_median_of_those_within_a_round():
    rounds = [{"ours": Sample(1, ours), "theirs": Sample(1, theirs)} for ours, theirs in ((1, 2), (10, 30), (5, 50))]
    (row,) = compare(rounds, [Claim("it", "unit", "ours", "theirs", times_as_fast(3))])
    assert row.ratio == "3.00 (2.00–10.00)"
    assert row.is_met


def test_cost_counts_a_unit():
    rounds = [{"ours": Sample(10, 20.0), "theirs": Sample(1, 1.0)}]
    (row,) = compare(rounds, [Claim("it", "unit", "ours", "theirs", times_the_cost(1.5))])
    assert row.ratio.startswith("2.00")
    assert row.is_met is False
