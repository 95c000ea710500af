"""Where the numbers of a node lie in its record; the same for everybody who reads or writes it.

What a record holds of its node's motion and load comes first and lies at the same place for all kinds of nodes, so that
other nodes can read it: they know nothing of their parent's or children's joints.
"""

from __future__ import annotations

from functools import cache

HINGE, SLIDE, GENERAL = "hinge", "slide", "general"
VECTOR, EXPRESSIONS, GIVEN = "vector", "expressions", "given"
"""Sources of a general joint's transform: a rotation vector, expressions, or what Python has written."""

COMMON = (
    ("turned", 2),  # cosine and sine of a hinge
    ("omega", 3), ("alpha", 3), ("U", 9), ("a", 3),  # U = [alpha] + [omega]^2; a is the origin's acceleration
    ("y", 6),  # the wrench [t; f] that the node's body and all beyond it need
    ("acc", 21),  # of the articulated inertia what the children add
    ("eta", 6),  # what the coordinates' accelerations add to [alpha; a]
    ("mass", 1), ("h", 3), ("I", 6), ("sigma", 3),  # first moments, inertia, and integrals of xx, yy, zz
    ("turn", 2), ("shift", 3), ("tilt", 2),  # the way to the joint: about z, along, about x
    ("angle", 1),  # of a hinge where its coordinate is zero
    ("least", 2),  # pivots about and along that are no more may be rounding
    ("nan", 1),
)  # fmt: skip

MOTION, CONSTANT = "omega", "mass"
FIRST_CONSTANT = sum(size for _, size in COMMON[: [name for name, _ in COMMON].index("mass")])
"""Where the constants begin."""


@cache
def layout(kind: str, d: int, parameters: int = 0) -> dict[str, range]:
    """Return the places of each field.

    Args:
        kind: Of the node.
        d: Number of its coordinates.
        parameters: Numbers that a general joint's expressions go by.
    """
    fields = list(COMMON)
    if kind == GENERAL:
        fields += [("frame", 9), ("parameters", parameters)]
        fields += [("Q", 12), ("S", 6 * d), ("rate", 6), ("R", 9), ("r", 3)]
    fields += [("free", d), ("gain", 6 * d)]
    found, at = {}, 0
    for name, size in fields:
        found[name] = range(at, at + size)
        at += size
    return found


def length(kind: str, d: int, parameters: int = 0) -> int:
    """Return the length of a record, whole cache lines."""
    places = layout(kind, d, parameters)
    return -(-places["gain"].stop // 8) * 8


BODY = {"T": range(0, 9), "at": range(9, 12), "wrench": range(12, 18)}
"""Places in the record of a body: its pose in its node's frame, and the wrench on it."""
BODY_LENGTH = 24
