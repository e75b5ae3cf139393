"""Exports: so many are sent at the same time, and so many of them to one client."""

from contextlib import ExitStack, closing

import pytest

from plyscribe.service.errors import ExportsFull, ExportsShare
from plyscribe.service.web.api.exports import PLACES
from plyscribe.service.web.places import Places
from tests.service.api import Api
from tests.service.test_bundle_api import Played

NDJSON = {"Accept": "application/x-ndjson"}


def test_a_client_takes_no_more_than_its_share():
    places = Places(10, 2)
    give_back = places.take("ann")
    places.take("ann")
    with pytest.raises(ExportsShare, match="you are being sent 2 exports already"):
        places.take("ann")
    places.take("ben")
    give_back()
    places.take("ann")


def test_all_clients_together_take_no_more_than_there_are():
    places = Places(2, 2)
    give_back = places.take("ann")
    places.take("ben")
    with pytest.raises(ExportsFull):
        places.take("cat")
    give_back()
    places.take("cat")


def test_a_place_is_given_back_once():
    places = Places(2, 2)
    give_back = places.take("ann")
    places.take("ann")
    give_back()
    give_back()
    places.take("ann")
    with pytest.raises(ExportsFull):
        places.take("ann")


@pytest.fixture
def played(api: Api, parts) -> Played:
    return Played(api, parts)


@pytest.mark.parametrize(("path", "headers"), [("bundle", {}), ("events", NDJSON)])
def test_an_export_holds_a_place_until_it_ends(played, path, headers):
    played.api.app.extensions[PLACES] = Places(2, 1)
    client = played.api.app.test_client()

    def ask(method: str = "GET", token: str | None = None):
        bearer = {"Authorization": f"Bearer {token}"} if token else {}
        return client.open(f"{played.path}/{path}", method=method, headers={**headers, **bearer})

    with ExitStack() as stack:
        stack.enter_context(closing(ask()))
        refused = ask()
        assert (refused.status_code, refused.json["code"], refused.headers["Retry-After"]) == (429, "export/share", "1")
        stack.enter_context(closing(ask(token=played.token)))
        refused = ask(token=played.api.sign_up("Cat")[1])
        assert (refused.status_code, refused.json["code"]) == (503, "export/full")
    for _ in range(3):
        assert ask().data
        assert ask("HEAD").status_code == 200


def test_a_bundle_that_has_not_changed_needs_no_place(played):
    tag = played.api.get(f"{played.path}/bundle").headers["ETag"]
    played.api.app.extensions[PLACES] = Places(0, 0)
    assert played.api.get(f"{played.path}/bundle", headers={"If-None-Match": tag}).status_code == 304


def test_a_bundle_that_cannot_be_made_keeps_no_place(played):
    played.api.app.extensions[PLACES] = Places(1, 1)
    played.spoil(3, b'"move"', b'\n"move"')
    for _ in range(2):
        assert played.api.get(f"{played.path}/bundle").status_code == 409
