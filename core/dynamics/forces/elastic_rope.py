"""A rope that gives way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from core.dynamics.forces.path_kernel import ROPE
from core.dynamics.forces.spring_damper import SpringDamper


@dataclass(frozen=True, eq=False)
class ElasticRope(SpringDamper):
    """A rope through points: slack while it is shorter than its length, else a spring and a damper that only pull.

    Attributes:
        bodies, points: As ``PathForce`` has them.
        stiffness: ``k``, 0 or more, [N/m].
        rest_length: ``L``, up to which it is slack, 0 or more, [m].
        damping: ``d``, 0 or more, [N s/m].
    """

    label: ClassVar[str] = "Elastic rope"
    description: ClassVar[str] = "Pulls along points of bodies where these are farther apart than its length."
    law: ClassVar[int] = ROPE
