"""What can be said of figures and sequences in numbers, as JSON values."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from core.animation import Sequence
from core.animation.standing import standing_size
from core.errors import DynamicsError
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.extent import height_of
from core.skeleton.mass import mass_properties
from core.skeleton.segment import segment_tip

_LEAST = 1e-9  # [m]: below, a figure has no size
_STEP = 0.5  # frames between the places that the length of a path is summed over
_MOST_STEPS = 200_000


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def describe_figure(s: Skeleton, sequences: Iterable[Sequence] = ()) -> dict[str, Any]:
    """Return a figure in numbers: lengths in metres, masses in kilograms, angles in radians, null for no limit.

    Args:
        s: The figure.
        sequences: Motions of its file, to see it stand where its rest pose is no stance.
    """
    extent, measured = standing_size(s, sequences)
    dof = 0
    joints: list[dict[str, Any]] = []
    for i, joint in enumerate(s.joints):
        labels = s.dof_labels[dof : dof + len(joint.dofs)]
        dof += len(joint.dofs)
        joints.append(
            {
                "name": joint.name,
                "parent": s.joints[joint.parent].name if joint.parent >= 0 else None,
                "offset": joint.offset.tolist(),
                "length": float(np.linalg.norm(segment_tip(s, i))),
                "mass": mass_properties(s, i)[0],
                "type": joint.type.type_name if joint.type is not None else None,
                "dofs": [
                    {
                        "label": label,
                        "kind": d.kind,
                        "unit": unit,
                        "axis": d.axis.tolist(),
                        "lo": _finite(d.lo),
                        "hi": _finite(d.hi),
                    }
                    for label, unit, d in zip(labels, joint.units, joint.dofs, strict=True)
                ],
                "objects": [
                    {
                        "file": item.file,
                        "missing": item.mesh is None,
                        "triangles": 0 if item.mesh is None else len(item.mesh.triangles),
                    }
                    for item in joint.objects
                ],
                "triangles": sum(len(item.mesh.triangles) for item in joint.objects if item.mesh is not None),
                "mirror": joint.mirror,
            }
        )
    return {
        "name": s.name,
        "dofs": s.n_dofs,
        "height": height_of(extent),
        "size": extent.tolist() if float(extent.max()) > _LEAST else None,
        "measured": measured,
        "mass": sum(joint["mass"] for joint in joints),
        "dynamics": _describe_model(s),
        "mirror_pairs": [[s.joints[a].name, s.joints[b].name] for a, b in s.mirror_pairs],
        "joints": joints,
    }


def _describe_model(s: Skeleton) -> dict[str, Any]:
    """Return the rigid bodies that a figure moves as: how many, with how many coordinates, or why it has no model."""
    from core.dynamics import Multibody

    try:
        model = Multibody.from_skeleton(s)
    except DynamicsError as error:
        return {"bodies": 0, "coordinates": 0, "held": [], "problem": str(error)}
    held = model.figure.held if model.figure is not None else ()
    return {
        "bodies": len(model.bodies),
        "coordinates": model.nq,
        "held": [s.dof_labels[dof] for dof in held],
        "problem": None,
    }


def describe_sequence(sequence: Sequence) -> dict[str, Any]:
    """Return a sequence in numbers: times in seconds, lengths in metres."""
    frames = sequence.keys.frames
    first, last = (frames[0], frames[-1]) if frames else (0, 0)
    places = _root_places(sequence, first, last) if frames else np.zeros((1, 3))
    return {
        "name": sequence.name,
        "figure": sequence.skeleton.name,
        "keys": len(frames),
        "frames": [first, last] if frames else None,
        "fps": sequence.fps,
        "duration": (last - first) / sequence.fps,
        "range": list(sequence.range),
        "loop": sequence.loop,
        "locks": len(sequence.locks.strips) + len(sequence.locks),
        "keyed_locks": sum(strip.moves for strip in sequence.locks.strips),
        "holds": sequence.locks.holds,
        "path": float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum()),
        "displacement": float(np.linalg.norm(places[-1] - places[0])),
    }


def _root_places(sequence: Sequence, first: int, last: int) -> np.ndarray:
    """Return where the root is along the motion, shape (m, 3), [m]."""
    numbers = np.linspace(first, last, min(round((last - first) / _STEP), _MOST_STEPS) + 1)
    root = sequence.skeleton.joints[0]
    if root.type is None and all(dof.kind == "hinge" for dof in root.dofs):
        return sequence.root_places(numbers)  # its joint turns and no more: the rest of the pose does not matter
    parts = np.array_split(numbers, max(1, len(numbers) // 256))
    frames = [forward_kinematics(sequence.skeleton, sequence.poses_at_frames(part)) for part in parts]
    return np.concatenate(frames)[:, 0, :3, 3]
