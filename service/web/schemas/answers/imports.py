"""Answers about imports."""

from marshmallow import Schema, fields, validate

from plyscribe.domain.imported import STATUSES as IMPORT_STATUSES
from plyscribe.service.web.schemas.field_types import time_field


class Progress(Schema):
    """How many events are copied."""

    done = fields.Integer(required=True)
    total = fields.Integer(required=True)


class ImportVerdict(Schema):
    """The result of checking what was imported.

    A bundle has `version`, and `checks` or `check` and `why`. A faulty text record has the other fields and `why`.
    """

    type = fields.String(
        required=True, validate=validate.OneOf(["import-verified", "import-refuted", "record-refused"])
    )
    version = fields.Integer(
        metadata={"description": "The version up to which a bundle is verified, or the first event at fault."}
    )
    checks = fields.List(fields.String(), metadata={"description": "The checks that a verified bundle passed."})
    check = fields.String(metadata={"description": "The check that a refuted bundle failed."})
    why = fields.String(metadata={"description": "What is wrong."})
    line = fields.Integer(metadata={"description": "The line of the record's first fault, counted from 1."})
    column = fields.Integer(metadata={"description": "The column of the fault, counted from 1."})
    ply = fields.Integer(metadata={"description": "The number of moves before the fault."})
    clause = fields.String(allow_none=True, metadata={"description": "The clause of the rules that the record breaks."})
    can_keep = fields.Boolean(
        metadata={"description": "Whether you can keep what comes before the fault as an unfinished match."}
    )


class EnteredRecord(Schema):
    """The match that was made from a text record."""

    version = fields.Integer(required=True, metadata={"description": "The version of the match after the import."})
    plies = fields.Integer(required=True, metadata={"description": "The number of moves that were entered."})


class ImportOut(Schema):
    """An import of a bundle or a text record."""

    id = fields.String(
        required=True, allow_none=True, data_key="import", metadata={"description": "Its id; null for `own`."}
    )
    match = fields.String(required=True, metadata={"description": "The id of the match that is imported."})
    address = fields.String(
        required=True,
        metadata={
            "description": "What to use in paths instead of the match's id: `<match>~<import>` for a bundle. The id "
            "alone also reads the bundle if it is the only version of the match here."
        },
    )
    status = fields.String(
        required=True,
        validate=validate.OneOf([*IMPORT_STATUSES, "own"]),
        metadata={
            "description": "A bundle is `copying`, then `waiting` for its check, then `verified` (consistent in "
            "itself) or `refuted`. A text record is `waiting`, then `entered`, or `faulty` and perhaps `kept`; after a "
            "week a faulty text is `dropped`. `own`: this server recorded the match itself, and the bundle holds "
            "nothing else."
        },
    )
    by = fields.String(required=True, allow_none=True, metadata={"description": "The account that imported it."})
    at = time_field("When the import began", "Null for `own`.", allow_none=True)
    private = fields.Boolean(required=True, allow_none=True)
    copied = fields.Nested(
        Progress, required=True, allow_none=True, metadata={"description": "For a bundle: its events copied so far."}
    )
    sha256 = fields.String(
        required=True, allow_none=True, metadata={"description": "The SHA-256 of the file that was sent, in hex."}
    )
    verdict = fields.Nested(
        ImportVerdict, required=True, allow_none=True, metadata={"description": "Null until the import is checked."}
    )
    entered = fields.Nested(
        EnteredRecord,
        required=True,
        allow_none=True,
        metadata={"description": "For a text record: what became a match. Null if nothing did so far."},
    )
    kept_until = time_field(
        "When the text of a faulty record is dropped",
        "Until then you can keep what comes before its fault. Null for everything else, and afterwards.",
        allow_none=True,
    )
