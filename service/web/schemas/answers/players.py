"""Answers about accounts."""

from marshmallow import Schema, fields, validate

from plyscribe.domain.player import KINDS, SCOPES
from plyscribe.service.web.schemas.answers.lists import ListPage
from plyscribe.service.web.schemas.field_types import time_field


class PlayerOut(Schema):
    """An account of a person or a bot."""

    player = fields.String(required=True, metadata={"description": "The account's id."})
    name = fields.String(required=True, metadata={"description": "The display name. Names are not unique."})
    kind = fields.String(required=True, validate=validate.OneOf(KINDS))
    registered_at = time_field("When the account was opened")


class PlayerProfile(PlayerOut):
    """An account, and how often it aborted rated matches."""

    rated_aborts = fields.Integer(
        required=True,
        metadata={"description": "How many rated matches the player left after their start, before they counted."},
    )
    paused_until = time_field(
        "Until when the player can begin no rated match",
        "Null if they can.",
        allow_none=True,
    )


class Me(PlayerProfile):
    """The account that your token belongs to."""

    scopes = fields.List(
        fields.String(validate=validate.OneOf(SCOPES)),
        required=True,
        metadata={"description": "The scopes of your token."},
    )


class NewPlayerOut(PlayerOut):
    """A new account with its first token."""

    scopes = fields.List(
        fields.String(validate=validate.OneOf(SCOPES)),
        required=True,
        metadata={"description": "The scopes of your token."},
    )
    token = fields.String(required=True, metadata={"description": "The token. It is not shown again."})


class PlayerPage(ListPage):
    """A page of players, sorted by name."""

    players = fields.List(fields.Nested(PlayerOut), required=True)
