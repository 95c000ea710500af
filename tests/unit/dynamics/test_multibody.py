"""The model itself: what it is made of, what it refuses, charts that change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from core.dynamics import Body, Multibody
from core.errors import DynamicsError
from core.joints import Fixed, Free, Prismatic, Revolute, Spherical, SphericalEuler
from core.spatial import SpatialInertia, se3
from tests.support.formulations import ANY_JOINT
from tests.support.random_trees import random_inertia, random_pose, random_state, random_tree

SOLID = SpatialInertia.box(2.0, (0.1, 0.2, 0.3), (0.0, 0.1, 0.0))


def small() -> Multibody:
    """A floating body with an arm of two and a slide of its own on the world."""
    rng = np.random.default_rng(8)
    return Multibody(
        [
            Body("trunk", -1, Free(), random_pose(rng), random_pose(rng), random_inertia(rng)),
            Body("arm", "trunk", Spherical(), random_pose(rng), random_pose(rng), random_inertia(rng)),
            Body("band", 1, Fixed(), random_pose(rng), random_pose(rng), random_inertia(rng)),
            Body("hand", "arm", Revolute((0, 0, 1)), random_pose(rng), random_pose(rng), random_inertia(rng)),
            Body("lift", -1, Prismatic((0, 1, 0)), random_pose(rng), random_pose(rng), random_inertia(rng)),
        ],
        gravity=(0.0, 0.0, -9.81),
    )


def test_what_a_model_reports() -> None:
    model = small()
    assert model.names == ("trunk", "arm", "band", "hand", "lift")
    assert model.parents.tolist() == [-1, 0, 1, 1, -1]
    assert model.first.tolist() == [0, 6, 9, 9, 10, 11] and model.nq == model.nv == 11
    assert model.mass == pytest.approx(sum(body.inertia.mass for body in model.bodies))
    assert model.index("hand") == model.index(3) == model.index(np.int64(3)) == 3  # type: ignore[arg-type]
    for array in (model.parents, model.gravity, model.first, model.X_PJ, model.X_JB, model.Ad_BJ, model.inertias):
        assert not array.flags.writeable


def test_poses_follow_the_chain_of_frames() -> None:
    model = small()
    x, _ = random_state(np.random.default_rng(1), model)
    trunk, arm, band, hand, lift = model.bodies
    joints = model.joint_poses(x)
    assert joints[0] == pytest.approx(trunk.X_PJ @ trunk.joint.transform(x[:6]), abs=1e-14)
    assert joints[1] == pytest.approx(joints[0] @ arm.X_PJ @ arm.joint.transform(x[6:9]), abs=1e-14)
    assert joints[2] == pytest.approx(joints[1] @ band.X_PJ, abs=1e-14)
    assert joints[3] == pytest.approx(joints[1] @ hand.X_PJ @ hand.joint.transform(x[9:10]), abs=1e-14)
    assert joints[4] == pytest.approx(lift.X_PJ @ lift.joint.transform(x[10:]), abs=1e-14)
    poses = model.body_poses(x)
    centers = []
    for i, body in enumerate(model.bodies):
        assert poses[i] == pytest.approx(joints[i] @ body.X_JB, abs=1e-14)
        centers.append((poses[i] @ [*body.inertia.center, 1.0])[:3])
    assert model.body_centers(x) == pytest.approx(np.array(centers), abs=1e-14)
    masses = [body.inertia.mass for body in model.bodies]
    assert model.center_of_mass(x) == pytest.approx(masses @ np.array(centers) / model.mass, abs=1e-14)


def test_the_place_of_the_body_frame_in_the_joint_frame_does_not_matter() -> None:
    rng = np.random.default_rng(5)
    for seed in range(5):
        tree = random_tree(np.random.default_rng(seed), 8)
        bodies = []
        for body in tree.bodies:
            X = random_pose(rng)  # B moves by X, and the inertia, expressed in B, against it
            back = se3.inverse(X)
            moved = body.inertia.moved(back[:3, :3], back[:3, 3])
            bodies.append(Body(body.name, body.parent, body.joint, body.X_PJ, body.X_JB @ X, moved))
        other = Multibody(bodies, tree.gravity)
        x, v = random_state(rng, tree)
        assert other.forward_dynamics(x, v) == pytest.approx(tree.forward_dynamics(x, v), rel=1e-9, abs=1e-9)


def test_no_forces_are_the_default_and_bias_is_what_holds_still() -> None:
    model = small()
    x, v = random_state(np.random.default_rng(2), model)
    vdot = model.forward_dynamics(x, v)
    assert np.array_equal(vdot, model.forward_dynamics(x, v, np.zeros(11), wrenches=np.zeros((5, 6))))
    assert model.mass_matrix(x) @ vdot + model.bias(x, v) == pytest.approx(0.0, abs=1e-11)
    free = Multibody(model.bodies[:4])
    assert free.gravity.tolist() == [0.0, -9.81, 0.0]
    still = free.bias(x[:10], np.zeros(10))
    assert np.linalg.norm(still[:3]) == pytest.approx(free.mass * 9.81, rel=1e-14)  # Free: the first three are a place


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_none_are_refused_by_name_and_place(value: float) -> None:
    model = small()
    x, v = np.zeros(11), np.zeros(11)
    bad = np.zeros(11)
    bad[7] = value
    outside = np.zeros((5, 6))
    outside[3, 2] = value
    calls: dict[str, Callable[[], object]] = {
        r"x\[7\]": lambda: model.forward_dynamics(bad, v),
        r"v\[7\]": lambda: model.energy(x, bad),
        r"tau\[7\]": lambda: model.forward_dynamics(x, v, bad),
        r"vdot\[7\]": lambda: model.inverse_dynamics(x, v, bad),
        r"rhs\[7\]": lambda: model.inverse_mass_product(x, bad),
        r"added\[7\]": lambda: model.inverse_mass_product(x, v, bad),
        r"wrenches\[3, 2\]": lambda: model.forward_dynamics(x, v, wrenches=outside),
    }
    for place, call in calls.items():
        with pytest.raises(DynamicsError, match=rf"^{place} is (nan|inf); it must be a finite number$"):
            call()


def test_wrong_shapes_are_refused() -> None:
    model = small()
    x = v = np.zeros(11)
    wrong: Any = "fast"
    calls: dict[str, Callable[[], object]] = {
        r"x has shape \(10,\); it must have shape \(11,\)": lambda: model.mass_matrix(np.zeros(10)),
        r"v has shape \(11, 1\); it must have shape \(11,\)": lambda: model.momentum(x, np.zeros((11, 1))),
        r"tau is 'fast'; it must be numbers of shape \(11,\)": lambda: model.forward_dynamics(x, v, wrong),
        r"wrenches has shape \(6,\); it must have shape \(5, 6\)": lambda: (
            model.bias(x, v) + model.jacobian_transpose_product(x, np.zeros(6))
        ),
        r"rhs has shape \(11, 2, 2\)": lambda: model.inverse_mass_product(x, np.zeros((11, 2, 2))),
        r"blocks has shape \(6, 6\)": lambda: model.inverse_mass_product(x, v, blocks=np.eye(6)),
        r"there is no body 'leg'; there are 5: trunk, arm, band, hand, lift": lambda: model.index("leg"),
        r"there is no body 1.5": lambda: model.index(1.5),  # type: ignore[arg-type]
        r"the bodies are None; expected": lambda: model.hybrid_dynamics(x, v, v, v, None),  # type: ignore[arg-type]
        r"there is no formulation .\['redmax'\]": lambda: model.forward_dynamics(x, v, None, ["redmax"]),  # type: ignore
        r"there is no body 5": lambda: model.hybrid_dynamics(x, v, v, v, [5]),
        r"the bodies are \[True, False\]; expected .* 5 truth": lambda: model.hybrid_dynamics(
            x, v, v, v, [True, False]
        ),
        r"there is no formulation .magic.; there are recursive, redmax, maximal": lambda: model.forward_dynamics(
            x, v, formulation="magic"
        ),
    }
    for message, call in calls.items():
        with pytest.raises(DynamicsError, match=message):
            call()


@pytest.mark.parametrize("which", ["X_PJ", "X_JB"])
def test_a_pose_that_is_none_is_refused_with_the_bodys_name(which: str) -> None:
    stretched, bent, hole = np.diag([1.0, 2.0, 1.0, 1.0]), np.eye(4), np.eye(4)
    bent[3, 0], hole[0, 3] = 1.0, np.nan
    for pose in (stretched, bent, hole, np.eye(3), np.diag([-1.0, 1.0, 1.0, 1.0])):
        with pytest.raises(DynamicsError, match=f'body "leg": {which}'):
            Body("leg", -1, Fixed(), inertia=SOLID, **{which: pose})


def test_prescribed_bodies_given_in_any_form() -> None:
    model = small()
    rng = np.random.default_rng(4)
    x, v = random_state(rng, model)
    tau, vdot = rng.normal(size=11), rng.normal(size=11)
    mask = np.array([False, True, False, False, True])
    expected = model.hybrid_dynamics(x, v, tau, vdot, mask)
    for prescribed in (["arm", "lift"], [1, 4], (4, "arm"), mask.tolist(), np.array([1, 4])):
        found = model.hybrid_dynamics(x, v, tau, vdot, prescribed)
        assert np.array_equal(found[0], expected[0]) and np.array_equal(found[1], expected[1])
    assert np.array_equal(
        model.hybrid_dynamics(x, v, tau, vdot, "arm")[1], model.hybrid_dynamics(x, v, tau, vdot, 1)[1]
    )
    nothing = model.hybrid_dynamics(x, v, tau, vdot, [])
    assert np.array_equal(nothing[0], model.forward_dynamics(x, v, tau)) and np.array_equal(nothing[1], tau)


def test_arguments_are_left_alone_and_results_are_new() -> None:
    model = small()
    x, v = random_state(np.random.default_rng(6), model)
    tau, vdot, wrenches = np.ones(11), np.ones(11), np.ones((5, 6))
    given = [x, v, tau, vdot, wrenches]
    before = [array.copy() for array in given]
    for name in ANY_JOINT:
        model.forward_dynamics(x, v, tau, name, wrenches=wrenches)
    found = model.hybrid_dynamics(x, v, tau, vdot, ["arm"], wrenches=wrenches)
    model.inverse_dynamics(x, v, vdot, wrenches=wrenches)
    model.jacobian_transpose_product(x, wrenches)
    model.inverse_mass_product(x, tau)
    for array, old in zip(given, before, strict=True):
        assert np.array_equal(array, old) and not any(np.shares_memory(array, result) for result in found)


def test_arguments_may_lie_in_memory_in_any_way() -> None:
    model = small()
    rng = np.random.default_rng(7)
    x, v = rng.uniform(-1.0, 1.0, size=(2, 22))[:, ::2]
    wrenches = np.asfortranarray(rng.normal(size=(5, 6)))
    rhs = rng.normal(size=(22, 4))[::2, ::-1]
    expected = model.forward_dynamics(x.copy(), v.copy(), wrenches=np.ascontiguousarray(wrenches))
    assert np.array_equal(model.forward_dynamics(x, v, wrenches=wrenches), expected)
    assert np.array_equal(model.forward_dynamics(x.tolist(), tuple(v), wrenches=wrenches.tolist()), expected)
    assert np.array_equal(model.inverse_mass_product(x, rhs), model.inverse_mass_product(x.copy(), rhs.copy()))


def test_rechart_keeps_the_motion() -> None:
    model = small()
    rng = np.random.default_rng(9)
    x, v = random_state(rng, model)
    same, x_same, v_same = model.rechart(x, v)
    assert same is model and np.array_equal(x_same, x) and np.array_equal(v_same, v)
    x[3:6] = (3.0, 3.0, 3.0)  # 5.2 rad: the trunk's rotation vector nears a whole turn
    again, x_new, v_new = model.rechart(x, v)
    assert again is model and np.linalg.norm(x_new[3:6]) < np.pi and np.array_equal(x_new[6:], x[6:])
    assert again.body_poses(x_new) == pytest.approx(model.body_poses(x), abs=1e-13)
    assert again.body_twists(x_new, v_new) == pytest.approx(model.body_twists(x, v), abs=1e-12)
    assert again.energy(x_new, v_new) == pytest.approx(model.energy(x, v), rel=1e-12)


def test_rechart_to_other_joints_makes_another_model() -> None:
    model = Multibody(
        [
            Body("a", -1, Revolute((1, 0, 0)), inertia=SOLID),
            Body("b", "a", SphericalEuler("XYZ"), X_PJ=se3.transform(None, (0, 0.5, 0)), inertia=SOLID),
        ]
    )
    x, v = np.array([0.3, 0.2, 1.45, -0.4]), np.array([1.0, -0.5, 0.8, 0.3])
    other, x_new, v_new = model.rechart(x, v)
    assert other is not model and other.bodies[1].joint != model.bodies[1].joint
    assert model.bodies[1].joint == SphericalEuler("XYZ")
    assert other.body_poses(x_new) == pytest.approx(model.body_poses(x), abs=1e-13)
    assert other.body_twists(x_new, v_new) == pytest.approx(model.body_twists(x, v), abs=1e-12)
    # The bodies' accelerations are the same in either chart.
    accelerations = [
        m.jacobian_product(q, m.forward_dynamics(q, u)) + m.jacobian_rate_product(q, u)
        for m, q, u in ((model, x, v), (other, x_new, v_new))
    ]
    assert accelerations[0] == pytest.approx(accelerations[1], abs=1e-10)
