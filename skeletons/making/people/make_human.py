"""Makes the bundled man and woman: ``human.scr`` and ``woman.scr``, and their polygon files in folders of those names.

Run ``python -m skeletons.making.people.make_human [FOLDER]`` from the repository's root. Segment lengths, masses,
centres and radii of gyration are those of de Leva (1996), heights of joints are checked against Drillis and Contini
(1966), ranges of motion are those of the American Academy of Orthopaedic Surgeons (AAOS) as printed by Norkin and
White. The tables' numbers stand in ``skeletons.making.people.tables``; what they do not say (how the trunk's and neck's
range is shared, the range of the shoulder girdle) is ours and marked so. The shapes are ours: solids in
``skeletons.making.people.flesh``, the mesh laid over them in ``skeletons.making.people.weave``, what its vertices
follow in ``skeletons.making.people.skin``.

World: y up, the figures face +z, their left is +x, the ground is y = 0. The right side is written out; ``mirror`` makes
the left one. All signs are such that a positive angle is the motion its label names.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.formats import bundled_folder
from core.skeleton import Mesh, write_pol
from skeletons.making.people.eyes import with_lids
from skeletons.making.people.man import man
from skeletons.making.people.mesh import segment_meshes, with_shells
from skeletons.making.people.plan import PLANS
from skeletons.making.people.refine import fine_skin
from skeletons.making.people.skin import weights
from skeletons.making.people.tables import MAN, WOMAN, Mass, Person, masses
from skeletons.making.people.weave import lay, whole
from skeletons.making.people.woman import woman
from skeletons.making.shaping.flesh import Array

BODIES = {"human": man, "woman": woman}


class Joint(NamedTuple):
    """A joint as the file defines it: offset [m], hinges (axis, lo, hi, label) with limits in degrees, notes."""

    name: str
    offset: Array
    hinges: tuple[tuple[str, float | None, float | None, str], ...]
    notes: str
    orientation: tuple[float, float, float] = (0.0, 0.0, 0.0)
    weight: float | None = None  # ours: hands and feet answer a pull less than elbows, knees and shoulders do


def joints(p: Person) -> list[Joint]:
    """Return the joints along the middle and on the right, in the order of the file."""
    table, neck = p.table, round(100 * p.neck_share)
    return [
        Joint(
            "pelvis",
            np.array([0.0, p.hip, 0.0]),
            (("y", None, None, "Pelvis turn"), ("x", None, None, "Pelvis bend"), ("-z", None, None, "Pelvis side")),
            'de Leva "Lower trunk"; turns freely: this is the heading of the whole figure',
        ),
        Joint(
            "abdomen",
            p.waist - [0.0, p.hip, 0.0],
            (("x", -15, 50, "Waist bend"), ("-z", -20, 20, "Waist side"), ("y", -15, 15, "Waist twist")),
            'de Leva "Middle trunk"; AAOS thoracolumbar 80/25, 35, 45 shared with the chest',
        ),
        Joint(
            "chest",
            p.chest - p.waist,
            (("x", -10, 30, "Chest bend"), ("-z", -15, 15, "Chest side"), ("y", -30, 30, "Chest twist")),
            'de Leva "Upper trunk" without the shoulder girdle; AAOS thoracolumbar, the rest of it',
        ),
        Joint(
            "neck",
            p.neck - p.chest,
            (("x", -25, 25, "Neck bend"), ("-z", -25, 25, "Neck side"), ("y", -30, 30, "Neck turn")),
            f'de Leva "Head", {neck} % of it; AAOS cervical 45/45, 45, 60 shared with the head',
        ),
        Joint(
            "head",
            p.skull - p.neck,
            (("x", -20, 20, "Head bend"), ("-z", -20, 20, "Head side"), ("y", -30, 30, "Head turn")),
            f'de Leva "Head", {100 - neck} % of it; AAOS cervical, the rest of it',
        ),
        Joint(
            "right clavicle",
            p.collar - p.chest,
            (("-z", -10, 30, "Collar raise"), ("y", -20, 25, "Collar forward")),
            "shoulder girdle, 1.2 % of the body out of the upper trunk; its range is not in the tables",
            weight=0.4,
        ),
        Joint(
            "right upper arm",
            p.shoulder - p.collar,
            (("-x", -60, 180, "Shoulder flex"), ("-z", 0, 180, "Shoulder out"), ("y", -90, 70, "Shoulder twist")),
            'de Leva "Upper arm"; AAOS shoulder 180/60, abduction 180/0, medial 70 / lateral 90',
            orientation=(0.0, 0.0, -p.arm_angle),
        ),
        Joint(
            "right forearm",
            np.array([0.0, -table["Upper arm"].length, 0.0]),
            (("-x", 0, 150, "Elbow flex"), ("y", -80, 80, "Forearm turn")),
            'de Leva "Forearm"; AAOS elbow 150/0, forearm pronation 80 / supination 80',
            orientation=(0.0, 0.0, p.arm_angle - p.forearm_angle),
        ),
        Joint(
            "right hand",
            np.array([0.0, -table["Forearm"].length, 0.0]),
            (("z", -70, 80, "Wrist flex"), ("x", -20, 30, "Wrist side")),
            'de Leva "Hand"; AAOS wrist flexion 80 / extension 70, ulnar 30 / radial 20',
            weight=0.35,
        ),
        Joint(
            "right thigh",
            np.array([-p.hip_width, 0.0, 0.0]),
            (("-x", -30, 120, "Hip flex"), ("-z", -30, 45, "Hip out"), ("y", -45, 45, "Hip turn")),
            'de Leva "Thigh"; AAOS hip 120/30, abduction 45 / adduction 30, medial 45 / lateral 45',
            orientation=(0.0, 0.0, p.thigh_angle),
        ),
        Joint(
            "right shank",
            np.array([0.0, -table["Thigh"].length, 0.0]),
            (("x", -10, 135, "Knee flex"),),
            'de Leva "Shank"; AAOS knee 135/10',
            orientation=(0.0, 0.0, p.shank_angle - p.thigh_angle),
        ),
        Joint(
            "right foot",
            np.array([0.0, -table["Shank"].length, 0.0]),
            (("-x", -50, 45, "Ankle flex"), ("z", -15, 35, "Ankle tilt")),
            'de Leva "Foot", 88 % of it; dorsiflexion 45 as under load, in the weight-bearing lunge test 38 to 45 '
            "(AAOS unloaded 20); AAOS plantarflexion 50, inversion 35 / eversion 15",
            orientation=(0.0, 0.0, -p.shank_angle),
            weight=0.3,
        ),
        Joint(
            "right toes",
            np.array([0.0, -p.ankle + p.toe_height, p.ball]),
            (("x", -80, 30, "Toes flex"),),
            'de Leva "Foot", 12 % of it; Merck toe MTP flexion 30 / extension 80',
            weight=0.2,
        ),
    ]


LAYOUT = """\
define skeleton "{name}"
    joint "pelvis"
    group "Spine"
        joint "abdomen"
        joint "chest"
        group "Head and neck"
            joint "neck"
            joint "head"
        end group
        group "Right arm"
            joint "right clavicle"
            joint "right upper arm"
            joint "right forearm"
            joint "right hand"
        end group
        group "Left arm"
            joint "left clavicle"
            joint "left upper arm"
            joint "left forearm"
            joint "left hand"
        end group
    end group
    group "Right leg"
        joint "right thigh"
        joint "right shank"
        joint "right foot"
        joint "right toes"
    end group
    group "Left leg"
        joint "left thigh"
        joint "left shank"
        joint "left foot"
        joint "left toes"
    end group
end skeleton
"""

HEADER = """\
# {title}. Made by make_human.py; edit that, not this.
# Masses, centres and inertias: de Leva (1996), table 4, {rows}. Heights of joints: Drillis and Contini (1966).
# Limits: AAOS, as printed by Norkin and White. Each joint names the rows it uses.
# Rest pose: standing on y = 0, facing +z, arms at the sides, palms inwards.

"""


def number(value: float, digits: int = 5) -> str:
    """Return ``value`` rounded to ``digits`` decimals, without trailing zeros or a negative zero."""
    return f"{round(float(value), digits) + 0.0:.{digits}f}".rstrip("0").rstrip(".")


def numbers(values: Array, digits: int = 5) -> str:
    """Return numbers separated by spaces, see ``number``."""
    return " ".join(number(value, digits) for value in values)


def joint_text(figure: str, joint: Joint, mass: Mass) -> str:
    """Return the ``define joint`` block of one joint of the figure of that name."""
    lines = [f"# {joint.notes}", f'define joint "{joint.name}"', f'    object "{figure}/{file_name(joint.name)}"']
    lines.append(f"    offset {numbers(joint.offset)}")
    if any(joint.orientation):
        lines.append(f"    orientation {numbers(np.array(joint.orientation))}")
    for axis, lo, hi, label in joint.hinges:
        limits = "" if lo is None else f" {lo:g} {hi:g}"
        lines.append(f'    hinge {axis}{limits} "{label}"')
    lines.append(f"    mass {number(mass.mass)}")
    lines.append(f"    center {numbers(mass.center)}")
    i = mass.inertia
    moments = numbers(np.diag(i), 7)
    products = np.array([i[0, 1], i[0, 2], i[1, 2]])
    if np.any(np.abs(products) > 5e-8):
        moments += " " + numbers(products, 7)
    lines.append(f"    inertia {moments}")
    if joint.weight is not None:
        lines.append(f"    weight {number(joint.weight)}")
    if joint.name.startswith("right "):
        lines.append(f'    mirror "left {joint.name[6:]}"')
    lines.append("end joint")
    return "\n".join(lines) + "\n"


def file_name(joint: str) -> str:
    """Return the polygon file's name for a joint: ``"right upper arm"`` gives ``"right_upper_arm.pol"``."""
    return joint.replace(" ", "_") + ".pol"


def meshes(p: Person) -> dict[str, Mesh]:
    """Return the mesh of each segment of the middle and the right side, in the world, with its weights."""
    bones = p.bones
    body = BODIES[p.name](bones)
    skin, polygons, mirror = with_lids(*fine_skin(*whole(lay(body, PLANS[p.name], bones)), body, bones), body)
    parts = segment_meshes(skin, polygons, weights(skin, polygons, mirror, bones))
    return with_shells(parts, bones, body, p.scale)


def frames(p: Person) -> dict[str, tuple[Array, Array]]:
    """Return turn (3, 3) and origin (3,) of each joint of the middle and the right side in the world, at rest."""
    b, straight = p.bones, np.eye(3)
    return {
        "pelvis": (straight, np.array([0.0, p.hip, 0.0])),
        "abdomen": (straight, b.waist),
        "chest": (straight, b.chest),
        "neck": (straight, b.neck),
        "head": (straight, b.skull),
        "right clavicle": (straight, b.collar),
        "right upper arm": (b.upper_arm, b.shoulder),
        "right forearm": (b.forearm, b.elbow),
        "right hand": (b.forearm, b.wrist),
        "right thigh": (b.thigh, b.hip),
        "right shank": (b.shank, b.knee),
        "right foot": (straight, b.ankle),
        "right toes": (straight, b.ball),
    }


def make(p: Person) -> dict[str, str]:
    """Return all files of a figure: path relative to the folder of skeletons -> text."""
    mass, place = masses(p), frames(p)
    blocks = [joint_text(p.name, joint, mass[joint.name]) for joint in joints(p)]
    head = HEADER.format(title=p.title, rows=p.rows) + LAYOUT.format(name=p.name)
    files = {f"{p.name}.scr": head + "\n" + "\n".join(blocks)}
    for name, mesh in meshes(p).items():
        turned, origin = place[name]
        local = np.round((mesh.vertices - origin) @ turned, 5) + 0.0  # no negative zeros
        text = write_pol(Mesh(local, mesh.triangles, mesh.polygons, mesh.weights))
        files[f"{p.name}/{file_name(name)}"] = f"# {name} of the {p.name} figure; made by make_human.py\n{text}"
    return files


def main(folder: Path) -> None:
    """Write the files of both figures into ``folder``."""
    for person in (MAN, WOMAN):
        for path, text in make(person).items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else bundled_folder())
