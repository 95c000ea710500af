"""What inverse kinematics is asked for: where a point or a frame of the figure should go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.arrays import Array
from core.checked_arrays import LARGEST, check_rotation, checked_array
from core.errors import GoalError

__all__ = ["LARGEST", "Goal", "finite"]


_ORIGIN = np.zeros(3)
_ORIGIN.setflags(write=False)


def finite(value: Any, shape: tuple[int, ...], what: str) -> Array:
    """Return ``value`` as a new float64 array of ``shape``.

    Raises:
        GoalError: If it has another shape, or holds NaN, infinity or a number beyond ``LARGEST``; names ``what``.
    """
    return checked_array(value, shape, what, GoalError)


@dataclass(frozen=True, eq=False)
class Goal:
    """Where a point of a joint, or a joint's frame, should go.

    Attributes:
        joint: Index or name of the joint.
        point: The end-effector in the joint's frame, shape (3,), [m].
        position: Where it should be, world, shape (3,), [m]; None leaves it free.
        rotation: Rotation ``R_WJ`` the joint's frame should have, shape (3, 3); None leaves it free.
        weight: Importance beside other goals, >= 0; 0 ignores the goal. A pair weighs position and rotation apart,
            Welman's w_p and w_o of eq. 4.18.

    Raises:
        GoalError: If a number is NaN, infinite or absurd, ``rotation`` is not a rotation, or both targets are None.
    """

    joint: int | str
    point: Any = (0.0, 0.0, 0.0)
    position: Any = None
    rotation: Any = None
    weight: float | tuple[float, float] = 1.0

    def __post_init__(self) -> None:
        where = f'goal for joint "{self.joint}"'
        object.__setattr__(self, "point", finite(self.point, (3,), f"{where}: point"))
        if self.position is None and self.rotation is None:
            raise GoalError(f"{where} has neither a position nor a rotation; at least one is needed")
        if self.position is not None:
            object.__setattr__(self, "position", finite(self.position, (3,), f"{where}: position"))
        if self.rotation is not None:
            rotation = finite(self.rotation, (3, 3), f"{where}: rotation")
            check_rotation(rotation, f"{where}: rotation", GoalError)
            object.__setattr__(self, "rotation", rotation)
        object.__setattr__(self, "weight", _weight(self.weight, where))

    @classmethod
    def at_frame(
        cls, joint: int, rotation: Array, position: Array | None = None, weight: float | tuple[float, float] = 1.0
    ) -> Goal:
        """Return a goal at a frame that forward kinematics gave: nothing is checked, which takes longer than solving.

        Args:
            joint: Index of the joint.
            rotation: Rotation, shape (3, 3).
            position: Place, shape (3,), [m]; None leaves it free.
            weight: As in the class.
        """
        goal = object.__new__(cls)
        goal.__dict__.update(joint=joint, point=_ORIGIN, position=position, rotation=rotation, weight=weight)
        return goal

    @property
    def weights(self) -> tuple[float, float]:
        """Weights of the position and of the rotation."""
        return self.weight if isinstance(self.weight, tuple) else (self.weight, self.weight)


def _weight(value: Any, where: str) -> float | tuple[float, float]:
    pair = isinstance(value, (tuple, list)) or (isinstance(value, np.ndarray) and value.ndim > 0)
    numbers = finite(value, (2,) if pair else (), f"{where}: weight")
    if numbers.min() < 0.0:
        raise GoalError(f"{where}: weight is {value}; it must be 0 or more")
    return (float(numbers[0]), float(numbers[1])) if pair else float(numbers)
