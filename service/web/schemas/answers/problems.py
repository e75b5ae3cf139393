"""The body of every refusal."""

from marshmallow import Schema, fields, validate

from plyscribe.domain.imported import STATUSES as IMPORT_STATUSES
from plyscribe.domain.match import STATUSES
from plyscribe.domain.tournament.state import STATUSES as TOURNAMENT_STATUSES
from plyscribe.service.matches.imports import MAX_NAMED
from plyscribe.service.web.schemas.answers.events import EventOut
from plyscribe.service.web.schemas.answers.matches import Turn
from plyscribe.service.web.schemas.field_types import time_field


class VersionOut(Schema):
    """One of several versions of a match that were imported."""

    match = fields.String(required=True, metadata={"description": "The address to ask for this version by."})
    id = fields.String(required=True, data_key="import", metadata={"description": "The id of the import."})
    by = fields.String(required=True, allow_none=True, metadata={"description": "The account that imported it."})
    at = time_field("When it was imported")
    status = fields.String(required=True, validate=validate.OneOf(IMPORT_STATUSES))
    version = fields.Integer(required=True, metadata={"description": "The number of its events."})
    hash = fields.String(required=True, metadata={"description": "The hash of its last event, in hex."})


class Problem(Schema):
    """A problem document (RFC 9457).

    Every problem has `type`, `title`, `status`, `code`, `detail` and `instance`. The other fields depend on the code.
    """

    type = fields.String(required=True, metadata={"description": "A URI reference that identifies the code."})
    title = fields.String(
        required=True, metadata={"description": "The meaning of the status, in the language of the reader."}
    )
    status = fields.Integer(required=True, metadata={"description": "The HTTP status."})
    code = fields.String(
        required=True, metadata={"description": "Identifies the kind of problem. Codes never change their meaning."}
    )
    detail = fields.String(
        required=True, metadata={"description": "What is wrong with this request, for people, in their language."}
    )
    instance = fields.String(
        required=True, metadata={"description": "The request's id. The server's log has the same id."}
    )
    clause = fields.String(metadata={"description": "The clause of the rules that a refused move breaks."})
    clause_url = fields.String(metadata={"description": "Where to read the clause."})
    ply = fields.Integer(metadata={"description": "The number of moves made before the refused one."})
    step = fields.Integer(
        metadata={"description": "The number of the refused step of a variation or correction, from 0."}
    )
    turn = fields.Nested(Turn, metadata={"description": "What is due in place of the refused step of a correction."})
    legal = fields.List(fields.String(), metadata={"description": "Some legal moves, at most 20."})
    line = fields.Integer(metadata={"description": "The line at fault in the file that was sent, counted from 1."})
    column = fields.Integer(metadata={"description": "The column of the fault in that line, counted from 1."})
    found = fields.String(metadata={"description": "What stands at the fault of a query or a line of steps."})
    option = fields.String(metadata={"description": "The option that the problem is about, or `seats`."})
    allowed = fields.String(metadata={"description": "The values that are allowed."})
    players = fields.List(fields.String(), metadata={"description": "The accounts that have the name."})
    suggestion = fields.String(metadata={"description": "A name like the one asked for that is free."})
    known = fields.List(fields.String(), metadata={"description": "The names that exist."})
    seat = fields.Integer(metadata={"description": "The seat that the problem is about."})
    seats = fields.List(fields.Integer(), metadata={"description": "The seats that the problem is about."})
    most = fields.Integer(metadata={"description": "How many an account may have, or how much it may ask for."})
    until = time_field("Until when it is not possible", required=False)
    since = time_field("Since when it is not possible", required=False)
    left_ms = fields.Integer(metadata={"description": "The milliseconds that the seat has left."})
    match_status = fields.String(
        validate=validate.OneOf(STATUSES), metadata={"description": "The status of the match."}
    )
    free_at = time_field("When the two may meet again on the ladder", required=False)
    tournament_status = fields.String(
        validate=validate.OneOf(TOURNAMENT_STATUSES), metadata={"description": "The status of the tournament."}
    )
    key = fields.String(metadata={"description": "The id of the server key that is missing."})
    event_type = fields.String(metadata={"description": "The type of a stored event that could not be read."})
    errors = fields.Dict(metadata={"description": "For each field or parameter at fault, what is wrong with it."})
    version = fields.Integer(metadata={"description": "The present version of the match or tournament."})
    versions = fields.List(
        fields.Nested(VersionOut),
        metadata={"description": f"The versions of the match that were imported here, at most {MAX_NAMED}."},
    )
    policy = fields.String(metadata={"description": "The kind of requests of which there were too many."})
    retry_after_s = fields.Integer(metadata={"description": "Seconds to wait, as in `Retry-After`."})
    events = fields.List(
        fields.Nested(EventOut), metadata={"description": "The events after the version named in `If-Match`."}
    )
