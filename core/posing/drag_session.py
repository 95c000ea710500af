"""A drag of one part, from press to release: the chain behind it follows a point or the pointer's ray (Welman 6.2)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.constraints.lock import Lock
from core.ik import Goal, Result, solve
from core.ik.options import Secondary, SolveOptions
from core.ik.reach import Reach, chain_reach
from core.kinematics import forward_kinematics
from core.kinematics.chain import CHAIN_MODES, Chain, drag_chain
from core.kinematics.ray import closest_point_on_axis, closest_point_on_ray, point_in_plane
from core.posing.hindrance import NONE, HindranceWatch
from core.posing.limit_escape import LimitEscape
from core.posing.locked_drag import LockedDrag
from core.posing.pacing import SPARE_STEPS, Pace, leaps, steadied, straight_limbs
from core.posing.path_drag import path_drag
from core.posing.pointer_ray import Sight, goal_on_ray, kept_offset
from core.posing.pose_edit import HeldLocks, edited_pose
from core.skeleton.following import followed, follows_of
from core.skeleton.segment import end_effector
from core.skeleton.skeleton import Skeleton

WORTHWHILE = 0.98
"""Part of the distance to the goal that must be left at most for a second look to count."""

MOST_RESTS, AT_REST = 60, 1e-3
"""How often a second criterion is lowered further while the pointer rests, and the change that ends it, [rad], [m]."""

Ray = tuple[Array, Array]


def moved_chain(skeleton: Skeleton, part: int | str, mode: str | int = "limb") -> Chain:
    """Return the joints that a drag of a part moves.

    Args:
        skeleton: The figure.
        part: Index or name of the dragged part's joint.
        mode: ``"part"``, ``"limb"`` or ``"body"``, else the index or name of the joint at which the chain begins; see
            ``core.kinematics.drag_chain``.

    Raises:
        JointError: If there is no such joint.
        GoalError: If the chain cannot begin there.
    """
    if mode in CHAIN_MODES and mode != "up_to":
        return drag_chain(skeleton, part, str(mode))
    return drag_chain(skeleton, part, "up_to", mode)


def is_whole_figure(skeleton: Skeleton, chain: Chain) -> bool:
    """Return whether moving this chain can only mean the figure as a whole: it is the root's own segment."""
    return not chain.dofs or all(skeleton.joints[j].parent < 0 for j in chain.joints)


class DragSession:
    """Drags one part of a figure; each event returns the pose to show.

    Every event goes on from the pose of the one before. A figure follows at a pace: no joint turns further than the
    pointer's travel accounts for, and what is left follows in ``again`` while the pointer rests. Goals that cannot be
    met leave the part near, without shaking, and ``hindrance`` says why.

    Args:
        skeleton: The figure.
        q: Pose at press, shape (nq,), [m] and [rad].
        part: Index or name of the dragged part's joint.
        point: What is dragged, in the joint's frame, shape (3,), [m]; None for half-way along the segment.
        mode: What moves: ``"part"``, ``"limb"``, ``"body"``, or the index or name of the joint at which the chain
            begins. A chain that is the root's alone moves the figure as a whole.
        locks: What is held meanwhile; one without a target holds what it has in ``q``. A ``HeldLocks`` says how, too.
        solver: Name of one of ``core.ik.SOLVERS``.
        tolerance: Distance to its goal within which the part is there, [m].
        max_iterations: Most steps of the solver in one event; None leaves it to the solver.
        nudge: Whether straight limbs may be bent to get them going.
        weights: Responsiveness 0 to 1 of each pose value, shape (nq,), as ``core.ik.solve`` takes them. Locks move
            what they need.
        secondary: What the freedom that a goal leaves is used for, as ``core.ik.solve`` takes it.
        mirror: Whether the other side of the figure does the same.
        whole: Whether the figure moves as a whole; may be set at any time.
        axis: World axis, 0 to 2, along which alone the part is to go, or None; see ``hold_to``.
        ray: The pointer's ray at the press, (origin, direction): what lies between it and the part is kept. None if
            it goes through the part.
        sight: How the pointer sees the figure; may be set at any time. None: rays come from one eye that looks at the
            part.
        chain: What moves, instead of what the mode says; it may go on below the part, as an arm does below an elbow
            that is swung while the hand stays.

    Attributes:
        skeleton: The figure.
        start: The pose at press, shape (nq,); read-only.
        q: The pose now, shape (nq,); read-only.
        part: Index of the dragged part's joint.
        point: What is dragged, in the joint's frame, shape (3,), [m].
        chain: What the drag moves.
        goal: Where the part should be, world, shape (3,), [m]; None before the first event.
        distance: How far it is from there, [m].
        hindrance: Why it is not there.
        result: What the last solve found, a ``core.ik.Result``; None before the first one. While the figure lags
            behind, ``result.q`` is where it goes.
        seconds: Time that the last solve took of this thread, [s].

    Raises:
        JointError: If there is no such joint.
        GoalError: If the mode or the solver does not exist.
        PoseError: If the pose does not fit the figure.
        LockError: If a lock names what is not there.

    Source: Welman (1993) section 6.2, figure 6.3.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        q: ArrayLike,
        part: int | str,
        point: ArrayLike | None = None,
        mode: str | int = "limb",
        locks: Sequence[Lock] | HeldLocks = (),
        solver: str = "ccd",
        *,
        tolerance: float = 1e-4,
        max_iterations: int | None = None,
        nudge: bool = True,
        weights: ArrayLike | None = None,
        secondary: Secondary | None = None,
        mirror: bool = False,
        whole: bool = False,
        axis: int | None = None,
        ray: tuple[ArrayLike, ArrayLike] | None = None,
        sight: Sight | None = None,
        chain: Chain | None = None,
    ):
        self.skeleton, self.part = skeleton, skeleton.joint_index(part)
        self.point = end_effector(skeleton, self.part) if point is None else np.array(point, dtype=np.float64)
        self.chain = moved_chain(skeleton, self.part, mode) if chain is None else chain
        self.start = self.q = _fixed(np.array(skeleton.check_pose(q), dtype=np.float64))
        self.axis, self.whole, self.sight = axis, whole, sight
        self.goal: Array | None = None
        self.distance, self.hindrance = 0.0, NONE
        self.result: Result | None = None
        self.seconds = 0.0
        self.pace = Pace()
        self._options: SolveOptions = {}
        self.solve_with(
            solver,
            tolerance=tolerance,
            max_iterations=max_iterations,
            nudge=nudge,
            weights=weights,
            secondary=secondary,
        )
        self._mirror, self._only_whole = mirror, is_whole_figure(skeleton, self.chain)
        self._frames: tuple[Array, Array] | None = None
        self._place = self.effector
        reach = chain_reach(skeleton, self.start, self.part, self.point, self.chain.base)
        self._offset, self._kept = self._offsets(ray, reach)
        self._watch = HindranceWatch(skeleton, self.part, self.point, reach)
        self._escape = LimitEscape(skeleton, self.start, self.chain.base, self.chain.dofs, reach)
        self._path = path_drag(skeleton, self.part, self.point, self.chain)
        self._holding = holding = HeldLocks.of(locks, skeleton, self.start)
        self._locked: LockedDrag | None = None
        if holding is not None:
            at = self.part, self.point, self.chain
            self._locked = LockedDrag(skeleton, self.start, *at, holding, mirror, self._options)
        self._ray: Ray | None = None if ray is None else (np.asarray(ray[0]), np.asarray(ray[1]))
        self._share = 1.0
        self._wanted: Array | None = None
        self._edited: tuple[int, ...] | None = None
        self._moved = self._swinging = False
        self._going = 0  # how often a second criterion was lowered for the goal at hand; 0 once nothing moves

    def solve_with(
        self,
        solver: str = "ccd",
        *,
        tolerance: float = 1e-4,
        max_iterations: int | None = None,
        nudge: bool = True,
        weights: ArrayLike | None = None,
        secondary: Secondary | None = None,
    ) -> None:
        """Choose the solver from the next event on; the arguments are those of the session."""
        self._options.update(
            SolveOptions(
                solver=solver, tolerance=tolerance, max_iterations=max_iterations,
                nudge=nudge, weights=weights, secondary=secondary,
            )
        )  # fmt: skip

    # -- events ------------------------------------------------------------------------------------------------------

    def move_to(self, position: ArrayLike, travel: float | None = None) -> Array:
        """Let the part follow a point; return the pose to show, shape (nq,), read-only.

        Args:
            position: Where the part should go, world, shape (3,), [m].
            travel: How far the pointer has moved since the last event, [m]; None for the distance between the points.
        """
        position = np.array(position, dtype=np.float64)
        if travel is None:
            travel = float(np.linalg.norm(position - (self._place if self._wanted is None else self._wanted)))
        self._wanted = position
        return self._event(travel)

    def move_along(
        self, origin: ArrayLike, direction: ArrayLike, travel: float | None = None, kept: float = 1.0
    ) -> Array:
        """Let the part follow the pointer's ray; return the pose to show, shape (nq,), read-only.

        The goal is the point of the ray closest to the part. Parallel rays keep the depth of the press exactly,
        however the solver strays. Of a ray from an eye that passes beyond reach it is the point closest to the chain's
        base: there the stretched limb points, whichever way the pointer came. What runs along a path alone goes
        where this is seen under the pointer instead.

        Args:
            origin: Where the ray starts, world, shape (3,), [m].
            direction: Its unit direction, shape (3,).
            travel: How far the pointer has moved at the depth of the part since the last event, [m]; None for what
                lies between the two rays there.
            kept: Share of what lay between ray and part at the press that is still kept, 1 to 0.
        """
        ray = np.asarray(origin, dtype=np.float64), np.asarray(direction, dtype=np.float64)
        if travel is None:
            here = self.effector
            last = here if self._ray is None else closest_point_on_ray(*self._ray, here)
            travel = float(np.linalg.norm(closest_point_on_ray(*ray, here) - last))
        self._ray, self._wanted, self._share = ray, None, kept
        return self._event(travel)

    def hold_to(self, axis: int | None) -> Array:
        """Hold the drag to a world axis, 0 to 2, or to none; return the pose to show, shape (nq,), read-only."""
        self.axis = axis
        return self._follow() if self._moved else self.q

    def again(self) -> Array:
        """Go on while the pointer rests; return the pose to show, shape (nq,), read-only.

        Call it for as long as ``behind`` says so: a limb is freed from its limits, locks come to rest, and a figure
        that kept to its pace catches up.
        """
        if not self.behind:
            return self.q
        if self._locked is not None:
            self._locked.again()
        self._going += self._going > 0
        return self._follow()

    def jump_to(self, position: ArrayLike) -> Array:
        """Bring the part as near to a point as it goes, at once and to rest; return the pose, shape (nq,).

        Args:
            position: Where the part should go, world, shape (3,), [m].
        """
        goal, q = np.array(position, dtype=np.float64), np.array(self.q)
        self._begin()
        if self._locked is not None:
            q = self._locked.finished(q, goal, self.moves_root)
        elif self.moves_root:
            q[:3] += goal - self.effector
        else:
            self.result = self._solved(q, goal, spare_steps=None)
            q = self.result.q
        return self._shown(self._posed(q), goal)

    def settle(self) -> Array:
        """Return the pose to leave at release, shape (nq,): the one shown, projected where its locks do not hold."""
        if self._locked is not None and self._moved:
            self.q = _fixed(self._posed(self._locked.settled(self.q)))
        return self.q

    def cancel(self) -> Array:
        """Put everything back as it was at press; return that pose, shape (nq,)."""
        self.q, self.goal, self.distance, self.hindrance, self.result = self.start, None, 0.0, NONE, None
        self.pace = Pace()
        return self.q

    # -- what is known -----------------------------------------------------------------------------------------------

    @property
    def moves_root(self) -> bool:
        """Whether the figure moves as a whole."""
        return self.whole or self._only_whole

    @property
    def locked(self) -> bool:
        """Whether locks are held."""
        return self._locked is not None

    @property
    def effector(self) -> Array:
        """Where the dragged point is, world, shape (3,), [m]."""
        if self._frames is None or self._frames[0] is not self.q:
            self._frames = self.q, forward_kinematics(self.skeleton, self.q)
        return self._point_in(self._frames[1])

    def place_in(self, q: ArrayLike) -> Array:
        """Return where the dragged point is in a pose, world, shape (3,), [m]."""
        return self._point_in(forward_kinematics(self.skeleton, self.skeleton.check_pose(q)))

    def _point_in(self, frames: Array) -> Array:
        X = frames[self.part]
        return np.asarray(X[:3, :3] @ self.point + X[:3, 3])

    def note_shown(self, q: Array) -> None:
        """Take note of the pose that is shown in place of ``q``, whose part others hold back: of it is ``distance``."""
        if self.goal is not None and not np.array_equal(q, self.q):
            self.distance = float(np.linalg.norm(self.goal - self.place_in(q)))

    @property
    def behind(self) -> bool:
        """Whether the figure would go on while the pointer rests; see ``again``."""
        if self._locked is not None:
            return self._locked.patient and (self._locked.unfinished or self.pace.lags)
        return self.pace.lags or self._escape.active or 0 < self._going < MOST_RESTS

    # -- one event ---------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        if not self._moved:
            self._moved = True
            self._edited = None if self.moves_root else self.chain.dofs

    def _event(self, travel: float) -> Array:
        self.pace.travel += travel
        self._going = 1
        if self._locked is not None:
            self._locked.fresh()
        return self._follow()

    def _follow(self) -> Array:
        """Go on from the pose shown toward what was asked for last."""
        self._begin()
        locked, q = self._locked, self.q
        result: Result | None = None
        if self.moves_root and locked is None:
            place = self.effector
            goal = self._root_goal(place)
            moved = np.array(q)
            moved[:3] += goal - place
            self._watch.carry(goal - place)
            self.result = Result(moved, 0.0, 0, True, reason="reached")
            self.pace.travel, self.pace.lags = 0.0, False
            return self._shown(self._posed(moved), goal)
        began = time.thread_time()  # not what other threads take meanwhile, such as one that loads kernels
        if self._path is not None and self.axis is None and locked is None and self._wanted is None:
            assert self._ray is not None
            origin, direction = self._shifted_ray()
            tolerance, reach = float(self._options["tolerance"]), self._watch.reach
            result, goal = self._path.follow(q, origin, direction, self._seen_by(), reach, tolerance)
        else:
            goal = self._root_goal() if self.moves_root else self._part_goal()
            goes = self._swinging or self.pace.lags or (locked is not None and locked.unfinished)
            same = self.goal is not None and np.array_equal(goal, self.goal)
            if self.hindrance.reason and not goes and same:
                self._going = 0
                return q  # the same goal again would let a hindered limb creep; the last good pose stays
            if locked is not None:
                result = locked.solved(q, goal, self.moves_root, self._watch)
            else:
                result = self._free(q, goal)
        self.seconds = time.thread_time() - began
        self.result = result
        self._shown(self._paced(result.q, goal), goal)
        if self._options["secondary"] is None or float(np.abs(self.q - q).max(initial=0.0)) <= AT_REST:
            self._going = 0
        if locked is not None:
            self.hindrance = locked.hindrance(result.q, goal, self.moves_root, self._watch.reach.outer)
        if self.hindrance is NONE and not self.moves_root:
            self.hindrance = self._watch.look_while_moving(result, self.q, goal, self.effector)
        return self.q

    def _shown(self, q: Array, goal: Array) -> Array:
        """Take note of the pose to show and of its goal; return it."""
        if follows_of(self.skeleton):
            q = followed(self.skeleton, q)
        self.q, self.goal, self.hindrance = _fixed(q), goal, NONE
        self.distance = float(np.linalg.norm(goal - self.effector))
        return self.q

    def _goal_at(self, place: Array) -> Goal:
        return Goal(self.part, point=self.point, position=place)

    def _solved(
        self, q: Array, goal: Array, bounds: tuple[Array, Array] | None = None, spare_steps: int | None = SPARE_STEPS
    ) -> Result:
        """Return what the solver finds for a goal, shape (3,), [m]: of all such poses the one near the press."""
        near = self.start if self._options["secondary"] is None else None
        base, wanted = self.chain.base, self._goal_at(goal)
        how: dict[str, Any] = {"base": base, "bounds": bounds, "near": near, "spare_steps": spare_steps}
        return solve(self.skeleton, q, wanted, **how, **self._options)

    def _free(self, q: Array, goal: Array) -> Result:
        """Return what brings a part that no locks hold toward a goal, shape (3,), [m]."""
        skeleton, base, reach = self.skeleton, self.chain.base, self._watch.reach
        wanted, q = self._goal_at(goal), np.array(q)
        result = self._solved(q, goal)
        stride = self._escape.follow(q, wanted, result, self._options)
        self._swinging = not result.converged and (stride is not None or leaps(q, result.q, self.goal, goal, reach))
        if stride is not None:
            return stride
        if not self._swinging:
            return result
        steady = steadied(skeleton, q, wanted, base, result, reach)
        # Its few steps are all that it is to take: why the goal is not met the solver itself has found.
        return replace(steady, reason=result.reason) if steady.reason == "iterations" else steady

    def _within(self, goal: Array, bounds: tuple[Array, Array]) -> Array | None:
        """Return the pose that comes as near to a goal as bounds of the pose let it; None where that is hardly nearer.

        Args:
            goal: Where the part should be, shape (3,), [m].
            bounds: Least and largest values, shape (nq,) each.
        """
        locked, q = self._locked, self.q
        if self._escape.active or self._path is not None or (locked is not None and locked.busy):
            return None
        if locked is not None:
            found = locked.follow(q, goal, self.moves_root, bounds=bounds).q
        else:
            found = self._solved(q, goal, bounds).q
        X = forward_kinematics(self.skeleton, np.stack([q, found]))[:, self.part]
        now, then = np.linalg.norm(goal - X[:, :3, :3] @ self.point - X[:, :3, 3], axis=1).tolist()
        return self._posed(found) if then < WORTHWHILE * now else None

    def _paced(self, q: Array, goal: Array) -> Array:
        """Return the pose to show on the way to one that was found, at the pace of the pointer."""
        posed = self._posed(q)
        if self._path is not None:
            return posed
        hold = None if self._locked is None else self._locked.near
        return self.pace.limited(self.skeleton, self.q, posed, hold, lambda bounds: self._within(goal, bounds))

    def _posed(self, q: Array) -> Array:
        """Return a pose with the other side and its locks seen to, in mirror editing."""
        if not self._mirror:
            return self.skeleton.check_pose(q)
        how: dict[str, Any] = {"mirror": True, "edited": self._edited, "hold": False, "near": self.q}
        return edited_pose(self.skeleton, self.start, q, self._holding, **how)

    # -- goals -------------------------------------------------------------------------------------------------------

    def _offsets(self, ray: tuple[ArrayLike, ArrayLike] | None, reach: Reach) -> tuple[Array, Array]:
        """Return what lies between the pointer's ray and the part: what may ease out and what stays, (3,), [m]."""
        if ray is None:
            return np.zeros(3), np.zeros(3)
        offset, moving = self._place - closest_point_on_ray(*ray, self._place), set(self.chain.joints)
        limbs = straight_limbs(self.skeleton, self.start)
        if self.whole or not any({limb.hinge, limb.above} <= moving for limb, _, _ in limbs):
            return offset, np.zeros(3)
        kept = kept_offset(offset, self._place, reach)
        return offset - kept, kept

    def _shifted_ray(self) -> Ray:
        """Return the pointer's ray, shifted by what is kept of the offset at press."""
        assert self._ray is not None
        origin, direction = self._ray
        return origin + np.asarray(self._share * self._offset + self._kept), direction

    def _seen_by(self) -> Sight:
        """Return how the pointer sees the figure; without anything known the eye looks at the part."""
        if self.sight is None:
            assert self._ray is not None
            away = self._ray[0] - self._place
            self.sight = Sight(away / max(float(np.linalg.norm(away)), 1e-9))
        return self.sight

    def _on_axis(self, origin: Array, direction: Array) -> Array:
        assert self.axis is not None
        found = closest_point_on_axis(self._place, np.eye(3)[self.axis], origin, direction)
        return self._place if found is None else found

    def _part_goal(self) -> Array:
        """Return where the part should go now, shape (3,), [m]."""
        if self._wanted is not None:
            return self._to_axis(self._wanted)
        origin, direction = self._shifted_ray()
        if self.axis is not None:
            return self._on_axis(origin, direction)
        current = self.effector
        if not self._seen_by().parallel:
            return goal_on_ray(origin, direction, current, self._watch.reach)
        current = current + ((self._place - current) @ direction) * direction
        return closest_point_on_ray(origin, direction, current)

    def _root_goal(self, through: Array | None = None) -> Array:
        """Return where the part goes with the whole figure, shape (3,), [m]: in the view's plane, to the pointer."""
        if self._wanted is not None:
            return self._to_axis(self._wanted)
        origin, direction = self._shifted_ray()
        if self.axis is not None:
            return self._on_axis(origin, direction)
        if through is None:  # where locks hold the part back its place says nothing about the plane
            through = self._place if self.goal is None else self.goal
        return point_in_plane(through, self._seen_by().normal, origin, direction)

    def _to_axis(self, place: Array) -> Array:
        if self.axis is None:
            return place
        along = np.zeros(3)
        along[self.axis] = place[self.axis] - self._place[self.axis]
        return np.asarray(self._place + along)


def _fixed(q: Array) -> Array:
    """Return a pose as read-only."""
    q = np.asarray(q)
    q.setflags(write=False)
    return q
