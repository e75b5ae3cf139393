"""The documentation site is built without a warning, and its pages load nothing from another host."""

import os
import re
import runpy
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).parents[2]
HOOKS: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "site" / "hooks.py"))
REFERENCE = {
    "reference/client.html": "plyscribe.service.client.Client.create_match",
    "reference/matches.html": "plyscribe.domain.verification.verify_match",
    "reference/records.html": "plyscribe.domain.bundle.report.check_bytes",
    "reference/rulesets.html": "plyscribe.domain.ruleset.Ruleset.legal_moves",
}


class Loading(HTMLParser):
    """What a page loads by itself: every src and srcset, the href of every link element, and what objects hold."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.policy = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        fields = dict(attrs)
        names = {"src", "srcset", "data", "poster"} | ({"href"} if tag == "link" else set())
        self.loaded += [value for name, value in attrs if name in names and value]
        if fields.get("http-equiv") == "Content-Security-Policy":
            self.policy = fields["content"] or ""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    argv = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def pages_of(site: Path) -> dict[str, str]:
    return {str(path.relative_to(site)): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}


def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    pages = pages_of(site)
    assert len(pages) > 20
    for name, page in pages.items():
        read = Loading(page)
        assert [found for found in read.loaded if urlsplit(found).netloc] == [], name
        assert read.policy == "default-src 'self' 'unsafe-inline' data: blob:", name
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.search(r"""(url\(|@import\s*)["']?(https?:)?//""", text), sheet


def test_links_to_other_hosts_lead_to_a_service_on_this_machine(site: Path) -> None:
    links = [link for page in pages_of(site).values() for link in re.findall(r'<a [^>]*href="([^"]+)"', page)]
    hosts = {urlsplit(link).netloc for link in links}
    assert hosts <= {"", "127.0.0.1:8420"}


def test_the_reference_is_made_from_the_docstrings(site: Path) -> None:
    for page, name in REFERENCE.items():
        assert f'id="{name}"' in (site / page).read_text(encoding="utf-8"), page


def test_every_clause_of_every_ruleset_is_on_the_site(site: Path) -> None:
    for source in (ROOT / "docs" / "rulesets").glob("*.md"):
        page = (site / "rulesets" / f"{source.stem}.html").read_text(encoding="utf-8")
        for clause in re.findall(r"^### (\w+ · .+)$", source.read_text(encoding="utf-8"), re.MULTILINE):
            assert f">{clause}<" in page


def test_the_contract_is_on_the_site_byte_for_byte(site: Path) -> None:
    assert (site / "openapi.yaml").read_bytes() == (ROOT / "openapi.yaml").read_bytes()


def test_the_doctests_of_the_library_are_shown_as_code(site: Path) -> None:
    page = pages_of(site)["reference/index.html"]
    assert '<span class="gp">&gt;&gt;&gt; </span>' in page
    assert "<blockquote>" not in page
    assert "doctest:" not in page


HELD = ("index.md", "guide.md", "rulesets/zhen.md", "openapi.yaml")
SITE = SimpleNamespace(get_file_from_path=lambda uri: uri if uri in HELD else None)


@pytest.mark.parametrize(
    ("uri", "written", "shown"),
    [
        ("index.md", "[`guide`](docs/guide.md#moves)", "[`guide`](guide.md#moves)"),
        ("guide.md", "[contract](../openapi.yaml)", "[contract](openapi.yaml)"),
        ("rulesets/zhen.md", "[start](../../README.md)", "[start](../index.md)"),
        ("guide.md", "[elsewhere](https://example.org/a.md)", "[elsewhere](https://example.org/a.md)"),
        # The first file is not part of the site. The second does not exist, so the build fails.
        ("guide.md", "see [the reader](../domain/record/parsing.py#L1).", "see the reader."),
        ("guide.md", "[gone](../service/gone.py)", "[gone](../service/gone.py)"),
    ],
)
def test_a_link_of_the_repository_becomes_a_link_of_the_site(uri: str, written: str, shown: str) -> None:
    assert HOOKS["rewrite_links"](written, uri, SITE) == shown
