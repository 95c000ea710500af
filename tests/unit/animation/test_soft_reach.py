"""The soft limit of limbs: smooth, short of straight, the least step; compiled and not."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from core.animation.locks import soft_reach_kernel as plain
from core.animation.locks.soft_reach import SOFT, limb_of
from core.constraints import Lock
from core.formats import bundled_folder
from core.kernels import load
from core.kinematics import forward_kinematics
from core.skeleton import load_skeleton

LENGTH = 0.85
WORK = np.empty(3 + plain.WORK)
MARGIN = (1.0 - SOFT) * LENGTH


@pytest.mark.parametrize("scale", [1.0, 0.9, 0.6, 0.2, 0.0])
def test_what_is_allowed_is_smooth_and_leaves_the_keys_as_they_are(scale):
    soft = SOFT * LENGTH
    d = np.linspace(soft - MARGIN, soft + 6 * MARGIN, 4001)
    found = np.array([plain.allowed(x, LENGTH, soft, scale) for x in d])
    assert np.array_equal(found[d <= soft], d[d <= soft])
    assert (found <= LENGTH).all() and (np.diff(found) >= -1e-15).all()
    assert scale == 0.0 or (found < LENGTH).all()
    slope = np.diff(found) / np.diff(d)
    assert np.abs(np.diff(slope)).max() < 0.02 and slope.max() < 2.0
    # The pose that has this part of its slack keeps it.
    key = next(x for x in np.linspace(soft, LENGTH, 200001) if LENGTH - x <= scale**2 * MARGIN * _decay(x, soft))
    assert plain.allowed(float(key), LENGTH, soft, scale) == pytest.approx(key, abs=1e-6)


def _decay(x, soft):
    return math.exp(-(x - soft) / MARGIN)


def cases(m, rng):
    lengths = np.array([0.85, 0.86, 0.6])
    offsets = rng.normal(size=(m, 3, 3))
    offsets[:, :2] = (0, -1, 0) + 0.15 * rng.normal(size=(m, 2, 3))
    offsets *= (rng.uniform(0.9, 1.04, size=(m, 3)) * lengths / np.linalg.norm(offsets, axis=2))[..., None]
    scales = rng.uniform(0.2, 1.0, size=(m, 3))
    scales[rng.random((m, 3)) < 0.3] = 1.0
    scales[:, 2] = np.where(rng.random(m) < 0.7, -1.0, scales[:, 2])
    return offsets, lengths, SOFT * lengths, scales


def test_compiled_and_uncompiled_agree_and_a_pose_does_not_depend_on_its_neighbours():
    kernels = load(plain)
    given = cases(400, np.random.default_rng(1))
    a, b = np.empty((400, 3)), np.empty((400, 3))
    plain.steps(*given, a, WORK)
    kernels.steps(*given, b, WORK)
    assert np.abs(a - b).max() < 1e-8 and np.abs(b).max() > 0.02
    one = np.empty((1, 3))
    for i in range(0, 400, 37):
        kernels.steps(given[0][i : i + 1], given[1], given[2], given[3][i : i + 1], one, WORK)
        assert one.tobytes() == b[i : i + 1].tobytes()


def test_it_is_the_least_step_that_keeps_all_limbs_short_enough():
    rng = np.random.default_rng(2)
    offsets, lengths, softs, scales = cases(30, rng)
    scales[scales >= 0.0] = 1.0  # limbs that are not straight at their keys are never pushed apart
    out = np.empty((30, 3))
    plain.steps(offsets, lengths, softs, scales, out, WORK)
    for offset, scale, step in zip(offsets, scales, out, strict=True):
        counts = scale >= 0.0
        wanted = np.array(
            [plain.allowed(float(np.linalg.norm(w)), n, s, 1.0) for w, n, s in zip(offset, lengths, softs, strict=True)]
        )
        wanted = np.where(np.linalg.norm(offset, axis=1) > softs, wanted, softs)

        def short(t, offset=offset, wanted=wanted, counts=counts):
            return (wanted - np.linalg.norm(offset - t, axis=1))[counts]

        if short(step).min() < -1e-5:
            continue  # no step is enough for all: a compromise
        best = minimize(lambda t: t @ t, step, constraints={"type": "ineq", "fun": short}, tol=1e-14)
        assert np.linalg.norm(step) <= np.linalg.norm(best.x) + 2e-6


@pytest.mark.verify
def test_a_limb_is_as_long_as_its_joints_let_it_be():
    man = load_skeleton(bundled_folder() / "human.scr")
    rng = np.random.default_rng(3)
    lo, hi = man.limits.T
    for joint, kind, point in (("left foot", "pose", (0, 0, 0)), ("right hand", "position", (0, -0.08, 0))):
        lock = Lock(joint, kind, point, target=np.eye(4) if kind == "pose" else (0, 0, 0))
        limb = limb_of(man, lock)
        assert limb is not None and limb.rigid == (kind == "pose") and limb is limb_of(man, lock)
        q = np.tile(man.rest_pose(), (20000, 1))
        q[:, 3:] = np.clip(rng.normal(scale=0.3, size=(20000, man.n_dofs)), lo, hi)
        frames = forward_kinematics(man, q)
        far = frames[:, limb.tip, :3, 3] - frames[:, limb.base, :3, 3]
        if not limb.rigid:
            far = far + frames[:, limb.tip, :3, :3] @ limb.point
        reached = np.linalg.norm(far, axis=1).max()
        assert 0.98 * limb.length < reached <= limb.length + 1e-12
    assert limb_of(man, Lock("left foot", "position", target=(0, 0, 0), axes=(False, True, False))) is None
    assert limb_of(man, Lock("left foot", "position", target=(0, 0, 0), weight=0.5)) is None
    assert limb_of(man, Lock("pelvis", "position", target=(0, 0, 0))) is None
    assert limb_of(man, Lock("left hand", "orientation", target=np.eye(3))) is None
