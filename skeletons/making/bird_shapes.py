"""The body of the bundled bird: where its joints lie, one table of cross-sections a part, and its feathers.

A gull that has just come down, its wings still raised. The wings lie in a plane through the shoulders; places in it
are given by an angle from straight outwards, positive to the back, and a length. Lengths in metres, bind pose, world.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from core.skeleton import Mesh
from core.skeleton.euler import euler_rotation
from core.skeleton.shapes import ellipsoid, tapered
from skeletons.making.shaping.fields import Join
from skeletons.making.shaping.loft import Array
from skeletons.making.shaping.skin import joined
from skeletons.making.shaping.tube import Cut, Section, Tube, merged, skinned, tube

SHOULDER = np.array([-0.042, 0.228, 0.040])
WING_TURN = (-6.0, 0.0, -24.0)  # of the wing's plane: raised to the side, its rear edge a little lower
WING = euler_rotation(np.array(WING_TURN))  # columns: inwards, up from the wing, forward
ARM, FOREARM, HAND, TIP = (28.0, 0.090), (-24.0, 0.105), (12.0, 0.052), (22.0, 0.034)  # angle [deg], length


def along(angle: float, length: float) -> Array:
    """Return a step in the wing's plane: ``angle`` [deg] from outwards to the back, ``length`` [m]."""
    a = np.radians(angle)
    return length * (-np.cos(a) * WING[:, 0] - np.sin(a) * WING[:, 2])


ELBOW = SHOULDER + along(*ARM)
WRIST = ELBOW + along(*FOREARM)
FINGER = WRIST + along(*HAND)
END = FINGER + along(*TIP)

PLACES: dict[str, Array] = {
    name: np.array(place)
    for name, place in {
        "body": (0.0, 0.190, -0.010),
        "lower neck": (0.0, 0.2260, 0.0595),
        "upper neck": (0.0, 0.2650, 0.0820),
        "head": (0.0, 0.310, 0.095),
        "bill": (0.0, 0.312, 0.137),
        "lower bill": (0.0, 0.306, 0.129),
        "eyes": (0.0, 0.324, 0.119),
        "tail": (0.0, 0.183, -0.118),
        "right tail fan": (-0.006, 0.181, -0.124),
        "right upper arm": SHOULDER,
        "right forearm": ELBOW,
        "right hand": WRIST,
        "right wing tip": FINGER,
        "right thigh": (-0.030, 0.172, -0.004),
        "right shin": (-0.036, 0.128, 0.020),
        "right foot": (-0.036, 0.072, -0.016),
        "right toes": (-0.036, 0.011, 0.004),
        "right hind toe": (-0.036, 0.012, -0.001),
    }.items()
}
LEG = -0.036  # x of the legs below the knee


def middle(y: float, z: float, width: float, back: float, front: float, power: float = 2.0) -> Section:
    """Return a cross-section on the middle plane; ``back`` is the side of the spine."""
    return (0.0, y, z, width, width, back, front, power)


def trunk() -> Tube:
    """Rump, breast and neck in one line up to the head."""
    rows = [
        middle(0.1820, -0.1300, 0.0230, 0.0150, 0.0150),
        middle(0.1820, -0.1040, 0.0325, 0.0260, 0.0260),
        middle(0.1830, -0.0720, 0.0425, 0.0380, 0.0385),
        middle(0.1870, -0.0360, 0.0500, 0.0470, 0.0490),
        middle(0.1940, 0.0020, 0.0540, 0.0500, 0.0560),
        middle(0.2070, 0.0370, 0.0510, 0.0450, 0.0565),
        middle(0.2260, 0.0595, 0.0440, 0.0375, 0.0490),
        middle(0.2460, 0.0735, 0.0370, 0.0325, 0.0395),
        middle(0.2650, 0.0820, 0.0315, 0.0290, 0.0320),
        middle(0.2840, 0.0885, 0.0275, 0.0255, 0.0270),
        middle(0.3030, 0.0940, 0.0240, 0.0225, 0.0225),
    ]
    cuts = (
        Cut(0, "body", 0.0),
        Cut(6, "lower neck", 0.022),
        Cut(8, "upper neck", 0.016),
        Cut(10, "head", 0.012),
    )
    return tube(rows, cuts, (0, 0.75, -0.66), (0.016, 0.010), sides=20, refine=1, cap_rings=2)


def head() -> Tube:
    """A round skull that narrows to the bill."""
    rows = [
        middle(0.3210, 0.0760, 0.0150, 0.0150, 0.0160),
        middle(0.3220, 0.0870, 0.0225, 0.0215, 0.0225),
        middle(0.3230, 0.1020, 0.0250, 0.0240, 0.0245),
        middle(0.3215, 0.1170, 0.0230, 0.0225, 0.0215),
        middle(0.3175, 0.1300, 0.0165, 0.0170, 0.0150),
        middle(0.3140, 0.1400, 0.0110, 0.0115, 0.0095),
    ]
    return tube(rows, "head", (0, 1, 0), (0.010, 0.006), sides=16, refine=1, cap_rings=2)


def arm() -> Tube:
    """The arm and its small feathers: a thick front edge, thin behind."""

    def row(place: Array, front: float, back: float, up: float, down: float) -> Section:
        return (*place, down, up, front, back, 2.0)

    rows = [
        row(SHOULDER - along(ARM[0], 0.030), 0.016, 0.030, 0.013, 0.014),
        row(SHOULDER + along(ARM[0], 0.010), 0.015, 0.040, 0.014, 0.014),
        row(SHOULDER + along(ARM[0], 0.045), 0.015, 0.046, 0.012, 0.011),
        row(SHOULDER + along(ARM[0], 0.075), 0.020, 0.044, 0.011, 0.010),
        row(ELBOW + along(-0.5 * ARM[0], 0.004), 0.026, 0.042, 0.0105, 0.0095),
        row(ELBOW + along(FOREARM[0], 0.030), 0.022, 0.043, 0.0100, 0.0090),
        row(ELBOW + along(FOREARM[0], 0.065), 0.015, 0.043, 0.0095, 0.0080),
        row(ELBOW + along(FOREARM[0], 0.092), 0.012, 0.040, 0.0090, 0.0075),
        row(WRIST, 0.012, 0.036, 0.0085, 0.0070),
        row(WRIST + along(HAND[0], 0.020), 0.012, 0.030, 0.0075, 0.0060),
        row(FINGER, 0.0095, 0.024, 0.0060, 0.0050),
        row(FINGER + along(TIP[0], 0.020), 0.0070, 0.016, 0.0045, 0.0040),
        row(END, 0.0040, 0.008, 0.0030, 0.0030),
    ]
    cuts = (
        Cut(0, "right upper arm", 0.0),
        Cut(4, "right forearm", 0.026),
        Cut(8, "right hand", 0.020),
        Cut(10, "right wing tip", 0.014),
    )
    return tube(rows, cuts, WING[:, 2], (0.010, 0.006), sides=12, refine=1, cap_rings=1)


def leg() -> Tube:
    """The feathered thigh, half of it in the body, and the shin, bare at its lower end."""
    rows = [
        (-0.024, 0.192, -0.010, 0.020, 0.016, 0.026, 0.026, 2.0),
        (-0.031, 0.168, -0.003, 0.017, 0.015, 0.024, 0.027, 2.0),
        (-0.035, 0.147, 0.010, 0.0150, 0.0140, 0.0185, 0.0210, 2.0),
        (LEG, 0.128, 0.020, 0.0125, 0.0120, 0.0145, 0.0155, 2.0),
        (LEG, 0.112, 0.013, 0.0105, 0.0100, 0.0125, 0.0130, 2.0),
        (LEG, 0.096, 0.001, 0.0068, 0.0066, 0.0080, 0.0082, 2.0),
        (LEG, 0.083, -0.008, 0.0046, 0.0046, 0.0052, 0.0054, 2.0),
        (LEG, 0.072, -0.016, 0.0044, 0.0044, 0.0048, 0.0050, 2.0),
    ]
    cuts = (Cut(0, "right thigh", 0.0), Cut(3, "right shin", 0.012))
    return tube(rows, cuts, (0, 0.1, 1), (0.012, 0.004), sides=12, refine=1)


JOINS = (
    Join("trunk", "head", 0.016),
    Join("trunk", "right arm", 0.024),
    Join("trunk", "right leg", 0.030),
)


class Feather(NamedTuple):
    """A feather: root and tip in the world, half its width, its weights, and how far it lies above the wing's plane."""

    root: Array
    tip: Array
    width: float
    weights: Mapping[str, float]
    lift: float


def vane(feather: Feather, normal: Array, bow: float) -> Mesh:
    """Return a feather as a thin closed wedge with a ridge along its shaft, bent down by ``bow`` of its length."""
    length = float(np.linalg.norm(feather.tip - feather.root))
    w, t = feather.width, 0.05 * feather.width
    rows = []
    for s, wide, thick in ((0.0, 0.35, 1.6), (0.28, 0.85, 1.5), (0.62, 1.0, 1.2), (0.88, 0.80, 0.8)):
        place = feather.root + s * (feather.tip - feather.root) + (feather.lift - bow * length * s * s) * normal
        rows.append((*place, wide * w, wide * w, thick * t + 0.0004, thick * t + 0.0004, 2.0))
    blade = tube(rows, "", normal, (0.002, 0.12 * length), sides=4, refine=1, cap_rings=1)
    return blade.mesh()


def feathered(feathers: Sequence[Feather], normal: Array, bow: float, carrier: str) -> Mesh:
    """Return feathers as one skinned mesh; each moves as a whole, by the mean of what its joints do."""
    meshes = [vane(feather, normal, bow) for feather in feathers]
    names = dict.fromkeys(name for feather in feathers for name in feather.weights)
    weights = {
        name: np.concatenate(
            [np.full(len(m.vertices), f.weights.get(name, 0.0)) for m, f in zip(meshes, feathers, strict=True)]
        )
        for name in names
    }
    return skinned(merged(meshes), weights, carrier)


def primaries() -> list[Feather]:
    """Return the ten flight feathers of the hand, inner ones first: they open like a fan towards the tip."""
    found = []
    for k in range(10):
        t = k / 9.0
        root = WRIST + along(HAND[0], HAND[1] * min(1.0, 1.25 * t)) + along(TIP[0], TIP[1] * max(0.0, 4.0 * t - 3.0))
        root = root + along(HAND[0] + 90.0, 0.006)
        angle = 84.0 + (30.0 - 84.0) * t**0.9
        length = 0.128 + 0.075 * np.sin(0.5 * np.pi * t) - 0.018 * t**6
        inner, outer = max(0.0, 0.5 - 1.1 * t), max(0.0, 2.2 * t - 1.2)
        weights = {"right forearm": inner, "right hand": 1.0 - inner - outer, "right wing tip": outer}
        found.append(Feather(root, root + along(angle, length), 0.0135 - 0.0030 * t, weights, -0.0030 - 0.00055 * k))
    return found


def secondaries() -> list[Feather]:
    """Return the flight feathers of the forearm and those above the elbow, outer ones first."""
    found = []
    for k in range(10):
        t = k / 9.0
        root = WRIST + along(FOREARM[0] + 180.0, FOREARM[1] * (0.06 + 0.98 * t)) + along(FOREARM[0] + 90.0, 0.008)
        angle = 86.0 + 6.0 * t
        length = 0.124 - 0.004 * t
        hand, above = max(0.0, 0.45 - 1.3 * t), max(0.0, 1.1 * t - 0.55)
        weights = {"right hand": hand, "right forearm": 1.0 - hand - above, "right upper arm": above}
        found.append(Feather(root, root + along(angle, length), 0.0150, weights, -0.0030 + 0.0005 * k))
    for k in range(4):
        t = (k + 1) / 4.0
        root = ELBOW + along(ARM[0] + 180.0, 0.072 * t) + along(ARM[0] + 90.0, 0.010)
        weights = {"right forearm": 0.35 * (1.0 - t), "right upper arm": 1.0 - 0.35 * (1.0 - t)}
        tip = root + along(92.0 + 3.0 * t, 0.118 - 0.022 * t)
        found.append(Feather(root, tip, 0.0165, weights, 0.0022 + 0.0006 * k))
    return found


def coverts() -> list[Feather]:
    """Return the short feathers that lie over the roots of the long ones."""
    found = []
    for k in range(11):
        t = k / 10.0
        if t < 0.4:
            root = WRIST + along(HAND[0], HAND[1] * (1.0 - 2.5 * t))
            weights = {"right hand": 1.0}
        else:
            root = WRIST + along(FOREARM[0] + 180.0, FOREARM[1] * (t - 0.4) / 0.6)
            above = max(0.0, 1.8 * t - 1.3)
            weights = {"right forearm": 1.0 - above, "right upper arm": above}
        if 0.25 < t < 0.55:
            weights = {"right hand": 0.5, "right forearm": 0.5}
        angle = 62.0 + 30.0 * min(1.0, t / 0.5)
        length = 0.058 + 0.016 * min(1.0, t / 0.5)
        found.append(Feather(root, root + along(angle, length), 0.0130, weights, 0.0052))
    return found


def tail_feathers() -> list[Feather]:
    """Return the right half of the tail; the joint of the fan spreads it, the outer feathers most."""
    found = []
    base = PLACES["tail"]
    for k in range(6):
        t = k / 5.0
        angle = np.radians(2.0 + 20.0 * t)
        way = np.array([-np.sin(angle), -0.16, -np.cos(angle)])
        root = base + np.array([-0.002 - 0.011 * t, 0.001, 0.006])
        share = min(1.0, 0.08 + 0.92 * t)
        tip = root + (0.128 - 0.010 * t * t) * way / np.linalg.norm(way)
        weights = {"right tail fan": share, "tail": 1.0 - share}
        found.append(Feather(root, tip, 0.0125, weights, 0.0035 - 0.0008 * k))
    return found


def toes(names: Sequence[tuple[float, float]], base: Array) -> Mesh:
    """Return toes with claws that lie on the ground: for each its direction from straight ahead [deg] and length."""
    parts = []
    for degrees, length in names:
        a = np.radians(degrees)
        way = np.array([-np.sin(a), 0.0, np.cos(a)])
        # (share of the length, height, radius): two joints of the toe and a claw
        steps = ((0.0, 0.0100, 0.0043), (0.42, 0.0047, 0.0043), (0.74, 0.0040, 0.0036), (0.98, 0.0034, 0.0028),
                 (1.10, 0.0016, 0.0013))  # fmt: skip
        rows = [(base[0] + s * length * way[0], y, base[2] + s * length * way[2], r, r, r, r, 2.0) for s, y, r in steps]
        parts.append(tube(rows, "", (0, 1, 0), (0.003, 0.0008), sides=6, refine=1, cap_rings=1).mesh())
    mesh = merged(parts)
    return Mesh(mesh.vertices - [0.0, mesh.vertices[:, 1].min(), 0.0], mesh.triangles, mesh.polygons)


def foot() -> Mesh:
    """Return the bare leg between heel and toes."""
    heel, ball = PLACES["right foot"], PLACES["right toes"]
    above, below = heel + np.array([0.0, 0.002, -0.001]), heel + np.array([0.0, -0.006, 0.002])
    shank = tapered(heel, ball, (0.0048, 0.0050), (0.0042, 0.0044), sides=10)
    return merged([shank, tapered(above, below, 0.0054, 0.0048, sides=8)])


def bill() -> Mesh:
    """Return the upper bill, hooked a little at its tip."""
    rows = [
        middle(0.3135, 0.1330, 0.0105, 0.0100, 0.0045),
        middle(0.3128, 0.1450, 0.0080, 0.0078, 0.0038),
        middle(0.3116, 0.1590, 0.0058, 0.0060, 0.0032),
        middle(0.3092, 0.1740, 0.0044, 0.0052, 0.0034),
        middle(0.3040, 0.1825, 0.0022, 0.0036, 0.0024),
    ]
    return tube(rows, "bill", (0, 1, 0), (0.004, 0.003), sides=12, refine=1, cap_rings=1).mesh()


def lower_bill() -> Mesh:
    """Return the lower bill."""
    rows = [
        middle(0.3070, 0.1280, 0.0095, 0.0030, 0.0050),
        middle(0.3065, 0.1440, 0.0070, 0.0028, 0.0042),
        middle(0.3060, 0.1590, 0.0050, 0.0022, 0.0038),
        middle(0.3058, 0.1710, 0.0032, 0.0016, 0.0026),
    ]
    return tube(rows, "lower bill", (0, 1, 0), (0.004, 0.004), sides=12, refine=1, cap_rings=1).mesh()


def body() -> dict[str, list[Mesh]]:
    """Return the meshes of every joint that has a body, in the world."""
    shapes = {"trunk": trunk(), "head": head(), "right arm": arm(), "right leg": leg()}
    found = joined(shapes, JOINS)
    up, tail_up = WING[:, 1], np.array([0.0, 0.987, -0.158])
    base = PLACES["right toes"]
    found |= {
        "right secondaries": [feathered(secondaries(), up, 0.05, "right secondaries")],
        "right primaries": [feathered(primaries(), up, 0.09, "right primaries")],
        "right coverts": [feathered(coverts(), up, 0.10, "right coverts")],
        "right tail fan": [feathered(tail_feathers(), tail_up, 0.02, "right tail fan")],
        "tail": [ellipsoid((0.017, 0.011, 0.024), PLACES["tail"] + [0.0, 0.0, -0.006], sides=12)],
        "right foot": [foot()],
        "right toes": [toes(((-26.0, 0.046), (2.0, 0.056), (31.0, 0.047)), base)],
        "right hind toe": [toes(((190.0, 0.020),), PLACES["right hind toe"])],
        "bill": [bill()],
        "lower bill": [lower_bill()],
        "eyes": [merged([ellipsoid((0.0045, 0.0055, 0.0055), (0.0205 * side, 0.3265, 0.1170), sides=8)
                         for side in (-1.0, 1.0)])],
    }  # fmt: skip
    return found
