from collections.abc import Iterator

import pytest

from plyscribe.service.database.engine import Database


@pytest.fixture
def database(any_read_url: str) -> Iterator[Database]:
    """An empty read database of each kind: all must pass the same tests."""
    database = Database(any_read_url)
    yield database
    database.close()
