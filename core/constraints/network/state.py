"""The global state vector: poses of one or several figures, one after another."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.hold.mobility import mobility, pose_units
from core.constraints.network.block import Block
from core.constraints.network.jacobian import Ints
from core.errors import LockError
from core.kinematics.forward import forward_kinematics
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import pack


class FigureState:
    """One figure's part of the state (Welman 1993, 5.3.1).

    Attributes:
        skeleton: The figure.
        name: What constraints call it.
        first: Number of its first element in the global state.
        mobility: Diagonal of its scaling matrix K, ``w / (w_i d_i)`` of eqs. 4.10, 4.11, shape (nq,); may be changed.
        lower: Least pose, shape (nq,); -inf where there is no limit.
        upper: Largest pose, shape (nq,).
    """

    def __init__(self, skeleton: Skeleton, q: Any, name: str, first: int):
        self.skeleton, self.name, self.first = skeleton, name, first
        tree = pack(skeleton)
        self.mobility: Array = mobility(skeleton) * pose_units(skeleton) ** 2
        self.lower: Array = np.concatenate([np.full(3, -np.inf), tree.lower])
        self.upper: Array = np.concatenate([np.full(3, np.inf), tree.upper])
        self._q: Array = skeleton.check_pose(q).copy()
        self._frames: Array | None = None
        self._users: list[list[Block]] = [[] for _ in range(skeleton.nq)]

    @property
    def q(self) -> Array:
        """The pose, shape (nq,); a copy."""
        return self._q.copy()

    @property
    def elements(self) -> slice:
        """Where the pose stands in the global state."""
        return slice(self.first, self.first + self.skeleton.nq)

    @property
    def frames(self) -> Array:
        """World frames of all joints, shape (n, 4, 4); kept until the pose changes."""
        if self._frames is None:
            self._frames = forward_kinematics(self.skeleton, self._q)
        return self._frames

    def set(self, q: Any) -> None:
        """Take a new pose; handles on elements that change drop what they keep, and so does all above them.

        Raises:
            PoseError: If it does not fit the figure.
        """
        pose = self.skeleton.check_pose(q)
        changed = np.flatnonzero(pose != self._q)
        if not len(changed):
            return
        self._q, self._frames = pose.copy(), None
        for element in changed:
            for handle in self._users[element]:
                handle.disable_cache()

    def connect(self, handle: Block, elements: Ints) -> None:
        """Let a handle know when one of these elements of the pose changes."""
        for element in elements:
            self._users[element].append(handle)

    def disconnect(self, handle: Block) -> None:
        """Take a handle off all elements."""
        for users in self._users:
            if handle in users:
                users.remove(handle)


class State:
    """Poses of several figures as one vector.

    Attributes:
        figures: By name, in the order they were added.
    """

    def __init__(self) -> None:
        self.figures: dict[str, FigureState] = {}

    def add(self, skeleton: Skeleton, q: Any, name: str | None = None) -> FigureState:
        """Append a figure.

        Raises:
            LockError: If there is one of that name.
            PoseError: If the pose does not fit it.
        """
        name = skeleton.name if name is None else name
        if name in self.figures:
            raise LockError(f'figure "{name}" is in the network already; names must differ')
        figure = FigureState(skeleton, q, name, self.size)
        self.figures[name] = figure
        return figure

    @property
    def size(self) -> int:
        """Number of all elements."""
        return sum(figure.skeleton.nq for figure in self.figures.values())

    @property
    def vector(self) -> Array:
        """All poses, shape (size,); a new array. Setting it sets every figure's."""
        return self._joined("q")

    @vector.setter
    def vector(self, values: Array) -> None:
        for figure in self.figures.values():
            figure.set(values[figure.elements])

    @property
    def mobility(self) -> Array:
        """Diagonal of K, shape (size,); new."""
        return self._joined("mobility")

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Least and largest values, shape (size,) each; new."""
        return self._joined("lower"), self._joined("upper")

    def _joined(self, name: str) -> Array:
        parts = [getattr(figure, name) for figure in self.figures.values()]
        return np.concatenate(parts) if parts else np.zeros(0)
