"""Keeping what is drawn and what it weighs when a figure is re-rooted.

Capsules, and masses that nobody gave, come from where the neighbouring joints are. Seen from another root some of
those are others, so what would change is written down: a capsule as polygons, a mass as numbers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from core.arrays import Array
from core.skeleton.joint import Joint, SegmentObject
from core.skeleton.mass import weighed
from core.skeleton.mesh import Mesh
from core.skeleton.rerooting.conversion import Rerooting
from core.skeleton.rerooting.reframe import ObjectFiles, file_stem, frame_inverse, moved_points, turned_inertia
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
