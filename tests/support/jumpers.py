"""Jumps for motions of least effort: of the man of the library, and of a small figure with one leg in a plane."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy

from core.animation import Sequence
from core.dynamics import Body, Multibody
from core.dynamics.contact.world import World
from core.formats import load
from core.formats.bundled import bundled_folder
from core.joints import Composite, Prismatic, Revolute
from core.preview.least_energy.grid import Grid
from core.preview.least_energy.holds import Hold
from core.preview.least_energy.program import Program
from core.preview.least_energy.span import Span
from core.spatial import SpatialInertia, se3

NODES = 5.0
PUSH, FLIGHT, LAND = 24, 9, 24
"""Frames on the ground, in the air, and on the ground again."""
FPS = 30
GROUND, AIR = (0.01, 0.03, 0.2 / 3.0, 0.4 / 3.0), (0.01, 0.03, 0.075)
"""Nodes are added so long before he leaves the ground and after it, and the other way round where he comes down, [s].

The pelvis whips between legs and trunk then, within a hundredth of a second: with nodes 0.07 s apart the root is off by
a fifth of the weight there, with these by less than a hundredth.
"""


def standing_jump(rise: float = 0.11) -> tuple[Sequence, int]:
    """Return a jump on the spot of the man of the library, 30 frames a second, and its last frame.

    He stands, crouches, is in the air for 0.3 s, lands, crouches, and stands; feet are locked while they stand.

    Args:
        rise: How much higher his root is in the middle of the flight, [m].
    """
    jump = load(bundled_folder() / "library" / "Jumps" / "jump.seq").sequences[0]
    stand, crouch = np.array(jump.pose_at_frame(68)), np.array(jump.pose_at_frame(49))
    made, last = Sequence(jump.skeleton, fps=FPS), PUSH + FLIGHT + LAND
    up = stand.copy()
    up[1] += rise
    down = PUSH + FLIGHT
    for frame, pose in (
        (0, stand), (PUSH * 6 // 10, crouch), (PUSH, stand), (PUSH + FLIGHT // 2, up), (down, stand),
        (down + LAND * 4 // 10, crouch), (last, stand),
    ):  # fmt: skip
        made.set_key(frame, pose)
    feet = [strip for strip in jump.locks.strips if strip.start >= 38]
    made.locks.strips = [
        replace(strip, start=a, end=b, id=f"{strip.id}-{n}")
        for n, (a, b) in enumerate(((0, PUSH), (down, last)))
        for strip in feet
    ]
    return made, last


def standing_jump_span(parts: int = 1, graded: bool = False) -> Span:
    """Return the span of that jump, with the strength of people.

    Args:
        parts: Into how many each interval between nodes is cut.
        graded: Whether there are further nodes near the times when he leaves the ground and comes down.
    """
    jump, last = standing_jump()
    leaves, lands = PUSH / FPS, (PUSH + FLIGHT) / FPS
    also = [leaves - t for t in GROUND] + [leaves + t for t in AIR]
    also += [lands + t for t in GROUND] + [lands - t for t in AIR]
    also, degree = (also, 5) if graded else ([], 3)
    return Span(jump, 0, last, World(), strength=1.0, nodes=NODES, parts=parts, also=also, degree=degree)


def small_jumper(parts: int = 1) -> tuple[Program, np.ndarray]:
    """Return the program of a jump in a plane of a trunk on one leg, 0.2 s in the air, and a motion to start from.

    Args:
        parts: Into how many each interval between nodes is cut.
    """
    plane = Composite(Prismatic((1, 0, 0)), Prismatic((0, 1, 0)), Revolute((0, 0, 1)))
    bodies, place = [], se3.transform()
    for name, joint, mass, size, center in (
        ("trunk", plane, 40.0, (0.3, 0.6, 0.3), (0.0, 0.3, 0.0)),
        ("thigh", Revolute((0, 0, 1)), 14.0, (0.12, 0.4, 0.12), (0.0, -0.2, 0.0)),
        ("shank", Revolute((0, 0, 1)), 6.0, (0.1, 0.4, 0.1), (0.0, -0.2, 0.0)),
        ("foot", Revolute((0, 0, 1)), 2.0, (0.25, 0.06, 0.1), (0.05, -0.03, 0.0)),
    ):
        inertia = SpatialInertia.box(mass, size, center=center)
        bodies.append(Body(name, len(bodies) - 1, joint, X_PJ=place, inertia=inertia))
        place = se3.transform(translation=(0.0, 0.0 if name == "trunk" else -0.4, 0.0))
    model = Multibody(bodies, gravity=(0.0, -9.81, 0.0))
    times = np.concatenate([np.linspace(0.0, 0.5, 5), [0.6], np.linspace(0.7, 1.2, 5)])
    times = np.interp(np.arange(10 * parts + 1) / parts, np.arange(11), times)
    bend = scipy.interpolate.PchipInterpolator([0.0, 0.3, 0.5, 0.7, 0.9, 1.2], [0.5, 1.0, 0.35, 0.35, 1.0, 0.5])
    rise = scipy.interpolate.PchipInterpolator([0.0, 0.5, 0.6, 0.7, 1.2], [0.0, 0.0, 0.06, 0.0, 0.0])

    def keyed(at: np.ndarray) -> np.ndarray:
        own, none = bend(at), np.zeros(len(at))
        return np.stack([none, 0.8 * np.cos(0.5 * own) + 0.06 + rise(at), none, 0.5 * own, -own, 0.5 * own], axis=1)

    grid = Grid(times, (4 * parts, 6 * parts))
    fine = np.unique(np.concatenate([times, grid.points]))
    x = keyed(fine)
    v = np.gradient(x, fine, axis=0)
    v[[0, -1]] = 0.0
    soles = np.array([[a, -0.06, b] for a in (-0.07, 0.17) for b in (-0.05, 0.05)])
    pose = model.body_poses(x[0])[3]
    holds = [Hold(3, pose, a, b, soles=soles) for a, b in ((0.0, 0.5), (0.7, 1.2))]
    free = np.arange(6) < 3
    none = np.zeros(6, dtype=np.bool_)
    force = model.mass * 9.81
    made = Program(model, grid, ~free, free, holds, [], 100.0, force, 0.0, none, keyed(times))
    forces = np.zeros(made.size - made.motion_size)
    return made, made.unknowns.packed(x, v, forces, fine)


def fine_torques(made: Program, z: np.ndarray, points: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Return efforts at other points than those where they were made small, shape (m, nv), and weights of these, (m,).

    The motion is read off its coefficients, torques are those of inverse dynamics with wrenches.
    """
    s, w = np.polynomial.legendre.leggauss(points)
    s, torques, weights = 0.5 + 0.5 * s, [], []
    for k, h in enumerate(made.grid.steps):
        q, qd, qdd = (made.at(z, made.grid.times[k] + h * s, order) for order in range(3))
        wrenches = np.zeros((points, len(made.bodies), 6))
        for j in range(points):
            poses = made.model.body_poses(q[j])
            for i, numbers in made.unknowns.forces(z, k, float(s[j])):
                hold = made.holds[i]
                wrenches[j, made.slot(i)] += hold.wrench(poses[None, hold.body, :3, :3])[0][0] @ numbers
        torques.append(made.efforts.at(q, qd, qdd, wrenches))
        weights.append(0.5 * h * w)
    return np.concatenate(torques), np.concatenate(weights)
