"""Hooks of the documentation site: pages from the top of the repository, and links that lead out of docs/.

The pages are written to be read in the repository, too. So a link names a file of the repository, and this module turns
it into a link of the site. A link to a file that the site does not hold becomes plain text. A link to a file that does
not exist is left alone: MkDocs warns about it, and a warning fails the build.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
FROM_ROOT = {
    "README.md": "index.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "openapi.yaml": "openapi.yaml",
}
"""Files outside docs/ that the site holds, and where it holds them."""

_CODE = re.compile(r"(^```[^\n]*\n.*?^```|(?:^ {4}[^\n]*\n)+)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files from the top of the repository to those of docs/."""
    for path, uri in FROM_ROOT.items():
        files.append(File.generated(config, uri, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrite the relative links of a page, but not what stands in code."""
    uri = page.file.src_uri
    parts = _CODE.split(markdown)
    parts[::2] = [rewrite_links(part, uri, files) for part in parts[::2]]
    return "".join(parts)


def rewrite_links(text: str, uri: str, files: Files) -> str:
    """The text with every link of the repository as a link of the site, or as plain text where the site has no page."""
    source = next((path for path, held in FROM_ROOT.items() if held == uri), f"docs/{uri}")

    def rewrite(link: re.Match[str]) -> str:
        mark, words, target, anchor = link[1], link[2], link[3], link[4] or ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        held = FROM_ROOT.get(path, path.removeprefix("docs/"))
        if (held != path or path in FROM_ROOT) and files.get_file_from_path(held):
            return f"{mark}[{words}]({posixpath.relpath(held, posixpath.dirname(uri) or '.')}{anchor})"
        return words if not mark and (ROOT / path).exists() else link[0]

    return _LINK.sub(rewrite, text)
