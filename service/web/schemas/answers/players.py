"""Answers about accounts."""

from typing import Any

from marshmallow import Schema, fields, validate

from plyscribe.domain.player import KINDS, SCOPES
from plyscribe.service.web.schemas.answers.lists import ListPage
from plyscribe.service.web.schemas.answers.tokens import NewTokenOut
from plyscribe.service.web.schemas.field_types import time_field


def recovery_code_field() -> fields.String:
    """A recovery code that comes with a new token."""
    description = "A code for another token if you lose this one. It is not shown again. Null if it counts no longer."
    return fields.String(
        required=True, allow_none=True, metadata={"description": description, "example": "7K2M-Q9TB-XE4R-0WHN-5C8D"}
    )


def _expiry() -> fields.Field[Any]:
    return time_field("When the recovery code expires", "Null if it does not.", allow_none=True)


class PlayerOut(Schema):
    """An account of a person or a bot."""

    player = fields.String(required=True, metadata={"description": "The account's id."})
    name = fields.String(
        required=True, metadata={"description": "The display name. Accounts of early releases may share one."}
    )
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
    is_organiser = fields.Boolean(
        required=True, metadata={"description": "Whether an administrator made the account an organiser."}
    )


class Office(Schema):
    """Whether an account is an organiser now."""

    player = fields.String(required=True, metadata={"description": "The id of the account."})
    name = fields.String(required=True, metadata={"description": "The name of the account."})
    is_organiser = fields.Boolean(
        required=True, metadata={"description": "Whether an administrator made the account an organiser."}
    )


class Me(PlayerProfile):
    """The account that your token belongs to."""

    scopes = fields.List(
        fields.String(validate=validate.OneOf(SCOPES)),
        required=True,
        metadata={"description": "The scopes of your token."},
    )
    recovery_code_made_at = time_field("When your recovery code was made", "Null if you have none.", allow_none=True)
    recovery_code_expires_at = _expiry()


class NewPlayerOut(PlayerOut):
    """A new account with its first token."""

    scopes = fields.List(
        fields.String(validate=validate.OneOf(SCOPES)),
        required=True,
        metadata={"description": "The scopes of your token."},
    )
    token = fields.String(required=True, metadata={"description": "The token. It is not shown again."})
    recovery_code = recovery_code_field()


class RecoveredAccount(NewTokenOut):
    """The new token of an account whose token was lost, and its next recovery code."""

    recovery_code = recovery_code_field()


class NewRecoveryCode(Schema):
    """A new recovery code."""

    player = fields.String(required=True, metadata={"description": "The account's id."})
    recovery_code = fields.String(
        required=True,
        metadata={"description": "The code. It is not shown again.", "example": "7K2M-Q9TB-XE4R-0WHN-5C8D"},
    )
    recovery_code_made_at = time_field("When it was made", allow_none=True)
    recovery_code_expires_at = _expiry()


class PlayerPage(ListPage):
    """A page of players, sorted by name."""

    players = fields.List(fields.Nested(PlayerOut), required=True)
