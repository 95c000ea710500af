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
        same(0.118, 0.0, 0.002, 0.112, 0.080, 0.076, 2.2),
        same(0.096, 0.0, 0.001, 0.129, 0.090, 0.089, 2.2),
        same(0.055, 0.0, -0.002, 0.144, 0.097, 0.105, 2.2),
        same(0.012, 0.0, -0.006, 0.140, 0.093, 0.112, 2.2),
        same(-0.030, 0.0, -0.010, 0.114, 0.082, 0.105, 2.1),
        same(-0.062, 0.0, -0.010, 0.072, 0.062, 0.080, 2.0),
    ]
    solid = loft(rows, (0.034, 0.030), sides=24)
    for side in (-1.0, 1.0):
        solid = bump(solid, (0.075 * side, -0.01, -0.11), (0.08, 0.09, 0.08), 0.014)
    return solid


def abdomen() -> Solid:
    """Waist: a barrel whose round ends turn inside hips and ribcage."""
    rows = [
        same(-0.015, 0.0, 0.0, 0.094, 0.070, 0.064, 2.1),
        same(0.025, 0.0, 0.004, 0.109, 0.083, 0.072, 2.1),
        same(0.065, 0.0, 0.005, 0.1135, 0.087, 0.074, 2.1),
        same(0.105, 0.0, 0.004, 0.110, 0.084, 0.073, 2.1),
        same(0.145, 0.0, 0.0, 0.096, 0.070, 0.066, 2.1),
    ]
    return loft(rows, (0.045, 0.045), sides=24)


def chest() -> Solid:
    """Ribcage: widest under the armpits, with a hint of the chest muscles and shoulder blades."""
    rows = [
        same(-0.022, 0.0, 0.004, 0.106, 0.079, 0.075, 2.2),
        same(0.008, 0.0, 0.006, 0.120, 0.092, 0.083, 2.2),
        same(0.060, 0.0, 0.007, 0.137, 0.105, 0.092, 2.3),
        same(0.120, 0.0, 0.005, 0.156, 0.114, 0.100, 2.4),
        same(0.168, 0.0, 0.001, 0.166, 0.112, 0.103, 2.5),
        same(0.210, 0.0, -0.005, 0.158, 0.096, 0.098, 2.4),
        same(0.248, 0.0, -0.012, 0.128, 0.076, 0.083, 2.2),
        same(0.280, 0.0, -0.016, 0.084, 0.058, 0.064, 2.0),
    ]
    solid = loft(rows, (0.038, 0.024), sides=24)
    for side in (-1.0, 1.0):
        solid = bump(solid, (0.068 * side, 0.150, 0.11), (0.075, 0.065, 0.07), 0.010)
        solid = bump(solid, (0.080 * side, 0.165, -0.10), (0.070, 0.080, 0.07), 0.007)
    return solid


def neck() -> Solid:
    """A short column that leans forward and flares into the shoulders."""
    rows = [
        same(-0.022, 0.0, -0.002, 0.084, 0.064, 0.064),
        same(0.004, 0.0, 0.002, 0.067, 0.057, 0.058),
        same(0.037, 0.0, 0.009, 0.057, 0.053, 0.054),
        same(0.082, 0.0, 0.018, 0.053, 0.051, 0.052),
        same(0.122, 0.0, 0.024, 0.052, 0.050, 0.052),
    ]
    return loft(rows, (0.03, 0.04))


def head() -> Solid:
    """An egg, larger above, with a flattened face, a brow and a jaw."""
    rows = [
        same(0.085, 0.0, 0.006, 0.0765, 0.097, 0.099, 2.05),
        same(0.058, 0.0, 0.006, 0.0775, 0.098, 0.100, 2.05),
        same(0.028, 0.0, 0.009, 0.0745, 0.096, 0.097, 2.05),
        same(0.000, 0.0, 0.015, 0.0665, 0.090, 0.087, 2.05),
        same(-0.022, 0.0, 0.024, 0.0560, 0.080, 0.072, 2.0),
    ]
    solid = loft(rows, (0.080, 0.041), sides=24, cap_rings=5)
    solid = bump(solid, (0.0, 0.018, 0.106), (0.042, 0.062, 0.06), 0.0045)
    for side in (-1.0, 1.0):
        solid = bump(solid, (0.036 * side, 0.036, 0.094), (0.046, 0.044, 0.06), -0.0035)
    return solid


def clavicle() -> Solid:
    """Shoulder girdle, from beside the neck out to the shoulder ball."""
    rows = [
        (0.000, -0.014, -0.010, 0.046, 0.070, 0.050, 0.062, 2.0),
        (0.045, -0.012, -0.012, 0.054, 0.061, 0.052, 0.062, 2.0),
        (0.095, -0.014, -0.011, 0.056, 0.054, 0.052, 0.057, 2.0),
        (0.140, -0.020, -0.010, 0.047, 0.047, 0.047, 0.049, 2.0),
    ]
    return loft(rows, (0.02, 0.042), axis="-x", sides=20)


def upper_arm() -> Solid:
    """Shoulder ball and the taper to the elbow."""
    rows = [
        (0.000, 0.000, 0.000, 0.0530, 0.0470, 0.0530, 0.0530, 2.0),
        (-0.035, -0.002, 0.000, 0.0550, 0.0455, 0.0545, 0.0540, 2.0),
        (-0.075, -0.004, 0.002, 0.0510, 0.0425, 0.0520, 0.0495, 2.0),
        (-0.115, -0.003, 0.005, 0.0450, 0.0405, 0.0490, 0.0450, 2.0),
        (-0.160, -0.001, 0.006, 0.0405, 0.0390, 0.0460, 0.0420, 2.0),
        (-0.205, 0.000, 0.002, 0.0355, 0.0360, 0.0385, 0.0395, 2.0),
        (-0.248, 0.000, 0.000, 0.0330, 0.0340, 0.0340, 0.0355, 2.0),
        (-0.2817, 0.0, 0.000, 0.0340, 0.0345, 0.0340, 0.0350, 2.0),
    ]
    return loft(rows, (0.050, 0.034), sides=20)


def forearm() -> Solid:
    """Elbow ball, the swelling below it, and the flat wrist (flat in x, as the palm faces inwards)."""
    rows = [
        (0.000, 0.000, 0.000, 0.0325, 0.0325, 0.0325, 0.0330, 2.0),
        (-0.035, 0.000, 0.000, 0.0390, 0.0370, 0.0385, 0.0350, 2.0),
        (-0.080, -0.001, 0.001, 0.0400, 0.0375, 0.0410, 0.0360, 2.0),
        (-0.130, 0.000, 0.001, 0.0340, 0.0325, 0.0365, 0.0330, 2.0),
        (-0.185, 0.000, 0.001, 0.0265, 0.0255, 0.0305, 0.0285, 2.0),
        (-0.232, 0.000, 0.000, 0.0225, 0.0220, 0.0270, 0.0265, 2.0),
        (-0.2689, 0.00, 0.000, 0.0220, 0.0220, 0.0255, 0.0255, 2.0),
    ]
    return loft(rows, (0.0325, 0.022), sides=20)


def hand() -> Solid:
    """A mitten: palm and fingers in one, slightly curled, and a thumb."""
    rows = [
        (0.000, 0.0000, 0.000, 0.0215, 0.0215, 0.0245, 0.0245, 2.0),
        (-0.022, 0.0000, 0.001, 0.0200, 0.0200, 0.0300, 0.0295, 2.2),
        (-0.052, 0.0000, 0.002, 0.0180, 0.0185, 0.0385, 0.0385, 2.4),
        (-0.084, 0.0005, 0.002, 0.0160, 0.0155, 0.0400, 0.0410, 2.5),
        (-0.112, 0.0035, 0.002, 0.0145, 0.0120, 0.0365, 0.0385, 2.5),
        (-0.138, 0.0095, 0.002, 0.0125, 0.0105, 0.0330, 0.0345, 2.4),
        (-0.164, 0.0170, 0.002, 0.0110, 0.0095, 0.0285, 0.0295, 2.4),
    ]
    mitten = loft(rows, (0.022, 0.021), sides=20)
    mitten = bump(mitten, (0.014, -0.042, 0.026), (0.035, 0.045, 0.030), 0.010)
    thumb_rows = [
        same(0.010, 0.0, 0.0, 0.0125, 0.0155),
        same(-0.024, 0.0, 0.001, 0.0145, 0.0170),
        same(-0.050, 0.0, 0.001, 0.0120, 0.0130),
        same(-0.072, 0.0, -0.003, 0.0095, 0.0105),
    ]
    tilt, turn = np.radians(-31.0), np.radians(12.0)
    about_x = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    about_z = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    thumb = loft(thumb_rows, (0.008, 0.011), sides=12).moved(about_z @ about_x, (0.007, -0.034, 0.017))
    return mitten + thumb


def thigh() -> Solid:
    """Hip ball, the full thigh, and the knee ball."""
    rows = [
        (0.000, 0.000, -0.004, 0.0810, 0.0780, 0.0800, 0.0850, 2.0),
        (-0.045, -0.001, -0.004, 0.0840, 0.0800, 0.0850, 0.0880, 2.0),
        (-0.110, -0.003, 0.001, 0.0825, 0.0750, 0.0860, 0.0840, 2.0),
        (-0.185, -0.003, 0.006, 0.0765, 0.0670, 0.0810, 0.0750, 2.0),
        (-0.260, -0.001, 0.007, 0.0660, 0.0600, 0.0710, 0.0660, 2.0),
        (-0.330, 0.000, 0.005, 0.0550, 0.0540, 0.0590, 0.0570, 2.0),
        (-0.385, 0.000, 0.004, 0.0490, 0.0490, 0.0510, 0.0490, 2.0),
        (-0.4222, 0.0, 0.002, 0.0470, 0.0470, 0.0490, 0.0480, 2.0),
    ]
    return loft(rows, (0.082, 0.047), sides=20)


def shank() -> Solid:
    """Knee, calf and shin, down to the ankle."""
    rows = [
        (0.000, 0.000, 0.000, 0.0440, 0.0440, 0.0450, 0.0455, 2.0),
        (-0.045, 0.000, -0.001, 0.0450, 0.0450, 0.0435, 0.0510, 2.0),
        (-0.095, -0.001, -0.005, 0.0515, 0.0525, 0.0435, 0.0630, 2.0),
        (-0.145, -0.001, -0.008, 0.0530, 0.0540, 0.0415, 0.0660, 2.0),
        (-0.205, 0.000, -0.009, 0.0455, 0.0470, 0.0390, 0.0560, 2.0),
        (-0.280, 0.000, -0.008, 0.0355, 0.0360, 0.0345, 0.0410, 2.0),
        (-0.350, 0.000, -0.007, 0.0290, 0.0290, 0.0305, 0.0330, 2.0),
        (-0.400, 0.000, -0.005, 0.0285, 0.0285, 0.0300, 0.0325, 2.0),
        (-0.434, 0.000, -0.003, 0.0310, 0.0310, 0.0315, 0.0330, 2.0),
    ]
    return loft(rows, (0.0440, 0.030), sides=20)


def foot() -> Solid:
    """Heel, instep and the ball of the foot; the sole lies in the plane of the ground."""
    # rows along z: (z, centre x, centre y, half-width lateral, medial, up, down)
    rows = [
        (-0.042, 0.000, -0.036, 0.0275, 0.0275, 0.0320, 0.0330, 2.3),
        (-0.022, 0.000, -0.034, 0.0325, 0.0325, 0.0540, 0.0380, 2.4),
        (0.004, 0.000, -0.034, 0.0345, 0.0345, 0.0620, 0.0370, 2.4),
        (0.032, 0.000, -0.038, 0.0365, 0.0360, 0.0520, 0.0310, 2.4),
        (0.064, 0.001, -0.042, 0.0405, 0.0385, 0.0340, 0.0270, 2.4),
        (0.098, 0.002, -0.044, 0.0445, 0.0425, 0.0230, 0.0280, 2.4),
        (0.129, 0.002, -0.045, 0.0450, 0.0435, 0.0170, 0.0270, 2.4),
    ]
    return flat_sole(loft(rows, (0.016, 0.018), axis="z", sides=20))


def toes() -> Solid:
    """The front of the foot, from the ball to the tips, hinged at the ball."""
    rows = [
        (0.000, 0.002, 0.000, 0.0430, 0.0420, 0.0155, 0.0270, 2.4),
        (0.018, 0.003, -0.003, 0.0430, 0.0420, 0.0135, 0.0240, 2.4),
        (0.035, 0.006, -0.005, 0.0385, 0.0390, 0.0120, 0.0220, 2.3),
        (0.048, 0.009, -0.007, 0.0310, 0.0335, 0.0100, 0.0190, 2.2),
    ]
    return flat_sole(loft(rows, (0.018, 0.023), axis="z", sides=20), ground=-0.0226)


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
