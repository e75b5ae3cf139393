"""Answers about the service itself."""

from marshmallow import Schema, fields, validate


class Health(Schema):
    """The process is running."""

    status = fields.String(required=True, validate=validate.OneOf(["alive"]))


class Ready(Schema):
    """The process is running and its store takes writes."""

    status = fields.String(required=True, validate=validate.OneOf(["ready"]))
    store = fields.String(
        required=True, metadata={"description": "The store's program and version, `memory` or `unknown`."}
    )
    durability = fields.String(
        required=True,
        validate=validate.OneOf(["always", "everysec", "unknown"]),
        metadata={
            "description": "When a successful command is on the disk of the store's server: before the answer "
            "(`always`), within a second (`everysec`), or `unknown`. With replicas for which no answer waits it is "
            "unknown, because any failover may lose the newest moves."
        },
    )
    replicas = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "How many replicas follow the store; null if it does not say."},
    )
    replicas_awaited = fields.Integer(
        required=True,
        metadata={
            "description": "How many of them have a successful command, in memory at least, before the answer. 0: none "
            "is waited for."
        },
    )
    queues = fields.String(
        required=True,
        validate=validate.OneOf(["up", "away", "none"]),
        metadata={
            "description": "Whether the server of the job queues answers. While it is `away`, people can play, but no "
            "match is verified and no built-in bot moves. `none` with a store in memory."
        },
    )
    lists = fields.String(
        required=True,
        validate=validate.OneOf(["up", "away"]),
        metadata={
            "description": "Whether the read database answers. While it is `away`, people can play, but lists, ratings "
            "and inboxes cannot be read. They catch up by themselves."
        },
    )
    memory_percent = fields.Integer(
        required=True,
        allow_none=True,
        metadata={
            "description": "How much of the memory that it may use the store uses; null without a limit. At 100 it "
            "takes no writes: give it more before."
        },
    )
