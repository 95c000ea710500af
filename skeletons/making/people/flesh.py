"""The bodies of the bundled man and woman as solids: tables of cross-sections, and the muscles that lie on them.

World frame of the rest pose: y up, the figure faces +z, its left is +x; the right side is written out. Lengths are in
metres. Numbers are ours, chosen by eye with the breadths and girths of adults in mind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skeletons.making.shaping.flesh import Array, Cone, Ellipsoid, Flesh, Tube, beyond, by


@dataclass(frozen=True)
class Bones:
    """Joint origins in the world in the rest pose, each (3,), [m], and turns of the limbs' frames, each (3, 3)."""

    hip: Array
    knee: Array
    ankle: Array
    ball: Array
    waist: Array
    chest: Array
    neck: Array
    skull: Array
    collar: Array
    shoulder: Array
    elbow: Array
    wrist: Array
    upper_arm: Array
    forearm: Array
    thigh: Array
    shank: Array


Knot = tuple[tuple[float, float, float], tuple[float, float, float]]


@dataclass(frozen=True)
class Body:
    """The solids of a figure, each whole where its part of the mesh is laid.

    Attributes:
        trunk: From the crotch to the neck, with the roots of the limbs.
        arm: The right arm with the shoulder.
        hand: Palm and fingers; ``thumb`` has the thumb too, ``fingers`` each one alone.
        leg: The right leg with the hip.
        foot: Ankle, foot and toes.
        head: Head, neck and shoulders.
        eye: Centre of the right eyeball and its radius, [m].
        knot: Of the hair, an ellipsoid: centre and half-axes, [m].
    """

    trunk: Flesh
    arm: Flesh
    hand: Flesh
    thumb: Flesh
    fingers: tuple[Flesh, ...]
    leg: Flesh
    foot: Flesh
    head: Flesh
    eye: tuple[tuple[float, float, float], float]
    knot: Knot | None = None


# Toes from the big to the little one: x, place of the tip, both from the ankle, and radius, [m].
TOES = (
    (0.0260, 0.1986, 0.0150),
    (0.0030, 0.1946, 0.0110),
    (-0.0130, 0.1866, 0.0105),
    (-0.0270, 0.1756, 0.0100),
    (-0.0390, 0.1616, 0.0100),
)


def assembled(
    b: Bones,
    trunk: Flesh,
    neck: Flesh,
    arm: Flesh,
    leg: Flesh,
    foot: Flesh,
    head: Flesh,
    eye: tuple[tuple[float, float, float], float],
    hand: tuple[float, float] = (1.0, 1.0),
    knot: Knot | None = None,
) -> Body:
    """Return the body in which every part has the neighbours that it grows out of.

    Args:
        b: The bones.
        trunk: Without neck and limbs.
        neck: The neck alone.
        arm: The right arm with the shoulder, without the hand.
        leg: The right leg without the foot.
        foot: The right foot.
        head: The head alone, without eyes.
        eye: Centre of the right eyeball and its radius.
        hand: Length of the hand and how much thinner it is, against the man's.
        knot: Of the hair.
    """
    armpit = by(b.shoulder, 0.0, -0.085, 0.0)
    whole = Flesh(trunk).add(neck, 0.030)
    root = beyond(arm, armpit, (0.0, 1.0, 0.0), 0.030)
    core = (
        Flesh(whole)
        .add(root, 0.030, both=True)
        .add(beyond(leg, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), 0.0), 0.030, both=True)
    )
    shoulder = Flesh(arm).add(beyond(whole, armpit, (0.0, 1.0, 0.0), 0.030), 0.030)
    hip = Flesh(leg).add(beyond(trunk, by(b.hip, 0.0, -0.075, 0.0), (0.0, 1.0, 0.0), 0.020), 0.030)
    foot = Flesh(foot).add(leg, 0.02)
    top = Flesh(head).add(neck, 0.035).add(trunk, 0.030)
    palm, thumb, fingers = hands(b, *hand)
    return Body(core, shoulder, palm, thumb, fingers, hip, foot, top, eye, knot)


def hands(b: Bones, size: float = 1.0, slim: float = 1.0) -> tuple[Flesh, Flesh, tuple[Flesh, ...]]:
    """Return the palm with its fingers, the thumb with the palm, and each finger alone.

    Args:
        b: The bones; the hand hangs on with the turn of the forearm.
        size: Length of the hand; 1 is 0.187 m.
        slim: How much thinner than long it is made.
    """

    def at(x: float, s: float, z: float) -> Array:
        return np.asarray(b.wrist + b.forearm @ (size * np.array([x * slim, -s, z * slim])))

    across = size * slim
    palm = Flesh(
        Tube(
            [
                (s * size, cu * across, 0.0, *(w * across for w in widths), power)
                for s, cu, *widths, power in (
                    (-0.030, 0.000, 0.0215, 0.0215, 0.0280, 0.0280, 2.3),
                    (0.000, 0.000, 0.0205, 0.0205, 0.0270, 0.0270, 2.3),
                    (0.020, 0.001, 0.0200, 0.0215, 0.0310, 0.0320, 2.4),
                    (0.045, 0.001, 0.0180, 0.0215, 0.0370, 0.0385, 2.5),
                    (0.070, 0.000, 0.0160, 0.0190, 0.0385, 0.0400, 2.5),
                    (0.092, 0.000, 0.0130, 0.0145, 0.0370, 0.0380, 2.4),
                )
            ],
            "-y",
            b.wrist,
            b.forearm,
            soft=0.004 * size,
        )
    )
    palm.add(Cone(at(0.011, 0.020, 0.014), at(0.012, 0.056, 0.024), 0.014 * across, 0.010 * across), 0.016)
    palm.add(Cone(at(0.010, 0.018, -0.018), at(0.008, 0.062, -0.026), 0.012 * across, 0.008 * across), 0.014)
    fingers = []
    for z, knuckle, bend, tip in FINGERS:
        line = [at(*point) for point in finger_line(z, knuckle, bend, tip)]
        finger = Flesh(Cone(line[0], line[1], 0.0103 * across, 0.0093 * across))
        finger.add(Cone(line[1], line[2], 0.0093 * across, 0.0078 * across), 0.002)
        fingers.append(finger)
        palm.add(finger, 0.006)
    thumb = Flesh(Cone(at(0.008, 0.020, 0.020), at(0.016, 0.056, 0.040), 0.0150 * across, 0.0130 * across))
    thumb.add(Cone(at(0.016, 0.056, 0.040), at(0.020, 0.084, 0.050), 0.0122 * across, 0.0108 * across), 0.006)
    thumb.add(Cone(at(0.020, 0.084, 0.050), at(0.021, 0.104, 0.055), 0.0112 * across, 0.0085 * across), 0.004)
    return palm, Flesh(palm).add(thumb, 0.012 * across), tuple(fingers)


def finger_line(z: float, knuckle: float, bend: float, tip: float) -> tuple[tuple[float, float, float], ...]:
    """Return knuckle, bend and the middle of the tip as (towards the palm, from the wrist, towards the thumb), [m]."""
    return (0.0, knuckle, z), (0.006, bend, z), (0.021, tip - 0.007, z * 0.96)


# Fingers from the index to the little one: z, and the places of knuckle, bend and tip from the wrist, [m].
FINGERS = (
    (0.0275, 0.084, 0.124, 0.170),
    (0.0092, 0.088, 0.131, 0.182),
    (-0.0090, 0.085, 0.126, 0.174),
    (-0.0265, 0.077, 0.112, 0.150),
)
THUMB = ((0.008, 0.020, 0.020), (0.016, 0.056, 0.040), (0.020, 0.084, 0.050), (0.021, 0.112, 0.057))


def feet(b: Bones, length: float = 1.0, width: float = 1.0) -> Flesh:
    """Return the right foot with its toes, cut off flat on the ground.

    Args:
        b: The bones.
        length: Against the man's, who has 0.258 m.
        width: The same across.
    """
    a = b.ankle
    foot = Flesh(
        Tube(
            [
                (z * length, x * width, y, left * width, right * width, up, down, power)
                for z, x, y, left, right, up, down, power in (
                    (-0.050, 0.000, -0.035, 0.028, 0.028, 0.040, 0.026, 2.0),
                    (-0.020, 0.000, -0.030, 0.032, 0.032, 0.050, 0.040, 2.1),
                    (0.020, 0.000, -0.032, 0.036, 0.036, 0.044, 0.040, 2.1),
                    (0.050, 0.001, -0.040, 0.039, 0.038, 0.038, 0.030, 2.2),
                    (0.085, 0.002, -0.047, 0.044, 0.043, 0.029, 0.022, 2.3),
                    (0.120, 0.003, -0.053, 0.047, 0.046, 0.021, 0.018, 2.4),
                    (0.150, 0.003, -0.055, 0.043, 0.042, 0.013, 0.014, 2.4),
                )
            ],
            "z",
            a,
            soft=0.010,
        )
    )
    size = np.array([width, 1.0, length])
    foot.carve(Ellipsoid(a + size * [0.038, -0.070, 0.048], size * [0.020, 0.016, 0.045]), 0.015)
    foot.add(Ellipsoid(a + size * [0.0, -0.036, -0.024], size * [0.031, 0.036, 0.034]), 0.02)
    foot.add(Cone(by(a, 0.0, 0.040, -0.006), by(a, 0.0, -0.010, -0.006), 0.030 * width, 0.031 * width), 0.02)
    for x, tip, r in TOES:
        start, end = [x * 0.96, -0.048, 0.130], [x, r * 0.80 * width - a[1], tip - r]
        foot.add(Cone(a + size * start, a + size * end, 0.0125 * width, r * width), 0.006)
    return Flesh(beyond(foot, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), 0.0))
