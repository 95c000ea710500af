"""What every kind of lock knows about itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from core.arrays import Array
from core.constraints.checks import joint_name, numbers
from core.constraints.lock_terms import LockTerms
from core.constraints.network import Constraint, Network
from core.constraints.network.options import Options
from core.constraints.places import Places
from core.constraints.primitives import Primitive
from core.errors import LockError
from core.skeleton.mirroring.mirror import reflect_vector

_MIRROR = np.diag([-1.0, 1.0, 1.0])


class Deviation(NamedTuple):
    """How far a part is from where a lock wants it, in world axes.

    Attributes:
        position: From the nearest place it may have to where it is, shape (3,), [m]; None if the lock holds no place.
        rotation: Rotation vector from the nearest orientation it may have to the one it has, shape (3,), [rad]; None
            if the lock holds no orientation.
    """

    position: Array | None
    rotation: Array | None


class Kind:
    """The rules of one kind of lock.

    Attributes:
        name: What ``Lock.kind`` says.
        title: What menus show.
        description: One sentence for tooltips.
        target_shape: Shape of its target; () for a number.
        takes_other: Whether it has a second part.
        takes_axes: Whether ``axes`` mean something.
        takes_pair: Whether position and orientation are weighed apart.
        needs_target: Whether it must be bound to a pose before it holds one.
        holds_position: Whether its deviation has a position.
        holds_orientation: Whether its deviation has a rotation.
    """

    name = ""
    title = ""
    description = ""
    target_shape: tuple[int, ...] = (3,)
    takes_other = False
    takes_axes = False
    takes_pair = False
    needs_target = True
    holds_position = True
    holds_orientation = False

    # -- checks --------------------------------------------------------------------------------------------------

    def checked_target(self, value: Any, what: str) -> Any:
        """Return a target as it is kept: a read-only array or a float.

        Raises:
            LockError: If it is none; names ``what``.
        """
        return numbers(value, self.target_shape, what)

    def checked_other(self, value: Any, where: str) -> Any:
        """Return the second part as it is kept: ``(joint, point)``, ``(figure, joint, point)`` or None.

        Raises:
            LockError: If it is missing, or there should be none.
        """
        if not self.takes_other:
            if value is not None:
                raise LockError(f"{where}: other is {value!r}; this kind has no second part")
            return None
        wanted = "it must be (joint, point) or (figure, joint, point)"
        if value is None:
            raise LockError(f"{where}: other is missing; {wanted}")
        if not isinstance(value, (tuple, list)) or len(value) not in (2, 3):
            raise LockError(f"{where}: other is {value!r}; {wanted}")
        joint = joint_name(value[-2], f"{where}: joint of other")
        point = numbers(value[-1], (3,), f"{where}: point of other")
        if len(value) == 2:
            return joint, point
        if value[0] is None:
            return joint, point
        if not isinstance(value[0], str):
            raise LockError(f"{where}: figure of other is {value[0]!r}; it must be a figure's name")
        return value[0], joint, point

    # -- what a kind says of itself ------------------------------------------------------------------------------

    def target_at(self, lock: LockTerms, places: Places) -> Any:
        """Return the target that says where the part stands now."""
        raise NotImplementedError

    def primitives(self, lock: LockTerms) -> tuple[Primitive, ...]:
        """Return the rows a bound lock is made of."""
        raise NotImplementedError

    def blocks(self, lock: LockTerms, network: Network, options: Options) -> tuple[Constraint, ...]:
        """Return function blocks that do the same as the rows, wired to handles of the network's first figure.

        Args:
            lock: A bound lock.
            network: Where the handles come from; the caller adds the blocks to it.
            options: ``options(weight)`` gives the keywords of every block; other parts and locks are there too.
        """
        raise NotImplementedError

    def deviation(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms] = ()) -> Deviation:
        """Return how far the part is from where a bound lock wants it.

        Args:
            lock: The lock.
            places: Where the figures are.
            locks: All locks that hold at the same time, for kinds that look at others.
        """
        raise NotImplementedError

    def mirrored_target(self, target: Any) -> Any:
        """Return a target reflected in x = 0."""
        return reflect_vector(target)

    def moved_target(self, target: Any, motion: Array) -> Any:
        """Return a target carried along by a rigid motion of the world, shape (4, 4)."""
        return target

    def reframed_target(self, target: Any, frame: Array) -> Any:
        """Return a target for the same part expressed in another frame of its own.

        Args:
            target: The target.
            frame: The part's old frame in its new one, shape (4, 4).
        """
        return target

    def place(self, target: Any) -> Array | None:
        """Return the point of the world that a target is drawn at, shape (3,), [m]; None if it has none."""
        return None


def moved_point(motion: Array, point: Array) -> Array:
    """Return a point carried along by a rigid motion, shape (3,)."""
    return motion[:3, :3] @ point + motion[:3, 3]


def mirrored_rotation(rotation: Array) -> Array:
    """Return ``M R M``, the reflection of a rotation in x = 0, shape (3, 3)."""
    return _MIRROR @ rotation @ _MIRROR + 0.0
