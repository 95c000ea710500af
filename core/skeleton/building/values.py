"""Setting the values of joints under construction."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from core.errors import SkeletonError
from core.joints import JointModel
from core.skeleton.building.parts import Part, Parts
from core.skeleton.dof import HINGE, SLIDE, Dof
from core.skeleton.joint import Joint, SegmentObject, dof_letters
from core.skeleton.joint_type import fits, type_dofs
from core.skeleton.mesh import Mesh
from core.skeleton.rerooting.reframe import file_stem
from core.skeleton.scr.lexer import choices
from core.skeleton.scr.values import unit_axis

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
    for k, dof in enumerate(dofs):
        alike = (i for i in left if joint.dofs[i].kind == dof.kind and np.allclose(joint.dofs[i].axis, dof.axis))
        i = next(alike, None)
        found.append("" if i is None else joint.dof_labels[i])
        if i is None:
            continue
        left.remove(i)
        lo, hi = max(joint.dofs[i].lo, dof.lo), min(joint.dofs[i].hi, dof.hi)
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
        for field in fields:
            if field not in FIELDS and (field != "controls" or "type" not in fields):
                if field in _ELSEWHERE:
                    raise SkeletonError(f'"{field}" of a joint is changed by {_ELSEWHERE[field]}()')
                raise SkeletonError(f'a joint has no "{field}"; {choices(field, FIELDS)}')
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
        self._replace(part, {"dofs": dofs, "dof_labels": tuple(labels)})
        part.dofs = who

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
        self._replace(part, {"dofs": tuple(dofs), "dof_labels": tuple(labels)})
        part.dofs = tuple(who)

    def _check_plain(self, part: Part) -> None:
        if part.joint.curved is not None:
            raise SkeletonError(
                f'joint "{part.joint.name}" runs along a {part.joint.curved.type_name}, which has its own degrees of '
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
