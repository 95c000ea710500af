"""Joints as kernels call them: what they write is what the classes return, compiled or not, and its own derivative."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy

from core.errors import JointError, KernelError
from core.joints import (
    Composite,
    JointModel,
    Mirrored,
    Reversed,
    Revolute,
    Screw,
    Spherical,
    SplineCurve,
    SplineSurface,
    Universal,
    inverse_of,
)
from core.joints.evaluated import evaluated
from core.joints.position_expressions import expressions_of
from core.kernels import functions, uncompiled
from core.kernels.functions import function_at, raise_kept
from core.spatial import se3
from core.symbolic import Evaluator, symbol
from tests.support.joint_examples import bowl, difference, name, ring, wild_frames, wild_values
from tests.support.written_joints import Slope, WrittenTorus

JOINTS = [
    Screw((1, -2, 3), 0.7),
    SplineCurve(ring()),
    SplineCurve(wild_frames(6), closed=False),
    SplineCurve(wild_frames(6), basis="catmull-rom"),
    SplineCurve(wild_frames(7), closed=False, basis="bezier"),
    SplineCurve(wild_frames(9), basis="bezier"),
    SplineSurface(bowl()),
    SplineSurface(wild_values(5, 6), "catmull-rom"),
    SplineSurface(wild_values(7, 4), "bezier"),
    Mirrored(SplineSurface(wild_values(5, 4))),
    Mirrored(Universal()),
    Reversed(SplineSurface(wild_values(5, 4))),
    Reversed(Mirrored(Composite(Universal(), Screw()))),
    inverse_of(Composite(Revolute((1, 2, 3)), SplineCurve(wild_frames(6)), Universal()))[0],
    Composite(Revolute((1, 2, 3)), SplineCurve(wild_frames(6)), Universal()),
    Composite(SplineSurface(wild_values(5, 4)), Screw(), Spherical()),
    Composite(Screw(), Mirrored(Composite(Universal(), Screw((1, 0, 0), -0.3)))),
    WrittenTorus(0.6, 0.2),
    Slope(),
    Mirrored(WrittenTorus(0.6, 0.2)),
    Composite(Slope(), WrittenTorus(0.5, 0.1), Screw()),
    Composite(Slope(), Mirrored(Universal()), Revolute((1, 2, 3))),
    Reversed(WrittenTorus(0.6, 0.2)),
    inverse_of(Composite(Slope(), Mirrored(WrittenTorus(0.5, 0.1)), Universal()))[0],
]
GENERATED = JOINTS[-7:]
every_joint = pytest.mark.parametrize("joint", JOINTS, ids=name)


def written(joint: JointModel, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Q, S and dS/dq as kernels are given them, shapes (4, 4), (6, n) and (6, n, n)."""
    n = joint.n
    slot, constants = evaluated(joint)
    out = np.full(12 + 6 * n + 6 * n * n, np.nan)
    functions.call(function_at(slot), q, constants, out, 2)
    raise_kept()
    Q = np.eye(4)
    Q[:3] = out[:12].reshape(3, 4)
    return Q, out[12 : 12 + 6 * n].reshape(n, 6).T, out[12 + 6 * n :].reshape(n, n, 6).transpose(2, 0, 1)


def places(joint: JointModel) -> np.ndarray:
    """Return coordinates off the knots of splines, in their spans."""
    return 0.1 + 0.8 * np.random.default_rng(joint.n).uniform(size=(6, joint.n))


@every_joint
def test_it_is_what_the_class_returns(joint: JointModel) -> None:
    for q in places(joint):
        Q, S, dS = written(joint, q)
        assert Q == pytest.approx(joint.transform(q), abs=1e-13)
        assert S == pytest.approx(joint.subspace(q), abs=1e-12)
        assert dS == pytest.approx(joint.subspace_gradient(q), abs=1e-11)


@every_joint
def test_expressions_say_the_same(joint: JointModel) -> None:
    _, constants = evaluated(joint)
    symbols = [symbol(f"q{k}") for k in range(joint.n)], [symbol(f"c{k}") for k in range(len(constants))]
    said = expressions_of(joint, *symbols)
    smooth = not any(isinstance(part, SplineCurve | SplineSurface | Spherical) for part in all_parts(joint))
    assert (said is not None) == (smooth and not any(isinstance(part, Screw) for part in all_parts(joint)))
    if said is None:
        return
    for q in places(joint):
        values = Evaluator(said, [*symbols[0], *symbols[1]]).floats([*q, *constants])
        Q = joint.transform(q)
        assert values == pytest.approx([*Q[:3, :3].ravel(), *Q[:3, 3]], abs=1e-14)


def all_parts(joint: JointModel) -> list[JointModel]:
    inner = (joint.joint,) if isinstance(joint, Mirrored | Reversed) else ()
    inner = joint.joints if isinstance(joint, Composite) else inner
    return [joint, *(part for each in inner for part in all_parts(each))]


@every_joint
def test_it_is_its_own_derivative(joint: JointModel) -> None:
    for q in places(joint):
        Q, S, dS = written(joint, q)
        back = se3.inverse(Q)
        for k, unit in enumerate(np.eye(joint.n)):
            found = difference(lambda h, q=q, u=unit: written(joint, q + h * u)[0])
            assert S[:, k] == pytest.approx(se3.unhat(back @ found), abs=1e-9)
            assert dS[:, :, k] == pytest.approx(
                difference(lambda h, q=q, u=unit: written(joint, q + h * u)[1]), abs=1e-8
            )


@every_joint
def test_compiled_and_uncompiled_write_the_same_bits(joint: JointModel) -> None:
    for q in places(joint):
        slot, constants = evaluated(joint)
        one, other = np.zeros((2, 12 + 6 * joint.n + 6 * joint.n**2))
        functions.call(function_at(slot), q, constants, one, 2)
        with uncompiled():
            function_at(slot)(q, constants, other, 2)
        if joint in GENERATED:  # with sines of its own, and a product and a sum rounded once
            assert one == pytest.approx(other, abs=1e-15, rel=1e-14)
        else:
            assert np.array_equal(one, other)


@every_joint
def test_an_order_writes_no_more_than_it_is_asked_for(joint: JointModel) -> None:
    slot, constants = evaluated(joint)
    n, q = joint.n, places(joint)[0]
    for order, end in ((0, 12), (1, 12 + 6 * n)):
        out = np.full(12 + 6 * n + 6 * n * n, 7.0)
        functions.call(function_at(slot), q, constants, out, order)
        assert (out[end:] == 7.0).all() and (out[:end] == written_flat(joint, q)[:end]).all()


def written_flat(joint: JointModel, q: np.ndarray) -> np.ndarray:
    slot, constants = evaluated(joint)
    out = np.zeros(12 + 6 * joint.n + 6 * joint.n**2)
    functions.call(function_at(slot), q, constants, out, 2)
    return out


def test_what_is_no_number_has_no_place() -> None:
    for joint in JOINTS[1:9]:
        for value in (np.nan, np.inf, -np.inf):
            q = np.full(joint.n, 0.5)
            q[-1] = value
            assert np.isnan(written(joint, q)[0][:3]).all()


def test_reflections_move_as_in_a_mirror() -> None:
    M = np.diag([-1.0, 1.0, 1.0, 1.0])
    for joint in JOINTS:
        other = joint.reflected() or Mirrored(joint)
        for q in places(joint):
            assert written(other, q)[0] == pytest.approx(M @ joint.transform(q) @ M, abs=1e-12)


def test_a_catmull_rom_curve_goes_through_its_frames() -> None:
    frames = wild_frames(7)
    open_curve, closed = (SplineCurve(frames, closed, "catmull-rom") for closed in (False, True))
    assert (open_curve.segments, closed.segments) == (4, 7)
    for k in range(5):
        assert open_curve.transform([float(k)]) == pytest.approx(open_curve.frames[k + 1], abs=1e-12)
    for k in range(7):
        assert closed.transform([float(k)]) == pytest.approx(closed.frames[(k + 1) % 7], abs=1e-12)


def test_a_bezier_curve_without_turns_is_a_bezier_curve_of_points() -> None:
    points = np.random.default_rng(1).normal(size=(7, 3))
    curve = SplineCurve(se3.transform(translation=points), False, "bezier")
    assert curve.segments == 2
    for q in np.linspace(0.0, 1.999, 30):
        k = int(q)
        powers = scipy.interpolate.BPoly(points[3 * k : 3 * k + 4, None], [k, k + 1])
        assert curve.transform([q])[:3, 3] == pytest.approx(powers(q), abs=1e-13)
        assert curve.subspace([q])[3:, 0] == pytest.approx(powers.derivative()(q), abs=1e-12)


def test_bases_are_checked_and_kept() -> None:
    for make in (lambda basis: SplineCurve(wild_frames(6), True, basis), lambda basis: SplineSurface(bowl(), basis)):
        with pytest.raises(JointError, match=r"nurbs.*expected b-spline, catmull-rom, bezier"):
            make("nurbs")
        assert make("bezier") != make("b-spline") and hash(make("bezier")) == hash(make("bezier"))
        again = pickle.loads(pickle.dumps(make("catmull-rom")))
        assert again == make("catmull-rom") and again.basis == "catmull-rom"
    with pytest.raises(JointError, match="7 control frames; expected 3, 6, 9"):
        SplineCurve(wild_frames(7), True, "bezier")


def test_more_coordinates_than_kernels_have_room_for_are_refused() -> None:
    with pytest.raises(JointError, match="has 8 coordinates; expected at most 6"):
        evaluated(Composite(*(Screw() for _ in range(8))))


def test_a_full_table_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "MOST", 0)
    with pytest.raises(KernelError, match="may enter 0 functions"):
        functions.slot_of(lambda q, constants, out, order: None)
