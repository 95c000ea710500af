"""A frame of one body and a frame of another are joined as by a joint: welds, hinges, sliders that close loops."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.constraints.residuals import FrameResidual
from core.dynamics.arrays import pose_matrix
from core.dynamics.body_names import body_index
from core.dynamics.constraints.base import BodyConstraint, body_name
from core.dynamics.constraints.points import pair_rows
from core.dynamics.constraints.rows import BodyRows
from core.dynamics.constraints.situation import Situation
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

_ALL = (0, 1, 2)
_PARALLEL = ((0, 1), (1, 2), (2, 0))
_Z_ALONG_Z = ((0, 2), (1, 2))

KINDS: dict[str, tuple[tuple[int, ...], tuple[tuple[int, int], ...]]] = {
    "weld": (_ALL, _PARALLEL),
    "hinge": (_ALL, _Z_ALONG_Z),
    "ball": (_ALL, ()),
    "universal": (_ALL, ((0, 1),)),
    "slide": ((0, 1), _PARALLEL),
    "cylinder": ((0, 1), _Z_ALONG_Z),
    "plane": ((2,), ((2, 0), (2, 1))),
}
"""By kind the axes k of frame A along which the origins do not part, and pairs (i, j) of axes, i of A and j of B,
that stay square to each other. A hinge turns about z, a slide runs along z, a cylinder does both, a plane has z for its
normal; a universal joint turns about x of A and y of B."""


def _identity() -> Array:
    return np.eye(4)


@dataclass(frozen=True, eq=False)
class LoopJoint(BodyConstraint):
    """Frame A of a body and frame B of another body, or of the world, are joined as by a joint of some kind.

    ``g = x_k^A . (p_B - p_A)`` and ``g = x_i^A . x_j^B`` for the axes that the kind names. Every row is exact with its
    directions turning. Rows that the joints of the tree imply already are redundant and do no harm.

    Attributes:
        body_a: Index or name; -1 or "world" is the world.
        body_b: Index or name; -1 or "world" is the world.
        frame_a: Pose of frame A in body A, shape (4, 4).
        frame_b: Pose of frame B in body B, shape (4, 4).
        kind: A name in ``KINDS``.

    Raises:
        DynamicsError: If a pose is no rigid transform or there is no such kind.

    Source: Sueda 1.10: rows of the adjoint dropped by the kind of joint.
    """

    body_a: int | str
    body_b: int | str
    frame_a: ArrayLike = field(default_factory=_identity)
    frame_b: ArrayLike = field(default_factory=_identity)
    kind: str = "weld"

    failure = "cannot close"

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame_a", pose_matrix(self.frame_a, "frame A of a loop"))
        object.__setattr__(self, "frame_b", pose_matrix(self.frame_b, "frame B of a loop"))
        check_kind(self.kind)

    def describe(self, model: Multibody) -> str:
        """Return what messages call it."""
        return f"{self.kind} between {body_name(model, self.body_a)} and {body_name(model, self.body_b)}"

    def body_rows(self, at: Situation) -> BodyRows:
        """Return one to six rows."""
        a, b = body_index(at.model, self.body_a), body_index(at.model, self.body_b)
        if a == b:
            raise DynamicsError(f"{self.describe(at.model)}: a loop needs two different bodies")
        residual, start, end = frame_residual(self.frame_a, self.frame_b, self.kind)
        return pair_rows(residual, at, a, start, b, end)


def check_kind(kind: str) -> None:
    """Refuse a kind of joint that is not in ``KINDS``.

    Raises:
        DynamicsError: If it is not; lists those there are.
    """
    if kind not in KINDS:
        raise DynamicsError(f"kind of a loop is {kind!r}; there are {', '.join(KINDS)}")


def frame_residual(frame_a: ArrayLike, frame_b: ArrayLike, kind: str) -> tuple[FrameResidual, Array, Array]:
    """Return the residual that joins two frames, and their origins in their bodies.

    Args:
        frame_a: Pose of frame A in body A, shape (4, 4).
        frame_b: Pose of frame B in body B, shape (4, 4).
        kind: A name in ``KINDS``.
    """
    in_a, in_b = np.asarray(frame_a, dtype=np.float64), np.asarray(frame_b, dtype=np.float64)
    return FrameResidual(in_a[:3, :3], in_b[:3, :3], *KINDS[kind]), in_a[:3, 3], in_b[:3, 3]
