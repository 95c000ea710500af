"""Ways to find contact impulses and friction. A new one is a module with a class, and a line in ``CONTACT_METHODS``."""

from core.dynamics.contact.methods.base import ContactMethod
from core.dynamics.contact.methods.bilateral import BilateralStaggeredProjections
from core.dynamics.contact.methods.frictionless import Frictionless
from core.dynamics.contact.methods.program import Impulses, Program, Rubbing
from core.dynamics.contact.methods.single_qp import FixedPoint, SingleQP
from core.dynamics.contact.methods.staggered import StaggeredProjections
from core.errors import DynamicsError

CONTACT_METHODS: tuple[type[ContactMethod], ...] = (
    Frictionless,
    SingleQP,
    FixedPoint,
    StaggeredProjections,
    BilateralStaggeredProjections,
)


def find_contact_method(chosen: str | ContactMethod) -> ContactMethod:
    """Return a contact method by name; one with its own settings as it is.

    Raises:
        DynamicsError: If there is none of that name; lists those there are.
    """
    if isinstance(chosen, ContactMethod):
        return chosen
    for kind in CONTACT_METHODS:
        if kind.name == chosen:
            return kind()
    names = ", ".join(kind.name for kind in CONTACT_METHODS)
    raise DynamicsError(f"there is no contact method {chosen!r}; there are {names}")


__all__ = [
    "CONTACT_METHODS",
    "BilateralStaggeredProjections",
    "ContactMethod",
    "FixedPoint",
    "Frictionless",
    "Impulses",
    "Program",
    "Rubbing",
    "SingleQP",
    "StaggeredProjections",
    "find_contact_method",
]
