"""`python -m deploy` makes the files of all kits from topology.toml and the templates."""

import json
from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from deploy.topology import FOLDER, Kit, read_kit

TEMPLATES = FOLDER / "templates"
EACH = "PROCESS"
"""A template with this in its name makes a file for each kind of process. A single process has no `@`."""

KITS = {
    "compose.yaml": "compose",
    "compose.many.yaml": "compose-many",
    "systemd": "systemd",
    "kubernetes": "kubernetes",
}
"""Which kit the templates in a folder, or of a name, are filled with."""


def render_all() -> Iterator[tuple[Path, str]]:
    """Each file that is made, below this folder, with its text."""
    loader = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701  # there is no HTML, and nobody else's text
    )
    # A text in JSON's quotes is one in YAML, too.
    loader.filters["quoted"] = lambda value: json.dumps(value, ensure_ascii=False)
    for path in sorted(TEMPLATES.rglob("*.j2")):
        inside = path.relative_to(TEMPLATES)
        template, kit = loader.get_template(inside.as_posix()), read_kit(KITS[inside.parts[0].removesuffix(".j2")])
        for name, process in _list_files(inside.with_suffix(""), kit):
            yield FOLDER / name, template.render(kit=kit, process=process, file=inside.as_posix())


def _list_files(name: Path, kit: Kit) -> Iterator[tuple[Path, object]]:
    if EACH not in name.name:
        yield name, None
        return
    for process in kit.processes:
        called = name.name.replace(EACH, process.name)
        yield name.with_name(called.replace("@", "") if process.is_web else called), process


if __name__ == "__main__":
    for path, text in render_all():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
