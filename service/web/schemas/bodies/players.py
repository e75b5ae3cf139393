"""The shapes of request bodies about accounts, tokens and webhooks."""

from collections.abc import Sequence
from typing import Any

from marshmallow import fields, validate

from plyscribe.domain.names import MAX_NAME_LENGTH
from plyscribe.domain.player import KINDS, MAX_OVERLAP_MS, MAX_TOKEN_LIFE_MS, SCOPES
from plyscribe.domain.webhooks import MAX_URL_LENGTH, TOPICS
from plyscribe.service.web.schemas.field_types import (
    Boolean,
    Strict,
    integer_field,
    name_field,
    text_field,
)

OVERLAP_S = 60
"""Long enough to ask again if the answer with the new token got lost."""

MAX_CODE_LENGTH = 100
"""Characters of a recovery code as people type it, with hyphens and spaces."""


def _scopes(allowed: Sequence[str], default: list[str] | None) -> fields.List[Any]:
    return fields.List(
        fields.String(validate=validate.OneOf(allowed)),
        load_default=default,
        validate=validate.Length(1, len(allowed)),
        metadata={"description": "What the token allows."},
    )


def _lifetime() -> fields.Integer:
    description = "Seconds until the token expires."
    return integer_field(1, MAX_TOKEN_LIFE_MS // 1000, load_default=None, metadata={"description": description})


def _url(**kwargs: Any) -> fields.String:
    metadata = {
        "description": "Where to post. It must begin with `https://` and lead to a public address.",
        "example": "https://example.org/plyscribe",
    }
    return fields.String(validate=validate.Length(1, MAX_URL_LENGTH), metadata=metadata, **kwargs)


def _topics(**kwargs: Any) -> fields.List[Any]:
    return fields.List(
        fields.String(validate=validate.OneOf(TOPICS)),
        validate=validate.Length(1, len(TOPICS)),
        metadata={"description": "What to post.", "example": ["your-turn", "match-ended"]},
        **kwargs,
    )


class NewPlayer(Strict):
    """A new account."""

    name = name_field(required=True, metadata={"example": "Ada"})
    kind = fields.String(load_default="person", validate=validate.OneOf(KINDS))
    scopes = _scopes(["play", "record", "organise"], ["play", "record"])


class NewToken(Strict):
    """Another token for your account. By default it has the scopes and the expiry of the token that asks."""

    scopes = _scopes(SCOPES, None)
    label = name_field(load_default=None, metadata={"example": "The club's tablet"})
    expires_in_s = _lifetime()


class FreshToken(Strict):
    """A token for a player who lost theirs."""

    scopes = _scopes(SCOPES, ["play", "record"])
    label = name_field(load_default=None)
    expires_in_s = _lifetime()
    revoke_others = Boolean(load_default=True, metadata={"description": "Revoke all other tokens of the account."})


class Recovery(Strict):
    """What proves that an account is yours, although you lost its token."""

    name = text_field(
        MAX_NAME_LENGTH, required=True, metadata={"description": "The account's name or id.", "example": "Ada"}
    )
    code = text_field(
        MAX_CODE_LENGTH,
        required=True,
        metadata={
            "description": "The recovery code. Case, hyphens and spaces do not matter.",
            "example": "7K2M-Q9TB-XE4R-0WHN-5C8D",
        },
    )
    label = name_field(load_default=None, metadata={"example": "The new phone"})
    revoke_others = Boolean(
        load_default=True, metadata={"description": "End all other tokens and all sessions of the account."}
    )


class Rotation(Strict):
    """How long the new token lasts, and how long the old one stays valid."""

    expires_in_s = _lifetime()
    overlap_s = integer_field(
        0,
        MAX_OVERLAP_MS // 1000,
        load_default=OVERLAP_S,
        metadata={"description": "Seconds until the old token ends."},
    )


class NewWebhook(Strict):
    """A webhook for your account."""

    url = _url(required=True)
    topics = _topics(required=True)


class WebhookChange(Strict):
    """What to change of a webhook. What you leave out stays as it is."""

    url = _url(load_default=None)
    topics = _topics(load_default=None)
    enabled = Boolean(load_default=None, metadata={"description": "Enable or disable it."})
