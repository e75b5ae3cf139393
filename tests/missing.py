"""What a test does without a server or a program that it needs."""

import os
from typing import NoReturn

import pytest


def do_without(why: str) -> NoReturn:
    """Skip the test. In the gate it fails: there, everything has to be installed."""
    if os.environ.get("PLYSCRIBE_REQUIRE_SERVERS") == "1":
        pytest.fail(why)
    pytest.skip(why)
