"""Draws at half the price of `randrange`, with the same results."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from plyscribe.domain.draws import draw_with


@given(st.integers(), st.lists(st.integers(1, 2**80), max_size=40))
def test_it_draws_what_randrange_draws(seed: int, bounds: list[int]):
    ours, theirs = draw_with(Random(seed).getrandbits), Random(seed)
    assert [ours(bound) for bound in bounds] == [theirs.randrange(bound) for bound in bounds]
