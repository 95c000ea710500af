"""One undamped step of Lagrange multipliers and of ``hold`` is the same step: eq. 5.5, reached two ways."""

from __future__ import annotations

import numpy as np
import pytest

from core.arrays import Array
from core.constraints import KINDS, Lock, bind
from core.constraints.hold import box_qp_kernel, pose_steps_kernel, rows_kernel
from core.constraints.hold.mobility import pose_units
from core.constraints.hold.packed import Hold
from core.constraints.hold.packing import pack_rows
from core.constraints.hold.pose_steps_kernel import NEW, NOW, TRUST
from core.constraints.hold.rows import rows_of_locks
from core.constraints.lagrange import lagrange_motion
from core.constraints.network.from_locks import network_of
from core.constraints.places import Places
from core.kernels import load
from core.skeleton import Skeleton
from core.skeleton.tree import pack
from tests.support.figures import random_figure, random_pose
from tests.support.lock_figures import person60, person200, standing, ten_locks, three_locks

PEOPLE = {"60": person60, "200": person200}
LOCKS = {"3": three_locks, "10": ten_locks}
FAR = 1e9


def problem(s: Skeleton, q: Array, locks: list[Lock]) -> Hold:
    """A problem of equality locks, without limits; rows and Jacobian of the pose."""
    rows = rows_of_locks(locks, Places(s, q))[1]
    h = pack_rows(s, rows, [], len(locks)).hold
    h.x[NOW] = q[h.q_index] / h.unit
    rows_kernel.evaluate(h, NOW)
    rows_kernel.columns(h, NOW)
    h.partner[:], h.least[:], h.most[:] = -1, -FAR, FAR
    h.mobility[:] = h.gain
    return h


@pytest.mark.parametrize("count", LOCKS)
@pytest.mark.parametrize("size", PEOPLE)
@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize("compiled", [False, True])
def test_a_step_of_both_is_the_same(size: str, count: str, broken: bool, compiled: bool) -> None:
    """A proposed motion K g_a, and a deviation to undo: the same K and J give the same step to 1e-9."""
    s = PEOPLE[size]()
    q = standing(s, 30.0)
    locks = LOCKS[count](s, q)
    if broken:
        q = q + 0.01 * np.sin(np.arange(s.nq))
    network, _ = network_of(s, q, locks)
    rng = np.random.default_rng(0)
    for joint in ("pelvis", "left hand"):
        network.apply_force(network.point(joint), rng.normal(size=3) * 0.02)
        network.apply_force(network.orientation(joint), rng.normal(size=3) * 0.002)
    h, unit = problem(s, q, locks), pose_units(s)
    K, g = network.state.mobility, network.generalized_force()
    assert pytest.approx(h.gain * h.unit**2, rel=1e-15) == K[h.q_index]
    ours = lagrange_motion(network, 1.0, limits=False).change / unit
    assert 1e-4 < np.abs(ours).max() < TRUST
    held = K * g / unit
    h.desired[:] = held[h.q_index]
    kernels = load(pose_steps_kernel) if compiled else pose_steps_kernel
    kernels.step_to(h, NOW, NEW, h.state.hard_count, 0.0)  # 0: not softened
    held[h.q_index] = h.x[NEW] - h.x[NOW]
    assert ours == pytest.approx(held, abs=1e-9)
    assert np.abs(ours).max() > 1e5 * np.abs(ours - held).max()


@pytest.mark.parametrize("seed", range(6))
def test_random_figures_and_every_kind(seed: int) -> None:
    """Second formulation: the multipliers of ``hold``'s quadratic program are those of eq. 5.5."""
    rng = np.random.default_rng(seed)
    s = random_figure(seed, 20, scaled=bool(seed % 2))
    q = random_pose(s, rng, 0.5)
    other = q + 0.02 * rng.normal(size=s.nq)
    kinds = [kind for kind in KINDS if not kind.of_figure]
    while True:
        locks = []
        for i, number in enumerate(rng.choice(len(kinds), 3, replace=False)):
            kind = kinds[number]
            second = (int(rng.integers(10)), rng.normal(size=3) * 0.2) if kind.takes_other else None
            locks.append(bind(Lock(19 - i, kind.name, rng.normal(size=3) * 0.2, other=second), s, other))
        h, unit = problem(s, q, locks), pose_units(s)
        number = h.state.hard_count
        if np.linalg.cond((h.J * h.gain) @ h.J.T) < 1e9:
            break  # the rows do not depend on each other
    network, _ = network_of(s, q, locks)
    network.apply_force(network.point(15), rng.normal(size=3) * 0.01)
    motion = lagrange_motion(network, 1.0, limits=False)
    assert motion.rank == number
    held = network.state.mobility * network.generalized_force() / unit
    h.desired[:], h.right_side[:], h.softness[:] = held[h.q_index], h.C[NOW], 1e-18
    h.low[:], h.high[:] = -FAR, FAR
    box_qp_kernel.box_qp(h, number)
    held[h.q_index], multipliers = h.step, h.multiplier
    assert motion.change / unit == pytest.approx(held, abs=1e-9 * max(1.0, np.abs(held).max()))
    scaled = motion.multipliers * np.where(network.assemble().angular, 1.0, pack(s).size)
    assert scaled == pytest.approx(multipliers, rel=1e-6, abs=1e-6 * np.abs(multipliers).max())
