"""The body of the bundled horse: where its joints lie and one table of cross-sections a part, bind pose, in the world.

Rows of the middle read (y, z, half-width, half-height towards the front of the table, the other way, exponent), those
of the right limbs (x, y, z, half-widths outside, inside, in front, behind, exponent), see
``skeletons.making.shaping.tube``; all in metres. The horse faces +z, its right is -x.
"""

from __future__ import annotations

import numpy as np

from core.skeleton import Mesh
from core.skeleton.shapes import ellipsoid, loft
from skeletons.making.shaping.fields import Field, Join
from skeletons.making.shaping.loft import Array
from skeletons.making.shaping.skin import joined
from skeletons.making.shaping.tube import Cut, Section, Tube, merged, skinned, tube

PLACES: dict[str, tuple[float, float, float]] = {
    "pelvis": (0.0, 1.30, -0.50),
    "loins": (0.0, 1.30, -0.28),
    "barrel": (0.0, 1.27, 0.02),
    "withers": (0.0, 1.25, 0.30),
    "lower neck": (0.0, 1.360, 0.620),
    "middle neck": (0.0, 1.520, 0.795),
    "upper neck": (0.0, 1.690, 0.945),
    "head": (0.0, 1.835, 1.060),
    "jaw": (0.0, 1.735, 1.125),
    "nostrils": (0.0, 1.405, 1.440),
    "eyes": (0.0, 1.730, 1.200),
    "right ear": (-0.050, 1.890, 1.065),
    "tail 1": (0.0, 1.455, -0.750),
    "tail 2": (0.0, 1.345, -0.905),
    "tail 3": (0.0, 1.235, -0.940),
    "tail 4": (0.0, 1.100, -0.950),
    "tail 5": (0.0, 0.940, -0.945),
    "right scapula": (-0.120, 1.400, 0.430),
    "right upper arm": (-0.175, 1.105, 0.650),
    "right forearm": (-0.165, 0.905, 0.425),
    "right fore cannon": (-0.150, 0.495, 0.435),
    "right fore pastern": (-0.145, 0.205, 0.425),
    "right fore hoof": (-0.145, 0.085, 0.490),
    "right thigh": (-0.125, 1.270, -0.610),
    "right gaskin": (-0.170, 0.965, -0.435),
    "right hind cannon": (-0.150, 0.575, -0.690),
    "right hind pastern": (-0.145, 0.210, -0.700),
    "right hind hoof": (-0.145, 0.085, -0.640),
}

POLL = np.array([0.0, 1.845, 1.075])  # the head's tables count from here
FACE = np.array([0.0, -0.740, 0.672])  # down along the face
LOCKS = (  # of the mane: where they begin on the crest, (y, z), and how long they are, [m]
    (1.625, 0.530, 0.20),
    (1.685, 0.610, 0.25),
    (1.745, 0.690, 0.27),
    (1.800, 0.765, 0.28),
    (1.850, 0.840, 0.27),
    (1.890, 0.910, 0.24),
    (1.920, 0.980, 0.20),
)
BROW = np.array([0.0, 0.672, 0.740])  # out of it


def middle(y: float, z: float, width: float, front: float, back: float, power: float = 2.0) -> Section:
    """Return a cross-section on the middle plane."""
    return (0.0, y, z, width, width, front, back, power)


def on_head(along: float, out: float, width: float, front: float, back: float, power: float = 2.0) -> Section:
    """Return a cross-section of the head: ``along`` the face from the poll, ``out`` of it, [m]."""
    _, y, z = POLL + along * FACE + out * BROW
    return middle(y, z, width, front, back, power)


def head_point(along: float, out: float, aside: float = 0.0) -> Array:
    """Return a point by its place along and out of the face and its x, [m]."""
    return POLL + along * FACE + out * BROW + [aside, 0.0, 0.0]


def trunk() -> Tube:
    """Croup, barrel and chest."""
    rows = [
        middle(1.330, -0.775, 0.120, 0.095, 0.150),
        middle(1.325, -0.710, 0.180, 0.175, 0.230),
        middle(1.305, -0.610, 0.225, 0.245, 0.290),
        middle(1.300, -0.500, 0.245, 0.278, 0.310),
        middle(1.280, -0.390, 0.250, 0.288, 0.325),
        middle(1.260, -0.280, 0.258, 0.284, 0.345),
        middle(1.240, -0.140, 0.280, 0.272, 0.365),
        middle(1.225, 0.020, 0.290, 0.268, 0.370),
        middle(1.215, 0.170, 0.280, 0.285, 0.368),
        middle(1.215, 0.300, 0.250, 0.338, 0.365, 1.9),
        middle(1.220, 0.420, 0.212, 0.372, 0.352, 1.9),
        middle(1.225, 0.540, 0.198, 0.318, 0.315),
        middle(1.205, 0.640, 0.178, 0.225, 0.235),
        middle(1.185, 0.705, 0.140, 0.150, 0.165),
    ]
    cuts = (Cut(0, "pelvis", 0.0), Cut(5, "loins", 0.16), Cut(7, "barrel", 0.16), Cut(9, "withers", 0.15))
    body = tube(rows, cuts, (0, 1, 0), (0.035, 0.055), sides=24, cap_rings=2)
    body = body.bumped((0.0, 0.98, 0.78), (0.10, 0.20, 0.14), -0.010)
    for side in (-1.0, 1.0):
        body = body.bumped((0.200 * side, 1.340, 0.460), (0.15, 0.17, 0.15), 0.018)
        body = body.bumped((0.190 * side, 1.180, 0.580), (0.15, 0.14, 0.14), 0.016)
    return body.painted("right scapula", (-0.14, 1.44, 0.40), (-0.17, 1.14, 0.62), 0.07, 0.17)


def neck() -> Tube:
    """From deep in the chest to the poll, its crest an even arch."""
    rows = [
        middle(1.270, 0.530, 0.115, 0.190, 0.190),
        middle(1.360, 0.620, 0.128, 0.230, 0.200),
        middle(1.435, 0.705, 0.118, 0.212, 0.186),
        middle(1.520, 0.795, 0.106, 0.182, 0.172),
        middle(1.607, 0.872, 0.094, 0.150, 0.160),
        middle(1.690, 0.945, 0.086, 0.128, 0.146),
        middle(1.766, 1.006, 0.080, 0.116, 0.128),
        middle(1.825, 1.050, 0.074, 0.104, 0.096),
    ]
    cuts = (
        Cut(0, "withers", 0.0),
        Cut(1, "lower neck", 0.12),
        Cut(3, "middle neck", 0.10),
        Cut(5, "upper neck", 0.10),
    )
    return tube(rows, cuts, (0, -0.6, 0.8), (0.05, 0.045), sides=16, refine=1)


def head() -> Tube:
    """Skull and upper jaw: a broad brow, hollow cheeks, a soft muzzle."""
    rows = [
        on_head(0.010, -0.010, 0.070, 0.052, 0.090),
        on_head(0.060, -0.006, 0.088, 0.060, 0.105),
        on_head(0.125, -0.004, 0.100, 0.064, 0.112),
        on_head(0.190, -0.004, 0.103, 0.062, 0.104, 2.1),
        on_head(0.260, -0.006, 0.088, 0.060, 0.082, 2.1),
        on_head(0.340, -0.012, 0.068, 0.058, 0.060, 2.1),
        on_head(0.420, -0.022, 0.054, 0.056, 0.046, 2.1),
        on_head(0.490, -0.032, 0.050, 0.054, 0.044, 2.1),
        on_head(0.550, -0.042, 0.054, 0.052, 0.046, 2.2),
        on_head(0.595, -0.052, 0.050, 0.044, 0.044, 2.2),
    ]
    face = tube(rows, "head", (0, 0.6, 0.8), (0.045, 0.030), sides=16, refine=1)
    for side in (-1.0, 1.0):
        face = face.bumped(head_point(0.165, 0.035, 0.100 * side), (0.05, 0.06, 0.06), 0.012)  # over the eye
        face = face.bumped(head_point(0.590, -0.020, 0.050 * side), (0.025, 0.030, 0.030), -0.014)  # nostril
        face = face.bumped(head_point(0.300, -0.030, 0.085 * side), (0.05, 0.08, 0.05), -0.008)  # below the cheek bone
    return face


def jaw() -> Tube:
    """Lower jaw: the round jowl and the bar down to the chin."""
    rows = [
        on_head(0.120, -0.106, 0.070, 0.050, 0.056),
        on_head(0.180, -0.104, 0.084, 0.060, 0.074),
        on_head(0.245, -0.092, 0.078, 0.056, 0.070),
        on_head(0.320, -0.076, 0.058, 0.044, 0.052),
        on_head(0.400, -0.070, 0.046, 0.036, 0.038),
        on_head(0.480, -0.074, 0.043, 0.034, 0.034),
        on_head(0.540, -0.082, 0.046, 0.034, 0.038, 2.2),
        on_head(0.572, -0.086, 0.038, 0.024, 0.030, 2.2),
    ]
    return tube(rows, "jaw", (0, 0.6, 0.8), (0.05, 0.020), sides=12, refine=1, cap_rings=1)


def upper_arm() -> Tube:
    """The arm between the point of the shoulder and the elbow, most of it triceps."""
    rows = [
        (-0.158, 1.130, 0.605, 0.052, 0.080, 0.075, 0.090, 2.0),
        (-0.165, 1.065, 0.550, 0.062, 0.080, 0.095, 0.125, 2.0),
        (-0.167, 0.990, 0.490, 0.062, 0.072, 0.098, 0.130, 2.0),
        (-0.165, 0.915, 0.435, 0.056, 0.060, 0.085, 0.092, 2.0),
    ]
    return tube(rows, "right upper arm", (0, -0.6, 1), (0.045, 0.04), sides=12)


def fore_leg() -> Tube:
    """Forearm, knee, cannon and pastern."""
    rows = [
        (-0.165, 0.905, 0.425, 0.062, 0.060, 0.084, 0.080, 2.0),
        (-0.164, 0.835, 0.428, 0.064, 0.058, 0.084, 0.078, 2.0),
        (-0.160, 0.745, 0.434, 0.056, 0.052, 0.070, 0.064, 2.0),
        (-0.156, 0.650, 0.438, 0.044, 0.042, 0.053, 0.048, 2.0),
        (-0.152, 0.565, 0.440, 0.040, 0.039, 0.044, 0.041, 2.1),
        (-0.150, 0.528, 0.440, 0.045, 0.044, 0.047, 0.044, 2.3),
        (-0.150, 0.495, 0.438, 0.045, 0.044, 0.047, 0.052, 2.3),
        (-0.149, 0.455, 0.434, 0.038, 0.038, 0.040, 0.047, 2.3),
        (-0.148, 0.405, 0.430, 0.030, 0.030, 0.032, 0.044, 2.0),
        (-0.146, 0.320, 0.428, 0.027, 0.027, 0.030, 0.042, 2.0),
        (-0.145, 0.245, 0.426, 0.031, 0.031, 0.033, 0.046, 2.0),
        (-0.145, 0.205, 0.425, 0.037, 0.037, 0.038, 0.052, 2.0),
        (-0.145, 0.160, 0.444, 0.033, 0.033, 0.034, 0.042, 2.0),
        (-0.145, 0.100, 0.480, 0.040, 0.040, 0.036, 0.040, 2.0),
    ]
    cuts = (
        Cut(0, "right forearm", 0.0),
        Cut(6, "right fore cannon", 0.055, 0.5),
        Cut(11, "right fore pastern", 0.042, 0.7),
    )
    return tube(rows, cuts, (0, 0, 1), (0.075, 0.02), sides=12, refine=1)


def thigh() -> Tube:
    """The quarters: from the croup and the buttock down to the stifle."""
    rows = [
        (-0.115, 1.430, -0.560, 0.080, 0.060, 0.130, 0.120, 2.0),
        (-0.132, 1.320, -0.575, 0.102, 0.080, 0.170, 0.190, 2.0),
        (-0.138, 1.220, -0.570, 0.108, 0.075, 0.190, 0.205, 2.0),
        (-0.143, 1.115, -0.548, 0.106, 0.072, 0.190, 0.205, 2.0),
        (-0.152, 1.020, -0.505, 0.095, 0.072, 0.155, 0.180, 2.0),
        (-0.160, 0.950, -0.475, 0.074, 0.068, 0.105, 0.135, 2.0),
    ]
    return tube(rows, "right thigh", (0, 0.15, 1), (0.06, 0.06), sides=16, refine=1)


def hind_leg() -> Tube:
    """Gaskin, hock, cannon and pastern."""
    rows = [
        (-0.162, 0.975, -0.465, 0.058, 0.056, 0.070, 0.110, 2.0),
        (-0.164, 0.900, -0.498, 0.064, 0.060, 0.086, 0.118, 2.0),
        (-0.163, 0.820, -0.545, 0.060, 0.056, 0.080, 0.104, 2.0),
        (-0.159, 0.735, -0.600, 0.049, 0.046, 0.060, 0.080, 2.0),
        (-0.154, 0.660, -0.648, 0.041, 0.040, 0.048, 0.074, 2.0),
        (-0.151, 0.612, -0.676, 0.043, 0.042, 0.049, 0.082, 2.1),
        (-0.150, 0.575, -0.688, 0.045, 0.044, 0.050, 0.074, 2.3),
        (-0.149, 0.525, -0.696, 0.040, 0.040, 0.045, 0.056, 2.3),
        (-0.148, 0.465, -0.700, 0.032, 0.032, 0.036, 0.045, 2.0),
        (-0.146, 0.350, -0.702, 0.028, 0.028, 0.031, 0.043, 2.0),
        (-0.145, 0.250, -0.702, 0.031, 0.031, 0.033, 0.047, 2.0),
        (-0.145, 0.210, -0.700, 0.037, 0.037, 0.038, 0.053, 2.0),
        (-0.145, 0.160, -0.678, 0.033, 0.033, 0.034, 0.042, 2.0),
        (-0.145, 0.100, -0.648, 0.039, 0.039, 0.035, 0.039, 2.0),
    ]
    cuts = (
        Cut(0, "right gaskin", 0.0),
        Cut(6, "right hind cannon", 0.060, 0.7),
        Cut(11, "right hind pastern", 0.042, 0.7),
    )
    leg = tube(rows, cuts, (0, 0.3, 1), (0.075, 0.02), sides=12, refine=1)
    return leg.bumped((-0.150, 0.625, -0.775), (0.040, 0.055, 0.050), 0.016)


JOINS = (
    Join("trunk", "neck", 0.14),
    Join("neck", "head", 0.07),
    Join("trunk", "right upper arm", 0.12),
    Join("trunk", "right fore leg", 0.05),
    Join("right upper arm", "right fore leg", 0.06),
    Join("trunk", "right thigh", 0.12),
    Join("right thigh", "right hind leg", 0.09),
    Join("trunk", "right hind leg", 0.05),
)


def body() -> dict[str, list[Mesh]]:
    """Return the meshes of every joint that has a body, in the world."""
    shapes = {
        "trunk": trunk(),
        "neck": neck(),
        "head": head(),
        "right upper arm": upper_arm(),
        "right fore leg": fore_leg(),
        "right thigh": thigh(),
        "right hind leg": hind_leg(),
    }
    found = joined(shapes, JOINS)
    for shape in (jaw(), tail()):
        found |= joined({"": shape})
    found["right ear"] = [ear()]
    found["right fore hoof"] = [hoof((-0.145, 0.0, 0.482), 0.062, 0.072)]
    found["right hind hoof"] = [hoof((-0.145, 0.0, -0.648), 0.057, 0.070)]
    found |= {"mane": [mane(shapes["neck"])], "forelock": [forelock()], "eyes": [eyes()], "nostrils": [nostrils()]}
    return found


def ear() -> Mesh:
    """A leaf, hollow in front, its tip turned in a little."""
    rows = [
        (-0.046, 1.868, 1.060, 0.020, 0.020, 0.016, 0.018, 2.0),
        (-0.053, 1.908, 1.068, 0.031, 0.028, 0.014, 0.022, 2.0),
        (-0.059, 1.955, 1.076, 0.031, 0.027, 0.010, 0.020, 2.0),
        (-0.061, 1.998, 1.081, 0.021, 0.018, 0.008, 0.014, 2.0),
        (-0.055, 2.030, 1.083, 0.008, 0.007, 0.005, 0.007, 2.0),
    ]
    leaf = tube(rows, "right ear", (0.0, 0.0, 1.0), (0.012, 0.012), sides=8, refine=1, cap_rings=1)
    return leaf.bumped((-0.055, 1.945, 1.092), (0.022, 0.060, 0.022), -0.010).mesh()


def hoof(center: tuple[float, float, float], width: float, length: float) -> Mesh:
    """A hoof: flat on the ground, its wall sloping back to the coronet."""
    x, _, z = center
    rings = []
    angle = np.arange(12) * (2.0 * np.pi / 12)
    cos, sin = np.cos(angle), np.sin(angle)
    # (height, half-width, length to the front, to the back)
    for y, half, front, back in (
        (0.000, width, length * 1.26, length * 0.66),
        (0.052, width * 0.84, length * 0.86, length * 0.80),
        (0.092, width * 0.70, length * 0.54, length * 0.74),
        (0.110, width * 0.50, length * 0.30, length * 0.50),
    ):
        ahead = np.where(sin >= 0.0, front * sin, back * np.sign(sin) * np.abs(sin) ** 0.8) - 0.10 * y
        rings.append(np.stack([x + half * cos, np.full(12, y), z + ahead], axis=1))
    return loft(np.array(rings), (x, 0.0, z), (x, 0.112, z - 0.01))


def tail() -> Tube:
    """The dock and its hair in one falling shape."""
    rows = [
        middle(1.462, -0.715, 0.034, 0.034, 0.036),
        middle(1.425, -0.830, 0.044, 0.044, 0.044),
        middle(1.345, -0.905, 0.056, 0.056, 0.050),
        middle(1.235, -0.940, 0.066, 0.066, 0.056),
        middle(1.100, -0.950, 0.075, 0.076, 0.062),
        middle(0.940, -0.945, 0.080, 0.080, 0.066),
        middle(0.780, -0.930, 0.072, 0.072, 0.058),
        middle(0.630, -0.905, 0.050, 0.050, 0.042),
        middle(0.510, -0.880, 0.024, 0.024, 0.020),
    ]
    cuts = (
        Cut(0, "tail 1", 0.0),
        Cut(2, "tail 2", 0.07),
        Cut(3, "tail 3", 0.07),
        Cut(4, "tail 4", 0.08),
        Cut(5, "tail 5", 0.09),
    )
    return tube(rows, cuts, (0, -0.3, -1), (0.03, 0.06), sides=12, refine=1)


def mane(neck: Tube) -> Mesh:
    """A crest of hair along the neck, and locks that fall to the right; it follows the skin beneath it."""
    rows = [
        (0.000, 1.560, 0.430, 0.012, 0.012, 0.02, 0.030, 2.0),
        (-0.004, 1.585, 0.510, 0.022, 0.018, 0.05, 0.036, 2.0),
        (-0.006, 1.650, 0.615, 0.028, 0.022, 0.08, 0.038, 2.0),
        (-0.006, 1.725, 0.710, 0.030, 0.022, 0.09, 0.038, 2.0),
        (-0.006, 1.800, 0.805, 0.028, 0.022, 0.09, 0.036, 2.0),
        (-0.005, 1.862, 0.895, 0.026, 0.020, 0.08, 0.034, 2.0),
        (-0.004, 1.905, 0.970, 0.022, 0.018, 0.06, 0.030, 2.0),
        (-0.002, 1.915, 1.030, 0.016, 0.014, 0.03, 0.022, 2.0),
    ]
    shapes = [tube(rows, "mane", (0, -0.7, 0.7), (0.03, 0.025), sides=8, refine=1, cap_rings=1)]
    skin = Field(neck)
    for y, z, long in LOCKS:
        down = np.array([[-0.045, 0.030, 0.0], [-0.11, -0.30, -0.02], [-0.12, -0.68, -0.01], [-0.12, -1.0, 0.06]])
        line = np.array([0.0, y, z]) + down * [1.0, long, long]
        for _ in range(4):  # onto the skin
            away, normals = skin.distance(line)
            line -= (away - [0.004, 0.007, 0.007, 0.006])[:, None] * normals
        sizes = ((0.016, 0.046), (0.015, 0.050), (0.012, 0.038), (0.006, 0.012))
        lock = [(*point, thick, thick, wide, wide, 2.0) for point, (thick, wide) in zip(line, sizes, strict=True)]
        shapes.append(tube(lock, "mane", (0, 0.25, 1.0), (0.01, 0.02), sides=6, refine=1, cap_rings=1))
    mesh = merged([shape.mesh() for shape in shapes])
    return skinned(mesh, Field(neck).weights(mesh.vertices), "mane")


def forelock() -> Mesh:
    """The lock between the ears that falls over the brow."""
    rows = [
        on_head(-0.020, 0.030, 0.030, 0.022, 0.020),
        on_head(0.040, 0.054, 0.036, 0.018, 0.014),
        on_head(0.110, 0.064, 0.028, 0.012, 0.010),
        on_head(0.170, 0.064, 0.012, 0.007, 0.006),
    ]
    return tube(rows, "forelock", (0, 0.6, 0.8), (0.02, 0.02), sides=8, refine=1, cap_rings=1).mesh()


def eyes() -> Mesh:
    """Two dark balls half sunk into the head."""
    radii = (0.018, 0.022, 0.022)
    return merged([ellipsoid(radii, head_point(0.170, 0.014, 0.094 * side), sides=8) for side in (-1, 1)])


def nostrils() -> Mesh:
    """Two dark hollows at the end of the nose, drawn as shallow lenses."""
    radii = (0.009, 0.016, 0.011)
    return merged([ellipsoid(radii, head_point(0.588, -0.022, 0.041 * side), sides=8) for side in (-1, 1)])
