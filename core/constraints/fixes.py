"""Ways out of a conflict of locks, tried before they are offered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from core.constraints.conflict_words import amount, capital, held_thing, part
from core.constraints.feasible import TOLERANCE, Trials
from core.constraints.lock import Lock
from core.constraints.places import Places
from core.constraints.solve_locks import LockResult, LockSolver
from core.skeleton.skeleton import SLIDE, Array, Skeleton

SOFT = 0.5
"""Weight of a lock that is made soft."""
_RANK = {"pose": 3, "position": 3, "point_pair": 2, "distance": 2, "plane": 2, "line": 2, "orientation": 1, "aim": 1}
_GROUND = np.array([0.0, 1.0, 0.0])
_SLIGHT = 1e-3  # [m]
_SLACK = 2e-3  # [m]
_HARDLY = 1e-4  # [m] or [rad]: what may be left of a lock that a fix is to hold
_MOST = 60  # steps, also of locks that yield: how far off they end is told
_ROUNDS = 3
_WIDEST = np.pi


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
    return (float(bears), float(_RANK.get(lock.kind, 0)), float(-number))


class Remedies:
    """Ways out of one conflict.

    Args:
        trials: What was found out about the locks.
        locks: All locks, bound.
        chosen: Those in conflict.
    """

    def __init__(self, trials: Trials, locks: Sequence[Lock], chosen: Sequence[int]):
        from core.constraints.support import standing_parts

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
        found = [self._soften(least), self._free(), self._plane(least), self._move(), self._limit()]
        found += [self._drop(i) for i in self.order[:3]]
        return tuple(fix for fix in found if fix is not None)

    def _name(self, i: int) -> str:
        """What a lock holds, in words; with its number where the set has two of them."""
        s = self.trials.skeleton
        name = held_thing(s, self.locks[i])
        twice = sum(held_thing(s, self.locks[k]) == name for k in self.chosen) > 1
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
        way = self._softened().errors[i, :3]
        across = np.cross(_GROUND, way)
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
            way = -result.errors[i, :3]
            # A little further, or stretched legs would just reach.
            way *= 1.0 + _SLACK / max(float(np.linalg.norm(way)), _SLACK)
            target = np.array(lock.target)
            if lock.kind == "pose":
                target[:3, 3] += way
            else:
                target += way
            moved = replace(lock, target=target)
            down = way[1] < 0.0 and -way[1] > 0.7 * float(np.linalg.norm(way))
            verb = "Lower" if down else "Move"
            title = f"{verb} {part(s, 0)} by {amount(float(np.linalg.norm(way)), 0.0)}"
            fix = self._tried(title, "move", {i: moved}, q=result.q)
            if fix is not None:
                return fix
        known = self.trials.known(self.trials.hard)
        if known is None:
            return None
        down = float(self.trials.q[1] - known[1])
        title = f"Lower {part(s, 0)} by {amount(down, 0.0)}" if down > 0.01 else "Take a pose that holds them all"
        return Fix(title, "pose", q=known, joint=0)

    def _limit(self) -> Fix | None:
        """A joint's limit that stands in the way: where the joint would have to go."""
        from core.constraints.conflicts import blocking_limits

        trials, s = self.trials, self.trials.skeleton
        mask = sum(1 << i for i in self.chosen)
        chosen = [trials.locks[i] for i in self.chosen]
        pose, freed = trials.compromise(mask).q, s
        blocked: tuple[int, ...] = ()
        for _ in range(_ROUNDS):
            more = blocking_limits(freed, pose, chosen, trials.figures)
            if not set(more) - set(blocked):
                return None
            blocked = tuple(sorted({*blocked, *more}))
            freed = _without_limits(s, blocked)
            solver = LockSolver(freed, chosen, tolerance=TOLERANCE, figures=trials.figures, q=trials.q)
            result = solver.project(pose)
            if result.held:
                break
            pose = result.q
        else:
            return None
        needs: dict[int, tuple[float, float]] = {}
        for k in blocked:
            low, high = s.limits[k]
            value = float(result.q[3 + k])
            if not low <= value <= high:
                needs[k] = (min(float(low), value), max(float(high), value))
        # A joint that would have to go round to its back is no way out.
        if not needs or any(s.all_dofs[k].kind != SLIDE and np.abs(ends).max() > _WIDEST for k, ends in needs.items()):
            return None
        label = s.dof_labels
        if len(needs) == 1:
            k, (low, high) = next(iter(needs.items()))
            bound = low if low < s.limits[k][0] else high
            title = f"Widen {label[k]} to {_value(s, k, bound)}"
        else:
            title = f"Widen {' and '.join(label[k] for k in list(needs)[:2])}" + (" ..." if len(needs) > 2 else "")
        return Fix(title, "limit", joint=s.dof_joints[next(iter(needs))], limits=needs)

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


def _without_limits(s: Skeleton, dofs: Sequence[int]) -> Skeleton:
    """Return the figure with some degrees of freedom free to go as far as they need."""
    joints = [replace(joint, assumed={}) for joint in s.joints]  # masses need not be worked out again
    for k in dofs:
        i = s.dof_joints[k]
        own = list(joints[i].dofs)
        own[k - s.first_dof[i]] = own[k - s.first_dof[i]]._replace(lo=-np.inf, hi=np.inf)
        joints[i] = replace(joints[i], dofs=tuple(own))
    return Skeleton(s.name, joints)


def _value(s: Skeleton, dof: int, value: float) -> str:
    if s.all_dofs[dof].kind == SLIDE:
        return amount(abs(value), np.nan)
    return f"{np.degrees(value):.0f}°"
