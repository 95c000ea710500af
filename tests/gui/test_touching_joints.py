"""Joints that touch, in the window: chosen and edited in the skeleton panel, drawn where selected, dragged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter

from app.marks import touching
from app.window.main_window import MainWindow
from core.joints import CurveOnCurve, FourBar, PointOnSurface, Scapula, SurfaceOnSurface
from core.joints.geometry import Link, Sphere, Torus
from core.kinematics import forward_kinematics
from core.skeleton import read_scr, write_scr


@pytest.fixture
def chain(window: MainWindow, skeletons_folder: Path) -> MainWindow:
    assert window.document.files.open(skeletons_folder / "scenes" / "torus chain.seq")
    return window


def joint(window: MainWindow, name: str):
    skeleton = window.document.skeleton
    return skeleton.joints[skeleton.joint_index(name)]


@pytest.mark.verify
def test_types_that_touch_are_chosen_and_their_parameters_edited(window: MainWindow, skeletons_folder: Path) -> None:
    window.document.files.open(skeletons_folder / "joints.scr")
    window.skeleton.set_mode("skeleton")
    document, kind = window.document, window.skeleton.panel.form.type
    document.selection.set(["revolute"])
    for name, model, count in (
        ("curve on curve", CurveOnCurve, 5), ("four bar", FourBar, 1), ("scapula", Scapula, 4),
        ("point on surface", PointOnSurface, 3), ("surface on surface", SurfaceOnSurface, 4),
    ):  # fmt: skip
        kind.type.picked.emit(name)
        found = joint(window, "revolute")
        assert isinstance(found.type, model) and len(found.dofs) == count
        assert write_scr(read_scr(write_scr(document.skeleton))) == write_scr(document.skeleton)
    fields = {field.accessibleName(): field for field in kind.fields}
    both = [f"{side}{what}" for side in ("First", "Second") for what in ("", " ring", " tube")]
    assert set(fields) == {*both, "Hold", "Turned"}
    steps = document.stack.count()
    fields["First"].picked.emit("sphere")
    assert isinstance(joint(window, "revolute").type.first, Sphere) and document.stack.count() == steps + 1
    fields = {field.accessibleName(): field for field in kind.fields}
    fields["Hold"].picked.emit("spin")
    assert joint(window, "revolute").type.hold == "spin" and len(joint(window, "revolute").dofs) == 5
    fields = {field.accessibleName(): field for field in kind.fields}
    fields["First poles"].picked.emit("y")
    assert joint(window, "revolute").type.first.poles == "y"
    document.history.undo()
    assert joint(window, "revolute").type.first.poles == "z"
    document.history.undo()
    document.history.undo()
    assert isinstance(joint(window, "revolute").type.first, Torus) and len(joint(window, "revolute").dofs) == 4


def test_what_parts_touch_on_is_where_they_are(chain: MainWindow) -> None:
    document = chain.document
    s, q = document.skeleton, document.pose
    X = forward_kinematics(s, q)
    index = s.joint_index("link 3")
    own = slice(s.first_dof[index], s.first_dof[index + 1])
    base = touching.base_frame(s, X, index)
    first, second = touching.sheets(s.joints[index].curved, q[3:][own], np.asarray(s.limits[own]), base)
    assert isinstance(first.shape, Link) and not first.first and second.first == 2
    assert second.frame == pytest.approx(X[index], abs=1e-12)
    points = [each.frame @ each.shape.frames(each.at) for each in (first, second)]
    assert points[0][:3, 3] == pytest.approx(points[1][:3, 3], abs=1e-12)
    line = touching.through(first, 0)
    assert np.abs(line[:, :3, 3] - first.shape.places(first.at)).sum(axis=1).min() < 1e-9


@pytest.mark.verify
def test_they_are_drawn_where_selected(chain: MainWindow, qtbot) -> None:
    view, scene = chain.area.work_view, chain.area.host.scene

    def painted() -> int:
        picture = QImage(view.width(), view.height(), QImage.Format.Format_ARGB32)
        picture.fill(0)
        painter = QPainter(picture)
        touching.draw(painter, view, scene)
        painter.end()
        return int(np.count_nonzero(np.frombuffer(picture.constBits(), np.uint32)))

    chain.document.selection.set([])
    assert painted() == 0
    chain.document.selection.set(["link 3"])
    one = painted()
    chain.document.selection.set(["link 3", "link 5"])
    assert painted() > one > 500
