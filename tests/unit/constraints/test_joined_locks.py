"""Locks of figures that are joined to one: each figure does what it would do alone, balance counts each by itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.constraints import Lock, LockSolver, bind, lock_residuals
from core.constraints.hold import rows_kernel
from core.constraints.hold.masses import fold_masses
from core.constraints.hold.mobility import PROP_WEIGHT, mobility
from core.constraints.hold.packing import pack_rows
from core.constraints.hold.row_values import row_values
from core.constraints.hold.rows import rows_of_locks
from core.constraints.joined_locks import joined_lock
from core.constraints.kinds.carry import CARRY
from core.constraints.network.from_locks import network_of
from core.constraints.places import Places
from core.formats import bundled_folder
from core.kernels import serving
from core.skeleton import Dof, Joint, Skeleton, load_skeleton
from core.skeleton.joined import Joined, joined
from core.skeleton.tree import pack
from core.spatial import so3

MAN, WOMAN = (load_skeleton(bundled_folder() / f"{name}.scr") for name in ("human", "woman"))
TURNS = tuple(Dof("hinge", axis, -np.inf, np.inf) for axis in np.eye(3))
BOX = Skeleton("box", [Joint("box", -1, dofs=TURNS, mass=2.0, tips=(np.array([0.0, 0.3, 0.0]),))])
FEET = ("left foot", "right foot")


def standing(s: Skeleton) -> np.ndarray:
    q = s.rest_pose()
    for joint, angle in (("thigh", 0.3), ("shank", 0.6), ("foot", 0.3)):
        for side in ("left", "right"):
            dof = s.first_dof[s.joint_index(f"{side} {joint}")]
            q[3 + dof] = angle * (1 if s.limits[dof, 1] > -s.limits[dof, 0] else -1)
    return q


def scene(balance: bool) -> tuple[Joined, list[np.ndarray], list[list[Lock]]]:
    """Two figures on their feet and a box, in poses that break the locks."""
    rng = np.random.default_rng(0)
    poses, locks = [], []
    for k, s in enumerate((MAN, WOMAN)):
        q = standing(s)
        q[0] += k
        own = [bind(Lock(foot, "pose"), s, q) for foot in FEET]
        own += [Lock("head", "balance", target=0.02)] if balance else []
        p = q.copy()
        p[:3] += 0.03 * rng.normal(size=3) - (0.0, 0.02, 0.0)
        p[2] += 0.1 if balance else 0.0
        p[3:] = np.clip(p[3:] + 0.05 * rng.normal(size=s.nq - 3), *s.limits.T)
        poses.append(p)
        locks.append(own)
    return joined((MAN, WOMAN, BOX)), [*poses, BOX.rest_pose()], locks


@pytest.mark.parametrize("balance", [False, True])
def test_each_figure_goes_where_it_would_go_alone(balance: bool) -> None:
    J, poses, locks = scene(balance)
    inner = [joined_lock(lock, k, J, {}) for k, own in enumerate(locks) for lock in own]
    solver = LockSolver(J, inner, root_weight=1e-3, tolerance=1e-11, fixed=J.FIXED, q=J.join(poses))
    found = solver.project(J.join(poses))
    assert found.held and not found.q[:3].any()
    for k, s in enumerate((MAN, WOMAN)):
        alone = LockSolver(s, locks[k], root_weight=1e-3, tolerance=1e-11, q=poses[k]).project(poses[k])
        assert alone.held and J.split(found.q)[k] == pytest.approx(alone.q, abs=1e-6)
        away = np.abs(alone.q - poses[k]).max()
        assert away > 0.05
    assert np.array_equal(J.split(found.q)[2], poses[2])


def test_rows_of_balance_are_those_of_the_one_figure() -> None:
    J, poses, locks = scene(True)
    q = J.join(poses)
    inner = [joined_lock(lock, k, J, {}) for k, own in enumerate(locks) for lock in own]
    bound, rows = rows_of_locks(inner, Places(J, q))
    C, slopes = row_values(rows, Places(J, q))
    own = [row_values(rows_of_locks(locks[k], Places(s, poses[k]))[1], Places(s, poses[k])) for k, s in
           enumerate((MAN, WOMAN))]  # fmt: skip
    assert C == pytest.approx(np.concatenate([value for value, _ in own]), abs=1e-12)
    expected = np.zeros_like(slopes)
    expected[: len(own[0][0]), J.columns[0]] = own[0][1]
    expected[len(own[0][0]) :, J.columns[1]] = own[1][1]
    moved = [k for k in range(J.nq) if k not in J.FIXED]
    assert slopes[:, moved] == pytest.approx(expected[:, moved], abs=1e-12)
    problem = pack_rows(J, rows, [], len(bound), J.FIXED)
    h = problem.hold
    h.x[0] = q[h.q_index] / h.unit
    assert problem.masses is not None
    fold_masses(J, h, problem.masses, q)
    kernels = serving(rows_kernel)
    kernels.evaluate(h, 0)
    kernels.columns(h, 0)
    order = np.concatenate([np.arange(a, a + e.size) for a, e in zip(problem.first, problem.rows, strict=True)])
    C, slopes = row_values(problem.rows, Places(J, q))
    assert (h.C[0] * h.scale)[order] == pytest.approx(C, abs=1e-12)
    near, free = C > -0.1, np.isin(h.q_index, moved)  # edges that are far away are left out by the kernel
    packed = (h.T * h.scale[:, None] / h.unit)[order]
    assert packed[near][:, free] == pytest.approx(slopes[near][:, h.q_index[free]], abs=1e-12)
    network, _ = network_of(J, q, inner)
    system = network.assemble()
    assert np.abs(np.sort(system.C) - np.sort(np.where([r.inequality for r in problem.rows for _ in range(r.size)],
        np.maximum(C, 0.0), C))).max() < 1e-12  # fmt: skip


def test_a_balance_lock_sees_its_own_figure_alone() -> None:
    J, poses, locks = scene(True)
    inner = [joined_lock(lock, k, J, {}) for k, own in enumerate(locks) for lock in own]
    for k, s in enumerate((MAN, WOMAN)):
        lock = locks[k][-1]
        alone = lock.rule.deviation(lock, Places(s, poses[k]), locks[k]).position
        there = inner[3 * k + 2]
        assert there.rule.deviation(there, Places(J, J.join(poses)), inner).position == pytest.approx(alone, abs=1e-14)


def test_names_of_joints_and_of_figures_become_inner_ones() -> None:
    J = joined((MAN, WOMAN, BOX))
    lock = Lock("left hand", "carry", (0, 0.1, 0), np.eye(4), ("woman", "left hand", (1, 2, 3)),
                joints=("pelvis", "left hand"), mutual=True)  # fmt: skip
    found = joined_lock(lock, 0, J, {"woman": 1})
    assert found.joint == "0/left hand" and found.other[0] == "1/left hand" and not found.mutual
    assert found.other[1].tolist() == [1, 2, 3] and found.point.tolist() == [0, 0.1, 0]
    helping = set(found.joints)
    assert {"0/pelvis", "0/left hand", "0/place"} <= helping  # the place with the root
    assert {J.joints[k].name for k in J.joints_of(1)} <= helping
    alone = joined_lock(replace(lock, mutual=False), 0, J, {"woman": 1})
    assert set(alone.joints) == {"0/pelvis", "0/left hand", "0/place"}
    own = joined_lock(Lock(3, "point_pair", other=("head", (0, 0, 0))), 1, J, {})
    assert own.joint == J.joints[J.joint(1, 3)].name and own.other[0] == "1/head"
    balance = joined_lock(Lock("head", "balance", other=FEET), 1, J, {})
    assert balance.other == ("1/left foot", "1/right foot")


def test_what_moves_costs_each_figure_what_it_costs_alone() -> None:
    J = joined((MAN, WOMAN, BOX))
    K, own = mobility(J, 1e-3, J.FIXED), [mobility(s, 1e-3) for s in (MAN, WOMAN)]
    assert not K[:3].any()
    for k, s in enumerate((MAN, WOMAN)):
        ratio = K[J.columns[k]] / own[k]
        assert ratio[3:] == pytest.approx(1.0)  # angles
        assert ratio[:3] == pytest.approx((pack(s).size / pack(J).size) ** 2)  # lengths, in another unit
    box = K[J.columns[2]] / mobility(BOX)
    assert box[3:] == pytest.approx(PROP_WEIGHT)


def test_a_carried_part_within_a_figure_goes_with_what_carries_it() -> None:
    q = standing(MAN)
    lock = bind(Lock("left hand", "carry", (0, 0.05, 0), other=("right hand", (0, 0.1, 0))), MAN, q)
    assert lock_residuals(MAN, q, [lock]).residuals.max() < 1e-14
    other = q.copy()
    first = MAN.first_dof[MAN.joint_index("right upper arm")]
    other[3 + first] = np.clip(other[3 + first] + 0.2, *MAN.limits[first])
    found = LockSolver(MAN, [lock], q=q).project(other)
    assert found.held and found.residuals.max() < 1e-9


def test_another_frame_of_what_carries_a_part_is_the_same_target_in_it() -> None:
    rng = np.random.default_rng(4)
    carrier, part = so3.exp(rng.normal(size=3)), so3.exp(rng.normal(size=3))
    origin, place, point = rng.normal(size=(3, 3))
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = so3.exp(rng.normal(size=3)), rng.normal(size=3)
    target = np.eye(4)
    target[:3, :3], target[:3, 3] = carrier.T @ part, carrier.T @ (place - origin - carrier @ point)
    found = CARRY.recarried_target(target, frame)
    now = carrier @ frame[:3, :3].T  # of the frame that the same body has now, and where its origin is
    there = origin - now @ frame[:3, 3]
    there_point = there + now @ (frame[:3, :3] @ point + frame[:3, 3])
    assert now @ found[:3, :3] == pytest.approx(part, abs=1e-14)
    assert there_point + now @ found[:3, 3] == pytest.approx(place, abs=1e-14)
