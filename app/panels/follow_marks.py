"""How a joint follows, in words, and what the rows of the joints panel show of it where that is not as usual."""

from __future__ import annotations

from app.widgets.fields.setting_quantities import PERCENT, TIMES
from core.skeleton import Joint, Skeleton

FIRST = 3  # place in the pose vector of the first degree of freedom
RESPONSES = ("following", "weight", "resistance")
"""Names of changes of the figure after which it has the same degrees of freedom."""

RESISTANCES = (0.01, 1000.0)
"""What may be typed."""
RESPONSIVENESS = "How much of its share the joint takes; 0% keeps it still"
STIFFNESS = "How strongly the joint resists compared with the others; CCD uses responsiveness only"


def follow_text(joint: Joint) -> str:
    """Return in a few characters how a joint follows where that is not as usual: ``35% 3.2×``; else "".

    What differs by less than its digits show is as usual.
    """
    weight, resistance = PERCENT.text(100.0 * joint.weight), TIMES.text(joint.resistance)
    parts = [text for text, usual in ((weight, PERCENT.text(100.0)), (resistance, TIMES.text(1.0))) if text != usual]
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
    text = follow_text(joint)
    if index - FIRST != skeleton.first_dof[number] or not text:
        return "", ""
    words = f"Responsiveness {PERCENT.text(100.0 * joint.weight)}, stiffness {TIMES.text(joint.resistance)}"
    return text, words
