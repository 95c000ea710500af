"""Figures of different proportions that walk: man and woman of the library, a child, a tall robot with stiff feet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from core.formats.bundled import bundled_folder
from core.skeleton import Joint, Skeleton, load_skeleton

_CHILD = {"legs": 0.52, "feet": 0.60, "trunk": 0.64, "arms": 0.55, "head": 0.88}
_ROBOT = {"legs": 1.30, "feet": 1.15, "trunk": 0.95, "arms": 1.20, "head": 0.75}
_GROUPS = (("feet", ("foot", "toes")), ("legs", ("thigh", "shank")), ("head", ("neck", "head")),
           ("arms", ("clavicle", "arm", "hand")), ("trunk", ("pelvis", "abdomen", "chest")))  # fmt: skip


WALKERS = ("human", "woman", "child", "robot")


@cache
def walker(name: str) -> Skeleton:
    """Return one of ``WALKERS``, the same each time."""
    if name == "child":
        return _proportioned(walker("human"), name, _CHILD)
    if name == "robot":
        return _proportioned(walker("human"), name, _ROBOT, stiff=("left toes", "right toes"))
    return load_skeleton(bundled_folder() / f"{name}.scr")


def _proportioned(s: Skeleton, name: str, sizes: Mapping[str, float], stiff: tuple[str, ...] = ()) -> Skeleton:
    """Return a figure whose parts have other sizes; some are one with what they hang from.

    Its pelvis is so much higher or lower that the soles stand where they stood.
    """
    factor = [sizes[_group(joint.name)] for joint in s.joints]
    made = []
    for i, joint in enumerate(s.joints):
        f = factor[i]
        offset = joint.offset * (1.0 if joint.parent < 0 else factor[joint.parent])
        objects = tuple(
            replace(each, mesh=None if each.mesh is None else replace(each.mesh, vertices=each.mesh.vertices * f))
            for each in joint.objects
        )
        made.append(
            replace(
                joint, offset=offset, objects=objects, tips=tuple(tip * f for tip in joint.tips),
                mass=None if joint.mass is None else joint.mass * f**3,
                center=None if joint.center is None else joint.center * f,
                inertia=None if joint.inertia is None else joint.inertia * f**5,
            )
        )  # fmt: skip
    made[0] = _lowered(made[0], s, factor)
    for part in stiff:
        _unite(made, [joint.name for joint in made].index(part))
    return Skeleton(name, made)


def _unite(joints: list[Joint], i: int) -> None:
    """Make a part that carries no other one with the part it hangs from."""
    end = joints.pop(i)
    parent = joints[end.parent]
    moved = tuple(
        replace(each, mesh=None if each.mesh is None else replace(each.mesh, vertices=each.mesh.vertices + end.offset))
        for each in end.objects
    )
    joints[end.parent] = replace(parent, objects=(*parent.objects, *moved))
    joints[:] = [replace(j, parent=j.parent - 1) if j.parent > i else j for j in joints]


def _lowered(root: Joint, s: Skeleton, factor: list[float]) -> Joint:
    """Return the root as much lower as the legs are shorter."""
    lower, i = 0.0, s.joint_index("left foot")
    sole = -float(min(part.mesh.vertices[:, 1].min() for part in s.joints[i].objects if part.mesh is not None))
    lower += sole * (1.0 - factor[i])
    while s.joints[i].parent >= 0:
        lower += -float(s.joints[i].offset[1]) * (1.0 - factor[s.joints[i].parent])
        i = s.joints[i].parent
    return replace(root, offset=root.offset - [0.0, lower, 0.0])


def _group(name: str) -> str:
    return next(group for group, words in _GROUPS if any(word in name for word in words))
