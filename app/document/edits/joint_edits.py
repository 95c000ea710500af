"""What a person does with a figure's joints, as edits for ``Document.edit_figure`` and ``FigureGesture``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.errors import SkeletonError
from core.joints import SplineCurve, SplineSurface
from core.skeleton import Dof, Joint, Mesh, Skeleton
from core.skeleton.building.builder import SkeletonBuilder
from core.skeleton.building.props import free_turn
from core.skeleton.control_frames import curve_from_controls
from core.skeleton.extent import figure_height
from core.skeleton.mirroring.mirror import name_side
from core.skeleton.rerooting.reframe import file_stem
from core.skeleton.segment import rest_frames, segment_capsule, segment_mesh, segment_tip
from core.skeleton.shapes import box, ellipsoid, tapered

FRAMES = 8  # of the ring
SIDE = 4  # frames along a side of the patch
_DOME = 0.15  # height of the patch, of the size
_SMALLEST_PART = 0.01  # [m]
_OF_FIGURE = 0.1  # size of a way for a part without a body, of the figure's height


def part_size(skeleton: Skeleton, joint: int) -> float:
    """Return the largest extent of a joint's body along the axes of its frame, to the millimetre, [m]."""
    mesh = segment_mesh(skeleton, joint)
    size = _OF_FIGURE * figure_height(skeleton)
    if mesh is not None and len(mesh.vertices):
        size = float(np.ptp(mesh.vertices, axis=0).max())
    return round(max(size, _SMALLEST_PART), 3)


def ring_controls(skeleton: Skeleton, joint: int) -> Array:
    """Return the control frames of ``default_curve`` as files write them, shape (8, 6), [m] and [deg]."""
    radius = part_size(skeleton, joint)
    rows = []
    for k in range(FRAMES):
        turn = 2.0 * np.pi * (k - 1) / FRAMES  # the curve begins at its second frame
        place = radius * np.array([np.cos(turn) - 1.0, 0.0, np.sin(turn)])
        rows.append([*np.round(place, 6), 0.0, -np.degrees(turn), 0.0])
    return np.array(rows) + 0.0


def default_curve(skeleton: Skeleton, joint: int) -> SplineCurve:
    """Return a ring in the x-z plane, as wide as twice the part, that begins where the part is and turns it along."""
    return curve_from_controls(ring_controls(skeleton, joint), True)


def default_surface(skeleton: Skeleton, joint: int) -> SplineSurface:
    """Return a gently domed patch over the x-z plane, as wide as the part, its middle where the part is."""
    size = part_size(skeleton, joint)
    values = np.zeros((6, SIDE, SIDE))
    steps = np.arange(SIDE) - 0.5 * (SIDE - 1)
    x, z = np.meshgrid(size * steps, size * steps, indexing="ij")
    # y = -bend (x^2 + z^2); splines keep its second derivatives, and its middle is brought to zero.
    bend = 2.0 * _DOME / size
    height = -bend * (x**2 + z**2)
    weights = np.array([1.0, 23.0, 23.0, 1.0]) / 48.0
    values[0], values[1], values[2] = x, height - weights @ height @ weights, z
    turns = np.round(np.degrees(np.arctan(2.0 * bend * np.stack([-z, x]))), 2)
    values[3], values[5] = np.radians(turns)
    values[:3] = np.round(values[:3], 6)
    return SplineSurface(values + 0.0)


Edit = Callable[[SkeletonBuilder], object]

SHAPES = ("box", "ball", "limb")
_SIDES = 20  # of round shapes
_TINY = 1e-6  # [m]
_EVEN = 1e-6  # how much two masses may differ that are meant to be the same, as a share
_SMALLEST = 0.02  # [m]: half the size of a shape for a segment without length, and the least padding of a box


def first_figure() -> Skeleton:
    """Return the figure that a new one begins as: a root at hip height that turns every way, without a body."""
    return Skeleton("figure", [Joint("root", -1, offset=np.array([0.0, 1.0, 0.0]), dofs=free_turn())])


# -- what a figure has ---------------------------------------------------------------------------------------------


def branch(skeleton: Skeleton, joint: int) -> list[int]:
    """Return a joint and everything that hangs on it, parents first."""
    found = [joint]
    for i in range(joint + 1, len(skeleton.joints)):
        if skeleton.joints[i].parent in found:
            found.append(i)
    return found


def group_names(skeleton: Skeleton) -> tuple[str, ...]:
    """Return the names of all groups, each once, in file order."""
    return tuple(dict.fromkeys(name for name, _ in skeleton.groups if name))


def group_of(skeleton: Skeleton, joint: str) -> str:
    """Return the name of the innermost group a joint is in; "" if it is in none."""
    index = skeleton.joint_index(joint)
    return next((name for name, joints in skeleton.groups if name and index in joints), "")


def free_name(skeleton: Skeleton) -> str:
    """Return a name that no joint has yet."""
    number = len(skeleton.joints)
    while f"joint {number}" in skeleton.joint_names:
        number += 1
    return f"joint {number}"


# -- the tree ------------------------------------------------------------------------------------------------------


def added(parent: str, name: str, place: ArrayLike | None = None) -> Edit:
    """Add a joint that turns every way.

    Args:
        parent: What it hangs on.
        name: Its name.
        place: Where it is at rest, world, shape (3,), [m]; None puts it at the end of the parent's segment.
    """

    def edit(builder: SkeletonBuilder) -> None:
        offset = np.zeros(3)
        if place is None:
            offset = next_offset(builder.build(), parent)
        builder.add(name, parent, offset=offset, dofs=free_turn())
        if place is not None:
            builder.place(name, place)

    return edit


def next_offset(skeleton: Skeleton, parent: str) -> np.ndarray:
    """Return where a new child belongs in its parent's frame: at the end of the segment, or beside what is there.

    Returns:
        Shape (3,), [m].
    """
    tip = segment_tip(skeleton, parent)
    index = skeleton.joint_index(parent)
    if float(np.linalg.norm(tip)) < _TINY:
        tip = np.array([0.0, 0.25, 0.0])
    step = 0.3 * float(np.linalg.norm(tip)) * np.array([1.0, 0.0, 0.0])
    taken = [skeleton.joints[child].offset for child in skeleton.children[index]]
    while any(float(np.linalg.norm(offset - tip)) < 0.1 * float(np.linalg.norm(tip)) for offset in taken):
        tip = tip + step  # two joints in one place could not be told apart
    return tip


def removed(names: Sequence[str], keep_children: bool) -> Edit:
    """Remove joints, with all that hangs on them or without; one whose branch is gone already is no matter."""

    def edit(builder: SkeletonBuilder) -> None:
        for name in names:
            if name in builder.joint_names:
                builder.remove(name, keep_children)

    return edit


def renamed(old: str, new: str) -> Edit:
    """Rename a joint."""
    return lambda builder: builder.rename(old, new.strip())


def reparented(name: str, parent: str) -> Edit:
    """Hang a joint on another one; it stays where it is."""
    return lambda builder: builder.reparent(name, parent)


def grouped(name: str, group: str) -> Edit:
    """Let a group begin with a joint; "" or the group of its parent lets it go on in that one."""

    def edit(builder: SkeletonBuilder) -> None:
        skeleton = builder.build()
        above = skeleton.joints[skeleton.joint_index(name)].parent
        same = above >= 0 and group == group_of(skeleton, skeleton.joints[above].name)
        builder.set_group(name, None if same or not group else group)

    return edit


def _ancestry(skeleton: Skeleton, joint: int) -> list[int]:
    """Return a joint and those it hangs on, the root left out."""
    above = []
    while skeleton.joints[joint].parent >= 0:
        above.append(joint)
        joint = skeleton.joints[joint].parent
    return above


def side_names(skeleton: Skeleton, joint: int) -> dict[str, str]:
    """Return new names for the branch that a joint is in if none above says a side: those of the side it stands on.

    The branch begins with the first joint that stands off the middle; {} if there is none, or the names say a side.
    """
    above = _ancestry(skeleton, joint)
    frames = rest_frames(skeleton)
    aside = [i for i in above if abs(float(frames[i, 0, 3])) > _TINY]
    if not aside or any(name_side(skeleton.joints[i].name) for i in above):
        return {}
    side = "left" if frames[aside[-1], 0, 3] > 0.0 else "right"
    names = (skeleton.joints[i].name for i in branch(skeleton, aside[-1]))
    return {name: f"{side} {name}" for name in names if not name_side(name)}


def mirrored(skeleton: Skeleton, joint: int) -> Edit:
    """Make the other side of the branch that a joint is in, in place of what is there.

    The branch begins with the first joint above that says a side; where none does it gets ``side_names``.
    """
    names = [skeleton.joints[i].name for i in _ancestry(skeleton, joint)]
    renamings = side_names(skeleton, joint)
    sided = [renamings.get(name, name) for name in names if name_side(renamings.get(name, name))]
    first = sided[-1] if sided else skeleton.joints[joint].name  # which says what is missing

    def edit(builder: SkeletonBuilder) -> None:
        for old, new in renamings.items():
            builder.rename(old, new)
        builder.mirror_side(first)

    return edit


# -- one joint -----------------------------------------------------------------------------------------------------


def moved(name: str, place: ArrayLike, carry: bool) -> Edit:
    """Put a joint somewhere in the world, at rest.

    Args:
        name: The joint.
        place: Shape (3,), [m].
        carry: Whether what hangs on it comes along.
    """
    return lambda builder: builder.place(name, place, carry)


def with_values(name: str, **values: object) -> Edit:
    """Set values of a joint; see ``SkeletonBuilder.set``."""
    return lambda builder: builder.set(name, **values)


def with_offset(name: str, offset: ArrayLike, carry: bool) -> Edit:
    """Set a joint's offset; without ``carry`` what hangs on it stays where it is."""
    if carry:
        return with_values(name, offset=offset)

    def edit(builder: SkeletonBuilder) -> None:
        skeleton = builder.build()
        above = skeleton.joints[skeleton.joint_index(name)].parent
        frame = rest_frames(skeleton)[above] if above >= 0 else np.eye(4)
        builder.place(name, frame[:3, :3] @ np.asarray(offset) + frame[:3, 3], carry=False)

    return edit


def with_orientation(name: str, orientation: ArrayLike, carry: bool) -> Edit:
    """Set a joint's orientation, [deg]; without ``carry`` what hangs on it stays as it is."""
    return lambda builder: builder.orient(name, orientation, carry)


def with_dofs(name: str, dofs: Sequence[tuple[Dof, str]]) -> Edit:
    """Set a joint's degrees of freedom, each with its label, "" for none."""
    return with_values(name, dofs=tuple(dof for dof, _ in dofs), dof_labels=tuple(label for _, label in dofs))


def with_limits(name: str, number: int, lo: float, hi: float) -> Edit:
    """Set the limits of a joint's degree of freedom, [rad] or [m]; what stands between them must stay there."""

    def edit(builder: SkeletonBuilder) -> None:
        builder.set_limits(name, number, lo, hi)

    return edit


# -- shapes --------------------------------------------------------------------------------------------------------


def with_object(name: str, stem: str, mesh: Mesh) -> Edit:
    """Give a joint polygons, in its frame.

    Args:
        name: The joint.
        stem: What their file is called, without folder and ending.
        mesh: The polygons.
    """

    def edit(builder: SkeletonBuilder) -> None:
        builder.add_object(name, mesh, f"{file_stem(builder.name, 'figure')}/{file_stem(stem, 'part')}.pol")

    return edit


def without_object(name: str, number: int) -> Edit:
    """Take an object away from a joint."""
    return lambda builder: builder.remove_object(name, number)


def with_object_box(name: str, number: int, size: ArrayLike, center: ArrayLike) -> Edit:
    """Stretch and move an object so that it fills another box; a side it has no extent in keeps none.

    Args:
        name: The joint.
        number: Which of its objects.
        size: Edges of the box along the joint's axes, shape (3,), [m], > 0.
        center: Its middle in the joint's frame, shape (3,), [m].
    """

    def edit(builder: SkeletonBuilder) -> None:
        part = builder.joint(name).objects[number]
        if part.mesh is None:
            raise SkeletonError(f'object "{part.file}" of joint "{name}" was not found, so it has no size to change')
        lo, hi = part.mesh.bounds
        factors = np.where(hi - lo > _TINY, np.asarray(size) / np.maximum(hi - lo, _TINY), 1.0)
        vertices = (part.mesh.vertices - 0.5 * (lo + hi)) * factors + np.asarray(center)
        weights = part.mesh.weights
        if part.mirrored:  # it stands for itself from now on, so its weights must name the joints of its own side
            counterparts = {other: builder.joint(other).mirror or other for other in builder.joint_names}
            weights = tuple((counterparts.get(follows, follows), values) for follows, values in weights)
        changed = Mesh(vertices, part.mesh.triangles, part.mesh.polygons, weights)
        builder.remove_object(name, number)
        builder.add_object(name, changed, part.file)
        objects = list(builder.joint(name).objects)
        objects.insert(number, objects.pop())
        builder.set(name, objects=objects)

    return edit


def with_shape(name: str, shape: str) -> Edit:
    """Give a joint a shape as large as its segment, one of ``SHAPES``."""

    def edit(builder: SkeletonBuilder) -> None:
        builder.add_object(name, segment_shape(builder.build(), name, shape))

    return edit


def with_bodies(builder: SkeletonBuilder) -> None:
    """Give every joint without a body a shape: those of a person or an animal where the figure has none at all.

    Raises:
        SkeletonError: If no joint is in need of one.
    """
    from core.formats.importing.bodies import with_bodies as embodied

    skeleton = builder.build()
    made = embodied(skeleton)
    shapes: list[tuple[str, Mesh, str]] = []
    if made is not skeleton:
        for joint in made.joints:
            shapes += [(joint.name, part.mesh, part.file) for part in joint.objects if part.mesh is not None]
    else:
        bare = [joint.name for joint in skeleton.joints if not joint.has_body]
        long = [name for name in bare if float(np.linalg.norm(segment_tip(skeleton, name))) > _TINY]
        shapes += [(name, segment_shape(skeleton, name, "limb"), "") for name in long]
    if not shapes:
        raise SkeletonError("no joint needs a shape; expected joints without a body, some distance apart")
    for name, mesh, file in shapes:
        builder.add_object(name, mesh, file)
    filled = builder.build()
    for name in dict.fromkeys(name for name, _, _ in shapes):
        mass = made.joints[made.joint_index(name)].as_given().mass
        if mass is not None and abs(mass - (filled.joints[filled.joint_index(name)].mass or 0.0)) > _EVEN * mass:
            builder.set(name, mass=mass)  # a person is not of the density of water


def segment_shape(skeleton: Skeleton, joint: str, shape: str) -> Mesh:
    """Return a shape that fills a joint's segment, in the joint's frame.

    Raises:
        SkeletonError: If there is no such shape.
    """
    tip = segment_tip(skeleton, joint)
    length = float(np.linalg.norm(tip))
    radius = segment_capsule(skeleton, joint).radius
    if shape == "ball":
        return ellipsoid(max(0.5 * length, _SMALLEST), 0.5 * tip, _SIDES)
    if shape == "limb":
        if length < _TINY:
            return ellipsoid(max(radius, _SMALLEST), sides=_SIDES)
        return tapered(np.zeros(3), tip, radius, 0.75 * radius, _SIDES)
    if shape == "box":
        padding = np.where(np.abs(tip) > 0.5 * length, 0.0, max(radius, _SMALLEST)) if length > _TINY else _SMALLEST
        lo, hi = np.minimum(tip, 0.0) - padding, np.maximum(tip, 0.0) + padding
        return box(hi - lo, 0.5 * (lo + hi))
    raise SkeletonError(f'there is no shape "{shape}"; there are {", ".join(SHAPES)}')


def in_order(skeleton: Skeleton, names: Sequence[str]) -> Skeleton:
    """Return a figure with its joints in another order, every parent before its children.

    Args:
        skeleton: The figure.
        names: Its joints' names in the wanted order.
    """
    if skeleton.joint_names == tuple(names):
        return skeleton
    number = {name: i for i, name in enumerate(names)}
    joints = []
    for name in names:
        joint = skeleton.joints[skeleton.joint_index(name)]
        above = -1 if joint.parent < 0 else number[skeleton.joints[joint.parent].name]
        joints.append(replace(joint, parent=above))
    return Skeleton(skeleton.name, joints, None, skeleton.source)
