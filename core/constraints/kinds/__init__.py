"""Every kind of lock, one file each. A new one is tested by being in ``KINDS``."""

from __future__ import annotations

from core.constraints.kinds.aim import AIM
from core.constraints.kinds.balance import BALANCE
from core.constraints.kinds.base import Deviation, Kind
from core.constraints.kinds.carry import CARRY
from core.constraints.kinds.distance import DISTANCE
from core.constraints.kinds.equation import EQUATION
from core.constraints.kinds.line import LINE
from core.constraints.kinds.orientation import ORIENTATION
from core.constraints.kinds.path import PATH
from core.constraints.kinds.plane import PLANE
from core.constraints.kinds.point_pair import POINT_PAIR
from core.constraints.kinds.pose import POSE
from core.constraints.kinds.position import POSITION
from core.errors import LockError

__all__ = ["KINDS", "Deviation", "Kind", "find_kind"]

KINDS: tuple[Kind, ...] = (
    POSITION, ORIENTATION, POSE, PLANE, LINE, PATH, POINT_PAIR, CARRY, DISTANCE, AIM, BALANCE, EQUATION,
)  # fmt: skip
"""Every kind of lock, in the order menus show them."""

_BY_NAME = {kind.name: kind for kind in KINDS}


def find_kind(name: object, where: str = "lock") -> Kind:
    """Return the kind called ``name``.

    Raises:
        LockError: If there is none; lists the valid names.
    """
    kind = _BY_NAME.get(name) if isinstance(name, str) else None
    if kind is None:
        raise LockError(f'{where}: no kind "{name}"; valid are {", ".join(_BY_NAME)}')
    return kind
