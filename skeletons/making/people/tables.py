"""What the tables say about the bundled man and woman: lengths, masses, and the mass properties of each segment.

The tables' numbers stand here; what they do not say (how a segment is cut in two, the shoulder girdle, where the
joints along the middle lie) is ours and marked so.

World: y up, the figure faces +z, its left is +x, the ground is y = 0. The right side is written out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from skeletons.making.people.flesh import Bones
from skeletons.making.shaping.flesh import Array, by, turn


class Segment(NamedTuple):
    """A row of de Leva (1996), table 4.

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


MEN = {
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
WOMEN = {
    "Head": Segment(0.0668, 0.5894, 0.330, 0.359, 0.318, 0.2002),
    "Upper trunk": Segment(0.1545, 0.2077, 0.746, 0.502, 0.718, 0.1425),
    "Middle trunk": Segment(0.1465, 0.4512, 0.433, 0.354, 0.415, 0.2053),
    "Lower trunk": Segment(0.1247, 0.4920, 0.433, 0.402, 0.444, 0.1815),
    "Upper arm": Segment(0.0255, 0.5754, 0.278, 0.260, 0.148, 0.2751),
    "Forearm": Segment(0.0138, 0.4559, 0.261, 0.257, 0.094, 0.2643),
    "Hand": Segment(0.0056, 0.7474, 0.531, 0.454, 0.335, 0.0780),
    "Thigh": Segment(0.1478, 0.3612, 0.369, 0.364, 0.162, 0.3685),
    "Shank": Segment(0.0481, 0.4352, 0.267, 0.263, 0.092, 0.4323),
    "Foot": Segment(0.0129, 0.4014, 0.299, 0.279, 0.139, 0.2283),
}


@dataclass(frozen=True)
class Person:
    """A figure in numbers.

    Attributes:
        name: Of the figure, its file and its folder.
        title: What it is, for the file's first line.
        rows: Whose rows of the table these are, for the file's comment.
        height: [m].
        mass: [kg].
        table: Rows of de Leva's table.
        waist, chest, neck, skull, collar, shoulder: Joint origins in the world; ours, between the table's landmarks.
        hip_width: Half the distance of the hip joints, [m].
        heel: z of the heel from the ankle, [m]; ours.
        ball: z of the toes' joint from the ankle, [m]; ours, 0.72 of the foot's length from the heel.
        toe_height: Height of the toes' joint, [m]; ours.
        arm_angle, forearm_angle: By which the resting arm hangs away from the body, [deg]; ours.
        thigh_angle, shank_angle: By which the legs stand in towards each other, [deg]; ours.
        neck_share: Of the row "Head", which includes the neck; ours.
        neck_center: Height of the neck's centre above its joint, [m]; ours.
        scale: Of the small shapes that stand for shoulder girdle, neck and toes, against the man's.
    """

    name: str
    title: str
    rows: str
    height: float
    mass: float
    table: dict[str, Segment]
    waist: Array
    chest: Array
    neck: Array
    skull: Array
    collar: Array
    shoulder: Array
    hip_width: float
    heel: float
    ball: float
    toe_height: float
    arm_angle: float = 7.0
    forearm_angle: float = 3.0
    thigh_angle: float = 0.0
    shank_angle: float = 0.0
    neck_share: float = 0.18
    neck_center: float = 0.060
    scale: float = 1.0

    @property
    def ankle(self) -> float:
        """Height of the ankle, [m]: 0.039 of the body's (Drillis and Contini)."""
        return round(0.039 * self.height, 3)

    @property
    def hip(self) -> float:
        """Height of the hip, [m]: the legs stand on the ankles. The man's is 0.531 of his height, the table's 0.530."""
        shank, thigh = self.table["Shank"].length, self.table["Thigh"].length
        down = np.cos(np.radians([self.shank_angle, self.thigh_angle]))
        return round(float(self.ankle + shank * down[0] + thigh * down[1]), 4)

    @property
    def bones(self) -> Bones:
        """The joints in the rest pose."""
        upper_arm, forearm = turn(z=-self.arm_angle), turn(z=-self.forearm_angle)
        thigh, shank = turn(z=self.thigh_angle), turn(z=self.shank_angle)
        elbow = self.shoulder - self.table["Upper arm"].length * upper_arm[:, 1]
        hip = np.array([-self.hip_width, self.hip, 0.0])
        knee = hip - self.table["Thigh"].length * thigh[:, 1]
        ankle = knee - self.table["Shank"].length * shank[:, 1]
        return Bones(
            hip=hip,
            knee=knee,
            ankle=ankle,
            ball=by(ankle, 0.0, self.toe_height - self.ankle, self.ball),
            waist=self.waist,
            chest=self.chest,
            neck=self.neck,
            skull=self.skull,
            collar=self.collar,
            shoulder=self.shoulder,
            elbow=elbow,
            wrist=elbow - self.table["Forearm"].length * forearm[:, 1],
            upper_arm=upper_arm,
            forearm=forearm,
            thigh=thigh,
            shank=shank,
        )


MAN = Person(
    name="human",
    title="A man of 1.74 m and 73 kg",
    rows="men",
    height=1.74,  # the mean of de Leva's men (1.741)
    mass=73.0,  # their mean mass
    table=MEN,
    waist=np.array([0.0, 1.045, -0.006]),
    chest=np.array([0.0, 1.175, -0.004]),
    neck=np.array([0.0, 1.458, -0.018]),
    skull=np.array([0.0, 1.575, 0.004]),
    collar=np.array([-0.030, 1.425, -0.004]),
    shoulder=np.array([-0.176, 1.405, -0.014]),
    hip_width=0.088,
    heel=-0.0581,
    ball=0.129,
    toe_height=0.0226,
)
WOMAN = Person(
    name="woman",
    title="A woman of 1.735 m and 61.9 kg",
    rows="women",
    height=1.735,  # the mean of de Leva's women
    mass=61.9,  # their mean mass
    table=WOMEN,
    waist=np.array([0.0, 1.000, -0.006]),
    chest=np.array([0.0, 1.125, -0.006]),
    neck=np.array([0.0, 1.425, -0.024]),
    skull=np.array([0.0, 1.562, 0.000]),
    collar=np.array([-0.026, 1.398, -0.006]),
    shoulder=np.array([-0.156, 1.380, -0.016]),
    hip_width=0.083,
    heel=-0.0514,
    ball=0.1130,
    toe_height=0.0205,
    arm_angle=8.0,
    forearm_angle=3.0,
    thigh_angle=2.5,
    shank_angle=1.0,
    neck_share=0.14,
    neck_center=0.075,
    scale=0.92,
)


@dataclass(frozen=True)
class Mass:
    """A rigid body: mass [kg], centre (3,) [m] and inertia (3, 3) [kg m^2] about it, in axes of one frame."""

    mass: float
    center: Array
    inertia: Array

    def minus(self, part: Mass) -> Mass:
        """Return what is left when ``part`` is cut off (parallel axis theorem, backwards)."""
        mass = self.mass - part.mass
        center = (self.mass * self.center - part.mass * part.center) / mass
        inertia = self.inertia - part.about(self.center) - Mass(mass, center, np.zeros((3, 3))).about(self.center)
        return Mass(mass, center, inertia)

    def about(self, point: Array) -> Array:
        """Return the inertia about ``point`` (3,), shape (3, 3)."""
        d = self.center - point
        return np.asarray(self.inertia + self.mass * (d @ d * np.eye(3) - np.outer(d, d)))

    def moved(self, offset: Array) -> Mass:
        """Return the same body seen from a frame whose origin is at ``offset`` in this one."""
        return Mass(self.mass, self.center - offset, self.inertia)


def ellipsoid(mass: float, center: Array, radii: Array) -> Mass:
    """Return a uniform ellipsoid with the given half-axes along x, y and z, [m]."""
    a, b, c = np.square(radii)
    return Mass(mass, np.array(center), np.diag([b + c, c + a, a + b]) * mass / 5.0)


def masses(p: Person) -> dict[str, Mass]:
    """Return the mass properties of all middle and right segments, each in its joint's frame."""
    lower, middle, upper = p.table["Lower trunk"], p.table["Middle trunk"], p.table["Upper trunk"]
    navel = p.hip + lower.length
    xiphoid = navel + middle.length

    def body(row: str, center: tuple[float, float, float], order: str) -> Mass:
        # order: the radii about x, y and z, three of s sagittal, t transverse, l longitudinal
        segment = p.table[row]
        radius = {"s": segment.sagittal, "t": segment.transverse, "l": segment.longitudinal}
        mass = segment.mass * p.mass
        inertia = np.diag([mass * (radius[axis] * segment.length) ** 2 for axis in order])
        return Mass(mass, np.array(center), inertia)

    def trunk(row: str, top: float, origin: Array) -> Mass:
        segment = p.table[row]
        return body(row, (0.0, top - segment.center * segment.length - origin[1], 0.0), "tls")

    def limb(row: str, order: str, x: float = 0.0, z: float = 0.0) -> Mass:
        segment = p.table[row]
        return body(row, (x, -segment.center * segment.length, z), order)

    def small(mass: float, center: tuple[float, float, float], radii: tuple[float, float, float]) -> Mass:
        return ellipsoid(mass, p.scale * np.array(center), p.scale * np.array(radii))

    # Ours: each shoulder girdle takes 1.2 % of the body's mass out of the upper trunk; the whole stays the table's.
    girdle = small(0.012 * p.mass, (-0.075, -0.010, -0.006), (0.090, 0.048, 0.052))
    upper_trunk = trunk("Upper trunk", xiphoid + upper.length, p.chest)
    right = girdle.moved(p.chest - p.collar)
    left = Mass(right.mass, right.center * [-1, 1, 1], right.inertia)
    # Ours: the neck takes a share of the row "Head", which includes it.
    head = p.table["Head"]
    whole_head = body("Head", (0.0, p.height - head.center * head.length - p.skull[1], 0.008), "tls")
    neck = small(p.neck_share * whole_head.mass, (0.0, p.neck_center / p.scale, 0.012), (0.056, 0.075, 0.056))
    # Ours: the toes take 12 % of the foot.
    foot = p.table["Foot"]
    whole_foot = body("Foot", (0.0, -0.038 * p.scale, p.heel + foot.center * foot.length), "tsl")
    toes = small(0.12 * whole_foot.mass, (-0.003, -0.004, 0.030), (0.043, 0.016, 0.042))
    toe_joint = np.array([0.0, p.toe_height - p.ankle, p.ball])

    return {
        "pelvis": trunk("Lower trunk", navel, np.array([0.0, p.hip, 0.0])),
        "abdomen": trunk("Middle trunk", xiphoid, p.waist),
        "chest": upper_trunk.minus(right).minus(left),
        "neck": neck,
        "head": whole_head.minus(neck.moved(p.skull - p.neck)),
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
