"""The motion in the views: ghosts, trails, the path of the root."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest

from app.window.main_window import MainWindow
from core.formats import bundled_folder
from tests.pictures.driving import LEFT, State, settle_here
from tests.pictures.locks import lock_strips


def ghosts_many(window: MainWindow) -> None:
    """Ghosts at many keys, the pointer over one of them."""
    session, view = window.document.session, window.area.work_view
    session.view.ghosts_before, session.view.ghosts_after, session.view.ghost_fade = 4, 4, 0.75
    window.document.set_frame(16)
    settle_here(window, 0.3)
    ghosts = window.area.host.scene.ghosts
    from app.scene.pointing import view_point

    ghost = next(each for each in ghosts if each.frame == 28)
    head = window.document.skeleton.joint_index("head")  # type: ignore[union-attr]
    QTest.mouseMove(view, view_point(view, ghost.poses[head, :3, 3]).toPoint())


def ghosts_limb(window: MainWindow) -> None:
    """Ghosts of a leg at every third frame, and their settings."""
    session = window.document.session
    session.view.ghosts_before, session.view.ghosts_after, session.view.ghost_fade = 5, 5, 0.8
    session.view.ghosts_at, session.view.ghost_step, session.view.ghost_parts = "frames", 3, "limb"
    window.document.selection.set(["right foot"])
    window.document.set_frame(16)
    settle_here(window, 0.3)
    window.action_table["motion_settings"].trigger()


def trail_drag(window: MainWindow, part: str = "right hand") -> None:
    """A bead of a hand's trail on its way, button down; the trail of a foot is kept."""
    window.document.session.view.trail_parts = [window.document.skeleton.joint_index("left foot")]  # type: ignore[union-attr]
    window.document.selection.set([part])
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
    from app.scene.trails import ROOT_PATH, Bead

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
        document.posing.set(q)
    lock_strips(window)
    overlays = document.session.view.overlays
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


def ghosts_bare(window: MainWindow) -> None:
    """Ghosts of a figure without shapes, whose labels would lie over it."""
    from core.skeleton import Joint, Skeleton

    joints = [Joint("root", -1)]
    for name, parent, offset in (
        ("spine", 0, (0.0, 0.5, 0.0)), ("head", 1, (0.0, 0.5, 0.0)), ("left arm", 1, (0.35, 0.2, 0.0)),
        ("left hand", 3, (0.3, 0.0, 0.0)), ("right arm", 1, (-0.35, 0.2, 0.0)), ("right hand", 5, (-0.3, 0.0, 0.0)),
    ):  # fmt: skip
        joints.append(Joint(name, parent, offset=np.array(offset)))
    document = window.document
    document.files.new(Skeleton("bare", joints))
    q = document.skeleton.rest_pose()  # type: ignore[union-attr]
    for frame in range(0, 41, 10):
        document.set_frame(frame)
        document.posing.set(q + np.concatenate(((0.01 * frame, -0.004 * frame, 0.0), np.zeros(len(q) - 3))))
        document.keys.set()
    document.set_frame(20)
    document.session.view.overlays["ghosts"] = True
    document.session.view.ghosts_before = document.session.view.ghosts_after = 2
    window.area.frame_all()


def ghosts_bow(window: MainWindow) -> None:
    """Ghosts lower than the figure: their labels keep off it."""
    window.document.files.open(bundled_folder() / "library" / "Gestures" / "bow.seq")
    window.document.set_frame(20)
    window.document.session.view.ghosts_after = 3
    settle_here(window, 0.3)


STATES: tuple[State, ...] = (
    ("ghosts-bare", ghosts_bare, "dark", (1600, 1000)),
    ("ghosts-bare-light", ghosts_bare, "light", (1600, 1000)),
    ("ghosts-bow", ghosts_bow, "dark", (1600, 1000)),
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
)
