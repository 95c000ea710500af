"""Groups of a .scr file while a figure is being changed: which groups open between a joint and its parent.

In a .scr file each joint is the child of the joint before it, and a group is a branch. So the groups of a figure are
known by those that open between a joint and its parent: none where the joint carries the parent's list on, one where a
branch begins, more where groups are nested at once. Kept by joint, they survive joints that come, go and move.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from core.skeleton.joint import Group
from core.skeleton.structure import Structure


class Opening:
    """One group that opens; two joints that share one are in the same group.

    Attributes:
        name: The group's name.
    """

    def __init__(self, name: str):
        self.name = name


Openings = tuple[Opening, ...]


def openings(s: Structure) -> list[Openings]:
    """Return for each joint the groups that open between its parent and it, outermost first.

    None open anywhere in a figure whose layout is missing or does not describe the same tree as its joints.
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


Item: TypeAlias = "str | tuple[Opening, _Branch]"


class _Branch:
    """What hangs on one joint, or on it inside one group: joints, and groups in the order of their first joint."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.groups: dict[Opening, _Branch] = {}

    def put(self, name: str, opened: Openings) -> None:
        if not opened:
            self.items.append(name)
            return
        if opened[0] not in self.groups:
            self.groups[opened[0]] = _Branch()
            self.items.append((opened[0], self.groups[opened[0]]))
        self.groups[opened[0]].put(name, opened[1:])

    def last(self) -> str | None:
        """Return the joint that carries the list on; None if all that hangs here is in groups."""
        return next((item for item in reversed(self.items) if isinstance(item, str)), None)

    def ordered(self) -> Iterator[Item]:
        """Yield the items as a file must list them: the joint that carries the list on comes last."""
        last = self.last()
        yield from (item for item in self.items if item != last)
        if last is not None:
            yield last


def arranged(
    root: str, children: Mapping[str, Sequence[str]], opened: Mapping[str, Openings]
) -> tuple[list[str], tuple[int | Group, ...]]:
    """Return the joints in the order of a .scr file, and the layout that describes their tree.

    Of several children that open no group the last carries the list on; each other one gets a group of its own name.

    Args:
        root: Name of the root.
        children: Names of each joint's children, in order.
        opened: The groups that open before each joint.
    """
    order: list[str] = []
    stack: list[_List] = []

    def hang(name: str) -> _Branch:
        made = _Branch()
        for child in children[name]:
            made.put(child, opened[child])
        return made

    def place(name: str, items: list[int | Group]) -> _Branch:
        items.append(len(order))
        order.append(name)
        return hang(name)

    top: list[int | Group] = []
    stack.append(_List(None, top, place(root, top)))
    while stack:
        at = stack[-1]
        item = next(at.items, None)
        if item is None:
            stack.pop()
            # A group is made when the list inside it is complete.
            if at.title is not None:
                stack[-1].made.append(Group(at.title, tuple(at.made)))
        elif item == at.carries:
            assert isinstance(item, str)
            stack[-1] = _List(at.title, at.made, place(item, at.made))
        elif isinstance(item, str):
            inside: list[int | Group] = []
            stack.append(_List(item, inside, place(item, inside)))
        else:
            opening, branch = item
            stack.append(_List(opening.name, [], branch))
    return order, tuple(top)


class _List:
    """A list of a layout that is being made.

    Args:
        title: Name of the group it is the inside of; None for the outermost.
        made: Its items so far.
        branch: What hangs on its last joint.
    """

    def __init__(self, title: str | None, made: list[int | Group], branch: _Branch):
        self.title, self.made = title, made
        self.items, self.carries = branch.ordered(), branch.last()
