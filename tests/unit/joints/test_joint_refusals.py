"""Joints that cannot be are refused with one line: the bad value, where it is, and what would be right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from core.errors import JointError
from core.joints import Composite, Prismatic, Revolute, SphericalEuler, SplineCurve, SplineSurface
from core.spatial import se3
from tests.support.joint_examples import bowl, wild_frames


def changed(array: np.ndarray, place: tuple[int, ...], value: float) -> np.ndarray:
    result = np.array(array)
    result[place] = value
    return result


def half_turn() -> np.ndarray:
    frames = wild_frames(5)
    frames[2] = frames[1] @ se3.exp([0, np.pi, 0, 0, 0, 0])
    return frames


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: Revolute((0, 0, 0)),
        r"a revolute joint has the axis \(0, 0, 0\), which has no direction; expected a vect",
    ),
    (lambda: Prismatic((0, 0, 0)), "a prismatic joint has the axis"),
    (lambda: Revolute((1, np.nan, 0)), r"axis \(1, nan, 0\); expected finite numbers"),
    (lambda: Revolute((np.inf, 0, 0)), r"axis \(inf, 0, 0\); expected finite numbers"),
    (lambda: Revolute((1, 0)), r"axis \(1, 0\); expected three numbers"),
    (lambda: Revolute("z"), "axis 'z'; expected three numbers"),
    (lambda: Revolute(None), "axis None; expected three numbers"),
    (lambda: SphericalEuler("XXY"), "Euler order 'XXY'; expected one of XYX, XZX, "),
    (lambda: SphericalEuler(3), "Euler order 3; expected one of"),  # type: ignore[arg-type]
    (lambda: Composite(), "a composite joint has no joints; expected one or more"),
    (lambda: Composite(Revolute(), "hinge"), "holds 'hinge'; expected joints only"),  # type: ignore[arg-type]
    (lambda: SplineCurve(wild_frames(2)), "has 2 control frames; expected 3 or more of a closed one"),
    (lambda: SplineCurve(wild_frames(3), closed=False), "has 3 control frames; expected 4 or more of an open one"),
    (lambda: SplineCurve(np.eye(4)), r"have shape \(4, 4\); expected poses, shape \(m, 4, 4\)"),
    (lambda: SplineCurve([[1, 2], [3]]), "expected poses"),  # type: ignore[arg-type]
    (lambda: SplineCurve(changed(wild_frames(5), (3, 0, 3), np.nan)), "control frame 4 .* expected finite numbers"),
    (lambda: SplineCurve(changed(wild_frames(5), (3, 3, 0), 1.0)), r"control frame 4 .* expected \[0, 0, 0, 1\]"),
    (lambda: SplineCurve(changed(wild_frames(5), (1, 0, 0), 7.0)), "rotation of control frame 2 .* orthonormal"),
    (lambda: SplineCurve(half_turn()), "control frames 2 and 3 .* half a turn apart; expected less"),
    (lambda: SplineCurve(np.array([np.eye(4)] * 5)), "all control frames .* are the same"),
    (lambda: SplineSurface(np.zeros((5, 4, 4))), r"have shape \(5, 4, 4\); expected \(6, a, b\)"),
    (lambda: SplineSurface(np.zeros((6, 4, 3))), "has 4 by 3 control frames; expected 4 by 4 or more"),
    (lambda: SplineSurface("no"), "control values are 'no'; expected numbers"),  # type: ignore[arg-type]
    (
        lambda: SplineSurface(changed(bowl(), (4, 2, 1), np.inf)),
        r"angle about y of control frame \(3, 2\) of a spline surface is inf; expected a finite number",
    ),
    (lambda: SplineSurface(np.repeat(bowl()[:, :1], 4, axis=1)), "does not change along u"),
    (lambda: SplineSurface(np.repeat(bowl()[:, :, :1], 4, axis=2)), "does not change along v"),
]


@pytest.mark.parametrize(("make", "message"), REFUSED, ids=[message[:40] for _, message in REFUSED])
def test_is_refused_in_one_line(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(JointError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


def test_axes_of_any_length_are_taken() -> None:
    for scale in (1e-300, 1e-9, 1.0, 1e9, 1e300):
        assert Revolute((0, 3 * scale, 4 * scale)).axis == pytest.approx((0.0, 0.6, 0.8), abs=1e-15)
    assert Revolute((0.0, -0.0, -1.0)) == Revolute((0, 0, -1)) and str(Revolute((-0.0, 0, 1))) == str(Revolute())
