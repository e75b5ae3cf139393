"""Names that look alike by Unicode's table, which the library has, and those that a reader tells apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plyscribe.domain.names import fold_name, is_reserved
from plyscribe.service.access.accounts import streams_of_name
from plyscribe.service.access.lookalikes import fold_lookalikes
from tests.domain.test_names import WORLD


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(("Bernd", "Bemd"), ("Ann", "Ꭺnn"), ("Вера", "Bepa"), ("soccer", "ꜱᴏᴄᴄᴇʀ"), ("Iris", "lris")),
        *(("Oslo", "0s1o"), ("Ａｎｎ", "ann"), ("ΝΙΚΗ", "nikh"), ("Ƅob", "bob"), ("mcts", "rncts")),
    ],
)
def test_names_that_look_alike_are_the_same(one, other):
    assert fold_lookalikes(one) == fold_lookalikes(other)
    assert set(streams_of_name(one)) & set(streams_of_name(other))


@pytest.mark.parametrize(
    ("one", "other"), [("Ann", "Anna"), ("Zoë", "Zoe"), ("Ann Lee", "AnnLee"), ("李", "里"), ("Ann 2", "Ann 3")]
)
def test_names_that_differ_visibly_are_different(one, other):
    assert not set(streams_of_name(one)) & set(streams_of_name(other))


@given(st.text(min_size=1, max_size=64))
def test_a_folded_name_stays_as_it_is(name):
    folded = fold_lookalikes(name)
    assert fold_name(folded) == folded
    assert fold_lookalikes(folded) == folded


@given(st.sampled_from(WORLD), st.sampled_from([str.upper, str.lower, str.title, str.casefold]))
def test_whatever_folds_alike_for_ever_looks_alike(name, change):
    if fold_name(name) == fold_name(change(name)):
        assert fold_lookalikes(name) == fold_lookalikes(change(name))


@pytest.mark.parametrize("name", ["rncts", "ᴍcts", "ɢreedy", "Ρlyscribe", "аdmin"])
def test_no_lookalike_of_a_reserved_name_is_free(name):
    assert is_reserved(fold_lookalikes(name))
