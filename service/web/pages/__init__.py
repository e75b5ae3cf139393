"""The pages: made on the server, made livelier by small scripts, with nothing from elsewhere.

Whatever they show can be had from the API too; what they change goes through it. A page works without scripts as far as
reading goes.
"""

from plyscribe.service.web.pages import (
    assets,
    home,
    match,
    matches,
    new_match,
    players,
    rulesets,
    sign_in,
    table,
    times,
    tournaments,
)
from plyscribe.service.web.pages.blueprint import blueprint

__all__ = [
    "assets",
    "blueprint",
    "home",
    "match",
    "matches",
    "new_match",
    "players",
    "rulesets",
    "sign_in",
    "table",
    "times",
    "tournaments",
]
