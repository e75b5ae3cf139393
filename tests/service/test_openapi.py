"""The contract: committed, complete, valid."""

from pathlib import Path

import yaml
from openapi_spec_validator import validate

from service.api.openapi import format_openapi

COMMITTED = Path(__file__).parents[2] / "openapi.yaml"


def test_the_committed_contract_is_the_one_of_the_code(api):
    assert COMMITTED.read_text(encoding="utf-8") == format_openapi(api.app), "run `make openapi` and read the diff"


def test_the_contract_is_valid_openapi(api):
    validate(yaml.safe_load(format_openapi(api.app)))


def test_the_service_serves_its_contract(api):
    served = api.get("/openapi.yaml")
    assert served.text == format_openapi(api.app)


def test_every_route_has_an_entry(api):
    paths = yaml.safe_load(format_openapi(api.app))["paths"]
    routes = [rule for rule in api.app.url_map.iter_rules() if rule.endpoint != "static"]
    described = sum(len(set(path) & {"get", "post", "put", "delete", "patch"}) for path in paths.values())
    assert described == sum(len((rule.methods or set()) - {"HEAD", "OPTIONS"}) for rule in routes)
