"""What happens in Pathagon, in sentences."""

SENTENCES = {
    "placed": "{seat} places a piece from the reserve on {to}.",
    "moved": "{seat} moves a piece from {from} to {to}.",
    "trapped": "{seat} traps the piece of {owner} on {from}: it returns to the reserve.",
    "closed": "{to} is closed to {owner} for the next turn.",
    "rested": "{owner} cannot move the piece on {to} in the next turn.",
    "ended/path": "The match ends: the last move completes a path from edge to edge.",
}
