"""Answers with a player's inbox."""

from marshmallow import Schema, fields, validate

from plyscribe.domain.notices import NOTICE_TYPES
from plyscribe.service.live.challenge_notices import CHALLENGED
from plyscribe.service.live.inboxes import GAP
from plyscribe.service.live.invitation_notices import INVITATION_NOTICES
from plyscribe.service.live.webhook_notices import WEBHOOK_DISABLED
from plyscribe.service.web.schemas.answers.lists import Page
from plyscribe.service.web.schemas.field_types import time_field


class InboxEntry(Schema):
    """One thing that happened in a player's matches, an invitation to a tournament, a challenge on a ladder, or a
    webhook that was disabled.

    Every entry has `id` and `type`, and every entry but a `gap` has `version`, `at`, and `match`, `tournament` or
    `webhook`. The other fields depend on the type.
    """

    id = fields.Integer(required=True, metadata={"description": "Increases from entry to entry, but can skip numbers."})
    type = fields.String(
        required=True,
        validate=validate.OneOf([*NOTICE_TYPES, *INVITATION_NOTICES, CHALLENGED, WEBHOOK_DISABLED, GAP]),
        metadata={"description": "A `gap` stands for older entries that were dropped."},
    )
    match = fields.String(metadata={"description": "The id of the match."})
    tournament = fields.String(metadata={"description": "The id of the tournament that invites you, or of the ladder."})
    webhook = fields.String(metadata={"description": "The id of the webhook that was disabled."})
    why = fields.String(metadata={"description": "Why it was disabled."})
    version = fields.Integer(metadata={"description": "The version of the match or tournament when this happened."})
    at = time_field("When it happened", required=False)
    round = fields.Integer(metadata={"description": "The round of the tournament that is the challenge."})
    challenger = fields.Integer(metadata={"description": "The number of the entrant who challenges you."})
    seat = fields.Integer(metadata={"description": "Your seat that this is about."})
    seats = fields.List(fields.Integer(), metadata={"description": "All your seats in the match."})
    ply = fields.Integer(metadata={"description": "The number of moves made so far."})
    deadline = time_field("When your time is over", "Null without limits.", required=False, allow_none=True)
    offered_by = fields.Integer(metadata={"description": "The seat that offers a draw."})
    ruleset = fields.String(metadata={"description": "The ruleset's id."})
    ruleset_version = fields.Integer()
    reason = fields.String(metadata={"description": "Why the match ended."})
    ranks = fields.List(
        fields.Integer(), metadata={"description": "The rank of each seat, 1 for the best; tied seats share a rank."}
    )


class InboxPage(Page):
    """A page of an inbox, oldest entries first."""

    player = fields.String(required=True, metadata={"description": "The id of your account."})
    newest = fields.Integer(
        required=True, metadata={"description": "The id of the newest entry in the inbox; 0 if it is empty."}
    )
    entries = fields.List(fields.Nested(InboxEntry), required=True)
