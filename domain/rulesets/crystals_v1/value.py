"""The value of a position for a seat: what it has, less what it may lose before its next turn."""

from plyscribe.domain.ruleset import evaluate_over
from plyscribe.domain.rulesets.crystals_v1.resolution import defend, is_covered, list_shots
from plyscribe.domain.rulesets.crystals_v1.state import ATTACKER, BASE, DEFENCE, LEVELS, TOWER, State, Table
from plyscribe.domain.rulesets.crystals_v1.track import FACES, HOME, steps_home

CRYSTAL = 1000
POINT = 250
"""The value of a point of experience, in any class."""
LEARNED = (0, 0, 60, 70, 85, 150)
"""The further value of a class, by its experience."""
ON_TRACK = 100
RUN = 500
"""The value of a character that has come all the way round; each crystal of its seat adds half as much."""
CAUTION = 2
"""One of this many possible kills happens, since the enemy may have something better to do."""
MINE = 30
EXTRA_TURN = 200

Threats = list[list[set[int]]]
"""The fields where a seat could kill, by seat and by roll from 1."""


def estimate(state: State, seat: int) -> int:
    """What the seat has, less the average of the others; a due defence roll counts by its odds."""
    if state.over:
        return evaluate_over(state.over, seat)
    if state.phase == DEFENCE:
        assert state.attack is not None
        odds = LEVELS[state.experience[state.attack[1] & ~3 | TOWER]]
        saved, killed = (estimate(_defended(state, value), seat) for value in (FACES[0], FACES[-1]))
        return (odds * saved + (len(FACES) - odds) * killed) // len(FACES)
    threats = [_find_threats(state, other) for other in range(1, len(state.crystals) + 1)]
    worths = [_weigh(state, other, threats) for other in range(1, len(state.crystals) + 1)]
    others = len(worths) - len(state.left) - 1
    return worths[seat - 1] - (sum(worths) - worths[seat - 1]) // max(1, others)


def _defended(state: State, value: int) -> State:
    table = Table(state)
    defend(table, value)
    return table.freeze()


def _weigh(state: State, seat: int, threats: Threats) -> int:
    """The value of what the seat has; 0 if it left."""
    if seat in state.left:
        return 0
    own = range(4 * seat - 4, 4 * seat)
    worth = CRYSTAL * state.crystals[seat - 1] + POINT * state.due[seat - 1] + MINE * state.mines[seat - 1].bit_count()
    worth += sum(POINT * state.experience[me] + LEARNED[state.experience[me]] for me in own)
    if state.extra and state.seat == seat:
        worth += EXTRA_TURN
    dangers = [rolls for other, rolls in enumerate(threats, 1) if other != seat]
    return worth + sum(_weigh_runner(state, me, dangers) for me in own if state.at[me] != BASE)


def _weigh_runner(state: State, me: int, dangers: Threats) -> int:
    """The value of a character on the track, which is lower the more rolls of others would kill it."""
    track, at = state.setup.track, state.at[me]
    steps = steps_home(track.fields, track.starts[me // 4], at)
    run = RUN * (2 + state.crystals[me // 4]) // 2
    worth = ON_TRACK + run * (track.fields - steps) // track.fields
    faces = len(FACES)
    risk = min(faces, sum(at in fields for rolls in dangers for fields in rolls)) * faces
    if is_covered(state, me):
        risk = risk * (faces - LEVELS[state.experience[me & ~3 | TOWER]]) // faces
    return worth - (worth + POINT) * risk // (CAUTION * faces**2)


def _find_threats(state: State, seat: int) -> list[set[int]]:
    """The fields where the seat could kill in one move, by roll."""
    first = 4 * seat - 4
    own, ways = state.at[first : first + 4], state.setup.track.ways[seat - 1]
    threats: list[set[int]] = [set() for _ in FACES]
    for slot, at in enumerate(own):
        if at == BASE:
            continue
        for fields, (end, onward) in zip(threats, ways[at][1:], strict=True):
            # As in find_target. The calls would take as long as the work.
            field = onward if onward and onward not in own else end
            if field != HOME:
                fields.add(field)
                if slot == ATTACKER:
                    fields.update(list_shots(state, first + slot, field))
    return threats
