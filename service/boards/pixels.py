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
"""Frames of a GIF at most."""
MOST_PIXELS = 300_000_000
"""Pixels of all frames of a GIF together at most: they are in memory at once, with a byte for each."""
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


def render_gif(pngs: Sequence[bytes], delay_ms: int) -> bytes:
    """The pictures one after another, for ever; the last one stands for three delays, and three seconds at least.

    All have the size of the first and share one palette without dithering, so that what stays does not flicker. Equal
    pictures in a row are one frame that stands as long as all of them.
    """
    size = measure(pngs[0])
    palette = _pick_palette(pngs)
    # One by one, for a GIF of many frames is large before it is packed.
    frames = (_open(png, size).quantize(palette=palette, dither=Image.Dither.NONE) for png in pngs)
    durations = [delay_ms] * (len(pngs) - 1) + [max(LAST_MS, 3 * delay_ms)]
    file = BytesIO()
    next(frames).save(file, "GIF", save_all=True, append_images=frames, duration=durations, loop=0, optimize=True)
    return file.getvalue()


def _open(png: bytes, size: tuple[int, int]) -> Image.Image:
    """The picture in that size, on its own paper where it has other proportions."""
    picture = Image.open(BytesIO(png)).convert("RGB")
    paper = f"#{picture.crop((0, 0, 1, 1)).tobytes().hex()}"
    return picture if picture.size == size else ImageOps.pad(picture, size, color=paper)


def _pick_palette(pngs: Iterable[bytes]) -> Image.Image:
    """The 255 commonest colours of all pictures; the last of 256 is for what a frame leaves unchanged.

    Areas are plain, so that these are the very colours of the boards and the commonest shades at their borders.
    """
    counts = Counter[Any]()
    for png in pngs:
        picture = Image.open(BytesIO(png)).convert("RGB")
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
