"""Control frames of splines: as rows of numbers, more and fewer of them, and in other bases."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.errors import JointError
from core.joints import Composite, Revolute, SplineCurve, SplineSurface
from core.skeleton import SkeletonBuilder, load_skeleton, read_scr, write_scr
from core.skeleton.control_frames import (
    controls_of,
    curve_from_controls,
    spline_parts,
    surface_from_controls,
    with_basis,
    with_closed,
    with_controls,
    with_frame_after,
    without_frame,
)

RING = np.array(
    [[np.cos(t), 0.1 * np.sin(2.0 * t), np.sin(t), 10.0 * np.sin(t), -np.degrees(t), 0.0] for t in np.arange(8) * 0.785]
).round(4)
WIRE = np.array([[0.1 * k, 0.02 * k * k, 0.03 * (-1) ** k, 5.0 * k, 0.0, 12.0 * (-1) ** k] for k in range(7)])
PATCH = np.array(
    [[0.1 * i, 0.05 * i * j, 0.1 * j, 3.0 * j, -4.0 * i, 2.5 * (i - j)] for i in range(4) for j in range(5)]
)
BASES = ("b-spline", "catmull-rom", "bezier")


def test_rows_come_back_as_they_were_given() -> None:
    for model, rows in (
        (curve_from_controls(WIRE, False, "bezier"), WIRE),
        (surface_from_controls(PATCH, 4, 5), PATCH),
    ):
        assert controls_of(model) == pytest.approx(rows, abs=1e-12)
        assert with_controls(model, rows) == model
        assert with_controls(model, rows[1:]) is None
    ring = curve_from_controls(RING, True)  # turned past a right angle: other angles of the same frames
    assert with_controls(ring, controls_of(ring)).frames == pytest.approx(ring.frames, abs=1e-12)
    assert (controls_of(surface_from_controls(PATCH, 4, 5)) == PATCH).all()  # as short as they were
    assert controls_of(Revolute((1.0, 0.0, 0.0))).shape == (0, 6) and with_controls(None, RING) is None


def test_splines_of_a_composite_joint_stand_behind_the_parts_before_them() -> None:
    turn, wire, patch = Revolute((0.0, 1.0, 0.0)), curve_from_controls(WIRE, False), surface_from_controls(PATCH, 4, 5)
    model = Composite(turn, wire, patch)
    first, second = spline_parts(model)
    assert (first.coordinate, first.rows, second.coordinate, second.rows) == (1, range(7), 2, range(7, 27))
    q = np.array([0.4, 1.5, 0.3, 0.7])
    assert first.frame(q) == pytest.approx(turn.transform(q[:1]))
    assert second.frame(q) @ patch.transform(q[2:]) == pytest.approx(model.transform(q))
    rows = np.vstack([WIRE, PATCH])
    rows[3, 1] += 0.05
    rows[10, 2] -= 0.02
    made = with_controls(model, rows)
    assert made.joints[0] is turn and controls_of(made) == pytest.approx(rows, abs=1e-12)


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("basis", BASES)
def test_frames_are_added_and_removed(basis: str, closed: bool) -> None:
    rows = np.vstack([RING, RING[:1] + np.array([0.1, 0.2, 0.0, 0.0, 0.0, 0.0])])[: 9 if closed else 7]
    model = curve_from_controls(rows, closed, basis)
    each = 3 if basis == "bezier" else 1
    for number in range(len(model.frames)):
        more = with_frame_after(model, number)
        assert len(more.frames) == len(model.frames) + each and more.segments == model.segments + 1
        fewer = without_frame(model, number)
        assert len(fewer.frames) == len(model.frames) - each and (fewer.closed, fewer.basis) == (closed, basis)
    with pytest.raises(JointError, match="no frame"):
        with_frame_after(model, len(model.frames))
    with pytest.raises(JointError, match="no frame"):
        without_frame(model, -1)
    few = curve_from_controls(rows[: {True: 3, False: 4}[closed]], closed, basis)
    with pytest.raises(JointError, match="control frames"):
        without_frame(few, 1)


def test_a_frame_added_to_a_bezier_curve_leaves_its_path() -> None:
    flat = WIRE * [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    model = curve_from_controls(flat, False, "bezier")
    more = with_frame_after(model, 1)
    for share in np.linspace(0.0, 1.0, 9):
        assert more.transform([2.0 * share]) == pytest.approx(model.transform([share]), abs=1e-12)
        assert more.transform([2.0 + share]) == pytest.approx(model.transform([1.0 + share]), abs=1e-12)


@pytest.mark.parametrize("basis", BASES[:2])
@pytest.mark.parametrize("closed", [True, False])
def test_a_bezier_curve_goes_the_way_of_the_one_it_was_made_of(basis: str, closed: bool) -> None:
    model = curve_from_controls(RING if closed else WIRE, closed, basis)
    made = with_basis(model, "bezier")
    assert isinstance(made, SplineCurve) and made.segments == model.segments and made.closed == closed
    for k in range(model.segments + (not closed)):
        assert made.transform([k]) == pytest.approx(model.transform([k]), abs=1e-12)
        assert made.subspace([k]) == pytest.approx(model.subspace([k]), abs=1e-9)
    flat = curve_from_controls((RING if closed else WIRE) * [1.0, 1.0, 1.0, 0.0, 0.0, 0.0], closed, basis)
    made = with_basis(flat, "bezier")
    for place in np.linspace(0.0, flat.segments, 41):
        assert made.transform([place]) == pytest.approx(flat.transform([place]), abs=1e-12)


@pytest.mark.parametrize("basis", BASES[:2])
def test_a_bezier_surface_is_the_one_it_was_made_of(basis: str) -> None:
    model = surface_from_controls(PATCH, 4, 5, basis)
    made = with_basis(model, "bezier")
    assert isinstance(made, SplineSurface) and made.segments == model.segments
    for place in np.random.default_rng(3).uniform(0.0, 1.0, (20, 2)) * model.segments:
        assert made.transform(place) == pytest.approx(model.transform(place), abs=1e-12)
        assert made.subspace(place) == pytest.approx(model.subspace(place), abs=1e-11)


def test_curves_are_closed_and_opened() -> None:
    model = curve_from_controls(RING, True)
    opened = with_closed(model, False)
    assert opened.segments == 5 and with_closed(opened, True).frames == pytest.approx(model.frames, abs=1e-15)
    bezier = with_basis(model, "bezier")
    opened = with_closed(bezier, False)
    assert opened.segments == 8 and opened.transform([3.3]) == pytest.approx(bezier.transform([3.3]), abs=1e-12)
    assert with_closed(opened, True).frames == pytest.approx(bezier.frames, abs=1e-15)


def test_limits_follow_the_end_of_the_spline(skeletons_folder: Path) -> None:
    skeleton = load_skeleton(skeletons_folder / "joints.scr")
    builder = SkeletonBuilder(skeleton)
    model = builder.joint("wire").type
    builder.set("wire", type=with_frame_after(model, 2))
    assert builder.joint("wire").dofs[0][2:] == (0.0, 5.0) and builder.joint("wire").dof_labels == ("Along the wire",)
    builder.set_limits("wire", 0, 1.0, 2.5)
    builder.set("wire", type=model)
    assert builder.joint("wire").dofs[0][2:] == (1.0, 2.5)


def test_files_keep_the_frames_of_surfaces_as_they_were_written(skeletons_folder: Path) -> None:
    skeleton = load_skeleton(skeletons_folder / "joints.scr")
    dune = skeleton.joints[skeleton.joint_index("dune")]
    assert dune.controls is not None and dune.controls[0].tolist() == [-0.21, 0.0894, 0.22, -7.5048, 0.0, 0.9045]
    text = write_scr(skeleton)
    again = read_scr(text)
    assert write_scr(again) == text and again.joints[again.joint_index("dune")].type == dune.type
