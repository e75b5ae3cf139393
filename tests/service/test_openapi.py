"""openapi.yaml: committed, complete and valid."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import ValidationError
from openapi_spec_validator import validate

import plyscribe
from plyscribe.service.web.api.http import PROBLEM
from plyscribe.service.web.api.openapi import format_openapi
from tests.service.examples import RECORDED

ROOT = Path(__file__).parents[2]
PACKAGE = Path(plyscribe.__file__).parent
CODE = re.compile(r'"((?:[a-z]+-)*[a-z]+/[a-z-]+)"')
NOT_OVER_HTTP = {
    *("answer/unreadable", "domain/error", "service/error", "server/unreadable", "bot/unknown", "dataset/changed"),
    *("dataset/unfinished", "export/incomplete", "ratings/fold-taken", "receipt/unreadable"),
    *("store/build-lost", "store/loss-found"),
}
FROM_THE_PROXY = {"server/unreachable"}
COMMITTED = ROOT / "openapi.yaml"


def test_the_committed_contract_matches_the_code_and_is_served(api):
    committed = COMMITTED.read_text(encoding="utf-8")
    assert committed == format_openapi(api.app), "run `make openapi` and read the diff"
    assert api.get("/openapi.yaml").text == committed


def test_the_contract_is_valid_openapi():
    # As a client reads it. The loader in C takes a fifth of the time.
    validate(yaml.load(COMMITTED.read_bytes(), yaml.CSafeLoader))


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """All operations with their ids."""
    for path in document["paths"].values():
        for method in path.keys() & {"get", "post", "put", "delete", "patch"}:
            yield path[method]["operationId"], path[method]


def contents(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """All bodies in the contract, including those of problems, with their places."""
    for name, operation in operations(document):
        for kind, body in operation.get("requestBody", {}).get("content", {}).items():
            yield f"{name} {kind}", body
        for status, response in operation["responses"].items():
            for kind, body in response.get("content", {}).items():
                yield f"{name} {status} {kind}", body
    for name, response in document["components"]["responses"].items():
        for kind, body in response["content"].items():
            yield f"{name} {kind}", body


def test_every_route_is_an_operation_and_operations_and_problems_have_examples(api):
    rules = [rule for rule in api.app.url_map.iter_rules() if not rule.endpoint.startswith("pages.")]
    routes = sum(len((rule.methods or set()) - {"HEAD", "OPTIONS"}) for rule in rules)
    assert len(list(operations(api.document))) == routes
    bare = [where for where, content in contents(api.document) if PROBLEM not in where and not content.get("examples")]
    assert bare == [], "show them in tests/service/examples.py and run `make openapi`"
    answers = api.document["components"]["responses"].items()
    # A method that is not documented is no operation, and neither is oEmbed.
    bare_problems = {name for name, answer in answers if not answer["content"][PROBLEM].get("examples")}
    assert bare_problems <= {"Problem405", "Problem501"}


def test_every_example_fits_its_schema(api):
    for where, content in contents(api.document):
        for name, example in content.get("examples", {}).items():
            try:
                api.validate(content["schema"], example["value"])
            except ValidationError as error:
                pytest.fail(f"{where}, {name}: {error.message}")


def test_the_committed_examples_are_what_the_service_answers():
    # In a process of its own, because other tests register rulesets.
    argv = [sys.executable, "-m", "tests.service.examples", "--print"]
    printed = subprocess.run(argv, capture_output=True, cwd=ROOT, timeout=120, check=True).stdout
    assert printed == RECORDED.read_bytes(), "run `make openapi` and read the diff"


def test_every_code_is_documented():
    sources = [*(PACKAGE / "domain").rglob("*.py"), *(PACKAGE / "service").rglob("*.py")]
    raised = {
        code
        for path in sources
        # The keys of sentences look like codes.
        if path.name != "embedded.py" and path.parent.name != "language"
        for code in CODE.findall(path.read_text(encoding="utf-8"))
        if code.split("/")[0] not in ("application", "image", "tests", "text")
    }
    documented = set(re.findall(r"`([a-z-]+/[a-z-]+)`", (ROOT / "docs" / "api.md").read_text(encoding="utf-8")))
    assert raised - NOT_OVER_HTTP - documented == set()
    assert documented - raised - {"application/json"} == FROM_THE_PROXY
    proxied = CODE.findall((ROOT / "deploy" / "Caddyfile").read_text(encoding="utf-8"))
    assert {*proxied} == FROM_THE_PROXY


MOVES = "/v1/matches/{match}/moves"
VERSIONS = [
    *("*", '"1"', '"12-9f"', '"123456789012345"'),
    *("1", "", "**", 'W/"1"', '"1", "2"', '"-1"', '"1234567890123456"'),
]
KEYS = ["a", "a b", "~" * 64, "", "x" * 65, "é", "a\tb"]


@pytest.mark.parametrize(
    ("header", "value", "code"),
    [
        *(("If-Match", value, "request/if-match") for value in VERSIONS),
        *(("Idempotency-Key", key, "key/invalid") for key in KEYS),
    ],
)
def test_the_contract_and_the_server_agree_on_versions_and_keys(api, header, value, code):
    _, token = api.sign_up()
    answered = api.post(MOVES.format(match=f"match-{'a' * 26}"), token, {"move": "d4"}, headers={header: value})
    parameters = api.document["paths"][MOVES]["post"]["parameters"]
    pattern = next(each["schema"]["pattern"] for each in parameters if each["name"] == header)
    assert (answered.json["code"] != code) == (re.search(pattern, value) is not None)
