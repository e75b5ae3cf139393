"""What happens in Rings, in sentences."""

SENTENCES = {
    "rolled/terrain": "The terrain of the next ring is drawn by lot.",
    "rolled/recruit": "{seat} rolls {amount}: a recruit die.",
    "rolled/move": "{seat} rolls {amount}: a move die.",
    "rolled/turn": "{seat} rolls {amount}: a turn die.",
    "rolled/alliance": "{seat} rolls {amount} for the alliance: {seat} loses a warrior on 1 to 3, the ally on 4 to 6.",
    "laid/light": "Field {to} is light terrain.",
    "laid/medium": "Field {to} is medium terrain.",
    "laid/heavy": "Field {to} is heavy terrain.",
    "attached": "{seat} attaches a START to {to}.",
    "round-began": "Round {amount} begins.",
    "pass-began": "The second pass of the round begins.",
    "turn-began": "It is {owner}'s turn.",
    "turn-ended": "{owner} has no dice left: the turn ends.",
    "dropped/recruit": "{seat} lets a recruit die expire.",
    "dropped/move": "{seat} lets a move die expire.",
    "dropped/turn": "{seat} lets a turn die expire.",
    "expired/recruit": (
        "A recruit die of {owner} expires: nothing can be done with it.",
        "{amount} recruit dice of {owner} expire: nothing can be done with them.",
    ),
    "expired/move": (
        "A move die of {owner} expires: nothing can be done with it.",
        "{amount} move dice of {owner} expire: nothing can be done with them.",
    ),
    "paid/recruit": "{seat} pays with a recruit die.",
    "paid/move": "{seat} pays with a move die.",
    "paid/turn": ("{seat} pays with a turn die.", "{seat} pays with {amount} turn dice."),
    "recruited": "{seat} recruits a {piece} on START {to}.",
    "moved": "{seat} moves a {piece} from {from} to {to}.",
    "pushed": "{seat} pushes a {piece} of {owner} from {from} to {to}.",
    "attacked/alone": "{seat} attacks {owner} on {to} with a {piece} from {from}.",
    "attacked/first": "{seat} attacks a blocker of {owner} on {to} with a {piece} from {from}. A second one must follow.",
    "attacked/second": "{seat} attacks {owner} on {to} with a second {piece}, from {from}.",
    "killed/supply": "{owner} loses a {piece} on {from}: it returns to the supply.",
    "killed/out": "{owner} loses a {piece} on {from}: it is out of the match.",
    "occupied": "The {piece} of {seat} takes {to}.",
    "returned": "The other {piece} of {seat} returns to {to}: a second blocker holds {from}.",
    "proposed/recruit": (
        "{seat} proposes an alliance to {owner}: a recruit die would pay for an attack on the blocker on {to}, with the "
        "warrior on {from}."
    ),
    "proposed/move": (
        "{seat} proposes an alliance to {owner}: a move die would pay for an attack on the blocker on {to}, with the "
        "warrior on {from}."
    ),
    "proposed/turn": (
        "{seat} proposes an alliance to {owner}: two turn dice would pay for an attack on the blocker on {to}, with the "
        "warrior on {from}."
    ),
    "accepted": "{seat} accepts: the warrior on {from} helps {owner} to attack {to}.",
    "declined": "{seat} declines the alliance with {owner}.",
    "voided/attack": "The attack on {to} is off.",
    "voided/alliance": "The alliance against {to} is off.",
    "turned/clockwise": "{seat} turns ring {to} clockwise by one field.",
    "turned/counterclockwise": "{seat} turns ring {to} counterclockwise by one field.",
    "carried": (
        "A {piece} of {owner} goes along from {from} to {to}.",
        "{amount} {piece}s of {owner} go along from {from} to {to}.",
    ),
    "reattached": "{seat} attaches the START to {to} instead of {from}.",
    "swapped/light": "{seat} moves the light terrain of {from} to {to}.",
    "swapped/medium": "{seat} moves the medium terrain of {from} to {to}.",
    "swapped/heavy": "{seat} moves the heavy terrain of {from} to {to}.",
    "scored": (
        "{owner} scores a point with the {piece} on {to}.",
        "{owner} scores {amount} points with the {piece} on {to}.",
    ),
    "left": "{owner} leaves the match, with all units and dice and the START.",
    "ended/points": "The match ends: the winner has reached the target of points.",
    "ended/countdown": "The match ends: the countdown has reached 0.",
    "ended/exhausted": "The match ends: nobody has a unit left.",
}
