"""What a degree of freedom is called where its group's title does not stand beside it, and a coordinate's letter."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.skeleton import Skeleton

COORDINATE_LETTERS = "SUVWPQR"
COORDINATE_TOKENS = ("coordinate_s", *("coordinate_u", "coordinate_v", "coordinate_s") * 2)
"""Colours of the coordinates of those letters, wherever one has a mark or a curve."""


def coordinate_number(skeleton: Skeleton, dof: int) -> int:
    """Return which letter a joint's coordinate has: S is the place on a curve, U and V that on a surface, and so on.

    Args:
        skeleton: The figure.
        dof: Number of the degree of freedom, of the kind ``"coordinate"``; ``q`` index is 3 more.
    """
    owner = skeleton.dof_joints[dof]
    return 0 if len(skeleton.joints[owner].dofs) == 1 else 1 + dof - skeleton.first_dof[owner]


def position_label(axis: int) -> str:
    """Return what a coordinate of the figure's position is called, 0 to 2."""
    return f"Position {'xyz'[axis]}"


def full_label(skeleton: Skeleton, dof: int) -> str:
    """Return the label of a degree of freedom; one that would stammer has its group's name in front instead.

    ``"Middle middle flex"`` in the group ``"Middle finger"`` is ``"Middle finger middle flex"``.

    Args:
        skeleton: The figure.
        dof: Number of the degree of freedom; ``q`` index is 3 more.
    """
    label = skeleton.dof_labels[dof]
    words = label.split()
    if len(words) < 2 or words[0].casefold() != words[1].casefold():
        return label
    joint = skeleton.dof_joints[dof]
    group = next((name for name, joints in skeleton.groups if joint in joints), "")
    return " ".join([group, *words[1:]]) if group.casefold().startswith(f"{words[0].casefold()} ") else label
