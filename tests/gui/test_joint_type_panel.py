"""The type of a joint in the skeleton panel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.window.main_window import MainWindow
from core.joints import Free, Spherical, SplineCurve, SplineSurface, Universal
from core.skeleton import read_scr, write_scr


@pytest.fixture
def bench(window: MainWindow, skeletons_folder: Path) -> MainWindow:
    window.document.files.open(skeletons_folder / "joints.scr")
    window.skeleton.set_mode("skeleton")
    return window


def joint(window: MainWindow, name: str):
    skeleton = window.document.skeleton
    return skeleton.joints[skeleton.joint_index(name)]


def test_types_are_shown_and_chosen(bench: MainWindow) -> None:
    document, form = bench.document, bench.skeleton.panel.form
    kind, dofs = form.type, form.dofs
    document.selection.set(["revolute"])
    assert kind.type.currentText() == "Revolute" and not kind.frame.isVisibleTo(kind)
    steps = document.stack.count()
    kind.type.picked.emit("universal")
    assert joint(bench, "revolute").type == Universal() and len(dofs.rows) == 2
    assert document.stack.count() == steps + 1 and kind.type.currentText() == "Universal"
    kind.type.picked.emit("hinges and slides")
    assert joint(bench, "revolute").type is None and len(joint(bench, "revolute").dofs) == 2
    document.history.undo()
    document.history.undo()
    assert kind.type.currentText() == "Revolute"
    dofs.rows[0].edited.emit(0, "axis", (0.0, 0.0, 1.0))  # another axis is another type of its own
    assert kind.type.currentText() == "Hinges and slides"
    document.history.undo()


@pytest.mark.verify
def test_splines_are_shown_with_their_frames_and_kept(bench: MainWindow) -> None:
    document, form = bench.document, bench.skeleton.panel.form
    kind, dofs = form.type, form.dofs
    document.selection.set(["wire"])
    assert kind.type.currentText() == "Spline curve" and kind.ends.chosen is False and kind.basis.chosen == "b-spline"
    assert kind.frame.isVisibleTo(kind) and kind.frame.shown_text() == "1 of 7"
    assert not dofs.add_hinge.isEnabled() and not dofs.rows[0].kind.isEnabled() and dofs.rows[0].axis.isHidden()
    model = joint(bench, "wire").type
    dofs._limit(0, 0.5, 2.0)
    dofs._edits.begin("Set limits")
    dofs._limit(0, 0.5, 2.0)
    dofs._ended()
    found = joint(bench, "wire")
    assert (found.dofs[0].lo, found.dofs[0].hi) == (0.5, 2.0) and found.type == model
    dofs.rows[0].edited.emit(0, "label", "Bead")
    assert joint(bench, "wire").type == model and joint(bench, "wire").dof_labels == ("Bead",)
    dofs._edits.begin("Set limits")
    dofs._limit(0, 0.5, 9.0)
    dofs._ended()
    assert joint(bench, "wire").dofs[0].hi == 2.0  # the wire ends at 4
    kind.type.picked.emit("spherical")
    assert len(joint(bench, "wire").dofs) == 3
    document.history.undo()
    assert isinstance(joint(bench, "wire").type, SplineCurve) and joint(bench, "wire").controls is not None
    document.selection.set(["dune"])
    assert kind.frame.shown_text() == "1 of 25" and not kind.ends_row.isVisibleTo(kind)


def dofs_of(window: MainWindow, name: str) -> list[tuple]:
    found = joint(window, name)
    return [
        (dof.kind, "xyz"[int(np.argmax(dof.axis))], round(float(dof.lo), 4), round(float(dof.hi), 4), label)
        for dof, label in zip(found.dofs, found.dof_labels, strict=True)
    ]


@pytest.mark.verify
def test_what_stays_the_same_degree_of_freedom_keeps_limits_and_label(bench: MainWindow) -> None:
    document, kind = bench.document, bench.skeleton.panel.form.type
    before = document.skeleton
    inf, stick = float("inf"), round(np.radians(35.0), 4)
    sticks = [("hinge", "x", -stick, stick, "Stick to you"), ("hinge", "y", -stick, stick, "Stick right")]
    bare = ("hinge", "z", -inf, inf, "")
    document.selection.set(["universal"])
    kind.type.picked.emit("free")
    assert joint(bench, "universal").type == Free()
    assert dofs_of(bench, "universal") == [*(("slide", axis, -inf, inf, "") for axis in "xyz"), *sticks, bare]
    kind.type.picked.emit("spherical")
    assert joint(bench, "universal").type == Spherical() and dofs_of(bench, "universal") == [*sticks, bare]
    kind.type.picked.emit("revolute")  # about x
    assert dofs_of(bench, "universal") == sticks[:1]
    document.selection.set(["composite"])
    crane = dofs_of(bench, "composite")
    kind.type.picked.emit("free")
    assert dofs_of(bench, "composite")[1] == crane[1] and dofs_of(bench, "composite")[3:5] == [crane[2], crane[0]]
    for _ in range(4):
        document.history.undo()
    assert document.skeleton is before


@pytest.mark.verify
def test_splines_are_made_by_choice_as_large_as_the_part(bench: MainWindow, qtbot) -> None:
    document, kind = bench.document, bench.skeleton.panel.form.type
    document.selection.set(["revolute"])
    said = []
    document.message.connect(lambda *line: said.append(line[:2]))
    poses = [document.pose.copy() for _ in range(2)]
    turntable = 3 + document.skeleton.dof_names.index("revolute.y")
    poses[1][turntable] = 1.0
    for frame, pose in enumerate(poses):
        document.set_frame(frame)
        document.posing.set(pose)
        document.keys.set()
    kind.type.picked.emit("spline curve")
    assert said[-1][0] == "info" and "1 key lost its values of Turntable" in said[-1][1], said
    made = joint(bench, "revolute")
    assert (
        kind.type.currentText() == "Spline curve" and kind.ends.chosen is True and kind.frame.shown_text() == "1 of 8"
    )
    assert np.abs(made.type.transform([0.0]) - np.eye(4)).max() < 1e-6  # the part stays where it is
    assert np.ptp(made.type.frames[:, 0, 3]) == pytest.approx(2.0 * np.ptp(made.type.frames[:, 2, 3]) / 2.0, rel=1e-6)
    assert not made.type.frames[:, 1, 3].any() and made.dof_labels == ("",)
    assert all(len(line) < 60 for line in write_scr(document.skeleton).splitlines() if "frame" in line)
    kind.type.picked.emit("spline surface")
    made = joint(bench, "revolute")
    assert isinstance(made.type, SplineSurface) and kind.frame.shown_text() == "1 of 16"
    assert np.abs(made.type.transform([0.5, 0.5]) - np.eye(4)).max() < 1e-5
    assert np.abs(made.type.transform([0.0, 1.0])[:3, 3]).max() == pytest.approx(0.1085, abs=1e-3)
    again = read_scr(write_scr(document.skeleton))
    assert isinstance(again.joints[again.joint_index("revolute")].type, SplineSurface)
    document.history.undo()
    document.history.undo()
    assert kind.type.currentText() == "Revolute" and document.sequence.keys[1].q[turntable] == 1.0
