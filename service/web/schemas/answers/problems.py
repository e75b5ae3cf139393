"""What a problem holds."""

from marshmallow import Schema, fields, validate

from plyscribe.domain.match import STATUSES
from plyscribe.domain.tournament.state import STATUSES as TOURNAMENT_STATUSES
from plyscribe.service.web.schemas.answers.events import EventOut


class Problem(Schema):
    """An RFC 9457 problem document; moves add clause, ply and some legal moves."""

    type = fields.String(required=True)
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    code = fields.String(required=True)
    detail = fields.String(required=True)
    instance = fields.String(required=True, metadata={"description": "The request's id, as in the log."})
    clause = fields.String()
    clause_url = fields.String()
    ply = fields.Integer()
    legal = fields.List(fields.String(), metadata={"description": "At most 20 legal moves."})
    line = fields.Integer(metadata={"description": "Of the file that was sent, from 1."})
    allowed = fields.String(metadata={"description": "What an option may be."})
    seat = fields.Integer()
    seats = fields.List(fields.Integer())
    match_status = fields.String(validate=validate.OneOf(STATUSES))
    tournament_status = fields.String(validate=validate.OneOf(TOURNAMENT_STATUSES))
    key = fields.String(metadata={"description": "The id of a server key."})
    event_type = fields.String()
    errors = fields.Dict(metadata={"description": "What is wrong, field by field."})
    version = fields.Integer()
    events = fields.List(fields.Nested(EventOut), metadata={"description": "What the client has missed."})
