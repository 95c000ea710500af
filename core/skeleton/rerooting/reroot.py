"""Re-rooting: the same figure with another joint as its root, what is drawn and what it weighs kept.

Capsules, and masses that nobody gave, come from where the neighbouring joints are. Seen from another root some of
those are others, so what would change is written down: a capsule as polygons, a mass as numbers.

Between the old root and the new one the chain is read the other way round. Where the old figure has, from a joint
``a`` to its child ``b``, ``F_b = F_a T(o) R D s`` with ``D = D_1(q_1) .. D_n(q_n)`` and a uniform scale ``s``, the new
one hangs ``a`` on ``b``. Its frame of ``a`` is put where the two meet, ``G_a = F_a T(o) R = F_b D^-1 1/s``, and
``D^-1 = D_n(-q_n) .. D_1(-q_1)``: the same degrees of freedom in reverse order about negated axes, so that every value
and its limits mean what they meant. (Negating the axes and turning the limits round as well would undo each other.)

What belongs to the motion of a joint (degrees of freedom, labels, cone, responsiveness, springs) goes to the joint
on the other side; what belongs to the segment (name, mass, polygons, colour, counterpart) stays. The root's own
turning goes to the new root, whose limits are lifted: they said how one part of the body may stand in the world.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from core.arrays import Array
from core.errors import SkeletonError
from core.joints import inverse_of
from core.skeleton.cones import cone_hinges
from core.skeleton.control_frames import reversed_rows
from core.skeleton.dof import SLIDE, Dof
from core.skeleton.euler import euler_degrees
from core.skeleton.frames import frames_at
from core.skeleton.joint import Group, Joint, SegmentObject
from core.skeleton.joint_type import type_dofs
from core.skeleton.layout import Opening, Openings, arranged, openings
from core.skeleton.mass import weighed
from core.skeleton.mesh import Mesh
from core.skeleton.rerooting.conversion import Rerooting
from core.skeleton.rerooting.reframe import (
    ObjectFiles,
    file_stem,
    frame_inverse,
    moved_points,
    reframed,
    tidied,
    turned_inertia,
)
from core.skeleton.rerooting.ties import rehung
from core.skeleton.root_turn import free_dofs
from core.skeleton.segment import segment_mesh
from core.skeleton.structure import Structure

_SAME = 1e-12  # of the size of what is compared


def with_same_segments(made: Structure, rerooting: Rerooting, files: ObjectFiles) -> Structure:
    """Return a re-rooted figure whose segments look and weigh what they did in the original.

    A capsule that was written down before, and is now what would be drawn anyway, is let go again.

    Args:
        made: The figure as its joints say.
        rerooting: Where it came from.
        files: Gives names to files for polygons.
    """
    made = _with_joints(made, _without_needless_capsules(made))
    joints = list(made.joints)
    for i, joint in enumerate(made.joints):
        wanted = _drawn_before(rerooting, i)
        drawn = segment_mesh(made, i)
        if wanted is not None and (drawn is None or not _same_points(drawn.vertices, wanted.vertices)):
            title = f"{file_stem(made.name, 'figure')}/{file_stem(joint.name, 'part')}.pol"
            part = SegmentObject(files.fresh(title), wanted)
            joints[i] = replace(joint.as_given(), objects=(*joint.objects, part))
    made = _with_joints(made, joints)
    made = _with_joints(made, _without_needless_numbers(made, rerooting))
    return _with_joints(made, [_with_mass(made, rerooting, i) for i in range(len(made.joints))])


def _with_joints(made: Structure, joints: list[Joint]) -> Structure:
    if all(new is old for new, old in zip(joints, made.joints, strict=True)):
        return made
    return weighed(made.name, joints, made.layout)


def _drawn_before(rerooting: Rerooting, i: int) -> Mesh | None:
    """Return what the original draws for a segment, in its new frame; None if nothing."""
    mesh = segment_mesh(rerooting.original, rerooting.order[i])
    if mesh is None:
        return None
    return Mesh(moved_points(mesh.vertices, frame_inverse(rerooting.frames[i])), mesh.triangles, mesh.polygons)


def _same_points(a: Array, b: Array) -> bool:
    return a.shape == b.shape and bool(np.abs(a - b).max(initial=0.0) <= _SAME * max(1.0, float(np.abs(b).max())))


def _without_needless_capsules(made: Structure) -> list[Joint]:
    """Return the joints, those without their object that have nothing but the capsule they would have anyway."""
    joints = list(made.joints)
    # Without a mass of its own, nothing would be drawn in the object's place.
    chosen = [i for i, joint in enumerate(joints) if joint.as_given().mass and _alone(made, i)]
    for i in chosen:
        joints[i] = replace(joints[i].as_given(), objects=())
    if not chosen:
        return joints
    trial = weighed(made.name, joints, made.layout)
    for i in chosen:
        capsule, mesh = segment_mesh(trial, i), made.joints[i].objects[0].mesh
        assert capsule is not None and mesh is not None
        if not np.array_equal(capsule.triangles, mesh.triangles) or not _same_points(capsule.vertices, mesh.vertices):
            joints[i] = made.joints[i]
    return joints


def _alone(made: Structure, i: int) -> bool:
    """Whether a joint's only object was made in memory and follows nothing else."""
    objects = made.joints[i].objects
    return (
        len(objects) == 1
        and objects[0].origin is None
        and not objects[0].mirrored
        and objects[0].mesh is not None
        and not objects[0].mesh.weights
    )


def _without_needless_numbers(made: Structure, rerooting: Rerooting) -> list[Joint]:
    """Return the joints, those on the path without a centre and inertia that the shape would give them anyway."""
    joints = list(made.joints)
    path = set(rerooting.path)
    chosen = [i for i, old in enumerate(rerooting.order) if old in path and not joints[i].assumed]
    for i in chosen:
        joints[i] = replace(joints[i], center=None, inertia=None)
    if not chosen:
        return joints
    trial = weighed(made.name, joints, made.layout)
    for i in chosen:
        shape, given = trial.joints[i], made.joints[i]
        if not (_same_value(shape.center, given.center) and _same_value(shape.inertia, given.inertia)):
            joints[i] = given
    return joints


def _with_mass(made: Structure, rerooting: Rerooting, i: int) -> Joint:
    """Return a joint with mass, centre and inertia written down where its shape gives others than the original had."""
    joint = made.joints[i]
    before = rerooting.original.joints[rerooting.order[i]]
    assert before.center is not None and before.inertia is not None
    frame = frame_inverse(rerooting.frames[i])
    wanted: dict[str, Any] = {
        "mass": before.mass,
        "center": moved_points(before.center, frame),
        "inertia": turned_inertia(before.inertia, frame[:3, :3]),
    }
    other = {name: value for name, value in wanted.items() if not _same_value(getattr(joint, name), value)}
    return replace(joint.as_given(), **other) if other else joint


def _same_value(a: Any, b: Any) -> bool:
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return bool(np.abs(a - b).max() <= _SAME * max(float(np.abs(b).max()), _SAME))


_EVEN = 1e-9
_TINY = 1e-9  # [m]
_ROUNDING = 1e-14
_NUDGE = 1e-9  # [deg]: what a .scr file can tell apart and nobody can see

# What is handed over with the degrees of freedom.
_MOTION = ("weight", "resistance", "stiffness", "damping", "viscous", "coulomb", "motor")


def reroot(s: Structure, joint: int | str) -> tuple[Structure, Rerooting]:
    """Return the joints of a figure with another root, and how it came from it; see ``Skeleton.rerooted``.

    Raises:
        JointError: If there is no such joint.
        SkeletonError: If a joint on the way has a scale that is not the same in all directions: seen from the other
            end it would shear what lies behind it, which no offset, rotation and scale can express. If one with a scale
            has a type with coordinates of its own, whose lengths would be others. Or if the root has such a type: it
            says how the root moves in the world, which nothing says of another part.
    """
    target = s.joint_index(joint)
    path = [target]
    while path[0] != 0:
        path.insert(0, s.joints[path[0]].parent)
    if len(path) == 1:
        frames = np.tile(np.eye(4), (len(s.joints), 1, 1))
        straight = Rerooting(s, tuple(path), tuple(range(s.nq)), np.ones(s.nq), frames, tuple(range(len(s.joints))))
        return weighed(s.name, s.joints, s.layout), straight
    _check_scales(s, path)
    _check_types(s, path)
    frames = _new_frames(s, path)
    order, layout = _arrangement(s, path)
    return _Work(s, path, frames).figure(order, layout)


def _check_scales(s: Structure, path: Sequence[int]) -> None:
    for i in path:
        scale = s.joints[i].scale
        if np.ptp(scale) > _EVEN * float(scale.max()):
            found = " ".join(f"{value:g}" for value in scale)
            raise SkeletonError(
                f'the figure cannot be re-rooted at "{s.joints[path[-1]].name}": joint "{s.joints[i].name}" on the way '
                f"has scale {found}; expected one that is the same in all directions"
            )


def _check_types(s: Structure, path: Sequence[int]) -> None:
    where = f'the figure cannot be re-rooted at "{s.joints[path[-1]].name}"'
    for i in path:
        model, scale = s.joints[i].curved, float(s.joints[i].scale[0])
        if model is not None and i == 0:
            raise SkeletonError(
                f"{where}: the root is a {model.type_name} joint, which says how it alone moves in the world; "
                "expected hinges and slides"
            )
        if model is not None and abs(scale - 1.0) > _EVEN:
            raise SkeletonError(
                f'{where}: joint "{s.joints[i].name}" on the way is a {model.type_name} joint with the scale '
                f"{scale:g}, by which its lengths would change; expected no scale"
            )


def _new_frames(s: Structure, path: Sequence[int]) -> Array:
    """Return the new frame of each joint in its old one, shape (n, 4, 4)."""
    frames = np.tile(np.eye(4), (len(s.joints), 1, 1))
    for at, child in pairwise(path):
        frames[at, :3, :3] = s.joints[child].rotation
        frames[at, :3, 3] = s.joints[child].offset
    target = path[-1]
    # The new root stands as the old one did while all is zero, so that turn, bend and side stay what they are called.
    zero = frames_at(s, np.zeros(s.n_dofs))[target, :3, :3]
    turn = (zero / np.cbrt(np.linalg.det(zero))).T @ s.joints[0].rotation
    if np.abs(turn - np.eye(3)).max() > _ROUNDING:
        frames[target, :3, :3] = turn
    pivot = s.joints[target].pivot
    if pivot is not None:
        frames[target, :3, 3] = pivot
    return frames


# -- the tree --------------------------------------------------------------------------------------------------------


def _arrangement(s: Structure, path: Sequence[int]) -> tuple[list[int], tuple[int | Group, ...] | None]:
    """Return the joints' old numbers in the new order, and the layout."""
    names = s.joint_names
    below = {name: [names[k] for k in s.children[i]] for i, name in enumerate(names)}
    opened = dict(zip(names, openings(s), strict=True))
    group = _group_names(s)
    for at, child in pairwise(path):
        below[names[at]].remove(names[child])
        below[names[child]].append(names[at])
    opened[names[path[-1]]] = ()
    inside = ""
    for at in reversed(path[:-1]):
        title = group[at]
        # A trunk that stood outside all groups gets one of its own, else it would count as part of the limb.
        if not title and inside and len(below[names[at]]) > 1:
            title = names[at]
        new: Openings = (Opening(title),) if title and title != inside else ()
        opened[names[at]] = new
        inside = title or inside
    order, layout = arranged(names[path[-1]], below, opened)
    return [s.joint_index(name) for name in order], layout if s.layout is not None else None


def _group_names(s: Structure) -> list[str]:
    """Return the name of the innermost group each joint is in."""
    names = [""] * len(s.joints)
    for title, joints in s.groups:
        for i in joints:
            names[i] = title
    return names


# -- the joints ------------------------------------------------------------------------------------------------------


class _Work:
    """Makes the joints of one re-rooted figure.

    Args:
        s: The figure before.
        path: Joints from the old root to the new one.
        frames: New frame of each joint in its old one.
    """

    def __init__(self, s: Structure, path: Sequence[int], frames: Array):
        self.s, self.path, self.frames = s, path, frames
        self.files = ObjectFiles(s.joints)
        pairs = ((joint.name, joint.mirror) for joint in s.joints)
        self.counterparts = {name: mirror for name, mirror in pairs if mirror is not None}
        for name, mirror in list(self.counterparts.items()):
            self.counterparts.setdefault(mirror, name)
        # For each degree of freedom of each joint: the number of the old one that it is, -1 for a new one.
        self.who: dict[int, tuple[int, ...]] = {
            i: tuple(range(s.first_dof[i], s.first_dof[i + 1])) for i in range(len(s.joints))
        }

    def figure(self, order: list[int], layout: tuple[int | Group, ...] | None) -> tuple[Structure, Rerooting]:
        s, path = self.s, self.path
        number = {old: new for new, old in enumerate(order)}
        parents = {i: joint.parent for i, joint in enumerate(s.joints)}
        parents.update(pairwise(path))
        parents[path[-1]] = -1
        on_path = {i: k for k, i in enumerate(path)}
        joints: list[Joint] = []
        for i in order:
            if i == path[-1]:
                joint = self.root()
            elif i in on_path:
                joint = self.reversed(i, path[on_path[i] + 1])
            else:
                joint = self.beside(i)
            joints.append(replace(joint, parent=number.get(parents[i], -1)))
        joints = rehung(s, joints, self.frames, self.who)
        columns = [0, 1, 2] + [3 + k if k >= 0 else -1 for i in order for k in self.who[i]]
        factors = np.ones(len(columns))
        at = 3
        for i in order:
            if i in on_path and i != path[-1]:
                child = s.joints[path[on_path[i] + 1]]
                for k in self.who[i]:
                    factors[at] = 1.0 / child.scale[0] if s.all_dofs[k].kind == SLIDE else 1.0
                    at += 1
            else:
                at += len(self.who[i])
        frames = np.array([frame_inverse(self.frames[i]) for i in order])
        rerooting = Rerooting(s, tuple(path), tuple(columns), factors, frames, tuple(order))
        return with_same_segments(weighed(s.name, joints, layout), rerooting, self.files), rerooting

    def moved(self, i: int) -> Joint:
        """Return a joint with its segment in the new frame, its motion still the old one."""
        return reframed(self.s.joints[i].as_given(), self.frames[i], self.files, self.counterparts)

    def beside(self, i: int) -> Joint:
        """Return a joint off the path: only its place in its parent's new frame is another."""
        joint = self.s.joints[i].as_given()
        frame = self.frames[joint.parent]
        if np.array_equal(frame, np.eye(4)):
            return joint
        place: dict[str, Any] = {"offset": moved_points(joint.offset, frame)}
        if not np.array_equal(frame[:3, :3], np.eye(3)):
            place["orientation"] = euler_degrees(frame[:3, :3].T @ joint.rotation)
        return replace(joint, defined=True, **place)

    def reversed(self, i: int, child: int) -> Joint:
        """Return a joint of the path, which hangs on its former child and moves against it."""
        s = self.s
        motion = s.joints[child]
        back = frame_inverse(self.frames[child])
        factor = 1.0 / float(motion.scale[0])
        made, controls, order = None, None, tuple(reversed(range(len(motion.dofs))))
        dofs = tuple(_backwards(motion.dofs[k], factor) for k in order)
        if motion.curved is not None:
            made, order = inverse_of(motion.curved)
            dofs = type_dofs(made, [motion.dofs[k][2:] for k in order])
            controls = None if motion.controls is None else reversed_rows(motion.curved, motion.controls)
        self.who[i] = tuple(s.first_dof[child] + k for k in order)
        joint = replace(
            self.moved(i),
            offset=tidied(back[:3, 3]),
            orientation=euler_degrees(back[:3, :3]),
            scale=np.full(3, factor),
            dofs=dofs,
            dof_labels=tuple(motion.dof_labels[k] for k in order),
            cone=motion.cone,
            type=made or motion.type,
            controls=controls,
            defined=True,
            **{name: getattr(motion, name) for name in _MOTION},
        )
        joint = _with_cone(joint, motion)
        return self.former_root(joint) if i == 0 else joint

    def former_root(self, joint: Joint) -> Joint:
        """Let the old root remember where its origin was, for the way back and as the end of its segment."""
        origin = moved_points(np.zeros(3), self.frames[0])
        if float(np.linalg.norm(origin)) <= _TINY:
            return replace(joint, pivot=None)
        leaf = len(self.s.children[0]) == 1
        tips = (origin,) if leaf and not joint.tips else joint.tips
        return replace(joint, pivot=origin, tips=tips)

    def root(self) -> Joint:
        """Return the new root, which takes over how the old one turned."""
        s, target = self.s, self.path[-1]
        old = s.joints[0]
        dofs, labels, who = free_dofs(old)
        self.who[target] = tuple(k if k < 0 else s.first_dof[0] + k for k in who)
        world = frames_at(s, np.zeros(s.n_dofs))[target] @ self.frames[target]
        scale = float(np.prod([s.joints[i].scale[0] for i in self.path]))
        joint = self.moved(target)
        pivot = s.joints[target].pivot
        tips = joint.tips
        if pivot is not None and not s.children[target]:
            tips = tuple(tip for tip in tips if float(np.linalg.norm(tip)) > _TINY)
        return replace(
            joint,
            offset=tidied(world[:3, 3]),
            orientation=old.orientation,
            scale=np.full(3, 1.0 if abs(scale - 1.0) < _ROUNDING else scale),
            dofs=dofs,
            dof_labels=labels,
            cone=None,
            type=old.type,
            pivot=None,
            tips=tips,
            defined=True,
            **{name: getattr(old, name) for name in _MOTION},
        )


def _backwards(dof: Dof, factor: float) -> Dof:
    """Return the degree of freedom that undoes another one at the same value."""
    stretch = factor if dof.kind == SLIDE else 1.0
    return Dof(dof.kind, -dof.axis + 0.0, dof.lo * stretch, dof.hi * stretch)


def _with_cone(joint: Joint, motion: Joint) -> Joint:
    """Let a reversed joint's cone bind the hinges that it bound before; without a way to say so it goes."""
    bound = cone_hinges(motion)
    if motion.cone is None or bound is None:
        return joint
    wanted = {len(motion.dofs) - 1 - k for k in bound}
    for nudged in (joint, _nudged(joint, wanted)):
        if set(cone_hinges(nudged) or ()) == wanted:
            return nudged
    return replace(joint, cone=None)


def _nudged(joint: Joint, swings: set[int]) -> Joint:
    """Return a joint whose twist is not mistaken for a swing because it has the very limits of the cone."""

    def less(angle: float) -> float:
        return math.radians(math.degrees(angle) - _NUDGE)

    dofs = [
        dof if k in swings or dof.hi != joint.cone else Dof(dof.kind, dof.axis, dof.lo, less(dof.hi))
        for k, dof in enumerate(joint.dofs)
    ]
    return replace(joint, dofs=tuple(dofs))
