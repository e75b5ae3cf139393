"""`plyscribe vectors` writes what plyscribe.domain.proofs.vectors tells, and refuses in a line what cannot be."""

import pytest
from click.testing import CliRunner

from plyscribe.domain.errors import OptionError, UnknownRuleset
from plyscribe.domain.proofs.vectors import write_vectors
from plyscribe.domain.rulesets import find_ruleset
from plyscribe.service.cli.__main__ import cli


def test_it_writes_the_vectors_that_it_is_asked_for():
    asked = ["vectors", "pathagon", "--version", "1", "--matches", "2", "--seed", "7", "--options", '{"size": 5}']
    ran = CliRunner().invoke(cli, asked, catch_exceptions=False)
    assert ran.stdout_bytes == b"".join(write_vectors(find_ruleset("pathagon", 1), 2, {"size": 5}, 2, 7))


@pytest.mark.parametrize(
    ("asked", "refusal"),
    [
        (["chess"], UnknownRuleset),
        (["zhen", "--options", '{"tiles": 99}'], OptionError),
        (["zhen", "--options", "[1]"], SystemExit),
        (["zhen", "--options", "{"], SystemExit),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(asked, refusal):
    ran = CliRunner().invoke(cli, ["vectors", *asked])
    assert isinstance(ran.exception, refusal)
    assert ran.stdout == ""
