"""Samples of a simulation: what the stepper knows, as the figure has it.

What is looked at in every sample is worked out at once: poses, energy, momentum. The rest is noted in short, as the
stepper has it, and worked out when it is looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.engine import StepReport
from core.dynamics.engine.readings import ContactRecord
from core.dynamics.forces import Force, Path, PathForce
from core.dynamics.state import State
from core.preview.sample import ContactForces, LockResidual, Sample

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody
    from core.preview.actor import Actor
    from core.preview.stage import Moment, Stage

Ints = NDArray[np.int64]


def sample_of(
    stage: Stage,
    now: Moment,
    step: int,
    time: float,
    frame: float,
    before: Sample | None,
    report: StepReport | None,
    hanging: Callable[[list[Array], list[Array] | None], tuple[Array, ...]],
) -> Sample:
    """Return the sample of a simulation as it is.

    Args:
        stage: The simulation.
        now: Its state.
        step: Steps taken since the start.
        time: [s].
        frame: Frame of the first figure's sequence.
        before: The sample before, to whose angles those of this are near; None for the first.
        report: What the steps since then were like; None for the first.
        hanging: Gives where strands are, for the poses of the figures and those of the sample before.
    """  # fmt: skip
    stepper, actor = stage.stepper, stage.actors[0]
    x = now.x
    poses: list[Array] = []
    for k, each in enumerate(stage.actors):
        near = None if before is None else (before.q if k == 0 else before.others[k - 1])
        moves = each.moves_at(stage.keyed[k].frame(step))
        keyed = near if near is not None and moves.whole else stage.keyed[k].pose(step)
        poses.append(_frozen(_pose(each, keyed, moves.values, x[each.span], near)))
    alone = len(stage.actors) == 1 and not stage.rigid_bodies
    kinetic, potential, momentum, center = stepper.readings.motion(None if alone else actor.bodies)
    bodies = stepper.readings.body_poses(stage.actors[-1].bodies.stop)
    known = {
        "time": time,
        "frame": frame,
        "q": poses[0],
        "others": tuple(poses[1:]),
        "strands": hanging(poses, None if before is None else [before.q, *before.others]),
        "rigid_bodies": tuple(_frozen(pose) for pose in bodies),
        "shapes": stage.rigid_bodies,
        "kinetic": kinetic,
        "potential": potential,
        "momentum": _frozen(momentum),
        "center_of_mass": _frozen(center),
        "velocity": _frozen(momentum[3:] / actor.model.mass),
        "dynamic": actor.moves_at(stage.keyed[0].frame(step)).dynamic,
        "kkt": 0.0 if report is None else report.kkt,
        "fallbacks": 0 if report is None else report.fallbacks,
        "asleep": stepper.asleep,
    }
    deferred = Deferred(
        actor, x, now.rates, poses[0], stepper.readings.contact_record(), stage.joint_of_body,
        stepper.readings.joint_torques(), stage.residuals_later(step, poses),
        stage.model, stage.forces, time,
    )  # fmt: skip
    return Sample.later(known, deferred.by_name())


class Deferred(NamedTuple):
    """What some values of a sample are worked out from; nothing of it changes.

    Attributes:
        actor: The figure.
        x: Coordinates of all figures and rigid bodies.
        rates: What works out their rates.
        q: Pose of the figure.
        contacts: Contacts as the stepper has them.
        joints: What joint of the figure each body belongs to, see ``Stage.joint_of_body``.
        torques: What was exerted in each coordinate.
        residuals: What works out how the locks hold.
        model: All bodies.
        forces: Those of the settings, on bodies of the model.
        time: [s].
    """

    actor: Actor
    x: Array
    rates: Callable[[], Array]
    q: Array
    contacts: ContactRecord
    joints: Ints
    torques: Array
    residuals: Callable[[], tuple[LockResidual, ...]]
    model: Multibody
    forces: tuple[Force, ...]
    time: float

    def by_name(self) -> dict[str, Callable[[], Any]]:
        """Return what works each value out, by its name in a sample."""
        return {
            "rates": self._rates,
            "contacts": self._contacts,
            "torques": self._torques,
            "lock_residuals": self.residuals,
            "paths_of_forces": self._paths,
            "energies_of_all": self._energies,
        }

    def _energies(self) -> tuple[float, float]:
        return State(self.model, self.x, self.rates(), self.time).energy()

    def _paths(self) -> tuple[Path, ...]:
        acting = [force for force in self.forces if isinstance(force, PathForce)]
        state = State(self.model, self.x, self.rates(), self.time) if acting else None
        return tuple(force.path(state) for force in acting if state is not None)

    def _rates(self) -> Array:
        actor, span = self.actor, self.actor.span
        return _frozen(actor.figure.pose_rates(actor.model, self.x[span], self.rates()[span], self.q))

    def _torques(self) -> Array:
        return _frozen(self.actor.figure.pose_forces(self.q, self.torques[self.actor.span])[3:])

    def _contacts(self) -> ContactForces:
        found = self.contacts.forces()
        if not len(found):
            return ContactForces.none()
        joints, a, b = self.joints, found["body_a"].astype(np.int64), found["body_b"].astype(np.int64)
        points, normals, forces, friction = (np.array(found[name]) for name in ("point", "normal", "force", "mu"))
        # Where the figure's part is the second of the two, turned round: as what pushes it.
        reversed_pairs = (joints[a] < 0) & (joints[b] >= 0)
        normals[reversed_pairs], forces[reversed_pairs] = -normals[reversed_pairs], -forces[reversed_pairs]
        a, b = np.where(reversed_pairs, b, a), np.where(reversed_pairs, a, b)
        return ContactForces(*map(_frozen, (points, normals, forces, friction, joints[a], joints[b])))


def _pose(actor: Actor, keyed: Array, moved: NDArray[np.bool_], x: Array, near: Array | None) -> Array:
    """Return a figure's pose: what keys move as they have it, the rest as the model has it."""
    if not moved.any():
        return keyed.copy()
    q = np.where(moved, near, keyed) if near is not None else keyed.copy()
    return np.where(moved, actor.figure.pose(actor.model, x, q), keyed)


def _frozen(array: Any) -> Any:
    array = np.ascontiguousarray(array)
    array.setflags(write=False)
    return array
