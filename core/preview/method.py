"""What an integrator for bodies and their joints alone makes of a scene: what it works by, refuses and leaves out."""

from __future__ import annotations

import math
from collections.abc import Sequence as Seq
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.animation.hybrid_strips import HybridStrip
from core.constraints.loop_locks import is_loop_lock
from core.dynamics.contact.methods import CONTACT_METHODS, ContactMethod
from core.dynamics.hakenberg.model_bodies import bodies_of
from core.dynamics.integrators import INTEGRATORS, Integrator
from core.errors import CoreError, DynamicsError
from core.preview.actor import Actor, merged
from core.preview.keyed_coordinates import KeyedCoordinates, keys_refused
from core.preview.presets import PRESETS
from core.skeleton.cones import cones_of
from core.skeleton.dof import HINGE

if TYPE_CHECKING:
    from core.animation.sequence import Sequence
    from core.arrays import Array
    from core.dynamics.tree_model import TreeModel
    from core.preview.settings import PhysicsSettings


MAXIMAL = "maximal"
"""The formulation in whose coordinates contacts are found, too; bearings are not taken there."""


class Method(NamedTuple):
    """What the chosen integrator does with the chosen formulation and a scene.

    Attributes:
        formulation: The formulation that counts, which need not be the chosen one; None where the integrator has
            equations of its own.
        refusal: Why it does not take the scene, in a line; "" if it does.
    """

    formulation: str | None
    refusal: str


def method_of(
    settings: PhysicsSettings, sequence: Sequence, start_frame: float = 0.0, others: Seq[Sequence] = ()
) -> Method:
    """Return what a simulation would work by, and whether it would begin, without simulating.

    Args:
        settings: The settings of the simulation.
        sequence: Motion of the figure, with its hybrid strips.
        start_frame: Frame at which the simulation would begin.
        others: Motions of other figures that are there.
    """
    kind = _integrator(settings)
    if kind is None:
        return Method(None, "")
    gravity = settings.world.gravity
    strips = sequence.hybrid_strips or (HybridStrip((), math.floor(start_frame)),)
    actors: list[Actor] = []
    try:
        for each, its in ((sequence, strips), *((other, other.hybrid_strips) for other in others)):
            body, first = (actors[-1].bodies.stop, actors[-1].span.stop) if actors else (0, 0)
            actors.append(Actor(each, its, start_frame, gravity, body, first))
    except CoreError as error:
        return Method(settings.formulation, str(error))
    keyed = _keys_move(actors, start_frame)
    bound = kind.limits and any(np.isfinite(actor.model.limits).any() for actor in actors)
    formulation = kind.works_by(settings.formulation, keyed or bound)
    if contact_method(settings) is not None and settings.formulation == MAXIMAL:
        formulation = MAXIMAL  # contacts are found in maximal coordinates then
    if keyed and not kind.takes(KeyedCoordinates(0, np.zeros(0, dtype=np.intp), slice(0, 0), _still)):
        return Method(formulation, keys_refused(kind))
    try:
        check_joints(kind, formulation, merged(actors, [], gravity))  # rigid bodies float, which it takes
    except CoreError as error:
        return Method(formulation, str(error))
    return Method(formulation, "")


def check_joints(kind: Integrator | type[Integrator], formulation: str | None, model: TreeModel) -> None:
    """Check that what a simulation works by takes the joints of a model: Hakenberg's equations do not take all.

    Args:
        kind: The integrator.
        formulation: The formulation that counts; None where the integrator has equations of its own.
        model: The bodies and their joints.

    Raises:
        DynamicsError: If it does not; names the part, and what else could be chosen.
    """
    if "hakenberg" not in (kind.name, formulation):
        return
    try:
        bodies_of(model)
    except CoreError as error:
        other = "integrator" if kind.name == "hakenberg" else "method"
        raise DynamicsError(f"{error}; choose another {other}") from error


def left_out(settings: PhysicsSettings, sequence: Sequence) -> tuple[str, ...]:
    """Return what is in a scene that the chosen integrator does not simulate, in a few words each.

    Args:
        settings: The settings of the simulation.
        sequence: Motion of the figure, with its locks and hybrid strips.
    """
    kind = _integrator(settings)
    if kind is None:
        return ()
    found, meets = [], contact_method(settings)
    if meets is None:
        if settings.floor is not None:
            found.append("the floor")
        if settings.terrain is not None:
            found.append("the ground")
        found += _counted(len(settings.obstacles), "obstacle")
    found += _counted(len(settings.strings), "string")
    if meets is None and (settings.self_contact or settings.rigid_bodies):
        found.append("contact between bodies")
    skeleton = sequence.skeleton
    locks = sum(not is_loop_lock(skeleton, lock) for lock in sequence.locks)
    found += _counted(len(sequence.locks.strips) + locks, "lock")
    if not kind.equalities:
        found += _counted(sum(len(joint.loops) for joint in skeleton.joints), "closed loop")
        found += _counted(sum(len(joint.follows) for joint in skeleton.joints), "follower")
    found += _limits(kind, sequence)
    rubs = meets is not None and meets.rubs and settings.formulation != MAXIMAL
    if not rubs and any(
        joint.coulomb is not None and joint.coulomb[0] > 0.0 and joint.dofs for joint in sequence.skeleton.joints
    ):
        found.append("dry friction in joints")
    strips = sequence.hybrid_strips
    modes = {strip.mode for strip in strips}
    found += [preset.noun for preset in PRESETS if preset.name in modes]
    if any(strip.eases[0] > 0.0 for strip in strips):
        found.append("easing in")
    if any(strip.end is not None and strip.eases[1] > 0.0 for strip in strips):
        found.append("the way back to keys")
    return tuple(found)


def contact_method(settings: PhysicsSettings) -> type[ContactMethod] | None:
    """Return by which method contacts are found; None where nothing touches, or by the step of contacts."""
    kind = _integrator(settings)
    if kind is None or not kind.meets:
        return None
    return next((each for each in CONTACT_METHODS if each.name == settings.contact_method), None)


def _integrator(settings: PhysicsSettings) -> type[Integrator] | None:
    """Return the integrator for bodies and joints alone; None for the step of contacts."""
    return next((kind for kind in INTEGRATORS if kind.name == settings.integrator), None)


def _keys_move(actors: list[Actor], start: float) -> bool:
    """Return whether keys move some joint before the strips of the first figure have all ended."""
    fps = actors[0].sequence.fps
    ends = [math.inf if strip.end is None else strip.end for strip in actors[0].strips]
    for actor in actors:
        factor = actor.sequence.fps / fps
        turns = [frame for strip in actor.strips for frame in (strip.start, strip.end) if frame is not None]
        inside = [frame for frame in turns if start * factor < frame < max(ends) * factor]
        if any(actor.moves_at(frame).keyed for frame in (start * factor, *inside)):
            return True
    return False


def _still(t: float) -> tuple[Array, Array, Array]:
    return (np.zeros(0),) * 3


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
