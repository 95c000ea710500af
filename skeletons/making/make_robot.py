"""Makes the bundled robot: ``robot.scr`` and the polygon files in ``robot/``.

Run ``python -m skeletons.making.make_robot [FOLDER]`` from the repository's root. A helper on two wheels, 1.38 m to the
tip of its aerial and 60 kg, the figure to try slides with: its trunk rises on a column, its forearms run out, its
fingers close along a rail. Shapes, ranges and masses are ours.

World: y up, the robot faces +z, its left is +x, the ground is y = 0.
"""

from __future__ import annotations

import sys
from pathlib import Path

from core.formats import bundled_folder
from core.skeleton import Mesh
from core.skeleton.shapes import ellipsoid, tapered
from skeletons.making.figure import Figure, Layout, Motion, Part
from skeletons.making.shaping.turned import cylinder, lathe, planed_box

DARK = (0.27, 0.29, 0.32)
STEEL = (0.62, 0.65, 0.68)
SHELL = (0.90, 0.88, 0.83)
MARK = (0.86, 0.55, 0.33)
GLOW = (0.55, 0.88, 0.88)

WHEEL = 0.17  # radius, [m]
AXLE = (0.0, WHEEL, -0.02)
COLUMN = 0.47  # height of the column's joint
CHEST = 0.70  # height of the trunk's joint
NECK = 1.035
SHOULDER = (-0.205, 0.945, 0.0)
ELBOW = (-0.275, 0.70, 0.0)
RAIL = 0.62  # height at which the forearm's extension begins
WRIST = 0.475
PALM = 0.42
FINGER = 0.375
ARM = ELBOW[0]


def arm(side: str) -> Layout:
    """Return the layout of one arm."""
    parts = ("shoulder", "upper arm", "elbow cap", "forearm", "extension", "wrist", "palm")
    fingers = [(f"{side.capitalize()} {which} finger", [f"{side} {which} finger"]) for which in ("inner", "outer")]
    return (f"{side.capitalize()} arm", [*(f"{side} {name}" for name in parts), *fingers])


LAYOUT: Layout = [
    "base",
    ("Wheels", ["caster", ("Right wheel", ["right wheel"]), ("Left wheel", ["left wheel"])]),
    (
        "Trunk",
        [
            "column",
            "chest",
            ("Dress", ["panel"]),
            ("Head", ["neck", "head", ("Face", ["face", "eyes"]), ("Aerial", ["aerial"])]),
            arm("right"),
            arm("left"),
        ],
    ),
]


def base() -> list[Mesh]:
    """Return chassis and the outer tube of the column."""
    return [
        planed_box((0.34, 0.15, 0.44), (0.0, 0.205, 0.0), 0.03, (0.86, 0.82)),
        planed_box((0.22, 0.07, 0.24), (0.0, 0.31, -0.01), 0.02, (0.8, 0.8)),
        cylinder((-0.19, AXLE[1], AXLE[2]), (0.19, AXLE[1], AXLE[2]), 0.035),
        lathe((0.0, 0.33, -0.01), (0.0, COLUMN, -0.01), [(0.0, 0.085), (0.9, 0.07), (0.93, 0.076), (1.0, 0.076)]),
    ]


def wheel() -> list[Mesh]:
    """Return the tyre of the right wheel, with its hub."""
    x = -0.175
    tyre = [(0.0, WHEEL - 0.045), (0.06, WHEEL - 0.018), (0.28, WHEEL), (0.72, WHEEL), (0.94, WHEEL - 0.018),
            (1.0, WHEEL - 0.045)]  # fmt: skip
    return [
        lathe((x + 0.01, AXLE[1], AXLE[2]), (x - 0.055, AXLE[1], AXLE[2]), tyre, 32),
        lathe((x - 0.05, AXLE[1], AXLE[2]), (x - 0.068, AXLE[1], AXLE[2]), [(0.0, 0.085), (0.6, 0.075), (1.0, 0.03)]),
    ]


def chest() -> list[Mesh]:
    """Return the trunk: a shell that widens to the shoulders."""
    return [
        lathe((0.0, CHEST - 0.05, 0.0), (0.0, CHEST + 0.03, 0.0), [(0.0, 0.07), (0.4, 0.082), (1.0, 0.082)]),
        planed_box((0.25, 0.30, 0.20), (0.0, 0.865, 0.0), 0.035, (1.2, 1.1)),
        cylinder((0.0, 1.0, 0.0), (0.0, 1.03, 0.0), 0.07, 0.012),
    ]


def head() -> list[Mesh]:
    """Return the head: a rounded box, an ear at either side."""
    return [
        planed_box((0.25, 0.175, 0.19), (0.0, NECK + 0.145, 0.01), 0.04),
        cylinder((-0.15, NECK + 0.145, 0.01), (0.15, NECK + 0.145, 0.01), 0.042, 0.012),
    ]


def upper_arm() -> list[Mesh]:
    """Return the right upper arm, from the shoulder's ball to the fork of the elbow."""
    x, y, z = SHOULDER
    return [
        tapered((x - 0.055, y - 0.035, z), (ARM, ELBOW[1] + 0.045, 0.0), (0.043, 0.048), (0.036, 0.04), 16),
        planed_box((0.075, 0.07, 0.075), (ARM, ELBOW[1] + 0.025, 0.0), 0.015),
    ]


def finger(out: float) -> list[Mesh]:
    """Return a finger of the right hand; ``out`` is -1 for the outer one and 1 for the inner."""
    x = ARM + out * 0.022
    pad = planed_box((0.016, 0.075, 0.034), (x + out * 0.004, FINGER - 0.02, 0.0), 0.005, (1.0, 1.1))
    foot = planed_box((0.034, 0.02, 0.028), (x + out * 0.008, FINGER + 0.022, 0.0), 0.005)
    return [pad, foot]


def parts() -> list[Part]:
    """Return all parts, the right side for both."""
    x = ARM
    face = planed_box((0.195, 0.12, 0.02), (0.0, NECK + 0.145, 0.104), 0.008)
    eyes = [ellipsoid((0.018, 0.024, 0.008), (side * 0.045, NECK + 0.15, 0.113), 14) for side in (-1.0, 1.0)]
    free = [Motion("y", None, None, "Base turn"), Motion("x", None, None, "Base pitch"),
            Motion("-z", None, None, "Base roll")]  # fmt: skip
    return [
        Part("base", (0.0, WHEEL, 0.0), free, 22.0, base(), "the wheels are beside it; turns freely", color=SHELL),
        Part("caster", (0.0, 0.06, 0.16), (Motion("y", -180, 180, "Caster turn"),), 0.8,
             [tapered((0.0, 0.075, 0.16), (0.0, 0.125, 0.15), 0.03, 0.026, 14),
              ellipsoid((0.022, 0.04, 0.04), (0.0, 0.04, 0.155), 18)], color=DARK),
        Part("right wheel", (-0.2, AXLE[1], AXLE[2]), (Motion("x", None, None, "Wheel roll"),), 3.2, wheel(),
             color=DARK),
        Part("column", (0.0, COLUMN, -0.01), (Motion("y", 0.0, 0.18, "Lift", "slide"),), 3.0,
             [cylinder((0.0, 0.26, -0.01), (0.0, CHEST - 0.02, -0.01), 0.055, 0.004, 24)],
             "slides out of the tube on the base", color=STEEL),
        Part("chest", (0.0, CHEST, 0.0), (Motion("y", -120, 120, "Chest turn"), Motion("x", -10, 50, "Chest lean")),
             11.0, chest(), weight=0.6, color=SHELL),
        Part("panel", (0.0, 0.88, 0.1), (), 0.2,
             [planed_box((0.11, 0.05, 0.012), (0.0, 0.925, 0.104), 0.005)], "a badge", color=MARK),
        Part("neck", (0.0, NECK, 0.0), (Motion("y", -90, 90, "Head turn"),), 0.6,
             [lathe((0.0, NECK - 0.015, 0.0), (0.0, NECK + 0.085, 0.0),
                    [(0.0, 0.045), (0.2, 0.04), (0.8, 0.04), (1.0, 0.05)])], color=STEEL),
        Part("head", (0.0, NECK + 0.06, 0.0), (Motion("x", -35, 40, "Head nod"), Motion("-z", -25, 25, "Head tilt")),
             3.0, head(), color=SHELL, tip=(0.0, NECK + 0.24, 0.01)),
        Part("face", (0.0, NECK + 0.145, 0.1), (), 0.2, [face], "the dark screen", color=DARK),
        Part("eyes", (0.0, NECK + 0.15, 0.11), (), 0.02, eyes, color=GLOW),
        Part("aerial", (0.08, NECK + 0.225, -0.03), (Motion("x", -60, 60, "Aerial swing"),), 0.05,
             [tapered((0.08, NECK + 0.225, -0.03), (0.095, NECK + 0.33, -0.045), 0.006, 0.004, 8),
              ellipsoid((0.013, 0.013, 0.013), (0.096, NECK + 0.337, -0.046), 12)], color=MARK),
        Part("right shoulder", SHOULDER, (Motion("-x", -90, 180, "Shoulder flex"),), 1.2,
             [lathe((SHOULDER[0] + 0.06, *SHOULDER[1:]), (SHOULDER[0] - 0.055, *SHOULDER[1:]),
                    [(0.0, 0.05), (0.25, 0.058), (0.75, 0.058), (1.0, 0.038)])], color=STEEL),
        Part("right upper arm", (SHOULDER[0] - 0.045, SHOULDER[1] - 0.01, 0.0),
             (Motion("-z", -5, 100, "Shoulder out"), Motion("y", -90, 90, "Shoulder turn")), 1.9, upper_arm(),
             color=SHELL),
        Part("right elbow cap", (x, ELBOW[1], 0.0), (), 0.3,
             [cylinder((x - 0.052, ELBOW[1], 0.0), (x + 0.052, ELBOW[1], 0.0), 0.036, 0.006)], color=MARK),
        Part("right forearm", ELBOW, (Motion("-x", 0, 145, "Elbow flex"),), 1.2,
             [planed_box((0.062, 0.08, 0.062), (x, ELBOW[1] - 0.02, 0.0), 0.012),
              lathe((x, ELBOW[1] - 0.04, 0.0), (x, RAIL - 0.08, 0.0),
                    [(0.0, 0.034), (0.15, 0.041), (0.9, 0.041), (1.0, 0.037)])],
             "bends one way, like a person's", color=SHELL),
        Part("right extension", (x, RAIL, 0.0), (Motion("-y", 0.0, 0.14, "Forearm reach", "slide"),), 0.7,
             [cylinder((x, RAIL + 0.075, 0.0), (x, WRIST + 0.02, 0.0), 0.027, 0.003)],
             "slides out of the forearm", color=STEEL),
        Part("right wrist", (x, WRIST, 0.0),
             (Motion("y", -175, 175, "Wrist turn"), Motion("-x", -90, 90, "Wrist bend")), 0.4,
             [ellipsoid((0.033, 0.033, 0.033), (x, WRIST, 0.0), 18)], color=DARK),
        Part("right palm", (x, PALM, 0.0), (), 0.4,
             [planed_box((0.105, 0.035, 0.05), (x, PALM + 0.005, 0.0), 0.01),
              tapered((x, PALM + 0.01, 0.0), (x, WRIST - 0.015, 0.0), 0.024, 0.022, 14)],
             "carries the rail of the fingers", color=SHELL, tip=(x, FINGER - 0.05, 0.0)),
        Part("right inner finger", (x + 0.025, FINGER + 0.02, 0.0),
             (Motion("x", -0.018, 0.02, "Inner finger open", "slide"),), 0.1, finger(1.0), color=DARK,
             tip=(x + 0.025, FINGER - 0.055, 0.0), weight=0.5),
        Part("right outer finger", (x - 0.025, FINGER + 0.02, 0.0),
             (Motion("-x", -0.018, 0.02, "Outer finger open", "slide"),), 0.1, finger(-1.0), color=DARK,
             tip=(x - 0.025, FINGER - 0.055, 0.0), weight=0.5),
    ]  # fmt: skip


def figure() -> Figure:
    """Return the robot."""
    header = ("A helper on two wheels, 1.38 m: slides in trunk, forearms and fingers.", "Made by make_robot.py.")
    return Figure("robot", header, LAYOUT, parts())


def main(words: list[str]) -> int:
    """Write the robot's files."""
    figure().write(Path(words[0]) if words else bundled_folder())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
