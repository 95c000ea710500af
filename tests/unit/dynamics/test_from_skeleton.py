"""Models of figures: their bodies are where the figure's joints are, and poses, states and rates go both ways."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from core.dynamics import Body, Multibody
from core.errors import DynamicsError, PoseError
from core.formats import load
from core.joints import Composite, Fixed, Free, Prismatic, Revolute, Spherical, SplineCurve, Translational
from core.kinematics import center_of_mass, forward_kinematics
from core.skeleton import Dof, Joint, Skeleton, load_skeleton
from core.skeleton.joint_type import type_dofs
from core.spatial import SpatialInertia, se3, so3
from tests.support.figures import box_mesh, hinge, random_figure, slide, with_box

SKELETONS = sorted(path.stem for path in Path("skeletons").glob("*.scr"))
SOLID = {"mass": 1.5, "center": (0.01, 0.2, 0.0), "inertia": np.diag([0.03, 0.02, 0.04])}


@cache
def bundled(name: str) -> Skeleton:
    return load_skeleton(f"skeletons/{name}.scr")


@cache
def model_of(name: str, fixed_base: bool = False) -> Multibody:
    return Multibody.from_skeleton(bundled(name), fixed_base)


def poses_of(s: Skeleton, seed: int) -> list[np.ndarray]:
    """Random poses, one inside the limits, one all at right angles (gimbal lock), one as good as there, and rest."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-3.0, 3.0, (4, s.nq))
    q[1, 3:] = np.clip(q[1, 3:], s.limits[:, 0], s.limits[:, 1])
    splines = [3 + k for k, dof in enumerate(s.all_dofs) if dof.kind == "coordinate"]
    q[2, 3:] = 0.5 * np.pi * np.round(q[2, 3:])
    q[3, 3:] = 0.5 * np.pi * np.round(q[3, 3:]) + 1e-9 * rng.normal(size=s.n_dofs)
    q[:, splines] = rng.uniform(0.1, 0.9, (4, len(splines)))
    return [*q, s.rest_pose()]


def assert_frames(s: Skeleton, model: Multibody, q: np.ndarray, x: np.ndarray) -> None:
    """The bodies are where the joints of the pose are, and so is all that is fixed to them."""
    assert model.figure is not None
    frames, poses = forward_kinematics(s, q), model.body_poses(x)
    for i, body in enumerate(model.figure.joint_body):
        if body >= 0 and not model.figure.inside[i]:
            assert poses[body] @ model.figure.X_BJ[i] == pytest.approx(frames[i], abs=1e-12), s.joint_names[i]


# -- figures that come with the program --------------------------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.parametrize("fixed", [False, True], ids=["free", "fixed"])
@pytest.mark.parametrize("name", SKELETONS)
def test_bodies_are_where_the_joints_are_and_poses_come_back(name: str, fixed: bool) -> None:
    s, model = bundled(name), model_of(name, fixed)
    assert model.names == s.joint_names and model.nv == s.n_dofs + (0 if fixed else 3)
    assert model.mass == pytest.approx(sum(joint.mass for joint in s.joints), rel=1e-14)
    for q in poses_of(s, 1):
        if fixed:
            q[:3] = 0.0
        x = model.state_from_pose(q)
        assert_frames(s, model, q, x)
        assert model.center_of_mass(x) == pytest.approx(center_of_mass(s, q), abs=1e-12)
        back, near = model.pose_from_state(x), model.pose_from_state(x, near=q)
        assert forward_kinematics(s, back) == pytest.approx(forward_kinematics(s, q), abs=1e-12)
        assert forward_kinematics(s, near) == pytest.approx(forward_kinematics(s, q), abs=1e-12)
        assert model.body_poses(model.state_from_pose(back)) == pytest.approx(model.body_poses(x), abs=1e-12)


@pytest.mark.parametrize("name", SKELETONS)
def test_angles_and_rates_come_back(name: str) -> None:
    s, model = bundled(name), model_of(name)
    rng = np.random.default_rng(2)
    for _ in range(4):
        # Away from gimbal lock, which divides by the cosine of the middle angle, and on other branches than about zero.
        q = rng.uniform(-1.2, 1.2, s.nq)
        kinds = np.array([dof.kind for dof in s.all_dofs])
        q[3:] += 2.0 * np.pi * rng.integers(-1, 2, s.n_dofs) * (kinds == "hinge")
        q[3:] = np.where(kinds == "coordinate", rng.uniform(0.1, 0.9, s.n_dofs), q[3:])
        qdot = rng.normal(size=s.nq)
        x, v = model.state_from_pose(q, qdot)
        assert np.array_equal(x, model.state_from_pose(q))
        back, rates = model.pose_from_state(x, near=q, v=v)
        assert back == pytest.approx(q, abs=1e-11)
        assert rates == pytest.approx(qdot, abs=1e-10)


@pytest.mark.parametrize("name", ["human", "spider", "hand"])
def test_rates_are_those_of_the_moving_frames(name: str) -> None:
    s, model = bundled(name), model_of(name)
    rng = np.random.default_rng(3)
    q, qdot, h = rng.uniform(-2.0, 2.0, s.nq), rng.normal(size=s.nq), 1e-6
    x, v = model.state_from_pose(q, qdot)
    frames = forward_kinematics(s, np.array([q - h * qdot, q, q + h * qdot]))
    rate = (frames[2] - frames[0]) / (2.0 * h)
    R = frames[1, :, :3, :3]
    turning = so3.vee(np.swapaxes(R, 1, 2) @ rate[:, :3, :3])
    moving = np.einsum("nji,nj->ni", R, rate[:, :3, 3])
    assert model.body_twists(x, v) == pytest.approx(np.concatenate([turning, moving], axis=1), abs=2e-8)


def test_at_gimbal_lock_rates_are_the_least_that_come_nearest() -> None:
    s, model = bundled("human"), model_of("human")
    q = s.rest_pose()
    three = [3 + dof for dof in next(dofs for dofs in s.compounds if len(dofs) == 3 and min(dofs) > 2)]
    q[three] = 0.4, 0.5 * np.pi, -0.3
    qdot = np.zeros(s.nq)
    qdot[three] = 1.0, 2.0, 3.0
    x, v = model.state_from_pose(q, qdot)
    back, rates = model.pose_from_state(x, near=q, v=v)
    assert back == pytest.approx(q, abs=1e-9)
    assert model.state_from_pose(back, rates)[1] == pytest.approx(v, abs=1e-8)
    assert np.linalg.norm(rates) <= np.linalg.norm(qdot) + 1e-9


def test_angles_stay_continuous_while_balls_turn_round_and_round() -> None:
    s, model = bundled("human"), model_of("human")
    assert model.figure is not None
    rng = np.random.default_rng(4)
    q = s.rest_pose()
    q[3:] += rng.uniform(-0.3, 0.3, s.n_dofs)
    x, v = model.state_from_pose(q)[:], rng.normal(size=model.nv)
    start = q.copy()
    for step in range(200):  # some of them turn by more than two turns; vectors longer than half a turn are shortened
        model, x, v = model.rechart(x + 0.04 * v, v)
        back = model.pose_from_state(x, near=q)
        if step % 20 == 0:
            assert_frames(s, model, back, x)
        assert np.linalg.norm(back - q) < 4.0
        q = back
    assert np.abs(q - start)[3:].max() > 2.0 * np.pi


def test_energy_and_momentum_of_the_human() -> None:
    s, model = bundled("human"), model_of("human")
    q = s.rest_pose()
    x = model.state_from_pose(q)
    c, m = model.center_of_mass(x), model.mass
    assert 60.0 < m < 90.0 and 0.85 < c[1] < 1.1 and abs(c[0]) < 1e-3
    kinetic, potential = model.energy(x, np.zeros(model.nv))
    assert kinetic == 0.0 and potential == pytest.approx(m * 9.81 * c[1], rel=1e-12)
    # Walking off stiffly at 1.5 m/s; a pirouette: a man has about 1 to 2 kg m^2 about the vertical.
    qdot = np.zeros(s.nq)
    qdot[2] = 1.5
    x, v = model.state_from_pose(q, qdot)
    assert model.energy(x, v)[0] == pytest.approx(0.5 * m * 1.5**2, rel=1e-12)
    assert model.momentum(x, v)[3:] == pytest.approx([0.0, 0.0, 1.5 * m], abs=1e-10)
    spin = np.zeros(s.nq)
    spin[3 + next(k for k, dof in enumerate(s.joints[0].dofs) if abs(dof.axis[1]) == 1.0)] = 1.0
    x, v = model.state_from_pose(q, spin)
    about = abs(model.momentum(x, v)[1])
    assert 0.7 < about < 3.0
    assert model.energy(x, v)[0] == pytest.approx(0.5 * about, rel=1e-9)
    # Falling: the centre of mass moves as gravity alone would have it, whatever the joints do.
    rng = np.random.default_rng(5)
    x, v = model.state_from_pose(q + 0.3 * rng.normal(size=s.nq), rng.normal(size=s.nq))
    vdot, h = model.forward_dynamics(x, v), 1e-6
    change = (model.momentum(x + h * v, v + h * vdot) - model.momentum(x - h * v, v - h * vdot)) / (2.0 * h)
    assert change[3:] == pytest.approx([0.0, -9.81 * m, 0.0], abs=1e-4)
    assert model.momentum(x, v)[3:] == pytest.approx(
        m * (model.center_of_mass(x + h * v) - model.center_of_mass(x - h * v)) / (2.0 * h), abs=1e-6
    )


# -- what becomes what -------------------------------------------------------------------------------------------------


def figure(*joints: Joint) -> Skeleton:
    return Skeleton("figure", joints)


def joint(name: str, parent: int, *dofs: Dof, body: bool = True, **values: object) -> Joint:
    given = {"offset": (0.0, 1.0, 0.2), "orientation": (20.0, -30.0, 40.0)} | (SOLID if body else {}) | values
    return Joint(name, parent, dofs=dofs, **given)  # type: ignore[arg-type]


ROOTS = {
    "three hinges": ((hinge("y"), hinge("x"), hinge("z")), Free, 6),
    "slides and three hinges": ((slide("x"), slide("y"), slide("z"), hinge("y"), hinge("x"), hinge("z")), Free, 6),
    "two hinges": ((hinge("y"), hinge("x")), Composite, 5),
    "a slide and a hinge": ((slide("x"), hinge("x")), Composite, 4),
    "slides between hinges": ((hinge("x"), slide("y"), hinge("z"), slide("x"), hinge("y")), Free, 6),
    "nothing": ((), Translational, 3),
}


@pytest.mark.parametrize(("dofs", "kind", "free"), ROOTS.values(), ids=ROOTS.keys())
def test_roots(dofs: tuple[Dof, ...], kind: type, free: int) -> None:
    s = figure(joint("root", -1, *dofs), joint("arm", 0, hinge("z"), slide("x")))
    model = Multibody.from_skeleton(s)
    assert isinstance(model.bodies[0].joint, kind) and model.nv == free + 2
    fixed = Multibody.from_skeleton(s, fixed_base=True)
    assert fixed.nv == s.n_dofs
    rng = np.random.default_rng(6)
    for _ in range(5):
        q, qdot = rng.uniform(-1.2, 1.2, s.nq), rng.normal(size=s.nq)
        x, v = model.state_from_pose(q, qdot)
        assert_frames(s, model, q, x)
        back, rates = model.pose_from_state(x, near=q, v=v)
        assert back == pytest.approx(q, abs=1e-12)
        assert model.state_from_pose(back, rates)[1] == pytest.approx(v, abs=1e-11)
        h = 1e-6
        moved = (model.state_from_pose(q + h * qdot) - model.state_from_pose(q - h * qdot)) / (2.0 * h)
        assert v == pytest.approx(moved, abs=1e-8)
        here = Multibody.from_skeleton(s, fixed_base=True, pose=q)
        assert_frames(s, here, q, here.state_from_pose(q))
        assert here.pose_from_state(here.state_from_pose(q), near=q) == pytest.approx(q, abs=1e-12)


def test_a_ball_spread_over_joints_is_one_body() -> None:
    s = figure(
        joint("root", -1, *ROOTS["three hinges"][0]),
        joint("shoulder x", 0, hinge("x"), body=False),
        joint("shoulder y", 1, hinge("y"), body=False, offset=(0, 0, 0), orientation=(0, 0, 90)),
        joint("arm", 2, hinge("z"), offset=(0, 0, 0), orientation=(0, 90, 0)),
        joint("tattoo", 3, body=False),
        joint("hand", 4, hinge("y"), slide("x")),
        joint("mark", 5, body=False),
    )
    # x, then y of a frame turned by 90 degrees about z, which is -x again: no ball.
    assert [type(body.joint) for body in Multibody.from_skeleton(s).bodies] == [Free, Revolute, Composite]
    joints = [replace(one.as_given(), orientation=np.zeros(3)) if one.name == "shoulder y" else one for one in s.joints]
    joints[3] = replace(joints[3].as_given(), orientation=np.array([0.0, 0.0, 90.0]))
    s = Skeleton("figure", joints)
    model = Multibody.from_skeleton(s)
    assert model.figure is not None
    assert model.names == ("root", "arm", "hand")
    assert [type(body.joint) for body in model.bodies] == [Free, Spherical, Composite]
    assert model.figure.joint_body.tolist() == [0, 1, 1, 1, 1, 2, 2]
    assert model.figure.inside.tolist() == [False, True, True, False, False, False, False]
    rng = np.random.default_rng(7)
    for _ in range(5):
        q, qdot = rng.uniform(-1.2, 1.2, s.nq), rng.normal(size=s.nq)
        x, v = model.state_from_pose(q, qdot)
        assert_frames(s, model, q, x)
        back, rates = model.pose_from_state(x, near=q, v=v)
        assert back == pytest.approx(q, abs=1e-12) and rates == pytest.approx(qdot, abs=1e-11)


def test_oblique_and_two_hinges_stay_hinges() -> None:
    oblique = (hinge("x"), hinge(np.array([1.0, 1.0, 0.0])), hinge("z"))
    s = figure(joint("root", -1), joint("a", 0, *oblique), joint("b", 1, hinge("x"), hinge("y")), joint("c", 2))
    model = Multibody.from_skeleton(s, fixed_base=True)
    assert [len(body.joint.steps or ()) for body in model.bodies] == [0, 3, 2, 0]
    assert isinstance(model.bodies[0].joint, Fixed) and isinstance(model.bodies[3].joint, Fixed)
    q = np.random.default_rng(8).uniform(-3, 3, s.nq)
    q[:3] = 0.0
    assert np.array_equal(model.state_from_pose(q), q[3:])
    assert_frames(s, model, q, q[3:])


def test_what_moves_no_mass_is_held_as_the_pose_has_it() -> None:
    ball = (hinge("x"), hinge("y"), hinge("z"))
    s = figure(
        joint("root", -1, *ball),
        joint("helper", 0, *ball, body=False),  # in front of a ball it adds but a spin about its own length
        joint("arm", 1, *ball),
        joint("palm", 2, *ball, body=False),
        joint("hand", 3, *ball, offset=(0, 0, 0)),
        joint("thumb", 3, hinge("x"), slide("y"), body=False),
        joint("nail", 5, hinge("z"), body=False),
    )
    rng = np.random.default_rng(9)
    pose = rng.uniform(-1.0, 1.0, s.nq)
    model = Multibody.from_skeleton(s, pose=pose)
    assert model.figure is not None
    assert model.names == ("root", "arm", "hand") and model.nv == 12
    assert [s.joint_names[s.dof_joints[dof]] for dof in model.figure.held] == (
        ["helper"] * 3 + ["thumb", "thumb", "nail"]
    )
    q = pose + 0.1 * rng.normal(size=s.nq)
    q[[3 + dof for dof in model.figure.held]] = pose[[3 + dof for dof in model.figure.held]]
    x = model.state_from_pose(q)
    assert_frames(s, model, q, x)
    assert model.pose_from_state(x, near=q) == pytest.approx(q, abs=1e-12)
    # The thumb weighs nothing: it is shown as a pose has it. The helper does not move.
    other = q + 0.1
    shown = model.pose_from_state(x, near=other)
    thumb = [3 + s.first_dof[5] + k for k in range(3)]
    assert shown[thumb] == pytest.approx(other[thumb], abs=1e-15)
    bodies = [0, 2, 4]
    assert forward_kinematics(s, shown)[bodies] == pytest.approx(forward_kinematics(s, q)[bodies], abs=1e-12)
    assert not model.pose_from_state(x, v=np.ones(model.nv))[1][thumb].any()


def test_hinges_beside_a_ball_at_the_same_place_are_part_of_its_turn() -> None:
    s = figure(
        joint("root", -1, hinge("y"), hinge("x")),
        joint("palm", 0, hinge("x"), hinge("y"), hinge("z"), body=False),
        joint("hand", 1, hinge("y"), hinge("x"), hinge("z"), offset=(0, 0, 0)),
        joint("finger", 2, hinge("x"), hinge("y"), hinge("z"), body=False),
        joint("tip", 3, hinge("x"), offset=(0, 0, 0)),
        joint("wheel", 4, hinge("x"), hinge("z"), hinge("x"), hinge("y")),
    )
    model = Multibody.from_skeleton(s)
    assert model.figure is not None and not model.figure.held
    assert [type(body.joint) for body in model.bodies[1:]] == [Spherical] * 3
    rng = np.random.default_rng(11)
    heavy = [0, 2, 4, 5]
    for _ in range(5):
        q, qdot = rng.uniform(-1.2, 1.2, s.nq), rng.normal(size=s.nq)
        x, v = model.state_from_pose(q, qdot)
        assert_frames(s, model, q, x)
        assert model.pose_from_state(x, near=q) == pytest.approx(q, abs=1e-12)
        near = q + 0.1 * rng.normal(size=s.nq)
        back, rates = model.pose_from_state(x, near=near, v=v)
        assert forward_kinematics(s, back)[heavy] == pytest.approx(forward_kinematics(s, q)[heavy], abs=1e-12)
        x_again, v_again = model.state_from_pose(back, rates)
        assert x_again == pytest.approx(x, abs=1e-11) and v_again == pytest.approx(v, abs=1e-10)
        h = 1e-6
        moved = (model.state_from_pose(q + h * qdot) - model.state_from_pose(q - h * qdot)) / (2.0 * h)
        assert v == pytest.approx(moved, abs=1e-7)


@pytest.mark.verify
def test_random_figures() -> None:
    rng = np.random.default_rng(10)
    taken = 0
    for seed in range(40):
        bare = random_figure(seed, joints=10)
        weights = [float(rng.uniform(0.5, 2.0)) if rng.random() < 0.7 else None for _ in bare.joints]
        s = Skeleton("random", [replace(one.as_given(), mass=m) for one, m in zip(bare.joints, weights, strict=True)])
        pose = rng.uniform(-1.0, 1.0, s.nq)
        try:
            model = Multibody.from_skeleton(s, bool(seed % 2), pose=pose)
        except DynamicsError as error:
            assert "independent" in str(error) or "independently" in str(error)  # two slides along one axis, say
            continue
        taken += 1
        assert model.figure is not None
        q = pose + rng.uniform(-1.0, 1.0, s.nq)
        kept = [3 + dof for dof in model.figure.held] + ([0, 1, 2] if seed % 2 else [])
        q[kept] = pose[kept]
        x = model.state_from_pose(q)
        assert_frames(s, model, q, x)
        assert forward_kinematics(s, model.pose_from_state(x, near=q)) == pytest.approx(
            forward_kinematics(s, q), abs=1e-9
        )
        assert np.linalg.eigvalsh(model.mass_matrix(x))[0] > 0.0
    assert taken > 25


# -- what a figure tells about forces ----------------------------------------------------------------------------------


def test_physical_values_and_limits_are_carried() -> None:
    values = {
        "stiffness": (20.0, 0.5),
        "damping": 0.3,
        "viscous": 0.1,
        "coulomb": (0.2, 0.01, 0.02),
        "motor": 1.5,
    }
    s = figure(
        joint("root", -1, hinge("y"), hinge("x"), hinge("z")),
        joint("arm", 0, hinge("x", -1.0, 2.0), slide("y", 0.0, 0.5), **values),
        joint("hand", 1, hinge("x", -1, 1), hinge("y", -1, 1), hinge("z", -1, 1)),
    )
    model = Multibody.from_skeleton(s)
    plain, arm, hand = model.joint_physics
    assert plain[:3] == (0, 0, (3, 4, 5)) and hand.coordinates == (8, 9, 10) and not any(hand[3:8])
    assert arm == (1, 1, (6, 7), 20.0, 0.5, 0.3, 0.1, 0.2, 0.01, 0.02, 1.5)
    assert model.limits[6:8].tolist() == [[-1.0, 2.0], [0.0, 0.5]]
    assert np.isinf(model.limits[[*range(6), 8, 9, 10]]).all()
    with pytest.raises(ValueError, match="read-only"):
        model.limits[0, 0] = 1.0


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_figures_that_make_no_model_are_refused_by_the_joints_name() -> None:
    root = joint("root", -1, hinge("x"))
    box = with_box("lid", 0, (0, 1, 0), box_mesh((0, 0, 0), (1, 1, 1)), (hinge("x"),))
    twice = joint("wheel", 0, hinge("x"), hinge("x"))
    flat = joint("plate", 0, hinge("x"), inertia=np.diag([1.0, 1.0, 2.5]))
    cases = {
        '"bare" has no mass': Skeleton("bare", [Joint("a", -1, dofs=(hinge("x"),)), Joint("b", 0, offset=[0, 1, 0])]),
        'joint "arm" has scale 1 2 1': figure(root, joint("arm", 0, hinge("x"), scale=(1, 2, 1))),
        'joint "lid" moves a body part of mass 0': figure(root, replace(box, mass=0.0)),
        'body "wheel": its composite joint has 2 coordinates': figure(root, twice),
        'body "plate": its inertia .* breaks the triangle': figure(root, flat),
    }
    for message, s in cases.items():
        with pytest.raises(DynamicsError, match=message):
            Multibody.from_skeleton(s)
    assert Multibody.from_skeleton(figure(root, replace(box, mass=0.0, dofs=(), dof_labels=()))).names == ("root",)


def test_poses_and_rates_are_checked() -> None:
    s, model = bundled("human"), model_of("human")
    q = s.rest_pose()
    for bad in (q[1:], np.full(s.nq, np.nan)):
        for call in (model.state_from_pose, lambda pose: model.pose_from_state(model.state_from_pose(q), near=pose)):
            with pytest.raises(PoseError):
                call(bad)
        with pytest.raises(PoseError):
            Multibody.from_skeleton(s, pose=bad)
        with pytest.raises(DynamicsError, match="qdot"):
            model.state_from_pose(q, bad)
        with pytest.raises(DynamicsError, match="x"):
            model.pose_from_state(bad)
        with pytest.raises(DynamicsError, match="v"):
            model.pose_from_state(model.state_from_pose(q), v=bad)
    rod = Multibody([Body("rod", -1, Prismatic(), inertia=SpatialInertia.sphere(1.0, 1.0))])
    with pytest.raises(DynamicsError, match="no figure"):
        rod.state_from_pose(q)
    assert rod.limits.tolist() == [[-math.inf, math.inf]]


def test_recorded_motion_goes_through_the_model(data_folder: Path) -> None:
    """Figures of motion files have joints that weigh nothing; poses of the recording come back to what is seen."""
    project = load(data_folder / "bvh/cmu_12_01_walk.bvh")
    s, sequence = project.figures[0], project.sequences[0]
    poses = sequence.poses(np.linspace(0.0, 2.0, 7))
    model = Multibody.from_skeleton(s, pose=poses[0])
    assert model.figure is not None
    assert len(model.figure.held) < 20
    for q in poses:
        assert_frames(s, model, q, model.state_from_pose(q))
        assert model.pose_from_state(model.state_from_pose(q), near=q) == pytest.approx(q, abs=1e-9)


@pytest.mark.verify
def test_joints_of_every_type_are_the_types_own() -> None:
    s, model = bundled("joints"), model_of("joints", True)
    for i, one in enumerate(s.joints):
        joint_type, made = one.type, model.bodies[i].joint
        if joint_type is not None and joint_type.n > 1:
            assert made == joint_type, one.name
    rng = np.random.default_rng(12)
    q, v = poses_of(s, 12)[1], rng.normal(size=model.nv)
    q[:3] = 0.0
    x = model.state_from_pose(q)
    accelerations = [model.forward_dynamics(x, v, formulation=name) for name in ("recursive", "redmax", "maximal")]
    assert accelerations[1] == pytest.approx(accelerations[0], rel=1e-9, abs=1e-9 * np.abs(accelerations[0]).max())
    assert accelerations[2] == pytest.approx(accelerations[0], rel=1e-9, abs=1e-9 * np.abs(accelerations[0]).max())
    # Euler angles go on in other orders; the pose has them in its own, on the branch that they came from.
    home, before = model, q
    for _ in range(60):
        model, x, v = model.rechart(x + 0.05 * v, v)
        back, rates = model.pose_from_state(x, near=before, v=v)
        x_home, v_home = home.state_from_pose(back, rates)
        assert home.body_poses(x_home) == pytest.approx(model.body_poses(x), abs=1e-9)
        assert home.body_twists(x_home, v_home) == pytest.approx(model.body_twists(x, v), abs=1e-6)
        before = back
    assert model is not home


def test_a_root_on_a_straight_rail_stays_on_it() -> None:
    rail = SplineCurve(se3.transform(translation=[(0.5 * k, 0.1, 0.0) for k in range(5)]), closed=False)
    root = joint("car", -1, *type_dofs(rail), type=rail)
    s = figure(root, joint("load", 0, hinge("x")))
    model = Multibody.from_skeleton(s)
    assert model.nv == 2 and model.bodies[0].joint == rail
    q = np.array([0.0, 0.0, 0.0, 1.3, 0.4])
    assert_frames(s, model, q, model.state_from_pose(q))
    assert model.pose_from_state(model.state_from_pose(q)) == pytest.approx(q, abs=1e-12)
