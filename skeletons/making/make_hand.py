"""Makes the bundled hand: ``hand.scr`` and the polygon files in ``hand/``.

Run ``python -m skeletons.making.make_hand [FOLDER]`` from the repository's root. A man's right hand, 0.19 m long, with
the stump of its forearm. Ranges of motion are the Merck manual's for fingers and thumb and those of the American
Academy of Orthopaedic Surgeons for the wrist, as printed by Norkin and White; the thumb's first joint and all places
are ours.

World: y up, the palm faces +z turned a little to the right, where the editor's camera stands; the thumb points to +x.
All signs are such that a positive angle is the motion its label names.
"""

from __future__ import annotations

import sys
from pathlib import Path

from core.formats import bundled_folder
from skeletons.making.figure import Figure, Layout, Motion, Part
from skeletons.making.hand_shapes import FINGERS, THUMB, WRIST, body, frames

# Flexion and extension of the joints of a straight finger, [deg]; the figure is curled a little at zero.
RANGES = {"proximal": (-30, 90), "middle": (0, 100), "distal": (0, 80)}
THUMB_RANGES = {"proximal": (0, 70), "distal": (0, 90)}
SPREAD = {"index": 22, "middle": 14, "ring": 16, "little": 25}  # away from the middle finger; as far back across it
MASSES = {"forearm": 0.420, "hand": 0.310, "proximal": 0.0130, "middle": 0.0070, "distal": 0.0045,
          "thumb metacarpal": 0.0280, "thumb proximal": 0.0150, "thumb distal": 0.0090}  # fmt: skip


def flex(name: str, curl: float, limits: tuple[float, float]) -> Motion:
    """Return the bend of a finger's joint that is bent by ``curl`` at zero."""
    return Motion("x", limits[0] - curl, limits[1] - curl, f"{name} flex")


def finger_parts() -> list[Part]:
    """Return the joints of the four fingers."""
    parts = []
    meshes = body()
    for digit in FINGERS:
        for bone, (_, place) in zip(digit.bones, frames(digit), strict=False):
            kind = bone.joint.split()[-1]
            title = {"proximal": digit.name, "middle": f"{digit.name} middle", "distal": f"{digit.name} tip"}[kind]
            motions = [flex(title.capitalize(), bone.turn[0], RANGES[kind])]
            if kind == "proximal":
                axis = "-z" if digit.name in ("index", "middle") else "z"
                most = SPREAD[digit.name]
                motions.append(Motion(axis, -most, most, f"{digit.name.capitalize()} spread"))
            note = f"{digit.name} finger; limits: Merck manual, {bone.turn[0]:g}° of flexion at zero"
            weight = None if kind == "proximal" else 0.8 if kind == "middle" else 0.5
            parts.append(Part(bone.joint, place, motions, MASSES[kind], meshes[bone.joint], note, bone.turn, weight))
    for bone, (_, place) in zip(THUMB.bones, frames(THUMB), strict=False):
        kind = bone.joint.split()[-1]
        if kind == "metacarpal":
            motions = [Motion("x", -25, 45, "Thumb base flex"), Motion("-z", -40, 25, "Thumb out")]
            note = "saddle joint; its range is ours"
        else:
            title = "Thumb" if kind == "proximal" else "Thumb tip"
            motions = [flex(title, bone.turn[0], THUMB_RANGES[kind])]
            note = f"thumb; limits: Merck manual, {bone.turn[0]:g}° of flexion at zero"
        parts.append(Part(bone.joint, place, motions, MASSES[bone.joint], meshes[bone.joint], note, bone.turn))
    parts.append(
        Part(
            "hand",
            WRIST,
            (Motion("x", -70, 80, "Wrist flex"), Motion("z", -20, 30, "Wrist side")),
            MASSES["hand"],
            meshes["hand"],
            "AAOS wrist flexion 80 / extension 70, ulnar 30 / radial 20",
        )
    )
    free = (Motion("y", None, None, "Forearm turn"), Motion("x", None, None, "Forearm bend"),
            Motion("-z", None, None, "Forearm side"))  # fmt: skip
    note = "the stump it stands on; turns freely: this is the heading of the whole hand"
    parts.append(Part("forearm", (0.0, 0.0, 0.0), free, MASSES["forearm"], meshes["forearm"], note))
    return parts


LAYOUT: Layout = [
    "forearm",
    "hand",
    ("Thumb", [bone.joint for bone in THUMB.bones]),
    *((f"{digit.name.capitalize()} finger", [bone.joint for bone in digit.bones]) for digit in reversed(FINGERS)),
]


def figure() -> Figure:
    """Return the hand."""
    header = (
        "A man's right hand with the stump of its forearm, life size. Made by make_hand.py; edit that, not this.",
        "Limits: Merck manual (fingers, thumb) and AAOS (wrist). Each joint says how far it is bent at zero.",
        "Rest pose: upright on y = 0, fingers slightly curled, palm to +z and a little to the right.",
    )
    return Figure("hand", header, LAYOUT, finger_parts(), heading=-25.0, digits=7)


if __name__ == "__main__":
    figure().write(Path(sys.argv[1]) if len(sys.argv) > 1 else bundled_folder())
