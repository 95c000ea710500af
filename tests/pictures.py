"""``python -m tests.pictures [FOLDER]`` drives the real window and saves a picture of each state worth looking at.

Nothing is compared: the pictures are for eyes, before and after a change of the look. Works without a display.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDockWidget

from app import virtual_display
from app.document import joint_edits
from app.editor import finish_thumbnails, make_application, make_window, settle
from app.main_window import MainWindow
from app.panels import JointsPanel, LocksPanel
from core import compiled
from core.constraints import Lock
from core.formats.bundled import bundled_folder
from core.formats.library import Library
from core.skeleton.segment import end_effector

LEFT = Qt.MouseButton.LeftButton


def hand(window: MainWindow, name: str = "right hand") -> QPointF:
    """Return where the middle of a part is on the work area, logical px."""
    from app.tools.base import view_point

    skeleton = window.document.skeleton
    assert skeleton is not None
    joint = skeleton.joint_index(name)
    return view_point(window.area.work_view, window.area.host.scene.world(joint, end_effector(skeleton, joint)))


def opening(window: MainWindow) -> None:
    """The sample, just opened."""


def empty(window: MainWindow) -> None:
    """No document."""
    window.document.new()


def mid_drag(window: MainWindow) -> None:
    """A hand on its way, button down."""
    window.document.set_frame(12)
    settle_here(window, 0.3)
    view, start = window.area.work_view, hand(window)
    QTest.mousePress(view, LEFT, pos=start.toPoint())
    for step in range(1, 13):
        QTest.mouseMove(view, (start + QPointF(4.0, -15.0) * step).toPoint())
        settle_here(window, 0.02)


def out_of_reach(window: MainWindow) -> None:
    """A hand pulled farther than the arm is long."""
    mid_drag(window)
    view, start = window.area.work_view, hand(window)
    for step in range(1, 5):
        QTest.mouseMove(view, (start + QPointF(55.0, -30.0) * step).toPoint())


def at_limit(window: MainWindow) -> None:
    """A foot pulled up behind the back, farther than knee and hip let it."""
    window.document.set_frame(12)
    settle_here(window, 0.3)
    view, start = window.area.work_view, hand(window, "right foot")
    QTest.mousePress(view, LEFT, pos=start.toPoint())
    for step in range(1, 21):
        QTest.mouseMove(view, (start + QPointF(-0.014, -0.022) * view.height() * step).toPoint())
        settle_here(window, 0.02)


def ellipsoid(window: MainWindow) -> None:
    """The manipulability ellipsoid of a hand."""
    window.document.session.overlays["ellipsoid"] = True
    window.document.set_frame(12)
    window.document.set_selection(["right hand"])


def ellipsoid_singular(window: MainWindow) -> None:
    """The ellipsoid of a hand at the end of a straight arm whose collar keeps still."""
    ellipsoid(window)
    skeleton, session = window.document.skeleton, window.document.session
    assert skeleton is not None
    session.chain_base, session.drag_mode = skeleton.joint_index("right upper arm"), "up_to"
    q = skeleton.rest_pose()
    for label, angle in (("Shoulder flex", 1.2), ("Shoulder out", 0.4)):
        q[3 + skeleton.dof_labels.index(label)] = angle
    window.document.set_pose(q)


def ellipsoid_dragged(window: MainWindow) -> None:
    """The ellipsoid of a hand on its way."""
    window.document.session.overlays["ellipsoid"] = True
    mid_drag(window)


def following(window: MainWindow) -> None:
    """A drag that has ended, and the arm set half-way to a stiff rod."""
    mid_drag(window)
    QTest.mouseRelease(window.area.work_view, LEFT)
    joints = window.panels[0]
    assert isinstance(joints, JointsPanel)
    joints.following.stiffness.field.edit_to(3.0)
    joints.following.dial.edit_to(-0.5)
    joints.following.mirror.click()


def other_solver(window: MainWindow) -> None:
    """CCD with few steps, a hand pulled out of reach, joints with values of their own."""
    window.document.session.solver = "ccd"
    window.document.session.max_steps = 20
    window.document.set_joint_values({"right forearm": {"weight": 0.5, "resistance": 4.0}}, "Set")
    out_of_reach(window)


def rings(window: MainWindow) -> None:
    """The rotate tool on an upper arm."""
    window.document.session.tool = "rotate"
    window.document.set_selection(["right upper arm"])


def part_rings(window: MainWindow) -> None:
    """The rings that turn a hand, its place kept."""
    session = window.document.session
    window.document.set_frame(12)
    session.tool, session.turn_mode = "rotate", "chain"
    window.document.set_selection(["right hand"])
    settle_here(window, 0.3)


def turning(window: MainWindow, degrees: float = 40.0, index: int = 1) -> None:
    """A hand turned by one of its rings, button down."""
    from app.tools.turn_part import TurnPartTool
    from app.viewport import manipulators

    part_rings(window)
    view, tool = window.area.work_view, window.area.host.toolbox.current
    assert isinstance(tool, TurnPartTool)
    shown = tool.rings(view)
    for first in range(0, 360, 3):
        path = np.radians(first + np.linspace(0.0, degrees, 21))
        points = [QPointF(x, y).toPoint() for x, y, _ in manipulators.ring_points(view, shown[index], angles=path)]
        if manipulators.hit(view, shown, points[0].x(), points[0].y()) == index:
            break
    QTest.mousePress(view, LEFT, pos=points[0])
    for point in points[1:]:
        QTest.mouseMove(view, point)
        settle_here(window, 0.02)


def turned_too_far(window: MainWindow) -> None:
    """A hand asked to turn farther than the arm allows."""
    turning(window, -75.0, 0)


def playing(window: MainWindow) -> None:
    """In the middle of playing."""
    window.player.play()


def pending(window: MainWindow) -> None:
    """A pose that is in no key yet."""
    window.document.session.auto_key = False
    window.document.set_frame(6)
    q = window.document.pose.copy()
    q[-8] += 0.4
    window.document.set_pose(q)


def error(window: MainWindow) -> None:
    """A file that cannot be read."""
    bad = Path(window.property("folder")) / "broken.scr"
    bad.write_text('define skeleton "broken"\n    joint "hip"\n    joint "hip"\nend skeleton\n', encoding="utf-8")
    window.open_files([bad])
    bad.unlink()


def front(window: MainWindow) -> None:
    """The front view in the work area."""
    window.area.show_view("front")


def skeleton(window: MainWindow) -> None:
    """The skeleton being edited, an upper arm selected."""
    window.skeleton.set_mode("skeleton")
    window.document.set_selection(["right upper arm"])
    window.area.frame_all()


def joint_drag(window: MainWindow) -> None:
    """A joint on its way along an axis, its children left behind."""
    window.area.show_view("front")
    skeleton(window)
    settle_here(window, 0.3)
    scene, view = window.area.host.scene, window.area.work_view
    from app.tools.base import view_point

    joint = window.document.skeleton.joint_index("left forearm")  # type: ignore[union-attr]
    start = view_point(view, scene.poses[joint, :3, 3])
    window.document.session.carry_children = False
    QTest.mousePress(view, LEFT, pos=start.toPoint())
    for step in range(1, 9):
        QTest.mouseMove(view, (start + QPointF(9.0, -4.0) * step).toPoint())
        settle_here(window, 0.02)
    QTest.keyClick(view, Qt.Key.Key_X)


def built(window: MainWindow) -> None:
    """A figure made here: three joints, the other side, shapes for all."""
    window.skeleton.new_figure()
    for place in ((0.2, 1.1, 0.0), (0.5, 1.1, 0.0), (0.75, 1.0, 0.1)):
        name = joint_edits.free_name(window.document.skeleton)  # type: ignore[arg-type]
        parent = window.document.skeleton.joint_names[-1]  # type: ignore[union-attr]
        window.document.edit_figure(joint_edits.added(parent, name, place), f"Add {name}")
    window.document.set_selection((2,))
    window.actions["mirror_side"].trigger()
    window.actions["add_bodies"].trigger()
    window.area.frame_all()


def adding(window: MainWindow) -> None:
    """The tool that adds joints, over the work area."""
    built(window)
    window.document.session.joint_tool = "add"
    view = window.area.work_view
    QTest.mouseMove(view, QPointF(0.6 * view.width(), 0.3 * view.height()).toPoint())


def wrong_axis(window: MainWindow) -> None:
    """A value that makes no sense."""
    skeleton(window)
    window.skeleton.panel.form.dofs.rows[0].axis.committed.emit("sideways")


def locks(window: MainWindow) -> None:
    """Locks of several kinds, one of them soft, one at other frames; the panel of locks brought up."""
    document = window.document
    document.set_frame(12)
    document.set_selection(["right foot"])
    chosen = document.add_lock(Lock("right foot", "pose"))
    document.add_lock(Lock("head", "orientation", weight=0.5, axes=(False, True, False)))
    document.add_lock(Lock(document.skeleton.joint_names[0], "balance", weight=0.6))  # type: ignore[union-attr]
    document.add_lock(Lock("left foot", "plane"), start=20, end=30)
    document.session.selected_lock = chosen
    panel_dock(window, "Locks").show()


def lock_editor(window: MainWindow) -> None:
    """The editor of a lock whose target is keyed."""
    locks(window)
    panel = panel_dock(window, "Locks").widget()
    assert isinstance(panel, LocksPanel)
    panel.open_editor(window.document.strips[0].id)
    panel.editor.edits.key_target()


def lock_conflict(window: MainWindow) -> None:
    """A hand locked higher than it can get while a foot is locked, and what would help."""
    document = window.document
    document.set_frame(12)
    document.add_lock(Lock("right foot", "position"))
    key = document.add_lock(Lock("left hand", "position"))
    assert key is not None
    document.session.selected_lock = key
    target = document.strip(key).lock.target + np.array([0.3, 1.6, 0.2])  # type: ignore[union-attr]
    document.edit_lock(key, target=target)
    panel_dock(window, "Locks").show()
    for _ in range(300):
        if document.session.conflict is None:
            settle_here(window, 0.1)


def lock_glyphs(window: MainWindow) -> None:
    """A foot locked twice, the other on the ground, and the pointer over a glyph: its joints light."""
    from app.viewport import lock_marks

    document, view = window.document, window.area.work_view
    document.set_frame(12)
    document.add_lock(Lock("right foot", "position"))
    twist = document.add_lock(Lock("right foot", "orientation"))
    document.add_lock(Lock("left toes", "plane", target=(0.0, 1.0, 0.0, 0.0)))
    document.add_lock(Lock("head", "orientation", weight=0.5))
    settle_here(window, 0.3)
    shown = lock_marks.placed(view, window.area.host.scene.locks.marks)
    QTest.mouseMove(view, next(each.center for each in shown if each.mark.id == twist).toPoint())


def lock_tool(window: MainWindow, by: float = 18.0) -> None:
    """A hand's target on its way along an arrow, button down, the path of its keys beside it."""
    from app.tools.base import view_point
    from core.animation.locks.strip import TargetKey

    document, session, view = window.document, window.document.session, window.area.work_view
    document.set_frame(12)
    document.add_lock(Lock("left foot", "pose"))
    key = document.add_lock(Lock("right hand", "position"), start=0)
    assert key is not None
    start = np.array(document.strip(key).lock.target)  # type: ignore[union-attr]
    ways = {4: (-0.1, 0.1, 0.0), 12: (0.0, 0.25, 0.15), 20: (0.1, 0.1, 0.3), 28: (0.0, -0.1, 0.2)}
    document.edit_lock(key, targets=tuple(TargetKey(frame, start + way) for frame, way in ways.items()))
    session.tool, session.selected_lock = "lock", key
    settle_here(window, 0.3)
    at = view_point(view, start + ways[12])
    QTest.mousePress(view, LEFT, pos=at.toPoint())
    for step in range(1, 9):
        QTest.mouseMove(view, (at + QPointF(by, -by) * (step / 4.0)).toPoint())
        settle_here(window, 0.02)


def ghosts_many(window: MainWindow) -> None:
    """Ghosts at many keys, the pointer over one of them."""
    session, view = window.document.session, window.area.work_view
    session.ghosts_before, session.ghosts_after, session.ghost_fade = 4, 4, 0.75
    window.document.set_frame(16)
    settle_here(window, 0.3)
    ghosts = window.area.host.scene.ghosts
    from app.tools.base import view_point

    ghost = next(each for each in ghosts if each.frame == 28)
    head = window.document.skeleton.joint_index("head")  # type: ignore[union-attr]
    QTest.mouseMove(view, view_point(view, ghost.poses[head, :3, 3]).toPoint())


def ghosts_limb(window: MainWindow) -> None:
    """Ghosts of a leg at every third frame, and their settings."""
    session = window.document.session
    session.ghosts_before, session.ghosts_after, session.ghost_fade = 5, 5, 0.8
    session.ghosts_at, session.ghost_step, session.ghost_parts = "frames", 3, "limb"
    window.document.set_selection(["right foot"])
    window.document.set_frame(16)
    settle_here(window, 0.3)
    window.actions["motion_settings"].trigger()


def key_what(window: MainWindow) -> None:
    """What a key holds, chosen beside Auto key."""
    window.actions["key_changed"].trigger()
    window.toolbar.key_what.click()


def view_menu(window: MainWindow) -> None:
    """The View menu."""
    menu = window.menu._menus["View"]
    menu.popup(window.menu.mapToGlobal(window.menu.actionGeometry(menu.menuAction()).bottomLeft()))


def trail_drag(window: MainWindow, part: str = "right hand") -> None:
    """A bead of a hand's trail on its way, button down; the trail of a foot is kept."""
    window.document.session.trail_parts = [window.document.skeleton.joint_index("left foot")]  # type: ignore[union-attr]
    window.document.set_selection([part])
    window.document.set_frame(4)
    settle_here(window, 0.4)
    start = bead(window, part, 32)
    view = window.area.work_view
    QTest.mouseMove(view, start.toPoint())
    QTest.mousePress(view, LEFT, pos=start.toPoint())
    for step in range(1, 13):
        QTest.mouseMove(view, (start + QPointF(2.0, -6.0) * step).toPoint())
        settle_here(window, 0.03)


def bead(window: MainWindow, part: str, frame: int) -> QPointF:
    """Return where a key is on a trail in the work area, [px]; of the root's path for part "" ."""
    from app.viewport.trails import ROOT_PATH, Bead

    joint = ROOT_PATH if not part else window.document.skeleton.joint_index(part)  # type: ignore[union-attr]
    pixels, beads = window.area.host.scene.trails.beads(window.area.work_view)
    return QPointF(*pixels[beads.index(Bead(joint, frame))].tolist())


def root_path(window: MainWindow) -> None:
    """A walk round a bend seen from above: the root's path, one of its keys in hand, and the prints of locked feet."""
    document, view = window.document, window.area.work_view
    skeleton, sequence = document.skeleton, document.sequence
    assert skeleton is not None and sequence is not None
    turn = 3 + skeleton.dof_labels.index("Pelvis turn")
    for key in sequence.keys:
        q, along = np.array(key.q), key.frame / 32.0
        q[0], q[turn] = q[0] - 0.9 * along**2, q[turn] - 0.9 * along
        document.set_frame(key.frame)
        document.set_pose(q)
    lock_strips(window)
    overlays = document.session.overlays
    overlays["root_path"] = overlays["footprints"] = overlays["com_path"] = True
    document.set_frame(4)
    view.camera.orbit(0.0, 90.0)
    view.camera.zoom(1.3)
    window.area.touch()
    settle_here(window, 0.6)
    start = bead(window, "", 24)
    QTest.mouseMove(view, start.toPoint())
    QTest.mousePress(view, LEFT, pos=start.toPoint())
    for step in range(1, 9):
        QTest.mouseMove(view, (start + QPointF(2.0, 3.0) * step).toPoint())
        settle_here(window, 0.03)


def sheet(window: MainWindow) -> None:
    """Rows open to their joints; keys that hold only some of them, and go on in different ways."""
    from app.document.key_selection import KeySelection

    document = window.document
    document.set_selection(())
    names = document.sequence.channels.names  # type: ignore[union-attr]
    frames = [int(frame) for frame in window.timeline.model.frames]
    arm = [name for name in names if "right" in name and ("arm" in name or "hand" in name)]
    document.delete_keys(KeySelection({frames[3]: arm, frames[5]: arm, frames[7]: [""]}))
    kinds = ("linear", "stepped", "catmull_rom", "centripetal", "kochanek_bartels", "free")
    for frame, kind in zip(frames[4:], kinds, strict=False):
        document.set_shape(KeySelection.of_frames([frame]), interp=kind)
    document.set_shape(KeySelection({frames[2]: arm}), interp="linear")
    document.session.open_rows = {"summary", "root", *_group(window, "right arm")}
    document.set_frame(frames[2])
    window.workbench.fit_timeline()


def _group(window: MainWindow, name: str) -> set[str]:
    return {row.id for row in window.timeline.model.rows if row.name.lower() == name}


def sheet_selection(window: MainWindow) -> None:
    """Some keys of an arm selected, and their numbers being typed."""
    sheet(window)
    model = window.timeline.model
    row = next(row for row in model.rows if row.name.lower() == "right arm")
    model.select_range(int(model.frames[1]), int(model.frames[5]), row, add=False)
    settle_here(window, 0.2)
    window.actions["key_numbers"].trigger()


def sheet_ripple(window: MainWindow) -> None:
    """The edge of the selected keys on its way, the rest rippling along, snapped to the playhead."""
    document, timeline = window.document, window.timeline
    frames = [int(frame) for frame in timeline.model.frames]
    timeline.model.select(frames[2:5])
    document.set_frame(frames[4] + 5)
    settle_here(window, 0.3)
    start = timeline.sheet._handles()[1].center()
    QTest.mousePress(timeline.sheet, LEFT, pos=start.toPoint())
    alt = Qt.KeyboardModifier.AltModifier
    for by in (1.0, 3.0, 5.1):
        at = start + QPointF(by * timeline.model.pixels, 4.0)
        move = QMouseEvent(QEvent.Type.MouseMove, at, timeline.sheet.mapToGlobal(at), LEFT, LEFT, alt)
        QApplication.sendEvent(timeline.sheet, move)
        settle_here(window, 0.05)


def sheet_crowded(window: MainWindow) -> None:
    """A recording: a key at every frame; some keys of it selected, part of it holding still."""
    from core.animation.key import Key

    document = window.document
    poses = [np.array(document.sequence.pose_at(i / 120.0)) for i in range(96)]  # type: ignore[union-attr]
    poses[40:60] = [poses[40]] * 20
    with document.begin_key_gesture("Record") as gesture:
        gesture.set_keys([Key(2 * i if i > 80 else i, q, "linear") for i, q in enumerate(poses)])
    window.timeline.model.fit()
    window.timeline.model.select(range(66, 75))
    settle_here(window, 0.3)


def panel_dock(window: MainWindow, title: str) -> QDockWidget:
    """Return the dock of a panel."""
    return next(dock for dock in window.workbench.docks if dock.windowTitle() == title)


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
    document.set_strips(strips)
    document.session.selected_lock = strips[1].id
    document.set_frame(12)
    window.workbench.fit_timeline()


def lock_tab(window: MainWindow) -> None:
    """The same alone, in higher rows."""
    lock_strips(window)
    window.timeline.show_tab("locks")


def library(window: MainWindow) -> None:
    """The library with a search for nothing, its icons drawn."""
    finish_icons(window)


def flipping(window: MainWindow) -> None:
    """An icon under the pointer in the middle of its flip-book."""
    panel = window.library.panel
    finish_icons(window)
    tile = next(tile for tile in panel.tiles() if tile.entry.name == "jump")
    panel.scroll.ensureWidgetVisible(tile, 0, 40)
    QTest.mouseMove(tile, tile.rect().center())
    for _ in range(200):
        settle_here(window, 0.02)
        if tile.number == 8:
            break


def flipping_reduced(window: MainWindow) -> None:
    """The same where motion is reduced: a static strip."""
    window.document.session.reduced_motion = True
    flipping(window)


def library_search(window: MainWindow) -> None:
    """What a search finds, a file that cannot be read among it."""
    panel = window.library.panel
    panel.library = Library(Path(window.property("folder")) / "library")  # not the person's own
    panel.library.prepare("Gestures", "Broken wave").write_text("{", encoding="utf-8")
    panel.rescan()
    panel.search.field.setText("wa")
    finish_icons(window)


def save_to_library(window: MainWindow) -> None:
    """The question for name and menu."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication, QDialog

    def shoot() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QDialog)
        dialog.grab().save(str(Path(window.property("folder")) / "save-to-library-dialog.png"))
        dialog.reject()

    QTimer.singleShot(400, shoot)
    window.actions["save_to_library"].trigger()


def finish_icons(window: MainWindow) -> None:
    """Let the window work until the icons of the library that can be seen are drawn."""
    dock = panel_dock(window, "Sequence library")
    dock.show()
    settle_here(window, 0.3)
    for _ in range(600):
        if not window.library.panel.icons.busy:
            break
        settle_here(window, 0.1)


def history(window: MainWindow) -> None:
    """The history with steps of several kinds, some undone."""
    document = window.document
    document.set_frame(12)
    skeleton, q = document.skeleton, np.array(document.pose)
    assert skeleton is not None
    q[3 + skeleton.first_dof[skeleton.joint_index("right forearm")]] += 0.4
    document.set_pose(q, "Turn right forearm")
    document.flip_pose(["right upper arm", "right forearm"])
    document.save(Path(str(window.property("folder"))) / "steps.seq")
    document.lock_parts(["left foot"], "position")
    document.move_keys({document.sequence.frames[4]: document.sequence.frames[4] + 1})  # type: ignore[union-attr]
    document.set_frame(9)
    document.pose_between("push", 0.5)
    document.delete_keys([document.sequence.frames[2]])  # type: ignore[union-attr]
    document.set_fps(25)
    document.rename("Walk on")
    for _ in range(3):
        document.undo()
    window.actions["show_history"].trigger()
    if window.workbench.folded:
        window.workbench.docks[0].show()


def history_drag(window: MainWindow) -> None:
    """The history while a hand is dragged."""
    window.actions["show_history"].trigger()
    mid_drag(window)


def breakdown(window: MainWindow) -> None:
    """The board that poses between keys, its slider under the mouse, past the key after."""
    window.document.set_frame(14)
    window.document.set_selection(["right upper arm", "right forearm", "right hand"])
    window.actions["pose_between"].trigger()
    settle_here(window, 0.3)
    slider = window.posing._popover.rows["breakdown"].slider  # type: ignore[union-attr]
    middle = slider.height() // 2 - 6
    QTest.mousePress(slider, LEFT, pos=QPointF(slider.position(slider.value), middle).toPoint())
    for step in range(1, 9):
        QTest.mouseMove(slider, QPointF(slider.position(slider._track[1]) * step / 8 - 6, middle).toPoint())
        settle_here(window, 0.02)


def push(window: MainWindow) -> None:
    """The same board at rest, for pushing and relaxing the whole figure."""
    window.document.set_frame(8)
    window.actions["pose_between"].trigger()
    window.posing._popover.show_kind("push")  # type: ignore[union-attr]


def mirror_editing(window: MainWindow) -> None:
    """An arm dragged while the other side does the same."""
    window.document.session.mirror_editing = True
    mid_drag(window)


def undo_flash(window: MainWindow) -> None:
    """What Undo has just changed, at the frame it went to."""
    document = window.document
    document.set_frame(12)
    document.flip_pose(["right upper arm", "right forearm"])
    document.set_frame(24)
    window.actions["undo"].trigger()
    document._flash_ends.stop()  # type: ignore[union-attr]


def music(window: MainWindow) -> None:
    """A walk of three rounds under drums, a beat selected."""
    document = window.document
    document.set_range(0, 150)
    window.music.load_path(bundled_folder() / "music" / "drums.wav")
    settle_here(window, 1.5)
    window.timeline.model.fit()
    window.timeline.audio.selected = 3
    document.set_frame(20)


def markers(window: MainWindow) -> None:
    """Markers, one of them about to be named, over drums that start late."""
    music(window)
    document = window.document
    for frame, name in ((8, "Left foot"), (40, "Turn"), (44, "and look"), (96, "Stop")):
        document.add_marker(frame, name)
    window.timeline.audio.nudge(12)
    window.timeline.markers.begin(64)
    QTest.keyClicks(window.timeline.markers.field, "Wave")


def music_menu(window: MainWindow) -> None:
    """The menu of the music."""
    from app.timeline.music.menu import show_audio_menu

    music(window)
    audio = window.timeline.audio
    show_audio_menu(audio, audio.mapToGlobal(QPointF(600, 10).toPoint()), 5, 1.0)
    settle_here(window, 0.3)


def music_lost(window: MainWindow) -> None:
    """Music whose file is gone, and a marker."""
    window.document.set_audio({"file": "/nowhere/a song with a long name.mp3", "beats": [0.3, 0.8, 1.3], "tempo": 120})
    window.document.add_marker(12, "Step")


def music_close(window: MainWindow) -> None:
    """The waveform from near, in silence."""
    music(window)
    window.document.session.sound = False
    window.timeline.model.zoom(9.0, 300.0)


def curves(window: MainWindow, parts: tuple[str, ...] = ("right upper arm", "right forearm")) -> None:
    """The curve editor with the curves of an arm, a key selected."""
    from app.timeline.curves.model import Point

    document, panel = window.document, window.timeline.curves
    document.set_selection(list(parts))
    document.set_frame(12)
    window.timeline.show_tab("curves")
    settle_here(window, 0.3)
    row = panel.model.editable[0]
    panel.model.select({row.id: np.array([12])}, Point(row, 12))


def curves_tangents(window: MainWindow) -> None:
    """A tangent on its way, button down, its two sides broken."""
    curves(window, ("right forearm",))
    panel = window.timeline.curves
    panel.canvas.fit(False)
    panel.model.scale.fit(-8.0, 42.0)  # a limit in sight
    panel.model.scale.stale = False
    panel.model.touch()
    settle_here(window, 0.3)
    view = panel.values
    handle = next(found[3] for found in view.handles() if found[1] == 1)
    drag = view.press(handle, Qt.KeyboardModifier.NoModifier)
    assert drag is not None
    panel.canvas._drag, panel.canvas._mode, panel.canvas._mouse = drag, 1, handle + QPointF(10, -45)
    drag.move(handle + QPointF(10, -45), Qt.KeyboardModifier.AltModifier)


def curves_all(window: MainWindow) -> None:
    """The whole figure's list with two groups open, keys of several curves in a box, limits hatched."""
    curves(window)
    model = window.timeline.curves.model
    model.set_every(True)
    window.timeline.curves.bar.scope.set_current("all")
    for title in ("Root", "Right leg"):
        model.toggle_closed(title)


def curves_speed(window: MainWindow) -> None:
    """Speeds of a thigh and its shank."""
    curves(window, ("right thigh", "right shank"))
    window.timeline.curves.model.set_view("speed")


def curves_timing(window: MainWindow) -> None:
    """The timing of the whole figure, a point dragged."""
    curves(window)
    panel = window.timeline.curves
    panel.model.set_view("timing")
    panel.timing.put(((0.0, 0.0), (8.0, 4.0), (20.0, 24.0), (32.0, 32.0)))
    panel.timing.chosen = 2
    panel.model.points_changed.emit()


def curves_root_speed(window: MainWindow) -> None:
    """A speed of the root sketched by hand, button down."""
    curves(window)
    panel = window.timeline.curves
    panel.model.set_view("root_speed")
    settle_here(window, 0.3)
    view, canvas = panel.root_speed, panel.canvas
    at = [QPointF(view.x(frame), view.scale.y(1.1 + 0.6 * np.sin(frame / 5.0))) for frame in np.linspace(2, 30, 60)]
    QTest.mousePress(canvas, LEFT, pos=at[0].toPoint())
    for place in at[1:]:
        QTest.mouseMove(canvas, place.toPoint())
        settle_here(window, 0.005)


def curves_ease(window: MainWindow) -> None:
    """The editor of an ease over the bar."""
    curves(window, ("right forearm",))
    page = window.timeline.curves.bar.keys
    page.actions_of_keys.set_ease("follow through")
    page.popover.open_over(page.ease)


def curves_tcb(window: MainWindow) -> None:
    """Tension, continuity and bias of several keys, one curve locked, one hidden."""
    curves(window)
    panel = window.timeline.curves
    rows = panel.model.editable
    panel.model.toggle_locked([rows[1].id])
    panel.model.toggle_hidden([rows[2].id])
    panel.values.select_all()
    panel.bar.actions_of_keys.set_shape(interp="kochanek_bartels", tension=-0.4, bias=0.5)


def curves_nothing(window: MainWindow) -> None:
    """The curve editor with nothing selected."""
    window.document.set_selection([])
    window.timeline.show_tab("curves")


STATES: tuple[tuple[str, Callable[[MainWindow], None], str, tuple[int, int]], ...] = (
    ("opening", opening, "dark", (1600, 1000)),
    ("opening-light", opening, "light", (1600, 1000)),
    ("empty", empty, "dark", (1600, 1000)),
    ("mid-drag", mid_drag, "dark", (1600, 1000)),
    ("mid-drag-light", mid_drag, "light", (1600, 1000)),
    ("out-of-reach", out_of_reach, "dark", (1600, 1000)),
    ("out-of-reach-light", out_of_reach, "light", (1600, 1000)),
    ("following", following, "dark", (1600, 1000)),
    ("following-light", following, "light", (1600, 1000)),
    ("following-low-light", following, "light", (1440, 760)),
    ("following-small", following, "dark", (1024, 680)),
    ("other-solver", other_solver, "dark", (1600, 1000)),
    ("at-limit", at_limit, "dark", (1600, 1000)),
    ("at-limit-small-light", at_limit, "light", (1024, 680)),
    ("ellipsoid", ellipsoid, "dark", (1600, 1000)),
    ("ellipsoid-singular-light", ellipsoid_singular, "light", (1600, 1000)),
    ("ellipsoid-drag-small", ellipsoid_dragged, "dark", (1024, 680)),
    ("rings", rings, "dark", (1600, 1000)),
    ("part-rings", part_rings, "dark", (1600, 1000)),
    ("turning-light", turning, "light", (1600, 1000)),
    ("turned-too-far", turned_too_far, "dark", (1440, 900)),
    ("small-turning", turning, "dark", (1024, 680)),
    ("locks", locks, "dark", (1600, 1000)),
    ("lock-glyphs", lock_glyphs, "dark", (1600, 1000)),
    ("lock-glyphs-light", lock_glyphs, "light", (1024, 680)),
    ("lock-tool", lock_tool, "dark", (1600, 1000)),
    ("locks-light", locks, "light", (1600, 1000)),
    ("lock-editor-light", lock_editor, "light", (1440, 900)),
    ("lock-editor-small", lock_editor, "dark", (1024, 680)),
    ("lock-conflict", lock_conflict, "dark", (1600, 1000)),
    ("lock-conflict-small-light", lock_conflict, "light", (1024, 680)),
    ("playing", playing, "dark", (1600, 1000)),
    ("pending", pending, "dark", (1440, 900)),
    ("lock-strips", lock_strips, "dark", (1600, 1000)),
    ("lock-strips-light", lock_strips, "light", (1440, 900)),
    ("lock-tab", lock_tab, "dark", (1024, 680)),
    ("library", library, "dark", (1600, 1000)),
    ("library-light", library, "light", (1600, 1000)),
    ("library-small", library, "dark", (1024, 680)),
    ("library-search", library_search, "dark", (1440, 900)),
    ("flipping", flipping, "dark", (1600, 1000)),
    ("flipping-light", flipping, "light", (1440, 900)),
    ("flipping-reduced", flipping_reduced, "dark", (1600, 1000)),
    ("save-to-library", save_to_library, "dark", (1440, 900)),
    ("lock-tab-light", lock_tab, "light", (1600, 1000)),
    ("sheet", sheet, "dark", (1600, 1000)),
    ("sheet-light", sheet, "light", (1600, 1000)),
    ("sheet-small", sheet, "dark", (1024, 680)),
    ("sheet-selection", sheet_selection, "dark", (1600, 1000)),
    ("sheet-ripple", sheet_ripple, "light", (1600, 1000)),
    ("sheet-crowded", sheet_crowded, "dark", (1440, 900)),
    ("ghosts-many", ghosts_many, "dark", (1600, 1000)),
    ("ghosts-many-light", ghosts_many, "light", (1600, 1000)),
    ("ghosts-limb", ghosts_limb, "dark", (1600, 1000)),
    ("ghosts-limb-light", ghosts_limb, "light", (1024, 680)),
    ("trail-drag", trail_drag, "dark", (1600, 1000)),
    ("trail-drag-light", trail_drag, "light", (1600, 1000)),
    ("trail-drag-small", trail_drag, "dark", (1024, 680)),
    ("root-path", root_path, "dark", (1600, 1000)),
    ("root-path-light", root_path, "light", (1440, 900)),
    ("root-path-small", root_path, "dark", (1024, 680)),
    ("history", history, "dark", (1600, 1000)),
    ("history-light", history, "light", (1440, 900)),
    ("history-small", history, "dark", (1024, 680)),
    ("history-drag", history_drag, "dark", (1600, 1000)),
    ("breakdown", breakdown, "dark", (1600, 1000)),
    ("breakdown-small-light", breakdown, "light", (1024, 680)),
    ("push-light", push, "light", (1440, 900)),
    ("mirror-editing", mirror_editing, "dark", (1600, 1000)),
    ("mirror-editing-light", mirror_editing, "light", (1600, 1000)),
    ("undo-flash", undo_flash, "dark", (1600, 1000)),
    ("error", error, "dark", (1440, 900)),
    ("front-light", front, "light", (1280, 720)),
    ("small", opening, "dark", (1024, 680)),
    ("small-drag-light", mid_drag, "light", (1024, 680)),
    ("skeleton", skeleton, "dark", (1600, 1000)),
    ("skeleton-light", skeleton, "light", (1440, 900)),
    ("skeleton-small", skeleton, "dark", (1024, 680)),
    ("joint-drag-light", joint_drag, "light", (1600, 1000)),
    ("built", built, "dark", (1600, 1000)),
    ("adding-joints", adding, "light", (1280, 800)),
    ("wrong-axis", wrong_axis, "dark", (1280, 800)),
    ("curves", curves, "dark", (1600, 1000)),
    ("curves-light", curves, "light", (1600, 1000)),
    ("curves-small", curves, "dark", (1024, 680)),
    ("curves-all-light", curves_all, "light", (1440, 900)),
    ("curves-tangents", curves_tangents, "dark", (1600, 1000)),
    ("curves-speed", curves_speed, "dark", (1440, 900)),
    ("curves-timing", curves_timing, "dark", (1600, 1000)),
    ("curves-root-speed", curves_root_speed, "dark", (1600, 1000)),
    ("curves-ease", curves_ease, "dark", (1600, 1000)),
    ("curves-tcb-light", curves_tcb, "light", (1600, 1000)),
    ("curves-nothing", curves_nothing, "dark", (1024, 680)),
    ("music", music, "dark", (1600, 1000)),
    ("music-light", music, "light", (1600, 1000)),
    ("music-small", music, "dark", (1024, 680)),
    ("key-what", key_what, "dark", (1440, 900)),
    ("key-what-light", key_what, "light", (1440, 900)),
    ("view-menu", view_menu, "dark", (1024, 680)),
    ("view-menu-light", view_menu, "light", (1024, 680)),
    ("markers", markers, "dark", (1280, 800)),
    ("markers-light", markers, "light", (1280, 800)),
    ("music-menu", music_menu, "dark", (1280, 800)),
    ("music-lost", music_lost, "light", (1280, 800)),
    ("music-close", music_close, "dark", (1280, 800)),
)


def settle_here(window: MainWindow, seconds: float) -> None:
    """Let the window work."""
    from PySide6.QtWidgets import QApplication

    application = QApplication.instance()
    assert isinstance(application, QApplication)
    settle(application, seconds)


def take(name: str, folder: Path) -> Path:
    """Save the picture of one state; return its file."""
    state, act, theme, size = next(row for row in STATES if row[0] == name)
    application = make_application(theme)
    window = make_window(theme, remember=False)
    window.setProperty("folder", str(folder))
    window.resize(*size)
    window.show()
    window.document.open(bundled_folder() / "library" / "Walks and runs" / "walk.seq")
    settle(application, 0.3)
    finish_thumbnails(application, window)
    act(window)
    settle(application, 0.5)
    finish_thumbnails(application, window)
    file = folder / f"{state}.png"
    picture, popup = window.grab(), application.activePopupWidget()
    if popup is not None:
        painter = QPainter(picture)
        painter.drawPixmap(window.mapFromGlobal(popup.pos()), popup.grab())
        painter.end()
        popup.close()
    picture.save(str(file))
    window.area.cancel()
    window.stop()
    window.close()
    return file


def main(words: list[str]) -> int:
    """Save all pictures, or those named after the folder."""
    folder = Path(words[0] if words else "pictures")
    folder.mkdir(parents=True, exist_ok=True)
    virtual_display.ensure(1600, 1000)
    compiled.use(compiled.COMPILED)
    for name, *_ in STATES:
        if len(words) < 2 or name in words[1:]:
            print(take(name, folder), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
