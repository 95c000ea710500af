"""Formulations and integrators as a person reads them."""

from __future__ import annotations

from collections.abc import Sequence

CONTACT_STEP = "Contact step"
_FORMULATIONS = {
    "recursive": "Recursive (articulated body)",
    "redmax": "Reduced (RedMax)",
    "maximal": "Maximal coordinates",
    "symbolic": "Generated code",
    "mixed": "Generated code and recursion",
    "fastest": "Fastest for the figure",
    "hakenberg": "Hakenberg (E and σ)",
    "lagrangian": "Lagrangian",
}


def formulation_label(name: str) -> str:
    """Return what people call a formulation; one that is not known here by its own name."""
    return _FORMULATIONS.get(name, name.replace("_", " ").capitalize())


def left_out_text(items: Sequence[str]) -> str:
    """Return what a method leaves out as a line, "" for nothing: ``Not simulated: the floor, 2 locks``."""
    return f"Not simulated: {', '.join(items)}" if items else ""
