"""The style sheet of board pictures, which is generated. All other assets are files."""

from flask import Response

from plyscribe.service.boards.colours import render_colours, render_seat_colours
from plyscribe.service.web.pages.blueprint import blueprint


@blueprint.get("/assets/boards.css")
def read_board_colours() -> Response:
    """Send the colours of the boards in pages."""
    response = Response(render_seat_colours() + render_colours("auto"), content_type="text/css; charset=utf-8")
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    return response
