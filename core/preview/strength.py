"""How strong the joints of a figure are: the largest torques that its muscles exert, by joint and direction.

Torques grow with body weight times height, by which strength is commonly normalized, so each entry is a share of
``m g h``. Entries are of healthy young men; see ``docs/physics.md`` for ranges, for women, and for what is an estimate.

Sources: hip, knee and ankle in the sagittal plane: Anderson, Madigan and Nussbaum (2007), J. Biomech. 40, 3105-3113,
C1 in table 3, men of 18 to 25 years.
Neck: Fice, Siegmund and Blouin (2014), Ann. Biomed. Eng. 42. Wrist: Delp, Grierson and Buchanan (1996), J. Biomech. 29,
1371-1375. Elbow: Lategan and Kruger (2003), Afr. J. Phys. Health Educ. Recr. Dance. All else is estimated.
"""

from __future__ import annotations

from typing import NamedTuple


class JointStrength(NamedTuple):
    """Largest torques of a joint, each a share of body weight times height.

    Attributes:
        flexion: Bends it: thigh, upper arm, forearm, toes' tops and trunk forwards, shank backwards, palm inwards.
        extension: The other way.
        abduction: Away from the middle; of trunk and neck to either side, of the hand towards the thumb.
        adduction: The other way.
        inward: Turns its front to the middle; of trunk and neck to either side.
        outward: The other way.
    """

    flexion: float
    extension: float
    abduction: float
    adduction: float
    inward: float
    outward: float


STRENGTHS: dict[str, JointStrength] = {
    "trunk": JointStrength(0.120, 0.180, 0.130, 0.130, 0.065, 0.065),
    "neck": JointStrength(0.022, 0.037, 0.023, 0.023, 0.009, 0.009),
    "clavicle": JointStrength(0.066, 0.070, 0.060, 0.080, 0.050, 0.050),
    "shoulder": JointStrength(0.066, 0.080, 0.050, 0.080, 0.036, 0.024),
    "elbow": JointStrength(0.045, 0.038, 0.030, 0.030, 0.007, 0.007),
    "wrist": JointStrength(0.0090, 0.0052, 0.0081, 0.0070, 0.007, 0.007),
    "hip": JointStrength(0.113, 0.161, 0.085, 0.100, 0.045, 0.045),
    "knee": JointStrength(0.087, 0.163, 0.060, 0.060, 0.030, 0.030),
    "ankle": JointStrength(0.033, 0.095, 0.022, 0.026, 0.020, 0.020),
    "toes": JointStrength(0.010, 0.006, 0.005, 0.005, 0.005, 0.005),
}
"""By the kind of joint, see ``core.preview.anatomy``."""

OF_SEGMENTS = 5.0
"""Of other joints, estimated: the largest torque is so many times what gravity exerts on the heavier of the two
segments that meet there when it is held level by its end: ``m g l``."""
