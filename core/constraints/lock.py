"""A lock: something about a part of a figure that is to stay as it is (Welman 1993, chapter 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.checks import flags, joint_name, number, numbers
from core.constraints.kinds import KINDS, find_kind
from core.constraints.kinds.base import Kind
from core.errors import LockError

__all__ = ["KINDS", "Lock"]


@dataclass(frozen=True, eq=False)
class Lock:
    """Something about a part of a figure that is to stay as it is. Immutable; ``dataclasses.replace`` makes new ones.

    Targets by kind: ``"position"`` (3,); ``"orientation"`` ``R_WJ`` (3, 3); ``"pose"`` ``X_WJ`` (4, 4), the place of
    ``point`` and the rotation, or a pair (position, rotation); ``"plane"`` (4,) with ``n . x = d``; ``"line"`` (2, 3),
    a point and a direction; ``"path"`` (n, 3), the points it goes through; ``"look_at"`` (2, 3), a place and the axis
    in the part's frame that points there;
    ``"point_pair"`` the offset of the point from the other one in world axes (3,), None for
    none; ``"carry"`` the pose of the part in the second part's frame (4, 4), places counted from the second point;
    ``"distance"`` a float; ``"aim"`` the axis in the part's frame that points at the other point (3,);
    ``"balance"`` how far inside the support polygon the centre of mass stays, a float. All in world axes and metres
    unless said. None means where the part stands when the lock is used; ``bind`` fills it in.

    Attributes:
        joint: Index or name of the joint; for ``"balance"`` any.
        kind: Name of one of ``KINDS``.
        point: Point in the joint's frame, shape (3,), [m].
        target: What is held, see above; read-only.
        other: Second part, ``(joint, point)``, or ``(figure, joint, point)`` for one of another figure; for
            ``"balance"`` the joints of the parts that bear the figure, None for those that other locks hold near the
            ground.
        weight: 1 holds it hard, less softly, 0 not at all. ``"pose"`` and ``"carry"`` take a pair for position and
            orientation.
        axes: Three bools: coordinates held of a position; axes to align of an orientation or a pose (one aligns that
            axis and leaves the turn about it free; two fix all). None is all three.
        joints: Joints that may help to hold it, names or indices; None is all.
        mutual: Whether the other figure that it names gives way to it as well; else that one leads and this one
            follows. Only for kinds with a second part, and equations.

    Raises:
        LockError: If anything of it makes no sense; names the lock, the place, the value, and what would be right.

    Source: Welman (1993) section 5.3.3; ``C = h - R`` instead of its square, whose Jacobian vanishes where it holds.
    """

    joint: int | str
    kind: str
    point: Any = (0.0, 0.0, 0.0)
    target: Any = None
    other: Any = None
    weight: Any = 1.0
    axes: Any = None
    joints: Any = None
    mutual: bool = False

    def __post_init__(self) -> None:
        kind = find_kind(self.kind, f'lock of joint "{self.joint}"')
        put = object.__setattr__
        put(self, "joint", joint_name(self.joint, f"{kind.name} lock: joint"))
        where = f'{kind.name} lock of joint "{self.joint}"'
        put(self, "point", numbers(self.point, (3,), f"{where}: point"))
        put(self, "other", kind.checked_other(self.other, where))
        put(self, "weight", _weight(self.weight, kind, where))
        if self.axes is not None:
            if not kind.takes_axes:
                raise LockError(f"{where}: axes are {self.axes!r}; this kind takes none")
            put(self, "axes", flags(self.axes, f"{where}: axes"))
        if self.target is not None:
            put(self, "target", kind.checked_target(self.target, f"{where}: target"))
        if self.joints is not None:
            put(self, "joints", _joints(self.joints, where))
        if not isinstance(self.mutual, bool):
            raise LockError(f"{where}: mutual is {self.mutual!r}; it must be true or false")
        if self.mutual and not (kind.takes_other or kind.takes_mutual):
            raise LockError(f"{where}: mutual is true; this kind has no second part that could give way")

    @property
    def rule(self) -> Kind:
        """The kind, as the object that knows its rules."""
        return find_kind(self.kind)

    @property
    def bound(self) -> bool:
        """Whether it says what it holds; else it means where the part stands when it is used."""
        return self.target is not None or not self.rule.needs_target

    @property
    def weights(self) -> tuple[float, float]:
        """Weights of its position and of its orientation."""
        return self.weight if isinstance(self.weight, tuple) else (self.weight, self.weight)

    @property
    def hard(self) -> bool:
        """Whether all of it is held exactly."""
        return min(self.weights) >= 1.0

    @property
    def second(self) -> tuple[str | None, int | str, Array] | None:
        """The second part as (figure or None, joint, point), or None if it has none."""
        if self.other is None or not self.rule.takes_other:
            return None
        return (None, *self.other) if len(self.other) == 2 else self.other

    @property
    def figures(self) -> tuple[str, ...]:
        """Names of the other figures that it names, each once."""
        second = self.second
        if second is not None:
            return () if second[0] is None else (second[0],)
        return self.rule.figures_in(self.target) if self.target is not None else ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Lock):
            return NotImplemented
        return lock_value(self) == lock_value(other)

    def __hash__(self) -> int:
        return hash((self.joint, self.kind, self.weight, self.axes, self.joints))


def lock_value(lock: Lock) -> tuple[Any, ...]:
    """Return all that a lock says, as a tuple that equals that of another lock if they say the same."""
    second = lock.other
    if lock.second is not None:
        figure, joint, point = lock.second
        second = (figure, joint, point.tobytes())
    target = lock.target.tobytes() if isinstance(lock.target, np.ndarray) else lock.target
    return (
        lock.joint,
        lock.kind,
        lock.point.tobytes(),
        target,
        second,
        lock.weight,
        lock.axes,
        lock.joints,
        lock.mutual,
    )


def _weight(value: Any, kind: Kind, where: str) -> float | tuple[float, float]:
    pair = isinstance(value, (tuple, list)) or (isinstance(value, np.ndarray) and value.ndim > 0)
    if pair and not kind.takes_pair:
        raise LockError(
            f"{where}: weight is {value!r}; a pair is for pose locks and carry, here it is one number from 0 to 1"
        )
    given = numbers(value, (2,), f"{where}: weight").tolist() if pair else [number(value, f"{where}: weight")]
    if not 0.0 <= min(given) <= max(given) <= 1.0:
        raise LockError(f"{where}: weight is {value!r}; it must lie in 0..1")
    return (given[0], given[1]) if pair else given[0]


def _joints(value: Any, where: str) -> tuple[int | str, ...]:
    if isinstance(value, (str, int)):
        value = (value,)
    try:
        given = tuple(value)
    except TypeError:
        raise LockError(f"{where}: joints is {value!r}; it must be names or indices of joints, or None") from None
    if not given:
        raise LockError(f"{where}: joints is empty; at least one must help, or None for all")
    return tuple(joint_name(joint, f"{where}: one of joints") for joint in given)
