"""The manual: its links, menus and keys are those of the program, and its window shows and searches it."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.dialogs import manual_window
from app.dialogs.manual_window import FOLDER, ManualWindow, pages, text_of, title_of
from app.window.menus import MENUS
from app.words import key_map
from app.words.key_map import shortcut_text

_KEYS = {key for row in key_map.load() for key in row.keys}
_HELD = {"Alt", "Ctrl", "Shift", "Ctrl+Shift"}
_PICTURE = re.compile(r"!\[[^]]+\]\(([^)]+)\)")
_ALSO = {"Enter", "Esc", "Space", "X", "Y", "Z", ".", ","}  # of gestures and fields


_NAMED = re.compile(r"\*([A-Z][^*\n]*? > [^*]*?)\*")
_TOLD = re.compile(rf"\b((?:{'|'.join(MENUS)}) > [A-Z][^\"'`;:.*()]*)")
_ELSEWHERE = {"Solver > Spare freedom > Clear of obstacles", "Edit > Preferences > Get Extensions > Install from Disk"}
"""What stands like a menu and is none: of a panel, and of Blender."""


def menu_paths(window) -> set[str]:
    """Every entry and every menu in a menu as it stands there, such as ``View > Lights > Studio``."""
    found = set()
    for path, action in window.menu.entries():
        found |= {path, f"{path} > {action.text().partition(chr(9))[0]}"}
    for menu in window.menu.actions():  # those filled as they open may be empty
        found |= {f"{menu.text()} > {entry.text()}" for entry in menu.menu().actions()}
    return found


def documents() -> list[Path]:
    """Return the pages outside of the manual that people read."""
    root = FOLDER.parents[1]
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", pages())
def test_every_page_has_a_title_and_its_links_lead_somewhere(page):
    text = text_of(page)
    assert text.startswith("# ") and title_of(page)
    for target in re.findall(r"(?<!!)\[[^]]*\]\(([^)]+)\)", text):
        assert target in pages(), target


def test_every_file_is_a_page_and_every_picture_is_on_one():
    assert {path.name for path in FOLDER.glob("*.md")} == set(pages())
    shown = {name for page in pages() for name in _PICTURE.findall(text_of(page))}
    assert {f"images/{path.name}" for path in (FOLDER / "images").iterdir()} == shown


def test_the_wheel_carries_pages_and_pictures():
    root = FOLDER.parents[1]
    made = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    package = FOLDER.relative_to(root).as_posix().replace("/", ".")
    assert package in made["packages"]["find"]["include"]
    carried = {path for pattern in made["package-data"][package] for path in FOLDER.glob(pattern) if path.is_file()}
    assert carried == {path for path in FOLDER.rglob("*") if path.is_file()}


@pytest.mark.parametrize("page", pages())
def test_menus_and_keys_that_a_page_names_are_there(window, page):
    text = re.sub(r"```.*?```", "", text_of(page), flags=re.S).replace("\n", " ")
    paths = menu_paths(window)
    for named in _NAMED.findall(text):
        assert named in paths | _ELSEWHERE, named
    known = {shortcut_text(key).replace("Comma", ",").replace("Full stop", ".") for key in _KEYS} | _HELD | _ALSO
    for key in re.findall(r"`([^`]+)`", text):
        if re.fullmatch(r"(?:(?:Ctrl|Shift|Alt)\+)*(?:[A-Z]|F\d+|Del|Enter|Esc|Space|[\[\],.])", key):
            assert key in known, key
    for tab in re.findall(r"The \*([A-Z]\w+)\* panel", text):
        assert tab in {panel.title for panel in window.panels}, tab


def test_menus_that_other_pages_name_are_there(window):
    paths, seen = menu_paths(window) | _ELSEWHERE, 0
    for document in documents():
        text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.S).replace("\n", " ")
        for named in _NAMED.findall(text):
            seen += 1
            assert named in paths, (document.name, named)
    assert seen > 5


@pytest.mark.verify
def test_menus_that_messages_name_are_there(window):
    """Texts of the program itself, such as what the status line says to do first."""
    paths, seen = menu_paths(window) | _ELSEWHERE, 0
    for module in sorted((FOLDER.parents[1] / "app").rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for named in _TOLD.findall(node.value):
                    seen += 1
                    assert named.strip() in paths, (module.name, named)
    assert seen > 5


def test_help_shows_the_manual_in_one_window(window, qtbot):
    QTest.keyClick(window.area.work_view, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    QApplication.processEvents()
    shown = window.findChild(ManualWindow)
    assert shown is not None and shown.isVisible() and shown.shown == manual_window.FIRST
    window.action_table["manual"].trigger()
    assert len(window.findChildren(ManualWindow)) == 1
    shown.close()
    QApplication.processEvents()


@pytest.fixture
def manual(qtbot):
    made = ManualWindow()
    qtbot.addWidget(made)
    made.show()
    return made


def test_pages_are_listed_and_links_are_followed(manual, qtbot):
    titles = [manual.list.item(row).text() for row in range(manual.list.count())]
    assert titles == [title_of(page) for page in pages()]
    manual.list.setCurrentRow(1)
    assert manual.shown == pages()[1] and title_of(manual.shown) in manual.page.toPlainText()
    link = next(target for target in re.findall(r"\]\(([^)]+\.md)\)", text_of(manual.shown)))
    manual.show_page(link)
    assert manual.shown == link and manual.list.currentItem().text() == title_of(link)


@pytest.mark.sampled(17)
@pytest.mark.parametrize("page", [page for page in pages() if _PICTURE.search(text_of(page))])
def test_pictures_fit_the_page(manual, page):
    manual.show_page(page)
    QApplication.processEvents()
    pictures = [QImage(str(FOLDER / name)).width() for name in _PICTURE.findall(text_of(page))]
    assert min(pictures) > 0
    assert manual.page.document().idealWidth() <= manual.page.viewport().width()
    assert max(pictures) <= manual.page.viewport().width() or manual.page.horizontalScrollBar().maximum() == 0


def test_the_search_finds_pages_and_lights_words(manual):
    QTest.keyClicks(manual.search, "zeppelin")
    assert manual.list.count() == 0 and manual.nothing.isVisible()
    manual.search.setText("pelvis")
    names = [manual.list.item(row).text() for row in range(manual.list.count())]
    assert title_of("locks.md") in names and title_of("export.md") not in names
    assert "pelvis" in manual.page.toPlainText().lower() and manual.page.extraSelections()
    manual.search.clear()
    assert manual.list.count() == len(pages()) and not manual.page.extraSelections()
