"""A script drags as the editor does: the same events through the window and ``core.posing`` give the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from app.document.document import Document
from app.tools.drag import EASE_PIXELS
from core.posing import DragSession, PartTurn, Sight, TurnPath
from core.posing.pointer_ray import eased
from tests.gui.viewport_support import shown_area, spot_on

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
PARTS = {
    "human": ("right hand", ("left foot", "right foot")),
    "horse": ("right fore hoof", ("right hind hoof", "left hind hoof")),
}
EVENTS = 25


def send(view, kind: QEvent.Type, at: QPointF) -> None:
    pressed = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else LEFT
    button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else LEFT
    QApplication.sendEvent(view, QMouseEvent(kind, at, QPointF(view.mapToGlobal(at)), button, pressed, NONE))


def pointer(at: QPointF, size: float) -> list[QPointF]:
    """Return places of the pointer: out of reach and part of the way back, ``size`` pixels to the far end."""
    turns = np.linspace(0.0, 1.6 * np.pi, EVENTS + 1)[1:]
    offsets = size * np.stack([np.sin(0.7 * turns), np.cos(turns) - 1.0], axis=1)
    return [at + QPointF(*np.rint(offset).tolist()) for offset in offsets]


class Script:
    """What a program does that has a camera and pointer events, and no window.

    Args:
        view: Gives rays and the size of a pixel, nothing else.
        at: Where the pointer is pressed, [px].
        session: The arguments of the session.
    """

    def __init__(self, view, at: QPointF, *session: object, **how: object):
        self.view, self.at = view, np.array([at.x(), at.y()])
        self.last, self.far = self.at, 0.0
        self.session = DragSession(*session, ray=view.ray(at.x(), at.y()), **how)  # type: ignore[arg-type]
        self.start = self.session.effector

    def move(self, to: QPointF) -> np.ndarray:
        now, camera = np.array([to.x(), to.y()]), self.view.camera
        size = min(self.view.pixel_size(place) for place in (self.start, self.session.effector))
        travel, self.last = float(np.linalg.norm(now - self.last)) * size, now
        self.far = max(self.far, float(np.hypot(*(now - self.at))))
        self.session.sight = Sight(camera.basis[2], camera.orthographic, self.view.pixel_size(self.start))
        return self.session.move_along(*self.view.ray(*now), travel, eased(self.far / EASE_PIXELS))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("solver", ["ccd", "damped_least_squares"])
@pytest.mark.parametrize("locked", [False, True])
@pytest.mark.parametrize(("figure", "kind"), [("human", "front"), ("human", "perspective"), ("horse", "side")])
def test_a_script_drags_as_the_window_does(qtbot, skeletons_folder, figure, kind, locked, solver):
    document = Document()
    assert document.files.load_figure(skeletons_folder / f"{figure}.scr")
    part, feet = PARTS[figure]
    document.session.solver.name = solver
    if locked:
        assert document.locks.lock_parts(feet, "pose")
        document.session.tools.drag_mode = "body"
    area = shown_area(qtbot, document)
    area.show_view(kind)
    view, joint = area.work_view, document.skeleton.joint_index(part)
    at = QPointF(spot_on(view, area, joint))
    locks = [strip.lock for strip in document.locks.strips]
    mode = "body" if locked else "limb"
    script = Script(view, at, document.skeleton, document.pose, part, None, mode, locks, solver)
    press = document.pose.copy()
    send(view, QEvent.Type.MouseButtonPress, at)
    reasons = set()
    for to in pointer(at, 260.0):
        send(view, QEvent.Type.MouseMove, to)
        assert script.move(to).tobytes() == document.pose.tobytes()
        reasons.add(script.session.hindrance.reason)
        assert document.session.drag.goal.hindrance.reason == script.session.hindrance.reason
    assert np.abs(document.pose - press).max() > 0.3 and len(reasons) > 1
    drag = area.host.toolbox.current._drag
    qtbot.waitUntil(lambda: not drag.session.behind, timeout=60_000)
    while script.session.behind:
        script.session.again()
    send(view, QEvent.Type.MouseButtonRelease, to)
    assert script.session.settle().tobytes() == document.pose.tobytes()
    assert script.session.cancel().tobytes() == press.tobytes()


@pytest.mark.parametrize("locked", [False, True])
def test_a_script_turns_a_part_as_the_window_does(qtbot, skeletons_folder, locked):
    document = Document()
    assert document.files.load_figure(skeletons_folder / "human.scr")
    document.session.tools.tool, document.session.tools.turn_mode, document.session.tools.drag_mode = (
        "rotate",
        "chain",
        "body",
    )
    if locked:
        assert document.locks.lock_parts(("left foot", "right foot"), "pose")
    area = shown_area(qtbot, document)
    area.show_view("front")
    document.selection.set(["right hand"])
    area.frame_selected()
    view, tool = area.work_view, area.host.toolbox.current
    turn = PartTurn(
        document.skeleton, document.pose, "right hand", "body", [strip.lock for strip in document.locks.strips],
        document.session.solver.name,
    )  # fmt: skip
    middle = QPointF(*view.project(turn.center[None])[0, :2])
    rings = tool.rings(view)
    index = next(k for k, ring in enumerate(rings) if abs(float(ring.axis @ view.camera.basis[2])) > 0.5)
    path = TurnPath(turn, rings[index].axis)
    radius = 74.0
    start = middle + QPointF(radius, 0.0)
    assert tool.takes(view, _pointer(start))
    send(view, QEvent.Type.MouseButtonPress, start)
    for k in range(1, 15):
        angle = 0.05 * k
        send(view, QEvent.Type.MouseMove, middle + radius * QPointF(np.cos(angle), -np.sin(angle)))
        assert turn.shown(path.at(tool._hold.angle)).tobytes() == document.pose.tobytes()
    assert abs(tool._hold.angle) > 0.5


def _pointer(at: QPointF):
    from app.scene.pointing import Pointer

    return Pointer(at.x(), at.y())
