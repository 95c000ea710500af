"""What marks of physics show of a figure in any pose: ellipsoids of inertia, and where its joints turn or slide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.skeleton import Skeleton
from core.skeleton.dof import HINGE, SLIDE
from core.skeleton.extent import figure_height
from core.skeleton.per_skeleton import per_skeleton
from core.spatial.inertia import SpatialInertia

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

HINGE_RADIUS, HINGE_HALF, BALL_RADIUS = 0.030, 0.062, 0.040
"""Radius and half the length of the cylinder of a hinge, radius of the sphere of a ball, of a person, [m]."""
PERSON = (1.2, 2.4)
"""Figures no smaller and no taller than this count as persons; marks of others are in proportion, [m]."""
_MEAN = 1.75
_SLIM, _LEAST = 1.15, 0.4
"""Most a joint's mark is wider than half its segment, and the least share of its size that it keeps."""
_THIN = 1e-3
"""Share of the largest half-axis that the ellipsoid of a body without thickness is drawn with."""


@dataclass(frozen=True, eq=False)
class FigureMarks:
    """Shapes that follow the joints; maps take the unit shape to the frame of its joint, shape (k, 3, 4), [m].

    Attributes:
        scale: Size of the marks, as a share of those of a person.
        masses: Mass of each segment, shape (n_joints,), [kg].
        bodies: Joints with an ellipsoid, shape (k,).
        ellipsoids: Unit sphere to ellipsoid.
        hinges: Joints with a cylinder.
        cylinders: Unit cylinder about z, from -1 to 1, to the hinge's.
        balls: Joints with a sphere.
        spheres: Unit sphere to sphere.
        slides: Joints with a rail for each slide, shape (k,).
        rails: Middle and direction with half the length, in the frame of the joint, shape (k, 2, 3), [m].
        joint_of_dof: Joint each degree of freedom belongs to, shape (n_dofs,).
    """

    scale: float
    masses: Array
    bodies: Numbers
    ellipsoids: Array
    hinges: Numbers
    cylinders: Array
    balls: Numbers
    spheres: Array
    slides: Numbers
    rails: Array
    joint_of_dof: Numbers

    @property
    def mass(self) -> float:
        """Of all bodies, [kg]."""
        return float(self.masses.sum())


def equivalent_ellipsoid(inertia: SpatialInertia) -> tuple[Array, Array]:
    """Return the ellipsoid of even density with the same mass, centre and inertia as a body.

    Its half-axes follow from the principal moments, ``a^2 = 5 / (2 m) (I_b + I_c - I_a)``.

    Args:
        inertia: The body's; its mass is more than 0.

    Returns:
        The frame of its axes, shape (4, 4), and its half-axes along them, shape (3,), [m]; 0 where the body has no
        thickness.
    """
    frame, moments = inertia.principal()
    squares = 2.5 / inertia.mass * (float(moments.sum()) - 2.0 * moments)
    return frame, np.sqrt(np.maximum(squares, 0.0))


def size_of_marks(height: float) -> float:
    """Return the size of marks on a figure of some height, [m], as a share of those on a person."""
    return 1.0 if PERSON[0] <= height <= PERSON[1] else height / _MEAN


def placed(poses: Array, joints: Numbers, maps: Array) -> Array:
    """Return maps to joints' frames as maps to the world, shape (k, 3, 4)."""
    frames = poses[joints]
    found = frames[:, :3, :3] @ maps
    found[:, :, 3] += frames[:, :3, 3]
    return found


@per_skeleton
def figure_marks(skeleton: Skeleton) -> FigureMarks:
    """Return the marks of a figure; kept with it."""
    scale = size_of_marks(figure_height(skeleton))
    masses = np.array([joint.mass or 0.0 for joint in skeleton.joints])
    bodies, ellipsoids, slimmest = [], [], np.full(len(skeleton.joints), np.inf)
    for i in np.flatnonzero(masses > 0.0).tolist():
        joint = skeleton.joints[i]
        assert joint.mass is not None and joint.center is not None and joint.inertia is not None  # filled in by now
        frame, radii = equivalent_ellipsoid(SpatialInertia(joint.mass, joint.center, joint.inertia))
        if radii.max() <= 0.0:
            continue  # a point
        slimmest[i] = max(float(radii.min()), 0.25 * float(np.median(radii)))
        drawn = np.maximum(radii, _THIN * radii.max())
        bodies.append(i)
        ellipsoids.append(np.column_stack([frame[:3, :3] * drawn, frame[:3, 3]]))
    in_ball = {dof for compound in skeleton.compounds for dof in compound}
    last_of = {compound[-1] for compound in skeleton.compounds}
    hinges, cylinders, balls, spheres, slides, rails = [], [], [], [], [], []
    for i, joint in enumerate(skeleton.joints):
        kinds = [dof.kind for dof in joint.dofs]
        if i == 0 and kinds.count(HINGE) >= 3:
            continue  # it moves freely in the world
        slim = min(1.0, max(_LEAST, _SLIM * slimmest[i] / (HINGE_RADIUS * scale)))
        for k, dof in enumerate(joint.dofs):
            number = skeleton.first_dof[i] + k
            if dof.kind == HINGE and number not in in_ball:
                hinges.append(i)
                size = np.array([HINGE_RADIUS, HINGE_RADIUS, HINGE_HALF]) * scale * slim
                cylinders.append(np.column_stack([_frame_about(dof.axis) * size, np.zeros(3)]))
            elif number in last_of:
                slim = min(1.0, max(_LEAST, _SLIM * slimmest[i] / (BALL_RADIUS * scale)))
                balls.append(i)
                spheres.append(np.column_stack([np.eye(3) * (BALL_RADIUS * scale * slim), np.zeros(3)]))
            elif dof.kind == SLIDE:
                slides.append(i)
                rails.append([np.zeros(3), dof.axis * (HINGE_HALF * scale)])
    return FigureMarks(
        scale, masses, _numbers(bodies), _maps(ellipsoids), _numbers(hinges), _maps(cylinders), _numbers(balls),
        _maps(spheres), _numbers(slides), np.array(rails).reshape(-1, 2, 3), _numbers(skeleton.dof_joints),
    )  # fmt: skip


def _frame_about(axis: Array) -> Array:
    """Return a rotation whose third column is a unit axis, shape (3, 3)."""
    first = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(axis, first), axis])


def _numbers(values: object) -> Numbers:
    return np.array(values, dtype=np.int64).reshape(-1)


def _maps(values: list[Array]) -> Array:
    return np.array(values).reshape(-1, 3, 4)
