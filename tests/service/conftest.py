"""Fixtures: the API with the in-memory store."""

import pytest

from plyscribe.domain.rulesets import register
from plyscribe.service.composition import Parts, compose
from plyscribe.service.config import Config, parse_key
from plyscribe.service.store.memory import MemoryStore
from plyscribe.service.web.app import create_app
from tests.domain.toy import TOY_V1
from tests.service.api import Api
from tests.service.our_server import OurServer

CONFIG = Config("", "", parse_key("5a" * 32), open_sign_up=True, stream_threads=1000)


@pytest.fixture
def parts() -> Parts:
    register(TOY_V1)
    return compose(CONFIG, MemoryStore())


@pytest.fixture
def api(parts: Parts) -> Api:
    """The API behind what our own server does."""
    app = create_app(parts)
    app.wsgi_app = OurServer(app)  # type: ignore[method-assign]
    return Api(app)
