"""What a joint may not say: the same that is refused in a .scr file, reported all at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import PurePosixPath

import numpy as np

from core.arrays import Array
from core.skeleton.dof import COORDINATE, HINGE, SLIDE
from core.skeleton.joint import Joint
from core.skeleton.joint_type import type_dofs
from core.skeleton.objects.loading import SUFFIXES, stays_inside
from core.skeleton.scr.lexer import CONTROL, listed
from core.skeleton.scr.values import FARTHEST, MOST_FRICTION
from core.skeleton.ties import tie_problems


def _finite(values: object) -> bool:
    return bool(np.isfinite(np.asarray(values, dtype=np.float64)).all())


def name_problem(name: object, what: str = "name") -> str | None:
    """Return why a name cannot be, or None."""
    if not isinstance(name, str) or not name.strip():
        return f"a {what} cannot be empty"
    if CONTROL.search(name) or "\n" in name:
        return f"{what} {name!r} has control characters or a line break in it; expected text on one line"
    return None


def _places(joint: Joint) -> Iterator[str]:
    points: list[tuple[str, Array | None]] = [("offset", joint.offset), ("center", joint.center)]
    points += [("pivot", joint.pivot), *(("tip", tip) for tip in joint.tips)]
    for what, point in points:
        if point is not None and not (np.abs(point) <= FARTHEST).all():
            yield f"{what} {point.tolist()} is not a point within {FARTHEST:g} m"
    if not _finite(joint.orientation):
        yield f"orientation {joint.orientation.tolist()} is not three finite angles"
    if not ((joint.scale > 0.0) & np.isfinite(joint.scale)).all():
        yield f"scale {joint.scale.tolist()} makes no sense; expected finite numbers more than 0"


def _motion(joint: Joint) -> Iterator[str]:
    for k, dof in enumerate(joint.dofs):
        what = f"degree of freedom {k + 1}"
        if dof.kind not in (HINGE, SLIDE) and (dof.kind != COORDINATE or joint.curved is None):
            yield f'{what} is of kind "{dof.kind}"; expected {HINGE} or {SLIDE}'
        if not abs(float(np.linalg.norm(dof.axis)) - 1.0) < 1e-9:
            yield f"{what} has axis {dof.axis.tolist()}; expected one of unit length"
        if not dof.lo <= dof.hi:
            yield f"{what} has limits {dof.lo:g} and {dof.hi:g}; expected the lower one not above the upper one"
        elif dof.lo == math.inf or dof.hi == -math.inf:
            yield f"{what} has limits {dof.lo:g} and {dof.hi:g}, which leave no room"
    for dof, own in zip(joint.dofs, type_dofs(joint.curved) if joint.curved is not None else (), strict=False):
        ends = [limit for limit in (dof.lo, dof.hi) if math.isfinite(limit) and not own.lo <= limit <= own.hi]
        if ends:
            name = joint.curved.type_name if joint.curved is not None else ""
            yield f"limit {ends[0]:g} lies outside the {name}, which runs from {own.lo:g} to {own.hi:g}"
    for label in joint.dof_labels:
        problem = name_problem(label, "label") if label else None
        if problem:
            yield problem
    if joint.cone is not None and not 0.0 < joint.cone <= math.pi:
        yield f"cone {joint.cone:g} makes no sense; expected more than 0, at most pi"


def _body(joint: Joint) -> Iterator[str]:
    if joint.mass is not None and not (joint.mass >= 0.0 and math.isfinite(joint.mass)):
        yield f"mass {joint.mass:g} makes no sense; expected 0 or more"
    if joint.inertia is not None:
        inertia = joint.inertia
        largest = float(np.abs(inertia).max()) if _finite(inertia) else math.nan
        if not largest > 0.0 or np.linalg.eigvalsh(inertia / largest)[0] <= 0.0:
            yield "the inertia is not positive definite; no body has it"
        elif np.abs(inertia - inertia.T).max() > 1e-9 * largest:
            yield "the inertia is not symmetric; no body has it"
    for part in joint.objects:
        problem = name_problem(part.file, "object's file name")
        if problem:
            yield problem
        elif not stays_inside(part.file) or PurePosixPath(part.file).suffix.casefold() not in SUFFIXES:
            yield f'object "{part.file}" cannot be; expected a relative path of a file {listed(SUFFIXES)}'


def _numbers(joint: Joint) -> Iterator[str]:
    if not 0.0 <= joint.weight <= 1.0:
        yield f"weight {joint.weight:g} makes no sense; expected a number from 0 to 1"
    if not (joint.resistance > 0.0 and math.isfinite(joint.resistance)):
        yield f"resistance {joint.resistance:g} makes no sense; expected more than 0"
    if joint.stiffness is not None:
        if not (joint.stiffness[0] >= 0.0 and _finite(joint.stiffness)):
            yield f"stiffness {joint.stiffness} makes no sense; expected 0 or more, and a finite rest angle"
    for what in ("damping", "viscous"):
        value = getattr(joint, what)
        if not (value >= 0.0 and math.isfinite(value)):
            yield f"{what} {value:g} makes no sense; expected 0 or more"
    if not math.isfinite(joint.motor):
        yield f"motor {joint.motor:g} makes no sense; expected a finite number"
    if joint.coulomb is not None:
        friction, *sizes = joint.coulomb
        known = [size for size in sizes if size is not None]
        if not (friction >= 0.0 and math.isfinite(friction)) or any(not (0.0 < size < math.inf) for size in known):
            yield f"coulomb {joint.coulomb} makes no sense; expected friction 0 or more, and sizes more than 0"
        elif len(known) == 1:
            yield "coulomb has a radius or a height but not the other; expected both or neither"
    if joint.friction is not None and not (0.0 <= joint.friction <= MOST_FRICTION):
        yield f"friction {joint.friction:g} makes no sense; expected a number from 0 to {MOST_FRICTION:g}"
    if joint.color is not None and not all(0.0 <= value <= 1.0 for value in joint.color):
        yield f"color {joint.color} makes no sense; expected three numbers from 0 to 1"


def joint_problems(joint: Joint) -> Iterator[str]:
    """Yield what is wrong with a joint's values, each as one line that names the value and what would be right."""
    problem = name_problem(joint.name)
    if problem:
        yield problem
    yield from _places(joint)
    yield from _motion(joint)
    yield from _body(joint)
    yield from _numbers(joint)
    yield from tie_problems(joint)
