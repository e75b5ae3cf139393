"""What answers with an inbox hold."""

from marshmallow import Schema, fields, validate

from plyscribe.domain.notices import NOTICE_TYPES
from plyscribe.service.live.inboxes import GAP


class InboxEntry(Schema):
    """What a player is told. Of which match and version, unless it is a `gap`; the rest depends on the type."""

    id = fields.Integer(required=True, metadata={"description": "Grows from entry to entry."})
    type = fields.String(required=True, validate=validate.OneOf([*NOTICE_TYPES, GAP]))
    match = fields.String()
    version = fields.Integer(metadata={"description": "Of the match, as of the event that is told of."})
    at = fields.Integer(metadata={"description": "UTC milliseconds."})
    seat = fields.Integer(metadata={"description": "Yours, of which it is told."})
    seats = fields.List(fields.Integer(), metadata={"description": "All of yours in the match."})
    ply = fields.Integer()
    deadline = fields.Integer(allow_none=True, metadata={"description": "UTC milliseconds; null without limits."})
    offered_by = fields.Integer()
    ruleset = fields.String()
    ruleset_version = fields.Integer()
    reason = fields.String()
    ranks = fields.List(fields.Integer(), metadata={"description": "Of all seats."})


class InboxPage(Schema):
    """Entries in order; `newest` is the id of the last one there is, `next` the path of the next page or null."""

    player = fields.String(required=True)
    newest = fields.Integer(required=True)
    entries = fields.List(fields.Nested(InboxEntry), required=True)
    next = fields.String(required=True, allow_none=True)
