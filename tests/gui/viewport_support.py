"""What the tests of views and tools share: a renderer that draws nothing, and a window part with a posed figure."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from app.document.document import Document
from app.scene.pointing import view_point
from app.tools.picking import pick_near
from app.views.area import ViewportArea
from app.views.view import View
from core.skeleton import Skeleton
from core.skeleton.segment import end_effector

SIZE = (1160, 564)


class Blank:
    """A renderer that draws grey and counts its pictures."""

    def __init__(self) -> None:
        self.figure: Skeleton | None = None
        self.pictures: list[object] = []

    def set_figure(self, skeleton: Skeleton | None) -> None:
        self.figure = skeleton

    def render(self, camera, picture, width, height, theme, samples=0, *, bgra=False):  # type: ignore[no-untyped-def]
        self.pictures.append(picture)
        return np.full((height, width, 4), 90, dtype=np.uint8)


def human_document(skeletons_folder) -> Document:  # type: ignore[no-untyped-def]
    """Return a document with the human figure, its arms and legs bent so that every joint can give way."""
    document = Document()
    assert document.files.load_figure(skeletons_folder / "human.scr")
    skeleton = document.skeleton
    q = skeleton.rest_pose()
    generator = np.random.default_rng(3)
    span = np.clip(skeleton.limits, -np.pi, np.pi)
    for k, name in enumerate(skeleton.dof_names):
        if any(word in name for word in ("arm", "hand", "leg", "thigh", "shin", "elbow", "knee")):
            q[3 + k] = np.clip(q[3 + k] + 0.25 * generator.uniform(*span[k]), *span[k])
    document.posing.set(q)
    return document


def shown_area(
    qtbot: QtBot, document: Document, renderer: object | None = None, controls: bool = False
) -> ViewportArea:
    """Return a visible area whose cameras jump, so that a test need not wait for them.

    Without ``controls`` the control points are off: they would be taken where a test means the part under them.
    """
    document.session.view.overlays["control_points"] = controls
    area = ViewportArea(document, renderer=renderer or Blank(), software=True)
    area.set_reduced_motion(True)
    area.resize(*SIZE)
    qtbot.addWidget(area)
    with qtbot.waitExposed(area):
        area.show()
    area.settle()
    area.frame_all()
    return area


def effector(area: ViewportArea, joint: int) -> np.ndarray:
    """Return a part's end-effector in the world, shape (3,), [m]."""
    return area.host.scene.world(joint, end_effector(area.document.skeleton, joint))


def spot_on(view: View, area: ViewportArea, joint: int) -> QPoint:
    """Return the pixel nearest to a part's end-effector at which the part can be picked in this view."""
    middle = view_point(view, effector(area, joint))
    for radius in range(0, 40):
        for turn in range(max(1, 6 * radius)):
            angle = 2.0 * np.pi * turn / max(1, 6 * radius)
            x, y = round(middle.x() + radius * np.cos(angle)), round(middle.y() + radius * np.sin(angle))
            hit = pick_near(area.host.scene, view, x, y)
            if hit is not None and hit.joint == joint and view.rect().contains(x, y):
                return QPoint(x, y)
    raise AssertionError(f"{area.document.skeleton.joints[joint].name} cannot be seen in the {view.kind} view")
