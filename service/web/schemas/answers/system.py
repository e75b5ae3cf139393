"""Answers about the service itself."""

from marshmallow import Schema, fields, validate


class Health(Schema):
    """The process is running."""

    status = fields.String(required=True, validate=validate.OneOf(["alive"]))


class Ready(Schema):
    """The process is running and its store answers."""

    status = fields.String(required=True, validate=validate.OneOf(["ready"]))
    store = fields.String(
        required=True, metadata={"description": "The store's program and version, `memory` or `unknown`."}
    )
    durability = fields.String(
        required=True,
        validate=validate.OneOf(["always", "everysec", "unknown"]),
        metadata={
            "description": "When a successful command is on disk: before the answer (`always`), within a second "
            "(`everysec`), or `unknown`."
        },
    )
