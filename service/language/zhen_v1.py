"""What happens in Zhen, in sentences."""

SENTENCES = {
    "placed": "{seat} puts a cube from the reserve on tile {to}.",
    "moved": (
        "{seat} moves {amount} cube from tile {from} to tile {to}.",
        "{seat} moves {amount} cubes from tile {from} to tile {to}.",
    ),
    "carried": (
        "{amount} cube of {owner} goes along to tile {to}.",
        "{amount} cubes of {owner} go along to tile {to}.",
    ),
    "entered": (
        "{seat} moves {amount} cube from tile {from} into the goal.",
        "{seat} moves {amount} cubes from tile {from} into the goal.",
    ),
    "captured": (
        "{seat} captures {amount} cube of {owner} from tile {from}: it goes into the goal too.",
        "{seat} captures {amount} cubes of {owner} from tile {from}: they go into the goal too.",
    ),
    "blocked": "{owner} has no action left, so {seat} takes what is left on the tiles.",
    "swept": (
        "{amount} cube of {owner} goes from tile {from} into the goal of {seat}.",
        "{amount} cubes of {owner} go from tile {from} into the goal of {seat}.",
    ),
    "ended/blocked": "The match ends: the enemy cubes in each goal are counted.",
    "ended/ply-limit": "The match ends: it has reached its limit of moves. The enemy cubes in each goal are counted.",
}
