"""The options of a ruleset as fields of a form, made from their JSON Schema."""

from typing import Any, NamedTuple

from plyscribe.domain.ruleset import AnyRuleset


class OptionField(NamedTuple):
    """A field for an option.

    `kind` says how its text becomes a value: `number`, `number-or-null` (empty means null), `flag`, `json` (one of the
    choices), `word-or-words` (one word, or several as a list).
    """

    name: str
    kind: str
    default: Any
    low: int | None = None
    high: int | None = None
    choices: tuple[Any, ...] = ()

    @property
    def label(self) -> str:
        """The name of the option as people read it."""
        return self.name.replace("_", " ").capitalize()


def list_fields(ruleset: AnyRuleset) -> list[OptionField]:
    """A field for each option, in the order of the schema. An unchanged field means the default."""
    return [_read(name, schema) for name, schema in ruleset.options_schema()["properties"].items()]


def _read(name: str, schema: dict[str, Any]) -> OptionField:
    default, kind = schema.get("default"), schema.get("type")
    if "enum" in schema:
        return OptionField(name, "json", default, choices=tuple(schema["enum"]))
    if kind == "boolean":
        return OptionField(name, "flag", default)
    if kind == "integer" or kind == ["integer", "null"]:
        numeric = "number" if kind == "integer" else "number-or-null"
        return OptionField(name, numeric, default, schema["minimum"], schema["maximum"])
    return OptionField(name, "word-or-words", default)
