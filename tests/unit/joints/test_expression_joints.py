"""Joints written as expressions: what they share, what they refuse, and where they are evaluated."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from core.codegen import machine
from core.errors import JointError
from core.joints import ExpressionJoint
from core.joints.evaluated import evaluated
from core.joints.expression import MOST_LETS, MOST_MOVES, Rotate, Translate
from core.kernels import functions, uncompiled
from core.kinematics import forward_kinematics
from core.skeleton import read_scr
from core.spatial import se3, so3
from tests.support.joint_examples import bead_in_a_groove, globe, wandering_knee
from tests.support.joint_type_figures import arm_on, random_pose

X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def hinge(text: str, *lets: tuple[str, str]) -> ExpressionJoint:
    return ExpressionJoint(("u",), ("angle",), (Rotate(X, text),), lets)


def test_moves_follow_one_another_as_nested_joints_do() -> None:
    joint = ExpressionJoint(
        ("u", "v"),
        ("angle", "length"),
        (Translate(("v", "0", "1")), Rotate((0.6, 0.8, 0.0), "2*u"), Translate(("0", "u", "v^2")), Rotate(Y, "-v")),
    )
    u, v = q = np.array([0.7, -0.3])
    expected = (
        se3.transform(None, (v, 0.0, 1.0))
        @ se3.transform(so3.axis_rotation((0.6, 0.8, 0.0), 2 * u), (0.0, 0.0, 0.0))
        @ se3.transform(None, (0.0, u, v * v))
        @ se3.transform(so3.axis_rotation(Y, -v), (0.0, 0.0, 0.0))
    )
    assert joint.transform(q) == pytest.approx(expected, abs=1e-15)


def test_numbers_that_let_names_share_the_code_and_others_do_not() -> None:
    one, other = (hinge("a*u + sin(b*u)", ("a", a), ("b", "2*a")) for a in ("0.5", "1 + 3/4"))
    assert one.constants == (0.5, 1.0) and other.constants == (1.75, 3.5)
    assert one.evaluation is other.evaluation and one != other
    assert hinge("0.5*u + sin(u)").evaluation is not one.evaluation
    for joint, a in ((one, 0.5), (other, 1.75)):
        turned = so3.axis_rotation(X, a * 0.3 + np.sin(2 * a * 0.3))
        assert joint.transform([0.3])[:3, :3] == pytest.approx(turned, abs=1e-15)


def test_what_let_names_of_coordinates_is_an_expression_again() -> None:
    joint = hinge("w*w", ("a", "2"), ("w", "a*u"), ("again", "w + a"))
    assert joint.constants == (2.0,)
    assert joint.transform([0.4])[:3, :3] == pytest.approx(so3.axis_rotation(X, 0.64), abs=1e-15)


def test_units_in_texts() -> None:
    joint = ExpressionJoint(
        ("u",), ("number",), (Translate(("30 cm", "5 mm * u", "1/2 m")), Rotate(X, "90 deg + u turn"))
    )
    assert joint.transform([0.0])[:3, 3] == pytest.approx([0.3, 0.0, 0.5])
    assert joint.transform([1.0])[1, 3] == pytest.approx(0.005)
    assert joint.transform([0.25])[:3, :3] == pytest.approx(so3.axis_rotation(X, np.pi), abs=1e-15)


@pytest.mark.parametrize(
    "joint", [wandering_knee(), bead_in_a_groove(), globe(), hinge("u"), hinge("-(u)"), hinge("-u-1")]
)
def test_reflections(joint: ExpressionJoint) -> None:
    M, rng = np.diag([-1.0, 1.0, 1.0, 1.0]), np.random.default_rng(1)
    mirrored = joint.reflected()
    assert mirrored.reflected() == joint
    for q in rng.normal(size=(3, joint.n)):
        for one, other in zip(joint.charts, mirrored.charts, strict=True):
            assert other.transform(q) == pytest.approx(M @ one.transform(q) @ M, abs=1e-15)


def test_which_coordinates_close() -> None:
    assert bead_in_a_groove().turns == (True, False) and bead_in_a_groove().periods == (2.0 * np.pi, None)
    assert wandering_knee().turns == (False,) and wandering_knee().period is None
    assert hinge("u").period == 2.0 * np.pi and hinge("u/2").period is None and hinge("3*u").period is not None


def test_coordinates_are_found_turns_away() -> None:
    screw = ExpressionJoint(("u",), ("angle",), (Rotate(X, "u"), Translate(("0.1*u", "0", "0"))))
    for value in (-8.0, -3.0, 0.0, 5.0, 8.0):
        assert screw.coordinates(screw.transform([value])) == pytest.approx([value], abs=1e-9)
    bead = bead_in_a_groove()
    assert bead.coordinates(bead.transform([0.3, 0.1]), near=[12.4, 0.0]) == pytest.approx([0.3 + 4.0 * np.pi, 0.1])


def test_equal_texts_make_equal_joints() -> None:
    assert hinge("u") == hinge("u") != hinge("u + 0") and hash(hinge("u")) == hash(hinge("u"))
    assert hinge("u").evaluation is hinge("u + 0").evaluation  # the same graph
    again = pickle.loads(pickle.dumps(globe()))
    assert again == globe() and again.evaluation is globe().evaluation and again.charts == globe().charts


@pytest.mark.parametrize("build, words", [
    (lambda: ExpressionJoint((), (), (Rotate(X, "1"),)), "no coordinates"),
    (lambda: ExpressionJoint(("u",), ("angle",), ()), "has 0 translations and rotations"),
    (lambda: ExpressionJoint(("u",), ("angle",), (Rotate(X, "u"),) * (MOST_MOVES + 1)), "expected 1 to 32"),
    (lambda: ExpressionJoint(("u",), ("deg",), (Rotate(X, "u"),)), "coordinates measure"),
    (lambda: ExpressionJoint(("u",), (), (Rotate(X, "u"),)), "coordinates measure"),
    (lambda: hinge("v"), '"v" is not known here'),
    (lambda: hinge("1/u"), "division by zero at rest"),
    (lambda: hinge("u", ("u", "3")), "named twice"),
    (lambda: hinge("u", ("deg", "3")), "is a unit"),
    (lambda: hinge("u", *((f"a{k}", "3") for k in range(MOST_LETS + 1))), "65 let lines"),
    (lambda: ExpressionJoint(tuple("abcdefg"), ("angle",) * 7, (Rotate(X, "a"),)), "at most 6"),
    (lambda: ExpressionJoint(("u",), ("angle",), (Rotate(X, "u"),), (), ((Rotate(X, "v"),),)), "not known here"),
    (lambda: ExpressionJoint(("u",), ("angle",), (Rotate(X, "u"),), (), ((Rotate(X, "u"),),) * 6), "7 charts"),
])  # fmt: skip
def test_what_cannot_be_is_refused(build, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(JointError, match=words):
        build()


def test_without_llvm_kernels_call_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "is_there", lambda: False)
    text = "let odd 0.8125\ntranslate odd*sin(u) 0 odd*u\nrotate 0 0.6 0.8 u - odd*v"  # an expression of no other test
    s = read_scr(arm_on(f"joint type expression\ncoordinates u v\n{text}"))
    joint = s.joints[1].type
    assert isinstance(joint, ExpressionJoint)
    slot, _ = evaluated(joint)
    assert functions.function_at(slot) not in functions._compiled
    q = random_pose(s, np.random.default_rng(1))
    found = forward_kinematics(s, q)
    with uncompiled():
        assert forward_kinematics(s, q) == pytest.approx(found, abs=1e-14)
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = s.joints[1].rotation, s.joints[1].offset
    assert found[1] == pytest.approx(found[0] @ X @ joint.transform(q[3:5]), abs=1e-14)
