"""A tube of three segments that bends at its two joints: the smallest figure with weights."""

from __future__ import annotations

import numpy as np

from core.skeleton import Joint, Mesh, SegmentObject, Skeleton
from core.skeleton.frames import frames_at
from core.skeleton.mirroring.mirror import reflect_joint
from tests.support.figures import hinge

LENGTH, RADIUS, REACH = 0.4, 0.06, 0.12
NAMES = ("root", "middle", "end")


def _share(height: float) -> float:
    """Weight of the joint above at a height over it: 0 far below, a half at the joint, 1 far above."""
    t = np.clip(0.5 + 0.5 * height / REACH, 0.0, 1.0)
    return float(t * t * (3.0 - 2.0 * t))


def _segment(k: int, bind: np.ndarray, sides: int, rings: int, radius: float) -> Mesh:
    """A closed tube from one joint to the next, in the frame of the lower one; its caps lie inside the figure."""
    heights = np.linspace(k * LENGTH, (k + 1) * LENGTH, rings)
    turns = 2.0 * np.pi * np.arange(sides) / sides
    points = [(radius * np.cos(t), y, radius * np.sin(t)) for y in heights for t in turns]
    points += [(0.0, heights[0], 0.0), (0.0, heights[-1], 0.0)]
    faces = []
    for ring in range(rings - 1):
        for i in range(sides):
            a, b = ring * sides + i, ring * sides + (i + 1) % sides
            faces += [(a, a + sides, b + sides), (a, b + sides, b)]
    low, high = len(points) - 2, len(points) - 1
    last = (rings - 1) * sides
    for i in range(sides):
        j = (i + 1) % sides
        faces += [(low, i, j), (high, last + j, last + i)]
    world = np.array(points)
    weights = {name: np.zeros(len(world)) for name in NAMES}
    for row, y in enumerate(world[:, 1]):
        if k > 0:
            weights[NAMES[k - 1]][row] = 1.0 - _share(y - k * LENGTH)
        if k < 2:
            weights[NAMES[k + 1]][row] = _share(y - (k + 1) * LENGTH)
    inverse = np.linalg.inv(bind[k])
    local = world @ inverse[:3, :3].T + inverse[:3, 3]
    return Mesh(local, np.array(faces), (), tuple(weights.items()))


def tube(
    sides: int = 16, rings: int = 9, scale: tuple[float, float, float] = (1.0, 1.0, 1.0), radius: float = RADIUS
) -> Skeleton:
    """The tube, upright in its bind pose, 1.2 m high.

    Args:
        sides: Corners of a ring.
        rings: Rings of a segment; the last of one lies where the first of the next does.
        scale: Of the middle joint and all above it.
        radius: In the bind pose, [m].
    """

    def joints(meshes: list[Mesh | None]) -> list[Joint]:
        made = []
        for k, (name, mesh) in enumerate(zip(NAMES, meshes, strict=True)):
            objects = () if mesh is None else (SegmentObject(f"tube/{name}.pol", mesh),)
            offset = [0.0, LENGTH if k else 0.0, 0.0]
            if k == 2:
                offset = [0.0, LENGTH / scale[1], 0.0]
            made.append(
                Joint(
                    name, k - 1, offset=np.array(offset), dofs=(hinge("z"), hinge("x")), objects=objects, mass=1.0,
                    scale=np.array(scale if k == 1 else (1.0, 1.0, 1.0)),
                )
            )  # fmt: skip
        return made

    bare = Skeleton("bare", joints([None] * 3))
    bind = frames_at(bare, np.zeros(bare.n_dofs))
    return Skeleton("tube", joints([_segment(k, bind, sides, rings, radius) for k in range(3)]))


def arms(weighted: bool = True) -> Skeleton:
    """A body with an arm on each side, the left made from the right one's mesh by reflection."""
    box = np.array([[x, y, z] for x in (-0.4, 0.0) for y in (-0.05, 0.05) for z in (-0.05, 0.05)])
    faces = np.array(
        [
            *[(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1)],
            *[(2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)],
        ]
    )
    weights = (
        ("body", np.where(box[:, 0] == 0.0, 0.25, 0.0)),
        ("right hand", np.where(box[:, 0] < 0.0, 0.5, 0.0)),
    )
    mesh = Mesh(box, faces, (), weights if weighted else ())
    joints = [Joint("body", -1, dofs=(hinge("y"),))]
    for name, parent, x, objects in (
        ("right arm", 0, -0.1, (SegmentObject("arm.pol", mesh),)),
        ("right hand", 1, -0.4, ()),
    ):
        other = name.replace("right", "left")
        joints.append(
            Joint(name, parent, offset=np.array([x, 0.0, 0.0]), dofs=(hinge("z"),), objects=objects, mirror=other)
        )
    joints.append(reflect_joint(joints[1], "left arm", 0))
    joints.append(reflect_joint(joints[2], "left hand", 3))
    return Skeleton("arms", joints)
