"""Random figures with bodies: masses, objects, skins, tips, scales, and a way to compare where they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.kinematics import forward_kinematics
from core.skeleton import Dof, Joint, Mesh, SegmentObject, Skeleton
from core.skeleton.scr.writer import depth_first_order
from core.skeleton.skin import skinned_vertices
from tests.support.figures import box_mesh, random_figure


def weighted(mesh: Mesh, names: list[str], rng: np.random.Generator) -> Mesh:
    """The mesh following up to three joints."""
    count = len(mesh.vertices)
    chosen = rng.choice(names, size=min(len(names), int(rng.integers(1, 4))), replace=False)
    weights = tuple((str(name), rng.uniform(0.0, 1.0 / len(chosen), count)) for name in chosen)
    return Mesh(mesh.vertices, mesh.triangles, mesh.polygons, weights)


def random_body(
    seed: int, joints: int = 12, scaled: bool = False, root: int | None = None, ordered: bool = True
) -> Skeleton:
    """A random tree whose joints carry bodies of all kinds.

    Args:
        seed: For everything random.
        joints: How many.
        scaled: Whether some joints scale what they carry, alike in all directions.
        root: Number of the root's degrees of freedom; None leaves it to chance.
        ordered: Whether the joints stand as a .scr file lists them.
    """
    rng = np.random.default_rng([seed, 77])
    base = random_figure(seed, joints)
    names = list(base.joint_names)
    made: list[Joint] = []
    for i, joint in enumerate(base.joints):
        fields: dict[str, object] = {}
        kind = int(rng.integers(0, 5))
        if kind in (1, 2):
            low = rng.uniform(-0.2, 0.0, 3)
            mesh = box_mesh(tuple(low), tuple(low + rng.uniform(0.05, 0.3, 3)))
            if kind == 2:
                mesh = weighted(mesh, [name for name in names if name != joint.name], rng)
            fields["objects"] = (SegmentObject(f"body/{i}.pol", mesh),)
        if kind in (1, 3):
            fields["mass"] = float(rng.uniform(0.1, 2.0))
        if kind == 4:
            spread = rng.uniform(0.5, 1.0, 3)
            turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            fields |= {"mass": 1.0, "center": rng.normal(size=3) * 0.1, "inertia": turn @ np.diag(spread) @ turn.T}
        if rng.random() < 0.3:
            fields["tips"] = tuple(rng.normal(size=(int(rng.integers(1, 3)), 3)) * 0.2)
        if scaled and rng.random() < 0.5:
            fields["scale"] = np.full(3, rng.uniform(0.5, 2.0))
        if i == 0 and root is not None:
            fields["dofs"] = tuple(random_dof(rng) for _ in range(root))
            fields["dof_labels"] = ()
        made.append(replace(joint.as_given(), **fields))
    if not ordered:
        return Skeleton(f"body {seed}", made)
    order = depth_first_order(Skeleton("", made))
    numbers = {-1: -1, **{old: new for new, old in enumerate(order)}}
    return Skeleton(f"body {seed}", [replace(made[i], parent=numbers[made[i].parent]) for i in order])


def random_dof(rng: np.random.Generator) -> Dof:
    axis = rng.normal(size=3) if rng.random() < 0.4 else np.eye(3)[rng.integers(3)] * rng.choice([-1, 1])
    kind = "slide" if rng.random() < 0.2 else "hinge"
    return Dof(kind, axis / np.linalg.norm(axis), -np.inf, np.inf)


def world(s: Skeleton, q: np.ndarray, name: str, frames: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """Where a joint's segment is in the world: its centre, inertia, tips and vertices."""
    poses = forward_kinematics(s, q) if frames is None else frames
    i = s.joint_index(name)
    joint, F = s.joints[i], poses[i]
    linear = F[:3, :3]
    return {
        "mass": np.array(joint.mass),
        "center": linear @ joint.center + F[:3, 3],
        "inertia": linear @ joint.inertia @ linear.T,
        "tips": np.array(joint.tips).reshape(-1, 3) @ linear.T + F[:3, 3],
        "vertices": skinned_vertices(s, i, poses),
    }
