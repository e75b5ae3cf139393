"""What answers about rulesets hold."""

from marshmallow import Schema, fields


class RulesetVersion(Schema):
    """A version of a ruleset; matches name theirs, and play by it for ever."""

    version = fields.Integer(required=True)
    released = fields.Boolean(
        required=True, metadata={"description": "Whether it is frozen; a draft may still change under its matches."}
    )
    behaviour = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Its behaviour digest: SHA-256 of its proofs in hex; null where it has none."},
    )


class RulesetOut(RulesetVersion):
    """A ruleset in one version."""

    ruleset = fields.String(required=True)
    title = fields.String(required=True)
    min_seats = fields.Integer(required=True)
    max_seats = fields.Integer(required=True)
    options = fields.Dict(required=True, metadata={"description": "JSON Schema of the options."})
    presets = fields.Dict(
        required=True, metadata={"description": "Options by name: rated matches have these, or the defaults."}
    )


class ClauseOut(Schema):
    """A clause of the rules in one version."""

    ruleset = fields.String(required=True)
    version = fields.Integer(required=True)
    clause = fields.String(required=True)
    title = fields.String(required=True)
    text = fields.String(required=True, metadata={"description": "Markdown."})


class RulesetDetail(RulesetOut):
    """A ruleset with its versions and clauses."""

    versions = fields.List(fields.Nested(RulesetVersion), required=True, metadata={"description": "Newest first."})
    clauses = fields.List(fields.Nested(ClauseOut), required=True)


class RulesetRow(RulesetOut):
    """A ruleset as the list shows it."""

    matches = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "Public matches of it in all of its versions; null while the store is away."},
    )


class Rulesets(Schema):
    """Rulesets in all versions, newest first within an id."""

    rulesets = fields.List(fields.Nested(RulesetRow), required=True)
