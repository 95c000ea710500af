"""Which nodes of a foreign scene are figures, and which of their nodes are joints.

What a skin follows is one figure, with all that moves above it; so are skins that lie in one tree. What moves without
a skin, such as the wheels of a cart, is one figure with the nodes that it hangs on. A scene in which nothing moves is
one thing that stands there.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.formats.exchange.scene import Scene


@dataclass(frozen=True)
class Component:
    """Nodes that are one figure.

    Attributes:
        joints: Numbers of the nodes that become joints, the root first, every one after its parent.
        parents: For each the place of its parent in ``joints``, -1 for the root.
        moving: For each whether it moves or a skin follows it.
        meshes: Nodes whose meshes are the figure's.
        ends: For each joint nodes with nothing on them, which mark where its segment ends.
        name: What the figure is called.
    """

    joints: tuple[int, ...]
    parents: tuple[int, ...]
    moving: tuple[bool, ...]
    meshes: tuple[int, ...]
    ends: tuple[tuple[int, ...], ...]
    name: str


class Tree:
    """The nodes of a scene as a tree.

    Args:
        scene: The scene.
    """

    def __init__(self, scene: Scene):
        self.scene = scene
        self.children: list[list[int]] = [[] for _ in scene.nodes]
        for number, node in enumerate(scene.nodes):
            if node.parent >= 0:
                self.children[node.parent].append(number)

    def path(self, number: int) -> list[int]:
        """Return a node and all above it, the top last."""
        found = [number]
        while self.scene.nodes[found[-1]].parent >= 0:
            found.append(self.scene.nodes[found[-1]].parent)
        return found

    def below(self, number: int) -> list[int]:
        """Return a node and all below it, every one after its parent."""
        found, waiting = [], [number]
        while waiting:
            found.append(waiting.pop())
            waiting += reversed(self.children[found[-1]])
        return found

    def common(self, numbers: list[int]) -> int | None:
        """Return the lowest node under which all of some are, or one of themselves; None if they share none."""
        shared = self.path(numbers[0])
        for number in numbers[1:]:
            path = set(self.path(number))
            shared = [each for each in shared if each in path]
        return shared[0] if shared else None


def components(scene: Scene) -> list[Component]:
    """Return the figures of a scene."""
    tree = Tree(scene)
    followed = {joint for skin in scene.skins for joint in skin.joints}
    shown = _with_bodies(tree)
    moving = followed | {number for clip in scene.clips for number in clip.tracks if number in shown}
    roots = _skinned_roots(tree, moving)
    covered = {number for root in roots for number in tree.below(root)}
    roots += _loose_roots(tree, moving - covered, roots)
    return [_component(tree, root, moving, roots) for root in roots]


def _with_bodies(tree: Tree) -> set[int]:
    """Return the nodes that have a mesh on them or below: cameras and lamps are no figures."""
    found: set[int] = set()
    for number, node in enumerate(tree.scene.nodes):
        if node.mesh is not None:
            found.update(tree.path(number))
    return found or set(range(len(tree.scene.nodes)))


def _skinned_roots(tree: Tree, moving: set[int]) -> list[int]:
    """Return the highest nodes of what skins follow, and of what carries that along."""
    found: list[int] = []
    for skin in tree.scene.skins:
        groups: dict[int, list[int]] = {}
        for joint in skin.joints:
            groups.setdefault(tree.path(joint)[-1], []).append(joint)
        found += [top for joints in groups.values() if (top := tree.common(joints)) is not None]
    raised = []
    for root in found:
        carried = [number for number in tree.path(root) if number in moving]
        raised.append(carried[-1] if carried else root)
    return _topmost(tree, raised)


def _topmost(tree: Tree, numbers: list[int]) -> list[int]:
    some = set(numbers)
    return [number for number in dict.fromkeys(numbers) if not some & set(tree.path(number)[1:])]


def _loose_roots(tree: Tree, moving: set[int], taken: list[int]) -> list[int]:
    """Return the highest nodes of what moves without a skin: of each tree one, if no skinned figure is below it."""
    covered = {number for root in taken for number in tree.path(root)}
    groups: dict[int, list[int]] = {}
    for number in sorted(moving):
        groups.setdefault(tree.path(number)[-1], []).append(number)
    found: list[int] = []
    for top, numbers in groups.items():
        bodies = [number for number in tree.below(top) if tree.scene.nodes[number].mesh is not None]
        root = tree.common(numbers + (bodies if top not in covered else []))
        if root is None or root in covered:
            found += _topmost(tree, numbers)
        else:
            found.append(root)
    return [root for root in found if root not in covered]


def _component(tree: Tree, root: int, moving: set[int], roots: list[int]) -> Component:
    others = set(roots) - {root}
    below: list[int] = []
    waiting = [root]
    while waiting:
        below.append(waiting.pop())
        waiting += [child for child in reversed(tree.children[below[-1]]) if child not in others]
    nodes = tree.scene.nodes
    needed: set[int] = set()
    for number in reversed(below):
        if number in moving or any(child in needed for child in tree.children[number]):
            needed.add(number)
    # Nodes on top that only hold the figure are no joints of it.
    while True:
        inner = [child for child in tree.children[root] if child in needed]
        if root in moving or nodes[root].mesh is not None or len(inner) != 1:
            break
        root = inner[0]
    inside = tree.below(root)
    joints = [number for number in below if number in set(inside) and (number in needed or number == root)]
    place = {number: k for k, number in enumerate(joints)}
    ends = [
        tuple(
            child for child in tree.children[number]
            if child not in place and not tree.children[child] and _is_bare(tree.scene, child)
        )
        for number in joints
    ]  # fmt: skip
    mine = set(joints)
    meshes = [number for number in below if nodes[number].mesh is not None and nodes[number].skin is None]
    for number, node in enumerate(nodes):
        if node.mesh is not None and node.skin is not None and mine & set(tree.scene.skins[node.skin].joints):
            meshes.append(number)
    parents = tuple(place.get(nodes[number].parent, -1) for number in joints)
    name = nodes[tree.path(root)[-1]].name
    return Component(tuple(joints), parents, tuple(n in moving for n in joints), tuple(meshes), tuple(ends), name)


def _is_bare(scene: Scene, number: int) -> bool:
    return scene.nodes[number].mesh is None and scene.nodes[number].camera is None
