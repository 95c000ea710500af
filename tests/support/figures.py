"""Figures that tests build themselves."""

from __future__ import annotations

import math

import numpy as np

from core.skeleton import Dof, Joint, Mesh, SegmentObject, Skeleton

UNIT = {"x": np.eye(3)[0], "y": np.eye(3)[1], "z": np.eye(3)[2]}


def hinge(axis: str | np.ndarray, lo: float = -np.inf, hi: float = np.inf) -> Dof:
    return Dof("hinge", UNIT[axis] if isinstance(axis, str) else axis / np.linalg.norm(axis), lo, hi)


def slide(axis: str | np.ndarray, lo: float = -np.inf, hi: float = np.inf) -> Dof:
    return Dof("slide", UNIT[axis] if isinstance(axis, str) else axis / np.linalg.norm(axis), lo, hi)


def arm7(scale: float = 1.0, limit: float = math.pi) -> Skeleton:
    """A shoulder of three axes, an elbow, a wrist of three; the hand's point lies at (0, 0.2, 0) of the last joint."""
    axes = ("y", "x", "y", "x", "y", "x", "y")
    lengths = (0.2, 0.0, 0.3, 0.3, 0.25, 0.25, 0.1)
    joints = [Joint("base", -1)]
    for i, (axis, length) in enumerate(zip(axes, lengths, strict=True)):
        joints.append(Joint(f"j{i}", i, offset=[0.0, length * scale, 0.0], dofs=(hinge(axis, -limit, limit),)))
    return Skeleton("arm", joints)


def chain(count: int, length: float = 0.1, scale: float = 1.0) -> Skeleton:
    joints = [Joint("j0", -1, dofs=(hinge("z"),))]
    for i in range(1, count):
        joints.append(Joint(f"j{i}", i - 1, offset=[0.0, length * scale, 0.0], dofs=(hinge("zx"[i % 2]),)))
    return Skeleton("chain", joints)


def fork() -> Skeleton:
    """A trunk with two arms and a head, every part with a body; compound shoulders."""
    joints = [Joint("pelvis", -1, dofs=(hinge("z"), hinge("x"), hinge("y")), mass=1.0)]
    joints.append(Joint("chest", 0, offset=[0, 0.4, 0], dofs=(hinge("x", -1, 1), hinge("z", -1, 1)), mass=1.0))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        chest = 1
        a = len(joints)
        joints.append(Joint(f"{side} clavicle", chest, offset=[0.05 * sign, 0.3, 0], mass=0.2))
        joints.append(Joint(f"{side} shoulder", a, offset=[0.15 * sign, 0, 0], dofs=(hinge("x", -2, 2),)))
        joints.append(Joint(f"{side} shoulder z", a + 1, dofs=(hinge("z", -2, 2),)))
        joints.append(Joint(f"{side} arm", a + 2, dofs=(hinge("y", -2, 2),), mass=1.0))
        joints.append(Joint(f"{side} hand", a + 3, offset=[0.3 * sign, 0, 0], dofs=(hinge("y", -2.5, 2.5),), mass=0.5))
    joints.append(Joint("head", 1, offset=[0, 0.35, 0], dofs=(hinge("x", -1, 1),), mass=1.0))
    return Skeleton("fork", joints)


def random_figure(seed: int, joints: int = 12, scaled: bool = False, slides: bool = True) -> Skeleton:
    """A random tree with oblique axes, fixed rotations, several DOFs a joint and, if asked, static scales."""
    rng = np.random.default_rng(seed)
    made = []
    for i in range(joints):
        dofs = []
        for _ in range(int(rng.integers(0, 4))):
            axis = rng.normal(size=3) if rng.random() < 0.4 else np.eye(3)[rng.integers(3)] * rng.choice([-1, 1])
            lo, hi = -rng.uniform(0.5, 3.0), rng.uniform(0.5, 3.0)
            dofs.append(slide(axis, 0.1 * lo, 0.1 * hi) if slides and rng.random() < 0.2 else hinge(axis, lo, hi))
        made.append(
            Joint(
                f"j{i}",
                -1 if i == 0 else int(rng.integers(max(0, i - 3), i)),
                offset=rng.normal(size=3) * (0.3 if rng.random() < 0.8 else 0.0),
                orientation=rng.uniform(-90, 90, 3) if rng.random() < 0.5 else np.zeros(3),
                dofs=tuple(dofs),
                scale=rng.uniform(0.6, 1.6, 3) if scaled and rng.random() < 0.5 else np.ones(3),
                weight=float(rng.choice([1.0, 0.6])),
                resistance=float(rng.uniform(0.5, 2.0)),
            )
        )
    return Skeleton("random", made)


def random_pose(skeleton: Skeleton, rng: np.random.Generator, spread: float = 1.0) -> np.ndarray:
    """A pose inside all limits, hinges within +-spread rad of zero."""
    q = rng.uniform(-spread, spread, skeleton.nq)
    q[3:] = np.clip(q[3:], skeleton.limits[:, 0], skeleton.limits[:, 1])
    return q


def box_mesh(low: tuple[float, float, float], high: tuple[float, float, float]) -> Mesh:
    """A box of 12 triangles."""
    vertices = np.array([[(low, high)[(i >> k) & 1][k] for k in range(3)] for i in range(8)])
    quads = [(0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6)]
    return Mesh(vertices, np.array([(a, b, c) for a, b, c, _ in quads] + [(a, c, d) for a, _, c, d in quads]))


def with_box(
    name: str, parent: int, offset: tuple[float, float, float], mesh: Mesh, dofs: tuple[Dof, ...] = ()
) -> Joint:
    """A joint with one object."""
    return Joint(name, parent, offset=np.array(offset), objects=(SegmentObject("box.pol", mesh),), dofs=dofs)


def bent(s: Skeleton) -> np.ndarray:
    """A pose with every joint some way to the middle of its range: a human's knees and elbows are bent."""
    lo, hi = np.clip(s.limits, -3.0, 3.0).T
    q = s.rest_pose()
    q[3:] += 0.3 * (0.5 * (lo + hi) - q[3:])
    return q
