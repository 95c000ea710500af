"""How a joint follows, in words, and what the rows of the joints panel show of it where that is not as usual."""

from __future__ import annotations

from app.document.following import is_changed
from app.widgets.setting_quantities import PERCENT, TIMES
from core.skeleton import Joint, Skeleton

FIRST = 3  # place in the pose vector of the first degree of freedom
RESPONSES = ("following", "weight", "resistance")
"""Names of changes of the figure after which it has the same degrees of freedom."""

RESISTANCES = (0.01, 1000.0)
"""What may be typed."""
RESPONSIVENESS = "How much of its share the joint takes; 0 % keeps it still"
STIFFNESS = "How hard the joint resists beside the others; CCD looks at responsiveness alone"


def follow_text(joint: Joint) -> str:
    """Return in a few characters how a joint follows where that is not as usual: ``35% 3.2×``; else ""."""
    parts = []
    if joint.weight != 1.0:
        parts.append(PERCENT.text(100.0 * joint.weight))
    if joint.resistance != 1.0:
        parts.append(TIMES.text(joint.resistance))
    return " · ".join(parts)


def mark_of(skeleton: Skeleton | None, index: int) -> tuple[str, str]:
    """Return the mark of a row, and the same in words; both "" if the joint follows as usual.

    Only the row of a joint's first degree of freedom has one.

    Args:
        skeleton: The figure.
        index: The row's place in the pose vector.
    """
    if skeleton is None or index < FIRST:
        return "", ""
    number = skeleton.dof_joints[index - FIRST]
    joint = skeleton.joints[number]
    if index - FIRST != skeleton.first_dof[number] or not is_changed(joint):
        return "", ""
    words = f"Responsiveness {PERCENT.text(100.0 * joint.weight)}, stiffness {TIMES.text(joint.resistance)}"
    return follow_text(joint), words
