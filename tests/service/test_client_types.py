"""The client's types: generated from the schemas of the answers, and loaded with little else."""

import subprocess
import sys
from pathlib import Path

import pytest
from marshmallow import Schema, fields

from plyscribe.service.client import answers
from plyscribe.service.web.schemas.client_types import format_client_types, format_type, order_schemas

ROOT = Path(__file__).parents[2]
COMMITTED = Path(answers.__file__)


def test_the_committed_types_are_those_of_the_schemas_and_say_so():
    committed = COMMITTED.read_text(encoding="utf-8")
    assert committed == format_client_types(), "run `make openapi` and read the diff"
    head = "Generated from the schemas in service/web/schemas/answers. Do not edit: run `make openapi`."
    assert head in committed.splitlines()[:4]


def test_the_types_print_without_the_client():
    module = "plyscribe.service.web.schemas.client_types"
    code = f"import sys\nfrom {module} import format_client_types\nformat_client_types()\nprint(*sys.modules)"
    assert "plyscribe.service.client" not in run(code)


def test_two_schemas_of_one_name_and_a_field_that_has_no_type_are_refused():
    class Strange(Schema):
        """A strange one."""

        moment = fields.DateTime()

    with pytest.raises(ValueError, match="type name Part"):
        order_schemas([type("Part", (Schema,), {}) for _ in range(2)])
    with pytest.raises(TypeError, match="no type for DateTime"):
        format_type(Strange)


def test_the_client_loads_nothing_of_ours_but_itself_and_the_domain_and_no_others_but_httpx_and_wsproto():
    ours, others = loaded_by("plyscribe.service.client")
    rooms = ("plyscribe.domain.", "plyscribe.service.client.")
    assert {name for name in ours if not f"{name}.".startswith(rooms)} == {"plyscribe", "plyscribe.service"}
    _, of_both = loaded_by("httpx, wsproto.connection")
    assert others == of_both


def loaded_by(module: str) -> tuple[set[str], set[str]]:
    """What importing a module in a fresh interpreter loads: modules of ours, and top-level names of libraries."""
    code = f"import sys\nbefore = set(sys.modules)\nimport {module}\nprint(*set(sys.modules) - before)"
    names = set(run(code).split())
    ours = {name for name in names if name.split(".")[0] == "plyscribe"}
    return ours, {name.split(".")[0] for name in names - ours} - sys.stdlib_module_names


def run(code: str) -> str:
    """What a fresh interpreter prints."""
    argv = [sys.executable, "-c", code]
    return subprocess.run(argv, capture_output=True, cwd=ROOT, timeout=60, check=True, text=True).stdout.strip()
