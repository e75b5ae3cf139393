"""What answers with stored events hold."""

from marshmallow import Schema, fields


class EventOut(Schema):
    """A stored event with its hash."""

    version = fields.Integer(required=True)
    type = fields.String(required=True)
    at = fields.Integer(required=True, metadata={"description": "UTC milliseconds; the version is the order."})
    by = fields.String(required=True)
    cause = fields.String(required=True)
    data = fields.Dict(required=True)
    hash = fields.String(required=True)
