"""The sentences that all games share."""

SEAT = "seat {number}"
GUEST = "{name} (guest)"

SENTENCES = {
    "left": "{owner} leaves the match.",
    "ended": "The match ends.",
    "ended/ply-limit": "The match ends: it has reached its limit of moves.",
    "ended/withdrawal": "The match ends: nobody else is left in it.",
    "ended/draw-agreed": "The match ends: the players agree on a draw.",
    "ranked": "{owner} is in place {amount}.",
}
