"""Makes the bundled bird: ``bird.scr`` and the polygon files in ``bird/``.

Run ``python -m skeletons.making.make_bird [FOLDER]`` from the repository's root. A gull of about 0.9 m over its wings
and 0.4 kg. The long feathers are drawn by joints that cannot move, hung at the end of the wing; their skin follows arm,
forearm and hand in shares that change from feather to feather, so that they spread and fold with the wing by
themselves. Shapes, ranges and masses are ours.

World: y up, the bird faces +z, its left is +x, the ground is y = 0. All signs are such that a positive value is the
motion its label names.
"""

from __future__ import annotations

import sys
from pathlib import Path

from core.formats import bundled_folder
from skeletons.making.bird_shapes import ELBOW, END, PLACES, WING_TURN, body
from skeletons.making.figure import Figure, Layout, Motion, Part

MANTLE = (0.66, 0.68, 0.70)
QUILLS = (0.56, 0.58, 0.61)
DARK = (0.33, 0.34, 0.36)
HORN = (0.81, 0.69, 0.47)
LEGS = (0.76, 0.66, 0.54)
EYE = (0.12, 0.11, 0.11)


def turns(name: str, bend: tuple[float, float], side: float, turn: float) -> tuple[Motion, ...]:
    """Return the three hinges of a part of the middle: down, to the left, and round to the left, [deg]."""
    return (
        Motion("x", *bend, f"{name} bend"),
        Motion("-z", -side, side, f"{name} side"),
        Motion("y", -turn, turn, f"{name} turn"),
    )


# Name: (mass [kg], motions, responsiveness in inverse kinematics or None, colour)
Row = tuple[float, tuple[Motion, ...], float | None, tuple[float, float, float] | None]
JOINTS: dict[str, Row] = {
    "body": (0.190, (Motion("y", None, None, "Body turn"), Motion("x", None, None, "Body bend"),
                     Motion("-z", None, None, "Body side")), None, None),
    "lower neck": (0.014, turns("Lower neck", (-25, 55), 25, 35), None, None),
    "upper neck": (0.008, (Motion("x", -35, 45, "Upper neck bend"), Motion("y", -40, 40, "Upper neck turn")), None,
                   None),
    "head": (0.020, turns("Head", (-40, 50), 35, 60), 0.6, None),
    "lower bill": (0.001, (Motion("x", 0, 28, "Bill open"),), 0.5, HORN),
    "tail": (0.006, (Motion("x", -30, 45, "Tail lift"), Motion("y", -25, 25, "Tail turn"),
                     Motion("z", -30, 30, "Tail tilt")), None, None),
    "right tail fan": (0.004, (Motion("y", -14, 28, "Tail fan"),), None, QUILLS),
    "right upper arm": (0.022, (Motion("-z", -75, 65, "Wing raise"), Motion("-y", -35, 75, "Wing back"),
                                Motion("-x", -50, 45, "Wing twist")), None, None),
    "right forearm": (0.012, (Motion("y", -26, 95, "Elbow fold"), Motion("-x", -30, 30, "Forearm twist")), None, None),
    "right hand": (0.005, (Motion("-y", -24, 105, "Wrist fold"), Motion("-z", -40, 25, "Wrist raise")), 0.7, None),
    "right wing tip": (0.0015, (Motion("-y", -12, 35, "Tip fold"), Motion("-z", -35, 25, "Tip raise")), 0.4, None),
    "right thigh": (0.016, (Motion("-x", -45, 65, "Hip flex"), Motion("-z", -12, 35, "Hip out"),
                            Motion("y", -25, 25, "Hip turn")), None, None),
    "right shin": (0.010, (Motion("x", -70, 55, "Knee flex"),), None, None),
    "right foot": (0.004, (Motion("-x", -50, 75, "Heel flex"),), None, LEGS),
    "right toes": (0.002, (Motion("x", -65, 70, "Toes bend"), Motion("-z", -20, 20, "Toes side")), 0.3, LEGS),
    "right hind toe": (0.0005, (Motion("-x", -50, 60, "Hind toe bend"),), 0.3, LEGS),
}  # fmt: skip

# Parts that only carry a shape: name -> (where it lies, mass [kg], colour)
DRESS = {
    "bill": (PLACES["bill"], 0.0030, HORN),
    "eyes": (PLACES["eyes"], 0.0010, EYE),
    "right coverts": (ELBOW, 0.0030, MANTLE),
    "right secondaries": (ELBOW, 0.0030, QUILLS),
    "right primaries": (END, 0.0030, DARK),
}
NOTES = {
    "body": "turns freely: this is the heading of the whole bird",
    "right primaries": "ten feathers; their skin follows hand and tip, the inner ones the forearm too",
    "right secondaries": "fourteen feathers; their skin follows forearm and arm, the outer ones the hand too",
    "right coverts": "the short feathers over the roots of the long ones",
    "right tail fan": "half of the tail; the outer feathers follow it most",
}


def wing(side: str) -> Layout:
    """Return the layout of one wing."""
    names = ("upper arm", "forearm", "hand", "wing tip", "primaries", "secondaries", "coverts")
    return (f"{side.capitalize()} wing", [f"{side} {name}" for name in names])


def leg(side: str) -> Layout:
    """Return the layout of one leg; the hind toe hangs on the others, so that a pull at them moves the whole leg."""
    return (f"{side.capitalize()} leg", [f"{side} {name}" for name in ("thigh", "shin", "foot", "toes", "hind toe")])


LAYOUT: Layout = [
    "body",
    ("Neck", ["lower neck", "upper neck", ("Head", ["head", ("Bill", ["lower bill"]), "bill", "eyes"])]),
    wing("right"),
    wing("left"),
    ("Tail", ["tail", ("Right tail fan", ["right tail fan"]), ("Left tail fan", ["left tail fan"])]),
    leg("right"),
    leg("left"),
]


def figure() -> Figure:
    """Return the bird."""
    meshes = body()
    parts = []
    for name, (mass, motions, weight, color) in JOINTS.items():
        turn = WING_TURN if name == "right upper arm" else (0.0, 0.0, 0.0)
        note = NOTES.get(name, "")
        parts.append(Part(name, PLACES[name], motions, mass, meshes[name], note, turn, weight, color=color))
    for name, (place, mass, color) in DRESS.items():
        parts.append(Part(name, place, (), mass, meshes[name], NOTES.get(name, ""), color=color))
    header = (
        "A gull, 0.9 m over its wings, 0.4 kg. Made by make_bird.py; edit that, not this.",
        "Places, shapes, ranges and masses are ours.",
        "Rest pose: standing on y = 0, facing +z, wings still raised as if it had just come down.",
    )
    return Figure("bird", header, LAYOUT, parts, digits=7)


if __name__ == "__main__":
    figure().write(Path(sys.argv[1]) if len(sys.argv) > 1 else bundled_folder())
