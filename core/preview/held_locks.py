"""Locks of sequences as constraints of a simulation: where each wants its part in a step, and how well it holds."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.animation.locks.strip import LockStrip
from core.arrays import Array
from core.constraints.kinds.carry import CARRY
from core.constraints.kinds.point_pair import POINT_PAIR
from core.constraints.lock import Lock
from core.constraints.loop_locks import is_loop_lock
from core.constraints.places import Figures, Places
from core.preview.actor import Actor
from core.preview.sample import LockResidual

Mask = NDArray[np.bool_]

COMES_ON, QUICKEST = 0.2, 1.5
"""How long a lock takes at least to draw its part in, if it begins while forces move it, [s], and how quickly, [m/s] or
[rad/s]."""
LOST, FOUND = 0.006, 0.005
"""How far off a part is, [m] or [rad], whose lock cannot be held, and how near it has to come to be held again: what
asks for more than there is must not tear at a limb that is straight."""
STRAINED = 0.003
"""How far off a part is from which on nothing is asked of it in directions in which it cannot move, [m] or [rad]."""
_NEAR = 1e-3  # m or rad: what is this near when a lock begins is not drawn in slowly


class Wanted(NamedTuple):
    """What a lock wants of its part in a step, in the world.

    Attributes:
        actor: Number of the figure.
        joint: Index of the part.
        lock: The lock, its target as it is at the time.
        rate: Rate of its target: of place [m/s], then of rotation [rad/s], shape (6,).
        stiffness: None if it holds exactly, else how stiff it is beside one that does, 0 to 1.
        name: Which lock of the figure it is.
        strains: Whether its part was off lately: then it is held in those directions only in which it can move.
        later: The lock with its target as it is at the end of the step; None if that stays.
    """

    actor: int
    joint: int
    lock: Lock
    rate: Array
    stiffness: float | None
    name: str | int
    strains: bool
    later: Lock | None = None


@dataclass(frozen=True, eq=False)
class _Begun:
    """A lock that is held in a simulation.

    Attributes:
        offset: How far its part was away when it began, shape (6,).
        frame: When.
        takes: How long it draws its part in, [frames].
    """

    offset: Array
    frame: float
    takes: float


class HeldLocks:
    """The locks of one figure in a simulation.

    Args:
        actors: All figures.
        number: Which of them has the locks.
    """

    def __init__(self, actors: list[Actor], number: int):
        self._actors, self._number = actors, number
        self._actor = actors[number]
        self._sequence = self._actor.sequence
        self._begun: dict[str | int, _Begun] = {}
        self._waiting: set[str | int] = set()
        self._lost: set[str | int] = set()
        self._strained: set[str | int] = set()
        self._by_name = {
            actor.sequence.skeleton.name: k for k, actor in reversed(list(enumerate(actors))) if k != number
        }
        self._any = bool(self._sequence.locks.strips or self._sequence.locks)

    def __bool__(self) -> bool:
        return self._any

    def restart(self) -> None:
        """Forget what has begun: the simulation begins again."""
        self._begun.clear()
        self._waiting.clear()
        self._lost.clear()
        self._strained.clear()

    # -- which locks ---------------------------------------------------------------------------------------------

    def active(self, frame: float) -> list[tuple[str | int, LockStrip | None, Lock]]:
        """Return (name, strip, lock with its target) of the locks at a frame that name only who is there.

        One that eases out has let go: what it held is free to go where forces take it.
        """
        found: list[tuple[str | int, LockStrip | None, Lock]] = []
        grips: dict[str, int] = {}
        for k, (strip, lock, _) in enumerate(self._sequence.locks.active(frame)):
            second = lock.second
            missing = any(name not in self._by_name for name in lock.figures)
            if strip is not None and strip.end is not None and strip.end <= frame and second and second[0] is not None:
                continue  # what lets go of another figure at a frame does not hold it through the step from there on
            own = is_loop_lock(self._sequence.skeleton, lock)  # held as such, without easing and giving up
            if max(lock.weights) > 0.0 and not missing and not own and not (strip and _eases_out(strip, frame)):
                found.append((k if strip is None else strip.id, strip, lock))
                if lock.kind == CARRY.name and second is not None and second[0] is not None and lock.mutual:
                    grips[second[0]] = grips.get(second[0], 0) + 1
        if max(grips.values(), default=0) < 2:
            return found
        several = {name for name, count in grips.items() if count > 1}
        return [(name, strip, _loosened(lock, several)) for name, strip, lock in found]

    def acts(self, lock: Lock, moved: list[Mask]) -> bool:
        """Return whether a lock is a constraint: forces move its part, or the one that it is bound to.

        Args:
            lock: The lock.
            moved: For each figure which of its joints forces carry along, shape (n_joints,).
        """
        if lock.rule.by_equation:
            return any(moved[number][joint] for number, joint in self._named(lock))
        if lock.rule.of_figure:  # forces keep the balance, or do not
            return False
        joint = self._actor.sequence.skeleton.joint_index(lock.joint)
        if moved[self._number][joint] and self._has_frame(self._number, joint):
            return True
        second = self.second(lock)
        return second is not None and bool(moved[second[0]][second[1]])

    def _has_frame(self, number: int, joint: int) -> bool:
        figure = self._actors[number].figure
        return int(figure.joint_body[joint]) >= 0 and not bool(figure.inside[joint])

    def _named(self, lock: Lock) -> list[tuple[int, int]]:
        """Return number and joint of all that an equation names."""
        found = []
        for figure, joint in lock.rule.parts_in(lock.target):
            number = self._number if figure is None else self._by_name[figure]
            found.append((number, self._actors[number].sequence.skeleton.joint_index(joint)))
        return found

    @property
    def by_name(self) -> dict[str, int]:
        """Numbers of the other figures by the names that locks have for them."""
        return self._by_name

    @property
    def has_equations(self) -> bool:
        """Whether any of the locks is an equation."""
        return any(lock.rule.by_equation for lock in self._sequence.locks.all)

    def second(self, lock: Lock) -> tuple[int, int, Array] | None:
        """Return figure, joint and point of a lock's second part; None if it has none."""
        if lock.second is None:
            return None
        name, joint, point = lock.second
        number = self._number if name is None else self._by_name[name]
        return number, self._actors[number].sequence.skeleton.joint_index(joint), point

    # -- what they want ------------------------------------------------------------------------------------------

    def wanted(
        self,
        frame: float,
        step: float,
        moved: list[Mask],
        returning: list[Mask],
        poses: Callable[[], list[Array]],
        first: bool,
    ) -> list[Wanted]:
        """Return what the locks want in a step.

        Args:
            frame: Frame at which the step begins.
            step: Its length, [frames].
            moved: As for ``acts``.
            returning: For each figure which of its joints are returning to their keys, shape (n_joints,): a lock that
                begins there, or cannot be held, is met with the keys.
            poses: Returns the poses of all figures as they are; called where a lock begins.
            first: Whether this is the first step of the simulation.
        """
        found: list[Wanted] = []
        seen: set[str | int] = set()
        for name, strip, lock in self.active(frame):
            if not self.acts(lock, moved):
                continue
            astray = (name not in self._begun and not first) or name in self._lost
            if astray and self._is_returning(lock, returning):
                self._waiting.add(name)
                continue
            self._waiting.discard(name)
            seen.add(name)
            if name not in self._begun:
                self._begun[name] = self._beginning(strip, lock, frame, poses, first)
            now = self._target(name, lock, frame)
            rate, then = np.zeros(6), now
            if self._left(name, frame) > 0.0 or (strip is not None and strip.moves):
                then = self._target(name, lock if strip is None else strip.lock_at(frame + step), frame + step)
                if now.target is not then.target and now.target is not None and then.target is not None:
                    rate = now.rule.offset_between(now.target, then.target) * (self._sequence.fps / step)
            weight = min(lock.weights)
            near = name in self._lost and self._left(name, frame) <= 0.0 and self._off(now, poses) < FOUND
            if weight >= 1.0 and near:
                self._lost.discard(name)
            stiffness = None if weight >= 1.0 and name not in self._lost else weight
            joint = self._actor.sequence.skeleton.joint_index(lock.joint)
            if name in self._strained and self._off(now, poses) < 0.1 * STRAINED:
                self._strained.discard(name)
            later = None if then is now else then
            found.append(Wanted(self._number, joint, now, rate, stiffness, name, name in self._strained, later))
        for name in [name for name in self._begun if name not in seen]:
            del self._begun[name]
            self._lost.discard(name)
            self._strained.discard(name)
        return found

    def off(self, name: str | int, gap: float) -> None:
        """Note how far a lock's part was off in a step, [m] or [rad].

        If that is too far, it cannot be held: from now on it pulls as a spring, until its part is there again.
        """
        if gap > STRAINED:
            self._strained.add(name)
        if gap > LOST:
            self._lost.add(name)

    def lose_all(self) -> None:
        """Note that no lock can be held."""
        self._lost.update(self._begun)

    def _off(self, lock: Lock, poses: Callable[[], list[Array]]) -> float:
        off = lock.rule.deviation(lock, self.places(poses()))
        return float(max(0.0 if each is None else np.linalg.norm(each) for each in off))

    def places(self, poses: list[Array]) -> Places:
        """Return where the parts of all figures are."""
        others: Figures = {name: (self._actors[k].sequence.skeleton, poses[k]) for name, k in self._by_name.items()}
        return Places(self._actor.sequence.skeleton, poses[self._number], others)

    def _is_returning(self, lock: Lock, returning: list[Mask]) -> bool:
        if lock.rule.by_equation:
            return any(returning[number][joint] for number, joint in self._named(lock))
        joint = self._actor.sequence.skeleton.joint_index(lock.joint)
        second = self.second(lock)
        return bool(returning[self._number][joint]) or (second is not None and bool(returning[second[0]][second[1]]))

    def _beginning(
        self, strip: LockStrip | None, lock: Lock, frame: float, poses: Callable[[], list[Array]], first: bool
    ) -> _Begun:
        """Return how a lock begins: it draws its part in from where it is, no quicker than its ease."""
        eases = 0.0 if strip is None else strip.start + strip.eases[0] - frame
        if first and eases <= 0.0:
            return _Begun(np.zeros(6), frame, 0.0)
        offset = lock.rule.away(lock, self.places(poses()))
        far = float(max(np.linalg.norm(offset[:3]), np.linalg.norm(offset[3:])))
        if far < _NEAR:
            return _Begun(np.zeros(6), frame, 0.0)
        seconds = 0.0 if first else max(COMES_ON, 1.5 * far / QUICKEST)
        return _Begun(offset, frame, max(eases, seconds * self._sequence.fps))

    def _left(self, name: str | int, frame: float) -> float:
        """Return the share of the way that a lock which began in the simulation has still to go."""
        begun = self._begun[name]
        if frame >= begun.frame + begun.takes:
            return 0.0
        u = (frame - begun.frame) / begun.takes
        return 1.0 - u * u * (3.0 - 2.0 * u)

    def _target(self, name: str | int, lock: Lock, frame: float) -> Lock:
        """Return a lock with the target it has at a frame in the simulation."""
        left = self._left(name, frame)
        if left <= 0.0:
            return lock
        return replace(lock, target=lock.rule.eased_target(lock.target, left * self._begun[name].offset))

    # -- how they hold ---------------------------------------------------------------------------------------------

    def residuals_later(
        self, frame: float, moved: list[Mask], poses: list[Array]
    ) -> Callable[[], tuple[LockResidual, ...]]:
        """Return what works out how far each lock's part is from where the lock wants it, from what is known now.

        Args:
            frame: The frame.
            moved: As for ``acts``.
            poses: Poses of all figures.
        """
        then = copy(self)
        then._begun, then._waiting = dict(self._begun), set(self._waiting)
        return lambda: then._residuals(frame, moved, poses)

    def _residuals(self, frame: float, moved: list[Mask], poses: list[Array]) -> tuple[LockResidual, ...]:
        found, places = [], self.places(poses)
        for name, strip, lock in self.active(frame):
            acts = self.acts(lock, moved) and name not in self._waiting
            if acts and name in self._begun:
                lock = self._target(name, lock, frame)
            elif strip is not None and strip.factor_at(frame) < 1.0:
                continue
            off = lock.rule.deviation(lock, places)
            position = 0.0 if off.position is None else float(np.linalg.norm(off.position))
            rotation = 0.0 if off.rotation is None else float(np.linalg.norm(off.rotation))
            part = self._actor.sequence.skeleton.joints[self._actor.sequence.skeleton.joint_index(lock.joint)].name
            found.append(LockResidual(None if strip is None else strip.id, part, lock.kind, position, rotation, acts))
        return tuple(found)


def _loosened(lock: Lock, several: set[str]) -> Lock:
    """Return a lock as it is simulated: hands that hold a thing together hold it by its place, and turn on it.

    Held like a weld by two limp arms it would be torn from them as soon as a wrist is at its limit.
    """
    second = lock.second
    if lock.kind != CARRY.name or not lock.mutual or second is None or second[0] not in several:
        return lock
    figure, joint, point = second
    return Lock(
        lock.joint, POINT_PAIR.name, lock.point, np.zeros(3), (figure, joint, point + lock.target[:3, 3]),
        max(lock.weights), joints=lock.joints, mutual=True,
    )  # fmt: skip


def _eases_out(strip: LockStrip, frame: float) -> bool:
    return strip.end is not None and strip.eases[1] > 0.0 and strip.end - strip.eases[1] < frame <= strip.end
