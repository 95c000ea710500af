"""Which joint of one figure stands for which joint of another.

What parts of the body joints carry decides, where both figures are known for a body; else their names do, and where
these say nothing the joints of a name. A trunk of five parts on one of two: both ends are paired, and what lies between
by how far up it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from core.errors import SequenceError
from core.skeleton.anatomy import Anatomy, find_anatomy
from core.skeleton.frames import frames_at
from core.skeleton.named_parts import (
    CLAVICLE,
    FOOT,
    FOREARM,
    HAND,
    HEAD,
    HELPER,
    LIMB,
    NECK,
    PELVIS,
    SHANK,
    THIGH,
    TOE,
    TRUNK,
    UPPER_ARM,
    name_key,
    said,
)
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.skeleton import Skeleton

_SINGLE = (CLAVICLE, UPPER_ARM, FOREARM, HAND, THIGH, SHANK, FOOT, TOE)


class Pair(NamedTuple):
    """A joint and the one that does what it does.

    Attributes:
        source: Name of a joint of the figure that the motion is of.
        target: Name of the joint of the other figure that turns likewise.
    """

    source: str
    target: str


@per_skeleton
def anatomy_of(s: Skeleton) -> Anatomy:
    """Return what every joint of a figure is, in the pose of zeros; kept as long as the figure lives."""
    return find_anatomy(s, frames_at(s, np.zeros(s.n_dofs)))


def suggested_pairs(source: Skeleton, target: Skeleton) -> tuple[Pair, ...]:
    """Return the pairs that two figures' bodies and names speak for, in the order of the target's joints.

    Args:
        source: The figure that the motion is of.
        target: The figure that is to move likewise.
    """
    found: dict[int, int] = {0: 0}
    of_source, of_target = _places(source), _places(target)
    for place, joint in of_target.items():
        if place in of_source:
            found.setdefault(joint, of_source[place])
    for part in (TRUNK, NECK):
        found.update(_in_proportion(source, target, part))
    taken = set(found.values())
    by_name: dict[tuple[str, int], int] = {}
    for i, each in enumerate(source.joints):
        by_name.setdefault(name_key(each.name), i)
    for i, each in enumerate(target.joints):
        other = by_name.get(name_key(each.name))
        if i not in found and other is not None and other not in taken and said(name_key(each.name)[0]) != HELPER:
            found[i] = other
            taken.add(other)
    return tuple(Pair(source.joint_names[a], target.joint_names[b]) for b, a in sorted(found.items()))


def checked_pairs(source: Skeleton, target: Skeleton, pairs: Iterable[Pair]) -> dict[int, int]:
    """Return the source's joint for each of the target's that has one, by number.

    Raises:
        SequenceError: If a joint is not there, one of the target has two, or there is no pair.
    """
    found: dict[int, int] = {}
    for pair in pairs:
        for name, figure in ((pair.source, source), (pair.target, target)):
            if name not in figure.joint_names:
                raise SequenceError(f'"{figure.name}" has no joint "{name}", which is to be paired')
        joint = target.joint_index(pair.target)
        if joint in found:
            before = source.joint_names[found[joint]]
            raise SequenceError(f'joint "{pair.target}" is paired twice: with "{before}" and with "{pair.source}"')
        found[joint] = source.joint_index(pair.source)
    if not found:
        raise SequenceError(f'no joint of "{target.name}" is paired with one of "{source.name}"')
    return found


def pairs_to_record(pairs: Iterable[Pair]) -> dict[str, str]:
    """Return pairs as they are kept in a file: source by target."""
    return {pair.target: pair.source for pair in pairs}


def pairs_from_record(record: Mapping[str, str]) -> tuple[Pair, ...]:
    """Return pairs from what a file keeps."""
    return tuple(Pair(source, target) for target, source in record.items())


def part_of(s: Skeleton, joint: int) -> str:
    """Return which part of the body a joint carries: as the body has it, else as its name says."""
    anatomy = anatomy_of(s)
    if anatomy.human:
        return anatomy.parts[joint]
    return (said(name_key(s.joint_names[joint])[0]) or LIMB) if s.joints[joint].dofs else HELPER


def rolls(source: Skeleton, target: Skeleton) -> bool:
    """Return whether the target has no legs while the source has: it stays level then, and at its own height."""
    return _walks(source) and not _walks(target)


def _walks(s: Skeleton) -> bool:
    anatomy = anatomy_of(s)
    return any(anatomy.parts[i] == THIGH for i in anatomy.chains)


def _places(s: Skeleton) -> dict[tuple[str, int], int]:
    """Return the first joint that carries each part of the body on each side."""
    anatomy = anatomy_of(s)
    found: dict[tuple[str, int], int] = {}
    for i, joint in enumerate(s.joints):
        part, side = part_of(s, i), anatomy.sides[i] if anatomy.human else name_key(joint.name)[1]
        if part == PELVIS or part == HEAD or (part in _SINGLE and side):
            found.setdefault((part, side if part in _SINGLE else 0), i)
    return found


def _row(s: Skeleton, part: str) -> tuple[list[int], list[float]]:
    """Return the joints of a part of the body that follow each other, and how far along it each begins, 0 to 1."""
    anatomy = anatomy_of(s)
    if anatomy.human:
        joints = anatomy.having(part)
    else:
        joints = [i for i, joint in enumerate(s.joints) if said(name_key(joint.name)[0]) == part]
    places = [anatomy.place(i) for i in joints]
    steps = [float(np.linalg.norm(b - a)) for a, b in pairwise(places)]
    along = np.concatenate([[0.0], np.cumsum(steps)]) if joints else np.empty(0)
    whole = float(along[-1]) if len(along) and along[-1] > 0.0 else 1.0
    return joints, [float(each) / whole for each in along]


def _in_proportion(source: Skeleton, target: Skeleton, part: str) -> dict[int, int]:
    """Return pairs along a part of several joints: the last with the last, the others by how far up they are."""
    here, up = _row(source, part)
    there, wanted = _row(target, part)
    if not here or not there:
        return {}
    found = {there[-1]: here[-1]}
    free = list(range(len(here) - 1))
    for joint, place in zip(there[-2::-1], wanted[-2::-1], strict=True):
        if not free:
            break
        best = min(free, key=lambda k: abs(up[k] - place))
        found[joint] = here[best]
        free = [k for k in free if k < best]
    return found
