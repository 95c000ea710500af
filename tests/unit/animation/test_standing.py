"""How tall a figure is said to be: measured where it stands, not in a pose of zero angles that is none."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from app.cli.main import main
from core.animation import Sequence
from core.animation.standing import longest_path, standing_size
from core.formats import Project, save
from core.skeleton import Joint, Skeleton, load_skeleton
from core.skeleton.dof import Dof
from core.skeleton.extent import height_of
from tests.support.figures import hinge

LEG, TRUNK = 0.9, 0.8


def dancer() -> Skeleton:
    """A figure whose zero pose is a heap: trunk and both legs forwards along the ground."""

    def free() -> tuple[Dof, ...]:
        return hinge("z"), hinge("x"), hinge("y")

    joints = [Joint("hips", -1, dofs=free(), mass=10.0)]
    joints.append(Joint("trunk", 0, offset=[0.0, 0.1, 0.0], dofs=free(), mass=30.0, tips=[[0.0, 0.0, TRUNK]]))
    for side, x in (("left", 0.1), ("right", -0.1)):
        joints.append(Joint(f"{side} leg", 0, offset=[x, 0.0, 0.0], dofs=free(), mass=10.0, tips=[[0.0, 0.0, LEG]]))
    return Skeleton("dancer", joints)


def standing(s: Skeleton) -> np.ndarray:
    q = s.rest_pose()
    q[3 + 3 + 1] = -0.5 * np.pi  # the trunk up
    q[[3 + 6 + 1, 3 + 9 + 1]] = 0.5 * np.pi  # the legs down
    return q


def test_a_heap_is_measured_in_the_first_pose_of_its_motion() -> None:
    s = dancer()
    motion = Sequence(s)
    motion.set_key(0, standing(s))
    motion.set_key(10, s.rest_pose())
    heap, _ = standing_size(s)
    size, pose = standing_size(s, [motion])
    assert pose == "key" and size[1] == pytest.approx(LEG + 0.1 + TRUNK, abs=0.15)
    assert height_of(heap) < size[1] == height_of(size)
    assert standing_size(s, [Sequence(s)])[1] == "rest"  # without keys


def test_a_figure_that_stands_at_rest_keeps_that_height_when_it_crouches_first(skeletons_folder: Path) -> None:
    for name in ("human", "woman", "stickman", "horse", "robot", "spider"):
        s = load_skeleton(skeletons_folder / f"{name}.scr")
        motion = Sequence(s)
        crouched = s.rest_pose()
        crouched[3:] = np.clip(crouched[3:] + 0.6, *s.limits.T)
        motion.set_key(0, crouched)
        size, pose = standing_size(s, [motion])
        assert pose == "rest" or size[1] >= standing_size(s)[0][1], name
        if name in ("human", "woman", "stickman"):
            assert pose == "rest"


def test_the_longest_path_goes_from_end_to_end() -> None:
    assert longest_path(dancer()) == pytest.approx(max(2 * LEG + 0.2, LEG + 0.1 + TRUNK + 0.1))


def test_info_reports_the_standing_height(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    s = dancer()
    motion = Sequence(s, name="dance")
    motion.set_key(0, standing(s))
    save(Project([s], [motion]), tmp_path / "dance.seq")
    assert main(["info", str(tmp_path / "dance.seq")]) == 0
    reported = capsys.readouterr().out
    heights = [float(height) for height in re.findall(r"([\d.]+) m high", reported)]
    assert len(heights) == 2 and heights[0] == heights[1] and heights[0] > 1.7
    assert "at the first key" in reported
