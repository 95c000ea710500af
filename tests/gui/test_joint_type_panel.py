"""The type of a joint in the skeleton panel."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.main_window import MainWindow
from core.joints import SplineCurve, Universal


@pytest.fixture
def bench(window: MainWindow, skeletons_folder: Path) -> MainWindow:
    window.document.open(skeletons_folder / "joints.scr")
    window.skeleton.set_mode("skeleton")
    return window


def joint(window: MainWindow, name: str):
    skeleton = window.document.skeleton
    return skeleton.joints[skeleton.joint_index(name)]


def test_types_are_shown_and_chosen(bench: MainWindow) -> None:
    document, dofs = bench.document, bench.skeleton.panel.form.dofs
    document.set_selection(["revolute"])
    assert dofs.type.currentText() == "Revolute" and not dofs.frames.isVisibleTo(dofs)
    steps = document.stack.count()
    dofs.type.picked.emit("universal")
    assert joint(bench, "revolute").type == Universal() and len(dofs.rows) == 2
    assert document.stack.count() == steps + 1 and dofs.type.currentText() == "Universal"
    dofs.type.picked.emit("hinges and slides")
    assert joint(bench, "revolute").type is None and len(joint(bench, "revolute").dofs) == 2
    document.undo()
    document.undo()
    assert dofs.type.currentText() == "Revolute"
    dofs.rows[0].edited.emit(0, "axis", (0.0, 0.0, 1.0))  # another axis is another type of its own
    assert dofs.type.currentText() == "Hinges and slides"
    document.undo()


def test_splines_are_shown_with_their_frames_and_kept(bench: MainWindow) -> None:
    document, dofs = bench.document, bench.skeleton.panel.form.dofs
    document.set_selection(["wire"])
    assert dofs.type.currentText() == "Spline curve, open" and "7 control frames" in dofs.frames.text()
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
    dofs.type.picked.emit("spherical")
    assert len(joint(bench, "wire").dofs) == 3
    document.undo()
    assert isinstance(joint(bench, "wire").type, SplineCurve) and joint(bench, "wire").controls is not None
    document.set_selection(["dune"])
    assert "5 × 5 control frames" in dofs.frames.text()
