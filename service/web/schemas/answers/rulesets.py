"""Answers about rulesets."""

from marshmallow import Schema, fields


class RulesetVersion(Schema):
    """A version of a ruleset. A match keeps the version that it was created with."""

    version = fields.Integer(required=True)
    released = fields.Boolean(
        required=True,
        metadata={
            "description": "A released version never changes. A draft can still change, and matches recorded under it "
            "may then no longer replay."
        },
    )
    behaviour = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "A digest of the ruleset's behaviour: the SHA-256 of its proofs, in hex. Null if it has "
            "none."
        },
    )


class RulesetOut(RulesetVersion):
    """One version of a ruleset."""

    ruleset = fields.String(required=True, metadata={"description": "The ruleset's id."})
    title = fields.String(required=True)
    min_seats = fields.Integer(required=True)
    max_seats = fields.Integer(required=True)
    options = fields.Dict(required=True, metadata={"description": "The JSON Schema of the options."})
    presets = fields.Dict(
        values=fields.Dict(),
        required=True,
        metadata={
            "description": "Named sets of options. A rated match must have the options of a preset, or the defaults."
        },
    )


class ClauseOut(Schema):
    """One clause of a ruleset's rules."""

    ruleset = fields.String(required=True, metadata={"description": "The ruleset's id."})
    version = fields.Integer(required=True, metadata={"description": "The version of the ruleset."})
    clause = fields.String(required=True, metadata={"description": "The clause's id."})
    title = fields.String(required=True)
    text = fields.String(required=True, metadata={"description": "The clause in Markdown."})


class RulesetDetail(RulesetOut):
    """One version of a ruleset, with its clauses and a list of all its versions."""

    versions = fields.List(
        fields.Nested(RulesetVersion), required=True, metadata={"description": "All versions, newest first."}
    )
    clauses = fields.List(fields.Nested(ClauseOut), required=True)
    effects = fields.Dict(required=True, metadata={"description": "The JSON Schema of an effect of a step."})


class RulesetRow(RulesetOut):
    """One version of a ruleset as the list shows it."""

    matches = fields.Integer(
        required=True,
        allow_none=True,
        metadata={
            "description": "The number of public matches in all versions of the ruleset; null while the store cannot "
            "be reached."
        },
    )


class Rulesets(Schema):
    """All versions of rulesets, newest first within each ruleset."""

    rulesets = fields.List(fields.Nested(RulesetRow), required=True)
