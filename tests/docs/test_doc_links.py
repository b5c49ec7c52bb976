"""Links between the pages lead somewhere."""

from __future__ import annotations

import re

import pytest
from markdown_pages import PAGES, ROOT, Page


@pytest.mark.parametrize("name", PAGES)
def test_links_resolve(name: str) -> None:
    page = Page(name)
    for link in page.links:
        target, _, anchor = link.partition("#")
        path = (page.path.parent / target).resolve() if target else page.path
        assert path.is_relative_to(ROOT), f"{link} leads out of the project"
        assert path.exists(), f"{link} leads nowhere"
        if anchor:
            assert anchor in Page(str(path.relative_to(ROOT))).anchors, f"{link}: no such heading"


def test_the_readme_leads_to_every_page() -> None:
    assert {link.partition("#")[0] for link in Page("README.md").links} >= set(PAGES) - {"README.md"}


@pytest.mark.parametrize("name", PAGES)
def test_files_named_in_running_text_exist(name: str) -> None:
    for code in Page(name).inline_code:
        if re.fullmatch(r"(?:signoff|tests|docs|notebooks|benchmarks|\.ci)/[\w./-]*", code):
            assert (ROOT / code).exists(), f"{name} names {code}"
