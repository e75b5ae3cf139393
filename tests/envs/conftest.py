"""A ruleset for these tests that is not registered otherwise."""

from collections.abc import Iterator

import pytest

from plyscribe.domain.rulesets import RULESETS, register
from tests.domain.toy import TOY_V1


@pytest.fixture
def toy() -> Iterator[str]:
    register(TOY_V1)
    yield TOY_V1.id
    RULESETS.remove(TOY_V1)
