"""Ways out of a conflict of locks, tried before they are offered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from core.arrays import Array
from core.constraints.conflicts.blocking import blocking_limits
from core.constraints.conflicts.feasible import FEW, TOLERANCE, Trials
from core.constraints.conflicts.words import amount, capital, held_name, listed, part
from core.constraints.lock import Lock
from core.constraints.places import Places
from core.constraints.solve_locks import LockResult, LockSolver
from core.constraints.support import standing_parts
from core.skeleton.dof import ANGLE, LENGTH, NUMBER
from core.skeleton.skeleton import Skeleton

SOFT = 0.5
"""Weight of a lock that is made soft."""
_GROUND = np.array([0.0, 1.0, 0.0])
_SLIGHT = 1e-3  # [m]
_SLACK = 2e-3  # [m]
_HARDLY = 1e-4  # [m] or [rad]: what may be left of a lock that a fix is to hold
_MOST = 60  # steps, also of locks that yield: how far off they end is reported
_SOME = 24  # steps with wider limits: what holds then does so soon
_ROUNDS = 3
_WIDER = {ANGLE: float(np.radians(15.0)), LENGTH: 0.05, NUMBER: 0.0}
_WIDER_PART = 0.25
_STEPS = {ANGLE: float(np.radians(0.1)), LENGTH: 1e-3, NUMBER: 0.01}
_MOST_NAMED = 2
_MOST_LIMITS = 12


@dataclass(frozen=True, eq=False)
class Fix:
    """One way out of a conflict.

    Attributes:
        title: What a button says.
        kind: ``"soften"``, ``"plane"``, ``"drop"``, ``"free"``, ``"move"``, ``"pose"`` or ``"limit"``.
        changes: What becomes of locks, by place in the list that was given; None drops one.
        q: Pose to take, shape (nq,); None to stay in the present one.
        residual: What is left of the locks of the conflict that stay hard, once they were solved so, [m] or [rad].
        yields: How far off what was softened is then, [m] or [rad]; 0 otherwise.
        held: Whether all other locks that were given hold then too.
        still: What is left if not: how far off the worst of all the locks is then, ``"still 13.5 cm"``; "" otherwise.
        joint: The joint it is about, or None.
        limits: For ``"limit"``: what limits would do, ``{degree of freedom: (lower, upper)}``, [rad] or [m].
    """

    title: str
    kind: str
    changes: Mapping[int, Lock | None] = field(default_factory=dict)
    q: Array | None = None
    residual: float = 0.0
    yields: float = 0.0
    held: bool = True
    joint: int | None = None
    limits: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    still: str = ""


def apply_fix(locks: Sequence[Lock], fix: Fix) -> tuple[Lock, ...]:
    """Return the locks as a fix changes them; those it drops are gone. Its pose, if it has one, is for the caller."""
    changed = [fix.changes.get(i, lock) for i, lock in enumerate(locks)]
    return tuple(lock for lock in changed if lock is not None)


def importance(lock: Lock, number: int, s: Skeleton, supports: Sequence[int] = ()) -> tuple[float, ...]:
    """Return how important a lock is, to be compared: what bears the figure, then by kind, then the older one.

    Args:
        lock: The lock.
        number: Its place: locks that came later give way first.
        s: The figure.
        supports: Joints of the parts that bear the figure.
    """
    bears = s.joint_index(lock.joint) in supports and lock.kind in ("position", "pose", "plane")
    return (float(bears), float(lock.rule.importance), float(-number))


class Remedies:
    """Ways out of one conflict.

    Args:
        trials: What was found out about the locks.
        locks: All locks, bound.
        chosen: Those in conflict.
    """

    def __init__(self, trials: Trials, locks: Sequence[Lock], chosen: Sequence[int]):
        self.trials, self.locks, self.chosen = trials, tuple(locks), tuple(chosen)
        s = trials.skeleton
        places = Places(s, trials.q, trials.figures)
        frames = np.array([places.frame(i) for i in range(len(s.joints))])
        held = {s.joint_index(lock.joint) for lock in locks if lock.kind in ("position", "pose", "plane")}
        supports = standing_parts(s, frames, held)
        self.order = sorted(self.chosen, key=lambda i: importance(self.locks[i], i, s, supports))
        self._hard = [i for i in range(len(locks)) if trials.hard >> i & 1]
        self._soft: LockResult | None = None

    def shortfall(self) -> tuple[int, float, float]:
        """Return which lock gives way, and how far off it is while the others hold, [m] and [rad], NaN for none."""
        i = self.order[0]
        result = self._softened()
        return i, float(result.position_residuals[i]), float(result.angle_residuals[i])

    def all(self) -> tuple[Fix, ...]:
        """Return the fixes that help, the gentlest first."""
        least = self.order[0]
        found = [self._soften(least), self._free(), self._plane(least), self._move()]
        found += [self._drop(i) for i in self.order[:3]]
        found.append(self._limit())  # it makes another figure
        fixes = [fix for fix in found if fix is not None]
        whole = tuple(fix for fix in fixes if fix.held)
        return whole or tuple(self._with_remaining(fix) for fix in fixes)

    def _with_remaining(self, fix: Fix) -> Fix:
        """Return a fix after which others are still in conflict, with how far off they are then."""
        if fix.still:
            return fix
        # As if the lock that is changed were gone: the others are off by no less.
        mask = self.trials.hard & ~sum(1 << i for i in fix.changes)
        result = self.trials.solve(mask, self.trials.compromise(self.trials.hard).q, FEW)
        return replace(fix, still=_still(result, [i for i in self._hard if mask >> i & 1]))

    def _name(self, i: int) -> str:
        """What a lock holds, in words; with its number where the set has two of them."""
        s = self.trials.skeleton
        name = held_name(s, self.locks[i])
        twice = sum(held_name(s, self.locks[k]) == name for k in self.chosen) > 1
        return f"{name} (lock {i + 1})" if twice else name

    # -- one way out each ----------------------------------------------------------------------------------------

    def _softened(self) -> LockResult:
        """What comes out if the least important lock is soft and the others of the conflict are hard."""
        if self._soft is None:
            i = self.order[0]
            self._soft = self._solve({i: _soft(self.locks[i])}, self.chosen)
        return self._soft

    def _soften(self, i: int) -> Fix | None:
        lock = _soft(self.locks[i])
        yields = float(self._softened().residuals[i])
        return self._tried(f"Soften {self._name(i)}", "soften", {i: lock}, yields=yields)

    def _drop(self, i: int) -> Fix | None:
        return self._tried(f"Drop {self._name(i)}", "drop", {i: None})

    def _plane(self, i: int) -> Fix | None:
        """The lock keeps its part on a plane only: level ground, or else one along which the part may give way."""
        lock = self.locks[i]
        if lock.kind not in ("position", "pose"):
            return None
        place = np.asarray(lock.target)[:3, 3] if lock.kind == "pose" else np.asarray(lock.target)
        offset = self._softened().errors[i, :3]
        across = np.cross(_GROUND, offset)
        for normal, name in ((_GROUND, "a level plane"), (across, "an upright plane")):
            length = float(np.linalg.norm(normal))
            if length < _SLIGHT:
                continue
            normal = normal / length
            if normal is not _GROUND and abs(place[1]) < 0.02 and float(normal @ _GROUND) > 0.999:
                name = "the ground"
            plane = Lock(
                lock.joint, "plane", point=lock.point, target=(*normal, float(normal @ place)), joints=lock.joints
            )
            title = f"Keep {part(self.trials.skeleton, lock.joint)} on {name}"
            fix = self._tried(title, "plane", {i: plane})
            if fix is not None:
                return fix
        return None

    def _free(self) -> Fix | None:
        """Locks that only some joints may help to hold: all may."""
        limited = [i for i in self.order if self.locks[i].joints is not None]
        for some in [[i] for i in limited] + ([limited] if len(limited) > 1 else []):
            names = " and ".join(self._name(i) for i in some)
            changes = {i: replace(self.locks[i], joints=None) for i in some}
            fix = self._tried(f"Let all joints help {names}", "free", changes)
            if fix is not None:
                return fix
        return None

    def _move(self) -> Fix | None:
        """The pelvis, where a lock holds it, goes where the others let it."""
        s = self.trials.skeleton
        for i in self.order:
            lock = self.locks[i]
            if s.joint_index(lock.joint) != 0 or lock.kind not in ("position", "pose") or len(self.chosen) < 2:
                continue
            result = self._solve({i: _soft(lock)}, self._hard)
            if np.nan_to_num(result.residuals[[k for k in self._hard if k != i]]).max() > _SLIGHT:
                result = self._solve({i: _soft(lock)}, self.chosen)
            offset = -result.errors[i, :3]
            # A little further, or stretched legs would just reach.
            offset *= 1.0 + _SLACK / max(float(np.linalg.norm(offset)), _SLACK)
            target = np.array(lock.target)
            if lock.kind == "pose":
                target[:3, 3] += offset
            else:
                target += offset
            moved = replace(lock, target=target)
            down = offset[1] < 0.0 and -offset[1] > 0.7 * float(np.linalg.norm(offset))
            verb = "Lower" if down else "Move"
            title = f"{verb} {part(s, 0)} by {amount(float(np.linalg.norm(offset)), 0.0)}"
            fix = self._tried(title, "move", {i: moved}, q=result.q)
            if fix is not None:
                return fix
        known = self.trials.known(self.trials.hard)
        if known is None:
            return None
        down = float(self.trials.q[1] - known[1])
        title = f"Lower {part(s, 0)} by {amount(down, 0.0)}" if down > 0.01 else "Use a pose that holds them all"
        return Fix(title, "pose", q=known, joint=0)

    def _limit(self) -> Fix | None:
        """Joint limits that stand in the way: where the joints would have to go for all locks to hold.

        Where the others are in a conflict of their own, for those of this one; what is left is reported then.
        """
        trials, mask = self.trials, sum(1 << i for i in self.chosen)
        if any(trials.known(trials.hard & ~(1 << i)) is not None for i in self.chosen):
            return self._widened(self._hard, trials.compromise(trials.hard).q)
        return self._widened(self.chosen, trials.compromise(mask).q)

    def _widened(self, numbers: Sequence[int], pose: Array) -> Fix | None:
        """Return by how much limits must be widened for some locks to hold; None if no joint could go so far."""
        trials, s = self.trials, self.trials.skeleton
        locks, whole = [trials.locks[i] for i in numbers], len(numbers) == len(self._hard)
        freed, blocked = s, tuple[int, ...]()
        for _ in range(_ROUNDS):
            more = blocking_limits(freed, pose, locks, trials.figures)
            if not set(more) - set(blocked):
                return None
            blocked = tuple(sorted({*blocked, *more}))
            if len(blocked) > _MOST_LIMITS:
                return None  # nobody would widen so many
            freed = _with_limits(s, {k: _widest(s, k) for k in blocked})
            result = self._project(freed, locks, pose)
            if result.held:
                break
            pose = result.q
        else:
            return None
        needs = {k: ends for k in blocked if (ends := _reaching(s, k, float(result.q[3 + k]))) is not None}
        if not needs:
            return None
        # The figure as it would be, from the pose that is there: what holds with free joints must hold with these.
        after = self._project(_with_limits(s, needs), [trials.locks[i] for i in self._hard], trials.q)
        if not after.held and whole:
            return None
        still = "" if after.held else _still(after, range(len(self._hard)))
        title = f"Widen {listed([*(_wider(s, k, needs[k]) for k in list(needs)[:_MOST_NAMED]), *_others(s, needs)])}"
        joint = s.dof_joints[next(iter(needs))]
        return Fix(title, "limit", held=after.held, joint=joint, limits=needs, still=still)

    def _project(self, s: Skeleton, locks: Sequence[Lock], pose: Array) -> LockResult:
        trials = self.trials
        return LockSolver(
            s, locks, tolerance=TOLERANCE, max_iterations=_SOME, figures=trials.figures, q=trials.q
        ).project(pose)

    # -- trying --------------------------------------------------------------------------------------------------

    def _solve(
        self,
        changes: Mapping[int, Lock | None],
        numbers: Sequence[int],
        start: Array | None = None,
        most: int | None = _MOST,
    ) -> LockResult:
        """Solve for some of the locks, changed; residuals are by place among all locks, NaN for the others."""
        trials = self.trials
        used = [i for i in numbers if changes.get(i, trials.locks[i]) is not None]
        locks = [changes.get(i, trials.locks[i]) for i in used]
        solver = LockSolver(
            trials.skeleton, [lock for lock in locks if lock is not None], tolerance=TOLERANCE, max_iterations=most,
            figures=trials.figures, q=trials.q,
        )  # fmt: skip
        result = solver.solve(trials.q if start is None else start)

        def spread(values: Array) -> Array:
            out = np.full((len(self.locks), *values.shape[1:]), np.nan)
            out[used] = values
            return out

        return replace(
            result,
            residuals=spread(result.residuals),
            position_residuals=spread(result.position_residuals),
            angle_residuals=spread(result.angle_residuals),
            errors=spread(result.errors),
        )

    def _tried(
        self, title: str, kind: str, changes: Mapping[int, Lock | None], yields: float = 0.0, q: Array | None = None
    ) -> Fix | None:
        """Return the fix if the conflict's locks that stay hard hold with it."""
        # Where the other locks are in a conflict of their own, this way out of one cannot help them all.
        rest = self.trials.known(self.trials.hard & ~sum(1 << i for i in changes)) is not None
        left, held = 0.0, rest and all(lock is None for lock in changes.values())
        if not held:
            result = self._solve(changes, self._hard, q, None) if rest else None
            held = result is not None and result.held
            if result is None or not held:
                result = self._softened() if kind == "soften" else self._solve(changes, self.chosen, q)
            stay = [i for i in self.chosen if (lock := changes.get(i, self.trials.locks[i])) is not None and lock.hard]
            left = float(np.nan_to_num(result.residuals[stay]).max(initial=0.0))
            if left > _HARDLY:
                return None
        joint = self.trials.skeleton.joint_index(self.locks[next(iter(changes))].joint)
        return Fix(capital(title), kind, dict(changes), q, left, yields, bool(held), joint)


def _soft(lock: Lock) -> Lock:
    return replace(lock, weight=(SOFT, SOFT) if isinstance(lock.weight, tuple) else SOFT)


def _with_limits(s: Skeleton, limits: Mapping[int, tuple[float, float]]) -> Skeleton:
    """Return the figure with other limits of some degrees of freedom."""
    joints = [replace(joint, assumed={}) for joint in s.joints]  # masses need not be worked out again
    for k, (low, high) in limits.items():
        i = s.dof_joints[k]
        own = list(joints[i].dofs)
        own[k - s.first_dof[i]] = own[k - s.first_dof[i]]._replace(lo=low, hi=high)
        joints[i] = replace(joints[i], dofs=tuple(own))
    return Skeleton(s.name, joints)


def _widest(s: Skeleton, dof: int) -> tuple[float, float]:
    """Return how far the limits of a degree of freedom may be widened: to a joint that somebody could still have.

    Either end by 15 degrees, a length's by 5 cm, or by a quarter of the range if that is more; [rad], [m] or a plain
    number. In whole steps as they are shown, so that what is needed inside of it stays inside when it is shown; and no
    farther than the joint goes, as an open spline does.
    """
    low, high = (float(end) for end in s.limits[dof])
    unit, (least, most) = s.dof_units[dof], _domain(s, dof)
    span, step = high - low, _STEPS[unit]
    far = max(_WIDER[unit], _WIDER_PART * span if np.isfinite(span) else 0.0)
    lower = step * float(np.ceil((low - far) / step)) if np.isfinite(low) else low
    upper = step * float(np.floor((high + far) / step)) if np.isfinite(high) else high
    return max(min(lower, low), least), min(max(upper, high), most)


def _domain(s: Skeleton, dof: int) -> tuple[float, float]:
    """Return between which values of a degree of freedom there is a joint at all."""
    joint = s.dof_joints[dof]
    model = s.joints[joint].curved
    return (-np.inf, np.inf) if model is None else model.domain[dof - s.first_dof[joint]]


def _reaching(s: Skeleton, dof: int, value: float) -> tuple[float, float] | None:
    """Return the limits that let a joint go to a value, in whole steps as they are shown; None if it is inside."""
    low, high = (float(end) for end in s.limits[dof])
    if low <= value <= high:
        return None
    step, (least, most) = _STEPS[s.dof_units[dof]], _domain(s, dof)
    if value < low:
        return max(step * float(np.floor(value / step)), least), high
    return low, min(step * float(np.ceil(value / step)), most)


def _wider(s: Skeleton, dof: int, ends: tuple[float, float]) -> str:
    """Return what becomes of a limit: ``"Knee flex to -4.1°"``."""
    end = ends[0] if ends[0] < s.limits[dof][0] else ends[1]
    unit = s.dof_units[dof]
    if unit == NUMBER:
        return f"{s.dof_labels[dof]} to {end:.2f}"
    return f"{s.dof_labels[dof]} to " + (f"{100.0 * end:.1f} cm" if unit == LENGTH else f"{np.degrees(end):.1f}°")


def _others(s: Skeleton, needs: Mapping[int, tuple[float, float]]) -> list[str]:
    """Return what is said of the limits that are not named: ``"4 more by up to 5.1°"``."""
    rest = list(needs)[_MOST_NAMED:]
    if not rest:
        return []
    far = {k: float(np.abs(np.subtract(needs[k], s.limits[k])).max()) for k in rest}
    turns = [value for k, value in far.items() if s.dof_units[k] == ANGLE]
    lengths = [value for k, value in far.items() if s.dof_units[k] == LENGTH]
    if not turns and not lengths:
        return [f"{len(rest)} more"]
    most = f"{np.degrees(max(turns)):.1f}°" if turns else amount(max(lengths), np.nan)
    return [f"{len(rest)} more by up to {most}"]


def _still(result: LockResult, numbers: Sequence[int]) -> str:
    """Return how far off the worst of some locks is: ``"still 13.5 cm"``."""
    places, turns = result.position_residuals[list(numbers)], result.angle_residuals[list(numbers)]
    return f"still {amount(float(np.nanmax(places, initial=0.0)), float(np.nanmax(turns, initial=0.0)))}"
