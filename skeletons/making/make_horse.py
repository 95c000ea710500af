"""Makes the bundled horse: ``horse.scr`` and the polygon files in ``horse/``.

Run ``python -m skeletons.making.make_horse [FOLDER]`` from the repository's root. A riding horse of 1.60 m at the
withers and 450 kg. Places of the joints, shapes, ranges and the split of the mass are ours, after what books on the
horse in motion show; the trunk carries two thirds of the weight, head and neck a tenth.

World: y up, the horse faces +z, its left is +x, the ground is y = 0. All signs are such that a positive value is the
motion its label names.
"""

from __future__ import annotations

import sys
from pathlib import Path

from core.formats import bundled_folder
from skeletons.making.figure import Figure, Layout, Motion, Part
from skeletons.making.horse_shapes import PLACES, body

HAIR = (0.60, 0.54, 0.47)
HORN = (0.44, 0.41, 0.38)
EYE = (0.16, 0.14, 0.13)


def bend(label: str, low: float, high: float) -> Motion:
    """Return the turn about x that lowers what lies in front."""
    return Motion("x", low, high, label)


def turn(label: str, most: float) -> Motion:
    """Return the turn about y to the left, as far to both sides."""
    return Motion("y", -most, most, label)


def tilt(label: str, most: float) -> Motion:
    """Return the turn about z that leans to the left, as far to both sides."""
    return Motion("-z", -most, most, label)


def limb(side: str) -> Layout:
    """Return the layout of one fore leg."""
    names = ("scapula", "upper arm", "forearm", "fore cannon", "fore pastern", "fore hoof")
    return (f"{side.capitalize()} fore leg", [f"{side} {name}" for name in names])


def hind(side: str) -> Layout:
    """Return the layout of one hind leg."""
    names = ("thigh", "gaskin", "hind cannon", "hind pastern", "hind hoof")
    return (f"{side.capitalize()} hind leg", [f"{side} {name}" for name in names])


LAYOUT: Layout = [
    "pelvis",
    (
        "Spine",
        [
            "loins",
            "barrel",
            "withers",
            (
                "Neck",
                [
                    "lower neck",
                    "middle neck",
                    "upper neck",
                    (
                        "Head",
                        ["head", ("Jaw", ["jaw"]), ("Right ear", ["right ear"]), ("Left ear", ["left ear"]),
                         "nostrils", "eyes", "forelock"],
                    ),
                    "mane",
                ],
            ),
            limb("right"),
            limb("left"),
        ],
    ),
    hind("right"),
    hind("left"),
    ("Tail", [f"tail {k}" for k in range(1, 6)]),
]  # fmt: skip

# Name: (mass [kg], motions, responsiveness in inverse kinematics or None)
JOINTS: dict[str, tuple[float, tuple[Motion, ...], float | None]] = {
    "pelvis": (76.0, (Motion("y", None, None, "Pelvis turn"), Motion("x", None, None, "Pelvis bend"),
                      Motion("-z", None, None, "Pelvis side")), None),
    "loins": (62.0, (bend("Loins bend", -10, 25), tilt("Loins side", 8), turn("Loins turn", 10)), 0.5),
    "barrel": (84.0, (bend("Barrel bend", -8, 12), tilt("Barrel side", 8), turn("Barrel turn", 10)), 0.4),
    "withers": (71.55, (bend("Withers bend", -8, 10), tilt("Withers side", 6), turn("Withers turn", 8)), 0.4),
    "lower neck": (12.0, (bend("Lower neck bend", -20, 60), turn("Lower neck turn", 30)), None),
    "middle neck": (8.0, (bend("Middle neck bend", -25, 35), turn("Middle neck turn", 28)), None),
    "upper neck": (5.5, (bend("Upper neck bend", -25, 30), turn("Upper neck turn", 28)), None),
    "head": (15.0, (bend("Head nod", -35, 40), tilt("Head tilt", 25), turn("Head turn", 25)), 0.5),
    "jaw": (3.0, (bend("Jaw open", 0, 22),), 0.5),
    "right ear": (0.1, (Motion("-x", -15, 70, "Ear back"), Motion("-y", -25, 75, "Ear out")), None),
    "tail 1": (1.0, (Motion("x", -25, 85, "Tail lift"), Motion("z", -35, 35, "Tail swing")), None),
    "tail 2": (0.8, (Motion("x", -30, 40, "Tail lift 2"), Motion("z", -30, 30, "Tail swing 2")), None),
    "tail 3": (0.6, (Motion("x", -30, 30, "Tail lift 3"), Motion("z", -30, 30, "Tail swing 3")), None),
    "tail 4": (0.5, (Motion("x", -30, 30, "Tail lift 4"), Motion("z", -30, 30, "Tail swing 4")), None),
    "tail 5": (0.4, (Motion("x", -30, 30, "Tail lift 5"), Motion("z", -30, 30, "Tail swing 5")), None),
    "right scapula": (8.5, (Motion("-x", -18, 18, "Shoulder blade swing"), Motion("-z", -4, 8, "Shoulder blade out")),
                      0.5),
    "right upper arm": (7.5, (Motion("-x", -35, 55, "Shoulder flex"), Motion("-z", -10, 18, "Shoulder out"),
                              Motion("y", -12, 12, "Shoulder turn")), None),
    "right forearm": (6.5, (Motion("-x", -15, 85, "Elbow flex"),), None),
    "right fore cannon": (1.6, (Motion("x", -2, 125, "Knee flex"),), None),
    "right fore pastern": (0.7, (Motion("x", -35, 75, "Fore fetlock flex"),), 0.3),
    "right fore hoof": (0.9, (Motion("x", -25, 45, "Fore hoof flex"),), 0.2),
    "right thigh": (17.5, (Motion("-x", -40, 60, "Hip flex"), Motion("-z", -12, 25, "Hip out"),
                           Motion("y", -15, 15, "Hip turn")), None),
    "right gaskin": (7.0, (Motion("x", -35, 75, "Stifle flex"),), None),
    "right hind cannon": (2.4, (Motion("-x", -25, 95, "Hock flex"),), None),
    "right hind pastern": (0.8, (Motion("x", -35, 75, "Hind fetlock flex"),), 0.3),
    "right hind hoof": (0.9, (Motion("x", -25, 45, "Hind hoof flex"),), 0.2),
}  # fmt: skip

# Parts that only carry a shape of another colour: name -> (where it lies, mass [kg], colour)
DRESS = {
    "mane": (PLACES["upper neck"], 0.6, HAIR),
    "forelock": (PLACES["head"], 0.1, HAIR),
    "eyes": (PLACES["eyes"], 0.1, EYE),
    "nostrils": (PLACES["nostrils"], 0.05, EYE),
}
NOTES = {
    "pelvis": "croup; turns freely: this is the heading of the whole horse",
    "mane": "moves with the neck: its skin follows the joints of the neck",
    "right scapula": "slides and swings on the ribs about a point in its upper half",
    "right fore cannon": "the knee of a horse is its wrist; it folds back only",
    "right hind cannon": "the hock is its heel; it folds forward",
}


def figure() -> Figure:
    """Return the horse."""
    meshes = body()
    parts = []
    for name, (mass, motions, weight) in JOINTS.items():
        color = HAIR if name.startswith("tail") else HORN if name.endswith("hoof") else None
        parts.append(
            Part(name, PLACES[name], motions, mass, meshes[name], NOTES.get(name, ""), weight=weight, color=color)
        )
    for name, (place, mass, color) in DRESS.items():
        parts.append(Part(name, place, (), mass, meshes[name], NOTES.get(name, ""), color=color))
    header = (
        "A riding horse, 1.60 m at the withers, 450 kg. Made by make_horse.py; edit that, not this.",
        "Places, shapes, ranges and the split of the mass are ours.",
        "Rest pose: standing square on y = 0, facing +z.",
    )
    return Figure("horse", header, LAYOUT, parts, digits=7)


if __name__ == "__main__":
    figure().write(Path(sys.argv[1]) if len(sys.argv) > 1 else bundled_folder())
