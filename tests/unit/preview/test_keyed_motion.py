"""What the physics of keyed motion is reported to be, against motions whose physics is known by heart."""

import numpy as np
import pytest
import scipy.special

from core.animation import Key, LockStrip, Sequence
from core.constraints import Lock
from core.dynamics import Multibody
from core.dynamics.contact.world import World
from core.errors import Cancelled, DynamicsError
from core.formats import bundled_folder, load
from core.kinematics import forward_kinematics
from core.preview.keyed_motion import ground_share, keyed_dynamics, keyed_states
from core.skeleton import Joint, Skeleton
from core.spatial import so3
from tests.support.figures import chain, fork, hinge

G = 9.81
HALF_PERCENT = 5e-3


# -- motions with closed forms -----------------------------------------------------------------------------------------

MASS, LENGTH, MOMENT = 2.0, 0.8, 0.15  # [kg], [m] from the axis to the centre, [kg m^2] about the centre


def pendulum() -> Skeleton:
    base = Joint("base", -1)
    inertia = np.diag([MOMENT, 0.01, MOMENT])
    return Skeleton(
        "pendulum",
        [base, Joint("bob", 0, dofs=(hinge("z"),), mass=MASS, center=np.array([0, -LENGTH, 0]), inertia=inertia)],
    )


def swing(times: np.ndarray, top: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angle, rate and acceleration of a pendulum let go at the angle ``top``, in closed form."""
    about = MOMENT + MASS * LENGTH**2
    w2 = MASS * G * LENGTH / about
    k = np.sin(0.5 * top)
    sn, cn, *_ = scipy.special.ellipj(np.sqrt(w2) * times + scipy.special.ellipk(k * k), k * k)
    angle = 2.0 * np.arcsin(k * sn)
    return angle, 2.0 * k * np.sqrt(w2) * cn, -w2 * np.sin(angle)


def body() -> Skeleton:
    """A free symmetric top."""
    dofs = (hinge("x"), hinge("y"), hinge("z"))
    inertia = np.diag([0.4, 0.1, 0.4])
    return Skeleton("top", [Joint("top", -1, dofs=dofs, mass=3.0, center=np.array([0.1, 0.2, -0.1]), inertia=inertia)])


def tumble(times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rotations, centres, the constant angular momentum and speed at the start of the top in free flight."""
    a, c = 0.4, 0.1
    w = np.array([2.0, 5.0, 1.0])  # at the start, in its own axes, which are those of the world then
    momentum = np.array([a, c, a]) * w
    own = np.array([0.0, w[1] * (1.0 - c / a), 0.0])
    turns = so3.exp(times[:, None] * momentum / a) @ so3.exp(times[:, None] * own)
    speed = np.array([1.5, 4.0, -0.5])
    centers = np.array([0.0, 1.0, 0.0]) + times[:, None] * speed
    centers[:, 1] -= 0.5 * G * times**2
    return turns, centers, momentum, speed


def keyed(s: Skeleton, frames: np.ndarray, poses: np.ndarray, fps: float, **values: str) -> Sequence:
    keys = [Key(int(f), q, **values) for f, q in zip(frames, poses, strict=True)]
    return Sequence(s, fps=fps, keys=keys)


def flight(frames: np.ndarray, fps: float) -> tuple[Sequence, np.ndarray, np.ndarray]:
    s = body()
    turns, centers, momentum, speed = tumble(frames / fps)
    model = Multibody.from_skeleton(s)
    poses, near = [], s.rest_pose()
    for R, c in zip(turns, centers, strict=True):
        x = np.concatenate([c - R @ s.joints[0].center, so3.log(R)])
        near = model.pose_from_state(x, near=near)
        poses.append(near)
    return keyed(s, frames, np.array(poses), fps), momentum, speed


# -- dense keys --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("top", [0.4, 2.2])
def test_pendulum_with_a_key_at_each_frame(fps, top):
    frames = np.arange(int(2.0 * fps) + 1)
    angle, rate, acceleration = swing(frames / fps, top)
    poses = np.zeros((len(frames), 4))
    poses[:, 3] = angle
    motion = keyed_dynamics(keyed(pendulum(), frames, poses, fps))
    about = MOMENT + MASS * LENGTH**2
    kinetic, potential = 0.5 * about * rate**2, -MASS * G * LENGTH * np.cos(angle)
    swung = MASS * G * LENGTH * (1.0 - np.cos(top))
    assert np.abs(motion.kinetic - kinetic).max() < HALF_PERCENT * swung
    assert np.abs(motion.potential - potential).max() < 1e-9 * swung
    assert np.ptp(motion.total) < HALF_PERCENT * swung
    speed = LENGTH * rate[:, None] * np.column_stack([np.cos(angle), np.sin(angle), 0.0 * angle])
    assert np.abs(motion.velocity - speed).max() < HALF_PERCENT * np.abs(speed).max()
    assert np.abs(motion.momentum[:, 2] - MOMENT * rate).max() < HALF_PERCENT * MOMENT * np.abs(rate).max()
    # It swings by itself: nothing has to turn it, and its bearing has to carry what keeps it on the circle.
    assert np.abs(motion.torques).max() < HALF_PERCENT * about * np.abs(acceleration).max()
    pull = MASS * (G * np.cos(angle) + LENGTH * rate**2)
    along = np.column_stack([-np.sin(angle), np.cos(angle)])
    assert np.abs((motion.root_wrench[:, 3:5] * along).sum(axis=1) - pull).max() < HALF_PERCENT * pull.max()


@pytest.mark.parametrize("fps", [30.0, 60.0])
def test_free_flight_with_a_key_at_each_frame(fps):
    frames = np.arange(int(0.8 * fps) + 1)
    sequence, momentum, speed = flight(frames, fps)
    motion = keyed_dynamics(sequence)
    level = 0.5 * 3.0 * (speed @ speed)
    assert np.abs(motion.momentum[:, :3] - momentum).max() < HALF_PERCENT * np.linalg.norm(momentum)
    assert np.abs(motion.acceleration - [0.0, -G, 0.0]).max() < HALF_PERCENT * G
    assert np.abs(motion.ground_wrench[:, 3:]).max() < HALF_PERCENT * 3.0 * G
    assert np.ptp(motion.total) < HALF_PERCENT * level
    fine = keyed_dynamics(sequence, np.arange(4.0, frames[-1] - 4.0, 0.1))  # whole frames or not
    assert np.abs(fine.momentum[:, :3] - momentum).max() < HALF_PERCENT * np.linalg.norm(momentum)
    assert np.abs(fine.acceleration - [0.0, -G, 0.0]).max() < HALF_PERCENT * G


# -- sparse keys -------------------------------------------------------------------------------------------------------


def test_flight_keyed_now_and_then_is_as_good_as_its_spline():
    # Between the first and the last span a spline through evenly spaced points of a parabola is the parabola.
    frames = np.arange(0, 49, 6)
    s = body()
    poses = np.zeros((len(frames), 6))
    poses[:, 0] = 2.0 * frames / 60.0
    poses[:, 1] = 3.0 * frames / 60.0 - 0.5 * G * (frames / 60.0) ** 2
    motion = keyed_dynamics(keyed(s, frames, poses, 60.0, interp="spline"), np.arange(9.0, 39.5, 0.5))
    assert np.abs(motion.acceleration - [0.0, -G, 0.0]).max() < 1e-6 * G
    assert np.abs(motion.velocity[:, 0] - 2.0).max() < 1e-9
    assert np.abs(motion.ground_wrench).max() < 1e-5


def test_between_keys_it_is_the_derivative_of_what_is_shown():
    s = fork()
    rng = np.random.default_rng(3)
    frames = np.arange(0, 61, 20)
    sequence = keyed(s, frames, rng.uniform(-0.8, 0.8, (len(frames), s.nq)), 60.0)
    at = np.array([27.0, 30.0, 33.0])
    motion = keyed_dynamics(sequence, at)
    h = 1e-3  # frames
    model = Multibody.from_skeleton(s)
    for f, v in zip(at, motion.velocity, strict=True):
        a, b = (model.center_of_mass(model.state_from_pose(sequence.pose_at_frame(f + d))) for d in (-h, h))
        assert np.abs((b - a) / (2.0 * h / 60.0) - v).max() < HALF_PERCENT * np.linalg.norm(v)


def test_outside_of_the_keys_nothing_moves_and_the_ends_are_those_of_the_motion():
    frames = np.arange(10, 31)
    s = body()
    poses = np.zeros((len(frames), 6))
    poses[:, 0] = 2.0 * frames / 60.0
    motion = keyed_dynamics(keyed(s, frames, poses, 60.0), [0, 9, 10, 30, 31, 50])
    assert np.allclose(motion.velocity[:, 0], [0.0, 0.0, 2.0, 2.0, 0.0, 0.0], atol=1e-9)
    assert np.allclose(motion.ground_wrench[:, 4], 3.0 * G)


# -- figures -----------------------------------------------------------------------------------------------------------


def test_agrees_with_inverse_dynamics_of_the_model():
    s = fork()
    rng = np.random.default_rng(7)
    steps = np.arange(41)[:, None] / 60.0
    poses = 0.6 * np.sin(rng.uniform(1.0, 4.0, s.nq) * steps + rng.uniform(0.0, 6.0, s.nq))
    sequence = keyed(s, np.arange(41), poses, 60.0)
    at = np.array([8.0, 17.0, 29.5])
    motion = keyed_dynamics(sequence, at)
    model = Multibody.from_skeleton(s)
    x, v, vdot = keyed_states(sequence, model, at)
    for i, q in enumerate(motion.poses):
        tau = model.inverse_dynamics(x[i], v[i], vdot[i])
        rates = np.array([model.state_from_pose(q, unit)[1] for unit in np.eye(s.nq)])
        dual = rates @ tau  # to the rates of the pose's values
        scale = np.abs(dual).max()
        assert np.abs(dual[3:] - motion.torques[i]).max() < 1e-3 * scale
        assert np.abs(dual[:3] - motion.root_wrench[i, 3:]).max() < 1e-3 * scale
        assert motion.kinetic[i] == pytest.approx(model.energy(x[i], v[i])[0], rel=1e-3)
        L = model.momentum(x[i], v[i])
        about = L[:3] - np.cross(motion.center_of_mass[i], L[3:])
        assert np.abs(np.concatenate([about, L[3:]]) - motion.momentum[i]).max() < 1e-3 * np.abs(L).max()


def test_a_ball_that_turns_through_half_a_turn_does_not_jump():
    s = Skeleton("ball", [Joint("ball", -1, dofs=(hinge("x"), hinge("y"), hinge("z")), mass=1.0)])
    frames = np.arange(61)
    poses = np.zeros((61, 6))
    poses[:, 4] = 0.1 * frames - 1.5  # through a half and a whole turn
    sequence = keyed(s, frames, poses, 30.0)
    motion = keyed_dynamics(sequence)
    turning = np.abs(motion.momentum[:, 1])
    assert np.ptp(turning) < 1e-9 * turning.max() and turning.max() > 0.0
    model = Multibody.from_skeleton(s)
    x, v, vdot = keyed_states(sequence, model)
    w = [model.body_twists(a, b)[0, :3] for a, b in zip(x, v, strict=True)]
    assert np.allclose(w, [0.0, 3.0, 0.0], atol=1e-8)
    assert np.abs([model.inverse_dynamics(*row)[3:] for row in zip(x, v, vdot, strict=True)]).max() < 1e-9


def test_a_man_who_stands_is_carried_by_the_ground():
    man = load(bundled_folder() / "human.scr").figures[0]
    motion = keyed_dynamics(Sequence(man, keys=[Key(0, man.rest_pose())]), [0.0])
    assert np.allclose(motion.ground_wrench[0], [0, 0, 0, 0, motion.mass * G, 0], atol=1e-9)


def test_the_ground_bears_who_stands():
    man = load(bundled_folder() / "human.scr").figures[0]
    sequence = Sequence(man, keys=[Key(0, man.rest_pose())])
    hangs, stands = keyed_dynamics(sequence, [0.0]), keyed_dynamics(sequence, [0.0], world=World())
    parts = [man.joints[joint].name for joint in man.dof_joints]
    leg = np.array([name.split()[-1] in ("thigh", "shank", "foot", "toes") for name in parts])
    assert np.array_equal(hangs.ground_wrench, stands.ground_wrench)
    assert np.allclose(hangs.torques[0, ~leg][3:], stands.torques[0, ~leg][3:], atol=1e-9)
    assert np.abs(stands.torques[0, :3]).max() < 1e-9  # nothing but the ground holds the pelvis
    assert np.abs(stands.torques[0, leg]).max() > 3.0 * np.abs(hangs.torques[0, leg]).max()
    left, right = ([name == f"{side} foot" for name in parts] for side in ("left", "right"))
    assert np.allclose(np.abs(stands.torques[0, left]), np.abs(stands.torques[0, right]), rtol=1e-3, atol=1e-2)
    # Lifted off the ground it is as if it hung.
    high = Sequence(man, keys=[Key(0, man.rest_pose() + np.eye(man.nq)[1])])
    assert np.allclose(keyed_dynamics(high, [0.0], world=World()).torques, hangs.torques, atol=1e-9)


def test_what_bears_a_figure_makes_up_the_wrench():
    man = load(bundled_folder() / "human.scr").figures[0]
    frames = forward_kinematics(man, man.rest_pose())
    center, wrench = np.array([0.02, 0.95, 0.01]), np.array([3.0, 1.0, -4.0, 20.0, 700.0, -15.0])
    bearings = ground_share(man, frames, center, wrench, World())
    assert {man.joints[each.joint].name.split()[-1] for each in bearings} == {"foot", "toes"}
    force = sum(each.force for each in bearings)
    moment = sum(each.moment + np.cross(each.point - center, each.force) for each in bearings)
    assert np.allclose([*moment, *force], wrench, atol=1e-9)
    assert ground_share(man, frames, center, -wrench, World()) == []


def test_locks_count():
    s = chain(4)
    s = Skeleton("held", [Joint(j.name, j.parent, j.offset, dofs=j.dofs, mass=1.0) for j in s.joints])
    poses = np.zeros((2, s.nq))
    poses[:, 3:] = 0.3
    poses[1, 0] = 0.1
    free = keyed(s, np.array([0, 30]), poses, 30.0)
    locked = keyed(s, np.array([0, 30]), poses, 30.0)
    point = np.array([0.0, 0.1, 0.0])
    target = (_place(s, poses[0], "j3") @ [*point, 1.0])[:3]
    locked.locks.strips = [LockStrip(Lock("j3", "position", point=point, target=target), 0)]
    a, b = (keyed_dynamics(each, [15.0]).velocity[0] for each in (free, locked))
    assert np.linalg.norm(a - b) > 0.2 * np.linalg.norm(a)


def _place(s: Skeleton, q: np.ndarray, joint: str) -> np.ndarray:
    return forward_kinematics(s, q)[s.joint_index(joint)]


def test_what_has_no_mass_is_refused_and_cancelling_stops():
    with pytest.raises(DynamicsError, match="no mass"):
        keyed_dynamics(Sequence(chain(3)))
    motion: list[float] = []
    sequence = keyed(pendulum(), np.arange(200), np.zeros((200, 4)), 30.0)
    keyed_dynamics(sequence, progress=motion.append)
    assert motion == sorted(motion) and motion[-1] == 1.0
    with pytest.raises(Cancelled):
        keyed_dynamics(sequence, cancelled=lambda: True)
