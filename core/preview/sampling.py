"""Samples of a simulation: what the stepper knows, told of the figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.dynamics.step import StepReport
from core.preview.sample import ContactForces, LockResidual, Sample

if TYPE_CHECKING:
    from core.preview.actor import Actor
    from core.preview.stage import Stage

Array = NDArray[np.float64]


def sample_of(
    stage: Stage, step: int, time: float, frame: float, before: Sample | None, report: StepReport | None
) -> Sample:
    """Return the sample of a simulation as it is.

    Args:
        stage: The simulation.
        step: Steps taken since the start.
        time: [s].
        frame: Frame of the first figure's sequence.
        before: The sample before, to whose angles those of this are near; None for the first.
        report: What the steps since then were like; None for the first.
    """
    stepper, model = stage.stepper, stage.model
    x, v = stepper.state()
    poses: list[Array] = []
    rates = np.zeros(0)
    for k, actor in enumerate(stage.actors):
        near = None if before is None else (before.q if k == 0 else before.others[k - 1])
        dynamic, _ = actor.moved_at(stage.keyed[k].frame(step))
        moved = actor.moved_values(dynamic)
        keyed = near if near is not None and moved.all() else stage.keyed[k].pose(step)
        pose, own = _pose(actor, keyed, moved, x[actor.span], v[actor.span], near)
        poses.append(_frozen(pose))
        if k == 0:
            rates, shown = own, dynamic
    actor = stage.actors[0]
    alone = len(model.bodies) == len(actor.model.bodies)
    if alone:
        kinetic, potential = stepper.energy()
        momentum, center = stepper.momentum(), stepper.center_of_mass()
    else:
        own_x, own_v = x[actor.span], v[actor.span]
        kinetic, potential = actor.model.energy(own_x, own_v)
        center = actor.model.center_of_mass(own_x)
        momentum = actor.model.momentum(own_x, own_v)
        momentum[:3] -= np.cross(center, momentum[3:])
    bodies = stepper.body_poses()
    things = stage.actors[-1].bodies.stop
    residuals: tuple[LockResidual, ...] = ()
    if any(stage.held):
        carried = stage.carried(step)
        frames = [keyed.frame(step) for keyed in stage.keyed]
        pairs = zip(stage.held, frames, strict=True)
        residuals = tuple(each for held, at in pairs for each in held.residuals(at, carried, poses))
    return Sample(
        time=time,
        frame=frame,
        q=poses[0],
        rates=_frozen(rates),
        others=tuple(poses[1:]),
        props=tuple(_frozen(pose) for pose in bodies[things:].copy()),
        shapes=stage.props,
        kinetic=float(kinetic),
        potential=float(potential),
        momentum=_frozen(momentum),
        center_of_mass=_frozen(center),
        velocity=_frozen(momentum[3:] / actor.model.mass),
        contacts=_contacts(stage, actor),
        torques=_frozen(_torques(stage, actor, poses[0])),
        lock_residuals=residuals,
        dynamic=shown,
        kkt=0.0 if report is None else report.kkt,
        fallbacks=0 if report is None else report.fallbacks,
        asleep=stepper.asleep,
    )


def _pose(
    actor: Actor, keyed: Array, moved: NDArray[np.bool_], x: Array, v: Array, near: Array | None
) -> tuple[Array, Array]:
    """Return a figure's pose and its rates: what keys move as they have it, the rest as the model has it."""
    q = np.where(moved, near, keyed) if near is not None else keyed.copy()
    if moved.any():
        found = actor.figure.pose(actor.model, x, q)
        q = np.where(moved, found, keyed)
    return q, actor.figure.pose_rates(actor.model, x, v, q)


def _contacts(stage: Stage, actor: Actor) -> ContactForces:
    found = stage.stepper.contact_forces()
    if not len(found):
        return ContactForces.none()
    joints = np.full(len(stage.model.bodies) + 1, -1, dtype=np.int64)
    joints[-1] = -2  # the world
    joints[actor.bodies] = [actor.names[name] for name in actor.model.names]
    a, b = found["body_a"].astype(np.int64), found["body_b"].astype(np.int64)
    points, normals, forces, friction = (np.array(found[name]) for name in ("point", "normal", "force", "mu"))
    # Where the figure's part is the second of the two, told the other way round: as what pushes it.
    other_way = (joints[a] < 0) & (joints[b] >= 0)
    normals[other_way], forces[other_way] = -normals[other_way], -forces[other_way]
    a, b = np.where(other_way, b, a), np.where(other_way, a, b)
    return ContactForces(*map(_frozen, (points, normals, forces, friction, joints[a], joints[b])))


def _torques(stage: Stage, actor: Actor, q: Array) -> Array:
    return actor.figure.pose_forces(q, stage.stepper.joint_torques()[actor.span])[3:]


def _frozen(array: Any) -> Any:
    array = np.ascontiguousarray(array)
    array.setflags(write=False)
    return array
