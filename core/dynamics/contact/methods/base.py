"""What a contact method is: it finds the impulses of a step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from core.arrays import Array
from core.dynamics.contact.methods.program import Impulses, Program
from core.errors import DynamicsError


class ContactMethod(ABC):
    """A way to find contact impulses and friction. A new one is a module with a class, a line in ``CONTACT_METHODS``.

    Attributes:
        name: What ``simulate(contact=...)`` takes.
        label: What people call it.
        description: One sentence on its character.
        rubs: Whether it takes friction in joints.
        regularizer: What it adds to the diagonals of Delassus matrices, [1/kg]; None for a share of their mean.
        last: What the last step came to; None before the first one.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    description: ClassVar[str]
    rubs: ClassVar[bool] = False
    regularizer: float | None = None
    last: Impulses | None = None

    @abstractmethod
    def solve(self, program: Program, drag: Array) -> Impulses:
        """Return the impulses of a step.

        Args:
            program: The rows.
            drag: Friction of the step before at the same contacts, 0 at new ones, shape (2 k,).
        """


class IteratedMethod(ContactMethod):
    """A contact method that solves programs by turns until something stays.

    Args:
        passes: How many turns a step at most; then the last one counts.
        tolerance: Change from turn to turn that ends them; of what, each method says.

    Raises:
        DynamicsError: If a number makes no sense.
    """

    def __init__(self, passes: int, tolerance: float) -> None:
        if not passes >= 1 or not tolerance > 0.0:
            raise DynamicsError(f"{passes} passes to {tolerance}: expected 1 or more, and a tolerance greater than 0")
        self.passes, self.tolerance = passes, tolerance
