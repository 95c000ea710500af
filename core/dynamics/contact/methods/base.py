"""What a contact method is: it finds the impulses of a step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from core.arrays import Array
from core.dynamics.contact.methods.program import Impulses, Program


class ContactMethod(ABC):
    """A way to find contact impulses and friction. A new one is a module with a class, a line in ``CONTACT_METHODS``.

    Attributes:
        name: What ``simulate(contact=...)`` takes.
        label: What people call it.
        description: One sentence on its character.
        rubs: Whether it takes friction in joints.
        last: What the last step came to; None before the first one.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    description: ClassVar[str]
    rubs: ClassVar[bool] = False
    last: Impulses | None = None

    @abstractmethod
    def solve(self, program: Program, drag: Array) -> Impulses:
        """Return the impulses of a step.

        Args:
            program: The rows.
            drag: Friction of the step before at the same contacts, 0 at new ones, shape (2 k,).
        """
