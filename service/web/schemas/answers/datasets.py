"""Answers about datasets."""

from marshmallow import Schema, fields

from plyscribe.service.datasets.splits import SPLITS


class DatasetFile(Schema):
    """A file of a dataset."""

    file = fields.String(required=True)
    rows = fields.Integer(required=True, allow_none=True, metadata={"description": "Null for a datasheet."})
    bytes = fields.Integer(required=True)
    sha256 = fields.String(
        required=True, allow_none=True, metadata={"description": "SHA-256 in hex; null for a datasheet."}
    )
    href = fields.String(required=True, metadata={"description": "The path to get it from."})


class MadeDataset(Schema):
    """A dataset that is complete."""

    dataset = fields.String(required=True, metadata={"description": "Its name."})
    schema = fields.Integer(required=True, metadata={"description": "The version of its tables."})
    until = fields.Integer(
        required=True, metadata={"description": "The cut: its matches ended before (UTC milliseconds)."}
    )
    made_at = fields.Integer(required=True, metadata={"description": "When it was complete (UTC milliseconds)."})
    licence = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "What you may do with it, in the words of the operator; null if nothing is stated."},
    )
    matches = fields.Integer(required=True, metadata={"description": "How many matches are in it."})
    digest = fields.String(
        required=True,
        metadata={"description": "SHA-256 of its matches and how they ended: equal for the same matches."},
    )
    splits = fields.Dict(
        values=fields.Integer(),
        required=True,
        metadata={"description": f"How many matches are in each split: {', '.join(SPLITS)}."},
    )
    files = fields.List(fields.Nested(DatasetFile), required=True)


class Making(Schema):
    """A dataset that is being made."""

    status = fields.String(
        required=True,
        metadata={"description": "`waiting`, `making`, or `failed`: then one is begun again after ten minutes."},
    )
    matches = fields.Integer(required=True, metadata={"description": "How many matches are in it so far."})


class DatasetState(Schema):
    """The datasets of a ruleset."""

    ruleset = fields.String(required=True, metadata={"description": "The ruleset's id."})
    title = fields.String(required=True)
    schema = fields.Integer(required=True, metadata={"description": "The version of the tables that are made now."})
    dataset = fields.Nested(
        MadeDataset, required=True, allow_none=True, metadata={"description": "The newest; null if none was made."}
    )
    making = fields.Nested(
        Making, required=True, allow_none=True, metadata={"description": "The next one; null if none is being made."}
    )


class DatasetRow(Schema):
    """The newest dataset of a ruleset."""

    ruleset = fields.String(required=True, metadata={"description": "The ruleset's id."})
    title = fields.String(required=True)
    dataset = fields.Nested(MadeDataset, required=True, allow_none=True)


class DatasetList(Schema):
    """The newest dataset of each ruleset."""

    schema = fields.Integer(required=True, metadata={"description": "The version of the tables that are made now."})
    datasets = fields.List(fields.Nested(DatasetRow), required=True)


class Datasheet(Schema):
    """What a dataset is, as in its file `datasheet.json`. It follows from the matches alone."""

    schema = fields.Integer(required=True, metadata={"description": "The version of its tables."})
    ruleset = fields.String(required=True, metadata={"description": "The ruleset's id."})
    title = fields.String(required=True)
    rules = fields.Dict(required=True, metadata={"description": "The behaviour of each version of the rules in it."})
    until = fields.String(required=True, metadata={"description": "The cut, in ISO 8601."})
    until_ms = fields.Integer(required=True, metadata={"description": "The cut (UTC milliseconds)."})
    licence = fields.String(required=True, allow_none=True)
    matches = fields.Dict(required=True, metadata={"description": "Their number, digest and counts."})
    tables = fields.Dict(
        required=True, metadata={"description": "For each table its file, its rows and bytes, and its digests."}
    )
