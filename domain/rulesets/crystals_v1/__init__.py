"""Crystals: bring characters round the loop and home, or raise every class to its highest level.

docs/rulesets/crystals.md has the rules CR1..CR21.
"""

from collections.abc import Iterator
from typing import Any

from plyscribe.domain.contest import open_contest
from plyscribe.domain.effects import Effect, Step
from plyscribe.domain.errors import BadNotation, IllegalMove, NotInPlay
from plyscribe.domain.options import Integer, options_schema, parse_options
from plyscribe.domain.phrases import Phrase, say
from plyscribe.domain.ruleset import MATCH_OVER, Over, RandBelow, Ruleset, Turn, require_roll, require_seats
from plyscribe.domain.rulesets.crystals_v1.drawing import draw
from plyscribe.domain.rulesets.crystals_v1.happenings import EFFECT_KINDS, END_CLAUSES, list_happenings
from plyscribe.domain.rulesets.crystals_v1.leaving import leave
from plyscribe.domain.rulesets.crystals_v1.resolution import (
    defend,
    find_target,
    is_blocked,
    move_character,
    take_experience,
)
from plyscribe.domain.rulesets.crystals_v1.state import (
    ARCHER,
    ATTACKER,
    BASE,
    CHOOSE,
    CLASSES,
    DEFENCE,
    DEPLOY,
    FIRST,
    LEVELS,
    MOST_EXPERIENCE,
    MOVE,
    OVER,
    RESPAWN,
    RIDER,
    ROLL,
    SPAWN,
    TURNS,
    XP,
    Setup,
    State,
    Table,
    name_class,
)
from plyscribe.domain.rulesets.crystals_v1.track import lay_track
from plyscribe.domain.rulesets.crystals_v1.turns import choose_attacker, contend, deploy, finish_move, respawn, spawn
from plyscribe.domain.rulesets.crystals_v1.value import estimate

SECTION = Integer("section", 10, 8, 20)
TELEPORT = Integer("teleport", 5, 1, 19)  # over all sections; each section has a narrower range
PLY_LIMIT = Integer("ply_limit", 2000, 1, nullable=True)

VERBS = {CHOOSE: "choose", DEPLOY: "spawn", SPAWN: "spawn", MOVE: "move", XP: "xp", RESPAWN: "spawn"}
"""The verb of a seat's decision, by phase."""

CLAUSES = {DEPLOY: "CR5", SPAWN: "CR6", RESPAWN: "CR6", MOVE: "CR7", XP: "CR19"}
"""The rule that a move breaks with a class that its seat does not have, by phase."""

SPELLED = {
    **{f"choose {CLASSES[attacker]}": ("choose", attacker) for attacker in (RIDER, ARCHER)},
    **{f"{verb} {name}": (verb, place) for verb in ("spawn", "move", "xp") for place, name in enumerate(CLASSES)},
}
"""Every well-formed move: its verb and its place in CLASSES, by notation."""

STEPS = {
    CHOOSE: choose_attacker,
    DEPLOY: deploy,
    SPAWN: spawn,
    MOVE: move_character,
    XP: take_experience,
    RESPAWN: respawn,
}
"""The effect of a move, by phase."""

Move = int
"""RIDER or ARCHER in the phase CHOOSE, otherwise the slot of a character. The phase gives the verb."""


class CrystalsV1(Ruleset[State, Move]):
    """Crystals, version 1."""

    id = "crystals"
    version = 1
    behaviour = "7eae64953ea5d5704e55ae1c366d2e85d85677a46c0191eef4b11fe74368738d"
    released = True
    title = "Crystals"
    effect_kinds = EFFECT_KINDS
    end_clauses = END_CLAUSES
    min_seats = 2
    max_seats = 4

    def parse_options(self, raw: dict[str, Any]) -> dict[str, Any]:
        section = parse_options({"section": raw.get("section", SECTION.default)}, [SECTION])["section"]
        return parse_options(raw, [SECTION, Integer("teleport", 5, 1, section - 1), PLY_LIMIT])

    def options_schema(self) -> dict[str, Any]:
        return options_schema([SECTION, TELEPORT, PLY_LIMIT])

    def has_chance(self, options: dict[str, Any]) -> bool:
        """True."""
        return True

    def initial_state(self, options: dict[str, Any], seats: int) -> State:
        require_seats(self, seats)
        nothing = (0,) * seats
        return State(
            setup=Setup(lay_track(seats, options["section"], options["teleport"]), options["ply_limit"]),
            ply=0,
            left=(),
            phase=CHOOSE,
            seat=1,
            actor=1,
            roll=0,
            extra=False,
            attackers=nothing,
            at=(BASE,) * 4 * seats,
            experience=(1,) * 4 * seats,  # CR3
            mines=nothing,
            crystals=nothing,
            due=nothing,
            attack=None,
            contest=open_contest(seats),
            over=None,
        )

    def turn(self, state: State) -> Turn:
        return state.over or TURNS[state.phase][state.actor]

    def legal_moves(self, state: State, prefix: str = "") -> Iterator[Move]:
        return (move for move in _moves(state) if self.format_move(state, move).startswith(prefix))

    def sample_move(self, state: State, randbelow: RandBelow) -> Move:
        """A legal move, uniformly distributed."""
        moves = _moves(state)
        return moves[randbelow(len(moves))] if len(moves) > 1 else moves[0]

    def parse_move(self, state: State, text: str) -> Move:
        spelled = SPELLED.get(text)
        if spelled is None:
            raise BadNotation(text, state.ply, say("choose, spawn, move or xp, then a class, as in move scout"))
        verb, place = spelled
        breach = _find_breach(state, verb, place)
        if breach:
            raise IllegalMove(text, state.ply, *breach)
        return place if verb == "choose" else min(place, ATTACKER)

    def format_move(self, state: State, move: Move) -> str:
        place = state.attackers[state.actor - 1] if move == ATTACKER and state.phase != CHOOSE else move
        return f"{VERBS[state.phase]} {CLASSES[place]}"

    def apply_move(self, state: State, move: Move) -> State:
        table = Table(state)
        table.ply += 1
        STEPS[table.phase](table, move)
        if table.ply == table.setup.ply_limit and table.over is None:
            table.end(Over("ply-limit", table.rank()))
        return table.freeze()

    def apply_roll(self, state: State, values: tuple[int, ...]) -> State:
        require_roll(self.turn(state), values, state.ply)
        (value,) = values
        table = Table(state)
        if state.phase == FIRST:
            contend(table, value)
        elif state.phase == DEFENCE:
            defend(table, value)
        else:
            table.roll, table.extra = value, value == 6  # CR7, CR15
            if any(state.at[4 * state.seat - 4 : 4 * state.seat]):
                table.phase = MOVE
            else:
                finish_move(table)
        return table.freeze()

    def withdraw(self, state: State, seat: int) -> State:
        if state.over or seat in state.left or not 1 <= seat <= len(state.crystals):
            raise NotInPlay(seat)
        table = Table(state)
        leave(table, seat)
        return table.freeze()

    def end(self, state: State, over: Over) -> State:
        table = Table(state)
        table.end(over)
        return table.freeze()

    def standing(self, state: State) -> tuple[int, ...]:
        return state.over.ranks if state.over else Table(state).rank()

    def evaluate(self, state: State, seat: int) -> int:
        return estimate(state, seat)

    def view(self, state: State) -> dict[str, Any]:
        track, seats = state.setup.track, range(1, len(state.crystals) + 1)
        return {
            "ruleset": self.id,
            "ply": state.ply,
            "left": list(state.left),
            "fields": track.fields,
            "starts": list(track.starts),
            "teleports": list(track.teleports),
            "on_turn": state.seat or None,
            "characters": [_view_characters(state, seat) for seat in seats],
            "mines": [[field for field in range(1, track.fields + 1) if mines >> field & 1] for mines in state.mines],
            "crystals": list(state.crystals),
            "bank": 2 * len(seats) + 1 - sum(state.crystals),
            "contest": None if state.contest is None else list(state.contest),
            "phase": state.phase,
            "roll": state.roll or None,
            "extra": state.extra,
            "due": list(state.due),
            "attack": _view_attack(state),
        }

    def render_text(self, state: State) -> str:
        return draw(self.view(state))

    def _list_effects(self, before: State, step: Step, after: State) -> list[Effect]:
        return list_happenings(before, step, after)


def _moves(state: State) -> list[Move]:
    phase, actor, at = state.phase, state.actor, state.at
    if phase == MOVE:
        own = range(4 * actor - 4, 4 * actor)
        return [me & 3 for me in own if at[me] and not is_blocked(state, me, find_target(state, me, state.roll))]
    if phase in (DEPLOY, SPAWN, RESPAWN):
        return [slot for slot, field in enumerate(at[4 * actor - 4 : 4 * actor]) if field == BASE]
    if phase == XP:
        learned = state.experience[4 * actor - 4 : 4 * actor]
        return [slot for slot, experience in enumerate(learned) if experience < MOST_EXPERIENCE]
    return [RIDER, ARCHER] if phase == CHOOSE else []


def _find_breach(state: State, verb: str, place: int) -> tuple[str, Phrase] | None:
    """A rule that the move breaks, and how; None when the move is legal."""
    phase, seat = state.phase, state.actor
    if phase == OVER:
        return "CR14", MATCH_OVER
    if verb != VERBS.get(phase):
        return "CR14", _say_due(state)
    if phase == CHOOSE:
        return None
    name, own, me = CLASSES[place], state.attackers[seat - 1], 4 * seat - 4 + min(place, ATTACKER)
    if place >= ATTACKER and own != place:
        return CLAUSES[phase], say(
            "the attacker of {seat} is the {word}, not the {piece}. Name a class that the seat has.",
            seat=seat,
            word=CLASSES[own],
            piece=name,
        )
    if phase == XP:
        if state.experience[me] < MOST_EXPERIENCE:
            return None
        return "CR19", say("the {piece} has 5 experience, the most there is. Name another class.", piece=name)
    if phase != MOVE:
        if state.at[me] == BASE:
            return None
        return "CR6", say("the {piece} is already on the loop. Spawn one that is in the base.", piece=name)
    if state.at[me] == BASE:
        return "CR7", say("the {piece} is in the base. Move a character that is on the loop.", piece=name)
    target = find_target(state, me, state.roll)
    if is_blocked(state, me, target):
        return "CR10", say(
            "the {piece} would end on {to}, where another character of its seat stands. Move another one.",
            piece=name,
            to=target,
        )
    return None


def _say_due(state: State) -> Phrase:
    """What the state waits for; it must not be over."""
    seat = state.actor
    return {
        CHOOSE: say("{seat} must choose an attacker now. Choose rider or archer.", seat=seat),
        DEPLOY: say("{seat} must put the first character on START now. Spawn one.", seat=seat),
        FIRST: say("{seat} must roll for the first turn now. Go on after the roll.", seat=seat),
        SPAWN: say("{seat} must fill the empty START now. Spawn a character from the base.", seat=seat),
        ROLL: say("{seat} must roll now. Move after the roll.", seat=seat),
        MOVE: say("{seat} must move by the roll now. Move a character on the loop.", seat=seat),
        DEFENCE: say("{seat} must roll for the defence now. Go on after the roll.", seat=seat),
        XP: say("{seat} must give out experience now. Name a class after xp.", seat=seat),
        RESPAWN: say("{seat} must fill the empty START now. Spawn a character from the base.", seat=seat),
    }[state.phase]


def _view_characters(state: State, seat: int) -> dict[str, Any]:
    attacker = state.attackers[seat - 1]
    return {
        CLASSES[slot if slot < ATTACKER else attacker]: {
            "at": state.at[character] or "base",
            "xp": state.experience[character],
            "level": LEVELS[state.experience[character]],
        }
        for slot, character in enumerate(range(4 * seat - 4, 4 * seat))
        if slot < ATTACKER or attacker
    }


def _view_attack(state: State) -> dict[str, Any] | None:
    if state.attack is None:
        return None
    me, target, ranged = state.attack
    return {
        "attacker": name_class(state, me),
        "target": {"seat": target // 4 + 1, "class": name_class(state, target)},
        "ranged": ranged,
    }


CRYSTALS_V1 = CrystalsV1()
