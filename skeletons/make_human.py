"""Makes the bundled human figure: ``human.scr`` and the polygon files in ``human/``.

Run ``python -m skeletons.make_human [FOLDER]`` from the repository's root. The figure is a man of 1.74 m and 73 kg:
segment lengths, masses, centres and radii of gyration of de Leva (1996), heights of joints checked against Drillis and
Contini (1966), ranges of motion of the American Academy of Orthopaedic Surgeons (AAOS) as printed by Norkin and White.
The tables' numbers stand below; what they do not say (how the trunk's and neck's range is shared, the shoulder
girdle, how a segment is cut in two) is ours and marked so.

World: y up, the figure faces +z, its left is +x, the ground is y = 0. The right side is written out; ``mirror`` makes
the left one. All signs are such that a positive angle is the motion its label names.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skeletons.human_shapes import SHAPES
from skeletons.loft import pol_text

Array = NDArray[np.float64]

HEIGHT = 1.74  # [m], the mean of de Leva's men (1.741)
MASS = 73.0  # [kg], their mean mass


class Segment(NamedTuple):
    """A row of de Leva (1996), table 4, men.

    Attributes:
        mass: Fraction of the body's mass.
        center: Centre of mass from the first end point, fraction of the length.
        sagittal: Radius of gyration about the front-back axis of the anatomical position, fraction of the length.
        transverse: The same about the left-right axis.
        longitudinal: The same about the segment's own axis.
        length: [m].
    """

    mass: float
    center: float
    sagittal: float
    transverse: float
    longitudinal: float
    length: float


DE_LEVA = {
    "Head": Segment(0.0694, 0.5976, 0.362, 0.376, 0.312, 0.2033),  # vertex to mid-gonion
    "Upper trunk": Segment(0.1596, 0.2999, 0.716, 0.454, 0.659, 0.1707),  # suprasternale to xiphoid
    "Middle trunk": Segment(0.1633, 0.4502, 0.482, 0.383, 0.468, 0.2155),  # xiphoid to navel
    "Lower trunk": Segment(0.1117, 0.6115, 0.615, 0.551, 0.587, 0.1457),  # navel to mid-hip
    "Upper arm": Segment(0.0271, 0.5772, 0.285, 0.269, 0.158, 0.2817),
    "Forearm": Segment(0.0162, 0.4574, 0.276, 0.265, 0.121, 0.2689),
    "Hand": Segment(0.0061, 0.7900, 0.628, 0.513, 0.401, 0.0862),  # wrist to third knuckle
    "Thigh": Segment(0.1416, 0.4095, 0.329, 0.329, 0.149, 0.4222),
    "Shank": Segment(0.0433, 0.4395, 0.251, 0.246, 0.102, 0.4340),
    "Foot": Segment(0.0137, 0.4415, 0.257, 0.245, 0.124, 0.2581),  # heel to toe tip
}

ANKLE = round(0.039 * HEIGHT, 3)  # Drillis and Contini: height of the ankle, [m]
HIP = round(ANKLE + DE_LEVA["Shank"].length + DE_LEVA["Thigh"].length, 4)  # 0.924 m = 0.531 H; the table says 0.530 H
HEEL = -0.0581  # z of the heel from the ankle, [m]; ours
BALL = 0.129  # z of the toes' joint from the ankle, [m]; ours (0.72 of the foot's length from the heel)
ARM_ANGLE = 7.0  # [deg] by which the resting arm hangs away from the body; ours


@dataclass(frozen=True)
class Body:
    """A rigid body: mass [kg], centre (3,) [m] and inertia (3, 3) [kg m^2] about it, in axes of one frame."""

    mass: float
    center: Array
    inertia: Array

    def minus(self, part: Body) -> Body:
        """Return what is left when ``part`` is cut off (parallel axis theorem, backwards)."""
        mass = self.mass - part.mass
        center = (self.mass * self.center - part.mass * part.center) / mass
        inertia = self.inertia - part.about(self.center) - Body(mass, center, np.zeros((3, 3))).about(self.center)
        return Body(mass, center, inertia)

    def about(self, point: Array) -> Array:
        """Return the inertia about ``point`` (3,), shape (3, 3)."""
        d = self.center - point
        return self.inertia + self.mass * (d @ d * np.eye(3) - np.outer(d, d))

    def moved(self, offset: Array) -> Body:
        """Return the same body seen from a frame whose origin is at ``offset`` in this one."""
        return Body(self.mass, self.center - offset, self.inertia)


def body(row: str, center: tuple[float, float, float], order: str) -> Body:
    """Return the body of a table row.

    Args:
        row: Name in ``DE_LEVA``.
        center: Centre of mass in the joint's frame, [m].
        order: The radii about x, y and z: three of ``s`` sagittal, ``t`` transverse, ``l`` longitudinal.
    """
    segment = DE_LEVA[row]
    radius = {"s": segment.sagittal, "t": segment.transverse, "l": segment.longitudinal}
    mass = segment.mass * MASS
    inertia = np.diag([mass * (radius[axis] * segment.length) ** 2 for axis in order])
    return Body(mass, np.array(center), inertia)


def ellipsoid(mass: float, center: tuple[float, float, float], radii: tuple[float, float, float]) -> Body:
    """Return a uniform ellipsoid with the given half-axes along x, y and z, [m]."""
    a, b, c = np.square(radii)
    return Body(mass, np.array(center), np.diag([b + c, c + a, a + b]) * mass / 5.0)


# Joint origins in the world, rest pose, of the joints along the middle; ours, between the landmarks of the table.
WAIST = np.array([0.0, 1.045, -0.006])
CHEST = np.array([0.0, 1.175, -0.004])
NECK = np.array([0.0, 1.458, -0.018])
SKULL = np.array([0.0, 1.575, 0.004])
COLLAR = np.array([-0.030, 1.425, -0.004])
SHOULDER = np.array([-0.176, 1.405, -0.014])
HIP_WIDTH = 0.088  # half the distance of the hip joints, [m]
SUPRASTERNALE = HIP + sum(DE_LEVA[row].length for row in ("Lower trunk", "Middle trunk", "Upper trunk"))  # height, [m]


def bodies() -> dict[str, Body]:
    """Return the mass properties of all middle and right segments, each in its joint's frame."""
    lower, middle, upper = DE_LEVA["Lower trunk"], DE_LEVA["Middle trunk"], DE_LEVA["Upper trunk"]
    navel = HIP + lower.length
    xiphoid = navel + middle.length

    def trunk(row: str, top: float, origin: Array) -> Body:
        segment = DE_LEVA[row]
        return body(row, (0.0, top - segment.center * segment.length - origin[1], 0.0), "tls")

    # Ours: each shoulder girdle takes 1.2 % of the body's mass out of the upper trunk; the whole stays the table's.
    girdle = ellipsoid(0.012 * MASS, (-0.075, -0.010, -0.006), (0.090, 0.048, 0.052))
    upper_trunk = trunk("Upper trunk", xiphoid + upper.length, CHEST)
    right = girdle.moved(CHEST - COLLAR)
    left = Body(right.mass, right.center * [-1, 1, 1], right.inertia)
    # Ours: the neck takes 18 % of the row "Head", which includes it.
    head = DE_LEVA["Head"]
    whole_head = body("Head", (0.0, HEIGHT - head.center * head.length - SKULL[1], 0.008), "tls")
    neck = ellipsoid(0.18 * whole_head.mass, (0.0, 0.060, 0.012), (0.056, 0.075, 0.056))
    # Ours: the toes take 12 % of the foot.
    foot = DE_LEVA["Foot"]
    whole_foot = body("Foot", (0.0, -0.038, HEEL + foot.center * foot.length), "tsl")
    toes = ellipsoid(0.12 * whole_foot.mass, (-0.003, -0.004, 0.030), (0.043, 0.016, 0.042))
    toe_joint = np.array([0.0, -ANKLE + 0.0226, BALL])

    def limb(row: str, order: str, x: float = 0.0, z: float = 0.0) -> Body:
        segment = DE_LEVA[row]
        return body(row, (x, -segment.center * segment.length, z), order)

    return {
        "pelvis": trunk("Lower trunk", navel, np.array([0.0, HIP, 0.0])),
        "abdomen": trunk("Middle trunk", xiphoid, WAIST),
        "chest": upper_trunk.minus(right).minus(left),
        "neck": neck,
        "head": whole_head.minus(neck.moved(SKULL - NECK)),
        "right clavicle": girdle,
        "right upper arm": limb("Upper arm", "tls"),
        # The table's arm has its palm to the front; here it faces inwards, a quarter turn about the arm.
        "right forearm": limb("Forearm", "slt"),
        "right hand": limb("Hand", "slt", x=0.002),
        "right thigh": limb("Thigh", "tls"),
        "right shank": limb("Shank", "tls", z=-0.004),
        "right foot": whole_foot.minus(toes.moved(-toe_joint)),
        "right toes": toes,
    }


class Joint(NamedTuple):
    """A joint as the file defines it: offset [m], hinges (axis, lo, hi, label) with limits in degrees, notes."""

    name: str
    offset: Array
    hinges: tuple[tuple[str, float | None, float | None, str], ...]
    notes: str
    orientation: tuple[float, float, float] = (0.0, 0.0, 0.0)
    weight: float | None = None  # ours: hands and feet answer a pull less than elbows, knees and shoulders do


def joints() -> list[Joint]:
    """Return the joints along the middle and on the right, in the order of the file."""
    arm = (0.0, 0.0, -ARM_ANGLE)
    return [
        Joint(
            "pelvis",
            np.array([0.0, HIP, 0.0]),
            (("y", None, None, "Pelvis turn"), ("x", None, None, "Pelvis bend"), ("-z", None, None, "Pelvis side")),
            'de Leva "Lower trunk"; turns freely: this is the heading of the whole figure',
        ),
        Joint(
            "abdomen",
            WAIST - [0.0, HIP, 0.0],
            (("x", -15, 50, "Waist bend"), ("-z", -20, 20, "Waist side"), ("y", -15, 15, "Waist twist")),
            'de Leva "Middle trunk"; AAOS thoracolumbar 80/25, 35, 45 shared with the chest',
        ),
        Joint(
            "chest",
            CHEST - WAIST,
            (("x", -10, 30, "Chest bend"), ("-z", -15, 15, "Chest side"), ("y", -30, 30, "Chest twist")),
            'de Leva "Upper trunk" without the shoulder girdle; AAOS thoracolumbar, the rest of it',
        ),
        Joint(
            "neck",
            NECK - CHEST,
            (("x", -25, 25, "Neck bend"), ("-z", -25, 25, "Neck side"), ("y", -30, 30, "Neck turn")),
            'de Leva "Head", 18 % of it; AAOS cervical 45/45, 45, 60 shared with the head',
        ),
        Joint(
            "head",
            SKULL - NECK,
            (("x", -20, 20, "Head bend"), ("-z", -20, 20, "Head side"), ("y", -30, 30, "Head turn")),
            'de Leva "Head", 82 % of it; AAOS cervical, the rest of it',
        ),
        Joint(
            "right clavicle",
            COLLAR - CHEST,
            (("-z", -10, 30, "Collar raise"), ("y", -20, 25, "Collar forward")),
            "shoulder girdle, 1.2 % of the body out of the upper trunk; its range is not in the tables",
            weight=0.4,
        ),
        Joint(
            "right upper arm",
            SHOULDER - COLLAR,
            (("-x", -60, 180, "Shoulder flex"), ("-z", 0, 180, "Shoulder out"), ("y", -90, 70, "Shoulder twist")),
            'de Leva "Upper arm"; AAOS shoulder 180/60, abduction 180/0, medial 70 / lateral 90',
            orientation=arm,
        ),
        Joint(
            "right forearm",
            np.array([0.0, -DE_LEVA["Upper arm"].length, 0.0]),
            (("-x", 0, 150, "Elbow flex"), ("y", -80, 80, "Forearm turn")),
            'de Leva "Forearm"; AAOS elbow 150/0, forearm pronation 80 / supination 80',
            orientation=(0.0, 0.0, ARM_ANGLE - 3.0),
        ),
        Joint(
            "right hand",
            np.array([0.0, -DE_LEVA["Forearm"].length, 0.0]),
            (("z", -70, 80, "Wrist flex"), ("x", -20, 30, "Wrist side")),
            'de Leva "Hand"; AAOS wrist flexion 80 / extension 70, ulnar 30 / radial 20',
            weight=0.35,
        ),
        Joint(
            "right thigh",
            np.array([-HIP_WIDTH, 0.0, 0.0]),
            (("-x", -30, 120, "Hip flex"), ("-z", -30, 45, "Hip out"), ("y", -45, 45, "Hip turn")),
            'de Leva "Thigh"; AAOS hip 120/30, abduction 45 / adduction 30, medial 45 / lateral 45',
        ),
        Joint(
            "right shank",
            np.array([0.0, -DE_LEVA["Thigh"].length, 0.0]),
            (("x", -10, 135, "Knee flex"),),
            'de Leva "Shank"; AAOS knee 135/10',
        ),
        Joint(
            "right foot",
            np.array([0.0, -DE_LEVA["Shank"].length, 0.0]),
            (("-x", -50, 20, "Ankle flex"), ("z", -15, 35, "Ankle tilt")),
            'de Leva "Foot", 88 % of it; AAOS ankle dorsiflexion 20 / plantarflexion 50, inversion 35 / eversion 15',
            weight=0.3,
        ),
        Joint(
            "right toes",
            np.array([0.0, -ANKLE + 0.0226, BALL]),
            (("x", -80, 30, "Toes flex"),),
            'de Leva "Foot", 12 % of it; Merck toe MTP flexion 30 / extension 80',
            weight=0.2,
        ),
    ]


LAYOUT = """\
define skeleton "human"
    joint "pelvis"
    group "Spine"
        joint "abdomen"
        joint "chest"
        group "Head and neck"
            joint "neck"
            joint "head"
        end group
        group "Right arm"
            joint "right clavicle"
            joint "right upper arm"
            joint "right forearm"
            joint "right hand"
        end group
        group "Left arm"
            joint "left clavicle"
            joint "left upper arm"
            joint "left forearm"
            joint "left hand"
        end group
    end group
    group "Right leg"
        joint "right thigh"
        joint "right shank"
        joint "right foot"
        joint "right toes"
    end group
    group "Left leg"
        joint "left thigh"
        joint "left shank"
        joint "left foot"
        joint "left toes"
    end group
end skeleton
"""

HEADER = """\
# A man of 1.74 m and 73 kg, as an artist's mannequin. Made by make_human.py; edit that, not this.
# Masses, centres and inertias: de Leva (1996), table 4, men. Heights of joints: Drillis and Contini (1966).
# Limits: AAOS, as printed by Norkin and White. Each joint names the rows it uses.
# Rest pose: standing on y = 0, facing +z, arms at the sides, palms inwards.

"""


def number(value: float, digits: int = 5) -> str:
    """Return ``value`` rounded to ``digits`` decimals, without trailing zeros or a negative zero."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}".rstrip("0").rstrip(".")


def numbers(values: Array, digits: int = 5) -> str:
    """Return numbers separated by spaces, see ``number``."""
    return " ".join(number(value, digits) for value in values)


def joint_text(joint: Joint, mass: Body) -> str:
    """Return the ``define joint`` block of one joint."""
    lines = [f"# {joint.notes}", f'define joint "{joint.name}"', f'    object "human/{file_name(joint.name)}"']
    lines.append(f"    offset {numbers(joint.offset)}")
    if any(joint.orientation):
        lines.append(f"    orientation {numbers(np.array(joint.orientation))}")
    for axis, lo, hi, label in joint.hinges:
        limits = "" if lo is None else f" {lo:g} {hi:g}"
        lines.append(f'    hinge {axis}{limits} "{label}"')
    lines.append(f"    mass {number(mass.mass)}")
    lines.append(f"    center {numbers(mass.center)}")
    i = mass.inertia
    moments = numbers(np.diag(i), 7)
    products = np.array([i[0, 1], i[0, 2], i[1, 2]])
    if np.any(np.abs(products) > 5e-8):
        moments += " " + numbers(products, 7)
    lines.append(f"    inertia {moments}")
    if joint.weight is not None:
        lines.append(f"    weight {number(joint.weight)}")
    if joint.name.startswith("right "):
        lines.append(f'    mirror "left {joint.name[6:]}"')
    lines.append("end joint")
    return "\n".join(lines) + "\n"


def file_name(joint: str) -> str:
    """Return the polygon file's name for a joint: ``"right upper arm"`` gives ``"right_upper_arm.pol"``."""
    return joint.replace(" ", "_") + ".pol"


def make() -> dict[str, str]:
    """Return all files of the figure: path relative to the folder of skeletons -> text."""
    masses = bodies()
    blocks = [joint_text(joint, masses[joint.name]) for joint in joints()]
    files = {"human.scr": HEADER + LAYOUT + "\n" + "\n".join(blocks)}
    for name, shape in SHAPES.items():
        files[f"human/{file_name(name)}"] = pol_text(shape(), f"{name} of the human figure; made by make_human.py")
    return files


def main(folder: Path) -> None:
    """Write the figure's files into ``folder``."""
    for path, text in make().items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
