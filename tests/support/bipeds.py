"""A family of bipeds: other proportions, sizes, joints and names for each seed, written as ``.scr`` texts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.constraints.soles import part_vertices
from core.skeleton import Skeleton
from core.skeleton.scr.reader import read_scr
from core.skeleton.segment import rest_frames

KNEED, STIFF, ON_TOES, ROW_OF_HIPS, SLIDING, FLAT_JOINTS = "kneed", "stiff", "on toes", "row of hips", "sliding", "flat"
KINDS = (KNEED, STIFF, ON_TOES, ROW_OF_HIPS, SLIDING, FLAT_JOINTS)
"""With knees; without; on toes as birds; with hips of single hinges in a row; with legs that slide; hinges about the
left axis alone."""

_NAMES = (
    ("left foot", "right foot", "left toes", "right toes", "left thigh", "right thigh", "left shank", "right shank"),
    ("Foot_L", "Foot_R", "Toe_L", "Toe_R", "UpLeg_L", "UpLeg_R", "Leg_L", "Leg_R"),
    ("pied gauche", "pied droit", "orteils gauches", "orteils droits", "cuisse g", "cuisse d", "tibia g", "tibia d"),
    ("bone07", "bone11", "bone08", "bone12", "bone05", "bone09", "bone06", "bone10"),
    ("LeftAnkle", "RightAnkle", "LeftToeBase", "RightToeBase", "LeftHip", "RightHip", "LeftKnee", "RightKnee"),
    ("l_paw", "r_paw", "l_claw", "r_claw", "l_femur", "r_femur", "l_crus", "r_crus"),
)


class Made(NamedTuple):
    """A figure of the family.

    Attributes:
        skeleton: The figure.
        kind: One of ``KINDS``.
        text: What it was read from.
    """

    skeleton: Skeleton
    kind: str
    text: str


def biped(seed: int) -> Made:
    """Return the figure of a seed; the same each time. Its toes, if it has any, touch the ground as its feet do."""
    lower = 0.0
    while True:
        found = _made(seed, lower)
        names = found.skeleton.joint_names
        toes = [name for row in _NAMES for name in row[2:4] if name in names]
        gap = max((_low(found.skeleton, name) for name in toes), default=0.0)
        gap -= min(_low(found.skeleton, name) for name in names)
        if not toes or gap < 1e-4:
            return found
        lower += 0.5 * gap


def _low(s: Skeleton, name: str) -> float:
    """Return how low a part is at rest, [m]."""
    return float(part_vertices(s, s.joint_index(name), rest_frames(s))[:, 1].min())


def _made(seed: int, lower: float) -> Made:
    """Return the figure of a seed, its toes by so much lower."""
    random = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    names = _NAMES[int(random.integers(len(_NAMES)))]
    size = float(np.exp(random.uniform(np.log(0.25), np.log(2.5))))
    thigh, shank = size * 0.45 * random.uniform(0.75, 1.3, 2)
    foot, ankle, hips = size * np.array([0.22, 0.07, 0.1]) * random.uniform(0.75, 1.3, 3)
    toed = bool(random.integers(2)) and kind not in (STIFF, ON_TOES)
    parts, lines = _leg(kind, random, thigh, shank, foot, ankle, toed, lower)
    turned = {0: "", 1: "    orientation 0 90 0\n", 2: "    orientation 0 180 0\n"}[int(random.integers(3))]
    sole = -min(float(place[1]) for place in _ends(lines))
    hinges = " ".join(random.permutation(["x", "y", "z"]))
    armed, headed, tailed = (bool(random.integers(2)) for _ in range(3))
    out = [f'define skeleton "biped {seed}"', '    joint "hips"']
    if headed:
        out += ['    group "Trunk"', '        joint "spine"']
        if armed:
            for side in ("left", "right"):
                out += [f'        group "{side} arm"', f'            joint "{side} upper arm"',
                        f'            joint "{side} forearm"', "        end group"]  # fmt: skip
        out += ['        joint "head"', "    end group"]
    if tailed:
        out += ['    group "Tail"', '        joint "tail"', "    end group"]
    for n in range(2):
        out += [
            f'    group "leg {n}"',
            *(f'        joint "{_called(part, names, n)}"' for part in parts),
            "    end group",
        ]
    out += ["end skeleton", ""]
    up = sole * 1.0
    out += ['define joint "hips"', f"    offset 0 {up:.5f} 0", turned.rstrip("\n")]
    out += [f"    hinge {axis}" for axis in hinges.split()] + [
        f"    tip 0 {0.1 * size:.4f} 0",
        "    mass 10",
        "end joint",
    ]
    if headed:
        out += _joint(
            "spine", (0, 0.12 * size, 0), ["hinge x -30 50", "hinge y -40 40", "hinge z -30 30"], (0, 0.3 * size, 0), 20
        )
        out += _joint("head", (0, 0.45 * size, 0), ["ball y 50 -70 70"], (0, 0.2 * size, 0), 4)
        if armed:
            for side, s in (("left", 1), ("right", -1)):
                other = "right" if side == "left" else "left"
                tpose = (s * 0.25 * size, 0, 0)
                out += _joint(
                    f"{side} upper arm",
                    (s * 0.16 * size, 0.38 * size, 0),
                    ["ball y 120 -90 90"],
                    tpose,
                    2,
                    other + " upper arm",
                )
                out += _joint(f"{side} forearm", tpose, ["hinge y -140 140"], tpose, 1.5, other + " forearm")
    if tailed:
        out += _joint(
            "tail", (0, 0, -0.1 * size), ["hinge x -40 40", "hinge y -40 40"], (0, 0.02 * size, -0.4 * size), 2
        )
    for n, side in enumerate((1, -1)):
        for part in parts:
            offset, own, tip = lines[part]
            place = (side * hips, 0.0, 0.0) if part == parts[0] else offset
            pair = _called(part, names, 1 - n)
            out += _joint(
                _called(part, names, n), place, own if side > 0 else [_mirrored(x) for x in own], tip, 2.0, pair
            )
    text = "\n".join(line for line in out if line or line == "") + "\n"
    return Made(read_scr(text, f"biped {seed}"), kind, text)


def _called(part: str, names: tuple[str, ...], n: int) -> str:
    which = {"foot": 0, "toes": 2, "thigh": 4, "shank": 6}
    if part in which:
        return names[which[part] + n]
    return f"{part} {n}"


Part = tuple[tuple[float, float, float], list[str], tuple[float, float, float]]


def _leg(
    kind: str,
    random: np.random.Generator,
    thigh: float,
    shank: float,
    foot: float,
    ankle: float,
    toed: bool,
    lower: float,
) -> tuple[list[str], dict[str, Part]]:
    """Return the parts of a left leg in order, and offset, movements and tip of each."""
    none = (0.0, 0.0, 0.0)
    hip = [["hinge x -120 60", "hinge z -40 50", "hinge y -45 45"], ["ball y 70 -45 45"], ["joint type spherical"],
           ["hinge -x -60 120", "hinge -z -50 40", "hinge y -45 45"]][int(random.integers(4))]  # fmt: skip
    ankles = [["hinge x -50 50", "hinge z -35 35"], ["hinge z -35 35", "hinge x -50 50"], ["ball y 45 -20 20"],
              ["hinge z -35 35", "hinge -x -50 50", "hinge y -30 30"]][int(random.integers(4))]  # fmt: skip
    knee = [["hinge x 0 140"], ["hinge -x -140 0"], ["joint type revolute x 0 140"],
            ["hinge x -2 100", "hinge y -20 20"],
            ["joint type screw x 0.002 0 130"]][int(random.integers(5))]  # fmt: skip
    if kind == STIFF:
        parts = ["thigh", "foot"]
        length = thigh + shank
        found: dict[str, Part] = {
            "thigh": (none, hip, (0.0, -length, 0.0)), "foot": ((0.0, -length, 0.0), ankles, (0.0, -0.8 * ankle, foot)),
        }  # fmt: skip
    elif kind == ON_TOES:
        parts = ["thigh", "shank", "foot", "toes"]
        a, b, c = np.radians(
            [float(random.uniform(35, 60)), float(random.uniform(20, 40)), float(random.uniform(10, 25))]
        )
        one = (0.0, -0.7 * thigh * np.cos(a), 0.7 * thigh * np.sin(a))
        two = (0.0, -shank * np.cos(b), -shank * np.sin(b))
        three = (0.0, -0.5 * shank * np.cos(c), 0.5 * shank * np.sin(c))
        found = {
            "thigh": (none, hip, one), "shank": (one, ["hinge x -80 60"], two),
            "foot": (two, ["hinge -x -60 80"], three), "toes": (three, ankles, (0.0, -0.5 * ankle, 0.8 * foot)),
        }  # fmt: skip
    elif kind == ROW_OF_HIPS:
        parts = ["yaw", "roll", "thigh", "shank", "pitch", "foot"]
        found = {
            "yaw": (none, ["hinge y -40 40"], none), "roll": (none, ["hinge z -40 40"], none),
            "thigh": (none, ["hinge -x -60 110"], (0.0, -thigh, 0.0)),
            "shank": ((0.0, -thigh, 0.0), ["hinge x 0 140"], (0.0, -shank, 0.0)),
            "pitch": ((0.0, -shank, 0.0), ["hinge x -60 60"], none),
            "foot": (none, ["hinge z -35 35"], (0.0, -0.8 * ankle, foot)),
        }  # fmt: skip
    elif kind == SLIDING:
        parts = ["thigh", "shank", "foot"]
        found = {
            "thigh": (none, hip, (0.0, -thigh, 0.0)),
            "shank": ((0.0, -thigh, 0.0), [f"slide y -0.02 {0.45 * shank:.4f}"], (0.0, -shank, 0.0)),
            "foot": ((0.0, -shank, 0.0), ankles, (0.0, -0.8 * ankle, foot)),
        }  # fmt: skip
    else:
        parts = ["thigh", "shank", "foot"]
        if kind == FLAT_JOINTS:
            hip, knee, ankles = ["hinge x -120 60"], ["hinge x 0 140"], ["hinge x -60 60"]
        found = {
            "thigh": (none, hip, (0.0, -thigh, 0.0)), "shank": ((0.0, -thigh, 0.0), knee, (0.0, -shank, 0.0)),
            "foot": ((0.0, -shank, 0.0), ankles, (0.0, -0.8 * ankle, foot)),
        }  # fmt: skip
    if toed:
        offset, own, tip = found["foot"]
        front = (0.0, tip[1], 0.7 * tip[2])
        found["foot"] = offset, own, front
        found["toes"] = (0.0, front[1] - lower, front[2]), ["hinge x -60 20"], (0.0, 0.0, 0.3 * tip[2])
        parts = [*parts, "toes"]
    return parts, found


def _ends(lines: dict[str, Part]) -> list[np.ndarray]:
    """Return the places of the parts' tips under the hip."""
    at, found = np.zeros(3), []
    for offset, _, tip in lines.values():
        at = at + np.array(offset)
        found.append(at + np.array(tip))
    return found


def _mirrored(line: str) -> str:
    """Return a movement of the right leg for one of the left: limits about z and y change sides."""
    words = line.split()
    if words[0] == "hinge" and words[1] in ("y", "z", "-z") and len(words) == 4:
        return f"hinge {words[1]} {-float(words[3]):g} {-float(words[2]):g}"
    return line


def _joint(name: str, offset: object, lines: list[str], tip: object, mass: float, pair: str = "") -> list[str]:
    """Return the lines of a joint."""
    x, y, z = (float(v) for v in offset)  # type: ignore[attr-defined]
    a, b, c = (float(v) for v in tip)  # type: ignore[attr-defined]
    found = [f'define joint "{name}"', f"    offset {x:.5f} {y:.5f} {z:.5f}", *(f"    {line}" for line in lines)]
    if (a, b, c) != (0.0, 0.0, 0.0):
        found += [f"    tip {a:.5f} {b:.5f} {c:.5f}", f"    mass {mass:g}"]
    if pair:
        found.append(f'    mirror "{pair}"')
    return [*found, "end joint", ""]
