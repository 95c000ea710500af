"""Which joints a drag moves: from the dragged part up to a base, in the modes of Welman 6.2."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from core.errors import GoalError
from core.skeleton.skeleton import Skeleton

CHAIN_MODES = ("part", "limb", "up_to", "body")
"""Names of the drag modes."""


@dataclass(frozen=True)
class Chain:
    """A serial chain inside a skeleton.

    Attributes:
        joints: Joint indices from the base to the tip.
        base: The first joint that moves.
        dofs: Indices into ``q`` of all degrees of freedom that move, base first.
    """

    joints: tuple[int, ...]
    base: int
    dofs: tuple[int, ...]

    @property
    def tip(self) -> int:
        """The dragged joint."""
        return self.joints[-1]


def drag_chain(skeleton: Skeleton, joint: int | str, mode: str = "limb", base: int | str | None = None) -> Chain:
    """Return the joints that move when the part of ``joint`` is dragged.

    The chain grows from ``joint`` toward the root and stops, by ``mode``, at the first joint

    - ``"part"``: whose parent carries a body part: only this part moves;
    - ``"limb"``: whose parent has several children: the arm moves, the trunk stays. Where the figure has two sides,
      branches inside a limb, such as fingers, do not stop it: an arm ends at the trunk, which has no counterpart;
    - ``"up_to"``: that is ``base``;
    - ``"body"``: that is the root, whose rotations move too but not its translation.

    A part that cannot move on its parent, such as a mane or an eye, counts as a piece of it: the chain goes on to
    joints that move, and no chain stops because of such a child. A compound joint is always taken whole. Dragging the
    root moves its own degrees of freedom.

    Args:
        skeleton: The figure.
        joint: Index or name of the dragged part's joint.
        mode: One of ``CHAIN_MODES``.
        base: For ``"up_to"``: index or name of ``joint`` itself or a joint above it.

    Raises:
        JointError: If ``joint`` or ``base`` is not a joint.
        GoalError: If ``mode`` is unknown, or ``base`` is missing or not above ``joint``.

    Source: Welman (1993) section 6.2.
    """
    tip = skeleton.joint_index(joint)
    top = skeleton.joint_index(base) if mode == "up_to" and base is not None else None
    kept = _chains.setdefault(skeleton, {})
    chain = kept.get((tip, mode, top))
    if chain is None:
        chain = kept[tip, mode, top] = _chain(skeleton, tip, mode, top)
    return chain


_chains: WeakKeyDictionary[Skeleton, dict[tuple[int, str, int | None], Chain]] = WeakKeyDictionary()
"""Chains asked for before; a drag asks for its own several times an event."""


def _chain(skeleton: Skeleton, tip: int, mode: str, base: int | None) -> Chain:
    if mode not in CHAIN_MODES:
        raise GoalError(f'no drag mode "{mode}"; valid are {", ".join(CHAIN_MODES)}')
    up = ancestry(skeleton, tip)
    if mode == "up_to":
        if base is None:
            raise GoalError('drag mode "up_to" needs a base joint')
        top = base
        if top not in up:
            valid = ", ".join(skeleton.joints[i].name for i in up)
            names = skeleton.joints[top].name, skeleton.joints[tip].name
            raise GoalError(f'joint "{names[0]}" is not above "{names[1]}"; valid are {valid}')
    else:
        top = up[-1]
        moves = False
        sided = {joint for pair in skeleton.mirror_pairs for joint in pair}
        for i in up[:-1]:
            parent = skeleton.joints[i].parent
            moves = moves or bool(skeleton.joints[i].dofs)
            if moves and (
                (mode == "part" and skeleton.joints[parent].has_body)
                or (mode == "limb" and _branches(skeleton, parent) > 1 and not {i, parent} <= sided)
            ):
                top = i
                break
    top = _compound_top(skeleton, top)
    joints = tuple(reversed(up[: up.index(top) + 1]))
    dofs = tuple(3 + k for i in joints for k in range(skeleton.first_dof[i], skeleton.first_dof[i + 1]))
    return Chain(joints, top, dofs)


def ancestry(skeleton: Skeleton, joint: int) -> tuple[int, ...]:
    """Return ``joint``, its parent, and so on up to the root."""
    up = [joint]
    while skeleton.joints[up[-1]].parent >= 0:
        up.append(skeleton.joints[up[-1]].parent)
    return tuple(up)


def _branches(skeleton: Skeleton, joint: int) -> int:
    """Return how many children of a joint move, or carry one that does."""
    return sum(_moves(skeleton, child) for child in skeleton.children[joint])


def _moves(skeleton: Skeleton, joint: int) -> bool:
    return bool(skeleton.joints[joint].dofs) or any(_moves(skeleton, child) for child in skeleton.children[joint])


def _compound_top(skeleton: Skeleton, joint: int) -> int:
    """Return the first joint of the compound joint that ``joint`` belongs to, or ``joint`` itself."""
    for compound in skeleton.compounds:
        members = [skeleton.dof_joints[k] for k in compound]
        if joint in members:
            return min(members)
    return joint
