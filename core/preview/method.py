"""What of a scene an integrator for bodies and their joints alone leaves out, and the step of contacts does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.animation.hybrid_strips import MOTOR
from core.constraints.loop_locks import is_loop_lock
from core.dynamics.integrators import INTEGRATORS, Integrator
from core.skeleton.cones import cones_of
from core.skeleton.dof import HINGE

if TYPE_CHECKING:
    from core.animation.sequence import Sequence
    from core.preview.settings import PhysicsSettings


def left_out(settings: PhysicsSettings, sequence: Sequence) -> tuple[str, ...]:
    """Return what is in a scene that the chosen integrator does not simulate, in a few words each.

    Args:
        settings: The settings of the simulation.
        sequence: Motion of the figure, with its locks and hybrid strips.
    """
    kind = next((kind for kind in INTEGRATORS if kind.name == settings.integrator), None)
    if kind is None:
        return ()
    found = []
    if settings.floor is not None:
        found.append("the floor")
    for items, name in ((settings.obstacles, "obstacle"), (settings.strings, "string")):
        found += _counted(len(items), name)
    if settings.self_contact or settings.rigid_bodies:
        found.append("contact between bodies")
    skeleton = sequence.skeleton
    locks = sum(not is_loop_lock(skeleton, lock) for lock in sequence.locks)
    found += _counted(len(sequence.locks.strips) + locks, "lock")
    if not kind.equalities:
        found += _counted(sum(len(joint.loops) for joint in skeleton.joints), "closed loop")
        found += _counted(sum(len(joint.follows) for joint in skeleton.joints), "follower")
    found += _limits(kind, sequence)
    if any(joint.coulomb is not None and joint.coulomb[0] > 0.0 and joint.dofs for joint in sequence.skeleton.joints):
        found.append("dry friction in joints")
    strips = sequence.hybrid_strips
    if any(strip.mode == MOTOR for strip in strips):
        found.append("motors to keys")
    if any(strip.eases[0] > 0.0 for strip in strips):
        found.append("easing in")
    if any(strip.end is not None and strip.eases[1] > 0.0 for strip in strips):
        found.append("the way back to keys")
    return tuple(found)


def _counted(count: int, name: str) -> list[str]:
    return [f"{count} {name}{'s' * (count != 1)}"] if count else []


def _limits(kind: type[Integrator], sequence: Sequence) -> list[str]:
    skeleton = sequence.skeleton
    bound = np.isfinite(skeleton.limits).any(axis=1)
    if not kind.limits and (bound.any() or len(cones_of(skeleton).joints)):
        return ["limits of joints"]
    turns = np.array([dof.kind == HINGE for dof in skeleton.all_dofs])
    hinges = np.bincount(np.asarray(skeleton.dof_joints)[turns & bound], minlength=1)
    return ["limits of ball joints"] if (hinges >= 3).any() or len(cones_of(skeleton).joints) else []
