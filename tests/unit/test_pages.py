"""README and docs: links lead to files and sections that are there, every page is in the index, the examples run."""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def sections(page: Path) -> set[str]:
    """Return the names by which links reach the headings of a page."""
    heads = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.S)
    for target in _LINK.findall(text):
        if "://" in target:
            continue
        file, _, section = target.partition("#")
        there = (page.parent / file).resolve() if file else page
        assert there.exists(), target
        assert not section or section in sections(there), target


def test_the_index_has_every_page():
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    listed = {target.partition("#")[0] for target in _LINK.findall(index)}
    assert {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"} <= listed


def test_readme_is_one_page():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 70


@pytest.mark.verify
@pytest.mark.parametrize("page", ["toolkit.md", "expressions.md"])
def test_the_examples_print_what_they_promise(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.S)
    code = "\n".join(blocks)
    promised = [line.partition("  # ")[2].strip() for line in code.splitlines() if line.startswith("print(")]
    said = StringIO()
    with redirect_stdout(said):
        exec(compile(code, f"docs/{page}", "exec"), {})
    assert [line.split() for line in said.getvalue().splitlines()] == [line.split() for line in promised]
