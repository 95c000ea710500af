"""Writes the stick figure's polygon files: ``python -m skeletons.making.make_stickman`` in the project's folder.

Every part is a stack of twelve-sided rings along the y axis, rounded at both ends, in its joint's own frame.
"""

from __future__ import annotations

import numpy as np

from core.formats import bundled_folder
from core.skeleton import Mesh, write_pol

SIDES = 12
Ring = tuple[float, float, float, float]  # y, half width (x), half depth (z), forward shift (z); all [m]


def stack(rings: list[Ring], corner: float = 2.4) -> Mesh:
    """Return rings joined by quadrilaterals and closed with a polygon at either end.

    Args:
        rings: From bottom to top.
        corner: Exponent of the superellipse: 2 is an ellipse, more is nearer to a box.
    """
    turns = np.pi * (2.0 * np.arange(SIDES) + 1.0) / SIDES
    cos, sin = np.cos(turns), np.sin(turns)
    x = np.sign(cos) * np.abs(cos) ** (2.0 / corner)
    z = np.sign(sin) * np.abs(sin) ** (2.0 / corner)
    points = [
        (round(width * a, 5), round(y, 5), round(depth * b + shift, 5))
        for y, width, depth, shift in rings
        for a, b in zip(x, z, strict=True)
    ]
    # Seen from above x to z turns clockwise, so the bottom ring is counter-clockwise from outside as it stands.
    polygons = [tuple(range(SIDES))]
    for ring in range(len(rings) - 1):
        low, high = ring * SIDES, (ring + 1) * SIDES
        for side in range(SIDES):
            after = (side + 1) % SIDES
            polygons.append((low + side, high + side, high + after, low + after))
    top = (len(rings) - 1) * SIDES
    polygons.append(tuple(top + side for side in reversed(range(SIDES))))
    return Mesh(np.array(points), np.zeros((0, 3), dtype=np.int32), tuple(polygons))


def rounded(rings: list[Ring]) -> list[Ring]:
    """Return the rings with two smaller ones at either end, so that it looks round."""

    def cap(ring: Ring, direction: float) -> list[Ring]:
        y, width, depth, shift = ring
        reach = 0.8 * min(width, depth)
        return [(y + direction * reach * s, width * c, depth * c, shift) for s, c in ((0.6, 0.8), (0.92, 0.4))]

    return [*reversed(cap(rings[0], -1.0)), *rings, *cap(rings[-1], 1.0)]


def ball(radius: Ring) -> list[Ring]:
    """Return the rings of an ellipsoid: (middle's y, half width, half depth, half height)."""
    y, width, depth, height = radius
    angles = np.radians([-78.0, -55.0, -30.0, 0.0, 30.0, 55.0, 78.0])
    return [(y + height * float(np.sin(a)), width * float(np.cos(a)), depth * float(np.cos(a)), 0.0) for a in angles]


PARTS: dict[str, Mesh] = {
    "pelvis": stack(rounded([(-0.06, 0.11, 0.075, 0.0), (0.0, 0.135, 0.085, 0.0), (0.06, 0.12, 0.08, 0.0)])),
    "torso": stack(
        rounded(
            [(0.04, 0.115, 0.075, 0.0), (0.16, 0.13, 0.085, 0.0), (0.30, 0.165, 0.095, 0.005), (0.38, 0.14, 0.08, 0.0)]
        )
    ),
    "head": stack([(-0.03, 0.04, 0.042, -0.01), (0.03, 0.045, 0.045, -0.005), *ball((0.14, 0.078, 0.095, 0.11))], 2.0),
    "r_arm": stack(
        rounded(
            [
                (-0.52, 0.024, 0.024, 0.0),
                (-0.36, 0.036, 0.036, 0.0),
                (-0.28, 0.033, 0.033, 0.0),
                (-0.02, 0.043, 0.045, 0.0),
            ]
        ),
        2.0,
    ),
    "r_hand": stack(rounded([(-0.15, 0.012, 0.025, 0.005), (-0.09, 0.02, 0.042, 0.005), (-0.01, 0.02, 0.026, 0.0)])),
    "r_leg": stack(
        rounded(
            [
                (-0.77, 0.034, 0.036, 0.0),
                (-0.54, 0.052, 0.056, -0.008),
                (-0.42, 0.05, 0.052, 0.0),
                (-0.12, 0.078, 0.082, 0.0),
                (-0.01, 0.074, 0.08, 0.0),
            ]
        ),
        2.0,
    ),
    "r_foot": stack(
        [
            (-0.08, 0.038, 0.118, 0.06),
            (-0.062, 0.046, 0.128, 0.06),
            (-0.04, 0.042, 0.11, 0.045),
            (-0.01, 0.036, 0.055, 0.005),
            (0.03, 0.028, 0.034, -0.002),
        ],
        2.8,
    ),
}


def main() -> None:
    """Write all parts beside the figure."""
    folder = bundled_folder() / "stickman"
    folder.mkdir(exist_ok=True)
    for name, mesh in PARTS.items():
        (folder / f"{name}.pol").write_text(f"# {name}, made by make_stickman.py\n{write_pol(mesh)}", encoding="utf-8")


if __name__ == "__main__":
    main()
