"""Groups of a .scr file while a figure is being changed: which groups open between a joint and its parent.

In a .scr file each joint is the child of the joint before it, and a group is a branch. So the groups of a figure are
told by those that open between a joint and its parent: none where the joint carries the parent's list on, one where a
branch begins, more where groups are nested at once. Kept by joint, they survive joints that come, go and move.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.skeleton.joint import Group
from core.skeleton.skeleton import Skeleton


class Opening:
    """One group that opens; two joints that share one are in the same group.

    Attributes:
        name: The group's name.
    """

    def __init__(self, name: str):
        self.name = name


Openings = tuple[Opening, ...]


def openings(s: Skeleton) -> list[Openings]:
    """Return for each joint the groups that open between its parent and it, outermost first.

    None open anywhere in a figure whose layout is missing or does not tell the same tree as its joints.
    """
    nothing: list[Openings] = [()] * len(s.joints)
    if s.layout is None:
        return nothing
    found: list[Openings] = list(nothing)
    seen: set[int] = set()
    # Each level: what is left of its items, the joint they hang on, the groups opened since that joint.
    stack: list[tuple[Iterator[int | Group], int, Openings]] = [(iter(s.layout), -1, ())]
    while stack:
        items, previous, opened = stack.pop()
        for item in items:
            if isinstance(item, Group):
                stack.append((items, previous, opened))
                stack.append((iter(item.items), previous, (*opened, Opening(item.name))))
                break
            if item in seen or not 0 <= item < len(s.joints) or s.joints[item].parent != previous:
                return nothing
            seen.add(item)
            found[item] = opened
            previous, opened = item, ()
    return found if len(seen) == len(s.joints) else nothing


class _Branch:
    """What hangs on one joint, or on it inside one group: joints, and groups in the order of their first joint."""

    def __init__(self) -> None:
        self.items: list[str | tuple[Opening, _Branch]] = []
        self.groups: dict[Opening, _Branch] = {}

    def put(self, name: str, opened: Openings) -> None:
        if not opened:
            self.items.append(name)
            return
        if opened[0] not in self.groups:
            self.groups[opened[0]] = _Branch()
            self.items.append((opened[0], self.groups[opened[0]]))
        self.groups[opened[0]].put(name, opened[1:])

    def ordered(self) -> list[str | tuple[Opening, _Branch]]:
        """Return the items as a file must list them: the joint that carries the list on comes last."""
        joints = [item for item in self.items if isinstance(item, str)]
        if not joints:
            return self.items
        return [item for item in self.items if item != joints[-1]] + [joints[-1]]


def arranged(
    root: str, children: Mapping[str, Sequence[str]], opened: Mapping[str, Openings]
) -> tuple[list[str], tuple[int | Group, ...]]:
    """Return the joints in the order of a .scr file, and the layout that tells their tree.

    Of several children that open no group the last carries the list on; each other one gets a group of its own name.

    Args:
        root: Name of the root.
        children: Names of each joint's children, in order.
        opened: The groups that open before each joint.
    """
    order: list[str] = [root]
    numbers = {root: 0}
    top: list[int | Group] = [0]

    def branch(name: str) -> _Branch:
        made = _Branch()
        for child in children[name]:
            made.put(child, opened[child])
        return made

    # A group is made when the list inside it is complete: each frame is a list under way, and its group's name.
    Frame = tuple[str | None, list[int | Group], Iterator[str | tuple[Opening, _Branch]], str | None]
    stack: list[Frame] = [(None, top, iter(branch(root).ordered()), _last(branch(root)))]
    while stack:
        title, made, items, carries = stack.pop()
        for item in items:
            if isinstance(item, str) and item == carries:
                numbers[item] = len(order)
                order.append(item)
                made.append(numbers[item])
                inner = branch(item)
                stack.append((title, made, iter(inner.ordered()), _last(inner)))
                break
            inside: list[int | Group] = []
            stack.append((title, made, items, carries))
            if isinstance(item, str):
                numbers[item] = len(order)
                order.append(item)
                inside.append(numbers[item])
                inner, name = branch(item), item
            else:
                opening, inner = item
                name = opening.name
            stack.append((name, inside, iter(inner.ordered()), _last(inner)))
            break
        else:
            if title is not None and stack:
                stack[-1][1].append(Group(title, tuple(made)))
    return order, tuple(top)


def _last(branch: _Branch) -> str | None:
    """The joint that carries a list on; None if all that hangs there is in groups."""
    joints = [item for item in branch.items if isinstance(item, str)]
    return joints[-1] if joints else None
