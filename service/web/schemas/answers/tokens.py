"""Answers about tokens."""

from marshmallow import Schema, fields, validate

from plyscribe.domain.player import SCOPES
from plyscribe.service.web.schemas.field_types import time_field


class TokenOut(Schema):
    """A token, without its secret text."""

    id = fields.String(
        required=True, metadata={"description": "The token's id. It names the token, but does not grant access."}
    )
    label = fields.String(required=True, allow_none=True)
    scopes = fields.List(fields.String(validate=validate.OneOf(SCOPES)), required=True)
    issued_at = time_field("When it was issued")
    expires_at = time_field("When it expires", "Null if it does not.", allow_none=True)


class ListedToken(TokenOut):
    """A valid token, or a session: a browser that is signed in. The label of a session says which browser."""

    kind = fields.String(required=True, validate=validate.OneOf(["token", "session"]))
    made_with = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "For a session, the id of the token that it was made with. It ends with that token."},
    )
    current = fields.Boolean(required=True, metadata={"description": "Whether this request was sent with this token."})


class Tokens(Schema):
    """All valid tokens and sessions of an account, oldest first."""

    player = fields.String(required=True, metadata={"description": "The account's id."})
    tokens = fields.List(fields.Nested(ListedToken), required=True)


class NewTokenOut(TokenOut):
    """A new token with its text."""

    player = fields.String(required=True, metadata={"description": "The account's id."})
    token = fields.String(required=True, metadata={"description": "The token. It is not shown again."})


class EndedSessions(Schema):
    """All sessions of an account have ended."""

    player = fields.String(required=True, metadata={"description": "The account's id."})
    ended = fields.Integer(required=True, metadata={"description": "How many there were."})


class RevokedToken(Schema):
    """A token that was revoked."""

    id = fields.String(required=True, metadata={"description": "The token's id."})
    ended_at = time_field("When it was revoked")
