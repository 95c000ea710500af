"""Joints that come, go, and hang on another one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from core.arrays import Array
from core.errors import SkeletonError
from core.skeleton.building.joint_checks import name_problem
from core.skeleton.building.parts import Part, Values
from core.skeleton.euler import euler_degrees
from core.skeleton.joint import Joint
from core.skeleton.layout import Opening
from core.skeleton.mesh import Mesh
from core.skeleton.rerooting.reframe import tidied
from core.skeleton.ties import renamed

_EVEN = 1e-9  # how far from 1 the ratio of lengths may be to count as rounding


class Tree(Values):
    """The part of ``SkeletonBuilder`` that changes the tree."""

    def add(
        self, name: str, parent: str | None = None, *, after: str | None = None, group: str | None = None, **fields: Any
    ) -> None:
        """Add a joint at the end of a branch, fixed at its parent's origin unless ``fields`` say otherwise.

        Args:
            name: Its name, no other joint's.
            parent: Name of its parent; None for the root of an empty figure, or for the parent of ``after``.
            after: A child of the parent that it comes after; by default it comes last of those in groups.
            group: Name of a group that begins with it.
            fields: Values as for :meth:`set`.

        Raises:
            JointError: If ``parent`` or ``after`` is no joint.
            SkeletonError: If the name is taken or cannot be, or the figure has a root already.
        """
        self._new_name(name)
        if after is not None:
            above = self._part(after).parent
            if above is None or parent not in (None, above):
                raise SkeletonError(f'joint "{after}" is not a child of "{parent or "the new joint"}" to come after')
            parent = above
        if parent is None and self._root is not None:
            raise SkeletonError(f'the figure has a root, "{self._root}"; expected the parent of joint "{name}"')
        if parent is not None:
            self._part(parent)
        self._parts[name] = Part(Joint(name, -1), parent)
        try:
            self.set(name, **fields)
        except Exception:
            del self._parts[name]
            raise
        self._hang(name, parent, after)
        if group is not None:
            self.set_group(name, group)

    def _new_name(self, name: str) -> None:
        problem = name_problem(name)
        if problem:
            raise SkeletonError(f"a joint cannot be called that: {problem}")
        if name in self._parts:
            raise SkeletonError(f'there is already a joint "{name}"; names must differ')

    def _hang(self, name: str, parent: str | None, after: str | None = None) -> None:
        """Put a joint among its parent's children: after a given one, else before the one that carries the list on."""
        self._parts[name].parent = parent
        if parent is None:
            self._root = name
            return
        children = self._parts[parent].children
        if after is not None:
            children.insert(children.index(after) + 1, name)
        elif children and not self._parts[children[-1]].opened and not self._parts[name].opened:
            children.insert(len(children) - 1, name)
        else:
            children.append(name)

    def _unhang(self, name: str) -> None:
        parent = self._parts[name].parent
        if parent is not None:
            self._parts[parent].children.remove(name)

    def remove(self, name: str, keep_children: bool = False, *, pose: object = None) -> None:
        """Remove a joint and everything that hangs on it.

        Args:
            name: The joint.
            keep_children: Whether its children stay and hang on its parent from then on, where they stand; the only
                child of the root becomes the root.
            pose: In which pose they stay where they are, shape (nq,); None is the rest pose.

        Raises:
            JointError: If there is no such joint.
            SkeletonError: If no joint would be left, or no single one as the root.
        """
        part = self._part(name)
        children = list(part.children) if keep_children else []
        if part.parent is None and len(children) != 1:
            instead = "keep its children" if part.children and not keep_children else "make another joint the root"
            more = f"; it has {len(children)} children, and a figure has one root" if children else ""
            raise SkeletonError(f'joint "{name}" is the root{more}; {instead} first')
        places = {child: self._placed(child, part.parent, pose) for child in children}
        gone = [name] if keep_children else self._branch(name)
        siblings = self._parts[part.parent].children if part.parent is not None else [name]
        at = siblings.index(name)
        siblings[at : at + 1] = children
        for child in children:
            below = self._parts[child]
            below.parent = part.parent
            below.opened = (*part.opened, *below.opened) if part.parent is not None else ()
            self._replace(below, places[child])
        if part.parent is None:
            self._root = children[0]
        for old in gone:
            del self._parts[old]
        lost = set(gone)
        for other in self._parts.values():
            if other.joint.mirror in lost:
                other.joint = replace(other.joint, mirror=None)

    def rename(self, old: str, new: str) -> None:
        """Rename a joint, wherever the figure names it: as a counterpart, and in the weights of meshes.

        Raises:
            JointError: If there is no joint ``old``.
            SkeletonError: If the new name is taken or cannot be.
        """
        self._part(old)
        if new == old:
            return
        self._new_name(new)
        # Made anew in the same order, so that nothing else depends on what has been renamed.
        self._parts = {new if name == old else name: part for name, part in self._parts.items()}
        part = self._parts[new]
        part.joint = replace(part.joint, name=new)
        if self._root == old:
            self._root = new
        if part.parent is not None:
            siblings = self._parts[part.parent].children
            siblings[siblings.index(old)] = new
        for child in part.children:
            self._parts[child].parent = new
        for other in self._parts.values():
            if other.joint.mirror == old:
                other.joint = replace(other.joint, mirror=new)
            other.joint = renamed(other.joint, {old: new})
        self._rename_weights(old, new)

    def _rename_weights(self, old: str, new: str) -> None:
        """Let meshes follow ``new`` instead of ``old``: one new file for all objects that share one."""
        files = self._files()
        names: dict[str, str] = {}
        meshes: dict[int, Mesh] = {}
        for part in self._parts.values():
            objects = list(part.joint.objects)
            for k, item in enumerate(objects):
                mesh = item.mesh
                if mesh is None or all(name != old for name, _ in mesh.weights):
                    continue
                if item.file not in names:
                    names[item.file] = files.fresh(item.file) if item.origin is not None else item.file
                if id(mesh) not in meshes:
                    # A weight of that name that followed nothing so far gives way.
                    kept = [(name, values) for name, values in mesh.weights if name not in (old, new)]
                    values = next(values for name, values in mesh.weights if name == old)
                    weights = (*kept, (new, values))
                    meshes[id(mesh)] = Mesh(mesh.vertices, mesh.triangles, mesh.polygons, weights)
                objects[k] = replace(item, file=names[item.file], mesh=meshes[id(mesh)], origin=None)
            if any(now is not before for now, before in zip(objects, part.joint.objects, strict=True)):
                part.joint = replace(part.joint, objects=tuple(objects))

    def reparent(
        self, name: str, parent: str, keep_world: bool = True, *, after: str | None = None, pose: object = None
    ) -> None:
        """Hang a joint, with everything that hangs on it, on another parent.

        Args:
            name: The joint.
            parent: The new parent, which must not hang on the joint.
            keep_world: Whether it stays where it is; else it keeps its offset and orientation.
            after: A child of the new parent that it comes after.
            pose: In which pose it stays where it is, shape (nq,); None is the rest pose.

        Raises:
            JointError: If one of them is no joint.
            SkeletonError: If the parent is the joint itself or hangs on it, or if scales between them cannot be
                reconciled by an offset, an orientation and one scale.
        """
        part = self._part(name)
        self._part(parent)
        if part.parent is None:
            raise SkeletonError(f'joint "{name}" is the root and has no parent; make another joint the root first')
        if parent in self._branch(name):
            raise SkeletonError(f'joint "{parent}" hangs on "{name}"; expected a parent outside that branch')
        if after is not None and self._part(after).parent != parent:
            raise SkeletonError(f'joint "{after}" is not a child of "{parent}" to come after')
        place = self._placed(name, parent, pose) if keep_world else {}
        if parent != part.parent:
            # A group that the branch shares with others stays with them.
            part.opened = part.opened[-1:]
        self._unhang(name)
        self._hang(name, parent, after if after != name else None)
        if place:
            self._replace(part, place)

    def _placed(self, name: str, parent: str | None, pose: object) -> dict[str, Any]:
        """Return the offset, orientation and scale that keep a joint where it is when it hangs on another parent."""
        part = self._parts[name]
        if parent == part.parent:
            return {}
        frames = self._frames(pose)
        above = frames[parent] if parent is not None else np.eye(4)
        if parent is None and pose is not None:
            above = np.eye(4)
            above[:3, 3] = np.asarray(pose, dtype=np.float64)[:3]
        motion = self._motion(name, pose)
        # T(o) R D S in the new parent, with D as it is and S to be found.
        wanted = np.linalg.inv(above) @ frames[name]
        bare = wanted.copy()
        bare[:3, :3] = wanted[:3, :3] / part.joint.scale
        ratio = _evenness(bare[:3, :3])
        if ratio is None:
            raise SkeletonError(
                f'joint "{name}" cannot keep its place on "{parent}": a scale between them is not the same in all '
                "directions; reparent it with keep_world=False"
            )
        turn = bare[:3, :3] / ratio @ motion[:3, :3].T
        offset = wanted[:3, 3] - turn @ motion[:3, 3]
        scale = part.joint.scale if abs(ratio - 1.0) < _EVEN else part.joint.scale * ratio
        return {"offset": tidied(offset), "orientation": euler_degrees(turn), "scale": scale}

    # -- groups ------------------------------------------------------------------------------------------------------

    def set_group(self, name: str, group: str | None) -> None:
        """Let a group of a given name begin with a joint; its branch is in it as far as no other group begins there.

        Args:
            name: A joint, not the root: a .scr file lists that before any group.
            group: Name of the group; None lets the joint go on in its parent's group.

        Raises:
            JointError: If there is no such joint.
            SkeletonError: If it is the root, or the name cannot be.
        """
        part = self._part(name)
        if part.parent is None:
            raise SkeletonError(f'joint "{name}" is the root, which is in no group; expected a joint below it')
        if group is None:
            part.opened = ()
            return
        problem = name_problem(group, "group's name")
        if problem:
            raise SkeletonError(problem)
        self._grouped = True
        if part.opened and part.opened[-1].name == group:
            return
        part.opened = (*part.opened[:-1], Opening(group))


def _evenness(linear: Array) -> float | None:
    """Return by how much a map stretches if it stretches all directions alike, else None."""
    lengths = np.linalg.norm(linear, axis=0)
    ratio = float(lengths.mean())
    even = linear / ratio if ratio > 0.0 else linear
    return ratio if np.abs(even.T @ even - np.eye(3)).max() < _EVEN and np.linalg.det(even) > 0.0 else None
