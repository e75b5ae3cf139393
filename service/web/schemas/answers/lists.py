"""What all lists hold."""

from marshmallow import Schema, fields


class ListPage(Schema):
    """What all lists say: they follow the streams, some moments behind."""

    next = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Path of the next page, null on the last. A page may be short, or empty, before it."},
    )
    lag_ms = fields.Integer(
        required=True, metadata={"description": "What was stored longer ago than this is in the list."}
    )
    complete = fields.Boolean(
        required=True, metadata={"description": "False while the lists are built for the first time in a store."}
    )
