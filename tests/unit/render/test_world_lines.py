"""What is attached is drawn where it is: strings hang, coils stretch, muscles show how active they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from numpy.testing import assert_allclose

from app.look.theme import THEMES
from app.physics import line_edits
from app.render.physics_picture import LINE, Pen
from app.render.world_lines import course_of, draw_lines, lines_picture, muscle_color, world_lines
from app.words import line_kinds
from app.words.key_map import load
from app.words.line_kinds import COIL, LINE_KINDS, LineKind
from core import dynamics
from core.dynamics.forces import FORCES, ElasticRope, Muscle, SpringDamper
from core.dynamics.forces.path_force import PathForce
from core.dynamics.forces.path_kernel import SPRING
from core.formats.bundled import bundled_folder
from core.kinematics import forward_kinematics
from core.preview.line_nodes import Node
from core.preview.rigid_bodies import PhysicsString
from core.preview.settings import PhysicsSettings
from core.skeleton import Skeleton, load_skeleton

HAND, FOOT = "left hand", "left foot"


@pytest.fixture(scope="module")
def human() -> Skeleton:
    return load_skeleton(bundled_folder() / "human.scr")


@pytest.fixture
def poses(human: Skeleton):
    return forward_kinematics(human, human.rest_pose())


def own_lines(pen: Pen) -> np.ndarray:
    """Return the rows of lines in front of their rims."""
    rows = np.concatenate(pen._lines)
    assert (rows[:, 3] == LINE).all()
    return rows


def test_strings_and_ropes_are_taut_or_hang(human: Skeleton, poses) -> None:
    hand = poses[human.joint_index(HAND), :3, 3]
    above = hand + np.array([0.0, 1.0, 0.0])
    rope = ElasticRope((HAND, "world"), [np.zeros(3), above], 100.0, 1.4)
    settings = PhysicsSettings(
        strings=(PhysicsString(HAND, above, 1.0), PhysicsString(HAND, above, 1.4)), forces=(rope,)
    )
    taut, slack, hanging = map(course_of, world_lines(settings, human, poses, {}, 0.0))
    assert_allclose(taut, [hand, above])
    assert_allclose(slack[[0, -1]], [hand, above])
    assert slack[:, 1].min() < hand[1] - 0.05, "what is left over hangs down"
    assert_allclose(hanging, slack)


def test_a_coil_stretches_with_as_many_turns(human: Skeleton, poses) -> None:
    hand = poses[human.joint_index(HAND), :3, 3]
    counts = []
    for far in (0.3, 0.9):
        end = hand + np.array([far, 0.0, 0.0])
        spring = SpringDamper((HAND, "world"), [np.zeros(3), end], 100.0, 0.3)
        (line,) = world_lines(PhysicsSettings(forces=(spring,)), human, poses, {}, 0.0)
        pen = Pen(THEMES["dark"])
        draw_lines(pen, [line])
        rows = own_lines(pen)
        assert_allclose(rows[0, :3], hand, atol=1e-5)
        assert_allclose(rows[-1, 4:7], end, atol=1e-5)
        aside = np.linalg.norm(rows[:, 1:3] - hand[1:], axis=1)
        assert 0.01 < aside.max() < 0.03, "a coil about the line"
        side = rows[:, 1] - hand[1]
        counts.append(int((np.diff(np.sign(side[aside > 0.5 * aside.max()])) != 0).sum()))
    assert counts[0] == counts[1] > 8


def test_a_muscle_is_as_thick_and_as_red_as_it_is_active(human: Skeleton, poses) -> None:
    muscle = Muscle((HAND, FOOT), np.zeros((2, 3)), 100.0, 0.8, [(0.5, 0.0), (1.5, 1.0)])
    settings = PhysicsSettings(forces=(muscle,))
    widths = []
    for seconds, active in ((0.0, 0.0), (1.0, 0.5), (9.0, 1.0)):
        (line,) = world_lines(settings, human, poses, {}, seconds)
        assert line.active == pytest.approx(active)
        pen = Pen(THEMES["light"])
        draw_lines(pen, [line])
        rows = own_lines(pen)
        assert_allclose(rows[:, 8:11], np.tile(muscle_color(THEMES["light"], active), (len(rows), 1)))
        belly = np.concatenate(pen._shapes)[0]
        X = belly[:12].reshape(3, 4)
        assert_allclose(belly[12:15], muscle_color(THEMES["light"], active))
        assert_allclose(X[:, 3], line.points.mean(axis=0), atol=1e-6)
        way = line.points[1] - line.points[0]
        assert_allclose(np.cross(X[:, 2], way), 0.0, atol=1e-6)
        sizes = np.linalg.norm(X[:, :3], axis=0)
        assert sizes[2] > 3.0 * sizes[0] == pytest.approx(3.0 * sizes[1]), "a spindle"
        widths.append(sizes[0])
    assert widths[0] < widths[1] < widths[2]


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_muscle_stands_out_from_the_body_at_rest_and_active(theme: str) -> None:
    """Its colour differs from the figure's by more than a shade, and the active one from the resting one."""
    body = np.array(THEMES[theme].rgb("body"))
    rest, full = (muscle_color(THEMES[theme], active) for active in (0.0, 1.0))
    assert np.abs(rest - body).max() > 0.2 and np.abs(full - body).max() > 0.4 and np.abs(full - rest).max() > 0.3


def test_points_on_the_way_are_gone_through_and_what_is_gone_is_not_drawn(human: Skeleton, poses) -> None:
    way = ((HAND, "ball", "world"), [[0.0, 0.1, 0.0], [0.0, 0.0, 0.2], [1.0, 2.0, 3.0]])
    settings = PhysicsSettings(forces=(Muscle(*way, 100.0, 0.8), Muscle(("tail", HAND), np.zeros((2, 3)), 1.0, 1.0)))
    ball = np.eye(4)
    ball[:3, 3] = (5.0, 0.0, 0.0)
    (line,) = world_lines(settings, human, poses, {"ball": ball}, 0.0)
    frame = poses[human.joint_index(HAND)]
    assert_allclose(line.points, [frame[:3, 3] + 0.1 * frame[:3, 1], [5.0, 0.0, 0.2], [1.0, 2.0, 3.0]])
    picture = lines_picture(THEMES["dark"], [line])
    assert picture is not None and (np.abs(picture.lines[:, :3] - line.points[1]).max(axis=1) < 1e-5).any()
    assert line.key == ("forces", 0)
    assert world_lines(settings, human, poses, {}, 0.0) == []
    assert lines_picture(THEMES["dark"], []) is None


def test_a_picked_one_has_a_rim_that_is_wider(human: Skeleton, poses) -> None:
    settings = PhysicsSettings(forces=(Muscle((HAND, FOOT), np.zeros((2, 3)), 100.0, 0.8),))
    (line,) = world_lines(settings, human, poses, {}, 0.0)
    plain, picked = Pen(THEMES["dark"]), Pen(THEMES["dark"])
    draw_lines(plain, [line])
    draw_lines(picked, [line], ("forces", 0))
    assert own_lines(picked)[:, 7].max() > own_lines(plain)[:, 7].max() + 2.0


@dataclass(frozen=True, eq=False)
class Bungee(PathForce):
    """A force that nobody in the window knows."""

    label: ClassVar[str] = "Bungee"
    description: ClassVar[str] = "Pulls."
    law: ClassVar[int] = SPRING

    stiffness: float
    springiness: float
    rest_length: float = 0.0

    @property
    def parameters(self) -> tuple[float, ...]:
        return self.stiffness, self.rest_length, 0.0


def test_a_new_force_reaches_the_window_with_one_line(human: Skeleton, poses, monkeypatch) -> None:
    kind = LineKind("Bungee", "spring", COIL, "Bungee")
    monkeypatch.setattr(dynamics.forces, "FORCES", (*FORCES, Bungee))
    for module in (line_kinds, __import__("app.words.key_map", fromlist=["LINE_KINDS"])):
        monkeypatch.setattr(module, "LINE_KINDS", (*LINE_KINDS, kind))
    row = next(row for row in load() if row.action == "attach_bungee")
    assert (row.text, row.menu, row.icon) == ("Bungee…", "Physics/Add to the world", "spring")
    nodes = [Node(HAND, np.zeros(3)), Node(None, np.array([0.0, 2.0, 0.0]))]
    made = line_edits.line_for(kind, nodes, np.array([[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]]), human)
    assert isinstance(made, Bungee) and made.rest_length == 1.0 and made.springiness == 1.0 and made.stiffness > 1e3
    assert line_edits.number_fields(Bungee) == ("stiffness", "springiness", "rest_length")
    (line,) = world_lines(PhysicsSettings(forces=(replace(made, springiness=2.0),)), human, poses, {}, 0.0)
    assert line.style == COIL
