"""Locks: their panel, their glyphs and handles in the views, their strips."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest

from app.panels import LocksPanel
from app.window.main_window import MainWindow
from core.constraints import Lock
from core.skeleton.segment import end_effector
from tests.pictures.driving import LEFT, State, panel_dock, settle_here


def locks(window: MainWindow) -> None:
    """Locks of several kinds, one of them soft, one at other frames; the panel of locks brought up."""
    document = window.document
    document.set_frame(12)
    document.selection.set(["right foot"])
    chosen = document.locks.add(Lock("right foot", "pose"))
    document.locks.add(Lock("head", "orientation", weight=0.5, axes=(False, True, False)))
    document.locks.add(Lock(document.skeleton.joint_names[0], "balance", weight=0.6))  # type: ignore[union-attr]
    document.locks.add(Lock("left foot", "plane"), start=20, end=30)
    document.session.locks.selected = chosen
    panel_dock(window, "Locks").show()


def foot_paths(window: MainWindow) -> None:
    """The board that locks feet to their path, with what it found."""
    window.document.set_frame(12)
    window.foot_paths.lock_feet()
    popover = window.foot_paths.popover
    assert popover is not None
    for _ in range(300):
        settle_here(window, 0.1)
        if popover.found is not None:
            return


def lock_editor(window: MainWindow) -> None:
    """The editor of a lock whose target is keyed."""
    locks(window)
    panel = panel_dock(window, "Locks").widget()
    assert isinstance(panel, LocksPanel)
    panel.open_editor(window.document.locks.strips[0].id)
    panel.editor.edits.key_target()


def lock_conflict(window: MainWindow) -> None:
    """A hand locked higher than it can get while a foot is locked, and what would help."""
    document = window.document
    document.set_frame(12)
    document.locks.add(Lock("right foot", "position"))
    key = document.locks.add(Lock("left hand", "position"))
    assert key is not None
    document.session.locks.selected = key
    target = document.locks.strip(key).lock.target + np.array([0.3, 1.6, 0.2])  # type: ignore[union-attr]
    document.locks.edit(key, target=target)
    panel_dock(window, "Locks").show()
    for _ in range(300):
        if document.session.locks.conflict is None:
            settle_here(window, 0.1)


SCRIPT = """# The right foot stands: heel, all of it, then the ball.
path "wave" (-0.3, 1.2, 0.3) (-0.3, 1.5, 0.35) (-0.1, 1.3, 0.4)

lock "right heel" position from 2 to 8 ease 2
lock "right foot" pose from 5 to 12      # flat
lock "right ball" position from 10 to 18 ease 3
lock head aim at "left hand" from 4 to 30 ease 4
lock "right hand" along path "wave" from 10 to 30 ease 6
lock chest.bend = 0.5 * abdomen.bend from 0 to 24 weight 0.8
lock "left hand" position at (0.3, 1.1 + 10 cm * sin(2*pi*t), 0.2) from 20 to 40
"""


def script(window: MainWindow) -> None:
    """The locks of the sequence as a text."""
    window.document.script.set_text(SCRIPT)
    window.locks.show_script()
    window.timeline.script.editor.go_to(SCRIPT.index("flat"))


def script_problems(window: MainWindow) -> None:
    """A script of which two lines are wrong, and what may stand where the cursor is."""
    wrong = SCRIPT.replace("right ball", "right bal").replace("aim at", "aim to")
    window.document.script.set_text(wrong + 'lock "left foot" po')
    window.locks.show_script()
    settle_here(window, 0.1)
    editor = window.timeline.script.editor
    window.activateWindow()
    editor.setFocus()
    editor.go_to(len(editor.toPlainText()))
    settle_here(window, 0.1)
    editor.suggest(always=True)


def lock_glyphs(window: MainWindow) -> None:
    """A foot locked twice, the other on the ground, and the pointer over a glyph: its joints light."""
    from app.marks import lock_marks

    document, view = window.document, window.area.work_view
    document.set_frame(12)
    document.locks.add(Lock("right foot", "position"))
    twist = document.locks.add(Lock("right foot", "orientation"))
    document.locks.add(Lock("left toes", "plane", target=(0.0, 1.0, 0.0, 0.0)))
    document.locks.add(Lock("head", "orientation", weight=0.5))
    settle_here(window, 0.3)
    shown = lock_marks.placed(view, window.area.host.scene.locks.marks)
    QTest.mouseMove(view, next(each.center for each in shown if each.mark.id == twist).toPoint())


def lock_tool(window: MainWindow, by: float = 18.0) -> None:
    """A hand's target on its way along an arrow, button down, the path of its keys beside it."""
    from app.scene.pointing import view_point
    from core.animation.locks.target_keys import TargetKey

    document, session, view = window.document, window.document.session, window.area.work_view
    document.set_frame(12)
    document.locks.add(Lock("left foot", "pose"))
    key = document.locks.add(Lock("right hand", "position"), start=0)
    assert key is not None
    start = np.array(document.locks.strip(key).lock.target)  # type: ignore[union-attr]
    offsets = {4: (-0.1, 0.1, 0.0), 12: (0.0, 0.25, 0.15), 20: (0.1, 0.1, 0.3), 28: (0.0, -0.1, 0.2)}
    document.locks.edit(key, targets=tuple(TargetKey(frame, start + offset) for frame, offset in offsets.items()))
    session.tools.tool, session.locks.selected = "lock", key
    settle_here(window, 0.3)
    at = view_point(view, start + offsets[12])
    QTest.mousePress(view, LEFT, pos=at.toPoint())
    for step in range(1, 9):
        QTest.mouseMove(view, (at + QPointF(by, -by) * (step / 4.0)).toPoint())
        settle_here(window, 0.02)


def lock_strips(window: MainWindow) -> None:
    """Strips of several kinds on the timeline, one selected, one that cannot be held for a while."""
    from core.animation.locks.strip import LockStrip
    from core.constraints import Lock, bind

    document = window.document
    skeleton, sequence = document.skeleton, document.sequence
    assert skeleton is not None and sequence is not None
    strips = []
    for kind, joint, start, end, ease_in, ease_out, values in (
        ("position", "right foot", 0, 8, 0, 3, {}),
        ("position", "right foot", 21, 32, 3, 4, {}),
        ("plane", "left foot", 5, 18, 1, 2, {"weight": 0.8}),
        ("orientation", "head", 4, None, 8, 0, {"axes": (False, True, False), "weight": 0.5}),
        ("pose", "left hand", 12, 14, 1, 1, {}),
    ):
        point = tuple(float(x) for x in end_effector(skeleton, skeleton.joint_index(joint)))
        held = bind(Lock(joint, kind, point=point, **values), skeleton, sequence.interpolated(start / sequence.fps))
        strips.append(LockStrip(held, start, end, ease_in, ease_out))
    document.locks.set(strips)
    document.session.locks.selected = strips[1].id
    document.set_frame(12)
    window.workbench.fit_timeline()


def lock_tab(window: MainWindow) -> None:
    """The same alone, in higher rows."""
    lock_strips(window)
    window.timeline.show_tab("locks")


STATES: tuple[State, ...] = (
    ("locks", locks, "dark", (1600, 1000)),
    ("lock-glyphs", lock_glyphs, "dark", (1600, 1000)),
    ("lock-glyphs-light", lock_glyphs, "light", (1024, 680)),
    ("lock-tool", lock_tool, "dark", (1600, 1000)),
    ("locks-light", locks, "light", (1600, 1000)),
    ("lock-editor-light", lock_editor, "light", (1440, 900)),
    ("lock-editor-small", lock_editor, "dark", (1024, 680)),
    ("lock-conflict", lock_conflict, "dark", (1600, 1000)),
    ("lock-conflict-small-light", lock_conflict, "light", (1024, 680)),
    ("foot-paths", foot_paths, "dark", (1600, 1000)),
    ("foot-paths-light", foot_paths, "light", (1024, 680)),
    ("lock-strips", lock_strips, "dark", (1600, 1000)),
    ("lock-strips-light", lock_strips, "light", (1440, 900)),
    ("lock-tab", lock_tab, "dark", (1024, 680)),
    ("lock-tab-light", lock_tab, "light", (1600, 1000)),
    ("script", script, "dark", (1600, 1000)),
    ("script-light", script, "light", (1024, 680)),
    ("script-problems", script_problems, "dark", (1024, 680)),
    ("script-problems-light", script_problems, "light", (1440, 900)),
)
