"""Reflection in x = 0: how a joint's counterpart on the other side is made.

With ``M = diag(-1, 1, 1)`` a joint's transform becomes ``M X M``. A rotation about ``a`` by ``t`` becomes the
rotation about ``-M a`` (an axis is a pseudo-vector) by the same ``t``, a slide along ``a`` one along ``M a``. So the
limits stay, and a mirrored figure with the same values takes the mirrored pose.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from core.arrays import Array
from core.skeleton.control_frames import with_controls
from core.skeleton.dof import COORDINATE, SLIDE, Dof
from core.skeleton.joint import Joint, SegmentObject
from core.skeleton.joint_type import reflected
from core.skeleton.mesh import Mesh
from core.skeleton.ties import reflected_ties

_VECTOR = np.array([-1.0, 1.0, 1.0])
_PSEUDOVECTOR = np.array([1.0, -1.0, -1.0])
_SIDES = re.compile(r"\b(left|right)\b", re.IGNORECASE)
# A word of a name: "LeftUpLeg" has three, "upperleg01.R" has three, "LHip" has two.
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")
_OTHER = {"left": "right", "lft": "rgt", "lt": "rt", "l": "r"}
_OTHER |= {right: left for left, right in _OTHER.items()}
LEFT, RIGHT = "left", "right"
_NOBODY: Mapping[str, str] = MappingProxyType({})


def reflect_vector(vector: Array) -> Array:
    """Return ``M v``, shape (..., 3)."""
    # Adding zero turns -0.0 into 0.0, so that reflected zeros are written as they were.
    return vector * _VECTOR + 0.0


def reflect_axis(axis: Array) -> Array:
    """Return ``-M a``, the axis of the reflected rotation by the same angle, shape (..., 3)."""
    return axis * _PSEUDOVECTOR + 0.0


def reflect_dof(dof: Dof) -> Dof:
    """Return the degree of freedom whose motion at each value is the reflection of ``dof``'s.

    A coordinate stays as it is: its joint's type is what is reflected.
    """
    if dof.kind == COORDINATE:
        return dof
    axis = reflect_vector(dof.axis) if dof.kind == SLIDE else reflect_axis(dof.axis)
    return Dof(dof.kind, axis, dof.lo, dof.hi)


def reflect_mesh(mesh: Mesh) -> Mesh:
    """Return the mesh reflected in x = 0, its winding reversed so that the outside stays outside.

    The names of its weights stay and stand for the counterparts from now on.
    """
    polygons = tuple(tuple(reversed(polygon)) for polygon in mesh.polygons)
    return Mesh(reflect_vector(mesh.vertices), mesh.triangles[:, ::-1], polygons, mesh.weights)


def reflect_object(part: SegmentObject) -> SegmentObject:
    """Return the object reflected; its file stays the same and it says that it is mirrored."""
    mesh = None if part.mesh is None else reflect_mesh(part.mesh)
    return SegmentObject(part.file, mesh, not part.mirrored, part.origin)


def swap_sides(text: str) -> str:
    """Return ``text`` with the words left and right exchanged, their capitals kept."""

    def swapped(match: re.Match[str]) -> str:
        word = match.group()
        other = "right" if word.casefold() == "left" else "left"
        return other.upper() if word.isupper() else other.capitalize() if word[0].isupper() else other

    return _SIDES.sub(swapped, text)


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a joint's name: ``"LeftUpLeg"`` is Left, Up, Leg; ``"upperleg01.R"`` upperleg, 01, R."""
    return tuple(_WORDS.findall(name))


def _like(word: str, pattern: str) -> str:
    """Return ``word`` with the capitals of ``pattern``."""
    if pattern.isupper() and (len(pattern) > 1 or len(word) == 1):
        return word.upper()
    return word.capitalize() if pattern[:1].isupper() else word


def _swaps(name: str) -> Iterator[tuple[str, list[tuple[int, int, str]]]]:
    """Yield the side that a reading of the name stands for, and what to replace: (start, end, text)."""
    words = [(match.start(), match.end(), match.group()) for match in _WORDS.finditer(name)]
    long = [(a, b, word) for a, b, word in words if len(word) > 1 and word.casefold() in _OTHER]
    if long:
        yield _side(long[0][2]), [(a, b, _like(_OTHER[word.casefold()], word)) for a, b, word in long]
    for a, b, word in words:
        for side in (LEFT, RIGHT):
            if len(word) > len(side):
                if word.casefold().startswith(side):
                    yield side, [(a, a + len(side), _like(_OTHER[side], word[: len(side)]))]
                elif word.casefold().endswith(side):
                    yield side, [(b - len(side), b, _like(_OTHER[side], word[-len(side) :]))]
    single = [item for item in words if item[2] in ("l", "r", "L", "R")]
    # At either end of a name a letter is more often a side than in its middle.
    for a, b, word in sorted(single, key=lambda item: (item[0] > 0, item[1] < len(name))):
        yield _side(word), [(a, b, _like(_OTHER[word.casefold()], word))]


def _side(word: str) -> str:
    return LEFT if word[:1] in "lL" else RIGHT


def _replaced(name: str, changes: list[tuple[int, int, str]]) -> str:
    for start, end, text in reversed(changes):
        name = name[:start] + text + name[end:]
    return name


def name_side(name: str) -> str:
    """Return ``"left"`` or ``"right"`` if a name plainly says so, else ``""``; ``"lhand"`` does not."""
    return next((side for side, _ in _swaps(name)), "")


def counterpart_names(name: str) -> tuple[str, ...]:
    """Return what the joint of the other side may be called, the likeliest first.

    Left and right as words or at the ends of words (``LeftLeg``, ``hand_left``, ``leftarm``), ``Lft``, ``Lt``, single
    letters L and R that stand apart or are set off by a capital (``hand.L``, ``l_hand``, ``LHip``, ``armR``); where
    there is none of these, as a mere guess, a first letter l or r (``lhand``, but ``root`` too). Whoever asks must
    look whether there is such a joint.
    """
    found = [_replaced(name, changes) for _, changes in _swaps(name)]
    start = name.rfind(":") + 1  # behind a namespace such as "mixamorig:"
    first = name[start : start + 1]
    if not found and first and first in "lrLR" and name[start + 1 : start + 2].isalpha():
        found.append(name[:start] + _like(_OTHER[first.casefold()], first) + name[start + 1 :])
    return tuple(dict.fromkeys(other for other in found if other != name))


def _reflected_type(joint: Joint) -> dict[str, Any]:
    """Return the type of a joint's counterpart; splines given by their control frames are given so again."""
    if joint.type is not None and joint.controls is not None:
        controls = np.hstack([reflect_vector(joint.controls[:, :3]), reflect_axis(joint.controls[:, 3:])])
        return {"type": with_controls(reflected(joint.type), controls), "controls": controls}
    return {"type": None if joint.type is None else reflected(joint.type), "controls": None}


def reflect_joint(joint: Joint, name: str, parent: int, counterparts: Mapping[str, str] = _NOBODY) -> Joint:
    """Return the counterpart of ``joint`` on the other side of x = 0.

    Args:
        joint: The joint that is defined.
        name: The counterpart's name.
        parent: Index of the counterpart's parent.
        counterparts: Names of counterparts, for the joints that its loops and follows name.
    """
    joint = joint.as_given()
    inertia = None
    if joint.inertia is not None:
        inertia = joint.inertia * np.outer(_VECTOR, _VECTOR) + 0.0
    return dataclasses.replace(
        joint,
        name=name,
        parent=parent,
        offset=reflect_vector(joint.offset),
        orientation=reflect_axis(joint.orientation),
        dofs=tuple(reflect_dof(dof) for dof in joint.dofs),
        **_reflected_type(joint),
        dof_labels=tuple(swap_sides(label) for label in joint.dof_labels),
        objects=tuple(reflect_object(part) for part in joint.objects),
        tips=tuple(reflect_vector(tip) for tip in joint.tips),
        pivot=None if joint.pivot is None else reflect_vector(joint.pivot),
        center=None if joint.center is None else reflect_vector(joint.center),
        inertia=inertia,
        mirror=joint.name,
        **reflected_ties(joint, counterparts),  # type: ignore[arg-type]
    )
