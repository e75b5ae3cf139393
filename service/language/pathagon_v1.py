"""What happens in Pathagon, in sentences."""

SENTENCES = {
    "placed": "{seat} places a piece from the reserve on {to}.",
    "moved": "{seat} moves a piece from {from} to {to}.",
    "trapped": "{seat} traps the piece of {owner} on {from}: it returns to the reserve.",
    "closed": "{to} is closed to {owner} for the next turn.",
    "rested": "The piece on {to} rests: {owner} cannot move it in the next turn.",
    "ended/path": "The match ends: a path joins both edges.",
}
