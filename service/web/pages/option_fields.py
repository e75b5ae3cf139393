"""The options of a ruleset as fields of a form, made from their JSON Schema, and as words."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from plyscribe.domain.ruleset import AnyRuleset
from plyscribe.service.language.option_texts import describe_option, describe_preset
from plyscribe.service.web.pages.blueprint import blueprint
from plyscribe.service.web.pages.speech import gettext, page_language


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


def name_option(name: str) -> str:
    """The name of an option as people read it."""
    return name.replace("_", " ").capitalize()


@blueprint.app_template_filter("words")
def format_value(value: object) -> str:
    """A JSON value in words: what pages show of options and of other values that a ruleset or a person chose."""
    match value:
        case None:
            return gettext("none")
        case bool():
            return gettext("yes") if value else gettext("no")
        case list() | tuple():
            return ", ".join(map(format_value, value)) or gettext("none")
        case dict():
            named = [f"{name_option(str(name))}: {format_value(each)}" for name, each in value.items()]
            return ", ".join(named) or gettext("none")
    return str(value)


def describe_chosen(ruleset: AnyRuleset, options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """These options and their values, as the reader knows them from the form of a new match."""
    return [_describe_one(ruleset, name, value) for name, value in options.items()]


def _describe_one(ruleset: AnyRuleset, name: str, value: Any) -> tuple[str, str]:
    label, _, values = describe_option(ruleset, name, page_language())
    words = values.get(value) if isinstance(value, str | int) else None
    return label, words or format_value(value)


def describe_options(ruleset: AnyRuleset) -> dict[str, Any]:
    """What the forms for the options of a ruleset show: its fields and presets, with their texts."""
    language = page_language()
    return {
        "fields": [(field, describe_option(ruleset, field.name, language)) for field in list_fields(ruleset)],
        "presets": [
            (dict(options), describe_preset(ruleset, name, language)) for name, options in ruleset.presets.items()
        ],
    }


def list_fields(ruleset: AnyRuleset) -> list[OptionField]:
    """A field for each option, in the order of the schema. An unchanged field means the default."""
    return [read_field(name, schema) for name, schema in ruleset.options_schema()["properties"].items()]


def read_field(name: str, schema: dict[str, Any]) -> OptionField:
    """The field for an option with this JSON Schema."""
    default, kind = schema.get("default"), schema.get("type")
    if "enum" in schema:
        return OptionField(name, "json", default, choices=tuple(schema["enum"]))
    if kind == "boolean":
        return OptionField(name, "flag", default)
    if kind == "integer" or kind == ["integer", "null"]:
        numeric = "number" if kind == "integer" else "number-or-null"
        return OptionField(name, numeric, default, schema["minimum"], schema["maximum"])
    return OptionField(name, "word-or-words", default)
