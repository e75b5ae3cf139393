"""What answers about imports hold."""

from marshmallow import Schema, fields, validate

from plyscribe.domain.imported import STATUSES as IMPORT_STATUSES


class Progress(Schema):
    """How much is done."""

    done = fields.Integer(required=True)
    total = fields.Integer(required=True)


class ImportOut(Schema):
    """An import. `status` is `own` for a match of this server, which has all that the bundle says."""

    id = fields.String(required=True, allow_none=True, data_key="import")
    match = fields.String(required=True)
    status = fields.String(required=True, validate=validate.OneOf([*IMPORT_STATUSES, "own"]))
    by = fields.String(required=True, allow_none=True, metadata={"description": "Who imported it."})
    at = fields.Integer(required=True, allow_none=True, metadata={"description": "UTC milliseconds."})
    private = fields.Boolean(required=True, allow_none=True)
    copied = fields.Nested(Progress, required=True, allow_none=True, metadata={"description": "Events of the match."})
    sha256 = fields.String(required=True, allow_none=True, metadata={"description": "Of the file that was sent."})
    verdict = fields.Dict(
        required=True,
        allow_none=True,
        metadata={
            "description": "Of a bundle: verified up to a version, or refuted: at which version, and why. "
            "Of a text record: its first fault, with line, column, ply, clause, and whether anything before it can be "
            "kept."
        },
    )
    entered = fields.Dict(
        required=True,
        allow_none=True,
        metadata={"description": "Of a text record: version and plies of the match that became of it."},
    )
