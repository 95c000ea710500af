"""Rows of locks: derivatives by finite differences, and three ways to work them out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.constraints.hold import rows_kernel
from core.constraints.hold.packed import AIM, AXIS, DISTANCE, MASS, POINT, ROTATION
from core.constraints.hold.packing import pack_rows
from core.constraints.hold.row_values import row_values
from core.constraints.hold.rows import Rows
from core.constraints.places import Places
from core.kernels import load
from core.skeleton import Skeleton
from core.spatial import so3
from tests.support.figures import random_figure, random_pose
from tests.support.joint_type_figures import SPLINES, arm_figure

RANDOM = 4
"""How many figures are random; those after them run along splines."""
FORMS = ("point", "pair", "plane", "distance", "rotation", "carried", "axis", "aim", "mass")


def rows_of(form: str, s: Skeleton, rng: np.random.Generator) -> Rows:
    joint, other = len(s.joints) - 1, int(rng.integers(len(s.joints) - 1))
    point, second, unit = rng.normal(size=3) * 0.2, rng.normal(size=3) * 0.2, rng.normal(size=3)
    unit /= np.linalg.norm(unit)
    made = Rows(POINT, joint, point, target=rng.normal(size=3))
    return {
        "point": made,
        "pair": made._replace(other=other, other_point=second),
        "plane": made._replace(directions=unit[None]),
        "distance": made._replace(form=DISTANCE, directions=np.eye(3)[:1], target=0.4, other=other, other_point=second),
        "rotation": made._replace(form=ROTATION, target=so3.exp(rng.normal(size=3))),
        "carried": made._replace(form=ROTATION, target=so3.exp(rng.normal(size=3)), other=other),
        "axis": made._replace(form=AXIS, directions=np.eye(3)[:2], axis=unit, target=np.eye(3)[1]),
        "aim": made._replace(form=AIM, directions=np.eye(3)[:2], axis=unit, other=other, other_point=second),
        "mass": made._replace(form=MASS, directions=np.eye(3)[[0, 2]], target=np.array([0.1, -0.2]), inequality=False),
    }[form]


def figure(seed: int, form: str) -> Skeleton:
    if seed >= RANDOM:
        s = arm_figure(SPLINES[seed - RANDOM], above="hinge y", scale="scale 1 2 0.5" if seed % 2 else "")
    else:
        s = random_figure(seed, 14, scaled=bool(seed % 2))
    if form != "mass":
        return s
    heavy = (replace(joint, mass=1.0 + i, center=0.1 * np.ones(3)) for i, joint in enumerate(s.joints))
    return Skeleton("heavy", list(heavy))


@pytest.mark.sampled(20)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(RANDOM + len(SPLINES)))
def test_derivatives(form: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    s = figure(seed, form)
    q = random_pose(s, rng, 0.6)
    rows = rows_of(form, s, rng)
    C, J = row_values([rows], Places(s, q))
    step = 1e-6
    for k in range(s.nq):
        e = step * np.eye(s.nq)[k]
        change = row_values([rows], Places(s, q + e))[0] - row_values([rows], Places(s, q - e))[0]
        assert J[:, k] == pytest.approx(change / (2.0 * step), abs=2e-7 * max(1.0, np.abs(J).max())), (form, k, C)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(RANDOM + len(SPLINES)))
def test_packed_rows_compiled_and_not(form: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    s = figure(seed, form)
    q = random_pose(s, rng, 0.6)
    rows = rows_of(form, s, rng)
    C, J = row_values([rows], Places(s, q))
    problem = pack_rows(s, [rows], [], 1)
    h = problem.hold
    for kernels in (rows_kernel, load(rows_kernel)):
        h.x[0] = q[h.q_index] / h.unit
        h.J[:] = h.C[0] = np.nan
        cost, worst = kernels.evaluate(h, 0)
        kernels.columns(h, 0)
        unit = h.scale[:, None]
        assert h.C[0] * h.scale == pytest.approx(C, abs=1e-12)
        assert np.sqrt(cost) == pytest.approx(worst) == pytest.approx(float(np.linalg.norm(h.C[0])))
        whole = np.zeros_like(J)
        whole[:, h.q_index] = h.J * unit / h.unit
        assert whole == pytest.approx(J, abs=1e-11 * max(1.0, np.abs(J).max()))


def test_an_axis_that_points_the_wrong_way_is_not_held() -> None:
    s = random_figure(3, 6)
    q = s.rest_pose()
    axis = np.eye(3)[1]
    opposite = -Places(s, q).rotation(5) @ axis
    rows = Rows(AXIS, 5, directions=np.eye(3)[:2], axis=axis, target=opposite)
    assert np.linalg.norm(row_values([rows], Places(s, q))[0]) == pytest.approx(np.pi)
    problem = pack_rows(s, [rows], [], 1)
    h = problem.hold
    h.x[0] = q[h.q_index] / h.unit
    for kernels in (rows_kernel, load(rows_kernel)):
        assert kernels.evaluate(h, 0)[1] == pytest.approx(np.pi)
