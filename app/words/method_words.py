"""Formulations and integrators as a person reads them."""

from __future__ import annotations

from collections.abc import Sequence

CONTACT_STEP = "Contact step"
OWN_EQUATIONS = "The integrator's own"
"""What counts where an integrator has equations of its own."""
NO_CONTACTS = "Nothing touches"
"""What is chosen where an integrator could find contacts and is not to."""
_FORMULATIONS = {
    "recursive": "Recursive (articulated body)",
    "redmax": "Reduced (RedMax)",
    "maximal": "Maximal coordinates",
    "symbolic": "Generated code",
    "mixed": "Generated code and recursion",
    "fastest": "Fastest for the figure",
    "hakenberg": "Hakenberg (hinges and balls)",
    "lagrangian": "Lagrangian",
}


def formulation_label(name: str) -> str:
    """Return what people call a formulation; one that is not known here by its own name."""
    return _FORMULATIONS.get(name, name.replace("_", " ").capitalize())


def left_out_text(items: Sequence[str]) -> str:
    """Return what a method leaves out as a line, "" for nothing: ``Not simulated: the floor, 2 locks``."""
    return f"Not simulated: {', '.join(items)}" if items else ""


def method_text(refusal: str, items: Sequence[str]) -> str:
    """Return why a method refuses a scene and what it leaves out, a line each; "" if there is nothing to say."""
    return "\n".join(line for line in (refusal[:1].upper() + refusal[1:], left_out_text(items)) if line)
