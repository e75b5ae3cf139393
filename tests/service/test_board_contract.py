"""Every board keeps the contract of `plyscribe.service.boards`, in random matches with all sorts of options.

A board that cannot trace moves yet is left out.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from random import Random
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pytest
from PIL import Image

from plyscribe.domain.effects import Effect, Moved, Rolled, Withdrew
from plyscribe.domain.errors import BadNotation, IllegalMove
from plyscribe.domain.phrases import SEATS, Phrase
from plyscribe.domain.ruleset import AnyRuleset, Decision, Over, Roll
from plyscribe.domain.rulesets import RULESETS
from plyscribe.service.boards import BOARDS, draw_board
from plyscribe.service.boards.board import Board, LastMove, Reason, Touches
from plyscribe.service.boards.colours import DARK, LIGHT, render_colours
from plyscribe.service.boards.pixels import render_png
from plyscribe.service.kit.proof_files import Setting
from plyscribe.service.rulebooks import read_clauses
from tests.domain.prove import settings_of

SVG = "{http://www.w3.org/2000/svg}"
NAME = re.compile(r"[a-z0-9:>+.-]+", re.IGNORECASE)
SHAPES = {f"{SVG}{shape}" for shape in ("polygon", "circle", "ellipse", "rect", "path")}
LONGEST = 400
"""The most steps of a match that are played."""
STEPS = 12
"""About how many steps of a match are looked at."""
PAIRS = 25
"""How many second touches are tried in a position."""

OURS = [
    ruleset
    for ruleset in RULESETS
    if (board := BOARDS.get((ruleset.id, ruleset.version))) and board.trace is not Board._field_defaults["trace"]
]
every_board = pytest.mark.parametrize("ruleset", OURS, ids=lambda each: f"{each.id}_v{each.version}")


class Scene(NamedTuple):
    """A position of a match, and the move that led to it."""

    state: Any
    last: LastMove | None


class Step(NamedTuple):
    """A step of a random match: the positions around it, and what it did."""

    seats: int
    before: Scene
    after: Scene
    effects: tuple[Effect, ...]


class Drawing(NamedTuple):
    """A drawing, taken apart: its elements by what they carry."""

    text: str
    root: ElementTree.Element
    touches: dict[str, ElementTree.Element]
    places: dict[str, ElementTree.Element]
    things: dict[str, ElementTree.Element]


def board_of(ruleset: AnyRuleset) -> Board:
    return BOARDS[ruleset.id, ruleset.version]


def play(ruleset: AnyRuleset, setting: Setting, random: Random) -> Iterator[Step]:
    """The steps of a random match; one in a hundred is a withdrawal."""
    scene = Scene(ruleset.initial_state(ruleset.parse_options(setting.options), setting.seats), None)
    for _ in range(LONGEST):
        before, (state, last) = scene, scene
        match ruleset.turn(state):
            case Over():
                return
            case Decision(seat) if random.randrange(100) == 0:
                step: Any = Withdrew(seat)
                state = ruleset.withdraw(state, seat)
            case Decision(seat):
                step = Moved(ruleset.sample_move(state, random.randrange))
                last = LastMove(seat, ruleset.format_move(state, step.move), ruleset.view(state))
                state = ruleset.apply_move(state, step.move)
            case Roll(sides, count):
                step = Rolled(tuple(random.randint(1, sides) for _ in range(count)))
                state = ruleset.apply_roll(state, step.values)
        scene = Scene(state, last)
        yield Step(setting.seats, before, scene, ruleset.effects(before.state, step, state))


@cache
def some_steps(ruleset: AnyRuleset) -> tuple[Step, ...]:
    """Steps from the whole length of random matches, with all options of the cases, and the last of each match."""
    random, chosen = Random(7), []
    for setting in settings_of(ruleset):
        steps = list(play(ruleset, setting, random))
        chosen += [*steps[: -1 : -(-len(steps) // STEPS)], steps[-1]]
    return tuple(chosen)


def some_choices(ruleset: AnyRuleset) -> list[Step]:
    """Steps from positions in which a seat decides."""
    steps = [step for step in some_steps(ruleset) if isinstance(ruleset.turn(step.before.state), Decision)]
    assert len({step.before.state for step in steps}) > 60
    return steps


DRAWINGS: dict[tuple[int, int | None], Drawing] = {}
"""Drawings of scenes by their `id`, since `some_steps` keeps the scenes."""


def draw(ruleset: AnyRuleset, scene: Scene, seat: int | None = None) -> Drawing:
    if (id(scene), seat) not in DRAWINGS:
        text = str(draw_board(ruleset, *scene, None, seat))
        root = ElementTree.fromstring(text)
        parts = (name_elements(root, f"data-{kind}") for kind in ("touch", "place", "key"))
        DRAWINGS[id(scene), seat] = Drawing(text, root, *parts)
    return DRAWINGS[id(scene), seat]


def name_elements(root: ElementTree.Element, attribute: str) -> dict[str, ElementTree.Element]:
    """The elements with an attribute, by its value; AssertionError if two have the same."""
    found = [each for each in root.iter() if attribute in each.attrib]
    twice = [name for name, times in Counter(each.attrib[attribute] for each in found).items() if times > 1]
    assert not twice, f"{attribute} of two elements: {twice[:5]}"
    return {each.attrib[attribute]: each for each in found}


def seats_of(step: Step) -> range:
    return range(1, step.seats + 1)


def list_ways(ruleset: AnyRuleset, state: Any) -> list[tuple[str, Touches]]:
    """Every legal move with each of its ways, as it is touched in the drawing."""
    board, moves = board_of(ruleset), [ruleset.format_move(state, move) for move in ruleset.legal_moves(state)]
    names = board.resolve(ruleset.view(state), ruleset.turn(state).seat)
    return [(move, tuple(names.get(touch, touch) for touch in way)) for move in moves for way in board.trace(move)]


def find_refusal(ruleset: AnyRuleset, state: Any, touches: Touches) -> Reason | None:
    """Why these touches lead to no move, as a page finds it: by the first guess that is a reason, or is refused."""
    guesses = list(board_of(ruleset).guess(ruleset.view(state), touches))
    assert guesses, f"no guess for {touches}"
    for guess in guesses:
        if isinstance(guess, Reason):
            return guess
        try:
            ruleset.parse_move(state, guess)
        except IllegalMove as illegal:
            return Reason(illegal.clause, illegal.phrase)
        except BadNotation:
            pass
    return None


def check_refusal(ruleset: AnyRuleset, state: Any, touches: Touches) -> None:
    found = find_refusal(ruleset, state, touches)
    where = f"{touches} in {ruleset.view(state)}"
    assert found is not None, f"nothing says why nothing comes of {where}"
    assert found.clause in read_clauses(ruleset.id, ruleset.version), where
    assert isinstance(found.why, Phrase), where
    assert str(found.why), where


# ---- touches


@every_board
def test_what_can_be_touched_has_a_name_an_outline_and_words_and_its_handle_is_hidden(ruleset):
    for step in some_steps(ruleset):
        touches, said = draw(ruleset, step.before).touches, board_of(ruleset).read(ruleset.view(step.before.state))
        for name, element in touches.items():
            assert NAME.fullmatch(name), name
            assert len(element), f"{name} has no shape"
            assert element[0].tag in SHAPES, f"{name} begins with {element[0].tag}"
            if "handle" in element.attrib.get("class", "").split():
                assert element.attrib.get("visibility") == "hidden", name
        assert not touches.keys() - said.keys()
        for name, phrase in said.items():
            check_phrase(phrase, name)


@every_board
def test_every_legal_move_is_made_by_touches_of_what_is_drawn_and_begins_as_its_first_touch_says(ruleset):
    for step in some_choices(ruleset):
        drawing, state = draw(ruleset, step.before), step.before.state
        ways, view, begun = list_ways(ruleset, state), ruleset.view(state), {}
        assert {move for move, _ in ways} == {ruleset.format_move(state, move) for move in ruleset.legal_moves(state)}
        for touch in {touch for _, way in ways for touch in way} - drawing.touches.keys():
            assert touch.count(">") == 1, f"{touch} is not drawn"
            assert set(touch.split(">")) <= drawing.places.keys(), touch
        for move, way in ways:
            assert way, f"{move} needs a touch"
            assert len(set(way)) == len(way), f"{move}: {way}"
            if way[0] not in begun:
                begun[way[0]] = tuple(board_of(ruleset).begin(view, way[0]))
            assert move.startswith(begun[way[0]]), (move, way[0])


@every_board
def test_a_touch_leads_on_to_a_move_or_is_refused_with_a_clause(ruleset):
    random = Random(3)
    for step in some_choices(ruleset):
        state, touches = step.before.state, sorted(draw(ruleset, step.before).touches)
        following: dict[str, set[str]] = {}
        for _, (first, *others) in list_ways(ruleset, state):
            following.setdefault(first, set()).update(others)
        for touch in touches:
            if touch not in following:
                check_refusal(ruleset, state, (touch,))
        for _ in range(PAIRS):
            first, second = random.choice(sorted(following)), random.choice(touches)
            if second != first and second not in following[first]:
                check_refusal(ruleset, state, (first, second))


def check_phrase(phrase: Any, name: str) -> None:
    assert isinstance(phrase, Phrase), name
    assert str(phrase), name
    for place, value in phrase.values.items():
        if place in SEATS:
            assert isinstance(value, int), f"{name}: {place} is a seat"
        elif isinstance(value, Phrase):
            check_phrase(value, name)


# ---- places and things


@every_board
def test_places_stay_the_same_throughout_a_match_and_are_those_that_effects_name(ruleset):
    """A place that each seat has is followed by the seat that did it, or if nobody did, by the one it concerns."""
    for step in some_steps(ruleset):
        places = draw(ruleset, step.before).places.keys()
        assert places == draw(ruleset, step.after).places.keys()
        for effect in step.effects:
            whose = effect.seat if effect.seat is not None else effect.owner
            for name in (effect.source, effect.target):
                found = name is None or name in places or f"{name}-{whose}" in places
                assert found, f"no place {name} for {effect}"


@every_board
def test_a_key_means_the_same_thing_in_a_place_that_is_there_throughout(ruleset):
    known: dict[tuple[int, str], tuple[Any, ...]] = {}
    for step in some_steps(ruleset):
        drawing = draw(ruleset, step.after)
        for key, thing in drawing.things.items():
            at, owner = thing.attrib.get("data-at"), thing.attrib.get("data-owner")
            assert known.setdefault((step.seats, key), (at, owner, thing.tag)) == (at, owner, thing.tag), key
            assert at is None or at in drawing.places, f"{key} at {at}"
            assert owner is None or int(owner) in seats_of(step), f"{key} of {owner}"
        for element in drawing.root.iter():
            if "data-turn" in element.attrib:
                assert float(element.attrib["data-turn"]) != 0
                assert len([float(part) for part in element.attrib["data-about"].split()]) == 2


# ---- looks


@every_board
def test_a_picture_fits_its_frame_names_its_game_and_marks_the_last_move(ruleset):
    marked = []
    for _, _, scene, _ in some_steps(ruleset):
        drawing = draw(ruleset, scene)
        assert (drawing.root.tag, drawing.root.attrib["class"]) == (f"{SVG}svg", "board")
        assert drawing.root.find(f"{SVG}title").text == ruleset.title
        assert len(drawing.root.attrib["viewBox"].split()) == 4
        if scene.last is not None:
            marked.append('class="last' in drawing.text or " last" in drawing.text)
    assert sum(marked) > 0.8 * len(marked)


@every_board
def test_all_seats_see_the_same_things_and_a_stranger_sees_them_as_seat_1(ruleset):
    for step in some_steps(ruleset)[::4]:
        drawings = [draw(ruleset, step.after, seat) for seat in seats_of(step)]
        assert drawings[0].text == draw(ruleset, step.after).text
        for part in ("touches", "places", "things"):
            assert len({frozenset(getattr(each, part)) for each in drawings}) == 1, part


@every_board
def test_equal_names_of_shapes_stand_for_equal_shapes_in_all_pictures(ruleset):
    """A page can show many pictures of a game: a reference finds the first shape of that name."""
    known: dict[str, bytes] = {}
    for step in some_steps(ruleset)[::3]:
        for seat in seats_of(step):
            root = draw(ruleset, step.after, seat).root
            named = name_elements(root, "id")
            for name, element in named.items():
                assert name.startswith(f"{ruleset.id}-"), name
                element.tail = None
                assert known.setdefault(name, shape := ElementTree.tostring(element)) == shape, name
            used = re.findall(r"(?:url\(|href=[\"'])#([^)\"']+)", ElementTree.tostring(root, encoding="unicode"))
            assert set(used) <= named.keys()


@every_board
def test_colours_come_from_the_style_sheet_alone_also_in_shapes_drawn_by_reference(ruleset):
    """Browsers know no ancestor outside of a shape that `use` draws: `.board .seat-1` matches nothing inside it."""
    sheet = render_colours("light")
    styled = set(re.findall(r"\.([a-z][a-z0-9-]*)", sheet))
    alone = set(re.findall(r"(?:^|[},])\s*\.([a-z][a-z0-9-]*)(?=\s*[{,])", sheet))
    for step in some_steps(ruleset)[::3]:
        drawing = draw(ruleset, step.after)
        assert max(map(ord, drawing.text)) < 256
        for element in drawing.root.iter():
            assert element.tag != f"{SVG}style"
            assert "style" not in element.attrib
            for name in ("fill", "stroke", "stop-color"):
                value = element.attrib.get(name, "none")
                assert value == "none" or value.startswith("url(#"), f"{name}={value}"
            unknown = set(element.attrib.get("class", "").split()) - styled - {"board", "handle"}
            assert not unknown, unknown
        named = name_elements(drawing.root, "id")
        for name in {each.attrib["href"].removeprefix("#") for each in drawing.root.iter(f"{SVG}use")}:
            lost = set(list_classes(named[name])) - alone
            assert not lost, f"{name}: {lost}"


def list_classes(shape: ElementTree.Element) -> Iterator[str]:
    """The classes in a shape, apart from those below an element of it with the class `board`."""
    classes = shape.attrib.get("class", "").split()
    if "board" in classes:
        return
    yield from classes
    for each in shape:
        yield from list_classes(each)


@every_board
def test_a_picture_is_drawn_in_many_colours_for_every_seat_in_light_and_dark(ruleset):
    step = some_steps(ruleset)[STEPS // 2]
    paper = tuple(bytes.fromhex(LIGHT["paper"][1:]))
    for theme, named in (("light", LIGHT), ("dark", DARK)):
        for seat in seats_of(step):
            png = render_png(str(draw_board(ruleset, *step.after, theme, seat)), 400)
            picture = Image.open(BytesIO(png)).convert("RGB")
            colours = {colour: count for count, colour in picture.getcolors(picture.width * picture.height)}
            assert len(colours) > 60
            assert tuple(bytes.fromhex(named["paper"][1:])) in colours
            assert colours.get(paper, 0) < (0.9 if theme == "light" else 0.1) * picture.width * picture.height


def test_no_two_seats_share_a_colour():
    for colours in (LIGHT, DARK):
        assert len(set(colours["seats"])) == max(ruleset.max_seats for ruleset in RULESETS)
