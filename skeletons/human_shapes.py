"""The body of the bundled human figure: one table of cross-sections a segment, in the frame of its joint.

Each row reads (place along the segment, centre u, centre v, half-widths -u +u front back, exponent), see
``skeletons.loft``; for segments along y, u is x (the figure's left is +x) and v is z (the figure faces +z). The
shapes are those of a turned artist's mannequin: every segment is a closed solid of its own whose ends are round
about the joints, so that neighbours overlap and a bent joint shows no gap. Right limbs only; ``mirror`` in the
.scr file makes the left ones.
"""

from __future__ import annotations

import numpy as np

from skeletons.loft import Solid, bump, loft, same


def pelvis() -> Solid:
    """Hips: broad over the thigh balls, drawn in to a wedge between the legs."""
    rows = [
        same(0.128, 0.0, 0.002, 0.118, 0.083, 0.078, 2.3),
        same(0.100, 0.0, 0.000, 0.136, 0.093, 0.094, 2.3),
        same(0.055, 0.0, -0.002, 0.152, 0.098, 0.108, 2.3),
        same(0.012, 0.0, -0.006, 0.150, 0.093, 0.113, 2.2),
        same(-0.030, 0.0, -0.010, 0.122, 0.082, 0.105, 2.1),
        same(-0.062, 0.0, -0.010, 0.078, 0.062, 0.080, 2.0),
    ]
    solid = loft(rows, (0.022, 0.030), sides=20)
    for side in (-1.0, 1.0):
        solid = bump(solid, (0.075 * side, -0.01, -0.11), (0.08, 0.09, 0.08), 0.014)
    return solid


def abdomen() -> Solid:
    """Waist: a barrel whose round ends turn inside hips and ribcage."""
    rows = [
        same(-0.015, 0.0, 0.0, 0.096, 0.070, 0.066, 2.2),
        same(0.025, 0.0, 0.003, 0.111, 0.083, 0.074, 2.2),
        same(0.070, 0.0, 0.004, 0.115, 0.086, 0.076, 2.2),
        same(0.115, 0.0, 0.003, 0.111, 0.083, 0.074, 2.2),
        same(0.155, 0.0, 0.0, 0.096, 0.070, 0.066, 2.2),
    ]
    return loft(rows, (0.045, 0.045), sides=20)


def chest() -> Solid:
    """Ribcage: widest under the armpits, with a hint of the chest muscles and shoulder blades."""
    rows = [
        same(-0.028, 0.0, 0.004, 0.112, 0.082, 0.078, 2.3),
        same(0.010, 0.0, 0.006, 0.123, 0.094, 0.084, 2.3),
        same(0.070, 0.0, 0.006, 0.137, 0.106, 0.092, 2.3),
        same(0.130, 0.0, 0.004, 0.152, 0.113, 0.100, 2.4),
        same(0.180, 0.0, 0.000, 0.160, 0.108, 0.102, 2.4),
        same(0.222, 0.0, -0.006, 0.152, 0.092, 0.096, 2.3),
        same(0.258, 0.0, -0.012, 0.118, 0.072, 0.078, 2.2),
        same(0.282, 0.0, -0.016, 0.078, 0.056, 0.060, 2.0),
    ]
    solid = loft(rows, (0.022, 0.022), sides=24)
    for side in (-1.0, 1.0):
        solid = bump(solid, (0.068 * side, 0.150, 0.11), (0.075, 0.065, 0.07), 0.010)
        solid = bump(solid, (0.080 * side, 0.165, -0.10), (0.070, 0.080, 0.07), 0.007)
    return solid


def neck() -> Solid:
    """A short column that leans forward and flares into the shoulders."""
    rows = [
        same(-0.025, 0.0, 0.000, 0.072, 0.062, 0.060),
        same(0.010, 0.0, 0.006, 0.060, 0.055, 0.056),
        same(0.045, 0.0, 0.013, 0.054, 0.052, 0.053),
        same(0.085, 0.0, 0.020, 0.053, 0.051, 0.054),
        same(0.110, 0.0, 0.024, 0.052, 0.050, 0.053),
    ]
    return loft(rows, (0.03, 0.04))


def head() -> Solid:
    """An egg, larger above, with a flattened face, a brow and a jaw."""
    rows = [
        same(0.085, 0.0, 0.006, 0.0760, 0.098, 0.100, 2.05),
        same(0.060, 0.0, 0.006, 0.0775, 0.098, 0.101, 2.1),
        same(0.030, 0.0, 0.008, 0.0755, 0.096, 0.097, 2.15),
        same(0.000, 0.0, 0.014, 0.0690, 0.090, 0.086, 2.15),
        same(-0.025, 0.0, 0.024, 0.0600, 0.080, 0.072, 2.15),
        same(-0.043, 0.0, 0.036, 0.0470, 0.065, 0.058, 2.1),
    ]
    solid = loft(rows, (0.080, 0.019), sides=20, cap_rings=4)
    solid = bump(solid, (0.0, 0.022, 0.108), (0.030, 0.050, 0.05), 0.007)
    for side in (-1.0, 1.0):
        solid = bump(solid, (0.036 * side, 0.030, 0.090), (0.035, 0.030, 0.05), -0.006)
    return solid


def clavicle() -> Solid:
    """Shoulder girdle, from beside the neck out to the shoulder ball."""
    rows = [
        (0.000, -0.012, -0.012, 0.045, 0.044, 0.050, 0.060, 2.0),
        (0.050, -0.010, -0.014, 0.052, 0.050, 0.052, 0.060, 2.0),
        (0.100, -0.010, -0.012, 0.052, 0.047, 0.050, 0.054, 2.0),
        (0.150, -0.012, -0.010, 0.045, 0.043, 0.045, 0.046, 2.0),
    ]
    return loft(rows, (0.02, 0.038), axis="-x")


def upper_arm() -> Solid:
    """Shoulder ball and the taper to the elbow."""
    rows = [
        (0.000, 0.000, 0.000, 0.056, 0.050, 0.054, 0.055, 2.0),
        (-0.045, -0.001, 0.000, 0.055, 0.047, 0.053, 0.053, 2.0),
        (-0.095, -0.001, 0.002, 0.048, 0.044, 0.050, 0.048, 2.0),
        (-0.150, 0.000, 0.003, 0.043, 0.042, 0.048, 0.043, 2.0),
        (-0.205, 0.000, 0.001, 0.039, 0.039, 0.042, 0.041, 2.0),
        (-0.250, 0.000, 0.000, 0.037, 0.037, 0.038, 0.039, 2.0),
        (-0.2817, 0.0, 0.000, 0.037, 0.037, 0.037, 0.038, 2.0),
    ]
    return loft(rows, (0.055, 0.037))


def forearm() -> Solid:
    """Elbow ball, the swelling below it, and the flat wrist (flat in x, as the palm faces inwards)."""
    rows = [
        (0.000, 0.000, 0.000, 0.0350, 0.0350, 0.0350, 0.0355, 2.0),
        (-0.035, 0.000, 0.000, 0.0400, 0.0385, 0.0400, 0.0370, 2.0),
        (-0.080, 0.000, 0.001, 0.0405, 0.0385, 0.0410, 0.0370, 2.0),
        (-0.135, 0.000, 0.001, 0.0350, 0.0335, 0.0370, 0.0340, 2.0),
        (-0.190, 0.000, 0.001, 0.0280, 0.0270, 0.0315, 0.0300, 2.0),
        (-0.235, 0.000, 0.000, 0.0240, 0.0235, 0.0285, 0.0280, 2.0),
        (-0.2689, 0.00, 0.000, 0.0230, 0.0230, 0.0265, 0.0265, 2.0),
    ]
    return loft(rows, (0.035, 0.024))


def hand() -> Solid:
    """A mitten: palm and fingers in one, slightly curled, and a thumb."""
    rows = [
        (0.000, 0.0000, 0.000, 0.0215, 0.0215, 0.0250, 0.0250, 2.0),
        (-0.022, 0.0000, 0.001, 0.0200, 0.0200, 0.0310, 0.0300, 2.2),
        (-0.055, 0.0000, 0.001, 0.0185, 0.0190, 0.0400, 0.0390, 2.4),
        (-0.088, 0.0005, 0.000, 0.0165, 0.0160, 0.0420, 0.0410, 2.5),
        (-0.122, 0.0040, -0.001, 0.0140, 0.0120, 0.0390, 0.0370, 2.5),
        (-0.155, 0.0105, -0.001, 0.0115, 0.0100, 0.0330, 0.0320, 2.4),
        (-0.176, 0.0160, -0.001, 0.0095, 0.0085, 0.0250, 0.0250, 2.2),
    ]
    mitten = loft(rows, (0.022, 0.012))
    mitten = bump(mitten, (0.018, -0.045, 0.028), (0.025, 0.04, 0.025), 0.006)
    thumb_rows = [
        same(0.000, 0.0, 0.0, 0.0130, 0.0150),
        same(-0.028, 0.0, 0.0, 0.0132, 0.0150),
        same(-0.056, 0.0, -0.002, 0.0115, 0.0125),
        same(-0.080, 0.0, -0.006, 0.0085, 0.0095),
    ]
    tilt, turn = np.radians(-28.0), np.radians(9.0)
    about_x = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    about_z = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    thumb = loft(thumb_rows, (0.012, 0.009), sides=12).moved(about_z @ about_x, (0.006, -0.032, 0.024))
    return mitten + thumb


def thigh() -> Solid:
    """Hip ball, the full thigh, and the knee ball."""
    rows = [
        (0.000, 0.000, -0.004, 0.082, 0.078, 0.080, 0.086, 2.0),
        (-0.045, 0.000, -0.004, 0.083, 0.080, 0.084, 0.088, 2.0),
        (-0.110, 0.000, 0.000, 0.081, 0.076, 0.085, 0.084, 2.0),
        (-0.185, 0.000, 0.004, 0.075, 0.069, 0.080, 0.075, 2.0),
        (-0.260, 0.000, 0.004, 0.066, 0.062, 0.070, 0.066, 2.0),
        (-0.330, 0.000, 0.003, 0.057, 0.056, 0.060, 0.058, 2.0),
        (-0.385, 0.000, 0.003, 0.052, 0.052, 0.054, 0.053, 2.0),
        (-0.4222, 0.0, 0.002, 0.050, 0.050, 0.052, 0.051, 2.0),
    ]
    return loft(rows, (0.084, 0.050))


def shank() -> Solid:
    """Knee, calf and shin, down to the ankle."""
    rows = [
        (0.000, 0.000, 0.000, 0.0465, 0.0465, 0.0470, 0.0480, 2.0),
        (-0.045, 0.000, 0.000, 0.0470, 0.0470, 0.0460, 0.0530, 2.0),
        (-0.100, 0.000, -0.002, 0.0520, 0.0530, 0.0440, 0.0640, 2.0),
        (-0.150, 0.000, -0.004, 0.0530, 0.0535, 0.0420, 0.0660, 2.0),
        (-0.215, 0.000, -0.004, 0.0470, 0.0475, 0.0390, 0.0570, 2.0),
        (-0.290, 0.000, -0.004, 0.0375, 0.0375, 0.0350, 0.0430, 2.0),
        (-0.360, 0.000, -0.004, 0.0315, 0.0310, 0.0320, 0.0350, 2.0),
        (-0.405, 0.000, -0.003, 0.0305, 0.0305, 0.0320, 0.0345, 2.0),
        (-0.434, 0.000, -0.002, 0.0320, 0.0320, 0.0330, 0.0350, 2.0),
    ]
    return loft(rows, (0.0465, 0.032))


def foot() -> Solid:
    """Heel, instep and the ball of the foot; the sole lies in the plane of the ground."""
    # rows along z: (z, centre x, centre y, half-width lateral, medial, up, down)
    rows = [
        (-0.044, 0.000, -0.036, 0.0270, 0.0270, 0.0300, 0.0300, 2.2),
        (-0.022, 0.000, -0.034, 0.0325, 0.0325, 0.0560, 0.0338, 2.3),
        (0.004, 0.000, -0.034, 0.0345, 0.0345, 0.0640, 0.0340, 2.3),
        (0.032, 0.000, -0.038, 0.0365, 0.0360, 0.0500, 0.0300, 2.3),
        (0.064, 0.001, -0.042, 0.0405, 0.0385, 0.0320, 0.0255, 2.4),
        (0.098, 0.001, -0.044, 0.0450, 0.0430, 0.0220, 0.0240, 2.5),
        (0.129, 0.001, -0.045, 0.0460, 0.0445, 0.0165, 0.0228, 2.5),
    ]
    return flat_sole(loft(rows, (0.016, 0.018), axis="z"))


def toes() -> Solid:
    """The front of the foot, from the ball to the tips, hinged at the ball."""
    rows = [
        (0.000, 0.001, 0.000, 0.0440, 0.0430, 0.0150, 0.0226, 2.5),
        (0.020, 0.002, -0.003, 0.0445, 0.0435, 0.0130, 0.0200, 2.5),
        (0.040, 0.004, -0.005, 0.0415, 0.0410, 0.0110, 0.0180, 2.5),
        (0.057, 0.006, -0.007, 0.0340, 0.0345, 0.0085, 0.0155, 2.4),
    ]
    return flat_sole(loft(rows, (0.018, 0.015), axis="z"), ground=-0.0226)


def flat_sole(solid: Solid, ground: float = -0.068) -> Solid:
    """Return the solid with everything below ``ground`` [m] pressed flat onto it."""
    vertices = solid.vertices.copy()
    vertices[:, 1] = np.maximum(vertices[:, 1], ground)
    return Solid(vertices, solid.polygons)


SHAPES = {
    "pelvis": pelvis,
    "abdomen": abdomen,
    "chest": chest,
    "neck": neck,
    "head": head,
    "right clavicle": clavicle,
    "right upper arm": upper_arm,
    "right forearm": forearm,
    "right hand": hand,
    "right thigh": thigh,
    "right shank": shank,
    "right foot": foot,
    "right toes": toes,
}
