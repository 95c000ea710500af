"""Where something is attached that the pointer is over: a part, a body, an obstacle, the floor, or the air."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from app.physics.line_edits import body_names
from app.scene.pointing import Array, Pointer, SceneView
from app.scene.world_scene import BODY
from app.tools.picking import pick_near
from app.words.part_names import spoken_name, spoken_part
from core.kinematics.ray import point_in_plane

if TYPE_CHECKING:
    from app.scene.scene import Scene


LEVEL = 0.02
"""A ray that falls less than this share of its way meets the floor too far off to mean it."""
FAR = 30.0
"""The floor farther away than this is not meant, [m]."""


class Landing(NamedTuple):
    """A place under the pointer.

    Attributes:
        part: Joint or rigid body, by name; None for the world.
        point: In that part's frame, or in the world, shape (3,), [m].
        place: In the world, shape (3,), [m].
        name: What it is called in a sentence.
        joint: Index of the joint in the active figure; None for anything else.
    """

    part: str | None
    point: Array
    place: Array
    name: str
    joint: int | None = None


def landing_at(scene: Scene, view: SceneView, pointer: Pointer, depth: Array | None = None) -> Landing | None:
    """Return what is under the pointer: of parts, bodies and obstacles the nearest, else the floor, else the air.

    Args:
        scene: What the views show.
        view: The view.
        pointer: Where.
        depth: A point in the world as deep as places in the air are, shape (3,), [m]; None for none there.
    """
    touched = touched_at(scene, view, pointer)
    if touched is not None:
        return touched
    origin, direction = view.ray(pointer.x, pointer.y)
    place = scene.world_around.struck(origin, direction)
    if place is not None:
        return Landing(None, place, place, "the floor" if scene.world_around.terrain is None else "the ground")
    return None if depth is None else in_air(view, pointer, depth)


def touched_at(scene: Scene, view: SceneView, pointer: Pointer) -> Landing | None:
    """Return the part, body or obstacle under the pointer, at the very point of its surface; None for none."""
    around, skeleton = scene.world_around, scene.skeleton
    if skeleton is None:
        return None
    ray = view.ray(pointer.x, pointer.y)
    item = around.item_at(*ray)
    hit = scene.pick(*ray)
    if hit is None and item is None and around.part_at(*ray) is None:
        hit = pick_near(scene, view, pointer.x, pointer.y)
    other = around.part_at(*ray)
    if other is not None and all(each is None or other[2] < each.distance for each in (hit, item)):
        name, place, _ = other
        return Landing(name, inside(around.part_frames()[name], place), place, spoken_part(name))
    if hit is not None and (item is None or hit.distance < item.distance):
        name = scene.document.model.part_name(skeleton.joints[hit.joint].name)
        return Landing(name, inside(scene.poses[hit.joint], hit.point), hit.point, spoken_part(name), hit.joint)
    if item is None:
        return None
    if item.field != BODY:
        return Landing(None, item.point, item.point, item.name)
    settings = around.settings
    assert settings is not None
    name = body_names(settings)[item.number]
    return Landing(name, inside(around.body_frames()[name], item.point), item.point, name)


class Sight(NamedTuple):
    """What the pointer is over, to be looked at.

    Attributes:
        place: In the world, shape (3,), [m].
        other: ``(joint, point)`` of the active figure, ``(figure, joint, point)`` of another one; None for a place.
        name: What it is called in a sentence.
    """

    place: Array
    other: tuple[Any, ...] | None
    name: str


def sight_at(scene: Scene, view: SceneView, pointer: Pointer, depth: Array) -> Sight | None:
    """Return what can be looked at under the pointer: a part of any figure, else the floor, else a place in the air.

    Args:
        scene: What the views show.
        view: The view.
        pointer: Where.
        depth: A point in the world as deep as places in the air are, shape (3,), [m].
    """
    skeleton, ray = scene.skeleton, view.ray(pointer.x, pointer.y)
    if skeleton is None:
        return None
    hit, other = scene.pick(*ray), scene.others.pick(*ray)
    if other is not None and (hit is None or other.distance < hit.distance):
        figure = next(each for each in scene.others.here if each.number == other.figure)
        joint, place = figure.skeleton.joint_names[other.joint], other.point
        point = tuple(inside(figure.poses[other.joint], place).tolist())
        whose = figure.skeleton.name
        name = whose if joint == whose else f"{spoken_name(joint)} of {whose}"
        return Sight(place, (whose, joint, point), name)
    if hit is not None:
        joint, point = skeleton.joint_names[hit.joint], tuple(inside(scene.poses[hit.joint], hit.point).tolist())
        return Sight(hit.point, (joint, point), spoken_name(joint))
    on_floor = floor_at(view, pointer)
    if on_floor is not None:
        return Sight(on_floor, None, "a place on the floor")
    found = in_air(view, pointer, depth)
    return None if found is None else Sight(found.place, None, found.name)


def floor_at(view: SceneView, pointer: Pointer) -> Array | None:
    """Return the place of the floor under the pointer, world, shape (3,), [m]; None above the horizon."""
    origin, direction = view.ray(pointer.x, pointer.y)
    place = point_in_plane(np.zeros(3), np.array([0.0, 1.0, 0.0]), origin, direction)
    if place is None or direction[1] >= -LEVEL or (place - origin) @ direction <= 0.0:
        return None
    return None if float(np.linalg.norm(place - origin)) > FAR else place


def in_air(view: SceneView, pointer: Pointer, depth: Array) -> Landing | None:
    """Return the place under the pointer that is as deep as a point in the world, shape (3,), [m]."""
    origin, direction = view.ray(pointer.x, pointer.y)
    facing = view.ray(0.5 * view.width(), 0.5 * view.height())[1]
    place = point_in_plane(depth, facing, origin, direction)
    if place is None or (place - origin) @ direction <= 0.0:
        return None
    return Landing(None, place, place, "a place in the air")


def inside(frame: Array, place: Array) -> Array:
    """Return a place in the frame of a part."""
    return np.asarray(np.linalg.solve(frame, np.append(place, 1.0))[:3])
