"""What a motion file leaves unsaid about its joints: which are a pair, which make up a limb, and readable names.

Names say it, in many ways (``LeftUpLeg``, ``lfemur``, ``upperleg01.R``); the rest pose and the tree have to agree
before they are believed, so that a lamp and a ramp are no pair.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from core.arrays import Array
from core.skeleton import Group, Joint, Skeleton, anatomy, named_parts
from core.skeleton.dof import SLIDE
from core.skeleton.frames import frames_at
from core.skeleton.joint import axis_letter
from core.skeleton.mirroring.mirror import LEFT, RIGHT, counterpart_names, name_side, name_words

LEFT_COLOR = (0.812, 0.847, 0.859)
RIGHT_COLOR = (0.906, 0.839, 0.776)
"""Quiet tints beside the body colour #e6e0d5: left a little cooler, right a little warmer."""

_LENGTH = 0.25  # how much two bones of a pair may differ in length, of the longer one
_PLACE = 0.25  # how far a joint may be from its counterpart's reflection, of its distance from where both branch off
_SLACK = 0.03  # what may always differ, of the figure's size

_ARM = (named_parts.CLAVICLE, named_parts.UPPER_ARM, named_parts.FOREARM, named_parts.HAND)
_LEG = (named_parts.CONNECTOR, named_parts.THIGH, named_parts.SHANK, named_parts.FOOT, named_parts.TOE)
_TITLES = {part: "arm" for part in _ARM} | {part: "leg" for part in _LEG}
_TITLES |= {named_parts.TRUNK: "Spine", named_parts.NECK: "Head and neck", named_parts.HEAD: "Head"}


def dressed(skeleton: Skeleton) -> Skeleton:
    """Return a figure from a motion file with counterparts, tints, readable labels and limbs as groups.

    What a joint has already stays: a counterpart, a color, a label; a layout too. No joint is renamed, moved or
    merged.
    """
    s = skeleton
    pairs = mirror_pairs(s)
    readable = readable_names(s, pairs)
    joints = list(s.joints)
    for left, right in pairs:
        if joints[left].mirror is None and joints[right].mirror is None:
            joints[left] = replace(joints[left], mirror=joints[right].name)
            joints[right] = replace(joints[right], mirror=joints[left].name)
        for i, color in ((left, LEFT_COLOR), (right, RIGHT_COLOR)):
            joints[i] = replace(joints[i], color=joints[i].color or color)
    for i, joint in enumerate(joints):
        labels = tuple(label or dof_label(joint, k, readable[i]) for k, label in enumerate(joint.dof_labels))
        joints[i] = replace(joint, dof_labels=labels)
    layout = s.layout if s.layout is not None else limb_layout(s, pairs, readable)
    return Skeleton(s.name, joints, layout, s.source, s.warnings)


# -- pairs -----------------------------------------------------------------------------------------------------------


def mirror_pairs(skeleton: Skeleton) -> tuple[tuple[int, int], ...]:
    """Return the joints that are each other's counterpart as pairs (left, right), in the order of the left ones.

    Their names say so, they hang on the same joint or on a pair, their bones are about as long, and at rest (every
    degree of freedom zero) they lie about as reflected in a plane across an axis, the same for the whole figure. A
    figure whose rest pose is reflected in no plane (some files have all bones along one axis) is excused from the
    last if its names plainly say left and right.
    """
    s = skeleton
    at = frames_at(s, np.zeros(s.n_dofs))[:, :3, 3]
    slack = _SLACK * float(np.ptp(at, axis=0).max())
    candidates, forks = _matching_pairs(s, slack)
    seen = [(at[i] - at[fork], at[j] - at[fork]) for (i, j), fork in zip(candidates, forks, strict=True)]
    reflected = [[_reflected(here, there, axis, slack) for here, there in seen] for axis in range(3)]
    across = reflected[int(np.argmax([sum(row) for row in reflected]))]
    plain = [bool(name_side(s.joints[i].name)) for i, _ in candidates]
    excused = 2 * sum(fits and sure for fits, sure in zip(across, plain, strict=True)) < sum(plain)
    partner: dict[int, int] = {}
    for (i, j), fits, sure in zip(candidates, across, plain, strict=True):
        parents = s.joints[i].parent, s.joints[j].parent
        together = parents[0] == parents[1] or partner.get(parents[0]) == parents[1]
        if together and (fits or (sure and excused)):
            partner[i], partner[j] = j, i
    sided = [(i, j) if _is_left(s.joints[i].name) else (j, i) for i, j in candidates if partner.get(i) == j]
    return tuple(sorted(sided))


def _named_pairs(s: Skeleton) -> list[tuple[int, int]]:
    """Pairs by name alone, lower index first, in the order of that; each joint in at most one."""
    index = {name: i for i, name in enumerate(s.joint_names)}
    others = [[index[name] for name in counterpart_names(name) if name in index] for name in s.joint_names]
    pairs: list[tuple[int, int]] = []
    taken: set[int] = set()
    for i, choices in enumerate(others):
        for j in choices:
            if i in others[j] and i != j and not {i, j} & taken:
                pairs.append((min(i, j), max(i, j)))
                taken |= {i, j}
    return sorted(pairs)


def _matching_pairs(s: Skeleton, slack: float) -> tuple[list[tuple[int, int]], list[int]]:
    """Pairs by name that hang on one joint or on another such pair, by bones of about the same length.

    With each the joint at which their branches part. A pair comes after the one it hangs on.
    """
    forks: dict[tuple[int, int], int] = {}
    for i, j in _named_pairs(s):
        p, q = sorted((s.joints[i].parent, s.joints[j].parent))
        lengths = [float(np.linalg.norm(s.joints[k].offset)) for k in (i, j)]
        if max(lengths) - min(lengths) > _LENGTH * max(lengths) + slack:
            continue
        if p == q:
            forks[i, j] = p
        elif (p, q) in forks:
            forks[i, j] = forks[p, q]
    return list(forks), list(forks.values())


def _reflected(here: Array, there: Array, axis: int, slack: float) -> bool:
    """Whether one place lies about as reflected from the other, both as seen from where their branches part."""
    reflection = there.copy()
    reflection[axis] *= -1.0
    far = max(float(np.linalg.norm(here)), float(np.linalg.norm(there)))
    return float(np.linalg.norm(here - reflection)) <= _PLACE * far + slack


def _is_left(name: str) -> bool:
    side = name_side(name)
    return side == LEFT if side else name[name.rfind(":") + 1 :][:1] in "lL"


# -- names -----------------------------------------------------------------------------------------------------------


def readable_names(skeleton: Skeleton, pairs: Sequence[tuple[int, int]] = ()) -> tuple[str, ...]:
    """Return what a person would call each joint: ``"LeftUpLeg"`` is "Left up leg", ``"lfemur"`` "Left femur".

    What all names begin with, such as ``mixamorig:`` or ``Bip01``, is left out.

    Args:
        skeleton: The figure.
        pairs: Counterparts, as from :func:`mirror_pairs`; only they are said to be left or right.
    """
    s = skeleton
    words = [name_words(joint.name.rpartition(":")[2]) for joint in s.joints]
    same = 0
    while len(words) > 1 and len({row[same : same + 1] for row in words}) == 1 and words[0][same:]:
        same += 1
    if all(any(word.isalpha() for word in row[same:]) for row in words[1:]):  # "rope 1" must not become "1"
        words = [row[same:] or row for row in words]
    sides = {i: side for pair in pairs for i, side in zip(pair, (LEFT, RIGHT), strict=True)}
    phrases = [_readable(row, sides.get(i, "")) for i, row in enumerate(words)]
    return tuple(phrase or joint.name for phrase, joint in zip(phrases, s.joints, strict=True))


def _readable(words: Sequence[str], side: str) -> str:
    """Return words as a phrase, the side in front and the rest in small letters."""
    rest = [word.casefold() for word in words]
    if side:
        initial = side[0]
        spoken = {side, initial, "lft" if side == LEFT else "rgt", "lt" if side == LEFT else "rt"}
        named = [word for word in rest if word not in spoken]
        if len(named) == len(rest) and rest:
            # "leftarm", "armleft" and "lfemur" hold the side in the word itself.
            first = rest[0]
            cut = side if first.startswith(side) else initial if first.startswith(initial) else ""
            named = [first.removeprefix(cut) if cut else first.removesuffix(side), *rest[1:]]
        rest = [side, *(word for word in named if word)]
    text = " ".join(rest)
    return text[:1].upper() + text[1:]


def dof_label(joint: Joint, number: int, name: str) -> str:
    """Return a label for a degree of freedom that has none: ``"Left up leg X"``, for a slide ``"Hips move Y"``.

    Args:
        joint: The joint.
        number: Which of its degrees of freedom.
        name: What a person would call the joint.
    """
    dof = joint.dofs[number]
    letter = axis_letter(dof.axis).removeprefix("-").upper() or str(number + 1)
    return f"{name} move {letter}" if dof.kind == SLIDE else f"{name} {letter}"


# -- limbs -----------------------------------------------------------------------------------------------------------


def limb_layout(
    skeleton: Skeleton, pairs: Sequence[tuple[int, int]], readable: Sequence[str]
) -> tuple[int | Group, ...]:
    """Return joints and groups for ``Skeleton.layout``: every branch of the tree under the name of its limb.

    The groups are named "Left leg", "Spine", "Head and neck" where the figure is known for a person, else after
    their first joint. A last branch that belongs to the limb it leaves is not a group of its own. Joints that do not
    come branch by branch, as a .scr file lists them, are grouped all the same; then the layout is of no use to it.

    Args:
        skeleton: The figure.
        pairs: As from :func:`mirror_pairs`.
        readable: As from :func:`readable_names`.
    """
    s = skeleton
    limbs = _limbs(s)
    partner = dict(pairs) | {right: left for left, right in pairs}
    titles: list[str | None] = [None] * len(s.joints)  # of the group that a joint begins
    inside = [""] * len(s.joints)  # the innermost group a joint is in
    forked = [False] * len(s.joints)
    for i, children in enumerate(s.children):
        here = [limbs[child] or readable[child] for child in children]
        for child, limb in zip(children, here, strict=True):
            forked[child] = forked[i] or len(children) > 1
            only = here.count(inside[i]) == 1 and partner.get(child) not in children
            goes_on = child == children[-1] and limb == inside[i] and forked[i] and only
            if len(children) > 1 and not goes_on:
                # Inside a limb, a branch of the same one goes by its own name.
                titles[child] = readable[child] if limb == inside[i] else limb
            inside[child] = titles[child] or inside[i]
    short = [re.sub(r"[\s\d]+$", "", title) if title else "" for title in titles]
    # From the last joint to the first: a branch is complete when its parent takes it.
    rows: list[list[int | Group]] = [[i] for i in range(len(s.joints))]
    for i in reversed(range(len(s.joints))):
        for child in s.children[i]:
            title = titles[child]
            if title is None:
                rows[i].extend(rows[child])
            else:
                brief = short[child]
                rows[i].append(Group(brief if brief and short.count(brief) == 1 else title, tuple(rows[child])))
            rows[child] = []
    return tuple(rows[0])


def _limbs(s: Skeleton) -> list[str]:
    """Return what to call the limb each joint is part of; ``""`` where the figure is no person or the name says no."""
    found = anatomy.find_anatomy(s, frames_at(s, np.zeros(s.n_dofs)))
    if not found.human:
        return [""] * len(s.joints)
    sides = [{1: "Left ", -1: "Right "}.get(side, "") for side in found.sides]
    titles = [_TITLES.get(part, "") for part in found.parts]
    limbs = [side + title if title in ("arm", "leg") else title for side, title in zip(sides, titles, strict=True)]
    return [limb[:1].upper() + limb[1:] for limb in limbs]
