"""Control points: at rest over a figure, one under the pointer with feet held, in both themes and a small window."""

from __future__ import annotations

import numpy as np

from app.scene.pointing import Pointer
from app.window.main_window import MainWindow
from core.skeleton.control_points import control_points
from tests.pictures.driving import State, settle_here


def points(window: MainWindow) -> None:
    """The walk with a held foot, the pointer over an elbow, nothing else over the figure."""
    document = window.document
    for name in ("ghosts", "trail"):
        document.session.view.overlays[name] = False
    document.set_frame(10)
    found = {point.name: point for point in control_points(document.skeleton)}
    foot = found["left foot"]
    document.locks.toggle_hold(foot.joint, foot.point, "pose", foot.name)
    document.selection.set((found["right hand"].joint,))
    window.area.frame_all()
    settle_here(window, 0.5)
    window.area.turn(60.0, 0.0)
    settle_here(window, 0.5)
    view, elbow = window.area.work_view, found["right elbow"]
    x, y, _ = view.project(np.asarray(window.area.host.scene.world(elbow.joint, elbow.point))[None])[0]
    view.hovering.cursor = view.rect().center().toPointF()
    view.hovering.cursor.setX(float(x))
    view.hovering.cursor.setY(float(y))
    window.area.host.toolbox.hover(view, Pointer(float(x), float(y)))
    view.refresh_status()


STATES: tuple[State, ...] = (
    ("control-points-dark", points, "dark", (1600, 1000)),
    ("control-points-light", points, "light", (1024, 680)),
)
