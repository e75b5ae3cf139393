"""What the pages of all lists have in common."""

from marshmallow import Schema, fields


class Page(Schema):
    """One page of a longer list."""

    next = fields.String(
        required=True, allow_none=True, metadata={"description": "The path of the next page; null on the last page."}
    )


class ListPage(Page):
    """One page of a list that follows the stored events with a short delay.

    A page before the last one can be short, or even empty.
    """

    lag_ms = fields.Integer(
        required=True, metadata={"description": "Everything stored longer ago than this is in the list."}
    )
    complete = fields.Boolean(
        required=True,
        metadata={"description": "False while the server builds its lists for the first time from an existing store."},
    )
