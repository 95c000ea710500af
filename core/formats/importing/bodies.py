"""Body segments for a bare imported skeleton: motion files say where the joints are, not what hangs on them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from core.formats.importing.anatomy import find_anatomy
from core.formats.importing.body_parts import BodyParts
from core.formats.importing.body_shapes import MAN
from core.skeleton.frames import frames_at
from core.skeleton.joint import SegmentObject
from core.skeleton.mesh import Mesh
from core.skeleton.shapes import volume
from core.skeleton.skeleton import Skeleton

DENSITY = 1000.0  # [kg/m^3], of a figure that is no human
MASS = 73.0  # [kg], of a man of ``MAN`` metres; other people's goes with the cube of their height
_UNREAL = re.compile(r"[^\w .+-]+", re.ASCII)


def with_bodies(s: Skeleton) -> Skeleton:
    """Return the figure with a closed body for every segment, and masses to go with them.

    A human figure, recognised by the names of its joints and their place in the tree, gets a person's shapes: tapered
    limbs, pelvis and chest as wide as its hips and shoulders, an egg for the head, feet with flat soles; its whole mass
    is that of a person of its height, shared out by volume. Any other gets a tapered limb from joint to joint, of the
    density of water. Joints that only help (twist bones, the bones of a face, ends) get nothing.

    Args:
        s: The figure. One that has an object already is returned as it is; masses that are given stay.

    Returns:
        A new figure; its objects are named ``NAME/part.pol``.
    """
    if any(joint.objects for joint in s.joints):
        return s
    frames = frames_at(s, np.zeros(s.n_dofs))
    anatomy = find_anatomy(s, frames)
    meshes = BodyParts(s, anatomy).all()
    volumes = {i: sum(volume(mesh) for mesh in parts) for i, parts in meshes.items()}
    whole = sum(volumes.values())
    if not whole > 0.0:
        return s
    density = DENSITY
    if anatomy.human:
        heights = np.concatenate([mesh.vertices @ anatomy.up for parts in meshes.values() for mesh in parts])
        density = MASS * (float(np.ptp(heights)) / MAN) ** 3 / whole
    names = _file_names(s, meshes)
    joints = list(s.joints)
    for i, parts in meshes.items():
        inward = np.linalg.inv(frames[i])
        objects = tuple(
            SegmentObject(name, Mesh(mesh.vertices @ inward[:3, :3].T + inward[:3, 3], mesh.triangles, mesh.polygons))
            for name, mesh in zip(names[i], parts, strict=True)
        )
        given = joints[i].as_given()
        joints[i] = replace(given, objects=objects, mass=density * volumes[i] if given.mass is None else given.mass)
    return Skeleton(s.name, joints, s.layout, s.source, s.warnings)


def _file_names(s: Skeleton, meshes: dict[int, list[Mesh]]) -> dict[int, list[str]]:
    """A path of its own for every object, also where a disk takes no notice of capitals."""

    def plain(text: str) -> str:
        return _UNREAL.sub("_", text).strip(" .")[:80] or "part"

    folder, used = plain(s.name), set[str]()
    names: dict[int, list[str]] = {}
    for i, parts in meshes.items():
        stem = plain(s.joints[i].name)
        names[i] = []
        for _ in parts:
            name, number = stem, 2
            while name.casefold() in used:
                name, number = f"{stem} {number}", number + 1
            used.add(name.casefold())
            names[i].append(f"{folder}/{name}.pol")
    return names
