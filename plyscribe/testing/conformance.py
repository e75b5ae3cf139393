"""What every ruleset must keep, as plain functions that raise AssertionError where one does not.

A check takes a `Position`: a state with all that the check needs to know of the match it stands in. `play_matches`
walks random matches and checks each ply lightly; `sample_positions` picks positions for the checks that list all moves.
Nothing here knows any ruleset.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from hashlib import sha256
from itertools import islice
from random import Random
from reprlib import repr as shorten
from typing import Any, TypeVar

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from plyscribe.domain.chain import canonical_json, parse_json
from plyscribe.domain.effects import Moved, Rolled, Withdrew
from plyscribe.domain.errors import BadNotation, DomainError, IllegalMove, NotInPlay, OptionError, RollError
from plyscribe.domain.proofs.failures import describe_smallest
from plyscribe.domain.proofs.playthrough import apply_step, parse_step
from plyscribe.domain.proofs.trials import Trial, format_roll
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, Roll, Symmetry, Turn, format_turn
from plyscribe.service.kit.proof_files import Setting
from plyscribe.testing.subject import Subject

LISTED = 200
"""Moves that a check lists at most; of a longer listing it sees the first ones."""
MAPPED = 100
"""Moves whose images a check looks at."""
LONGEST_MOVE = 256
LONGEST_LINE = 100
LONGEST_MATCH = 3_000
WITHDRAWAL_ODDS = 150
"""One step in so many of a random match is a withdrawal; in every fourth match ten times as often."""
REMEMBERED_STATES = 5_000
WORD = re.compile(r"[a-z]+(-[a-z]+)*")
CLAUSE = re.compile(r"[A-Z]{2}[1-9][0-9]*")
BOX_DRAWING = range(0x2500, 0x2580)


Result = TypeVar("Result")
Refused = TypeVar("Refused", bound=DomainError)


@dataclass(frozen=True)
class Position:
    """A state in its match: the complete options, and notations that were legal somewhere in this match.

    Its view is the one taken first: a state that changes afterwards no longer fits it.
    """

    ruleset: AnyRuleset
    seats: int
    options: dict[str, Any]
    state: Any
    readable: tuple[str, ...] = ()

    @property
    def turn(self) -> Turn:
        """What the position waits for."""
        return self.ruleset.turn(self.state)

    @cached_property
    def view(self) -> dict[str, Any]:
        """The view that was taken first."""
        return self.ruleset.view(self.state)

    @property
    def in_play(self) -> list[int]:
        """The seats that have not left, ascending."""
        return [seat for seat in range(1, self.seats + 1) if seat not in self.view["left"]]

    @property
    def where(self) -> str:
        """The position in words, for a message."""
        return f"{self.ruleset.id} version {self.ruleset.version}, {self.seats} seats, {self.options}: {self.view}"

    def after(self, state: Any) -> "Position":
        """Another position of the same match."""
        return replace(self, state=state)

    def moves(self, limit: int = LISTED) -> list[Any]:
        """The first legal moves."""
        return list(islice(self.ruleset.legal_moves(self.state), limit))

    def texts(self, limit: int = LISTED) -> list[str]:
        """Their notations."""
        return [self.ruleset.format_move(self.state, move) for move in self.moves(limit)]


def require(truth: object, what: str, position: Position) -> None:
    """AssertionError unless `truth`: `what` is the sentence that should hold."""
    if not truth:
        raise AssertionError(f"{what}\n{position.where}")


def require_refusal(what: str, call: Callable[[], object], refusal: type[Refused]) -> Refused:
    """The error with which `call` refuses; AssertionError when it returns or raises anything else."""
    try:
        result = call()
    except refusal as error:
        return error
    except Exception as error:
        raise AssertionError(f"{what} must raise {refusal.__name__}, raised {error!r}") from error
    raise AssertionError(f"{what} must raise {refusal.__name__}, returned {result!r}")


def require_result(what: str, call: Callable[[], Result], position: Position) -> Result:
    """What `call` returns; AssertionError when it refuses."""
    try:
        return call()
    except DomainError as error:
        raise AssertionError(f"{what} is refused: {error}\n{position.where}") from error


# ---- one position


def check_turn(position: Position) -> None:
    """The turn names seats in play, dice that exist, or an end with well-formed ranks."""
    match position.turn:
        case Decision(seat):
            require(seat in position.in_play, f"seat {seat} decides, so it is in play", position)
        case Roll(sides, count, purpose, seat):
            require(sides >= 2 and count >= 1, f"{count}d{sides} are dice", position)
            require(WORD.fullmatch(purpose), f"the purpose {purpose!r} is a word", position)
            require(seat is None or seat in position.in_play, f"seat {seat} rolls, so it is in play", position)
            require(position.ruleset.has_chance(position.options), "a roll is due, so has_chance says so", position)
        case Over(reason, ranks):
            require(WORD.fullmatch(reason), f"the reason {reason!r} is a word", position)
            check_ranks(position, ranks)
        case other:
            require(False, f"{other!r} is a turn", position)


def check_ranks(position: Position, ranks: tuple[int, ...]) -> None:
    """One rank a seat, 1 + the number of seats placed better; leavers below, the last to leave first, never tied."""
    require(isinstance(ranks, tuple) and len(ranks) == position.seats, f"{ranks} has one rank a seat", position)
    for rank in ranks:
        better = sum(other < rank for other in ranks)
        require(type(rank) is int and rank == 1 + better, f"{ranks}: {rank} is 1 + the seats placed better", position)
    left = position.view["left"]
    expected = list(range(position.seats, position.seats - len(left), -1))
    require([ranks[seat - 1] for seat in left] == expected, f"{ranks}: {left} left and rank {expected}", position)


def check_standing(position: Position) -> None:
    """The standing has well-formed ranks, and every seat has a value that is an integer."""
    check_ranks(position, position.ruleset.standing(position.state))
    for seat in range(1, position.seats + 1):
        value = position.ruleset.evaluate(position.state, seat)
        require(type(value) is int, f"evaluate says {value!r} for seat {seat}, an integer", position)


def check_head(position: Position) -> None:
    """The view starts with ruleset, ply and left."""
    view = position.view
    if list(view)[:3] != ["ruleset", "ply", "left"]:
        raise AssertionError(f"a view starts with ruleset, ply and left: {view}")
    require(view["ruleset"] == position.ruleset.id, "the view names its ruleset", position)
    require(type(view["ply"]) is int and view["ply"] >= 0, "ply is a count", position)
    left = view["left"]
    known = set(left) <= set(range(1, position.seats + 1)) and len(set(left)) == len(left)
    require(isinstance(left, list) and known, "left lists seats, each once", position)


def check_view(position: Position) -> None:
    """The view is the caller's own, and comes back from its canonical JSON as it went in."""
    check_head(position)
    view, again = (position.ruleset.view(position.state) for _ in range(2))
    require(view == again and view is not again, "each view is equal and the caller's own", position)
    carried = require_result("the view as JSON", lambda: parse_json(canonical_json(view)), position)
    require(carried == view, "the view survives JSON", position)
    canonical_json(format_turn(position.turn))


def check_text(position: Position) -> None:
    """The drawing has lines of printable ASCII and box drawing, none too long."""
    text = position.ruleset.render_text(position.state)
    require(text.strip(), "the drawing shows something", position)
    for line in text.splitlines():
        require(len(line) <= LONGEST_LINE, f"{line!r} has at most {LONGEST_LINE} characters", position)
        drawn = all(" " <= character <= "~" or ord(character) in BOX_DRAWING for character in line)
        require(drawn, f"{line!r} is ASCII and box drawing", position)


def check_listing(position: Position) -> None:
    """Legal moves exist exactly at a decision, each once, in a fixed order; a prefix filters them."""
    moves, texts = position.moves(), position.texts()
    require(bool(moves) == isinstance(position.turn, Decision), "moves are legal exactly at a decision", position)
    require(position.moves() == moves and position.texts() == texts, "the order is fixed", position)
    require(len(set(moves)) == len(moves), "no legal move is listed twice", position)
    require(len(set(texts)) == len(texts), "no notation spells two moves", position)
    for prefix in sorted(prefixes_of(texts)):
        check_prefix(position, texts, prefix)


def prefixes_of(texts: list[str]) -> set[str]:
    """Beginnings of notations to list the moves under."""
    if len(texts) == LISTED:
        # Of thousands of moves, a scan for the last few is too slow to repeat.
        return {texts[0], texts[-1][:1]}
    picked = texts[:: max(1, len(texts) // 3)]
    return {"\x00", *(text[:length] for text in picked for length in (1, len(text) // 2, len(text)))}


def check_prefix(position: Position, texts: list[str], prefix: str) -> None:
    """The listing under a prefix is the whole listing, filtered."""
    listed = [
        position.ruleset.format_move(position.state, move)
        for move in islice(position.ruleset.legal_moves(position.state, prefix), LISTED)
    ]
    expected = [text for text in texts if text.startswith(prefix)]
    # Of a listing that was cut, only the beginning can be compared.
    comparable = listed if len(texts) < LISTED else listed[: len(expected)]
    require(comparable == expected, f"the listing under {prefix!r}, {listed}, is the filtered {expected}", position)
    require(all(text.startswith(prefix) for text in listed), f"{listed} start with {prefix!r}", position)


def check_notation(position: Position) -> None:
    """Every legal move has one plain ASCII spelling, and its spelling gives it back."""
    for move in position.moves():
        check_spelling(position, move)


def check_spelling(position: Position, move: Any) -> str:
    """The notation of a legal move, which is plain ASCII and gives the move back."""
    ruleset, state = position.ruleset, position.state
    text = ruleset.format_move(state, move)
    plain = text.isascii() and text.isprintable() and text == " ".join(text.split()) and 0 < len(text) <= LONGEST_MOVE
    require(plain, f"{text!r} is one line of ASCII with single spaces, no padding, not too long", position)
    parsed = require_result(f"the legal {text!r}", lambda: ruleset.parse_move(state, text), position)
    require(parsed == move and hash(parsed) == hash(move), f"{text!r} gives back {move}, not {parsed}", position)
    return text


def check_refusals(position: Position) -> None:
    """No text but the spelling of a legal move is read: BadNotation for what no grammar has, IllegalMove with a clause
    for what was legal elsewhere in the match.
    """
    legal = set(position.texts(limit=10 * LISTED))
    for text in sorted(legal)[:: max(1, len(legal) // 5)] or ["x"]:
        for bad in unreadable(text):
            check_bad_notation(position, bad)
    if len(legal) < 10 * LISTED:
        for text in position.readable:
            if text not in legal:
                check_illegal(position, text)


def unreadable(text: str) -> list[str]:
    """Texts beside a legal one that no ruleset reads: padding, other alphabets, doubled spaces, leading zeros."""
    wide = text.translate({ord(digit): 0xFF10 + int(digit) for digit in "0123456789"})
    marked = [f" {text}", f"{text} ", f"{text}\n", f"\t{text}", f"{text}\x00", f"{text}é", f"{text},", f"{text}{text}"]
    spelled = [text.replace(" ", "  "), text.replace(" ", "\t"), re.sub(r"\d+", r"0\g<0>", text), wide]
    return ["", " ", "?", "no such move", *marked, *(near for near in spelled if near != text)]


def check_bad_notation(position: Position, text: str) -> None:
    """The text is refused as no notation, with the text and the ply."""
    what = f"{text!r}, read at {position.where},"
    error = require_refusal(what, lambda: position.ruleset.parse_move(position.state, text), BadNotation)
    require(repr(text) in str(error) and error.details["ply"] == position.view["ply"], f"{error}: says where", position)


def check_illegal(position: Position, text: str) -> None:
    """The text is refused as an illegal move, with the text, the ply and a clause."""
    what = f"{text!r}, read at {position.where},"
    error = require_refusal(what, lambda: position.ruleset.parse_move(position.state, text), IllegalMove)
    require(CLAUSE.fullmatch(error.clause), f"{error}: names a clause", position)
    require(repr(text) in str(error) and error.details["ply"] == position.view["ply"], f"{error}: says where", position)


def check_sample(position: Position, random: Random) -> None:
    """A sampled move is legal: listed where the listing is short, spelled and read anywhere."""
    if not isinstance(position.turn, Decision):
        return
    move = position.ruleset.sample_move(position.state, random.randrange)
    check_spelling(position, move)
    listing = position.moves(LISTED + 1)
    require(move in listing or len(listing) > LISTED, f"the sampled {move} is legal", position)


def check_purity(position: Position, call: Callable[[Any], Any]) -> Any:
    """What `call` makes of the state, the same each time; the state itself stays as it was."""
    state, ruleset = position.state, position.ruleset
    before = (position.view, ruleset.turn(state), hash(state))
    result = require_result("what is allowed", lambda: call(state), position)
    again = call(state)
    after = (ruleset.view(state), ruleset.turn(state), hash(state))
    require(before == after, "a state never changes", position)
    require(result == again and hash(result) == hash(again), "the same input gives the same state", position)
    same = (ruleset.view(result), ruleset.turn(result)) == (ruleset.view(again), ruleset.turn(again))
    require(same, "the same input gives the same view", position)
    return result


def move_purely(position: Position, move: Any) -> Any:
    """The state after a move, the same each time."""
    return check_purity(position, lambda state: position.ruleset.apply_move(state, move))


def roll_purely(position: Position, values: tuple[int, ...]) -> Any:
    """The state after a roll, the same each time."""
    return check_purity(position, lambda state: position.ruleset.apply_roll(state, values))


def check_rolls(position: Position) -> None:
    """All that the dice can show is taken, nothing else, and nothing when no roll is due."""
    apply = partial(position.ruleset.apply_roll, position.state)
    turn = position.turn
    if not isinstance(turn, Roll):
        require_refusal(f"a roll that is not due at {position.where}", partial(apply, (1,)), RollError)
        require_refusal(f"an empty roll at {position.where}", partial(apply, ()), RollError)
        return
    low, high = (1,) * turn.count, (turn.sides,) * turn.count
    for values in (low, high):
        check_progress(position, roll_purely(position, values), 0)
    wrong = [(), low[1:], (*low, 1), (0, *low[1:]), (*low[1:], turn.sides + 1), (*low[1:], -1)]
    for values in wrong:
        require_refusal(f"{values} at {position.where}", partial(apply, values), RollError)


def check_progress(position: Position, state: Any, plies: int) -> Position:
    """A move makes ply grow by one, rolls and withdrawals leave it; the ply limit holds."""
    after = position.after(state)
    check_head(after)
    check_turn(after)
    require(after.view["ply"] == position.view["ply"] + plies, f"ply grows by {plies} from {position.view}", after)
    limit = position.options["ply_limit"]
    within = limit is None or after.view["ply"] < limit or isinstance(after.turn, Over)
    require(within, f"after {limit} moves the match is over", after)
    return after


def check_end(position: Position) -> None:
    """A match that ends otherwise, by an agreed draw say, is over with that outcome, and nobody is on turn."""
    if isinstance(position.turn, Over):
        return
    ruleset, over = position.ruleset, Over("draw-agreed", (1,) * position.seats)
    ended = check_purity(position, lambda state: ruleset.end(state, over))
    require(ruleset.turn(ended) == over, "the turn is the outcome that the match ended with", position)
    require(not list(ruleset.legal_moves(ended)), "a match that ended has no legal moves", position)
    view = ruleset.view(ended)
    require(view["ply"] == position.view["ply"], "an end is no move", position)
    require(view["left"] == position.view["left"], "an end makes nobody leave", position)


def check_withdrawals(position: Position) -> None:
    """Any seat in play can leave, nobody else; with two in play the other one wins."""
    strangers = [0, -1, position.seats + 1, *position.view["left"]]
    if isinstance(position.turn, Over):
        strangers += position.in_play
    for seat in strangers:
        what = f"seat {seat} leaving at {position.where}"
        require_refusal(what, partial(position.ruleset.withdraw, position.state, seat), NotInPlay)
    if not isinstance(position.turn, Over):
        for seat in position.in_play:
            check_withdrawal(position, seat)


def check_withdrawal(position: Position, seat: int) -> Position:
    """The position after this seat left: it is the last in `left`, and the rest goes on or ends."""
    state = check_purity(position, partial(position.ruleset.withdraw, seat=seat))
    after = check_progress(position, state, 0)
    require(after.view["left"] == [*position.view["left"], seat], f"seat {seat} is the last that left", after)
    if len(after.in_play) == 1:
        ranks = position.ruleset.standing(state)
        require(after.turn == Over("withdrawal", ranks), f"the last seat in play wins, not {after.turn}", after)
    require(bool(after.moves(1)) == isinstance(after.turn, Decision), "moves are legal exactly at a decision", after)
    check_standing(after)
    return after


def check_symmetries(position: Position) -> None:
    """Each symmetry keeps turn, standing and ply, goes with moves and rolls, and another one undoes it."""
    ruleset, state = position.ruleset, position.state
    symmetries = ruleset.symmetries(state)
    names = [each.name for each in symmetries]
    require(all(map(WORD.fullmatch, names)) and len(set(names)) == len(names), f"{names} are different words", position)
    for symmetry in symmetries:
        image = position.after(symmetry.map_state(state))
        same = [other.name for other in ruleset.symmetries(image.state)] == names
        require(same, "a symmetry leads to a position with the same symmetries", position)
        require(image.turn == position.turn, f"{symmetry.name} keeps the turn, {image.turn}", position)
        kept = image.view["ply"] == position.view["ply"] and image.view["left"] == position.view["left"]
        require(kept, f"{symmetry.name} keeps the ply and who left", image)
        standing = ruleset.standing(image.state) == ruleset.standing(state)
        require(standing, f"{symmetry.name} keeps the standing", image)
        undone = [other for other in symmetries if other.map_state(image.state) == state]
        require(undone, f"a symmetry undoes {symmetry.name}", image)
        check_symmetric_steps(position, image, symmetry)


def check_symmetric_steps(position: Position, image: Position, symmetry: Symmetry[Any, Any]) -> None:
    """The legal moves of the image are the images of the legal moves, and what they lead to are images, too."""
    ruleset, turn = position.ruleset, position.turn
    if isinstance(turn, Roll):
        for value in range(1, min(turn.sides, 8) + 1):
            here, there = (ruleset.apply_roll(each.state, (value,) * turn.count) for each in (position, image))
            require(symmetry.map_state(here) == there, f"{symmetry.name} goes with the roll of {value}s", position)
    moves = position.moves(MAPPED + 1)
    for move in moves[:MAPPED]:
        mapped = symmetry.map_move(move)
        text = ruleset.format_move(image.state, mapped)
        legal = require_result(f"{text!r} for {move}", partial(ruleset.parse_move, image.state, text), image)
        require(legal == mapped, f"{symmetry.name} carries {move} to a legal move", image)
        after = symmetry.map_state(ruleset.apply_move(position.state, move))
        require(after == ruleset.apply_move(image.state, mapped), f"{symmetry.name} goes with the move {text!r}", image)
    if len(moves) <= MAPPED:
        listed = {symmetry.map_move(move) for move in moves}
        require(listed == set(image.moves(MAPPED + 1)), f"{symmetry.name} goes with the list of moves", image)


POSITION_CHECKS: tuple[Callable[[Position], None], ...] = (
    check_view,
    check_turn,
    check_standing,
    check_text,
    check_listing,
    check_notation,
    check_refusals,
    check_rolls,
    check_withdrawals,
    check_symmetries,
)


# ---- random matches


@dataclass
class Identity:
    """States of one setting, to hold that two are equal exactly when views and turns are."""

    by_public: dict[bytes, Any] = field(default_factory=dict)
    by_state: dict[Any, bytes] = field(default_factory=dict)

    def check(self, position: Position) -> None:
        """Remember the state; AssertionError if it is not the one that its view and turn say."""
        if len(self.by_state) > REMEMBERED_STATES:
            self.__init__()  # type: ignore[misc]
        public = sha256(canonical_json([position.view, format_turn(position.turn)])).digest()
        state = self.by_public.setdefault(public, position.state)
        require(state == position.state, "states with equal views and turns are equal", position)
        require(hash(state) == hash(position.state), "equal states have equal hashes", position)
        known = self.by_state.setdefault(position.state, public)
        require(known == public, "equal states have equal views and turns", position)


def start_position(ruleset: AnyRuleset, setting: Setting) -> Position:
    """The position before the first step."""
    options = ruleset.parse_options(setting.options)
    return Position(ruleset, setting.seats, options, ruleset.initial_state(options, setting.seats))


def play_match(start: Position, random: Random, plies: int) -> Iterator[tuple[Position, str]]:
    """Each position of a random match with the step that leads on (empty at the last), checked ply by ply.

    Steps are chosen by sample_move and fair dice, with a withdrawal here and there.
    """
    position, odds = start, WITHDRAWAL_ODDS // random.choice((1, 1, 1, 10))
    for _ in range(LONGEST_MATCH):
        turn = position.turn
        if isinstance(turn, Over) or position.view["ply"] >= plies:
            break
        if random.randrange(odds) == 0:
            step = f"withdraw {random.choice(position.in_play)}"
        elif isinstance(turn, Roll):
            step = format_roll(random.randint(1, turn.sides) for _ in range(turn.count))
        else:
            move = position.ruleset.sample_move(position.state, random.randrange)
            step = f"move {check_spelling(position, move)}"
        yield position, step
        position = take_purely(position, step)
    yield position, ""


def take_purely(position: Position, step: str) -> Position:
    """The position after a step of a match, checked."""
    match parse_step(position.ruleset, position.state, step):
        case Moved(move):
            return check_progress(position, move_purely(position, move), 1)
        case Rolled(values):
            return check_progress(position, roll_purely(position, values), 0)
        case Withdrew(seat):
            return check_withdrawal(position, seat)
    raise AssertionError(f"{step!r} is no step of a random match")


def show_smallest(start: Position, steps: list[str], error: Exception) -> None:
    """Note at the error of a random match the smallest match that fails in the same way, if there is one."""

    def check(trial: Trial) -> Iterator[None]:
        position = start_position(start.ruleset, Setting(trial.seats, trial.options))
        identity = Identity()
        for step in (*trial.steps, ""):
            identity.check(position)
            check_ranks(position, position.ruleset.standing(position.state))
            yield
            position = take_purely(position, step) if step else position

    trial = Trial(start.seats, start.options, tuple(steps))
    # What is checked may be so wrong that it cannot be shrunk: then the first error must not be lost.
    with suppress(Exception):
        if smallest := describe_smallest(start.ruleset, trial, check, error):
            error.add_note(smallest)


def check_replay(visited: list[tuple[Position, str]]) -> None:
    """The same choices, read from their text, give the same states again."""
    state = visited[0][0].state
    for position, step in visited:
        require(state == position.state and hash(state) == hash(position.state), "replay gives equal states", position)
        require(position.ruleset.view(state) == position.view, "replay gives equal views", position)
        state = apply_step(position.ruleset, state, step) if step else state


def play_matches(ruleset: AnyRuleset, settings: list[Setting], plies: int, seed: int = 1) -> list[Position]:
    """Positions of random matches, of `plies` plies in total over all settings in turn; every one was checked.

    About a hundred of them come back, and the last one of each match, each with notations that its match knows.
    """
    random = Random(seed)
    identities = {setting.key: Identity() for setting in settings}
    kept: list[Position] = []
    played = number = 0
    while played < plies:
        setting = settings[number % len(settings)]
        number += 1
        visited = visit(start_position(ruleset, setting), random, plies // len(settings), identities[setting.key])
        played += max(1, visited[-1][0].view["ply"])
        kept += pick_positions(visited, random, odds=max(1, plies // 100))
    return kept


def visit(start: Position, random: Random, plies: int, identity: Identity) -> list[tuple[Position, str]]:
    """The positions of one random match, cut after `plies`, with the steps between them; all checked."""
    ruleset = start.ruleset
    check_progress(start, start.state, 0)
    visited: list[tuple[Position, str]] = []
    try:
        for position, step in play_match(start, random, plies):
            visited.append((position, step))
            identity.check(position)
            check_ranks(position, ruleset.standing(position.state))
    except Exception as error:
        show_smallest(start, [step for _, step in visited if step], error)
        raise
    check_replay(visited)
    return visited


def pick_positions(visited: list[tuple[Position, str]], random: Random, odds: int) -> list[Position]:
    """The last position and one in `odds` of the others, with moves of the match as readable texts."""
    texts = sorted({step.removeprefix("move ") for _, step in visited if step.startswith("move ")})
    readable = tuple(random.sample(texts, min(len(texts), 12)))
    picked = [position for position, _ in visited[:-1] if random.randrange(odds) == 0]
    return [replace(position, readable=readable) for position in (*picked, visited[-1][0])]


def check_transpositions(ruleset: AnyRuleset, setting: Setting, states: int = 300) -> None:
    """Where orders of moves meet, views and states meet: the tree from the start, breadth first."""
    identity, start = Identity(), start_position(ruleset, setting)
    level = [start]
    seen = 0
    while level and seen < states:
        following = []
        for position in level[:states]:
            seen += 1
            identity.check(position)
            following += [position.after(state) for state in successors(position)]
        level = following
    for position in level[:states]:
        identity.check(position)


def successors(position: Position) -> list[Any]:
    """The states after a few moves or rolls, and after each seat's withdrawal."""
    ruleset, state, turn = position.ruleset, position.state, position.turn
    if isinstance(turn, Over):
        return []
    gone = [ruleset.withdraw(state, seat) for seat in position.in_play]
    if isinstance(turn, Roll):
        faces = [(value,) * turn.count for value in range(1, min(turn.sides, 6) + 1)]
        return [*(ruleset.apply_roll(state, values) for values in faces), *gone]
    return [*(ruleset.apply_move(state, move) for move in position.moves(6)), *gone]


@cache
def sample_positions(subject: Subject) -> tuple[Position, ...]:
    """About a hundred positions of a ruleset, spread over settings and matches."""
    return spread(play_matches(subject.ruleset, subject.settings, 1_500, seed=2), 120)


def spread(positions: list[Position], number: int) -> tuple[Position, ...]:
    """At most so many of the positions, evenly taken from all."""
    return tuple(positions[:: -(-len(positions) // number)])


# ---- options


WRONG_VALUES: tuple[Any, ...] = (True, 1.5, 1.0, "7", 2**70, -(2**70), [], {}, -1, 0)


def check_options(ruleset: AnyRuleset, raw: dict[str, Any]) -> None:
    """Complete options are complete, in a fixed order, final, and allowed by the schema; the raw ones stay."""
    schema = ruleset.options_schema()
    Draft202012Validator.check_schema(schema)
    before = dict(raw)
    options = ruleset.parse_options(raw)
    if raw != before:
        raise AssertionError(f"parse_options changed its argument {before} to {raw}")
    if list(options) != list(schema["properties"]) or options | raw != options:
        raise AssertionError(f"{options} are the complete options of {raw}: {list(schema['properties'])}")
    if ruleset.parse_options(options) != options:
        raise AssertionError(f"complete options {options} are parsed to others")
    if parse_json(canonical_json(options)) != options:
        raise AssertionError(f"options {options} do not survive JSON")
    for fitting in (raw, options):
        if not Draft202012Validator(schema).is_valid(fitting):
            raise AssertionError(f"the schema refuses {fitting}")
    if type(ruleset.has_chance(options)) is not bool:
        raise AssertionError(f"has_chance({options}) is no bool")


def check_defaults(ruleset: AnyRuleset) -> None:
    """The defaults in the schema are those of parse_options, and every ruleset has a ply limit."""
    defaults, properties = ruleset.parse_options({}), ruleset.options_schema()["properties"]
    for name, schema in properties.items():
        if "default" in schema and schema["default"] != defaults[name]:
            raise AssertionError(f"option {name!r}: the schema's default {schema['default']} is not {defaults[name]}")
    for value in (None, 1, 2**53 - 1):
        if ruleset.parse_options({"ply_limit": value})["ply_limit"] != value:
            raise AssertionError(f"ply_limit {value} is not taken")


def check_presets(ruleset: AnyRuleset) -> None:
    """Each preset is a set of options that the ruleset takes, no two alike, none the defaults."""
    named = {name: ruleset.parse_options(dict(options)) for name, options in ruleset.presets.items()}
    for options in named.values():
        check_options(ruleset, options)
    distinct = {canonical_json(options) for options in (ruleset.parse_options({}), *named.values())}
    if len(distinct) <= len(named):
        raise AssertionError(f"two of the presets {named} are alike, or one is the defaults")


def check_wrong_options(ruleset: AnyRuleset) -> None:
    """Unknown names, and values that the schema or JSON's integers exclude, raise OptionError naming the option."""
    schema = ruleset.options_schema()
    for name in ("no-such-option", "PLY_LIMIT", "", "ply_limit "):
        check_refused_option(ruleset, name, 1)
        if Draft202012Validator(schema).is_valid({name: 1}):
            raise AssertionError(f"the schema takes the unknown option {name!r}")
    for value in WRONG_VALUES:
        check_refused_option(ruleset, "ply_limit", value)
    for name, of_option in schema["properties"].items():
        for value in WRONG_VALUES:
            outside = isinstance(value, float) or abs(value if isinstance(value, int) else 0) > 2**53
            if outside or not Draft202012Validator(of_option).is_valid(value):
                check_refused_option(ruleset, name, value)


def check_refused_option(ruleset: AnyRuleset, name: str, value: object) -> None:
    """The value is refused by an error that names the option."""
    error = require_refusal(
        f"{ruleset.id}: option {name!r} = {value!r}", lambda: ruleset.parse_options({name: value}), OptionError
    )
    if shorten(name) not in str(error):
        raise AssertionError(f"{error} does not name the option {name!r}")


def check_seats(ruleset: AnyRuleset) -> None:
    """Each number of seats from min to max gives a start with nothing played; others raise OptionError."""
    options = ruleset.parse_options({})
    for seats in range(ruleset.min_seats, ruleset.max_seats + 1):
        start = start_position(ruleset, Setting(seats, {}))
        check_progress(start, start.state, 0)
        require(start.view["ply"] == 0 and start.view["left"] == [], "a match starts with nothing played", start)
        check_standing(start)
        require(not isinstance(start.turn, Over), "a match starts with something to do", start)
        require(ruleset.initial_state(options, seats) == start.state, "every start is the same", start)
    for seats in (-1, 0, ruleset.min_seats - 1, ruleset.max_seats + 1, 99):
        what = f"{ruleset.id} with {seats} seats"
        require_refusal(what, partial(ruleset.initial_state, options, seats), OptionError)


def check_identity_card(ruleset: AnyRuleset) -> None:
    """A ruleset has a plain id, a version from 1, a title and a sensible range of seats."""
    plain = re.fullmatch(r"[a-z]+", ruleset.id) and type(ruleset.version) is int and ruleset.version >= 1
    if not (plain and ruleset.title and 1 <= ruleset.min_seats <= ruleset.max_seats):
        raise AssertionError(f"{ruleset.id!r} version {ruleset.version!r}, {ruleset.title!r}: not a plain identity")
