"""Board pictures as pixels: PNG, and GIF of a whole match. Needs the extra `pictures`.

resvg draws, for it brings all that it needs in its wheel. Text is set in Bitstream Vera, which ReportLab ships:
without a font at hand a renderer leaves all text out, and fonts of the machine make other pixels on each machine.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

import resvg_py
from PIL import Image, ImageOps

MOST_FRAMES = 2_000
"""Frames of a GIF at most, for all of them are in memory at once."""
MOST_PIXELS = 400_000_000
"""Pixels of all frames of a GIF together at most, for the same reason."""
LAST_MS = 3_000
"""How long the last frame stands at least."""

FAMILY = "Bitstream Vera Sans"
LATIN = 256
"""Characters before this one are in the font; for others those of the machine are looked through, which takes time."""


def render_png(svg: str, width: int) -> bytes:
    """The picture as a PNG of that width, as high as the picture asks for; the same on every machine for Latin text."""
    return resvg_py.svg_to_bytes(
        svg_string=svg,
        width=width,
        font_files=_find_fonts(),
        skip_system_fonts=all(ord(character) < LATIN for character in svg),
        font_family=FAMILY,
        sans_serif_family=FAMILY,
        monospace_family=FAMILY,
    )


def pick_frames(count: int, width: int, height: int) -> list[int]:
    """Which of so many pictures become frames: all, or evenly as many as a GIF may have; the last one always."""
    most = max(1, min(MOST_FRAMES, MOST_PIXELS // (width * height)))
    step = -(-count // most)
    return list(range((count - 1) % step, count, step))


def measure(png: bytes) -> tuple[int, int]:
    """Width and height of a PNG."""
    return Image.open(BytesIO(png)).size


def render_gif(pngs: Iterable[bytes], delay_ms: int) -> bytes:
    """The pictures one after another, for ever; the last one stands for three delays, and three seconds at least.

    All have the size of the first and share one palette without dithering, so that what stays does not flicker. Equal
    pictures in a row are one frame that stands as long as all of them.
    """
    first, *more = (Image.open(BytesIO(png)).convert("RGB") for png in pngs)
    size, paper = first.size, f"#{first.crop((0, 0, 1, 1)).tobytes().hex()}"
    pictures = [first, *(each if each.size == size else ImageOps.pad(each, size, color=paper) for each in more)]
    palette = _pick_palette(pictures)
    frames = [each.quantize(palette=palette, dither=Image.Dither.NONE) for each in pictures]
    durations = [delay_ms] * (len(frames) - 1) + [max(LAST_MS, 3 * delay_ms)]
    file = BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=True)
    return file.getvalue()


def _pick_palette(pictures: Sequence[Image.Image]) -> Image.Image:
    """The 255 commonest colours of all pictures; the last of 256 is for what a frame leaves unchanged.

    Areas are plain, so that these are the very colours of the boards and the commonest shades at their borders.
    """
    counts = Counter[Any]()
    for picture in pictures:
        for count, colour in picture.getcolors(picture.width * picture.height) or ():
            counts[colour] += count
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for colour, _ in counts.most_common(255) for part in colour])
    return palette


def _find_fonts() -> list[str]:
    spec = find_spec("reportlab")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("the fonts of ReportLab are not installed", name="reportlab")
    return [str(Path(spec.origin).parent / "fonts" / name) for name in ("Vera.ttf", "VeraBd.ttf")]
