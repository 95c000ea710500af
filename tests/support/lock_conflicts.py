"""Twelve locks with a conflict planted among them, of several kinds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from core.constraints import Lock, bind
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton, clamp_pose
from tests.support.lock_figures import person60, standing

KINDS = ("two places", "too far apart", "plane", "limit", "distance", "three", "reach")
"""What is planted, in turn."""


def background(s: Skeleton, q: np.ndarray) -> list[Lock]:
    """Return twelve locks that hold in ``q``."""
    frames = forward_kinematics(s, q)

    def plane(name: str, axis: int) -> Lock:
        normal = np.eye(3)[axis]
        return Lock(name, "plane", target=(*normal, float(normal @ frames[s.joint_index(name), :3, 3])))

    locks = [
        Lock("left foot", "pose"),
        Lock("right foot", "position"),
        Lock("left hand", "position"),
        Lock("right hand", "position"),
        Lock("head", "orientation"),
        Lock("pelvis", "orientation", axes=(False, True, False)),
        plane("left shank", 2),
        plane("right shank", 2),
        plane("left forearm", 0),
        plane("chest", 2),
        Lock("left fingers", "aim", target=(0.0, -1.0, 0.0), other=("left hand", (0.0, -0.2, 0.0))),
        Lock("head", "distance", other=("chest", (0.0, 0.0, 0.0))),
    ]
    locks[10] = Lock("right upper arm", "plane", target=plane("right upper arm", 1).target)
    return [bind(lock, s, q) for lock in locks]


def planted(seed: int, s: Skeleton) -> tuple[np.ndarray, list[Lock]]:
    """Return a pose and twelve locks, one or more of them turned so that not all can be held."""
    rng = np.random.default_rng([seed, 11])
    q = standing(s)
    q[3:] += rng.normal(0.0, 0.08, s.n_dofs)
    q[:3] += rng.normal(0.0, 0.05, 3)
    q = clamp_pose(s, q)
    frames = forward_kinematics(s, q)
    locks = background(s, q)
    kind = KINDS[seed % len(KINDS)]
    place = {
        name: frames[s.joint_index(name), :3, 3] for name in ("left hand", "right hand", "left foot", "right foot")
    }

    def direction() -> np.ndarray:
        offset = rng.normal(size=3)
        return offset / np.linalg.norm(offset)

    if kind == "two places":
        locks[10] = Lock("left hand", "position", target=place["left hand"] + rng.uniform(0.05, 0.3) * direction())
    elif kind == "too far apart":
        # Two arms and what is between the shoulders span less than two metres.
        offset = rng.uniform(2.6, 3.5) * np.array([1.0, 0.2, 0.2]) / np.linalg.norm([1.0, 0.2, 0.2])
        locks[3] = replace(locks[3], target=place["left hand"] - offset)
    elif kind == "plane":
        height = float(place["right foot"][1] + rng.uniform(0.1, 0.4))
        locks[10] = Lock("right foot", "plane", target=(0.0, 1.0, 0.0, height))
    elif kind == "limit":
        # The toes are bent further back than they go, on a foot that keeps its rotation.
        bent = q.copy()
        k = s.dof_names.index("left toes.x")
        bent[3 + k] = s.limits[k, 1] + rng.uniform(0.2, 0.9)
        turned = forward_kinematics(s, bent)[s.joint_index("left toes"), :3, :3]
        locks[10] = Lock("left toes", "orientation", target=turned)
    elif kind == "distance":
        apart = float(np.linalg.norm(place["left hand"] - place["left foot"]))
        locks[10] = Lock("left hand", "distance", target=apart + rng.uniform(0.1, 0.5), other=("left foot", (0, 0, 0)))
    elif kind == "three":
        # Two planes and a line of sight leave the hand no place: each pair can be held.
        locks[2] = Lock("left hand", "plane", target=(1.0, 0.0, 0.0, float(place["left hand"][0])))
        locks[8] = Lock("left hand", "plane", target=(0.0, 1.0, 0.0, float(place["left hand"][1])))
        normal = np.array([1.0, 1.0, 0.0]) / np.sqrt(2.0)
        away = rng.uniform(0.1, 0.3)
        locks[10] = Lock("left hand", "plane", target=(*normal, float(normal @ place["left hand"]) + away))
    else:
        locks[2] = replace(locks[2], target=place["left foot"] + np.array([0.0, rng.uniform(2.6, 3.2), 0.0]))
    return q, [bind(lock, s, q) for lock in locks]


def cases(count: int, s: Skeleton | None = None) -> Iterator[tuple[Skeleton, np.ndarray, list[Lock]]]:
    """Yield figures, poses and twelve locks each that cannot all be held."""
    figure = person60() if s is None else s
    for seed in range(count):
        q, locks = planted(seed, figure)
        yield figure, q, locks
