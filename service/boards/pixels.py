"""Board pictures as pixels: a PNG of a position, a GIF of a whole match.

resvg draws them, because its wheel contains everything it needs. Text is set in Bitstream Vera, which comes with
ReportLab. Without a font, resvg would leave out all text; with the fonts of the machine, pictures would differ.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

import resvg_py
from PIL import Image, ImageOps

from plyscribe.service.boards.colours import LIGHT

MOST_FRAMES = 2_000
"""The most frames that a GIF may have."""
MOST_PIXELS = 300_000_000
"""The most pixels that all frames of a GIF may have together. They are in memory at once, a byte each."""
LAST_MS = 3_000
"""The shortest time that the last frame stays."""

CARD_SIZE = 1200, 630
"""The width and height that sites expect of a picture beside a link."""

CARD_MARGIN = 36

FAMILY = "Bitstream Vera Sans"
LATIN = 256
"""The font has the characters below this one. For others, resvg searches the fonts of the machine, which is slow."""

_VIEW_BOX = re.compile(r'viewBox="([^"]+)"')


def render_png(svg: str, width: int) -> bytes:
    """The picture as a PNG of this width, in its own proportions. With Latin text, it is the same on every machine."""
    return resvg_py.svg_to_bytes(
        svg_string=svg,
        width=width,
        font_files=_find_fonts(),
        skip_system_fonts=all(ord(character) < LATIN for character in svg),
        font_family=FAMILY,
        sans_serif_family=FAMILY,
        monospace_family=FAMILY,
    )


def frame_card(svg: str) -> bytes:
    """A drawing of a board in the middle of a quiet PNG of CARD_SIZE, as sites show it beside a link."""
    width, height = CARD_SIZE
    _, _, wide, high = map(float, _VIEW_BOX.search(svg)[1].split())  # type: ignore[index]
    scale = min((width - 2 * CARD_MARGIN) / wide, (height - 2 * CARD_MARGIN) / high)
    x, y = (width - wide * scale) / 2, (height - high * scale) / 2
    place = f'<svg x="{x:.1f}" y="{y:.1f}" width="{wide * scale:.1f}" height="{high * scale:.1f}" '
    frame = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
    ground = f'<rect width="{width}" height="{height}" fill="{LIGHT["board"]}"/>'
    shade = (
        f'<rect x="{x - 12:.1f}" y="{y - 12:.1f}" width="{wide * scale + 24:.1f}" height="{high * scale + 24:.1f}" '
        f'rx="16" fill="{LIGHT["paper"]}" stroke="{LIGHT["field_two"]}" stroke-width="2"/>'
    )
    # A drawing is Markup, which would escape what is put into it.
    board = str(svg).replace("<svg ", place, 1)
    return render_png(f"{frame}{ground}{shade}{board}</svg>", width)


def pick_frames(count: int, width: int, height: int, most: int | None = None) -> list[int]:
    """Which of `count` pictures become frames: all, or an even selection if that is too many. The last is always in.

    By default the most is MOST_FRAMES.
    """
    most = max(1, min(MOST_FRAMES if most is None else most, MOST_PIXELS // (width * height)))
    step = -(-count // most)
    return list(range((count - 1) % step, count, step))


def measure(png: bytes) -> tuple[int, int]:
    """The width and height of a PNG."""
    return Image.open(BytesIO(png)).size


def render_gif(pngs: Sequence[bytes], delay_ms: int) -> bytes:
    """The pictures as an endless GIF. The last one stays for three delays, and for at least three seconds.

    All frames have the size of the first and share one palette without dithering, so unchanged parts do not flicker.
    Equal pictures in a row become one frame that stays for as long as all of them.
    """
    size = measure(pngs[0])
    palette = _pick_palette(pngs)
    # One at a time: unpacked, many frames need much memory.
    frames = (_open(png, size).quantize(palette=palette, dither=Image.Dither.NONE) for png in pngs)
    durations = [delay_ms] * (len(pngs) - 1) + [max(LAST_MS, 3 * delay_ms)]
    file = BytesIO()
    next(frames).save(file, "GIF", save_all=True, append_images=frames, duration=durations, loop=0, optimize=True)
    return file.getvalue()


def _open(png: bytes, size: tuple[int, int]) -> Image.Image:
    """The picture in this size. If its proportions differ, its own background fills the rest."""
    picture = Image.open(BytesIO(png)).convert("RGB")
    paper = f"#{picture.crop((0, 0, 1, 1)).tobytes().hex()}"
    return picture if picture.size == size else ImageOps.pad(picture, size, color=paper)


def _pick_palette(pngs: Iterable[bytes]) -> Image.Image:
    """The 255 commonest colours of all pictures. The 256th is for pixels that a frame leaves unchanged.

    Boards have plain areas, so these are the exact colours of the boards and the commonest shades at their borders.
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
