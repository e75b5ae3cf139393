"""Stored events in answers."""

from marshmallow import Schema, fields

from plyscribe.service.web.schemas.field_types import time_field


class EventOut(Schema):
    """A stored event."""

    version = fields.Integer(required=True, metadata={"description": "Its number in the stream, counted from 1."})
    type = fields.String(
        required=True,
        metadata={"description": "Such as `move-made`; `unreadable` if the stored bytes are not an event."},
    )
    at = time_field("When it was recorded", "To order events, use `version`.")
    by = fields.String(
        required=True, metadata={"description": "Who caused it, such as `player:player-…` or `system:verify`."}
    )
    cause = fields.String(required=True, metadata={"description": "The id of the command that it belongs to."})
    data = fields.Dict(required=True, metadata={"description": "The fields of this type of event."})
    hash = fields.String(
        required=True,
        metadata={"description": "SHA-256 in hex of the previous event's hash followed by this event's stored bytes."},
    )


class StoredEvents(Schema):
    """The events that a command stored."""

    hash = fields.String(required=True, metadata={"description": "The hash of the last event."})
    events = fields.List(fields.Nested(EventOut), required=True)
