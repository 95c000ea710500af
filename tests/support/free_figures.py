"""Bodies that float freely with everything acting inside that a stepper knows: for what must not change momentum."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from core.dynamics import Body, Multibody
from core.dynamics.contact.figure_shapes import figure_geometries
from core.dynamics.contact.world import World
from core.dynamics.engine import Stepper, StepSettings
from core.dynamics.forces import JointDamping
from core.formats.bundled import bundled_folder
from core.joints import Composite, Free, FreeRotationFirst, JointModel, Prismatic, Revolute, Spherical
from core.skeleton.scr.reader import load_skeleton
from core.spatial import SpatialInertia, se3

Array = NDArray[np.float64]

STEP = 1.0 / 240.0
NOTHING = World(gravity=np.zeros(3), floor=None)
SLANTED = Composite(Revolute((1, 0, 0)), Revolute((0.6, 0.8, 0)), Revolute((0, 0.6, 0.8)))


def in_a_row(*joints: JointModel, root: JointModel | None = None) -> Multibody:
    """Return boxes of 3 kg, 1.2 kg and less, each on the one before by one of the joints; the first floats."""
    bodies = [Body("0", -1, Free() if root is None else root, inertia=SpatialInertia.box(3.0, (0.3, 0.2, 0.5)))]
    for k, joint in enumerate(joints, start=1):
        inertia = SpatialInertia.box(1.2 / k, (0.1, 0.4, 0.15), center=(0.03, -0.2, 0.02))
        bodies.append(Body(str(k), k - 1, joint, se3.transform(None, (0.1, -0.15, 0.05)), inertia=inertia))
    return Multibody(bodies)


def stepper_of(model: Multibody, seed: int = 3, **more: object) -> Stepper:
    """Return a stepper of a model in nothing, tumbling."""
    more.setdefault("world", NOTHING)
    more.setdefault("settings", StepSettings(step=STEP, sleep=False))
    stepper = Stepper(model, **more)  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    stepper.set_state(rng.uniform(-0.3, 0.3, model.nq), rng.normal(size=model.nv))
    return stepper


def viscous() -> Stepper:
    """A ball joint with mu."""
    model = in_a_row(Spherical())
    return stepper_of(model, forces=[JointDamping("1", 0.3)])


def slanted() -> Stepper:
    """Three hinges that are not at right angles, with friction, and one with a slide."""
    model = in_a_row(SLANTED, Composite(Revolute((0, 0, 1)), Prismatic((0, 1, 0))))
    limits = np.tile([-np.inf, np.inf], (model.nq, 1))
    limits[-1] = -0.1, 0.1
    return stepper_of(model, forces=[JointDamping("1", 0.2), JointDamping("2", 0.1)], limits=limits)


def spring_and_motor() -> Stepper:
    """A hinge with a spring, and one with a motor that turns it."""
    model = in_a_row(Revolute((0, 0.6, 0.8)), Revolute((1, 0, 0)))
    stepper = stepper_of(model)
    stiffness, torque, damping = np.zeros((3, model.nv))
    stiffness[6], torque[7], damping[7] = 8.0, 0.4, 0.05
    stepper.inputs.set_joint_forces(stiffness=stiffness, torque=torque, damping=damping)
    return stepper


def at_limits() -> Stepper:
    """Hinges that run into their limits, with friction."""
    model = in_a_row(Revolute((0, 0.6, 0.8)), Revolute((1, 0, 0)))
    limits = np.tile([-np.inf, np.inf], (model.nq, 1))
    limits[6:] = -0.35, 0.35
    stepper = stepper_of(model, limits=limits)
    stepper.inputs.set_joint_forces(damping=np.where(np.arange(model.nv) < 6, 0.0, 0.02))
    return stepper


def turned_first() -> Stepper:
    """As ``at_limits``, but the root turns before it slides."""
    model = in_a_row(Revolute((0, 0.6, 0.8)), Revolute((1, 0, 0)), root=FreeRotationFirst())
    stepper = stepper_of(model)
    stepper.inputs.set_joint_forces(damping=np.where(np.arange(model.nv) < 6, 0.0, 0.02))
    return stepper


def to_keys() -> Stepper:
    """A ball and a hinge that motors pull to keys."""
    model = in_a_row(Spherical(), Revolute((1, 0, 0)))
    stepper = stepper_of(model)
    kp = np.where(np.arange(model.nv) < 6, 0.0, 20.0)
    stepper.inputs.set_motors(kp, 0.1 * kp, np.full(model.nq, 0.4))
    return stepper


def prescribed() -> Stepper:
    """A hinge that turns as it is prescribed."""
    model = in_a_row(Spherical(), Revolute((1, 0, 0)))
    stepper = stepper_of(model)
    stepper.inputs.prescribe(np.arange(model.nv) == 9)
    stepper.inputs.target(np.full(model.nq, 0.4))
    return stepper


def human(world: World = NOTHING, settings: StepSettings | None = None) -> Stepper:
    """The human, tumbling: limits of joints act, and motors pull to a pose."""
    skeleton = load_skeleton(bundled_folder() / "human.scr")
    model = Multibody.from_skeleton(skeleton)
    settings = StepSettings(step=STEP, sleep=False) if settings is None else settings
    stepper = Stepper(model, figure_geometries(skeleton, model), world, settings=settings)
    rng = np.random.default_rng(5)
    stepper.set_state(model.state_from_pose(skeleton.rest_pose()), rng.normal(size=model.nv))
    kp = np.where(np.arange(model.nv) < 6, 0.0, 5.0)
    stepper.inputs.set_motors(kp, 0.05 * kp, 0.1 * rng.normal(size=model.nq))
    return stepper


ACTING: dict[str, Callable[[], Stepper]] = {
    "friction of a ball": viscous, "slanted hinges": slanted, "spring and motor": spring_and_motor,
    "limits": at_limits, "turned first": turned_first, "motors to keys": to_keys, "prescribed": prescribed,
    "human": human,
}  # fmt: skip


def impulse(stepper: Stepper) -> Array:
    """Return the impulse [L; P] of gravity in a step about the world's origin, shape (6,)."""
    weight = stepper.model.mass * np.asarray(stepper.world.gravity)
    return of_forces(stepper.readings.center_of_mass()[None], weight[None], stepper.settings.step)


def about_origin(stepper: Stepper) -> Array:
    """Return momentum [L; P], about the world's origin, shape (6,)."""
    both = stepper.readings.momentum()
    both[:3] += np.cross(stepper.readings.center_of_mass(), both[3:])
    return both


def of_contacts(stepper: Stepper) -> Array:
    """Return the impulse [L; P] of the contacts with the world in the step just taken, shape (6,)."""
    contacts = stepper.readings.contact_forces()
    contacts = contacts[contacts["body_b"] < 0]
    return of_forces(contacts["point"], contacts["force"], stepper.settings.step)


def of_forces(points: Array, forces: Array, step: float = STEP) -> Array:
    """Return the impulse [L; P] about the world's origin of forces at points in the world, both (k, 3), shape (6,)."""
    return step * np.concatenate([np.cross(points, forces).sum(axis=0), forces.sum(axis=0)])
