"""What the service answers about itself."""

from marshmallow import Schema, fields, validate


class Health(Schema):
    """The process answers."""

    status = fields.String(required=True)


class Ready(Schema):
    """The process can do its work; `durability` says what a success answer is worth."""

    status = fields.String(required=True)
    store = fields.String(required=True)
    durability = fields.String(required=True, validate=validate.OneOf(["always", "everysec", "unknown"]))
