"""Answers about ratings."""

from marshmallow import Schema, fields

from plyscribe.service.web.schemas.answers.lists import Page
from plyscribe.service.web.schemas.field_types import time_field


class RatingOut(Schema):
    """A rating, in millionths."""

    rating_micro = fields.Integer(required=True, metadata={"description": "The estimate of the player's strength."})
    uncertainty_micro = fields.Integer(required=True, metadata={"description": "The estimate's standard deviation."})
    ordinal_micro = fields.Integer(
        required=True,
        metadata={"description": "The rating minus three times its uncertainty. Tables are sorted by it."},
    )


class RatingsRow(RatingOut):
    """A player in a table of ratings."""

    rank = fields.Integer(required=True, metadata={"description": "Players with equal ordinals share a rank."})
    player = fields.String(required=True, metadata={"description": "The account's id."})
    name = fields.String(required=True)
    matches = fields.Integer(
        required=True, metadata={"description": "The number of matches that the rating is based on."}
    )
    last_match = fields.String(required=True, metadata={"description": "The id of the last of these matches."})
    last_at = time_field("When that match was rated")


class RatingsModel(Schema):
    """The model that turns results into ratings."""

    model = fields.String(required=True)
    parameters = fields.Dict(required=True, metadata={"description": "The model's parameters, in millionths."})
    library = fields.String(required=True, metadata={"description": "The library that computes it."})


class RatingsVersion(Schema):
    """How much of the ledger the ratings are based on."""

    version = fields.Integer(
        required=True, metadata={"description": "The version of the ledger of ratings up to which matches count here."}
    )
    lag = fields.Integer(
        required=True, metadata={"description": "How many entries of the ledger after that one do not count yet."}
    )


class RatingsPage(Page, RatingsVersion):
    """A page of a ruleset's ratings, best first."""

    ruleset = fields.String(required=True, metadata={"description": "The ruleset's id."})
    model = fields.Nested(
        RatingsModel, required=True, allow_none=True, metadata={"description": "Null until a match is rated."}
    )
    players = fields.List(fields.Nested(RatingsRow), required=True)


class RatedMatch(Schema):
    """A rated match, and how it changed a player's rating."""

    version = fields.Integer(required=True, metadata={"description": "The number of the match in the ledger."})
    at = time_field("When it was rated")
    match = fields.String(required=True, metadata={"description": "The match's id."})
    rank = fields.Integer(required=True, metadata={"description": "The player's rank in the match."})
    seats = fields.Integer(required=True, metadata={"description": "The number of seats in the match."})
    before = fields.Nested(RatingOut, required=True)
    after = fields.Nested(RatingOut, required=True)


class RatingHistory(Page, RatingsRow, RatingsVersion):
    """A player's rating, and a page of the matches that it is based on, oldest first."""

    ruleset = fields.String(required=True, metadata={"description": "The ruleset's id."})
    history = fields.List(fields.Nested(RatedMatch), required=True)


class RatingChange(Schema):
    """A player's rating with an annulled match and without it."""

    player = fields.String(required=True, metadata={"description": "The account's id."})
    name = fields.String(required=True)
    before = fields.Nested(
        RatingOut,
        required=True,
        allow_none=True,
        metadata={"description": "With the match; null if no match of the player counts."},
    )
    after = fields.Nested(
        RatingOut,
        required=True,
        allow_none=True,
        metadata={"description": "Without the match; null if no match of the player counts."},
    )


class AnnulmentOut(Page):
    """A page of the ratings that an annulment changed, or would change, greatest changes first."""

    match = fields.String(required=True, metadata={"description": "The match's id."})
    why = fields.String(
        required=True, allow_none=True, metadata={"description": "The reason for the annulment; null in a preview."}
    )
    complete = fields.Boolean(
        required=True,
        metadata={"description": "False while the ratings are computed anew; `changes` is empty until then."},
    )
    changes = fields.List(fields.Nested(RatingChange), required=True)
