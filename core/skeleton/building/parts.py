"""A figure under construction: joints by name, where each stands, and their values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from core.arrays import Array
from core.errors import JointError, PoseError, SkeletonError
from core.joints import JointModel
from core.skeleton.dof import HINGE, SLIDE, Dof
from core.skeleton.frames import local_frame
from core.skeleton.joint import Group, Joint, SegmentObject, dof_letters
from core.skeleton.joint_type import fits, type_dofs
from core.skeleton.layout import Openings, arranged, openings
from core.skeleton.mesh import Mesh
from core.skeleton.mirroring.mirror import counterpart_names
from core.skeleton.rerooting.reframe import ObjectFiles, file_stem
from core.skeleton.scr.lexer import choices, nearest, shortened
from core.skeleton.scr.values import unit_axis
from core.skeleton.skeleton import Skeleton
from core.skeleton.ties import renumbered


@dataclass(eq=False)
class Part:
    """A joint under construction.

    Attributes:
        joint: Its values, what is worked out from shapes left open; its ``parent`` means nothing.
        parent: Name of the parent, None for the root.
        children: Names of the children, in order.
        opened: Groups that open between the parent and this joint.
        dofs: Who each degree of freedom is: its number in the figure the work began with, or a negative number.
    """

    joint: Joint
    parent: str | None
    children: list[str] = field(default_factory=list)
    opened: Openings = ()
    dofs: tuple[int, ...] = ()


def rest_value(dof: Dof) -> float:
    """Return a degree of freedom's value at rest: 0, or the limit nearest to it."""
    return min(max(0.0, dof.lo), dof.hi)


class Parts:
    """Joints by name and the tree they form; what all builder modules stand on.

    Args:
        skeleton: Figure to begin with; it is never changed.
        name: Name of a figure that begins without joints.
    """

    def __init__(self, skeleton: Skeleton | None = None, name: str = "figure"):
        self._source = skeleton
        self._name = skeleton.name if skeleton is not None else name
        self._parts: dict[str, Part] = {}
        self._root: str | None = None
        self._new_dofs = count(-1, -1)
        self._grouped = skeleton is not None and skeleton.layout is not None
        if skeleton is not None:
            self._take(skeleton)

    def _take(self, skeleton: Skeleton) -> None:
        names = skeleton.joint_names
        self._root = names[0]
        opened = openings(skeleton)
        for i, joint in enumerate(skeleton.joints):
            own = tuple(range(skeleton.first_dof[i], skeleton.first_dof[i + 1]))
            parent = names[joint.parent] if joint.parent >= 0 else None
            self._parts[joint.name] = Part(joint.as_given(), parent, [], opened[i], own)
            if parent is not None:
                self._parts[parent].children.append(joint.name)

    # -- names -------------------------------------------------------------------------------------------------------

    def _part(self, name: str) -> Part:
        """Return the part of a name.

        Raises:
            JointError: If there is none; it suggests the name most like it.
        """
        if name in self._parts:
            return self._parts[name]
        near = nearest(name, self._parts) if isinstance(name, str) else None
        known = ", ".join(self._parts) or "no joints yet"
        guess = f'did you mean "{near}"?' if near else f"it has {shortened(known, 300)}"
        raise JointError(f'no joint "{shortened(str(name))}" in skeleton "{self._name}"; {guess}')

    def _branch(self, name: str) -> list[str]:
        """Return a joint and all that hangs on it, parents first."""
        found, waiting = [], [name]
        while waiting:
            at = waiting.pop()
            found.append(at)
            waiting.extend(reversed(self._parts[at].children))
        return found

    def _counterpart(self, name: str) -> str | None:
        """Return the name of a joint's counterpart on the other side, if there is such a joint."""
        known = self._counterparts().get(name)
        if known is not None:
            return known
        return next((other for other in counterpart_names(name) if other in self._parts), None)

    def _counterparts(self) -> dict[str, str]:
        """Return the counterpart's name for each joint that is one of a pair, even if only one of the two says so."""
        pairs = ((name, part.joint.mirror) for name, part in self._parts.items())
        found = {name: mirror for name, mirror in pairs if mirror is not None and mirror in self._parts}
        for name, mirror in list(found.items()):
            found.setdefault(mirror, name)
        return found

    def _files(self) -> ObjectFiles:
        return ObjectFiles(part.joint for part in self._parts.values())

    # -- order -------------------------------------------------------------------------------------------------------

    def _arranged(self) -> tuple[list[str], tuple[int | Group, ...]]:
        """Return the joints in the order of the figure to be, and its layout."""
        if self._root is None:
            raise SkeletonError(f'skeleton "{self._name}" has no joints; at least one is needed')
        children = {name: part.children for name, part in self._parts.items()}
        return arranged(self._root, children, {name: part.opened for name, part in self._parts.items()})

    def _order(self) -> list[str]:
        return self._arranged()[0] if self._root is not None else []

    # -- frames ------------------------------------------------------------------------------------------------------

    def _values(self, pose: object = None, zero: bool = False) -> tuple[Array, Iterator[tuple[str, Array]]]:
        """Return the root's translation, and each joint's values in order: of a pose, of zeros, or at rest."""
        order = self._order()
        counts = [len(self._parts[name].joint.dofs) for name in order]
        total = 3 + sum(counts)
        if pose is None:
            q = np.zeros(total)
            if not zero:
                q[3:] = [rest_value(dof) for name in order for dof in self._parts[name].joint.dofs]
        else:
            q = np.asarray(pose, dtype=np.float64)
            if q.shape != (total,) or not np.isfinite(q).all():
                raise PoseError(f'pose has shape {q.shape}; skeleton "{self._name}" needs ({total},), all finite')
        ends = 3 + np.cumsum(counts)
        return q[:3], ((name, q[end - size : end]) for name, end, size in zip(order, ends, counts, strict=True))

    def _frames(self, pose: object = None, zero: bool = False) -> dict[str, Array]:
        """Return each joint's world frame, shape (4, 4), in a pose, with every value 0, or in the rest pose."""
        translation, values = self._values(pose, zero)
        frames: dict[str, Array] = {}
        for name, own in values:
            part = self._parts[name]
            local = local_frame(part.joint, own)
            if part.parent is None:
                local[:3, 3] += translation
                frames[name] = local
            else:
                frames[name] = frames[part.parent] @ local
        return frames

    def _above(self, name: str, frames: dict[str, Array], pose: object = None) -> Array:
        """Return the frame that a joint's offset is given in: its parent's, or the world moved with the root."""
        parent = self._parts[name].parent
        if parent is not None:
            return frames[parent]
        world = np.eye(4)
        if pose is not None:
            world[:3, 3] = np.asarray(pose, dtype=np.float64)[:3]
        return world

    def _motion(self, name: str, pose: object = None, zero: bool = False) -> Array:
        """Return what a joint's degrees of freedom do in a pose, ``D_1 .. D_n``, shape (4, 4)."""
        _, values = self._values(pose, zero)
        own = next(value for at, value in values if at == name)
        joint = self._parts[name].joint
        bare = Joint(name, -1, dofs=joint.dofs, dof_labels=joint.dof_labels, type=joint.type)
        return local_frame(bare, own)


def kinds(joint: Joint) -> tuple[bool, ...]:
    """Return for each degree of freedom whether it is a slide."""
    return tuple(dof.kind == SLIDE for dof in joint.dofs)


FIELDS: tuple[str, ...] = tuple(
    field.name
    for field in dataclasses.fields(Joint)
    if field.name not in ("name", "parent", "controls", "defined", "assumed")
)
"""What ``SkeletonBuilder.set`` takes."""

_ELSEWHERE = {"name": "rename", "parent": "reparent"}


def as_axis(axis: object) -> np.ndarray:
    """Return a unit axis, shape (3,).

    Args:
        axis: ``"x"``, ``"-y"`` ..., or three numbers of any length but zero.

    Raises:
        SkeletonError: If it is none.
    """
    if isinstance(axis, str):
        letter = axis.strip().casefold()
        index = "xyz".find(letter[-1:]) if letter.lstrip("+-") in ("x", "y", "z") else -1
        if index < 0:
            raise SkeletonError(f'"{axis}" is not an axis; expected x, y, z, -x, -y, -z or three numbers')
        unit = np.zeros(3)
        unit[index] = -1.0 if letter.startswith("-") else 1.0
        return unit
    try:
        numbers = np.array(axis, dtype=np.float64).reshape(3)
    except (TypeError, ValueError):
        raise SkeletonError(f"{axis!r} is not an axis; expected x, y, z, -x, -y, -z or three numbers") from None
    found = unit_axis(numbers) if np.isfinite(numbers).all() else None
    if found is None:
        raise SkeletonError(f"axis {numbers.tolist()} has no direction; expected finite numbers that are not all 0")
    return found


def _kept(
    joint: Joint, model: JointModel, labels: Sequence[str] | None
) -> tuple[tuple[Dof, ...], Sequence[str] | None]:
    """Return the degrees of freedom of a new type and their labels, with what the joint has said of the same ones."""
    dofs, left, found = list(type_dofs(model)), list(range(len(joint.dofs))), []
    units = Joint("", -1, dofs=tuple(dofs), type=model).units
    for k, dof in enumerate(dofs):
        same = (i for i in left if joint.dofs[i].kind == dof.kind and joint.units[i] == units[k])
        alike = (i for i in same if np.allclose(joint.dofs[i].axis, dof.axis))
        i = next(alike, None)
        found.append("" if i is None else joint.dof_labels[i])
        if i is None:
            continue
        left.remove(i)
        least, most = (-np.inf, np.inf) if joint.curved is None else joint.curved.domain[i]
        # A limit that was the spline's own end moves along with it.
        lo = dof.lo if joint.dofs[i].lo <= least else max(joint.dofs[i].lo, dof.lo)
        hi = dof.hi if joint.dofs[i].hi >= most else min(joint.dofs[i].hi, dof.hi)
        if lo <= hi and not (lo == hi and dof.lo < dof.hi and joint.dofs[i].lo < joint.dofs[i].hi):
            dofs[k] = Dof(dof.kind, dof.axis, lo, hi)
    return tuple(dofs), found if labels is None else labels


class Values(Parts):
    """The part of ``SkeletonBuilder`` that sets values."""

    def set(self, name: str, **fields: Any) -> None:
        """Set values of a joint; what they may be is checked when the figure is built.

        ``mass``, ``center`` and ``inertia`` set to None come from the shape again. Setting ``mirror`` makes a pair of
        the two joints, and sets those free that were their counterparts; None sets both free.

        Degrees of freedom set with ``dofs`` are known again by kind and axis, else by kind and order; those keep
        their values in every pose, and labels that are not given. A ``type`` brings its own along: those that the joint
        has already, of the same kind and axis, keep label and limits, as far as the type allows them, and others get
        neither. Without a type the hinges and slides stay, while a spline's coordinates go with it.

        Args:
            name: The joint.
            fields: Any of :data:`FIELDS`, as in :class:`~core.skeleton.Joint`; with a ``type`` also its ``controls``.

        Raises:
            JointError: If there is no such joint.
            SkeletonError: If there is no such field, or a value has the wrong shape.
        """
        part = self._part(name)
        for given in fields:
            if given not in FIELDS and (given != "controls" or "type" not in fields):
                if given in _ELSEWHERE:
                    raise SkeletonError(f'"{given}" of a joint is changed by {_ELSEWHERE[given]}()')
                raise SkeletonError(f'a joint has no "{given}"; {choices(given, FIELDS)}')
        mirrors = "mirror" in fields
        mirror = fields.pop("mirror", None)
        if mirrors and mirror is not None:
            self._part(mirror)
            if mirror == name:
                raise SkeletonError(f'joint "{name}" cannot be its own counterpart; expected another joint')
        if "type" in fields:
            self._set_type(part, fields)
        if "dofs" in fields:
            self._set_dofs(part, tuple(fields.pop("dofs")), fields.pop("dof_labels", None))
        self._replace(part, fields)
        if mirrors:
            self._set_mirror(name, mirror)

    def _replace(self, part: Part, fields: dict[str, Any]) -> None:
        """Give a joint other values; a joint that was only placed is defined then."""
        for name, value in fields.items():
            if name in ("objects", "tips", "dof_labels"):
                if isinstance(value, str):
                    raise SkeletonError(f'"{name}" of joint "{part.joint.name}" must be a list, not text')
                fields[name] = tuple(value)
        try:
            part.joint = dataclasses.replace(part.joint, **{"defined": True, **fields})
        except (TypeError, ValueError) as error:
            what = ", ".join(fields)
            raise SkeletonError(f'joint "{part.joint.name}": {what} cannot be set to this ({error})') from None

    def _set_mirror(self, name: str, mirror: str | None) -> None:
        for part in self._parts.values():
            if part.joint.mirror in (name, mirror) and part.joint.mirror is not None:
                self._replace(part, {"mirror": None})
        self._replace(self._parts[name], {"mirror": mirror})
        if mirror is not None:
            self._replace(self._parts[mirror], {"mirror": name})

    # -- degrees of freedom ------------------------------------------------------------------------------------------

    def _set_type(self, part: Part, fields: dict[str, Any]) -> None:
        """Put the degrees of freedom of a new type among the fields to set, or those that are left without one."""
        model, own = fields["type"], part.joint
        if model is not None and not isinstance(model, JointModel):
            raise SkeletonError(f'"type" of joint "{own.name}" cannot be {model!r}; expected a joint of core.joints')
        if model is None and "dofs" not in fields and own.curved is not None:
            fields["dofs"] = ()
        if model is not None and "dofs" not in fields and not (fits(model, own.dofs) and model == own.type):
            fields["dofs"], fields["dof_labels"] = _kept(own, model, fields.get("dof_labels"))
        if model is not None and "dofs" in fields and not fits(model, tuple(fields["dofs"])):
            raise SkeletonError(
                f'joint "{own.name}": these degrees of freedom are not those of the type "{model.type_name}"; '
                f"expected {len(type_dofs(model))} of its own, or no type"
            )

    def _set_dofs(self, part: Part, dofs: tuple[Dof, ...], labels: Sequence[str] | None) -> None:
        for dof in dofs:
            if not isinstance(dof, Dof):
                raise SkeletonError(f"{dof!r} is not a degree of freedom; expected core.skeleton.Dof")
        before = part.joint.dofs
        left = list(range(len(before)))
        same: list[int | None] = [None] * len(dofs)
        for close in (True, False):
            for k, dof in enumerate(dofs):
                alike = (i for i in left if before[i].kind == dof.kind)
                if same[k] is None:
                    same[k] = next((i for i in alike if not close or np.allclose(before[i].axis, dof.axis)), None)
                    if same[k] is not None:
                        left.remove(same[k])  # type: ignore[arg-type]
        if labels is None:
            labels = tuple("" if i is None else part.joint.dof_labels[i] for i in same)
        who = tuple(next(self._new_dofs) if i is None else part.dofs[i] for i in same)
        self._renumber(part, who)
        self._replace(part, {"dofs": dofs, "dof_labels": tuple(labels)})
        part.dofs = who

    def _renumber(self, part: Part, who: tuple[int, ...]) -> None:
        """Let whatever follows know the degrees of freedom of a part by the numbers that they are about to have."""
        numbers = {k: who.index(each) for k, each in enumerate(part.dofs) if each in who}
        for other in self._parts.values():
            other.joint = renumbered(other.joint, part.joint.name, numbers)

    def _dof_number(self, part: Part, dof: int | str) -> int:
        """Return which degree of freedom of a joint is meant by number, axis letter, name or label."""
        joint = part.joint
        letters = dof_letters(joint)
        if isinstance(dof, str):
            for names in (letters, [f"{joint.name}.{letter}" for letter in letters], joint.dof_labels):
                found = [k for k, name in enumerate(names) if name and name.casefold() == dof.strip().casefold()]
                if len(found) == 1:
                    return found[0]
        elif not isinstance(dof, bool) and 0 <= dof < len(joint.dofs):
            return int(dof)
        known = ", ".join(letters) or "none"
        raise SkeletonError(f'joint "{joint.name}" has no degree of freedom {dof!r}; it has {known}')

    def set_limits(self, name: str, dof: int | str, lo: float, hi: float) -> None:
        """Set the limits of a degree of freedom.

        Args:
            name: The joint.
            dof: Its number in the joint, its letter (``"x"``, ``"tx"``), its name or its label.
            lo: Lower limit, [rad] or [m]; ``-inf`` for none.
            hi: Upper limit, [rad] or [m]; ``inf`` for none.

        Raises:
            JointError: If there is no such joint.
            SkeletonError: If it has no such degree of freedom.
        """
        part = self._part(name)
        dofs = list(part.joint.dofs)
        k = self._dof_number(part, dof)
        dofs[k] = Dof(dofs[k].kind, dofs[k].axis, float(lo), float(hi))
        self._replace(part, {"dofs": tuple(dofs)})

    def add_dof(
        self,
        name: str,
        kind: str = HINGE,
        axis: object = "x",
        lo: float = -np.inf,
        hi: float = np.inf,
        label: str = "",
        at: int | None = None,
    ) -> None:
        """Add a degree of freedom; it begins at rest in every pose.

        Args:
            name: The joint.
            kind: ``"hinge"`` or ``"slide"``.
            axis: ``"x"``, ``"-y"`` ..., or three numbers, in the frame that the ones before it leave.
            lo: Lower limit, [rad] or [m].
            hi: Upper limit, [rad] or [m].
            label: What the editor calls it.
            at: Its number in the joint; None puts it last.

        Raises:
            JointError: If there is no such joint.
            SkeletonError: If the kind or the axis is not one.
        """
        part = self._part(name)
        self._check_plain(part)
        if kind not in (HINGE, SLIDE):
            raise SkeletonError(f'there is no degree of freedom of kind "{kind}"; expected {HINGE} or {SLIDE}')
        k = len(part.dofs) if at is None else min(max(int(at), 0), len(part.dofs))
        dofs, labels, who = list(part.joint.dofs), list(part.joint.dof_labels), list(part.dofs)
        dofs.insert(k, Dof(kind, as_axis(axis), float(lo), float(hi)))
        labels.insert(k, label)
        who.insert(k, next(self._new_dofs))
        self._renumber(part, tuple(who))
        self._replace(part, {"dofs": tuple(dofs), "dof_labels": tuple(labels)})
        part.dofs = tuple(who)

    def remove_dof(self, name: str, dof: int | str) -> None:
        """Remove a degree of freedom; the joint stays where it is at zero.

        Args:
            name: The joint.
            dof: As for :meth:`set_limits`.

        Raises:
            JointError: If there is no such joint.
            SkeletonError: If it has no such degree of freedom.
        """
        part = self._part(name)
        self._check_plain(part)
        k = self._dof_number(part, dof)
        dofs, labels, who = list(part.joint.dofs), list(part.joint.dof_labels), list(part.dofs)
        del dofs[k], labels[k], who[k]
        self._renumber(part, tuple(who))
        self._replace(part, {"dofs": tuple(dofs), "dof_labels": tuple(labels)})
        part.dofs = tuple(who)

    def _check_plain(self, part: Part) -> None:
        if part.joint.curved is not None:
            raise SkeletonError(
                f'joint "{part.joint.name}" is of the type {part.joint.curved.type_name}, which has its own degrees of '
                "freedom; expected a joint of hinges and slides, or another type first"
            )

    # -- objects -----------------------------------------------------------------------------------------------------

    def add_object(self, name: str, mesh: Mesh | SegmentObject, file: str = "", mirrored: bool = False) -> str:
        """Add polygons to a joint.

        Args:
            name: The joint.
            mesh: Polygons in the joint's frame, or an object of another joint to take over.
            file: Their file's name, relative to the figure's; made up if empty. It gets a number if it is taken.
            mirrored: Whether the file is to hold the polygons' reflection in x = 0.

        Returns:
            The file's name.

        Raises:
            JointError: If there is no such joint.
        """
        part = self._part(name)
        if isinstance(mesh, SegmentObject):
            made = mesh
        elif isinstance(mesh, Mesh):
            wanted = file or f"{file_stem(self._name, 'figure')}/{file_stem(name, 'part')}.pol"
            made = SegmentObject(self._files().fresh(wanted.replace("\\", "/")), mesh, mirrored)
        else:
            raise SkeletonError(f"{type(mesh).__name__} is not an object; expected core.skeleton.Mesh")
        self._replace(part, {"objects": (*part.joint.objects, made)})
        return made.file

    def remove_object(self, name: str, file: str | int | None = None) -> None:
        """Remove an object from a joint.

        Args:
            name: The joint.
            file: The object's file or number; None removes all.

        Raises:
            JointError: If there is no such joint.
            SkeletonError: If it has no such object.
        """
        part = self._part(name)
        objects = part.joint.objects
        kept: Iterable[SegmentObject] = ()
        if file is not None:
            kept = [item for k, item in enumerate(objects) if file not in (item.file, k)]
            if len(list(kept)) == len(objects):
                known = ", ".join(item.file for item in objects) or "none"
                raise SkeletonError(f'joint "{name}" has no object {file!r}; it has {known}')
        self._replace(part, {"objects": tuple(kept)})
