"""Where the rings of the man's and the woman's mesh lie, see ``skeletons.making.people.weave``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

HALF = 16  # quads from the middle of the front to the middle of the back
ARM = 16
LEG = 20
CROTCH = 4  # edges of a leg's ring that lie in the crotch
FRONT, BACK = 6, 10  # columns of the trunk at the front and back of the armhole
NECK_FRONT, NECK_BACK = 3, 13  # columns of the trunk that end at the sides of the neck
RISE = 4  # quads from the armpit to the top of the shoulder
ARMHOLE = (-62.0, -32.0, 0.0, 32.0, 62.0, 84.0, 104.0, 122.0, 140.0, 160.0, 180.0, 200.0, 220.0, 238.0, 256.0, 276.0)
# The fold of the armpit: where the rings of the shoulder cross it, outwards and down from its deepest point, [m].
FOLD = ((-0.006, 0.006), (-0.003, 0.001), (0.001, 0.0), (0.005, 0.003), (0.007, 0.011), (0.009, 0.024))
# Columns of the head, from the face to the nape; of the armhole, from the front of the armpit on.
FACE = np.radians([0.0, 9.0, 20.0, 34.0, 50.0, 70.0, 92.0, 115.0, 138.0, 160.0, 180.0])  # columns of the head


@dataclass(frozen=True)
class Plan:
    """Where the rings lie: heights and places in the world, [m], slopes as rise over run.

    Attributes:
        hips: Rings from the hip joints up: height in the middle, height at the side.
        side: Distance from the middle that the second one is meant for.
        trunk: Heights of the level rings above; the last is at the armpit.
        waist: How many of ``trunk`` are the pelvis' (the last of them is where the abdomen begins).
        ribs: How many of them end the abdomen.
        crotch: Height of the lowest point between the legs.
        armpit: (x, y, z) of its deepest point.
        arm_slope: Run of the gap between arm and trunk, x over y.
        shoulder: Angle from upright of the ring planes round the shoulder, [deg]; the first is the armhole.
        upper_arm: Places of the rings along the upper arm, from the shoulder, the last at the elbow.
        forearm: The same from the elbow to the wrist.
        thigh: Rings of the thigh: height at its axis, slope towards the side.
        shank: Heights of the rings from below the knee to the ankle.
        neck: Rings of the neck: height and depth of the centre, slopes to the front and sideways; the first joins the
            trunk.
        head: Rings of the head; the first is the throat's.
        crown: (y, z) of the top of the head.
        hand: Length of the hand and how much thinner it is, against the man's.
        foot: Length and width of the foot, against the man's.
    """

    hips: tuple[tuple[float, float], ...]
    side: float
    trunk: tuple[float, ...]
    waist: int
    ribs: int
    crotch: float
    armpit: tuple[float, float, float]
    arm_slope: float
    shoulder: tuple[float, ...]
    upper_arm: tuple[float, ...]
    forearm: tuple[float, ...]
    thigh: tuple[tuple[float, float], ...]
    shank: tuple[float, ...]
    neck: tuple[tuple[float, float, float, float], ...]
    head: tuple[tuple[float, float, float], ...]
    crown: tuple[float, float]
    hand: tuple[float, float] = (1.0, 1.0)
    foot: tuple[float, float] = (1.0, 1.0)


MAN = Plan(
    hips=((0.862, 0.952), (0.900, 0.972), (0.945, 0.995), (0.995, 1.020)),
    side=0.165,
    trunk=(1.045, 1.080, 1.115, 1.150, 1.180, 1.214, 1.246, 1.275, 1.302),
    waist=1,
    ribs=7,
    crotch=0.846,
    armpit=(-0.145, 1.312, -0.012),
    arm_slope=0.10,
    shoulder=(8.0, 21.0, 34.0, 48.0, 64.0, 83.0),
    upper_arm=(0.140, 0.175, 0.212, 0.250, 0.2817),
    forearm=(0.020, 0.046, 0.078, 0.114, 0.154, 0.195, 0.234, 0.2689),
    thigh=(
        (0.874, 0.42),
        (0.842, 0.24),
        (0.803, 0.10),
        (0.757, 0.0),
        (0.708, 0.0),
        (0.658, 0.0),
        (0.608, 0.0),
        (0.565, 0.0),
        (0.532, 0.0),
        (0.502, 0.0),
    ),
    shank=(0.480, 0.452, 0.418, 0.378, 0.333, 0.280, 0.222, 0.165, 0.122, 0.093, 0.068),
    neck=(
        (1.425, -0.022, -0.30, 0.80),
        (1.466, -0.016, -0.36, 0.45),
        (1.500, -0.010, -0.42, 0.15),
        (1.533, -0.006, -0.46, 0.0),
    ),
    head=(
        (1.545, 0.000, -0.48),
        (1.552, 0.008, -0.46),
        (1.559, 0.008, -0.34),
        (1.567, 0.006, -0.24),
        (1.576, 0.004, -0.17),
        (1.587, 0.002, -0.12),
        (1.600, 0.0, -0.07),
        (1.616, 0.0, -0.03),
        (1.632, 0.0, 0.0),
        (1.652, 0.0, 0.0),
        (1.676, -0.004, 0.0),
        (1.699, -0.008, 0.0),
        (1.718, -0.010, 0.0),
        (1.732, -0.012, 0.0),
    ),
    crown=(1.7416, -0.012),
    hand=(1.0, 1.08),
)
WOMAN = Plan(
    hips=((0.812, 0.898), (0.846, 0.918), (0.886, 0.940), (0.940, 0.968)),
    side=0.160,
    trunk=(1.000, 1.035, 1.070, 1.105, 1.140, 1.175, 1.209, 1.242, 1.272),
    waist=1,
    ribs=7,
    crotch=0.797,
    armpit=(-0.127, 1.286, -0.014),
    arm_slope=0.11,
    shoulder=(8.0, 21.0, 34.0, 48.0, 64.0, 82.0),
    upper_arm=(0.136, 0.171, 0.207, 0.244, 0.2751),
    forearm=(0.020, 0.045, 0.077, 0.112, 0.151, 0.191, 0.229, 0.2643),
    thigh=(
        (0.826, 0.40),
        (0.797, 0.24),
        (0.763, 0.10),
        (0.723, 0.0),
        (0.682, 0.0),
        (0.641, 0.0),
        (0.598, 0.0),
        (0.560, 0.0),
        (0.529, 0.0),
        (0.500, 0.0),
    ),
    shank=(0.479, 0.451, 0.417, 0.377, 0.332, 0.279, 0.221, 0.164, 0.121, 0.092, 0.068),
    neck=(
        (1.400, -0.026, -0.30, 0.80),
        (1.440, -0.020, -0.36, 0.42),
        (1.483, -0.012, -0.40, 0.12),
        (1.528, -0.006, -0.44, 0.0),
    ),
    head=(
        (1.550, -0.006, -0.46),
        (1.557, 0.002, -0.44),
        (1.562, 0.002, -0.34),
        (1.570, 0.000, -0.25),
        (1.579, -0.002, -0.18),
        (1.590, -0.004, -0.13),
        (1.602, -0.005, -0.07),
        (1.617, -0.005, -0.03),
        (1.632, -0.005, 0.0),
        (1.651, -0.006, 0.0),
        (1.674, -0.009, 0.0),
        (1.696, -0.013, 0.0),
        (1.714, -0.015, 0.0),
        (1.727, -0.017, 0.0),
    ),
    crown=(1.7362, -0.018),
    hand=(0.93, 0.96),
    foot=(0.8845, 0.86),
)
PLANS = {"human": MAN, "woman": WOMAN}
