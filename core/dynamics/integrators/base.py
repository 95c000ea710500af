"""What an integrator is: it takes a system from one row of a trajectory to the next one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from core.arrays import Array
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.constraints import Constraint
    from core.dynamics.multibody import Multibody
    from core.dynamics.scene import Scene
    from core.dynamics.system import System

_INSTEAD = "with contacts and cones FollowingCoordinate does the same as a constraint, figure_ties for a figure"


class Integrator(ABC):
    """A way to step through time. One is used for one simulation at a time; it may remember earlier steps.

    Attributes:
        name: What ``simulate(integrator=...)`` takes.
        label: What people call it.
        description: One sentence on its character.
        equalities: Whether it takes constraints that are equations.
        limits: Whether it takes constraints that are inequalities.
        touches: Whether it takes contacts in a way of its own.
        rubs: Whether it takes dry friction in bearings in a way of its own.
        meets: Whether it takes contacts by the methods of ``CONTACT_METHODS``.
        reductions: Whether it takes hyper-reduced coordinates.
        early_charts: Whether joints change their charts as soon as another one is as good: a step along the rates at
            one place errs the more, the further a rotation vector is from zero.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    description: ClassVar[str]
    equalities: ClassVar[bool] = True
    limits: ClassVar[bool] = False
    touches: ClassVar[bool] = False
    rubs: ClassVar[bool] = False
    meets: ClassVar[bool] = False
    reductions: ClassVar[bool] = False
    early_charts: bool = False

    @classmethod
    def takes(cls, constraint: Constraint) -> bool:
        """Return whether this integrator can hold a constraint."""
        return cls.equalities if constraint.equality else cls.limits

    @classmethod
    def works_by(cls, formulation: str, constrained: bool) -> str | None:
        """Return the formulation that counts where one is chosen; None where the integrator has equations of its own.

        Args:
            formulation: The one that is chosen.
            constrained: Whether there are constraints.
        """
        return formulation

    def check(self, scene: Scene, others: Sequence[type[Integrator]], contact: str | None = None) -> None:
        """Check that this integrator can take contacts and all constraints of a scene.

        Args:
            scene: What is to be simulated.
            others: Who else there is, for the message.
            contact: Name of the contact method that was asked for, if one was.

        Raises:
            DynamicsError: If it cannot; names what and who can.
        """
        meeting = " and ".join(kind.name for kind in others if kind.meets)
        if contact is not None and not self.meets:
            raise DynamicsError(f"{self.name} does not take the contact method {contact}; {meeting} do")
        if scene.contacts is not None and not self.touches and contact is None:
            raise DynamicsError(
                f"{self.name} does not take contacts; contact does, and with a contact method {meeting} do"
            )
        if scene.bearings and contact is None and not self.rubs:
            raise DynamicsError(f"{self.name} alone does not take bearings; contact and the contact method bisp do")
        if scene.reduction is not None and not self.reductions:
            *most, last = (kind.name for kind in others if kind.reductions)
            others_do = f"{', '.join(most)} and {last} do"
            raise DynamicsError(f"{self.name} does not take hyper-reduced coordinates; {others_do}, and {_INSTEAD}")
        if scene.reduction is not None and contact is not None:
            raise DynamicsError(
                f"the contact method {contact} does not take hyper-reduced coordinates: its impulses act in those of "
                f"the joints; {_INSTEAD}"
            )
        for constraint in scene.constraints:
            if not self.takes(constraint):
                *most, last = (kind.name for kind in others if kind.takes(constraint))
                who = f"{', '.join(most)} and {last} do" if most else f"{last} does"
                raise DynamicsError(f"{self.name} does not take {type(constraint).__name__}; {who}")

    def begin(self, system: System, x: Array, v: Array) -> None:  # noqa: B027 - most remember nothing
        """Forget earlier steps: a simulation starts in this state."""

    @abstractmethod
    def step(self, system: System, t: float, x: Array, v: Array, h: float) -> tuple[Array, Array]:
        """Return coordinates and rates at ``t + h``, new arrays; ``x`` and ``v`` are those at ``t`` [s]."""

    def recharted(self, before: Multibody, system: System, x: Array, v: Array) -> None:  # noqa: B027 - as above
        """Carry what is remembered into the present charts of ``system``.

        Args:
            before: The model in the charts that were left.
            system: In its new charts.
            x: Present coordinates in the new charts.
            v: Present rates in the new charts.
        """
