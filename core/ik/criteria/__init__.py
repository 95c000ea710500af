"""Second aims for redundant chains: what ``solve(secondary=...)`` takes."""

from __future__ import annotations

from typing import Any

from core.errors import GoalError
from core.ik.criteria.criterion import Criterion, Kind, Posture
from core.ik.criteria.joint_range import JOINT_RANGE
from core.ik.criteria.manipulability import MANIPULABILITY
from core.ik.criteria.obstacles import OBSTACLES, Solid
from core.ik.criteria.reference_pose import REFERENCE_POSE
from core.skeleton.skeleton import Skeleton

__all__ = ["CRITERIA", "Criterion", "Kind", "Posture", "Solid", "make_criterion"]

CRITERIA: tuple[Kind, ...] = (JOINT_RANGE, REFERENCE_POSE, MANIPULABILITY, OBSTACLES)
"""Every criterion that has a name, in the order menus show them."""


def make_criterion(skeleton: Skeleton, secondary: Any) -> Criterion:
    """Return the criterion that ``solve``'s ``secondary`` stands for.

    Args:
        skeleton: The figure.
        secondary: A name of ``CRITERIA``, a pair of a name and what it needs, or a ``Criterion`` itself.

    Raises:
        GoalError: If it is none of these, or what comes with the name makes no sense.
    """
    if isinstance(secondary, Criterion) and not isinstance(secondary, type):
        return secondary
    name, data = secondary, None
    if isinstance(secondary, (tuple, list)) and len(secondary) == 2 and isinstance(secondary[0], str):
        name, data = secondary
    if not isinstance(name, str):
        raise GoalError(
            f"secondary is {secondary!r}; it must be a name, a pair of a name and its data, or a Criterion; "
            f"names are {', '.join(kind.name for kind in CRITERIA)}"
        )
    for kind in CRITERIA:
        if kind.name == name:
            if kind.needs and data is None:
                raise GoalError(f'criterion "{name}" needs {kind.needs}; pass secondary=("{name}", ...)')
            if not kind.needs and data is not None:
                raise GoalError(f'criterion "{name}" takes nothing with it, but {data!r} was given')
            return kind.make(skeleton, data)
    raise GoalError(f'no criterion "{name}"; valid are {", ".join(kind.name for kind in CRITERIA)}')
