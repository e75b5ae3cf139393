"""Rings, retold."""

from collections.abc import Sequence
from typing import Any, cast

from plyscribe.domain.effects import Effect
from plyscribe.testing.retelling import View, is_over

CHANGING = frozenset({f"RI{number}" for number in (*range(3, 11), *range(15, 27))})
"""All but the board (RI1, RI2), and the clauses that say where units may go (RI11 to RI14)."""

DICE = {"recruit": "R", "move": "M", "turn": "T"}
KINDS = ("runner", "warrior", "blocker")
SIZES = 7


# ---- the board


def find_seat_on_turn(view: View) -> int:
    """The seat that has used one of its uses (RI6): a turn in the first pass begins with four dice, and ends without or
    after two uses; in the second pass it leaves none.
    """
    held = [(seat, sum(dice.values())) for seat, dice in enumerate(view["dice"], 1) if seat not in view["left"]]
    if view["pass"] == 1:
        return max(seat for seat, number in held if number < 4)
    return min(seat for seat, number in held if number)


def find_key(view: View, field: str, seat: int) -> str:
    """Where the units of the seat on this field are in the view. For a moment, two seats may share it: RI18, RI19."""
    fields, guest = view["units"], f"{field}/{seat}"
    return guest if guest in fields or fields.get(field, {"seat": seat})["seat"] != seat else field


def put(view: View, field: str, seat: int, piece: str, number: int = 1) -> None:
    there = view["units"].setdefault(find_key(view, field, seat), {"seat": seat, **dict.fromkeys(KINDS, 0)})
    there[piece] += number


def take(view: View, field: str, seat: int, piece: str, number: int = 1) -> None:
    fields, key = view["units"], find_key(view, field, seat)
    fields[key][piece] -= number
    assert fields[key][piece] >= 0
    if not any(fields[key][kind] for kind in KINDS):
        del fields[key]


def letter_at(view: View, field: str) -> tuple[int, int]:
    return "abcd".index(field[0]), int(field[1]) - 1


def lay(view: View, field: str, word: str) -> None:
    ring, slot = letter_at(view, field)
    letters = list(view["terrain"][ring] or "?" * SIZES)
    letters[slot] = word[0].upper()
    view["terrain"][ring] = "".join(letters)


# ---- before the first round


def roll(view: View, effect: Effect) -> None:
    """RI5: what the values mean. RI17: with the die the alliance is over."""
    if effect.clause == "RI5":
        faces = {1: "R", 2: "R", 3: "M", 4: "M", 5: "T", 6: "T"}
        face = faces[cast(int, effect.amount)]
        assert DICE[cast(str, effect.word)] == face
        view["dice"][effect.seat - 1][face] += 1
    elif effect.clause == "RI17":
        assert "with" in view["alliance"]
        view["alliance"] = None


def lay_field(view: View, effect: Effect) -> None:
    lay(view, effect.target, effect.word)


def attach(view: View, effect: Effect) -> None:
    assert effect.target[0] == "a"
    view["starts"][effect.seat - 1] = int(effect.target[1])


def reattach(view: View, effect: Effect) -> None:
    assert view["starts"][effect.seat - 1] == int(effect.source[1])
    attach(view, effect)


# ---- rounds and turns


def begin_round(view: View, effect: Effect) -> None:
    assert view["uses"] == 0
    assert effect.amount == view["round"] + 1
    view |= {"round": effect.amount, "pass": 1, "declined": False}


def begin_pass(view: View, effect: Effect) -> None:
    assert effect.amount == view["pass"] + 1
    view["pass"] = effect.amount


def begin_turn(view: View, effect: Effect) -> None:
    """RI6: two uses, for a seat that has dice."""
    assert view["uses"] == 0
    assert any(view["dice"][effect.owner - 1].values())
    view |= {"uses": 2, "declined": False}


def end_turn(view: View, effect: Effect) -> None:
    """A turn that ends with uses left: without dice, or with the seat."""
    assert view["uses"] > 0
    assert not any(view["dice"][effect.owner - 1].values())
    view |= {"uses": 0, "declined": False}


def spend(view: View, effect: Effect) -> None:
    """A use, and dice for it."""
    view["uses"] -= 1
    dice, die = view["dice"][effect.seat - 1], DICE[cast(str, effect.word)]
    dice[die] -= effect.amount or 1
    assert dice[die] >= 0


def expire(view: View, effect: Effect) -> None:
    """RI7: in the second pass all dice of the seat on turn."""
    assert view["pass"] == 2
    assert view["uses"] > 0
    dice, die = view["dice"][effect.owner - 1], DICE[cast(str, effect.word)]
    assert dice[die] == effect.amount
    dice[die] = 0


def score(view: View, effect: Effect) -> None:
    assert view["units"][find_key(view, effect.target, effect.owner)][effect.piece] == 1
    view["points"][effect.owner - 1] += effect.amount


# ---- units


def recruit(view: View, effect: Effect) -> None:
    assert (effect.source, effect.target) == ("supply", f"s{effect.seat}")
    view["supply"][effect.seat - 1][effect.piece] -= 1
    put(view, effect.target, effect.seat, effect.piece)


def move(view: View, effect: Effect) -> None:
    take(view, effect.source, effect.seat, effect.piece)
    put(view, effect.target, effect.seat, effect.piece)


def push(view: View, effect: Effect) -> None:
    take(view, effect.source, effect.owner, effect.piece)
    put(view, effect.target, effect.owner, effect.piece)


def attack(view: View, effect: Effect) -> None:
    """RI16: attackers are off the board until it is settled what becomes of them."""
    assert view["units"][effect.target]["seat"] == effect.owner
    take(view, effect.source, effect.seat, effect.piece)
    assert (view["engaged"] is not None) == (effect.word == "second")
    view["engaged"] = {"at": effect.target, "from": effect.source} if effect.word == "first" else None
    view["attackers"] = {"alone": 1, "first": 0, "second": 2}[cast(str, effect.word)]


def kill(view: View, effect: Effect) -> None:
    there = view["units"].get(effect.source)
    if there and there["seat"] == effect.owner:
        take(view, effect.source, effect.owner, effect.piece)
    else:
        assert effect.owner == effect.seat
        view["attackers"] -= 1
    if effect.word == "supply":
        view["supply"][effect.owner - 1][effect.piece] += 1


def occupy(view: View, effect: Effect) -> None:
    """RI25: the first warrior of a pair, if the attacked seat left."""
    if view["engaged"]:
        view["engaged"] = None
    else:
        view["attackers"] -= 1
    put(view, effect.target, effect.seat, effect.piece)


def come_back(view: View, effect: Effect) -> None:
    view["attackers"] -= 1
    put(view, effect.target, effect.seat, effect.piece)


def propose(view: View, effect: Effect) -> None:
    pay = DICE[cast(str, effect.word)] * cast(int, effect.amount)
    view["alliance"] = {"ally": effect.owner, "from": effect.source, "at": effect.target, "pay": pay}


def accept(view: View, effect: Effect) -> None:
    assert (view["alliance"]["ally"], view["alliance"]["at"]) == (effect.seat, effect.target)
    view["alliance"]["with"] = effect.source


def decline(view: View, effect: Effect) -> None:
    assert view["alliance"]["ally"] == effect.seat
    view |= {"alliance": None, "declined": True}


# ---- rings


def turn(view: View, effect: Effect) -> None:
    """RI19: the terrain; what stands on it has effects of its own."""
    ring = "abcd".index(effect.target)
    letters = view["terrain"][ring]
    view["terrain"][ring] = letters[-1] + letters[:-1] if effect.word == "clockwise" else letters[1:] + letters[0]


def carry(view: View, effect: Effect) -> None:
    take(view, effect.source, effect.owner, effect.piece, effect.amount)
    put(view, effect.target, effect.owner, effect.piece, effect.amount)


def swap(view: View, effect: Effect) -> None:
    """RI21: one of the two tiles."""
    lay(view, effect.target, effect.word)


# ---- withdrawal


def leave(view: View, effect: Effect) -> None:
    """RI25: units, supply, dice and START go; points stay."""
    seat = cast(int, effect.owner)
    view["units"] = {field: there for field, there in view["units"].items() if there["seat"] != seat}
    view["supply"][seat - 1] = dict.fromkeys(KINDS, 0)
    view["dice"][seat - 1] = dict.fromkeys("RMT", 0)
    view["starts"][seat - 1] = None


def void(view: View, effect: Effect) -> None:
    fight = {"attack": "engaged", "alliance": "alliance"}[cast(str, effect.word)]
    assert view[fight]["at"] == effect.target
    view[fight] = None


RETOLD = {
    "rolled": roll,
    "laid": lay_field,
    "attached": attach,
    "round-began": begin_round,
    "pass-began": begin_pass,
    "turn-began": begin_turn,
    "turn-ended": end_turn,
    "dropped": spend,
    "expired": expire,
    "paid": spend,
    "recruited": recruit,
    "moved": move,
    "pushed": push,
    "attacked": attack,
    "killed": kill,
    "occupied": occupy,
    "returned": come_back,
    "proposed": propose,
    "accepted": accept,
    "declined": decline,
    "voided": void,
    "turned": turn,
    "carried": carry,
    "reattached": reattach,
    "swapped": swap,
    "scored": score,
    "left": leave,
}


def settle(view: View, effects: Sequence[Effect]) -> None:
    """Nobody shares a field, and every attack is settled.

    A match that is over has no turn under way, but at the ply limit it stays as it was.
    """
    units: dict[str, Any] = {}
    for key, there in view["units"].items():
        field = key.partition("/")[0]
        assert field not in units, f"two seats on {field}"
        units[field] = there
    view["units"] = units
    assert view.pop("attackers", 0) == 0
    if is_over(effects) and effects[0].kind == "ended" and view["engaged"]:
        put(view, view["engaged"]["from"], find_seat_on_turn(view), "warrior")
        view["engaged"] = None
    if is_over(effects) and not any(effect.word == "ply-limit" for effect in effects):
        view |= {"uses": 0, "declined": False}
        if effects[0].kind == "ended":
            view["alliance"] = None
