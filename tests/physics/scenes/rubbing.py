"""Dry friction in joints and on a floor (RedMax matlab 27 to 31, 33)."""

from __future__ import annotations

from dataclasses import replace
from math import pi

import numpy as np

from core.dynamics import Body, Multibody, Scene
from core.dynamics.bearings import Bearing
from core.dynamics.constraints import LoopClosure, PrescribedSpeed
from core.dynamics.contact.scene import Contacts
from core.dynamics.contact.shapes import Geometry, Sphere
from core.dynamics.contact.world import Floor, World
from core.joints import Fixed, FreeRotationFirst, Prismatic, Revolute, Spherical
from core.spatial import SpatialInertia
from tests.physics.scenes.building import X, Y, Z, at, box, chain, cylinder_inertia, model, start, turned
from tests.physics.scenes.driven import linkage_bodies
from tests.physics.scenes.program_friction import Roughness

HINGES = Roughness(0.6, joints={"1": (0.5, 1.0), "2": (0.5, 1.0)})
BALLS = Roughness(5.0, joints={"1": (1.0,), "2": (1.0,)})
SLIDES = Roughness(0.8, joints={"1": (5.0, 0.5, 5.0), "2": (5.0, 0.5, 5.0)})
LINKAGE = Roughness(0.3, joints={name: (0.5, 0.5) for name in "234"}, loop=(0.5, 0.5))
DRAGGED = Roughness(0.1, 0.2, {"1": (1.0, 1.0), "2": (1.0, 1.0)}, balls=("3",), floor=-15.0)
WALKER = Roughness(0.8, 0.8, LINKAGE.joints, LINKAGE.loop, ("front", "back", "right", "left"), 0.0)
LOOP = LoopClosure("4", (-6, 0, 0), "1", (5, 0, 0), "hinge")


def _tilted(axis: np.ndarray, angle: float, joint: Revolute | Prismatic) -> Scene:
    """Return two boxes on joints of one kind, the first of which stands tilted."""
    bodies = chain(2, joint)
    bodies[0] = replace(bodies[0], X_PJ=turned(axis, angle))
    m = model(bodies)
    return Scene(m, *start(m))


def hinges() -> Scene:
    return _tilted(X, pi / 4, Revolute(Z))


def balls() -> Scene:
    m = model(chain(2, Spherical()))
    return Scene(m, *start(m))


def slides() -> Scene:
    return _tilted(Y, pi / 3, Prismatic(X))


def linkage() -> Scene:
    m = model(linkage_bodies(box("1", -1, (10, 0.5, 0.5))))
    return Scene(m, *start(m), constraints=(LOOP,))


def _ball(name: str, parent: str, joint_at: tuple[float, ...], body_at: tuple[float, ...]) -> Body:
    return Body(name, parent, Fixed(), at(*joint_at), at(*body_at), SpatialInertia.sphere(4.0 / 3.0 * pi, 1.0))


def dragged() -> Scene:
    m = model([*chain(2), _ball("3", "2", (10, 0, 0), (0, 0, 0))])
    return Scene(m, *start(m, q1=pi / 4, q2=-pi / 4))


def walker() -> Scene:
    """A linkage on four balls walks; its free joint turns first, then moves, and it is driven at -4 pi.

    The program means the other sign by its +4 pi, as in scene 32.
    """
    nowhere = (0.0, 0.0, 0.0)
    m = model(
        [
            *linkage_bodies(box("1", -1, (10, 0.5, 0.5), FreeRotationFirst(), (0, 0, 1))),
            _ball("front", "1", nowhere, (-5, 0, 0)),
            _ball("back", "1", nowhere, (5, 0, 0)),
            Body("axle", "3", Fixed(), X_JB=turned(X, pi / 2), inertia=cylinder_inertia(0.5, 5.0)),
            _ball("right", "axle", nowhere, (0, 2.5, 0)),
            _ball("left", "axle", nowhere, (0, -2.5, 0)),
        ]
    )
    drive = PrescribedSpeed("2", lambda t: (-4.0 * pi, 0.0), maximal=True)
    return Scene(m, *start(m), constraints=(LOOP, drive))


def with_bearings(scene: Scene, rough: Roughness) -> Scene:
    """Return the scene for our own contact methods: y up, with bearings in its joints and balls above a floor.

    A slide's bearing is a pin as wide as its box.
    """
    lie = turned(X, -pi / 2)
    bodies = [body if body.parent != -1 else replace(body, X_PJ=lie @ body.X_PJ) for body in scene.model.bodies]
    m = Multibody(bodies, lie[:3, :3] @ scene.model.gravity)
    bearings = []
    for name, sizes in rough.joints.items():
        radius, height = (0.5 * sizes[1], sizes[0]) if len(sizes) == 3 else (sizes[0], (*sizes, 1.0)[1])
        bearings.append(Bearing(name, rough.inside, radius, height, 4))
    if rough.loop is not None:
        bearings.append(Bearing(LOOP, rough.inside, *rough.loop, points=4))
    contacts = None
    if rough.balls:
        shapes = tuple(Geometry(Sphere(1.0), m.index(name), friction=rough.outside) for name in rough.balls)
        contacts = Contacts(shapes, World(floor=Floor(rough.floor, friction=rough.outside)))
    return Scene(m, scene.x, scene.v, scene.forces, contacts, scene.constraints, bearings=tuple(bearings))
