"""Draws below a bound, as `random.Random.randrange` makes them and at half its price."""

from collections.abc import Callable

from plyscribe.domain.ruleset import RandBelow


def draw_with(getrandbits: Callable[[int], int]) -> RandBelow:
    """`randbelow` from `random.Random.getrandbits`: it draws exactly what `randrange(n)` of that generator would."""

    def randbelow(n: int) -> int:
        bits = n.bit_length()
        drawn = getrandbits(bits)
        while drawn >= n:
            drawn = getrandbits(bits)
        return drawn

    return randbelow
