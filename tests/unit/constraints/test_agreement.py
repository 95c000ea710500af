"""One undamped step of Lagrange multipliers and of ``hold`` is the same step: eq. 5.5, reached two ways."""

from __future__ import annotations

import numpy as np
import pytest

from core.arrays import Array
from core.constraints import KINDS, Lock, bind
from core.constraints.hold import whole_pose_steps
from core.constraints.hold.mobility import mobility, pose_units
from core.constraints.hold.pose_steps_kernel import TRUST
from core.constraints.hold.row_values import row_values
from core.constraints.hold.rows import rows_of_locks
from core.constraints.hold.whole_pose_qp import solve
from core.constraints.lagrange import lagrange_motion
from core.constraints.network.from_locks import network_of
from core.constraints.places import Places
from core.skeleton import Skeleton
from core.skeleton.tree import pack
from tests.support.figures import random_figure, random_pose
from tests.support.lock_figures import person60, person200, standing, ten_locks, three_locks

PEOPLE = {"60": person60, "200": person200}
LOCKS = {"3": three_locks, "10": ten_locks}


def problem(s: Skeleton, q: Array, locks: list[Lock]) -> tuple[whole_pose_steps.Terms, Array]:
    """The terms of ``hold`` for equality locks, without limits, and the pose in its units."""
    unit = pose_units(s)
    size = pack(s).size
    rows = rows_of_locks(locks, Places(s, q))[1]
    scale = np.concatenate([np.full(entry.size, 1.0 if entry.is_angle else 1.0 / size) for entry in rows])

    def values(x: Array) -> tuple[Array, object]:
        C, J = row_values(rows, Places(s, x * unit))
        return scale * C, lambda: scale[:, None] * J * unit

    number = len(scale)
    far = np.full(s.nq, 1e9)
    parts = tuple((sum(entry.size for entry in rows[:i]), entry.size) for i, entry in enumerate(rows))
    terms = whole_pose_steps.Terms(
        values=values, hard=number, parts=parts, inequality=np.zeros(number, dtype=bool), softness=np.zeros(number),
        mask=None, K=mobility(s), lower=-far, upper=far, clamp=lambda x: None, pull=np.zeros(s.nq), rest=q / unit,
        warm=np.zeros(number), always=1.0, bends=(),
    )  # type: ignore[arg-type]  # fmt: skip
    return terms, unit


@pytest.mark.parametrize("count", LOCKS)
@pytest.mark.parametrize("size", PEOPLE)
@pytest.mark.parametrize("broken", [False, True])
def test_a_step_of_both_is_the_same(size: str, count: str, broken: bool) -> None:
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
    terms, unit = problem(s, q, locks)
    K, g = network.state.mobility, network.generalized_force()
    assert pytest.approx(terms.K * unit**2, rel=1e-15) == K
    ours = lagrange_motion(network, 1.0, limits=False).change / unit
    assert 1e-4 < np.abs(ours).max() < TRUST
    point = whole_pose_steps.at(terms, q / unit)
    held = whole_pose_steps.stepped(terms, point, K * g / unit, terms.K, terms.hard, 0.0)  # 0: not softened
    assert ours == pytest.approx(held - point.x, abs=1e-9)
    assert np.abs(ours).max() > 1e5 * np.abs(ours - (held - point.x)).max()


@pytest.mark.parametrize("seed", range(6))
def test_random_figures_and_every_kind(seed: int) -> None:
    """Second formulation: the multipliers of ``hold``'s quadratic program are those of eq. 5.5."""
    rng = np.random.default_rng(seed)
    s = random_figure(seed, 20, scaled=bool(seed % 2))
    q = random_pose(s, rng, 0.5)
    other = q + 0.02 * rng.normal(size=s.nq)
    kinds = [kind for kind in KINDS if kind.name != "balance"]
    while True:
        locks = []
        for i, number in enumerate(rng.choice(len(kinds), 3, replace=False)):
            kind = kinds[number]
            second = (int(rng.integers(10)), rng.normal(size=3) * 0.2) if kind.takes_other else None
            locks.append(bind(Lock(19 - i, kind.name, rng.normal(size=3) * 0.2, other=second), s, other))
        terms, unit = problem(s, q, locks)
        point = whole_pose_steps.at(terms, q / unit)
        J, number = point.jacobian(), terms.hard
        if np.linalg.cond((J * terms.K) @ J.T) < 1e9:
            break  # the rows do not depend on each other
    network, _ = network_of(s, q, locks)
    network.apply_force(network.point(15), rng.normal(size=3) * 0.01)
    motion = lagrange_motion(network, 1.0, limits=False)
    assert motion.rank == number
    multipliers, far = np.zeros(number), np.full(s.nq, 1e9)
    d = network.state.mobility * network.generalized_force() / unit
    none = np.zeros(number, dtype=bool)
    held, _ = solve(J, point.C, d, terms.K, -far, far, np.full(number, 1e-18), none, multipliers)
    assert motion.change / unit == pytest.approx(held, abs=1e-9 * max(1.0, np.abs(held).max()))
    scaled = motion.multipliers * np.where(network.assemble().angular, 1.0, pack(s).size)
    assert scaled == pytest.approx(multipliers, rel=1e-6, abs=1e-6 * np.abs(multipliers).max())
