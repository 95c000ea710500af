"""Bodies whose inertia comes from meshes (RedMax matlab 26, 34)."""

from __future__ import annotations

import os
from math import pi
from pathlib import Path

import trimesh

from core.dynamics import Body, Scene
from core.dynamics.constraints import Coupling
from core.errors import DynamicsError
from core.joints import Fixed, Revolute
from core.spatial import SpatialInertia
from tests.physics.scenes.building import X, Y, Z, at, box, box_inertia, cylinder_inertia, model, start, turned

DATA = Path(os.environ.get("SEQUENCE_EDITOR_DATA", Path(__file__).parents[3] / "../shared/data")).resolve()
"""The folder of reference data, the same one as the fixture ``data_folder``."""


def mesh_inertia(name: str, density: float = 1.0) -> SpatialInertia:
    """Return the inertia of a mesh of the reference data in the frame of its file.

    Raises:
        DynamicsError: If the data is not there.
    """
    path = DATA / "meshes" / name
    if not path.is_file():
        raise DynamicsError("reference data not found; set SEQUENCE_EDITOR_DATA to its folder")
    mesh = trimesh.load_mesh(path, process=False)
    return SpatialInertia.mesh(mesh.vertices, mesh.faces, density=density)


def cuboids() -> Scene:
    inertia = mesh_inertia("redmax_cuboid.obj")
    hang = at(0.5, 0, -1.5)
    m = model(
        [
            Body("1", -1, Revolute(Y), X_JB=hang, inertia=inertia),
            Body("2", "1", Revolute(Y), at(0, 0, -3), hang, inertia),
        ]
    )
    return Scene(m, *start(m))


def meshing_gears() -> Scene:
    """Two gears on axles that turn against each other, a bar on each; the bar on the top axle is out of balance."""
    gear = mesh_inertia("redmax_gears.obj", density=0.1)
    upright = turned(X, pi / 2)
    m = model(
        [
            Body("frame", -1, Fixed(), turned(Z, pi), inertia=box_inertia((1, 1, 6))),
            Body("top", "frame", Revolute(Y), at(0, -0.25, 2), upright, cylinder_inertia(0.2, 3.5)),
            Body("bottom", "frame", Revolute(Y), at(0, -0.5, -2), upright, cylinder_inertia(0.2, 3.0)),
            Body("top gear", "top", Fixed(), at(0, -0.35, 0), upright, gear),
            Body("bottom gear", "bottom", Fixed(), at(0, -0.1, 0), upright, gear),
            box("bottom bar", "bottom", (5, 0.25, 0.25), Fixed(), (0, 1.5, 0)),
            box("top bar", "top", (7, 0.25, 0.25), Fixed(), (2, 1.75, 0)),
        ]
    )
    return Scene(m, *start(m), constraints=(Coupling("bottom", "top", -1.0),))
