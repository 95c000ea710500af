"""Control points come out right on every kind of figure: which there are, on what they sit, and where."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.formats import load
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.building.props import ball, box
from core.skeleton.control_points import control_points
from core.skeleton.segment import rest_frames

PERSON = ("pelvis", "chest", "head")
LIMBS = tuple(f"{side} {what}" for side in ("left", "right") for what in ("hand", "elbow", "foot", "knee"))
HORSE = (
    "pelvis", "withers", "head", "tail 5",
    *(f"{side} {what}" for side in ("left", "right") for what in ("fore hoof", "knee", "hind hoof", "hock")),
)  # fmt: skip
SPIDER = (
    "body", "spinnerets",
    *(f"{side} {what} {k}" for side in ("left", "right") for what in ("tarsus", "knee") for k in range(1, 5)),
)  # fmt: skip
GULL = (
    "body", "head", *(f"{side} {what}" for side in ("left", "right") for what in ("hand", "elbow", "toes", "ankle"))
)  # fmt: skip


def places(s: Skeleton) -> dict[str, np.ndarray]:
    frames = rest_frames(s)
    return {p.name: frames[p.joint, :3, :3] @ p.point + frames[p.joint, :3, 3] for p in control_points(s)}


def carriers(s: Skeleton) -> dict[str, str]:
    return {p.name: s.joints[p.joint].name for p in control_points(s)}


@pytest.mark.parametrize(
    ("figure", "wanted", "where"),
    [
        ("human", (*PERSON, *LIMBS), {"left hand": (0.22, 0.77, 0), "left elbow": (0.21, 1.13, 0), "head": (0, 1.66, 0),
                                      "right knee": (-0.09, 0.5, 0), "right foot": (-0.09, 0.05, 0.06)}),
        ("woman", (*PERSON, *LIMBS), {"chest": (0, 1.23, 0)}),
        ("stickman", (*PERSON, *(n for n in LIMBS if n.endswith(("hand", "foot")))), {"chest": (0, 1.26, 0)}),
        ("horse", HORSE, {"left fore hoof": (0.14, 0.04, 0.5), "right hock": (-0.15, 0.58, -0.69),
                          "left knee": (0.15, 0.5, 0.44), "withers": (0, 1.3, 0.46), "tail 5": (0, 0.45, -0.94)}),
        ("spider", SPIDER, {"left tarsus 2": (0.16, 0.01, 0.06), "right knee 4": (-0.08, 0.1, -0.14)}),
        ("bird", GULL, {"left hand": (0.23, 0.31, 0.04), "right elbow": (-0.12, 0.26, 0)}),
        ("arm7", ("base", "hand", "elbow"), {"hand": (0, 1.13, 0), "elbow": (0, 0.88, 0)}),
        ("robot", (*PERSON, *LIMBS[:2], *LIMBS[4:6]), {"left hand": (0.28, 0.45, 0)}),
    ],
)  # fmt: skip
def test_names_and_places(
    skeletons_folder: Path, figure: str, wanted: tuple[str, ...], where: dict[str, tuple[float, float, float]]
) -> None:
    s = load_skeleton(skeletons_folder / f"{figure}.scr")
    found = places(s)
    names = {"pelvis": "base"} if figure == "robot" else {}
    assert sorted(found) == sorted(names.get(name, name) for name in wanted)
    for name, place in where.items():
        assert np.allclose(found[name], place, atol=0.02 if figure != "woman" else 0.05), (name, found[name])


@pytest.mark.parametrize(
    ("file", "on"),
    [
        ("cmu_01_01.bvh", {"left elbow": "LeftForeArm", "right knee": "RightLeg", "chest": "Spine1", "head": "Head"}),
        ("fair1_dab.bvh", {"left elbow": "LeftForeArm", "left hand": "LeftHand", "chest": "Spine3"}),
        ("louise_optitrack.bvh", {"left elbow": "LeftElbow", "left hand": "LeftWrist", "right foot": "RightAnkle"}),
        ("mh_standing06.bvh", {"left elbow": "lowerarm01.L", "right knee": "lowerleg01.R", "left hand": "wrist.L"}),
    ],
)
def test_an_imported_person(data_folder: Path, file: str, on: dict[str, str]) -> None:
    """Programs name joints in many ways, and cut limbs in two; the points are those of the bundled man."""
    s = load(data_folder / "bvh" / file).figures[0]
    found, at = carriers(s), places(s)
    assert set(found) - {"pelvis", "root"} == {*PERSON[1:], *LIMBS}
    assert {name: found[name] for name in on} == on
    joints = rest_frames(s)[:, :3, 3]
    hand, elbow = at["left hand"], at["left elbow"]
    arm = next(p for p in control_points(s) if p.name == "left elbow")
    shoulder = joints[arm.base]
    upper, lower = np.linalg.norm(elbow - shoulder), np.linalg.norm(hand - elbow)
    assert 0.6 < upper / lower < 1.6, "the elbow is about half-way"


@pytest.mark.verify
def test_both_sides_are_alike(skeletons_folder: Path) -> None:
    """What is found on one side is found on the other, at the reflected place."""
    for name in ("human", "horse", "spider", "bird"):
        found = places(load_skeleton(skeletons_folder / f"{name}.scr"))
        left = {each: place for each, place in found.items() if each.startswith("left ")}
        assert left
        for each, place in left.items():
            assert np.allclose(found[each.replace("left", "right")], place * (-1.0, 1.0, 1.0), atol=1e-6), (name, each)


@pytest.mark.verify
def test_every_figure_has_its_points_once(skeletons_folder: Path) -> None:
    """One part has one point; no figure has two of a name, and bends lie between the base and the end of their limb."""
    for prop in (box((0.3, 0.2, 0.4)), ball(0.1)):
        assert [p.role for p in control_points(prop)] == ["root"], prop
    for file in sorted(skeletons_folder.rglob("*.scr")):
        s = load_skeleton(file)
        points = control_points(s)
        assert points[0].role == "root" and len({p.name for p in points}) == len(points), file.name
        for point in points:
            if point.role == "bend":
                above = [point.end]
                while above[-1] != point.base:
                    above.append(s.joints[above[-1]].parent)
                assert point.joint in above and point.joint != point.base, (file.name, point.name)


@pytest.mark.verify
@pytest.mark.parametrize("file", ["human", "horse", "spider"])
def test_any_joint_may_be_the_root(skeletons_folder: Path, file: str) -> None:
    """A hand that was made the root has a counterpart, which the trunk has not."""
    s = load_skeleton(skeletons_folder / f"{file}.scr")
    for joint in range(len(s.joints)):
        made = s.rerooted(joint)
        points = control_points(made)
        assert points[0].role == "root" and points[0].joint == 0, s.joint_names[joint]
        assert len({p.name for p in points}) == len(points)
