"""Generates `service/client/answers.py`, the answers as types of the Python client, from the schemas.

Run as a module, it prints the file. It does not import the client, so it works even when the present file does not.
"""

import inspect
import sys
from collections.abc import Iterator
from keyword import iskeyword
from textwrap import indent, wrap
from typing import Any

from marshmallow import Schema, fields, validate

from plyscribe.service.web.schemas import answers

HEAD = '''\
"""The server's answers as types.

Generated from the schemas in service/web/schemas/answers. Do not edit: run `make openapi`.
Where a description says null, Python has None.
"""

from typing import Any, Literal, NotRequired, TypedDict

Json = dict[str, Any]
"""A JSON object whose keys depend on its context, such as the ruleset or the type of event."""
'''
NAMES = {"Problem": "ProblemDocument"}
"""Exceptions to the rule of `type_name`: in the client, `Problem` is the exception that carries the document."""

WIDTH = 120
SCALARS: dict[type[fields.Field[Any]], str] = {
    fields.Boolean: "bool",
    fields.Float: "float",
    fields.Integer: "int",
    fields.String: "str",
}


def format_client_types() -> str:
    """The source text of the file, as it is committed; ValueError if two schemas would have the same type name."""
    schemas = [each for each in vars(answers).values() if isinstance(each, type) and issubclass(each, Schema)]
    return HEAD + "".join(f"\n\n{format_type(schema)}" for schema in order_schemas(schemas))


def order_schemas(schemas: list[type[Schema]]) -> list[type[Schema]]:
    """These schemas, their bases and nested schemas, each after those that it needs.

    ValueError if two have the same type name.
    """
    ordered: dict[str, type[Schema]] = {}

    def add(schema: type[Schema]) -> None:
        nested = (each for field in _own_fields(schema).values() for each in _nested(field))
        for needed in (*_bases(schema), *nested):
            add(needed)
        if ordered.setdefault(type_name(schema), schema) is not schema:
            raise ValueError(f"two schemas have the type name {type_name(schema)}: rename one, or add one to NAMES")

    for schema in schemas:
        add(schema)
    return list(ordered.values())


def type_name(schema: type[Schema]) -> str:
    """The name of a schema's type: the schema's name without `Out`."""
    return NAMES.get(schema.__name__, schema.__name__.removesuffix("Out"))


def format_type(schema: type[Schema]) -> str:
    """The TypedDict of a schema, laid out as `ruff format` does; TypeError for a kind of field without a type here."""
    own = {field.data_key or name: field for name, field in _own_fields(schema).items()}
    keywords = {name: field for name, field in own.items() if iskeyword(name)}
    bases = [type_name(base) for base in _bases(schema)]
    text = ""
    if keywords:
        # A key that is a Python keyword cannot be written in a class.
        keys = ", ".join(f'"{name}": {_annotation(field)}' for name, field in keywords.items())
        name = f"_{type_name(schema)}Keywords"
        text = f'{name} = TypedDict("{name}", {{{keys}}})\n\n\n'
        bases.append(name)
    text += f"class {type_name(schema)}({', '.join(bases or ['TypedDict'])}):\n"
    text += indent(f'"""{_docstring(schema)}"""\n', "    ", lambda line: line.strip() != "")
    members = [_format_key(name, field) for name, field in own.items() if name not in keywords]
    return text + ("\n" + "".join(members).rstrip("\n") + "\n" if members else "")


def _docstring(schema: type[Schema]) -> str:
    text = inspect.cleandoc(schema.__doc__ or "")
    return text + "\n" if "\n" in text else text


def _format_key(name: str, field: fields.Field[Any]) -> str:
    """A key with its type, and its description below it."""
    annotation = _annotation(field)
    fits = len(f"    {name}: {annotation}") <= WIDTH
    line = f"    {name}: {annotation if fits else _break(annotation, '    ')}\n"
    description = field.metadata.get("description")
    if not description:
        return line
    lines = wrap(f'"""{description}"""', WIDTH - 4)
    if len(lines) > 1:
        lines = [*wrap(f'"""{description}', WIDTH - 4), '"""']
    return line + indent("\n".join(lines), "    ") + "\n\n"


def _break(annotation: str, margin: str) -> str:
    """A type on several lines; its last comma keeps the formatter from joining them."""
    name, _, inner = annotation.removesuffix("]").partition("[")
    if name == "Literal":
        lines = "".join(f"{margin}    {word},\n" for word in inner.split(", "))
    else:
        lines = f"{margin}    {_break(inner, margin + '    ')}\n"
    return f"{name}[\n{lines}{margin}]"


def _annotation(field: fields.Field[Any]) -> str:
    annotation = _type(field) + (" | None" if field.allow_none else "")
    return annotation if field.required else f"NotRequired[{annotation}]"


def _type(field: fields.Field[Any]) -> str:
    match field:
        case fields.Nested():
            return type_name(type(field.schema))
        case fields.List():
            return f"list[{_type(field.inner)}{' | None' if field.inner.allow_none else ''}]"
        case fields.Dict():
            return f"dict[str, {_type(field.value_field)}]" if field.value_field else "Json"
    for validator in field.validators:
        if isinstance(validator, validate.OneOf):
            words = ", ".join(f'"{word}"' for word in validator.choices)
            return f"Literal[{words}]"
    for kind, name in SCALARS.items():
        if isinstance(field, kind):
            return name
    raise TypeError(f"no type for {type(field).__name__}: add it to SCALARS in {__name__}")


def _bases(schema: type[Schema]) -> list[type[Schema]]:
    return [base for base in schema.__bases__ if issubclass(base, Schema) and base is not Schema]


def _own_fields(schema: type[Schema]) -> dict[str, fields.Field[Any]]:
    """The fields that the schema's bases lack, or have with another type, which mypy refuses then."""
    inherited = {name: _annotation(field) for base in _bases(schema) for name, field in base._declared_fields.items()}
    return {name: field for name, field in schema._declared_fields.items() if inherited.get(name) != _annotation(field)}


def _nested(field: fields.Field[Any]) -> Iterator[type[Schema]]:
    match field:
        case fields.Nested():
            yield type(field.schema)
        case fields.List():
            yield from _nested(field.inner)
        case fields.Dict() if field.value_field:
            yield from _nested(field.value_field)


if __name__ == "__main__":
    sys.stdout.write(format_client_types())
