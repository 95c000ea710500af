"""The arrangement of the window: docks, rail, gaps, the timeline's height; and what the timeline shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.look import style
from app.widgets.frames.tool_button import ToolButton
from app.widgets.rows.group_header import GroupHeader
from app.window.main_window import MainWindow
from app.window.workbench import WIDTHS


def box(window: MainWindow, widget: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


def resize(window: MainWindow, width: int, height: int, qtbot) -> None:
    window.resize(width, height)
    qtbot.wait(100)
    assert (window.width(), window.height()) == (width, height)


def test_the_gaps_are_even(window: MainWindow) -> None:
    joints, solver, _, _, library, locks, _ = (box(window, dock) for dock in window.workbench.docks)
    area, timeline, status = (box(window, part) for part in (window.area, window.timeline, window.status))
    top = window.toolbar.mapTo(window, QPoint(0, window.toolbar.height())).y()
    assert joints.left() == solver.left() == style.GAP
    assert joints.top() - top == area.top() - top == style.GAP
    assert area.left() - joints.right() - 1 == timeline.left() - solver.right() - 1 == style.GAP
    assert locks.left() - area.right() - 1 == locks.left() - timeline.right() - 1 == style.GAP
    assert locks.left() == library.left() and locks.top() - library.bottom() - 1 == library.top() - top == style.GAP
    assert window.width() - locks.right() - 1 == status.top() - locks.bottom() - 1 == style.GAP
    assert (joints.width(), locks.width()) == (WIDTHS["left"], WIDTHS["right"])
    assert timeline.top() - area.bottom() - 1 == solver.top() - joints.bottom() - 1 == style.GAP
    assert status.top() - timeline.bottom() - 1 == status.top() - solver.bottom() - 1 == style.GAP


@pytest.mark.verify
def test_the_solver_keeps_its_height_and_the_joints_take_the_rest(window: MainWindow, qtbot) -> None:
    joints, solver, *_ = window.panels
    for size in ((1600, 1000), (1440, 900), (1300, 700), (1600, 1000)):
        resize(window, *size, qtbot)
        qtbot.waitUntil(lambda: solver.height() == solver.sizeHint().height() and joints.height() > 250)


@pytest.mark.verify
def test_docks_fold_to_a_rail_in_a_narrow_window_and_come_back(window: MainWindow, qtbot) -> None:
    bench = window.workbench
    bench.docks[1].hide()
    resize(window, 1024, 680, qtbot)
    assert bench.folded and bench.rail.isVisible() and not any(dock.isVisible() for dock in bench.docks)
    button = bench.rail.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)[0]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.wait(300)
    assert bench.docks[0].isVisible()
    work = window.area.work_view
    assert work.width() >= 480 and work.height() >= 320
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    resize(window, 1440, 900, qtbot)
    assert not bench.folded and bench.docks[0].isVisible() and not bench.docks[1].isVisible()
    window.reset_layout()
    assert [dock.isVisible() for dock in bench.docks] == [True, True, False, False, True, True, False]


@pytest.mark.verify
def test_the_rail_lights_the_panel_that_is_seen(window: MainWindow, qtbot) -> None:
    bench = window.workbench
    resize(window, 1024, 680, qtbot)
    buttons = {button.toolTip(): button for button in bench.rail.findChildren(ToolButton)}

    def lit() -> set[str]:
        qtbot.wait(250)
        return {name for name, button in buttons.items() if button.isChecked()}

    assert lit() == set()
    QTest.mouseClick(buttons["History"], Qt.MouseButton.LeftButton)
    assert lit() == {"History"}
    QTest.mouseClick(buttons["Joints"], Qt.MouseButton.LeftButton)  # the other tab of the same dock
    assert lit() == {"Joints"} and bench.docks[0].isVisible()
    QTest.mouseClick(buttons["Locks"], Qt.MouseButton.LeftButton)
    assert lit() == {"Joints", "Locks"}
    QTest.mouseClick(buttons["Joints"], Qt.MouseButton.LeftButton)
    assert lit() == {"Locks"} and not bench.docks[0].isVisible()
    window.document.session.mode = "physics"
    assert lit() == set()
    window.document.session.mode = "pose"  # what was open stands there again
    assert lit() == {"Locks"}
    resize(window, 1440, 900, qtbot)
    window.reset_layout()


@pytest.mark.verify
def test_the_layout_is_kept_as_if_nothing_were_folded(window: MainWindow, qtbot) -> None:
    resize(window, 1024, 680, qtbot)
    state = window.workbench.layout_state()
    assert not any(dock.isVisible() for dock in window.workbench.docks)
    resize(window, 1440, 900, qtbot)
    for dock in window.workbench.docks:
        dock.hide()
    window.workbench.restore_layout(*state)
    assert [dock.isVisible() for dock in window.workbench.docks] == [True, True, False, False, True, True, False]


def test_the_timeline_is_as_high_as_its_rows(window: MainWindow, qtbot, skeletons_folder: Path) -> None:
    timeline = window.timeline
    assert timeline.height() == timeline.whole_height
    window.document.files.open(skeletons_folder / "arm7.scr")
    qtbot.wait(50)
    assert timeline.height() == max(timeline.whole_height, timeline.minimumSizeHint().height())
    assert [row.name for row in timeline.model.rows] == ["Summary", "Root", "Other joints"]


def test_a_new_figure_leaves_no_headers_of_the_old_one(window: MainWindow, qtbot, skeletons_folder: Path) -> None:
    window.document.files.open(skeletons_folder / "arm7.scr")
    column = window.panels[0].view
    shown = [header.text() for header in column.findChildren(GroupHeader) if header.isVisible()]
    assert shown == ["Root", "Other joints"]


@pytest.mark.verify
def test_an_empty_sequence_shows_about_two_seconds(window: MainWindow, qtbot, skeletons_folder: Path) -> None:
    window.document.files.open(skeletons_folder / "stickman.scr")
    first, last = window.timeline.model.visible()
    assert first <= 0 and 58 <= last <= 66
    assert window.timeline.model.tick_step() * window.timeline.model.pixels >= 50


def test_toolbar_labels_give_way_only_where_there_is_no_room(window: MainWindow, qtbot) -> None:
    bar = window.toolbar
    assert bar.mode_label.isVisible() and bar.set_key.label == "Set key" and bar.set_key.key == "S"
    resize(window, 1024, 680, qtbot)
    for joint in (None, 5):
        if joint is not None:
            bar.set_base(joint)
        assert bar.layout().sizeHint().width() <= bar.width()


def test_selected_keys_are_spread_at_their_ends_as_one_step(window: MainWindow, qtbot) -> None:
    document, model, sheet = window.document, window.timeline.model, window.timeline.sheet
    frames = [key.frame for key in document.sequence.keys]
    chosen = frames[-3:]
    model.select(chosen)
    handle = sheet._handles()[1].center()
    assert sheet.end_under(handle) is True and sheet.end_under(handle + QPointF(30, 0)) is None
    steps = document.stack.count()
    QTest.mousePress(sheet, Qt.MouseButton.LeftButton, pos=handle.toPoint())
    end = QPointF(sheet.track_x(chosen[0] + 2 * (chosen[-1] - chosen[0])), handle.y()).toPoint()
    QTest.mouseMove(sheet, end)
    assert model.dragging and [key.frame for key in document.sequence.keys] == frames
    QTest.mouseRelease(sheet, Qt.MouseButton.LeftButton, pos=end)
    spread = [chosen[0] + 2 * (frame - chosen[0]) for frame in chosen]
    assert [key.frame for key in document.sequence.keys] == [*frames[:-3], *spread]
    assert document.stack.count() == steps + 1 and model.selected.frames == tuple(spread)
    document.history.undo()
    assert [key.frame for key in document.sequence.keys] == frames


def test_spreading_keeps_keys_apart_in_order_and_off_standing_ones(window: MainWindow) -> None:
    model = window.timeline.model
    frames = [int(frame) for frame in model.frames]
    standing = set(frames) - set(frames[3:7])
    rng = np.random.default_rng(7)
    for _ in range(200):
        model.select(frames[3:7])
        model.set_scale(bool(rng.integers(2)), int(rng.integers(-20, 80)))
        shown = [model.shifted()[frame] for frame in frames[3:7]]
        assert shown == sorted(set(shown)) and shown[0] >= 0 and not standing & set(shown)
        model.cancel()
        assert not model.dragging


def test_a_key_reports_what_it_is(window: MainWindow) -> None:
    sheet, document = window.timeline.sheet, window.document
    frames = [key.frame for key in document.sequence.keys]
    assert sheet.key_tip(frames[1]) == f"Key at frame {frames[1]}\nSpline, may overshoot to the key at {frames[2]}"
    document.keys.set_interpolation([frames[1]], "linear")
    assert sheet.key_tip(frames[1]) == f"Key at frame {frames[1]}\nLinear to the key at {frames[2]}"
    assert sheet.key_tip(frames[-1]) == f"Key at frame {frames[-1]}, the last"
    assert sheet.key_tip(frames[-1] + 1) == ""


@pytest.mark.verify
def test_columns_are_as_wide_and_shared_as_before_once_a_narrow_window_is_maximised(window: MainWindow, qtbot) -> None:
    bench = window.workbench
    bench.reset()
    window.resize(1400, 900)
    qtbot.wait(20)
    docks = [dock for dock in bench.docks if not dock.isHidden()]
    library, locks = (
        next(dock for dock in docks if dock.windowTitle() == name) for name in ("Sequence library", "Locks")
    )
    before = [dock.width() for dock in docks]
    assert set(before) == set(WIDTHS.values())
    share = library.height() / (library.height() + locks.height())
    for narrow in ((1100, 700), (1024, 680)):
        window.resize(*narrow)
        qtbot.wait(20)
        assert bench.folded
        window.resize(1580, 960)
        qtbot.wait(20)
        assert [dock.width() for dock in docks] == before
        assert abs(library.height() / (library.height() + locks.height()) - share) < 0.02
        window.resize(1400, 900)
        qtbot.wait(20)
    window.resize(1600, 1000)


def test_a_message_covers_nothing_and_moves_nothing_but_the_end_of_the_tracks(window: MainWindow, qtbot) -> None:
    timeline, line = window.timeline, window.errors
    parts = (window.area, timeline, timeline.transport, timeline.ruler, timeline.scroll_area, *window.workbench.docks)
    places = [(part.mapTo(window, part.rect().topLeft()), part.width()) for part in parts]
    bar = timeline.bar.mapTo(window, timeline.bar.rect().topLeft())
    window.show_message("warning", "Something to read")
    qtbot.wait(20)
    assert [(part.mapTo(window, part.rect().topLeft()), part.width()) for part in parts] == places
    top = line.mapTo(window, line.rect().topLeft()).y()
    assert timeline.bar.mapTo(window, timeline.bar.rect().bottomLeft()).y() < top
    foot = line.mapTo(window, line.rect().bottomLeft()).y()
    assert foot < window.status.mapTo(window, window.status.rect().topLeft()).y()
    line.close_message()
    qtbot.waitUntil(lambda: timeline.bar.mapTo(window, timeline.bar.rect().topLeft()) == bar)


def test_an_edit_that_is_refused_is_no_error(window: MainWindow) -> None:
    levels: list[str] = []
    window.document.message.connect(lambda level, *_: levels.append(level))
    assert not window.document.keys.delete([999])
    assert not window.document.sequences.set_fps(-1)
    assert levels == ["warning", "warning"]
    assert not window.document.files.open("nowhere.seq")
    assert levels[-1] == "error"
