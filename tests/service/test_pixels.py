"""Board pictures of every ruleset as pixels."""

import re
from io import BytesIO
from itertools import pairwise

import pytest
from PIL import Image

from plyscribe.domain.rulesets import RULESETS
from plyscribe.service.boards import draw_board
from plyscribe.service.boards.pixels import MOST_FRAMES, MOST_PIXELS, pick_frames, render_gif, render_png
from tests.domain.toy import TOY_V1
from tests.service.test_boards import name_of, some_positions

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20">{}</svg>'


def opened(raw: bytes) -> Image.Image:
    return Image.open(BytesIO(raw))


def plain(colour: str, width: int = 40) -> bytes:
    return render_png(SVG.format(f'<rect width="40" height="20" fill="{colour}"/>'), width)


@pytest.mark.parametrize("ruleset", [*RULESETS, TOY_V1], ids=name_of)
def test_text_is_drawn_also_bold_without_the_fonts_of_the_machine(ruleset):
    word = '<text y="15" font-size="14" font-weight="{}">24</text>'
    assert render_png(SVG.format(word.format("bold")), 40) != render_png(SVG.format(word.format("normal")), 40)
    *_, (state, last) = some_positions(ruleset)
    svg = draw_board(ruleset, state, last, "light")
    wordless = re.sub("<text.*?</text>", "", svg, flags=re.DOTALL)
    assert wordless != svg
    assert render_png(svg, 360) != render_png(wordless, 360)


def test_a_film_has_a_frame_for_each_picture_in_its_colours_and_holds_the_last_one():
    colours, held = ["#d4006a", "#fffdf8", "#0072b2"], []
    film = opened(render_gif([*map(plain, colours[:2]), plain(colours[2], 80)], 500))
    assert (film.n_frames, film.size, film.info["loop"]) == (3, (40, 20), 0)
    for number, colour in enumerate(colours):
        film.seek(number)
        held.append(film.info["duration"])
        assert film.convert("RGB").getpixel((20, 10)) == tuple(bytes.fromhex(colour[1:]))
    assert held == [500, 500, 3000]


def test_a_film_has_a_limit_of_frames_and_pixels_and_always_shows_the_end():
    assert pick_frames(7, 480, 480) == [0, 1, 2, 3, 4, 5, 6]
    for count in (MOST_FRAMES, MOST_FRAMES + 1, 12_345):
        for side in (100, 480, 4096):
            frames = pick_frames(count, side, side)
            assert len(frames) <= MOST_FRAMES
            assert len(frames) * side * side <= MOST_PIXELS
            assert frames[-1] == count - 1
            assert len({later - earlier for earlier, later in pairwise(frames)}) == 1
