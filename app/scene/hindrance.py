"""Why a part that is dragged is not at its goal: what the window shows and says about it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.words.dof_names import full_label
from core.kinematics import point_jacobian
from core.skeleton.dof import COORDINATE, HINGE

if TYPE_CHECKING:
    from core.ik import Result
    from core.ik.reach import Reach
    from core.skeleton import Skeleton

Array = NDArray[np.float64]

MOST_NAMED = 2
_BEYOND = (1.5e-3, 5e-4)
"""Share of the reach that the goal must lie beyond it to be called out of reach, and to stay called so."""
_HELD_UP = (1e-2, 5e-3)
"""Share of the reach that limits must keep the part from its goal by to be named, and to stay named."""
_HELD_INSIDE = (6e-2, 4e-2)
"""The same for a goal out of reach: a stretched limb whose last bit the limits keep back needs no more words."""
_AT_LIMIT = 5e-3
"""Share of its range within which a degree of freedom that was named as stopped still counts as at its limit."""


@dataclass(frozen=True)
class Stop:
    """A degree of freedom that the goal presses against its limit.

    Attributes:
        dof: Its number; ``q`` index is 3 more.
        side: -1 at its lower limit, 1 at its upper, 0 where something else holds it, such as a cone.
        label: Its name on screen.
        value: Where it is stopped, as text with its unit.
    """

    dof: int
    side: int
    label: str
    value: str


@dataclass(frozen=True)
class Hindrance:
    """Why a part is not at its goal.

    Attributes:
        reason: ``"out_of_reach"``, ``"limits"``, ``"straight"``, or "" if nothing hinders.
        stops: What is stopped, at most two; of a goal out of reach what keeps the part from the edge of it.
        beyond: By how much the goal lies beyond reach, from the sphere's nearest point on, for ``"out_of_reach"``,
            [m], else 0. Where limits hold the part inside the sphere it is further from its goal than that.
        center: Middle of the sphere that the part cannot leave, or enter, shape (3,), [m]; None unless out of reach,
            and for a part that runs along a spline, which has none.
        radius: Radius of that sphere, [m].
        tag: A few words beside the goal, or "". With no reason: that the solver had too few steps.
        brief: The same shorter, where there is little room.
        note: What the status line says about it, or "".
    """

    reason: str = ""
    stops: tuple[Stop, ...] = ()
    beyond: float = 0.0
    center: tuple[float, float, float] | None = None
    radius: float = 0.0
    tag: str = ""
    brief: str = ""
    note: str = ""


NONE = Hindrance()


def distance_text(metres: float) -> str:
    """Return a distance as a drag shows it: ``4.2 cm``, ``1.31 m``, below a centimetre ``3.4 mm``."""
    for unit, size, decimals in (("m", 1.0, 2), ("cm", 0.01, 1)):
        if round(metres / size, decimals) >= 1.0:
            return f"{metres / size:.{decimals}f} {unit}"
    return f"{metres * 1000.0:.1f} mm"


def value_text(kind: str, value: float) -> str:
    """Return a degree of freedom's value as the editor shows it: degrees, centimetres for a slide, or a number."""
    if kind == COORDINATE:
        text = f"{value + 0.0:.2f}"
    else:
        text = f"{math.degrees(value) + 0.0:.1f}°" if kind == HINGE else f"{value * 100.0 + 0.0:.1f} cm"
    return text.removeprefix("-") if not text.strip("-0.°cm ") else text.replace("-", "−")


class Watch:
    """Follows one drag and tells why its part is not at its goal, without flicker.

    What is told changes only when something else is clearly the case: between two reasons that are about as true lies
    a band in which the one told last stays, and a degree of freedom stays named while it is at its limit.

    Args:
        skeleton: The figure.
        joint: The dragged joint.
        point: The end-effector in its frame, shape (3,), [m].
        reach: What the lengths of the chain allow.
        limb: What the chain is called at the beginning of a sentence.

    Attributes:
        reach: What the lengths of the chain allow.
    """

    def __init__(self, skeleton: Skeleton, joint: int, point: Array, reach: Reach, limb: str):
        self._skeleton, self._joint, self._point = skeleton, joint, point
        self.reach, self._limb = reach, limb
        self._span = max(reach.outer, 1e-9) if math.isfinite(reach.outer) else 1.0
        self._reason = ""
        self._named: tuple[int, ...] = ()

    def carry(self, moved: Array) -> None:
        """Take note that the figure was moved as a whole, by (3,), [m]."""
        self.reach = self.reach._replace(center=self.reach.center + moved)

    def seen(self, result: Result, shown: Array, goal: Array, effector: Array, nudge: bool) -> Hindrance:
        """Do as ``look`` for a figure that may be on its way to what was found: no limit stops it before it is there.

        Args:
            result: What the solver found.
            shown: The pose shown, shape (nq,).
            goal: Where the end-effector should be, world, shape (3,), [m].
            effector: Where it is, shape (3,), [m].
            nudge: Whether straight limbs are bent.
        """
        if not np.array_equal(result.q, shown):
            there = [dof for dof in result.blocked if limit_side(self._skeleton, shown, dof) != 0]
            if result.converged or (result.reason == "limits" and not there and not result.short):
                return NONE
            result = replace(result, q=shown, blocked=tuple(there))
        return self.look(result, goal, effector, nudge)

    def look(self, result: Result, goal: Array, effector: Array, nudge: bool) -> Hindrance:
        """Take note of a solve; return what to tell.

        Args:
            result: What the solver found.
            goal: Where the end-effector should be, world, shape (3,), [m].
            effector: Where it is, shape (3,), [m].
            nudge: Whether straight limbs are bent.
        """
        missing = goal - effector
        self._reason = reason = self._reason_for(result, float(np.linalg.norm(missing)))
        if self._holds(result, float(np.linalg.norm(missing))):
            self._named = self._choose(result.q, result.blocked, missing)
        else:
            self._named = ()
        stops = tuple(stop_at(self._skeleton, result.q, dof) for dof in self._named)
        stopped = f"stopped by {at_limits(stops)}" if stops else ""
        if reason == "out_of_reach":
            x, y, z = self.reach.center.tolist()
            close = float(np.linalg.norm(goal - self.reach.center)) < self.reach.inner
            tag = f"{'too close' if close else 'out of reach'} by {distance_text(result.short)}"
            radius = self.reach.inner if close else self.reach.outer
            note = f"{tag}, {stopped}" if stopped else tag
            center = (x, y, z) if math.isfinite(radius) else None
            return Hindrance(reason, stops, result.short, center, radius if center else 0.0, tag, tag, note)
        if reason == "straight":
            note = f"{self._limb} is straight: nothing can bend it from here. Pull a little sideways"
            note = note if nudge else f"{note} or turn on Bend straight limbs"
            return Hindrance(reason, tag="the limb is straight", brief="straight", note=note)
        if reason == "limits":
            return Hindrance(reason, stops, tag=stopped_by(stops), brief=stopped_by(stops, 1), note=stopped)
        if self._is_on_its_way(result, float(np.linalg.norm(missing))):
            tag = f"{distance_text(float(np.linalg.norm(missing)))} left: too few steps"
            return Hindrance(tag=tag, brief="too few steps", note=tag)
        return NONE

    def _reason_for(self, result: Result, distance: float) -> str:
        if result.converged:
            return ""
        if self._is_on_its_way(result, distance):
            return ""
        if result.short > _BEYOND[self._reason == "out_of_reach"] * self._span:
            return "out_of_reach"  # whichever way the limb came there: one place, one explanation
        if self._holds(result, distance):
            return "limits"
        return "straight" if result.reason == "straight" else ""

    def _is_on_its_way(self, result: Result, distance: float) -> bool:
        """Return whether the solver had too few steps to get clearly nearer to where it could."""
        late = result.reason == "iterations" and not self._named  # what holds the part stays named while it does
        return late and distance - result.short > _HELD_UP[0] * self._span

    def _holds(self, result: Result, distance: float) -> bool:
        """Return whether limits keep the part from the place that is nearest to its goal within reach."""
        again = bool(self._named)
        if result.converged or not result.blocked:
            return False
        if not again and result.reason not in ("limits", "out_of_reach"):
            return False  # the solver is still on its way
        least = _HELD_INSIDE if self._reason == "out_of_reach" else _HELD_UP
        return distance - result.short > least[again] * self._span

    def _choose(self, q: Array, blocked: Sequence[int], missing: Array) -> tuple[int, ...]:
        """Return the degrees of freedom to name: those named before first, then those that would help most."""
        kept = [dof for dof in self._named if dof in blocked or self._is_near(q, dof)]
        if len(kept) < MOST_NAMED:
            J = point_jacobian(self._skeleton, q, self._joint, self._point)[:3]
            helps = {dof: abs(float(J[:, 3 + dof] @ missing)) for dof in blocked if dof not in kept}
            kept += sorted(helps, key=lambda dof: (-helps[dof], dof))
        return tuple(kept[:MOST_NAMED])

    def _is_near(self, q: Array, dof: int) -> bool:
        return limit_side(self._skeleton, q, dof) != 0


def stop_at(skeleton: Skeleton, q: Array, dof: int) -> Stop:
    """Return a degree of freedom with the limit that it is at, or with its value where something else holds it."""
    chosen = skeleton.all_dofs[dof]
    side = limit_side(skeleton, q, dof)
    value = float(q[3 + dof]) if side == 0 else float(chosen.lo if side < 0 else chosen.hi)
    return Stop(dof, side, full_label(skeleton, dof), value_text(chosen.kind, value))


def stopped_by(stops: Sequence[Stop], most: int = MOST_NAMED) -> str:
    """Return what is stopped in a few words: the first ones by name and limit, of the others how many there are.

    A left and a right one that are at the same limit are one.
    """
    if (both := both_sides(stops)) is not None:
        return f"stopped by {both} at {stops[0].value}"
    names = [f"{stop.label} at {stop.value}" for stop in stops[:most]]
    if len(stops) > most:
        names.append(f"{len(stops) - most} more")
    return f"stopped by {', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else f"stopped by {names[0]}"


def both_sides(stops: Sequence[Stop]) -> str | None:
    """Return the name of two stops that are each other's counterparts: ``Left and right foot bend``; else None."""
    if len(stops) != 2 or (stops[0].value, stops[0].side) != (stops[1].value, stops[1].side):
        return None
    (first, rest), (second, other) = (stop.label.split(" ", 1) if " " in stop.label else ("", "") for stop in stops)
    return f"Left and right {rest}" if rest == other and {first, second} == {"Left", "Right"} else None


def at_limits(stops: Sequence[Stop]) -> str:
    """Return where degrees of freedom are stopped, as the status line says it."""
    both = both_sides(stops)
    if both is not None and stops[0].side != 0:
        return f"{both} at their {_side(stops[0])} limit of {stops[0].value}"
    return " and ".join(_at(stop) for stop in stops)


def _at(stop: Stop) -> str:
    """Return where a degree of freedom is stopped, as the status line says it."""
    if stop.side == 0:
        return f"{stop.label} at {stop.value}"
    return f"{stop.label} at its {_side(stop)} limit of {stop.value}"


def _side(stop: Stop) -> str:
    return "lower" if stop.side < 0 else "upper"


def limit_side(skeleton: Skeleton, q: Array, dof: int, share: float = _AT_LIMIT) -> int:
    """Return at which limit a degree of freedom is, within a share of its range: -1, 1, or 0 for neither."""
    lo, hi, value = float(skeleton.all_dofs[dof].lo), float(skeleton.all_dofs[dof].hi), float(q[3 + dof])
    room = share * min(hi - lo, 2.0 * math.pi)
    below, above = value - lo, hi - value
    if min(below, above) > room:
        return 0
    return -1 if below <= above else 1
