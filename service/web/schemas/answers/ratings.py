"""What answers about ratings hold."""

from marshmallow import Schema, fields


class RatingOut(Schema):
    """A rating, in millionths."""

    rating_micro = fields.Integer(required=True, metadata={"description": "What the player is believed to be worth."})
    uncertainty_micro = fields.Integer(required=True, metadata={"description": "The standard deviation of that."})
    ordinal_micro = fields.Integer(
        required=True, metadata={"description": "The rating less three times its uncertainty: tables go by it."}
    )


class RatingsRow(RatingOut):
    """A player in a table of ratings; those with equal ordinals share a rank."""

    rank = fields.Integer(required=True)
    player = fields.String(required=True)
    name = fields.String(required=True)
    matches = fields.Integer(required=True, metadata={"description": "Matches that made the rating."})
    last_match = fields.String(required=True)
    last_at = fields.Integer(required=True, metadata={"description": "When it was rated, UTC milliseconds."})


class RatingsModel(Schema):
    """What makes ratings of matches, as the ledger was opened with it."""

    model = fields.String(required=True)
    parameters = fields.Dict(required=True, metadata={"description": "In millionths."})
    library = fields.String(required=True)


class RatingsPage(Schema):
    """The ratings of a ruleset, best first; `version` is the ledger's; `next` is null on the last page."""

    ruleset = fields.String(required=True)
    version = fields.Integer(required=True)
    model = fields.Nested(RatingsModel, required=True, allow_none=True)
    players = fields.List(fields.Nested(RatingsRow), required=True)
    next = fields.String(required=True, allow_none=True)


class RatedMatch(Schema):
    """A match that counts, and what it made of a player's rating."""

    version = fields.Integer(required=True, metadata={"description": "Its place in the ledger."})
    at = fields.Integer(required=True, metadata={"description": "UTC milliseconds."})
    match = fields.String(required=True)
    rank = fields.Integer(required=True)
    seats = fields.Integer(required=True)
    before = fields.Nested(RatingOut, required=True)
    after = fields.Nested(RatingOut, required=True)


class RatingHistory(RatingsRow):
    """A player's rating and the matches that made it, oldest first; `next` is null on the last page."""

    ruleset = fields.String(required=True)
    version = fields.Integer(required=True)
    history = fields.List(fields.Nested(RatedMatch), required=True)
    next = fields.String(required=True, allow_none=True)


class RatingChange(Schema):
    """A player's rating with the match and without it; null: none of the player's matches counts."""

    player = fields.String(required=True)
    name = fields.String(required=True)
    before = fields.Nested(RatingOut, required=True, allow_none=True)
    after = fields.Nested(RatingOut, required=True, allow_none=True)


class AnnulmentOut(Schema):
    """What an annulment changed, or would change: greatest changes first; `next` is null on the last page."""

    match = fields.String(required=True)
    why = fields.String(required=True, allow_none=True, metadata={"description": "Null in a preview."})
    changes = fields.List(fields.Nested(RatingChange), required=True)
    next = fields.String(required=True, allow_none=True)
