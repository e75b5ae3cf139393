"""The option types that rulesets declare."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from plyscribe.domain.errors import OptionError
from plyscribe.domain.options import Choice, Flag, Integer, Option, options_schema, parse_options

FIRST = Choice("first", "roll", ("roll", 1, 2))
DEMONS = Flag("demons")
POOL = Integer("pool", 8, 1, 50)
VALUES = ["roll", "Roll", "", 0, 1, 2, 3, 1.0, True, False, None, [], {}, 8, 50, 51]


@pytest.mark.parametrize("option", [FIRST, DEMONS, POOL], ids=lambda option: option.name)
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_what_parses_is_what_the_schema_allows(option: Option, value: Any) -> None:
    # JSON Schema takes 1.0 for the integer 1; our options do not.
    allowed = Draft202012Validator(option.schema()).is_valid(value) and not isinstance(value, float)
    if allowed:
        assert option.parse(value) is value
    else:
        with pytest.raises(OptionError):
            option.parse(value)


def test_true_is_not_one_and_one_is_not_true() -> None:
    with pytest.raises(OptionError, match='True; allowed: "roll" or 1 or 2'):
        FIRST.parse(True)
    with pytest.raises(OptionError, match="1; allowed: true or false"):
        DEMONS.parse(1)


def test_options_of_all_kinds_are_completed_together() -> None:
    options = [POOL, DEMONS, FIRST]
    assert parse_options({"first": 2}, options) == {"pool": 8, "demons": False, "first": 2}
    assert list(options_schema(options)["properties"]) == ["pool", "demons", "first"]
    with pytest.raises(OptionError, match="only pool, demons, first"):
        parse_options({"second": 1}, options)
