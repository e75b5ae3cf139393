"""The client's types: generated from the schemas of the answers, and loaded with little else."""

import subprocess
import sys
from pathlib import Path

import pytest
from marshmallow import Schema, fields, validate

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


class Part(Schema):
    """A part."""

    at = fields.Integer(required=True, metadata={"description": "UTC milliseconds."})


class WholeOut(Part):
    """A whole.

    It has parts.
    """

    word = fields.String(required=True, validate=validate.OneOf(["a", "b"]))
    nobody = fields.String(required=True, allow_none=True)
    maybe = fields.Boolean()
    parts = fields.List(fields.Nested(Part), required=True)
    gaps = fields.List(fields.Integer(allow_none=True), required=True)
    rows = fields.List(fields.List(fields.Nested(Part)), required=True)
    named = fields.Dict(values=fields.Integer(), required=True)
    free = fields.Dict(allow_none=True)


def test_a_schema_becomes_a_type_with_its_docstring_bases_and_keys():
    assert format_type(WholeOut) == (
        "class Whole(Part):\n"
        '    """A whole.\n'
        "\n"
        "    It has parts.\n"
        '    """\n'
        "\n"
        '    word: Literal["a", "b"]\n'
        "    nobody: str | None\n"
        "    maybe: NotRequired[bool]\n"
        "    parts: list[Part]\n"
        "    gaps: list[int | None]\n"
        "    rows: list[list[Part]]\n"
        "    named: dict[str, int]\n"
        "    free: NotRequired[Json | None]\n"
    )
    assert format_type(Part).endswith('    at: int\n    """UTC milliseconds."""\n')


def test_a_key_that_is_a_keyword_of_python_stands_in_a_base():
    class Import(Schema):
        """An import."""

        id = fields.String(required=True, data_key="import")

    base, written = format_type(Import).split("\n\n\n")
    assert base == '_ImportKeywords = TypedDict("_ImportKeywords", {"import": str})'
    assert written.startswith("class Import(_ImportKeywords):\n")


def test_a_type_comes_after_those_that_it_needs_and_what_has_none_is_refused():
    class Strange(Schema):
        """A strange one."""

        moment = fields.DateTime()

    assert order_schemas([WholeOut]) == [Part, WholeOut]
    with pytest.raises(ValueError, match="type name Part"):
        order_schemas([Part, type("Part", (Schema,), {})])
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
