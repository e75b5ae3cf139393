"""The contract: committed, complete, valid."""

import re
from pathlib import Path

import yaml
from openapi_spec_validator import validate

from service.api.openapi import format_openapi

ROOT = Path(__file__).parents[2]
CODE = re.compile(r'"((?:[a-z]+-)*[a-z]+/[a-z-]+)"')
NOT_OVER_HTTP = {
    "domain/error",
    "service/error",
    "server/unreadable",
    "bot/unknown",
    "export/incomplete",
    "store/build-lost",
}
COMMITTED = ROOT / "openapi.yaml"


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


def test_every_code_is_documented():
    sources = [*(ROOT / "domain").rglob("*.py"), *(ROOT / "service").rglob("*.py")]
    raised = {
        code
        for path in sources
        if path.name != "embedded.py"
        for code in CODE.findall(path.read_text(encoding="utf-8"))
        if code.split("/")[0] not in ("application", "text")
    }
    documented = set(re.findall(r"`([a-z-]+/[a-z-]+)`", (ROOT / "docs" / "api.md").read_text(encoding="utf-8")))
    assert raised - NOT_OVER_HTTP - documented == set()
    assert documented - raised - {"application/json"} == set()
