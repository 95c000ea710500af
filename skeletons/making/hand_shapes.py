"""The bundled hand: its bones and the skin over them, bind pose, in the world.

A right hand that stands upright on the stump of its forearm, palm to +z, thumb to +x, fingers slightly curled. Bones
are straight lines; a bone's frame has y along it, z towards the side that it bends to. All lengths in metres.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.skeleton import Mesh
from core.skeleton.euler import euler_rotation
from skeletons.making.shaping.fields import Join
from skeletons.making.shaping.loft import Array
from skeletons.making.shaping.skin import Fork, joined
from skeletons.making.shaping.tube import Cut, Section, Tube, tube

WRIST = np.array([0.0, 0.130, 0.0])


class Bone(NamedTuple):
    """A bone of a finger: its joint's name, turn in the frame before, (x, y, z) of ``Rz Ry Rx`` [deg], and length."""

    joint: str
    turn: tuple[float, float, float]
    length: float


class Finger(NamedTuple):
    """A finger: the first joint from the wrist, its bones, and how thick it is there and at the tip (radii)."""

    name: str
    root: tuple[float, float, float]
    bones: tuple[Bone, ...]
    thick: float
    thin: float


def finger(
    name: str, root: tuple[float, float, float], splay: float, lengths: Sequence[float], thick: float, thin: float
) -> Finger:
    """Return a finger with three bones that leans by ``splay`` [deg] to the thumb's side and is curled a little."""
    names = [f"{name} {part}" for part in ("proximal", "middle", "distal")]
    turns = ((11.0, 0.0, -splay), (17.0, 0.0, 0.0), (10.0, 0.0, 0.0))
    return Finger(name, root, tuple(map(Bone, names, turns, lengths)), thick, thin)


# Lengths of the bones after the averages of hand anthropometry; the last one runs to the tip of the flesh.
FINGERS = (
    finger("little", (-0.0335, 0.0755, -0.001), -11.0, (0.0335, 0.0200, 0.0200), 0.0086, 0.0066),
    finger("ring", (-0.0155, 0.0860, -0.003), -4.0, (0.0430, 0.0275, 0.0230), 0.0095, 0.0073),
    finger("middle", (0.0050, 0.0915, -0.004), 1.0, (0.0465, 0.0290, 0.0235), 0.0100, 0.0077),
    finger("index", (0.0255, 0.0895, -0.003), 7.0, (0.0430, 0.0250, 0.0225), 0.0098, 0.0076),
)
THUMB = Finger(
    "thumb",
    (0.0205, 0.0220, 0.0080),
    (
        Bone("thumb metacarpal", (32.0, -38.0, -68.0), 0.0460),
        Bone("thumb proximal", (14.0, 0.0, 0.0), 0.0330),
        Bone("thumb distal", (12.0, 0.0, 0.0), 0.0270),
    ),
    0.0125,
    0.0092,
)


def frames(digit: Finger) -> list[tuple[Array, Array]]:
    """Return rotation and origin of each bone in the world, and of the tip."""
    turn, place = np.eye(3), WRIST + digit.root
    found = []
    for bone in digit.bones:
        turn = turn @ euler_rotation(np.array(bone.turn))
        found.append((turn, place))
        place = place + bone.length * turn[:, 1]
    return [*found, (turn, place)]


def palm() -> Tube:
    """The forearm's stump, the wrist and the palm up to the knuckles."""

    def row(
        y: float, x: float, z: float, outer: float, inner: float, front: float, back: float, power: float
    ) -> Section:
        return (x, y, z, outer, inner, front, back, power)

    rows = [
        row(0.0006, 0.000, 0.0000, 0.0335, 0.0335, 0.0265, 0.0255, 2.1),
        row(0.0060, 0.000, 0.0000, 0.0352, 0.0352, 0.0280, 0.0270, 2.1),
        row(0.0350, 0.000, 0.0000, 0.0342, 0.0342, 0.0268, 0.0258, 2.1),
        row(0.0700, 0.000, 0.0000, 0.0312, 0.0312, 0.0236, 0.0228, 2.1),
        row(0.0980, 0.000, 0.0000, 0.0292, 0.0292, 0.0202, 0.0202, 2.1),
        row(0.1160, 0.000, 0.0000, 0.0288, 0.0288, 0.0188, 0.0195, 2.1),
        row(0.1300, 0.000, 0.0000, 0.0290, 0.0288, 0.0185, 0.0195, 2.2),
        row(0.1450, -0.001, 0.0000, 0.0315, 0.0305, 0.0190, 0.0180, 2.3),
        row(0.1640, -0.002, 0.0000, 0.0370, 0.0335, 0.0188, 0.0155, 2.5),
        row(0.1830, -0.003, -0.0005, 0.0400, 0.0365, 0.0172, 0.0138, 2.6),
        row(0.2010, -0.003, -0.0010, 0.0410, 0.0385, 0.0155, 0.0125, 2.7),
        row(0.2160, -0.002, -0.0008, 0.0398, 0.0385, 0.0140, 0.0112, 2.7),
        row(0.2310, -0.002, 0.0004, 0.0385, 0.0372, 0.0122, 0.0096, 2.7),
    ]
    cuts = (Cut(0, "forearm", 0.0), Cut(6, "hand", 0.016, 0.8))
    body = tube(rows, cuts, (0, 0, 1), (0.0006, 0.003), sides=32, refine=1)
    body = body.bumped((-0.024, 0.168, 0.022), (0.020, 0.036, 0.018), 0.0055)  # the little finger's ball
    body = body.bumped((0.003, 0.178, 0.022), (0.020, 0.026, 0.014), -0.0035)  # the hollow of the palm
    body = body.warped(slanted)
    return body.bumped((-0.031, 0.122, -0.014), (0.012, 0.014, 0.014), 0.0022)  # the head of the ulna


def slanted(points: Array) -> Array:
    """Return points of the palm with its far end lower on the little finger's side, as the knuckles are."""
    share = np.clip((points[:, 1] - 0.170) / 0.060, 0.0, None)
    lower = 0.0150 * np.clip((0.012 - points[:, 0]) / 0.045, 0.0, None) ** 1.5 + 0.003 * np.clip(
        (points[:, 0] - 0.014) / 0.022, 0.0, None
    )
    return points - np.outer(share * lower, [0.0, 1.0, 0.0])


def digit_tube(digit: Finger, first: Sequence[tuple[float, float, float, float]], joints: Sequence[Cut]) -> Tube:
    """Return the tube of a finger.

    Args:
        digit: The finger.
        first: Rows before the first joint: (place along the first bone, radius across, palm side, back).
        joints: Where its joints lie among all rows.
    """
    (turn, root), *_ = poses = frames(digit)
    rows = [(*(root + s * turn[:, 1]), w, w, front, back, 2.1) for s, w, front, back in first]
    count = len(digit.bones)
    for k, bone in enumerate(digit.bones):
        turn, place = poses[k]
        t = k / (count - 1) if count > 1 else 1.0
        r = digit.thick + (digit.thin - digit.thick) * t
        last = k + 1 == count
        # (share of the bone, across, palm side, back, shift to the palm side), in radii
        near = 0.42 * r / bone.length  # rings close to a joint, so that it bends round
        # (share of the bone, across, palm side, back, shift to the palm side), in radii
        knuckle = ((0.0, 1.05, 0.95, 1.09, 0.0), (near, 1.02, 1.0, 1.04, 0.0))
        if k == 0 and digit is not THUMB:  # where it grows out of the palm the rings lie close too
            profile = ((0.0, 1.04, 0.95, 1.04, 0.0), (0.16, 1.0, 1.02, 0.96, 0.0), (0.32, 0.96, 1.06, 0.90, 0.0),
                       (0.48, 0.94, 1.08, 0.86, 0.0), (0.72, 0.95, 1.08, 0.86, 0.0))  # fmt: skip
        elif not last:
            profile = (*knuckle, (0.36, 0.96, 1.08, 0.88, 0.02), (0.68, 0.95, 1.09, 0.86, 0.02))
        else:
            profile = (*knuckle, (0.38, 1.00, 1.06, 0.84, 0.03), (0.64, 0.98, 1.04, 0.74, 0.08),
                       (0.84, 0.80, 0.82, 0.56, 0.12))  # fmt: skip
        if not last:
            r_next = digit.thick + (digit.thin - digit.thick) * (k + 1) / (count - 1)
            profile = (*profile, (1.0 - 0.42 * r_next / bone.length, 0.99, 1.02, 0.99, 0.0))
        for share, w, front, back, shift in profile:
            center = place + share * bone.length * turn[:, 1] + shift * r * turn[:, 2]
            rows.append((*center, w * r, w * r, front * r, back * r, 2.1))
    bend = poses[-1][0][:, 2]
    return tube(rows, joints, bend, (0.004, 0.20 * digit.bones[-1].length), sides=12, refine=1)


def fingers() -> dict[str, Tube]:
    """Return the four fingers, little to index."""
    found = {}
    for digit in FINGERS:
        names = [bone.joint for bone in digit.bones]
        r = digit.thick
        first = ((-0.020, 0.90 * r, 0.9 * r, 0.9 * r), (-0.010, 1.0 * r, 1.0 * r, 1.0 * r))
        cuts = (
            Cut(0, "hand", 0.0),
            Cut(2, names[0], 0.0085),
            Cut(8, names[1], 0.66 * r, 0.7),
            Cut(13, names[2], 0.58 * r, 0.7),
        )
        found[digit.name] = digit_tube(digit, first, cuts)
    return found


def thumb() -> Tube:
    """Return the thumb with its ball."""
    names = [bone.joint for bone in THUMB.bones]
    cuts = (Cut(0, "hand", 0.0), Cut(1, names[0], 0.012), Cut(6, names[1], 0.0085, 0.7), Cut(11, names[2], 0.0068, 0.7))
    made = digit_tube(THUMB, ((-0.006, 0.0095, 0.0095, 0.0095),), cuts)
    turn, place = frames(THUMB)[0]
    ball = place + 0.45 * THUMB.bones[0].length * turn[:, 1] + 0.010 * turn[:, 2]
    return made.bumped(ball, (0.020, 0.024, 0.020), 0.0045)


def nail(digit: Finger) -> Mesh:
    """Return a finger nail, a thin shell on the back of the last bone."""
    turn, place = frames(digit)[-2]
    r, length = digit.thin, digit.bones[-1].length
    rows = [
        (*(place + s * length * turn[:, 1] - up * r * turn[:, 2]), w * r, w * r, 0.20 * r, 0.13 * r, 2.6)
        for s, up, w in ((0.34, 0.70, 0.52), (0.52, 0.68, 0.70), (0.72, 0.55, 0.72), (0.93, 0.36, 0.60))
    ]
    return tube(rows, digit.bones[-1].joint, turn[:, 2], (0.0008, 0.0008), sides=8, refine=1, cap_rings=1).mesh()


def body() -> dict[str, list[Mesh]]:
    """Return the meshes of all joints, in the world."""
    shapes = {"palm": palm(), **fingers(), "thumb": thumb()}
    names = [digit.name for digit in FINGERS]
    joins = [Join("palm", name, 0.010) for name in names]
    joins += [Join("palm", "thumb", 0.022)]
    found = joined(shapes, joins, symmetric=False, forks=(Fork("palm", tuple(names)),))
    for digit in (*FINGERS, THUMB):
        found[digit.bones[-1].joint].append(nail(digit))
    return found
