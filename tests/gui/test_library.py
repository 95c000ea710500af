"""The library panel: icons that flip, are kept and renewed; opening, inserting, saving and keeping order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QCursor, QDragMoveEvent, QDropEvent, QEnterEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app.actions import putting_in
from app.dialogs.library_dialog import LibraryDialog
from app.document.document import Document
from app.document.files.model_files import read_model
from app.document.library_edits import kind_of
from app.library import cache as library_cache
from app.library.icons import LibraryIcons, to_middle
from app.library.places import own_folder
from app.panels.library.menu import carrying
from app.panels.library.panel import LibraryPanel, entry_menu, menu_menu
from app.panels.library.tile import POSES_PER_SECOND, LibraryTile
from app.window.editor import make_application
from app.window.main_window import MainWindow
from core.animation import Sequence
from core.animation.joining.put_in import usual_frames
from core.formats import Project, bundled_folder, save
from core.formats.library import Entry, Library
from core.skeleton import load_skeleton
from core.skeleton.building.props import box
from core.skeleton.mirroring.pose_mirror import columns_of

ICON = LibraryIcons.icon


pytestmark = pytest.mark.fresh_window  # the folder of one's own sequences is another for every test


def swing(path: Path, angles: tuple[float, ...] = (0.0, 0.6, 1.2), figure: str = "arm7") -> None:
    """Write a sequence with a key every ten frames."""
    skeleton = load_skeleton(bundled_folder() / f"{figure}.scr")
    sequence = Sequence(skeleton, fps=30, name="Swing")
    for number, angle in enumerate(angles):
        q = skeleton.rest_pose()
        q[4] = angle
        sequence.set_key(10 * number, q)
    path.parent.mkdir(parents=True, exist_ok=True)
    save(Project([skeleton], [sequence]), path)


@pytest.fixture
def panel(qapp: QApplication, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LibraryPanel]:
    """A panel of its own over a library of one sequence, whose icons are drawn; tests of the window do without."""
    monkeypatch.setattr(LibraryIcons, "icon", ICON)
    make_application("dark")
    swing(tmp_path / "bundled" / "Arms" / "swing.seq")
    made = LibraryPanel(Document())
    made.library = Library(tmp_path / "own", tmp_path / "bundled")
    made.icons.folder = tmp_path / "icons"
    made.rescan()
    made.resize(296, 300)
    made.show()
    qtbot.addWidget(made)
    yield made
    made.icons.stop()


def drawn(panel: LibraryPanel, qtbot, name: str = "swing") -> LibraryTile:
    """Return a tile once its icon is there."""
    tile = next(tile for tile in panel.tiles() if tile.entry.name == name)
    qtbot.waitUntil(lambda: not panel.icons.busy and tile.picture() is not None, timeout=20_000)
    return tile


def test_an_icon_flips_through_all_key_poses_under_pointer_and_focus(panel: LibraryPanel, qtbot) -> None:
    tile = drawn(panel, qtbot)
    icon = tile.picture()
    assert icon is not None and icon.about is not None and icon.complete
    assert (icon.about.frames, icon.about.keys, icon.about.still, len(icon.pictures)) == (21, 3, 2, 3)
    bits = [bytes(picture.constBits()) for picture in icon.pictures]  # type: ignore[union-attr]
    assert len(set(bits)) == 3
    assert "21 frames, 3 keys, arm7" in tile.accessibleName()
    point_at(tile)
    seen = []
    assert tile.flipping and tile._clock.interval() == round(1000 / POSES_PER_SECOND)
    tile._clock.stop()
    for _ in range(4):
        seen.append(tile.number)
        tile._turn()
    assert seen == [0, 1, 2, 0]
    point_away(tile)
    assert not tile.flipping
    still = tile.grab().toImage()
    panel.document.session.view.reduced_motion = True
    point_at(tile)
    assert not tile.flipping
    assert tile.grab().toImage() != still  # a strip of poses in place of one
    QTest.keyClick(tile, Qt.Key.Key_Space)
    assert not tile.flipping
    panel.document.session.view.reduced_motion = False
    QTest.keyClick(tile, Qt.Key.Key_Space)
    assert tile.number == 0


def point_at(tile: LibraryTile) -> None:
    """Bring the pointer over a tile, wherever the real one is."""
    place = QPointF(30.0, 30.0)
    QApplication.sendEvent(tile, QEnterEvent(place, place, place))


def point_away(tile: LibraryTile) -> None:
    QApplication.sendEvent(tile, QEvent(QEvent.Type.Leave))


def test_an_icon_rests_again_when_its_menu_closes_and_the_pointer_is_elsewhere(panel: LibraryPanel, qtbot) -> None:
    tile = drawn(panel, qtbot)
    QCursor.setPos(panel.mapToGlobal(QPoint(panel.width() + 40, panel.height() + 40)))
    point_at(tile)
    QApplication.sendEvent(tile, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(9, 9), QPoint(9, 9)))
    menu = QApplication.activePopupWidget()
    assert menu is not None and tile.flipping
    menu.close()
    assert not tile.flipping and not tile.underMouse()


def test_a_menu_that_is_new_is_brought_into_sight_at_once(panel: LibraryPanel, qtbot) -> None:
    for number in range(3):
        swing(panel.library.prepare(f"Before {number}", "kick"))
    panel.rescan()
    qtbot.waitUntil(lambda: panel.scroll_area.verticalScrollBar().maximum() > 0)
    path = panel.library.prepare("Zoo", "swim")
    swing(path)
    panel.reveal(path)
    tile = panel.tile(path)
    assert tile is not None
    room = panel.scroll_area.viewport()
    assert room.rect().contains(QRect(tile.mapTo(room, QPoint(0, 0)), tile.size()))


def test_icons_come_from_the_disk_the_second_time_and_again_when_the_file_changes(
    panel: LibraryPanel, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = drawn(panel, qtbot).picture()
    assert first is not None
    qtbot.waitUntil(lambda: len(list(panel.icons.folder.glob("*.icon"))) == 1, timeout=5000)
    assert next(panel.icons.folder.glob("*.icon")).stat().st_size < library_cache.MOST_BYTES
    monkeypatch.setattr("app.library.reading.Reader.read", None)  # whoever reads it now gets an error
    other = LibraryIcons(panel.document, panel.icons.folder)
    entry = panel.tiles()[0].entry
    qtbot.waitUntil(lambda: other.icon(entry, 1.0) is not None, timeout=5000)
    again = other.icon(entry, 1.0)
    other.stop()
    assert again is not None and again.about == first.about and not again.problem
    pairs = zip(first.pictures, again.pictures, strict=True)
    for a, b in ((np.array(p.constBits()).astype(int), np.array(q.constBits()).astype(int)) for p, q in pairs):
        assert np.abs(a - b).mean() < 3.0  # pressed, but the same picture
    monkeypatch.undo()
    monkeypatch.setattr(LibraryIcons, "icon", ICON)
    swing(entry.path, (0.0, -0.5))
    panel.rescan()
    assert panel.tiles()[0].picture() is first  # stands in until the new one is there
    qtbot.waitUntil(lambda: panel.tiles()[0].picture() is not first, timeout=10_000)
    qtbot.waitUntil(lambda: not panel.icons.busy, timeout=10_000)
    renewed = panel.tiles()[0].picture()
    assert renewed is not None and renewed.about is not None and renewed.about.keys == 2


def test_a_damaged_icon_on_the_disk_is_drawn_anew(tmp_path: Path) -> None:
    for content in (b"", b"{}\n", b'{"about": {}, "width": 0, "height": 0}\nx', b"\xff\xfe\n" * 9, b"[1]\n"):
        (tmp_path / "x.icon").write_bytes(content)
        assert library_cache.load(tmp_path, "x") is None


def test_a_file_that_cannot_be_read_says_so_and_harms_nothing(panel: LibraryPanel, qtbot) -> None:
    broken = panel.library.prepare("Arms", "broken")
    broken.write_text('{"format": "sequence-editor", "version": 1, "figures": 3}', encoding="utf-8")
    panel.rescan()
    tile = drawn(panel, qtbot, "broken")
    icon = tile.picture()
    assert icon is not None and icon.problem.startswith("broken.seq") and "\n" not in icon.problem
    assert icon.problem in tile.toolTip() and "opens it" not in tile.toolTip()
    assert "cannot be read" in tile.accessibleName()
    assert [action.isEnabled() for action in entry_menu(panel, tile.entry).actions()[1:3]] == [False, False]
    assert drawn(panel, qtbot).picture().about is not None  # type: ignore[union-attr]


def test_search_finds_names_and_menus_and_new_files_are_noticed(panel: LibraryPanel, qtbot) -> None:
    swing(panel.library.prepare("Legs", "kick"))
    panel.rescan()
    assert [tile.entry.title for tile in panel.tiles()] == ["Swing", "Kick"]
    panel.search.field.setText("LEG")
    assert [tile.entry.title for tile in panel.tiles()] == ["Kick"]
    panel.search.field.setText("arms swi")
    assert [tile.entry.title for tile in panel.tiles()] == ["Swing"]
    swing(panel.library.prepare("Legs", "arms and legs"))
    panel.rescan()
    for words, found in (("arms", "Swing, Arms and legs"), ("arm", "Arms and legs"), ("le", "Arms and legs")):
        panel.search.field.setText(words)  # of a menu's name a whole word counts; less of it only if nothing else does
        assert ", ".join(tile.entry.title for tile in panel.tiles()) == found
        assert panel.count.text() == f"{len(panel.tiles())} of 3"
    (panel.library.own / "Legs" / "arms and legs.seq").unlink()
    panel.rescan()
    panel.search.field.setText("nothing")
    assert panel.empty.isVisible() and panel.empty.text.startswith("No sequence")
    QTest.keyClick(panel.search.field, Qt.Key.Key_Escape)
    panel.menus["Arms"].header.click()
    assert panel.closed == ("Arms",)
    assert [tile.isVisibleTo(panel) for tile in panel.tiles()] == [False, True]
    swing(panel.library.own / "Legs" / "step.seq")  # by another program
    qtbot.waitUntil(lambda: panel.menus["Legs"].header.summary == "2", timeout=5000)
    (panel.library.own / "Legs" / "kick.seq").unlink()
    qtbot.waitUntil(lambda: panel.menus["Legs"].header.summary == "1", timeout=5000)


def test_what_lies_beside_the_menus_is_shown_and_can_be_put_into_one(panel: LibraryPanel, qtbot) -> None:
    swing(panel.library.own / "loose.seq")
    panel.rescan()
    tile = panel.tiles()[-1]
    assert (tile.entry.title, panel.menus[""].header.text()) == ("Loose", "Not in a menu")
    assert panel.menu_names() == ("Arms",)  # nothing can be saved there by the program
    panel.reveal(panel.library.move(tile.entry, "Arms"))
    assert [tile.entry.title for tile in panel.tiles()] == ["Loose", "Swing"] and list(panel.menus) == ["Arms"]


def test_what_stands_for_a_long_way_stands_in_the_middle() -> None:
    picture = QImage(66, 62, QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(0)
    assert to_middle(picture) == 0
    for x in (50, 60):
        picture.setPixelColor(x, 30, QColor("white"))
    assert to_middle(picture) == -22  # 50 and 60 come to 28 and 38


def test_an_icon_dropped_on_another_menu_is_moved_and_on_its_own_nothing_happens(panel: LibraryPanel) -> None:
    panel.library.add_menu("Legs")
    panel.rescan()
    wanted: list[tuple[str, object]] = []
    panel.wanted.connect(lambda what, of: wanted.append((what, of)))
    entry = panel.tiles()[0].entry
    action, button, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    for place in (panel.menus["Arms"], panel, panel.menus["Legs"]):
        data = carrying(entry)
        drop = QDropEvent(QPointF(9.0, 9.0), action, data, button, none)
        place.dropEvent(drop)
        assert drop.isAccepted()  # else it would go on to the window, which inserts
    assert wanted == [("move", (entry, "Legs"))]


def test_arrow_keys_go_from_icon_to_icon(panel: LibraryPanel, qtbot) -> None:
    for name in "bcdef":
        swing(panel.library.prepare("Arms", name))
    swing(panel.library.prepare("Legs", "kick"))
    panel.rescan()
    names = {tile: tile.entry.name for tile in panel.tiles()}
    assert panel.menus["Arms"].grid.columns == 4
    stops = [names[tile] for tile in panel.tiles() if tile.focusPolicy() == Qt.FocusPolicy.StrongFocus]
    assert stops == ["b"]
    moved = []
    for tile in panel.tiles():
        tile.setFocus = lambda _reason, tile=tile: moved.append(names[tile])  # type: ignore[method-assign]
    by_name = {name: tile for tile, name in names.items()}
    for start, direction in (
        ("b", "right"),
        ("b", "down"),
        ("swing", "down"),
        ("kick", "up"),
        ("kick", "right"),
        ("e", "first"),
    ):
        by_name[start].stepped.emit(direction)
    assert moved == ["c", "f", "kick", "f", "kick", "b"]


# -- with the window -----------------------------------------------------------------------------------------------


def entry_named(window: MainWindow, name: str) -> Entry:
    return next(tile.entry for tile in window.library.panel.tiles() if tile.entry.name == name)


def last_message(window: MainWindow) -> list[str]:
    reported: list[str] = []
    window.document.message.connect(lambda _level, text, _details: reported.append(text))
    window.show_message = lambda _level, text, details="": reported.append(text)  # type: ignore[method-assign]
    return reported


@pytest.mark.verify
def test_a_double_click_opens_after_asking_about_unsaved_work(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, panel = window.document, window.library.panel
    tile = panel.tile(entry_named(window, "bow").path)
    assert tile is not None and not tile.loaded
    document.keys.set(5)
    monkeypatch.setattr(window.files, "may_discard", lambda: False)
    QTest.mouseDClick(tile, Qt.MouseButton.LeftButton)
    assert document.files.path is not None and document.files.path.name == "walk.seq"
    monkeypatch.setattr(window.files, "may_discard", lambda: True)
    broken, reported = library_cache.Icon(problem="bow.seq:1:1: is broken"), last_message(window)
    with monkeypatch.context() as patch:
        patch.setattr(LibraryIcons, "icon", lambda *_: broken)
        QTest.keyClick(tile, Qt.Key.Key_Return)
        assert reported == [broken.problem]
    assert document.files.path.name == "walk.seq"
    QTest.keyClick(tile, Qt.Key.Key_Return)
    assert document.files.path == tile.entry.path and tile.loaded
    assert [each.entry.name for each in panel.tiles() if each.loaded] == ["bow"]


def test_inserting_goes_on_from_where_the_figure_stands(window: MainWindow) -> None:
    document = window.document
    document.set_frame(32)
    before = document.sequence.keys  # type: ignore[union-attr]
    window.library.do("insert", entry_named(window, "sit"))
    sequence = document.sequence
    assert sequence is not None
    added = [key for key in sequence.keys if key.frame > 32]
    assert window.timeline.model.visible()[1] > 42  # what came is in sight
    assert len(added) == 14 and added[0].frame == 42 and sequence.keys[: len(before)] == before
    assert added[0].q[[0, 2]] == pytest.approx(before[-1].q[[0, 2]], abs=1e-9)
    feet = [strip for strip in sequence.locks.strips if strip.lock.joint == "right foot"]
    held = document.skeleton.joint_index("right foot")  # type: ignore[union-attr]
    from core.kinematics import forward_kinematics

    ankle = forward_kinematics(sequence.skeleton, added[0].q)[held]
    assert len(feet) == 1 and np.allclose(feet[0].lock.target, ankle, atol=1e-5)
    document.history.undo()
    assert document.sequence.keys == before and not document.locks.strips  # type: ignore[union-attr]


def test_inserting_in_the_middle_makes_room_and_other_figures_are_refused_in_one_line(window: MainWindow) -> None:
    document, reported = window.document, last_message(window)
    document.set_frame(8)
    window.library.do("insert", entry_named(window, "wave"))
    assert reported[-1] == "Wave inserted at frame 8: 9 keys; later keys moved by 65 frames"
    assert len(document.sequence.keys) == 20  # type: ignore[union-attr]
    before = document.sequence.keys  # type: ignore[union-attr]
    for what in ("insert", "use"):
        window.library.do(what, entry_named(window, "gallop"))
        assert reported[-1].startswith('"Gallop" belongs to horse: it moves a joint "') and "\n" not in reported[-1]
    assert document.sequence.keys == before and len(document.model.sequences) == 1  # type: ignore[union-attr]
    window.library.do("use", entry_named(window, "wave"))
    assert document.sequence.name == "Wave" and len(document.model.sequences) == 2  # type: ignore[union-attr]
    assert document.sequence.skeleton is document.skeleton  # type: ignore[union-attr]


def test_a_dropped_icon_is_inserted_and_not_opened(window: MainWindow) -> None:
    document = window.document
    document.set_frame(32)
    data = carrying(entry_named(window, "bow"))
    place = window.area.mapTo(window, window.area.rect().center())
    action, button, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(place), action, data, button, none))
    assert document.files.path is not None and document.files.path.name == "walk.seq"
    assert len(document.sequence.keys) == 11 + 8  # type: ignore[union-attr]
    strip = window.timeline.strip
    document.history.undo()
    at = strip.mapTo(window, QPoint(round(strip.track_x(22)), 20))
    window.dropEvent(QDropEvent(QPointF(at), action, data, button, none))
    assert document.sequence.keys.at(22) is not None and len(document.sequence.keys) == 19  # type: ignore[union-attr]


@pytest.mark.verify
def test_keys_held_while_dropping_blend_in_and_a_mark_says_so_before(window: MainWindow, qtbot: QtBot) -> None:
    document, strip = window.document, window.timeline.strip
    before = [(key.frame, key.q.tobytes()) for key in document.sequence.keys]  # type: ignore[union-attr]
    data = carrying(entry_named(window, "march"))
    at = strip.mapTo(window, QPoint(round(strip.track_x(16)), 20))
    action, button = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    for keys, word in (
        (Qt.KeyboardModifier.NoModifier, "Insert at frame 16"),
        (Qt.KeyboardModifier.ControlModifier, "Blend in at frame 16"),
        (Qt.KeyboardModifier.ShiftModifier, "Blend in over"),
    ):
        window.dragMoveEvent(QDragMoveEvent(at, action, data, button, keys))
        mark = window.timeline._drop
        assert mark.isVisible() and mark.text.startswith(word)
        assert abs(mark.x_mark - strip.track_x(16)) <= 0.5
        assert mark.ghost is not None and mark.ghost[2] == "March"  # as long as it is
        march = entry_named(window, "march")
        assert mark.ghost[1] - mark.ghost[0] == pytest.approx(strip.track_x(length_of(march)) - strip.track_x(0))
        saved(window, f"drop-{word.split()[0]}-{word.split()[2]}")
    window.dropEvent(QDropEvent(QPointF(at), action, data, button, Qt.KeyboardModifier.ControlModifier))
    assert window.timeline._drop.isHidden()
    qtbot.waitUntil(lambda: not window.background.busy)  # the seam is looked for beside the window
    assert document.sequence is not None and document.sequence.range[1] > 48
    assert document.sequence.locks.strips
    saved(window, "blended")
    document.history.undo()
    assert [(key.frame, key.q.tobytes()) for key in document.sequence.keys] == before
    assert not document.sequence.locks.strips and document.sequence.range[1] == 32


def length_of(entry: Entry) -> int:
    sequence = read_model(entry.path)[0].sequence
    assert sequence is not None
    return sequence.range[1] - sequence.range[0]


@pytest.mark.verify
def test_what_was_dropped_is_adjusted_until_the_next_step(window: MainWindow, qtbot: QtBot) -> None:
    document, strip, putting = window.document, window.timeline.strip, window.library.putting
    sequence = document.sequence
    assert sequence is not None and not window.action_table["adjust_put_in"].isEnabled()
    at = strip.mapTo(window, QPoint(round(strip.track_x(16)), 20))
    data = carrying(entry_named(window, "march"))
    action, button, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(at), action, data, button, none))
    board = putting.popover
    assert board is not None and board.isVisible() and "frame 16" in board.title.text()
    assert board.bar.current == "insert" and not board.row.isEnabled()
    inserted, steps = len(sequence.keys), document.stack.count()
    assert document.stack.text(document.stack.index() - 1).startswith("Insert")

    def settled() -> None:
        qtbot.waitUntil(lambda: not window.background.busy and putting._wanted is None)

    QTest.mouseClick(board.bar.segment("blend"), Qt.MouseButton.LeftButton)
    settled()
    assert document.stack.count() == steps and board.isVisible() and board.row.isEnabled()
    assert document.stack.text(document.stack.index() - 1).startswith("Blend in")
    usual = round(board.row.value)
    assert usual == usual_frames(sequence.fps) and len(sequence.keys) != inserted
    saved(window, "put-in")
    blended = sequence.range[1]
    board.row.field.committed.emit(0.0)  # nothing was changed: nothing happens
    for wanted in (14, 16):  # the second one while the first is being worked out
        putting.readjust("blend", wanted)
    settled()
    assert putting.last is not None and putting.last.frames == 16 and round(board.row.value) == 16
    QTest.mouseClick(board.bar.segment("blend_over"), Qt.MouseButton.LeftButton)
    settled()
    assert document.stack.count() == steps and sequence.range[1] < blended
    document.history.undo()
    assert sequence.range[1] == 32 and len(sequence.keys) == 11 and not sequence.locks.strips
    assert board.isHidden() and putting.last is None and not window.action_table["adjust_put_in"].isEnabled()


@pytest.mark.verify
def test_a_cancelled_adjustment_leaves_what_was_there(window: MainWindow, qtbot: QtBot) -> None:
    document, putting = window.document, window.library.putting
    window.library.do("insert", entry_named(window, "march"))
    assert document.sequence is not None
    window.action_table["adjust_put_in"].trigger()
    board, keys = putting.popover, document.sequence.keys
    assert board is not None and board.isVisible() and board.isAncestorOf(window.focusWidget())
    putting.readjust("blend", 12)
    window.background.cancel()
    qtbot.waitUntil(lambda: putting._wanted is None)
    assert document.sequence.keys == keys and board.bar.current == "insert"
    QTest.keyClick(board, Qt.Key.Key_Escape)
    assert board.isHidden()
    document.history.undo()


def test_a_pose_is_saved_applied_and_keyed(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    document, panel, strip = window.document, window.library.panel, window.timeline.strip
    sequence = document.sequence
    assert sequence is not None
    document.set_frame(8)
    answer(monkeypatch, "Stride", "Poses")
    window.action_table["save_pose_to_library"].trigger()
    entry = entry_named(window, "Stride")
    assert entry.menu == "Poses" and entry.own and not document.modified
    pose = read_model(entry.path)[0].sequence
    assert pose is not None and kind_of(pose) == "pose" and pose.keys[0].q == pytest.approx(document.pose)
    # Where the figure stands and faces as it does, only its parts take the pose.
    document.set_frame(24)
    before = document.pose.copy()
    window.library.do("activate", entry)
    assert document.files.path is not None and document.files.path.name == "walk.seq"
    assert document.pose[6:] == pytest.approx(pose.keys[0].q[6:])
    assert document.pose[[0, 2]] == pytest.approx(before[[0, 2]])
    document.history.undo()
    assert document.pose == pytest.approx(before)
    # The selected parts alone.
    arm = document.skeleton.joint_index("right upper arm")  # type: ignore[union-attr]
    document.selection.set([arm])
    window.library.do("apply", entry)
    columns = columns_of(document.skeleton, [arm], place=False)
    others = np.setdiff1d(np.arange(len(before)), columns)
    assert document.pose[columns] == pytest.approx(pose.keys[0].q[columns])
    assert document.pose[others] == pytest.approx(before[others])
    document.history.undo()
    document.selection.set([])
    # Dropped on the timeline it is keyed there, as one step.
    at, data = strip.mapTo(window, QPoint(round(strip.track_x(22)), 20)), carrying(entry)
    action, button, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dragMoveEvent(QDragMoveEvent(at, action, data, button, none))
    assert window.timeline._drop.text == "Key the pose at frame 22" and window.timeline._drop.ghost is None
    steps = document.stack.index()
    window.dropEvent(QDropEvent(QPointF(at), action, data, button, none))
    assert document.stack.index() == steps + 1
    key = sequence.keys.at(22)
    assert key is not None and key.q[6:] == pytest.approx(pose.keys[0].q[6:])
    document.history.undo()
    assert sequence.keys.at(22) is None
    window.library.do("apply_flipped", entry)
    assert document.pose[6:] != pytest.approx(pose.keys[0].q[6:])
    document.history.undo()
    assert panel.tile(entry.path) is not None


@pytest.mark.verify
def test_a_prop_is_saved_and_put_beside_the_others(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    document = window.document
    answer(monkeypatch, "My man", "Figures")
    window.action_table["save_figure_to_library"].trigger()
    entry = entry_named(window, "My man")
    figure = read_model(entry.path)[0].sequence
    assert figure is not None and kind_of(figure) == "figure" and entry.menu == "Figures"
    strip, data = window.timeline.strip, carrying(entry)
    at = strip.mapTo(window, QPoint(round(strip.track_x(22)), 20))
    action, button, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dragMoveEvent(QDragMoveEvent(at, action, data, button, none))
    assert window.timeline._drop.isHidden()  # it has no place in time
    place = window.area.mapTo(window, window.area.rect().center())
    window.dropEvent(QDropEvent(QPointF(place), action, data, button, none))
    assert len(document.model.figures) == 2
    document.history.undo()
    window.library.do("activate", entry)
    assert len(document.model.figures) == 2
    document.history.undo()
    assert document.figures.add(box((0.3, 0.2, 0.4)), "Add box", beside=True)
    answer(monkeypatch, "My box", "Props")
    window.action_table["save_figure_to_library"].trigger()
    assert entry_named(window, "My box").menu == "Props"
    document.history.undo()


@pytest.mark.verify
def test_a_large_pose_or_prop_is_still_one(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file too large to be read at once is what its icon says; before that is there, what the file says."""
    document, strip = window.document, window.timeline.strip
    for name, menu, action in (
        ("Stride", "Poses", "save_pose_to_library"),
        ("My man", "Figures", "save_figure_to_library"),
    ):
        answer(monkeypatch, name, menu)
        window.action_table[action].trigger()
    pose, prop, motion = (entry_named(window, name) for name in ("Stride", "My man", "bow"))
    keys, read = {pose.path: 1, prop.path: 0, motion.path: 9}, []

    def shown(_icons: LibraryIcons, entry: Entry, _ratio: float) -> library_cache.Icon:
        return library_cache.Icon(library_cache.About(9, keys[entry.path], 0, 0, "man"))

    def reading(path: Path, **more: object) -> object:
        read.append(path)
        return read_model(path, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(putting_in, "LARGE", 0)
    monkeypatch.setattr(putting_in.model_files, "read_model", reading)
    document.set_frame(24)
    before = document.pose.copy()
    for known in (False, True):
        if known:
            monkeypatch.setattr(LibraryIcons, "icon", shown)
        window.library.do("activate", pose)
        qtbot.waitUntil(lambda: not window.background.busy)
        assert document.pose[6:] != pytest.approx(before[6:])
        document.history.undo()
        window.library.do("activate", prop)
        qtbot.waitUntil(lambda: not window.background.busy)
        assert len(document.model.figures) == 2
        document.history.undo()
    assert document.files.path is not None and document.files.path.name == "walk.seq"
    at = strip.mapTo(window, QPoint(round(strip.track_x(22)), 20))
    for entry, text in ((motion, "Insert at"), (pose, "Key the pose at frame 22"), (prop, "")):
        window.library.putting.show_drop(carrying(entry), at)
        assert window.timeline._drop.isVisible() == bool(text) and window.timeline._drop.text.startswith(text)
    # A motion is read once, by what opens it.
    read.clear()
    monkeypatch.setattr(window.files, "may_discard", lambda: True)
    window.library.do("activate", motion)
    qtbot.waitUntil(lambda: not window.background.busy)
    assert document.files.path == motion.path and read == [motion.path]


@pytest.mark.verify
def test_a_shared_folder_is_shown_watched_and_only_read(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel, team, reported = window.library.panel, tmp_path / "Team", last_message(window)
    swing(team / "swing.seq")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(team))
    window.library.do("share", "")
    assert [path.name for path in panel.menus["Team"].tiles] == ["swing.seq"]
    tile = panel.tile(team / "swing.seq")
    assert tile is not None and "In a shared folder" in tile.toolTip() and "Team" not in panel.menu_names()
    swing(team / "Arms" / "wave.seq")
    qtbot.waitUntil(lambda: "Team, Arms" in panel.menus)
    entry = tile.entry
    # As it is dragged about, nothing is looked for on the disk.
    strip = window.timeline.strip
    at = strip.mapTo(window, QPoint(round(strip.track_x(16)), 20))
    with monkeypatch.context() as patch:
        for name in ("menus", "entry"):
            patch.setattr(Library, name, lambda *_: pytest.fail("the folders were scanned"))
        window.library.putting.show_drop(carrying(entry), at)
    assert window.timeline._drop.isVisible() and window.timeline._drop.text.startswith("Insert at frame 16")
    window.library.putting.show_drop(None)
    window.library.do("remove", entry)
    assert reported[-1] == "Swing is in a shared folder and cannot be removed"
    window.library.do("share", "")
    assert reported[-1] == '"Team" is shown already'
    texts = {action.text(): action for action in entry_menu(panel, entry).actions()}
    assert not texts["Move to the trash (it is in a shared folder)"].isEnabled()
    # Saved, it becomes one's own; the shared file stays as it is.
    before = (team / "swing.seq").read_bytes()
    assert window.files.open_path(entry.path)
    answer(monkeypatch, "Mine", "Everyday")
    assert window.document.sequences.set_fps(25) and window.files.save()
    assert (team / "swing.seq").read_bytes() == before and entry_named(window, "Mine").own
    remove = next(a for a in menu_menu(panel, "Team").actions() if a.text().startswith("Remove the folder"))
    remove.trigger()
    assert "Team" not in panel.menus and (team / "swing.seq").exists()


@pytest.mark.verify
def test_what_is_edited_while_a_seam_is_looked_for_is_left_alone(window: MainWindow, qtbot: QtBot) -> None:
    document = window.document
    window.library.do("blend", entry_named(window, "march"))
    assert window.background.busy and document.sequences.set_fps(25)
    qtbot.waitUntil(lambda: not window.background.busy)
    assert document.sequence is not None and document.sequence.range[1] == 32 and document.stack.count() == 1
    document.history.undo()


@pytest.mark.verify
def test_a_sequence_is_blended_in_from_the_menu_of_its_icon(window: MainWindow, qtbot: QtBot) -> None:
    document, entry = window.document, entry_named(window, "march")
    texts = [action.text() for action in entry_menu(window.library.panel, entry).actions()]
    for text in ("Insert at the current frame", "Blend in at the current frame", "Add at the end"):
        assert text in texts
    document.set_frame(16)
    window.library.do("add", entry)
    qtbot.waitUntil(lambda: not window.background.busy)
    assert document.sequence is not None and document.sequence.range[1] > 44
    document.history.undo()
    assert document.sequence.range[1] == 32 and len(document.sequence.keys) == 11


def saved(window: MainWindow, name: str) -> None:
    """Save a picture of the window where the environment asks for one."""
    folder = os.environ.get("SEQUENCE_EDITOR_PICTURES")
    if folder:
        window.grab().save(f"{folder}/{name}.png")


def answer(monkeypatch: pytest.MonkeyPatch, name: str, menu: str = "") -> list[str]:
    """Let the next dialogs be filled in so; return what they remark."""
    remarks: list[str] = []

    def fill(dialog: LibraryDialog) -> bool:
        dialog.name_field.setText(name)
        dialog.menu_field.setEditText(menu)
        remarks.append(dialog.remark.text())
        return dialog.go.isEnabled()

    monkeypatch.setattr(LibraryDialog, "exec", fill)
    return remarks


def test_saving_a_bundled_sequence_makes_it_ones_own_and_saving_again_renews_its_icon(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, panel = window.document, window.library.panel
    bundled = document.files.path
    assert bundled is not None
    content = bundled.read_bytes()
    remarks = answer(monkeypatch, "Slow walk", "My walks")
    document.keys.set(5)
    assert window.files.save()
    path = own_folder() / "My walks" / "Slow walk.seq"
    assert remarks == ["Creates the menu My walks"]
    assert document.files.path == path and not document.modified and bundled.read_bytes() == content
    assert (document.sequence.name, document.sequence.menu) == ("Slow walk", "My walks")  # type: ignore[union-attr]
    tile = panel.tile(path)
    assert tile is not None and tile.loaded
    stamp = tile.entry.stamp
    document.keys.set(6)
    assert window.files.save() and tile.entry.stamp != stamp
    answer(monkeypatch, "bad/name", "My walks")
    assert not window.library.save() and not list(own_folder().rglob("*name*"))


def test_of_a_document_with_more_the_library_gets_a_copy(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window.document.sequences.add(name="Second")
    path = window.document.files.path
    answer(monkeypatch, "second", "Gestures")
    assert window.library.save() and window.document.files.path == path and window.document.modified
    copy = Document()
    assert copy.files.open(own_folder() / "Gestures" / "second.seq")
    assert [sequence.name for sequence in copy.model.sequences] == ["Second"]


def test_own_sequences_are_renamed_moved_and_thrown_away(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    library, reported = window.library, last_message(window)
    answer(monkeypatch, "Greeting")
    library.do("rename", entry_named(window, "wave"))  # bundled: a copy
    library.do("open", entry_named(window, "Greeting"))
    library.do("move", (entry_named(window, "Greeting"), "Dance"))
    assert window.document.files.path == own_folder() / "Dance" / "Greeting.seq"  # the open document goes along
    assert window.library.panel.tile(window.document.files.path).loaded  # type: ignore[union-attr]
    library.do("duplicate", entry_named(window, "Greeting"))
    library.do("remove", entry_named(window, "Greeting 2"))
    assert reported[-1] == "Greeting 2 moved to the trash"
    library.do("remove", entry_named(window, "wave"))
    assert reported[-1] == "Wave comes with the program and cannot be removed" and entry_named(window, "wave")
    assert [path.name for path in own_folder().rglob("*.seq")] == ["Greeting.seq"]
    actions = {action.text(): action.isEnabled() for action in menu_menu(window.library.panel, "Dance").actions()}
    assert not actions["Remove menu"] and not actions["Rename menu…"]
