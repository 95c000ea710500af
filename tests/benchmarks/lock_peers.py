"""Locks in mink: the same figure, its locks as equality constraints of its quadratic programme, solved by DAQP.

A drag is a task; programmes are solved and whole steps taken until locks and drag are as near as asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.constraints import Lock
from core.skeleton import Skeleton
from tests.benchmarks.peers import LARGEST_STEP, mujoco_figure

MOST_STEPS = 60


class MinkLocks:
    """A figure with a free root, some of its parts locked, one dragged.

    Args:
        skeleton: A figure without scales whose root's frame is not turned.
        locks: Bound locks of kind "position" or "pose", at the parts' origins.
        joint: The part that is dragged, by its origin.
    """

    def __init__(self, skeleton: Skeleton, locks: Sequence[Lock], joint: int):
        import mink

        class Place(mink.FrameTask):  # type: ignore[misc, name-defined]
            """The rows of a frame task that are about its place."""

            def compute_error(self, configuration: Any) -> np.ndarray:
                return np.asarray(super().compute_error(configuration)[:3])

            def compute_jacobian(self, configuration: Any) -> np.ndarray:
                return np.asarray(super().compute_jacobian(configuration)[:3])

        self.mink = mink
        spec, _ = mujoco_figure(skeleton, free_root=True)
        self.model = spec.compile()
        self.configuration = mink.Configuration(self.model)
        self.limits = [mink.ConfigurationLimit(self.model)]
        self.bodies = [self.model.body(f"{skeleton.joint_index(lock.joint)}").id for lock in locks]
        self.dragged = self.model.body(f"{joint}").id
        self.task = mink.FrameTask(f"{joint}", "body", position_cost=1.0, orientation_cost=0.0)
        self.locks: list[tuple[Any, np.ndarray, np.ndarray | None]] = []
        for lock in locks:
            name = f"{skeleton.joint_index(lock.joint)}"
            whole = lock.kind == "pose"
            place = np.array(lock.target[:3, 3] if whole else lock.target)
            made = (mink.FrameTask if whole else Place)(name, "body", position_cost=1.0, orientation_cost=1.0)
            self.locks.append((made, place, np.array(lock.target[:3, :3]) if whole else None))

    def _targets(self, target: np.ndarray) -> tuple[float, float]:
        """Set the targets of this step; return the largest error of a lock, [m] or [rad], and that of the drag, [m]."""
        mink, data = self.mink, self.configuration.data
        worst = 0.0
        for (task, place, rotation), body in zip(self.locks, self.bodies, strict=True):
            now = data.xmat[body].reshape(3, 3)
            worst = max(worst, float(np.linalg.norm(place - data.xpos[body])))
            if rotation is not None:
                worst = max(worst, float(np.linalg.norm(rotation - now)) / np.sqrt(2.0))
            # A lock's place is kept without its rotation if that is what it is already.
            wanted = mink.SO3.from_matrix(now if rotation is None else rotation)
            task.set_target(mink.SE3.from_rotation_and_translation(wanted, place))
        now = mink.SO3.from_matrix(data.xmat[self.dragged].reshape(3, 3))
        self.task.set_target(mink.SE3.from_rotation_and_translation(now, target))
        return worst, float(np.linalg.norm(target - data.xpos[self.dragged]))

    def drag(
        self, q: np.ndarray, target: np.ndarray, lock_tolerance: float, tolerance: float
    ) -> tuple[np.ndarray, bool, int]:
        """Return a pose with the locks kept and the part at its target, whether it came to that, and how many steps."""
        configuration = self.configuration
        configuration.update(q)
        constraints = [task for task, _, _ in self.locks]
        for steps in range(MOST_STEPS):
            worst, off = self._targets(target)
            if worst <= lock_tolerance and off <= tolerance:
                return configuration.q.copy(), True, steps
            step = self.mink.solve_ik(
                configuration, [self.task], 1.0, "daqp", damping=1e-6, limits=self.limits, constraints=constraints
            )
            largest = np.abs(step).max()
            configuration.integrate_inplace(step * min(1.0, LARGEST_STEP / largest) if largest else step, 1.0)
        return configuration.q.copy(), False, MOST_STEPS
