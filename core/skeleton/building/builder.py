"""Building and editing figures: a draft whose joints go by name, which becomes a skeleton when it is built."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from core.arrays import Array
from core.errors import SkeletonError
from core.skeleton.building.joint_checks import joint_problems, name_problem
from core.skeleton.building.parts import Part, kinds, rest_value
from core.skeleton.building.tree import Tree
from core.skeleton.euler import euler_degrees
from core.skeleton.frames import local_frame
from core.skeleton.joint import Joint
from core.skeleton.layout import Opening
from core.skeleton.mirroring.mirror import LEFT, RIGHT, counterpart_names, name_side, reflect_joint, swap_sides
from core.skeleton.rerooting.conversion import PoseMap
from core.skeleton.rerooting.reframe import frame_inverse, moved_points, reframed, tidied
from core.skeleton.skeleton import Skeleton

_MIRROR = np.diag([-1.0, 1.0, 1.0, 1.0])
_NEAR = 1e-9


class Places(Tree):
    """The part of ``SkeletonBuilder`` that moves joints in the world."""

    def place(self, name: str, position: object, carry: bool = True, *, pose: object = None) -> None:
        """Put a joint at a place in the world.

        Args:
            name: The joint.
            position: Where its origin is to be, world, shape (3,), [m].
            carry: Whether its segment and everything that hangs on it come along. Else they stay where they are:
                the children's offsets, objects, centre of mass and tips are measured from the new place.
            pose: In which pose it is put there, shape (nq,); None is the rest pose.

        Raises:
            JointError: If there is no such joint.
            SkeletonError: If the position is not three finite numbers.
        """
        part = self._part(name)
        try:
            goal = np.array(position, dtype=np.float64).reshape(3)
        except (TypeError, ValueError):
            goal = np.full(3, np.nan)
        if not np.isfinite(goal).all():
            raise SkeletonError(f'joint "{name}" cannot be put at {position!r}; expected three finite numbers')
        frames = self._frames(pose)
        above = self._above(name, frames, pose)
        move = np.linalg.solve(above[:3, :3], goal - frames[name][:3, 3])
        if carry:
            self._replace(part, {"offset": tidied(part.joint.offset + move)})
            return
        new = np.eye(4)
        new[:3, 3] = np.linalg.solve(frames[name][:3, :3], goal - frames[name][:3, 3])
        self._reframe(part, new)
        self._replace(part, {"offset": tidied(part.joint.offset + move)})

    def orient(self, name: str, orientation: object, carry: bool = True) -> None:
        """Set the fixed turn of a joint's frame, and so where its axes point.

        Args:
            name: The joint.
            orientation: Angles (x, y, z) of ``Rz Ry Rx``, shape (3,), [deg].
            carry: Whether its segment and everything that hangs on it turn with it. Else they stay where they are
                while every degree of freedom is zero.

        Raises:
            JointError: If there is no such joint.
            SkeletonError: If the orientation is not three finite numbers, or if the joint's scale is not the same in
                all directions and its segment is to stay.
        """
        part = self._part(name)
        before = part.joint
        if not carry and np.ptp(before.scale) != 0.0:
            raise SkeletonError(f'joint "{name}" has a scale that is not the same in all directions; turn it with it')
        turned = replace(before, orientation=np.array(orientation, dtype=np.float64).reshape(3))
        if not np.isfinite(turned.orientation).all():
            raise SkeletonError(f'joint "{name}" cannot be turned to {orientation!r}; expected three finite angles')
        if not carry:
            new = np.eye(4)
            new[:3, :3] = before.rotation.T @ turned.rotation
            if before.curved is not None:  # at zero a spline stands off its joint's place
                motion = self._motion(name, zero=True)
                new = frame_inverse(motion) @ new @ motion
            self._reframe(part, new)
        self._replace(part, {"orientation": turned.orientation})

    def _reframe(self, part: Part, frame: Array) -> None:
        """Express a joint's segment, and where its children are, in another frame (given in the one it has)."""
        part.joint = reframed(part.joint, frame, self._files(), self._counterparts())
        turns = not np.array_equal(frame[:3, :3], np.eye(3))
        for child in part.children:
            below = self._parts[child]
            fields: dict[str, Any] = {"offset": moved_points(below.joint.offset, frame)}
            if turns:
                fields["orientation"] = euler_degrees(frame[:3, :3].T @ below.joint.rotation)
            moved = any(value.any() for value in fields.values())
            self._replace(below, {**fields, "defined": below.joint.defined or moved})

    # -- the other side ----------------------------------------------------------------------------------------------

    def mirror_side(self, name: str) -> str:
        """Make the counterpart of a whole branch: its reflection in x = 0, every degree of freedom at zero.

        A branch that is there already is replaced; its degrees of freedom keep their values as far as they are of
        the same kinds. The counterparts are called what their names suggest (``left``, ``right``, ``.L``, ``R_`` ...);
        a joint of the branch that names no side is called like ``"right elbow"``.

        Args:
            name: First joint of the branch, such as ``"left upper arm"``.

        Returns:
            Name of the counterpart.

        Raises:
            JointError: If there is no such joint.
            SkeletonError: If it is the root, says no side, or if the counterpart's place is taken.
        """
        part = self._part(name)
        if part.parent is None:
            raise SkeletonError(f'joint "{name}" is the root, which has no other side; expected a joint below it')
        names = self._mirrored_names(name)
        other = names[name]
        parent = self._counterpart(part.parent) or part.parent
        old = self._branch(other) if other in self._parts else []
        source = set(names)
        if source & set(old) or other in source or parent in source:
            raise SkeletonError(f'joint "{other}" is part of the branch of "{name}"; expected one side of the figure')
        if parent in old:
            raise SkeletonError(f'joint "{parent}" hangs on "{other}", which is to be replaced')
        taken = [made for made in names.values() if made in self._parts and made not in old]
        if taken:
            raise SkeletonError(f'there is a joint "{taken[0]}" outside the branch of "{other}"; move or rename it')
        frames = self._frames(zero=True)
        shift = np.linalg.inv(frames[parent]) @ _MIRROR @ frames[part.parent] @ _MIRROR
        before = {made: self._parts[made] for made in old}
        siblings = self._parts[parent].children
        at = siblings.index(other) if other in siblings else None
        if at is None and other in before:
            self._unhang(other)
        elif at is not None:
            del siblings[at]
        for made in old:
            del self._parts[made]
        lost = set(old) - set(names.values())
        for rest in self._parts.values():
            if rest.joint.mirror in lost:
                rest.joint = replace(rest.joint, mirror=None)
        self._reflect(name, names, before)
        self._parts[other].parent = parent
        if at is None:
            at = siblings.index(name) + 1 if name in siblings else len(siblings)
        siblings.insert(at, other)
        self._shift(self._parts[other], shift)
        return other

    def _mirrored_names(self, name: str) -> dict[str, str]:
        """Return what the counterpart of each joint of a branch is or will be called."""
        known = self._counterpart(name)
        if known is None:
            x = float(self._frames(zero=True)[name][0, 3])
            guesses = counterpart_names(name)
            # A mere first letter counts where the joint stands on that side.
            fits = name_side(name) or (name[:1] in "lL" and x > _NEAR) or (name[:1] in "rR" and x < -_NEAR)
            known = guesses[0] if guesses and fits else None
        if known is None:
            raise SkeletonError(f'joint "{name}" names no side; rename it, for example to "left {name}"')
        side = name_side(known) or (LEFT if known[:1] in "lL" else RIGHT)
        found = {name: known}
        used = set(self._parts) | {known}
        for joint in self._branch(name)[1:]:
            other = self._counterpart(joint)
            if other is None or other in found.values():
                guesses = counterpart_names(joint)
                sided = bool(name_side(joint)) or joint[:1].casefold() == name[:1].casefold() in ("l", "r")
                other = guesses[0] if guesses and sided else f"{side} {joint}"
                number = 2
                while other in used:
                    other = f"{side} {joint} {number}"
                    number += 1
            found[joint] = other
            used.add(other)
        return found

    def _reflect(self, name: str, names: dict[str, str], before: dict[str, Part]) -> None:
        """Make the reflected joints of a branch; the first one hangs nowhere yet."""
        groups: dict[Opening, Opening] = {}

        def reflected(opening: Opening) -> Opening:
            if opening not in groups:
                title = swap_sides(opening.name)
                # A group such as "Arms" that others share takes both sides.
                shared = title == opening.name and opening in self._parts[name].opened[:-1]
                groups[opening] = opening if shared else Opening(title)
            return groups[opening]

        for one, other in names.items():
            source, old = self._parts[one], before.get(other)
            self._replace(source, {"mirror": other, "defined": source.joint.defined})
            joint = reflect_joint(source.joint, other, -1, {**self._counterparts(), **names})
            same = old is not None and kinds(old.joint) == kinds(joint)
            who = old.dofs if old is not None and same else tuple(next(self._new_dofs) for _ in joint.dofs)
            opened = old.opened if old is not None else tuple(map(reflected, source.opened))
            above = names.get(source.parent or "")
            self._parts[other] = Part(joint, above, [names[child] for child in source.children], opened, who)

    def _shift(self, part: Part, shift: Array) -> None:
        """Move a joint by a rigid motion of its parent's frame, one that only rounding made left out."""
        if np.abs(shift - np.eye(4)).max() < _NEAR:
            return
        turn = shift[:3, :3]
        if np.abs(turn.T @ turn - np.eye(3)).max() > _NEAR:
            title = part.joint.name
            raise SkeletonError(f'joint "{title}" cannot be made: the scales on both sides of the figure differ')
        local = shift @ local_frame(replace(part.joint, dofs=(), dof_labels=(), scale=np.ones(3)), ())
        self._replace(part, {"offset": tidied(local[:3, 3]), "orientation": euler_degrees(local[:3, :3])})


_LISTED = 20


class SkeletonBuilder(Places):
    """A figure under construction.

    Edits act on a draft: the skeleton it began with stays as it is. What makes no sense by itself (a joint that is
    not there, an unknown field) is refused at once and changes nothing; values are checked by :meth:`build`, which
    reports everything that is wrong. :meth:`pose_map` carries poses over.

    Args:
        skeleton: Figure to begin with; None begins without joints.
        name: Name of a figure that begins without joints.

    Example:
        >>> builder = SkeletonBuilder(name="lamp")
        >>> builder.add("foot", mass=2.0)
        >>> builder.add("arm", "foot", offset=(0, 0.05, 0))
        >>> builder.add_dof("arm", "hinge", "x", -0.3, 1.2, "Lean")
        >>> builder.build()
        Skeleton('lamp', 2 joints, 1 DOF)
    """

    @property
    def name(self) -> str:
        """The figure's name."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        problem = name_problem(name)
        if problem:
            raise SkeletonError(f"a figure cannot be called that: {problem}")
        self._name = name

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of all joints, in the order of the figure to be: depth first."""
        return tuple(self._order())

    def joint(self, name: str) -> Joint:
        """Return a joint as it stands; mass, centre and inertia are None where they come from the shape.

        Raises:
            JointError: If there is no such joint.
        """
        part = self._part(name)
        order = self._order()
        return replace(part.joint, parent=-1 if part.parent is None else order.index(part.parent))

    def children(self, name: str) -> tuple[str, ...]:
        """Return the names of a joint's children.

        Raises:
            JointError: If there is no such joint.
        """
        return tuple(self._part(name).children)

    def position(self, name: str, *, pose: object = None) -> np.ndarray:
        """Return where a joint's origin is, world, shape (3,), [m]; in the rest pose unless another is given."""
        self._part(name)
        return self._frames(pose)[name][:3, 3].copy()

    def build(self) -> Skeleton:
        """Return the figure, its joints depth first as a .scr file lists them.

        Raises:
            SkeletonError: Listing everything that is wrong, one problem a line.
        """
        order, layout = self._arranged()
        problems = [f'joint "{name}": {text}' for name in order for text in joint_problems(self._parts[name].joint)]
        problem = name_problem(self._name)
        if problem:
            problems.insert(0, f"the figure's name: {problem}")
        if problems:
            more = [f"and {len(problems) - _LISTED} more"] if len(problems) > _LISTED else []
            raise SkeletonError("\n".join(problems[:_LISTED] + more))
        numbers = {name: i for i, name in enumerate(order)}
        joints = []
        for name in order:
            part = self._parts[name]
            joints.append(replace(part.joint, parent=-1 if part.parent is None else numbers[part.parent]))
        source = self._source.source if self._source is not None else None
        return Skeleton(self._name, joints, layout if self._grouped else None, source)

    def pose_map(self) -> PoseMap:
        """Return how poses of the figure the work began with become poses of the figure as it stands now."""
        columns, rest = [0, 1, 2], [0.0, 0.0, 0.0]
        for name in self._order():
            part = self._parts[name]
            columns += [3 + who if who >= 0 else -1 for who in part.dofs]
            rest += [rest_value(dof) for dof in part.joint.dofs]
        return PoseMap(self._source.nq if self._source is not None else 3, tuple(columns), np.array(rest))
