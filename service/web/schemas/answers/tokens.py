"""What answers about tokens hold."""

from marshmallow import Schema, fields


class TokenOut(Schema):
    """What a token may do, and when; times in UTC milliseconds."""

    id = fields.String(required=True, metadata={"description": "What the token is called; its text is not kept."})
    label = fields.String(required=True, allow_none=True)
    scopes = fields.List(fields.String(), required=True)
    issued_at = fields.Integer(required=True)
    expires_at = fields.Integer(required=True, allow_none=True)


class ListedToken(TokenOut):
    """A token that is valid."""

    current = fields.Boolean(required=True, metadata={"description": "Whether it is the one that asks."})


class Tokens(Schema):
    """The valid tokens of an account, the oldest first."""

    player = fields.String(required=True)
    tokens = fields.List(fields.Nested(ListedToken), required=True)


class NewTokenOut(TokenOut):
    """A new token: its text is shown this once."""

    player = fields.String(required=True)
    token = fields.String(required=True)


class RevokedToken(Schema):
    """A token that has ended."""

    id = fields.String(required=True)
    ended_at = fields.Integer(required=True, metadata={"description": "UTC milliseconds."})
