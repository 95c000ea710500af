"""The gallery on the empty stage: what it offers, how it is searched and walked, and what opens."""

from __future__ import annotations

import os

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.library import gallery_items
from app.library.gallery_items import FIGURES, SAMPLES, SCENES
from app.library.icons import LibraryIcons
from core.formats import bundled_folder

CTRL, LEFT = Qt.KeyboardModifier.ControlModifier, Qt.MouseButton.LeftButton


@pytest.fixture
def gallery(window, qtbot):
    window.document.files.new()
    window.files.gallery.search.clear()
    qtbot.wait(20)
    return window.files.gallery


def tile(gallery, title: str):
    return next(each for each in gallery.shown if each.item.title == title)


def test_the_empty_stage_offers_every_figure_sample_and_scene(window, gallery):
    assert gallery.isVisible() and gallery.size() == window.area.work_view.size()
    files = {each.item.entry.path for each in gallery.shown}
    assert set(bundled_folder().glob("*.scr")) <= files
    assert set(bundled_folder().glob("library/*/*.seq")) <= files
    assert set(bundled_folder().glob("scenes/*.seq")) <= files
    assert {each.item.section for each in gallery.shown} >= {FIGURES, SAMPLES, SCENES}
    for each in gallery.shown:
        assert each.item.title and each.accessibleName().startswith(each.item.title)
        if each.item.section in (FIGURES, SCENES):
            assert each.item.line, each.item.title
    assert set(gallery_items.KNOWN) <= {path.stem for path in bundled_folder().glob("*.scr")}
    boxes = [each.geometry() for each in gallery.shown]
    assert not any(a.intersects(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert all(box.right() < gallery.ground.width() for box in boxes)


@pytest.mark.verify
def test_the_keyboard_goes_from_the_gallery_to_the_view(window, gallery):
    window.activateWindow()
    gallery.begin()
    QTest.keyClicks(gallery.search, "man")
    QTest.keyClick(gallery.search, Qt.Key.Key_Return)
    assert window.document.skeleton is not None and window.area.work_view.hasFocus()
    window.document.files.new()
    gallery.search.clear()


def test_a_click_opens_and_the_gallery_goes(window, gallery):
    QTest.mouseClick(tile(gallery, "Man"), LEFT)
    assert window.document.skeleton.name == "human" and not gallery.isVisible()
    window.document.files.new()
    assert gallery.isVisible()


@pytest.mark.verify
def test_a_scene_opens_ready_to_simulate(window, gallery):
    QTest.mouseClick(tile(gallery, "Swing"), LEFT)
    assert window.document.session.mode == "physics" and window.document.files.path.stem == "swing"
    window.document.session.mode = "pose"


@pytest.mark.verify
def test_new_begins_with_the_search_and_enter_opens_the_first_found(window, gallery):
    window.document.files.open(bundled_folder() / "stickman.scr")
    QTest.keyClick(window.area.work_view, Qt.Key.Key_N, CTRL)
    QApplication.processEvents()
    assert QApplication.focusWidget() is gallery.search
    QTest.keyClicks(gallery.search, "hor")
    assert [each.item.title for each in gallery.shown] == ["Horse"]
    QTest.keyClick(gallery.search, Qt.Key.Key_Return)
    assert window.document.skeleton.name == "horse"


@pytest.mark.verify
def test_what_was_typed_comes_before_names_that_begin_with_it_and_enter_opens_it(window, gallery):
    gallery.search.setText("walk")
    found = [each.item.title for each in gallery.shown]
    assert found[0] == "Walk" and len(found) > 2, found
    assert [each._first for each in gallery.shown] == [True] + [False] * (len(found) - 1)
    gallery.search.setText("st")
    sections = [each.item.section for each in gallery.shown]
    assert all(sections[i] == sections[i - 1] or sections[i] not in sections[:i] for i in range(1, len(sections)))
    assert gallery.shown[0].item.title.startswith("St")
    gallery.search.setText("")
    assert not any(each._first for each in gallery.shown)
    gallery.search.setText("walk")
    QTest.keyClick(gallery.search, Qt.Key.Key_Return)
    assert window.document.files.path.stem == "walk"


def test_the_search_finds_by_menu_and_says_when_nothing_is_found(gallery):
    gallery.search.setText("dance")
    assert {each.item.title for each in gallery.shown} == {"Arabesque", "Pirouette"}
    gallery.search.setText("no such thing")
    assert not gallery.shown and gallery.ground.height() > 0
    QTest.keyClick(gallery.search, Qt.Key.Key_Escape)
    assert len(gallery.shown) > 20


@pytest.mark.verify
def test_arrows_walk_through_the_pictures(gallery, window):
    gallery.begin()
    QTest.keyClick(gallery.search, Qt.Key.Key_Down)
    assert gallery.shown[0].hasFocus()
    QTest.keyClick(gallery.shown[0], Qt.Key.Key_Right)
    assert gallery.shown[1].hasFocus()
    QTest.keyClick(gallery.shown[1], Qt.Key.Key_Down)
    below = next(each for each in gallery.shown if each.hasFocus())
    assert below.y() > gallery.shown[1].y() and below.x() == gallery.shown[1].x()
    QTest.keyClick(below, Qt.Key.Key_End)
    assert gallery.shown[-1].hasFocus()
    assert gallery.scroll_area.viewport().rect().intersects(gallery.shown[-1].visibleRegion().boundingRect())
    for _ in range(20):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Up)
    assert gallery.search.hasFocus()
    QTest.keyClick(gallery.search, Qt.Key.Key_Down)
    QTest.keyClick(gallery.shown[0], Qt.Key.Key_Return)
    assert window.document.skeleton is not None


def test_it_fits_narrow_and_low_windows(window, gallery, qtbot):
    window.resize(1024, 680)
    qtbot.wait(60)
    boxes = [each.geometry() for each in gallery.shown]
    assert all(box.right() < gallery.ground.width() for box in boxes)
    assert gallery.open_button.geometry().right() < gallery.width()
    last = max(gallery.shown, key=lambda each: each.geometry().right())
    edge = last.mapTo(gallery, last.rect().topRight()).x()
    assert abs(edge - gallery.open_button.geometry().right()) < gallery.ground.columns + 2  # head and cards line up


def test_recent_files_come_first(window, gallery, tmp_path, monkeypatch):
    file = tmp_path / "my dance.bvh"
    file.write_text("HIERARCHY")
    menus = window.library.panel.library.bundled_menus()
    found = gallery_items.items([file, tmp_path / "gone.seq"], menus)
    assert found[0].section == gallery_items.RECENT and found[0].title == "my dance"
    assert found[0].line.startswith(".bvh in ") and found[1].section == FIGURES


def test_dialogs_never_begin_in_a_folder_that_looks_empty(window, tmp_path, monkeypatch):
    begun: list[str] = []
    monkeypatch.setattr(
        "app.actions.files.QFileDialog.getOpenFileName", lambda _w, _t, folder, _f: (begun.append(folder), ("", ""))[1]
    )
    empty, full = tmp_path / "human", tmp_path / "home"
    for folder in (empty, full):
        folder.mkdir()
    (empty / "head.pol").write_text("")
    (full / "walk.bvh").write_text("")
    monkeypatch.setattr("app.actions.files.Path.home", lambda: full)
    monkeypatch.setattr(window.files, "own_folder", lambda: empty)
    window.files.open()
    assert begun[-1] != str(empty) and os.listdir(begun[-1])


@pytest.mark.fresh_window
def test_pictures_are_drawn_after_the_window_is_there_and_kept_on_the_disk(qtbot, tmp_path, monkeypatch):
    monkeypatch.undo()  # the icons of this test are drawn
    from app.document.document import Document

    document = Document()
    item = next(each for each in gallery_items.items([], ()) if each.title == "Stickman")
    pictures = LibraryIcons(document, tmp_path, size=(148, 104), stills=True)
    pictures.rest(True)
    assert pictures.icon(item.entry, 1.0) is None and not pictures.busy
    pictures.rest(False)
    assert pictures.icon(item.entry, 1.0) is None and pictures.busy
    qtbot.waitUntil(lambda: not pictures.busy, timeout=20000)
    icon = pictures.icon(item.entry, 1.0)
    assert icon.complete and len(icon.pictures) == 1 and icon.about.figure == "stickman"
    assert (icon.pictures[0].width(), icon.pictures[0].height()) == (148, 104)
    qtbot.waitUntil(lambda: len(list(tmp_path.glob("*.icon"))) == 1, timeout=5000)
    pictures.stop()
    again = LibraryIcons(document, tmp_path, size=(148, 104), stills=True)
    monkeypatch.setattr(again, "_content", lambda path: pytest.fail("drawn again"))
    again.icon(item.entry, 1.0)
    qtbot.waitUntil(lambda: again.icon(item.entry, 1.0) is not None, timeout=5000)
    again.stop()


def drawn(path, qtbot, tmp_path):
    """Return the picture that the gallery draws of a file."""
    from app.document.document import Document

    (item, *_) = gallery_items.items([path], ())
    assert item.drawn and item.section == gallery_items.RECENT
    pictures = LibraryIcons(Document(), tmp_path, size=(148, 104), stills=True)
    pictures.icon(item.entry, 1.0)
    qtbot.waitUntil(lambda: not pictures.busy, timeout=30000)
    icon = pictures.icon(item.entry, 1.0)
    pictures.stop()
    assert icon.complete and not icon.problem
    alpha = icon.pictures[0].convertToFormat(QImage.Format.Format_Alpha8)
    rows = np.frombuffer(alpha.constBits(), np.uint8).reshape(alpha.height(), alpha.bytesPerLine())
    return rows[:, : alpha.width()].copy()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["z_up_zombie", "louise_optitrack", "cmu_01_01"])
def test_motion_of_other_programs_stands_in_its_picture(qtbot, tmp_path, monkeypatch, data_folder, name):
    monkeypatch.undo()  # the icons of this test are drawn
    alpha = drawn(data_folder / "bvh" / f"{name}.bvh", qtbot, tmp_path)
    rows, columns = np.flatnonzero(alpha.any(axis=1)), np.flatnonzero(alpha.any(axis=0))
    assert np.ptp(rows) > 1.2 * np.ptp(columns), "it lies on its side"
    assert len(np.unique(alpha)) > 12, "its outline is ragged"  # four samples a pixel give five values
