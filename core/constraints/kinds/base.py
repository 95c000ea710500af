"""What every kind of lock knows about itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.arrays import Array
from core.constraints.checks import joint_name, numbers
from core.constraints.joined_locks import center_below
from core.constraints.kinds.target_parts import PLACE, ROTATION, TargetPart
from core.constraints.lock_terms import LockTerms
from core.constraints.places import Places
from core.constraints.residuals import CENTER, ORIENTATION, OTHER_POINT, POINT, POSE, Residual
from core.errors import LockError
from core.skeleton.mirroring.mirror import reflect_vector
from core.skeleton.skeleton import Skeleton
from core.spatial import so3

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
        takes_mutual: Whether another figure that its target names may give way to it; one of a second part may always.
        takes_pair: Whether position and orientation are weighed apart.
        needs_target: Whether it must be bound to a pose before it holds one.
        holds_position: Whether its deviation has a position.
        holds_orientation: Whether its deviation has a rotation.
        of_figure: Whether it is about the whole figure, and its joint means nothing.
        parts: What its target is made of; () if it can be neither keyed nor typed.
        importance: How late it gives way in a conflict.
        short: Title where there is little room; the title if empty.
        held: What it holds, in a sentence; ``{part}`` and ``{other}`` are names; if empty the part, or the title of
            the part.
        missed: What its part fails to do, after the part's name.
        menu: Text of its action; "Lock" and the title if empty.
        prompt: What to do before the action can be done, if it is not clear.
        done: What the status line says once it is made.
        words: How scripts call it, one way or another; its name with blanks if empty.
        toward: The word before the second part in scripts.
        by_points: Whether its target is a list of points, which scripts give one by one or by the name of a path.
        by_equation: Whether its target is a text of equations, which scripts write in the place of a part and a kind.
    """

    name = ""
    title = ""
    description = ""
    target_shape: tuple[int, ...] = (3,)
    takes_other = False
    takes_axes = False
    takes_mutual = False
    takes_pair = False
    needs_target = True
    holds_position = True
    holds_orientation = False
    of_figure = False
    parts: tuple[TargetPart, ...] = ()
    importance = 2
    short = ""
    held = ""
    missed = "cannot be held"
    menu = ""
    prompt = ""
    done = ""
    words: tuple[str, ...] = ()
    toward = "to"
    by_points = False
    by_equation = False

    @property
    def script_words(self) -> tuple[str, ...]:
        """How scripts call it; the first is what they are written with."""
        return self.words or (self.name.replace("_", " "),)

    @property
    def pose_dependent(self) -> bool:
        """Whether its residuals depend on the pose in which they were made."""
        return type(self).residuals_at is not Kind.residuals_at

    @property
    def keyed(self) -> bool:
        """Whether its target may be keyed over time."""
        return bool(self.parts) and not self.of_figure

    @property
    def travels(self) -> bool:
        """Whether its target has a place, which goes along a path where it is keyed."""
        return any(part.form == PLACE for part in self.parts)

    # -- words ---------------------------------------------------------------------------------------------------

    def held_text(self, part: str, other: str = "") -> str:
        """Return what such a lock holds: ``"left foot"``, ``"orientation of head"``."""
        text = self.held or ("{part}" if self.holds_position else f"{self.title.lower()} of {{part}}")
        return text.format(part=part, other=other)

    def menu_text(self) -> str:
        """Return the text of the action that makes such a lock."""
        return self.menu or f"Lock {self.title.lower()}"

    def prompt_text(self) -> str:
        """Return what to select first."""
        return self.prompt or ("Select two parts" if self.takes_other else "Select a part to lock first")

    def done_text(self, part: str, other: str = "") -> str:
        """Return what has been locked: ``"left foot locked in position"``."""
        if self.done:
            return self.done.format(part=part, other=other)
        if self.takes_other:
            return f"{self.title.lower()} of {part} and {other} locked"
        return f"{part} locked in {self.title.lower()}"

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

    def residuals(self, lock: LockTerms) -> tuple[Residual, ...]:
        """Return what is zero where a bound lock holds; all solvers go by it."""
        return ()

    def residuals_at(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms]) -> tuple[Residual, ...]:
        """Return the same for kinds that look at the pose and at other locks.

        Args:
            lock: A bound lock.
            places: Where the figures are.
            locks: All locks that hold at the same time, bound.
        """
        return self.residuals(lock)

    def deviation(self, lock: LockTerms, places: Places, locks: Sequence[LockTerms] = ()) -> Deviation:
        """Return how far the part is from where a bound lock wants it: back the shortest way its residuals ask for.

        Args:
            lock: The lock.
            places: Where the figures are.
            locks: All locks that hold at the same time, for kinds that look at others.
        """
        found: list[Array | None] = [None, None]
        for residual in self.residuals_at(lock, places, locks):
            away = -residual.missing(*arguments(residual, lock, places))
            known = found[residual.angular]
            found[residual.angular] = away if known is None else known + away
        return Deviation(*found)

    def mirrored_target(self, target: Any) -> Any:
        """Return a target reflected in x = 0."""
        return reflect_vector(target)

    def mirrored_in(self, target: Any, s: Skeleton) -> Any:
        """Return a target reflected in x = 0, for the other side of a figure; most need not know the figure."""
        return self.mirrored_target(target)

    def moved_target(self, target: Any, motion: Array) -> Any:
        """Return a target carried along by a rigid motion of the world, shape (4, 4)."""
        return target

    def away(self, lock: LockTerms, places: Places) -> Array:
        """Return how far a part is from where a bound lock wants it, as ``eased_target`` takes it, shape (6,)."""
        deviation, offset = self.deviation(lock, places), np.zeros(6)
        if deviation.position is not None:
            offset[:3] = deviation.position
        if deviation.rotation is not None:
            offset[3:] = deviation.rotation
        return offset

    def eased_target(self, target: Any, offset: Array) -> Any:
        """Return the target that lies an offset from another, shape (6,): way [m] and rotation vector [rad], world.

        An ease takes a target from where the part is, ``away``, to where it is wanted, 0: half of the offset is half of
        the way.
        """
        motion = np.eye(4)
        motion[:3, :3], motion[:3, 3] = so3.exp(offset[3:]), offset[:3]
        return self.moved_target(target, motion)

    def offset_between(self, a: Any, b: Any) -> Array:
        """Return how far a target has moved from ``a`` to ``b``, shape (6,), as ``eased_target`` takes it."""
        offset = np.zeros(6)
        for part in self.parts:
            if part.form == PLACE:
                offset[:3] = part.of(b) - part.of(a)
            elif part.form == ROTATION:
                offset[3:] = so3.log(part.of(b) @ part.of(a).T)
        return offset

    def reframed_target(self, target: Any, frame: Array) -> Any:
        """Return a target for the same part expressed in another frame of its own.

        Args:
            target: The target.
            frame: The part's old frame in its new one, shape (4, 4).
        """
        return target

    def renamed_target(self, target: Any, name: Callable[[str], str | None]) -> Any:
        """Return a target in which joints have other names, None if one of them is gone; most name none.

        Args:
            target: The target.
            name: Gives the new name of a joint, None if it is gone.
        """
        return target

    def parts_in(self, target: Any) -> tuple[tuple[str | None, str], ...]:
        """Return the joints that a target names, each once, with the figure if it is another one; most name none."""
        return ()

    def joints_in(self, target: Any) -> tuple[str, ...]:
        """Return the joints of the figure itself that a target names, each once."""
        return tuple(joint for figure, joint in self.parts_in(target) if figure is None)

    def figures_in(self, target: Any) -> tuple[str, ...]:
        """Return the other figures that a target names, each once; most name none."""
        return ()

    def joined_target(self, target: Any, inner: Callable[[str | None, str], str]) -> Any:
        """Return a target for the figure that several are joined to.

        Args:
            target: The target.
            inner: Gives the name there of a joint of another figure, or of the one that has the lock for None.
        """
        return self.renamed_target(target, lambda joint: inner(None, joint))

    def parted_target(self, target: Any, outer: Callable[[str], tuple[str | None, str]]) -> Any:
        """Return a target of the figure that several are joined to for the one that has the lock.

        Args:
            target: The target.
            outer: Gives figure and joint, as that one names them, for a joint there.
        """
        return target

    def refigured_target(self, target: Any, figure: str, new: str, joint: Callable[[str], str]) -> Any:
        """Return a target in which another figure and its joints have other names; most name none.

        Args:
            target: The target.
            figure: The figure's name in it.
            new: Its name now.
            joint: Gives the names of its joints now.
        """
        return target

    def check_figure(self, target: Any, s: Skeleton) -> None:
        """Check that a figure has all that a target names of it; most name nothing.

        Raises:
            LockError: If it has not.
        """

    def check_others(self, target: Any, others: Callable[[str], Skeleton]) -> None:
        """Check that other figures have all that a target names of them; most name nothing.

        Args:
            target: The target.
            others: Gives other figures by name.

        Raises:
            LockError: If one has not.
        """

    def outlives(self, target: Any, old: Skeleton, new: Skeleton) -> bool:
        """Return whether a target, its joints by their new names, means the same of what became of a figure."""
        return True

    def recarried_target(self, target: Any, frame: Array) -> Any:
        """Return a target for the same second part expressed in another frame of that one's own.

        Args:
            target: The target.
            frame: The second part's old frame in its new one, shape (4, 4).
        """
        return target

    def pointed(self, target: Any) -> Array | None:
        """Return the axis, in the part's frame, that points where a target says, shape (3,); None if none does."""
        return None

    def pointing(self, target: Any, axis: Array) -> Any:
        """Return a target with another axis that points there, shape (3,)."""
        return target

    def place(self, target: Any) -> Array | None:
        """Return the point of the world that a target is drawn at, shape (3,), [m]; None if it has none."""
        found = next((part for part in self.parts if part.form == PLACE and not self.takes_other), None)
        return None if found is None else found.of(target)


def arguments(residual: Residual, lock: LockTerms, places: Places) -> list[Array]:
    """Return what a residual of a lock is a function of, as it is now.

    Raises:
        LockError: If the lock names a joint or a figure that is not there.
    """
    return [_argument(part, lock, places) for part in residual.of]


def _argument(part: str, lock: LockTerms, places: Places) -> Array:
    if part == POINT:
        return places.point(lock.joint, lock.point)
    if part == ORIENTATION:
        return places.rotation(lock.joint)
    if part == CENTER:
        return center_below(places.skeleton, places.q, places.index(lock.joint))
    if part == POSE:
        return places.q
    assert lock.second is not None
    figure, joint, point = lock.second
    return places.point(joint, point, figure) if part == OTHER_POINT else places.rotation(joint, figure)


def moved_point(motion: Array, point: Array) -> Array:
    """Return a point carried along by a rigid motion, shape (3,)."""
    return motion[:3, :3] @ point + motion[:3, 3]


def mirrored_rotation(rotation: Array) -> Array:
    """Return ``M R M``, the reflection of a rotation in x = 0, shape (3, 3)."""
    return _MIRROR @ rotation @ _MIRROR + 0.0
