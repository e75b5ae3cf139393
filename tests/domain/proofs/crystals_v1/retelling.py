"""Crystals, retold."""

from collections.abc import Sequence
from typing import Any

from plyscribe.domain.effects import Effect
from plyscribe.testing.retelling import View, is_over

CHANGING = frozenset(
    {
        *("CR3", "CR5", "CR6", "CR7", "CR8", "CR9", "CR11", "CR12", "CR13", "CR14", "CR15"),
        *("CR16", "CR17", "CR18", "CR19", "CR20", "CR21"),
    }
)

DONE = "done"
"""While a step is retold: its move is over, up to giving out experience and the last spawn (CR14)."""


def character(view: View, seat: int, name: str) -> dict[str, Any]:
    return view["characters"][seat - 1][name]


def shift(view: View, seat: int, name: str, source: int | str, target: int | str) -> None:
    """A character goes from where it must be to somewhere else."""
    runner = character(view, seat, name)
    assert runner["at"] == source
    runner["at"] = target


def choose(view: View, effect: Effect) -> None:
    """CR3: a class begins with one experience, on level 1."""
    view["characters"][effect.seat - 1][effect.piece] = {"at": "base", "xp": 1, "level": 1}


def place(view: View, effect: Effect) -> None:
    shift(view, effect.seat, effect.piece, "base", int(effect.target))
    assert int(effect.target) == view["starts"][effect.seat - 1]
    if view["phase"] == "spawn":
        view["phase"] = "roll"
    elif view["phase"] == "respawn":
        view["phase"] = DONE


def roll(view: View, effect: Effect) -> None:
    if effect.word == "first":
        view["contest"][effect.seat - 1] = effect.amount
    elif effect.word == "turn":
        view["roll"], view["phase"] = effect.amount, "move"


def drop(view: View, effect: Effect) -> None:
    view["contest"][effect.owner - 1] = "out"


def tie(view: View, effect: Effect) -> None:
    view["contest"][effect.owner - 1] = None


def skip(view: View, effect: Effect) -> None:
    view["phase"] = DONE


def move(view: View, effect: Effect) -> None:
    shift(view, effect.seat, effect.piece, int(effect.source), int(effect.target))
    view["phase"], view["source"] = DONE, int(effect.source)


def come_home(view: View, effect: Effect) -> None:
    shift(view, effect.seat, effect.piece, int(effect.source), "base")
    view["phase"] = DONE


def score(view: View, effect: Effect) -> None:
    view["crystals"][effect.seat - 1] += effect.amount
    view["bank"] -= effect.amount
    assert ["first", "second", "third"][view["crystals"][effect.seat - 1] - 1] == effect.word


def go_on(view: View, effect: Effect) -> None:
    """From a teleport to another one, or back from a character that was saved."""
    shift(view, effect.owner, effect.piece, int(effect.source), int(effect.target))


def attack(view: View, effect: Effect) -> None:
    """Until its defence roll, an attacker is shown where it came from, if it attacks where its move ends."""
    assert view["attack"] is None
    ranged = effect.kind == "attacked-from-afar"
    if not ranged:
        shift(view, effect.seat, effect.word, int(effect.target), view["source"])
    assert character(view, effect.owner, effect.piece)["at"] == int(effect.target)
    target = {"seat": effect.owner, "class": effect.piece}
    view["attack"], view["phase"] = {"attacker": effect.word, "target": target, "ranged": ranged}, "defence"


def kill(view: View, effect: Effect) -> None:
    shift(view, effect.owner, effect.piece, int(effect.source), "base")
    resolve(view, int(effect.source))


def save(view: View, effect: Effect) -> None:
    assert character(view, effect.owner, effect.piece)["at"] == int(effect.target)
    resolve(view, int(effect.target))


def resolve(view: View, field: int) -> None:
    """After its defence roll, an attacker stands on the field where its move ends."""
    if attack := view["attack"]:
        view["attack"], view["phase"] = None, DONE
        if not attack["ranged"]:
            character(view, view["on_turn"], attack["attacker"])["at"] = field


def call_off(view: View, effect: Effect) -> None:
    """CR21: the attacker takes the field, if it is still there and the match goes on."""
    assert view["attack"]["target"]["seat"] == effect.owner
    view["free"] = (effect.seat, view["attack"], int(effect.target))
    view["attack"], view["phase"] = None, DONE


def take_field(view: View, seat: int, attack: dict[str, Any], field: int) -> None:
    if not attack["ranged"] and seat not in view["left"]:
        character(view, seat, attack["attacker"])["at"] = field


def give_back_mine(view: View, effect: Effect) -> None:
    assert character(view, effect.seat, effect.piece)["at"] == int(effect.source)
    view["mines"][effect.owner - 1].remove(int(effect.source))


def earn(view: View, effect: Effect) -> None:
    view["due"][effect.owner - 1] += effect.amount


def have_extra_turn(view: View, effect: Effect) -> None:
    assert not view["extra"]
    view["extra"] = True


def mine(view: View, effect: Effect) -> None:
    view["mines"][effect.seat - 1] = sorted([*view["mines"][effect.seat - 1], int(effect.target)])


def learn(view: View, effect: Effect) -> None:
    view["due"][effect.seat - 1] -= 1
    learner = character(view, effect.seat, effect.piece)
    learner["xp"] += 1
    assert learner["xp"] == effect.amount


def rise(view: View, effect: Effect) -> None:
    character(view, effect.owner, effect.piece)["level"] = effect.amount


def clear(view: View, effect: Effect) -> None:
    view["mines"][effect.owner - 1].remove(int(effect.source))


def lose(view: View, effect: Effect) -> None:
    assert view["due"][effect.owner - 1] == effect.amount
    view["due"][effect.owner - 1] = 0


def leave(view: View, effect: Effect) -> None:
    """CR21: the seat is out of the contest, and its turn is over."""
    if view["contest"]:
        view["contest"][effect.owner - 1] = "out"
    elif view["on_turn"] == effect.owner and view["phase"] not in ("choose", "deploy"):
        view["phase"] = DONE


def take_off(view: View, effect: Effect) -> None:
    shift(view, effect.owner, effect.piece, int(effect.source), "base")


def begin_turn(view: View, effect: Effect) -> None:
    """CR6: it begins with a spawn if START is empty and the base is not."""
    assert not any(view["due"])
    before = view["on_turn"]
    if effect.word == "first":
        assert view["phase"] == "first"
        view["contest"] = None
    else:
        assert view["phase"] in (DONE, "xp")
        again = view["extra"] and before not in view["left"]
        assert effect.word == ("extra" if again else "next")
        assert (effect.owner == before) == again
    view |= {"on_turn": effect.owner, "roll": None, "extra": False}
    view["phase"] = "spawn" if can_spawn(view, effect.owner) else "roll"


def can_spawn(view: View, seat: int) -> bool:
    taken = {each["at"] for own in view["characters"] for each in own.values()}
    own = view["characters"][seat - 1].values()
    return view["starts"][seat - 1] not in taken and any(each["at"] == "base" for each in own)


RETOLD = {
    "chose": choose,
    "placed": place,
    "rolled": roll,
    "out": drop,
    "tied": tie,
    "idle": skip,
    "moved": move,
    "came-home": come_home,
    "scored": score,
    "teleported": go_on,
    "attacked": attack,
    "attacked-from-afar": attack,
    "killed": kill,
    "killed-from-afar": kill,
    "saved": save,
    "thrown-back": go_on,
    "returned": give_back_mine,
    "earned": earn,
    "extra-turn": have_extra_turn,
    "mined": mine,
    "learned": learn,
    "levelled": rise,
    "left": leave,
    "taken-off": take_off,
    "cleared": clear,
    "called-off": call_off,
    "lost": lose,
    "turn-began": begin_turn,
}


def settle(view: View, effects: Sequence[Effect]) -> None:
    """What the seats do next, in the opening (CR5), and at the end of a move (CR14)."""
    view.pop("source", None)
    free = view.pop("free", None)
    if free and not is_over(effects):
        take_field(view, *free)
    if is_over(effects):
        # An end by agreement drops what was pending without a word.
        assert effects[0].kind == "ended" or not (any(view["due"]) or view["attack"])
        nothing = {"on_turn": None, "phase": "over", "roll": None, "extra": False, "attack": None, "contest": None}
        view |= nothing | {"due": [0] * len(view["due"])}
    elif view["contest"]:
        settle_opening(view)
    elif view["phase"] in (DONE, "xp"):
        view["phase"] = "xp" if any(view["due"]) else "respawn"


def settle_opening(view: View) -> None:
    seats = [seat for seat in range(1, len(view["starts"]) + 1) if seat not in view["left"]]
    undecided = [seat for seat in seats if len(view["characters"][seat - 1]) == 3]
    absent = [seat for seat in seats if all(each["at"] == "base" for each in view["characters"][seat - 1].values())]
    view["phase"] = "choose" if undecided else "deploy" if absent else "first"
    view["on_turn"] = next(iter(undecided or absent), None)
