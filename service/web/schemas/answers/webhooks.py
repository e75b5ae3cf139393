"""Answers about webhooks."""

from marshmallow import Schema, fields, validate

from plyscribe.domain.webhooks import TOPICS
from plyscribe.service.web.schemas.field_types import time_field


class WebhookOut(Schema):
    """A webhook of your account."""

    id = fields.String(required=True)
    url = fields.String(required=True, metadata={"description": "Where messages are posted."})
    topics = fields.List(
        fields.String(validate=validate.OneOf(TOPICS)), required=True, metadata={"description": "What is posted."}
    )
    state = fields.String(required=True, validate=validate.OneOf(["active", "disabled"]))
    why = fields.String(
        required=True, allow_none=True, metadata={"description": "Why it is disabled; null if it is active."}
    )
    added_at = time_field("When it was added")


class NewWebhookOut(WebhookOut):
    """A webhook with its new secret."""

    secret = fields.String(
        required=True,
        metadata={"description": "The secret that signs its messages: `whsec_` and base64. It is not shown again."},
    )


class LastDelivery(Schema):
    """The last try to deliver a message."""

    at = time_field("When it was")
    status = fields.Integer(
        required=True, allow_none=True, metadata={"description": "The status of the answer; null without an answer."}
    )
    error = fields.String(
        required=True, allow_none=True, metadata={"description": "Why it failed; null if it was delivered."}
    )


class ListedWebhook(WebhookOut):
    """A webhook, and how its deliveries go."""

    last_delivery = fields.Nested(
        LastDelivery, required=True, allow_none=True, metadata={"description": "Null before the first one."}
    )
    failures = fields.Integer(
        required=True, metadata={"description": "How many tries have failed since the last one that did not."}
    )
    failing_since = time_field("Since when it has failed", "Null if the last try did not fail.", allow_none=True)
    waiting = fields.Integer(required=True, metadata={"description": "How many messages wait to be delivered."})
    next_at = time_field("When the next try is due", "Null if no message waits.", allow_none=True)
    dropped = fields.Integer(
        required=True, metadata={"description": "How many messages were given up, or gave way to newer ones."}
    )


class Webhooks(Schema):
    """All webhooks of your account, oldest first."""

    player = fields.String(required=True, metadata={"description": "The account's id."})
    webhooks = fields.List(fields.Nested(ListedWebhook), required=True)


class RemovedWebhook(Schema):
    """A webhook that was removed."""

    id = fields.String(required=True, metadata={"description": "The webhook's id."})
    removed_at = time_field("When it was removed")


class WebhookTest(Schema):
    """A message that tests a webhook is on its way."""

    id = fields.String(required=True, metadata={"description": "The webhook's id."})
    message = fields.String(
        required=True, metadata={"description": "The message's id, which it has in its header `webhook-id`."}
    )
