"""Figures with one joint of every type, as texts of skeleton files."""

from __future__ import annotations

import numpy as np

from core.joints import JointModel
from core.skeleton import Joint, Skeleton, read_scr

CURVE = """frame 1 0 0
frame 0 0.3 1 0 -90 0
frame -1 0 0 0 -178 3
frame 0 -0.3 -1 0 -270 0
frame 1 0.2 -1 20 -300 0"""
SURFACE = "\n".join(
    f"frame {x:g} {0.3 * np.sin(2 * x) * np.cos(z):.4f} {z:g} {10 * z:g} 0 {12 * x:g}"
    for x in np.linspace(-2, 2, 5)
    for z in np.linspace(-2, 2, 6)
)
BEZIER = "\n".join(
    f"frame {x:g} {0.3 * np.sin(2 * x) * np.cos(z):.4f} {z:g} {10 * z:g} 0 {12 * x:g}"
    for x in np.linspace(-2, 2, 4)
    for z in np.linspace(-2, 2, 7)
)
TYPES = {
    "fixed": "joint type fixed",
    "revolute": 'joint type revolute 1 2 3 -90 90 "Turn it"',
    "prismatic": "joint type prismatic -y -0.2 0.2",
    "planar": 'joint type planar -0.2 0.2 -inf inf "Left" "Right"',
    "translational": "joint type translational",
    "universal": 'joint type universal -30 30 -45 45 "" "Swing"',
    "spherical": "joint type spherical",
    "spherical euler": "joint type spherical euler zxy",
    "composite": 'joint type composite\nhinge x -10 100 "Bend"\njoint type universal\nslide 1 1 0',
    "free 2d": "joint type free 2d -1 1 -1 1 -180 180",
    "free": "joint type free",
    "free rotation first": "joint type free rotation first",
    "spline curve": f"joint type spline curve closed\n{CURVE}",
    "open curve": f'joint type spline curve open 0.25 inf "Way"\n{CURVE}',
    "spline surface": f'joint type spline surface 5 6 0.5 2 0 3 "Along" "Across"\n{SURFACE}',
    "screw": 'joint type screw 0 0.6 0.8 0.3 -400 400 "Turn"',
    "surface on surface": (
        "joint type surface on surface torus 0.5 0.2 torus 0.6 0.2 turned 30 -170 170 -80 80 -170 170 -80 80"
    ),
    "point on surface": 'joint type point on surface ellipsoid 0.6 0.4 0.5 spin -170 170 -60 60 -inf inf "Round" "Up"',
    "curve on curve": "joint type curve on curve circle 0.6 ellipse 0.4 0.3",
    "point on curve": "joint type point on curve bezier 4 -1 0 0 0 0.5 1 0 -0.5 1 1 0 0 up y spin",
    "four bar": "joint type four bar x 0 0.1 0.12 0 -0.18 -0.08 0 0.12 -0.1 0 -0.16 0.12 -60 20",
    "scapula": "joint type scapula 0.3 0.5 0.25 0.1 0 0 80 -20 60 -30 30 -60 60 -20 20",
    "rolling": "joint type rolling 0.2 on 0.7 -400 400",
    "gear": "joint type gear z 0.4 0 0 1 0 1 2.5 -170 170",
    "mirrored": "joint type mirrored screw z 0.2",
    "expression": """joint type expression
coordinates round deg -300 inf "Round"
coordinates rise m -0.2 0.4
let a 0.5
let b a/2 + 1 mm
translate a*cos(round), rise, b*sin(round)
rotate -y round + 0.1*sin(2*round)
rotate 0 0.6 0.8 0.2*tanh(rise)""",
    "through frames": f'joint type spline curve catmull-rom open "Way"\n{CURVE}',
    "bezier curve": f"joint type spline curve bezier closed\n{CURVE}\nframe 1.3 0.1 -0.5 0 -330 0",
    "bezier surface": f"joint type spline surface bezier 4 7\n{BEZIER}",
    "excavator": """joint type composite
hinge y -90 90 "Turn"
joint type expression
coordinates u v
translate sin(u) v -0.1*u
rotate x u
slide z -0.2 0.2 "Out"
joint type expression
coordinates bend deg -30 120 "Bend"
let r 3 cm
translate 0 0 r*bend
rotate x bend""",
    "crane": f"""joint type composite
hinge y -90 90 "Turn"
joint type spline curve open 0.1 1.9 "Along"
{CURVE}
joint type screw y 0.1 -400 400
slide z -0.2 0.2 "Out\"""",
}
"""Lines of a joint of each type of ``core.joints``, and of a curve that ends."""
FURTHER = ("open curve", "through frames", "bezier curve", "bezier surface", "excavator", "crane")
"""Those that are no type of their own."""
SPLINES = ("spline curve", "open curve", "spline surface")


def arm_on(lines: str, hand: bool = True, scale: str = "", above: str = "") -> str:
    """Return a figure whose part ``cart`` has the joint type of some lines and, with ``hand``, carries an arm."""
    placed = 'joint "arm"\njoint "hand"' if hand else ""
    arm = """define joint "arm"
offset 0.2 0 0
hinge z
hinge x
mass 1
end joint
define joint "hand"
offset 0 0.4 0
hinge x -100 100
tip 0 0.3 0
mass 1
end joint"""
    return f"""define skeleton "arm"
joint "rail"
joint "cart"
{placed}
end skeleton
define joint "rail"
{above}
mass 1
end joint
define joint "cart"
offset 0 1 0
orientation 10 20 30
{scale}
{lines}
mass 1
end joint
{arm if hand else ""}
"""


def arm_figure(name: str, **options: str | bool) -> Skeleton:
    """Return ``arm_on`` for one of ``TYPES``."""
    return read_scr(arm_on(TYPES[name], **options))  # type: ignore[arg-type]


def random_pose(s: Skeleton, rng: np.random.Generator, spread: float = 1.5) -> np.ndarray:
    """Return a pose inside all limits."""
    low, high = np.maximum(s.limits[:, 0], -spread), np.minimum(s.limits[:, 1], spread)
    return np.concatenate([rng.normal(size=3), rng.uniform(low, np.maximum(high, low))])


def motion(joint: Joint, values: np.ndarray) -> np.ndarray:
    """Return what a joint's degrees of freedom make, by the joint types of ``core.joints`` alone, shape (4, 4)."""
    from core.joints import Prismatic, Revolute

    if joint.curved is not None:
        return joint.curved.transform(values)
    X = np.eye(4)
    for dof, value in zip(joint.dofs, values, strict=True):
        model: JointModel = (Revolute if dof.kind == "hinge" else Prismatic)(tuple(dof.axis))
        X = X @ model.transform([value])
    return X
