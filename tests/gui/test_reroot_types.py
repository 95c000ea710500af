"""Figures with joints of every type are re-rooted and mirrored in the editor; what cannot be says why."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.window.main_window import MainWindow
from core.joints import Mirrored, Reversed, Screw, SplineCurve
from core.kinematics import forward_kinematics
from core.skeleton import read_scr

NUTS = """define skeleton "nuts"
joint "root"
joint "left nut"
joint "right nut"
joint "middle"
end skeleton
define joint "left nut"
offset 0.3 1 0
joint type screw y 0.2 -400 400
mass 1
mirror "right nut"
end joint
define joint "right nut"
offset -0.3 1 0
joint type {other}
mass 1
mirror "left nut"
end joint
define joint "middle"
offset 0 1 0
joint type screw y 0.2
mass 1
end joint
"""


def test_a_figure_is_rooted_at_a_part_on_a_spline_with_its_keys(window: MainWindow, skeletons_folder: Path) -> None:
    document = window.document
    document.files.open(skeletons_folder / "joints.scr")
    before = document.skeleton
    pose = document.pose.copy()
    for name, value in (("wire.along", 2.3), ("nut.angle", 12.0), ("dune.u", 0.7)):
        pose[3 + before.dof_names.index(name)] = value
    document.posing.set(pose)
    document.keys.set()
    state = document.state_json()
    world = forward_kinematics(before, document.pose)
    assert document.figures.reroot("wire")
    made = document.skeleton
    bench = made.joints[made.joint_index("bench")]
    assert isinstance(bench.type, Reversed) and isinstance(bench.type.joint, SplineCurve)
    assert document.sequence.keys[0].q[3 + made.dof_names.index("bench.along")] == pytest.approx(2.3)
    now = forward_kinematics(made, document.pose)
    for i, name in enumerate(before.joint_names):
        if name not in ("bench", "wire"):  # whose own frames are others
            assert now[made.joint_index(name)] == pytest.approx(world[i], abs=1e-9), name
    document.history.undo()
    assert document.state_json() == state


def said_of(window: MainWindow, other: str, edit) -> list[str]:
    document, said = window.document, []
    document.figures.add(read_scr(NUTS.format(other=other)))
    document.message.connect(lambda *line: said.append(line[1]))
    pose = document.pose.copy()
    pose[3 + document.skeleton.dof_names.index("left nut.angle")] = 1.5
    document.posing.set(pose)
    said.clear()
    assert edit(document)
    right = document.pose[3 + document.skeleton.dof_names.index("right nut.angle")]
    assert right == 1.5
    return said


@pytest.mark.verify
def test_a_pose_is_mirrored_where_the_other_side_is_the_reflection(window: MainWindow) -> None:
    said = said_of(window, "mirrored screw y 0.2 -400 400", lambda document: document.posing.mirror(["left nut"]))
    assert said == []
    skeleton = window.document.skeleton
    assert skeleton.joints[skeleton.joint_index("right nut")].type == Mirrored(Screw((0.0, 1.0, 0.0), 0.2))


@pytest.mark.verify
def test_what_is_no_reflection_is_named(window: MainWindow) -> None:
    said = said_of(window, "screw y 0.2 -400 400", lambda document: document.posing.mirror_side("left"))
    assert said == ["Left nut keeps its value: its screw is not the reflection of right nut · so does 1 more"]
    said = said_of(window, "screw -y -0.2 -400 400", lambda document: document.posing.flip())
    assert said == ["Middle keeps its value: its screw is not its own reflection"]


@pytest.mark.verify
def test_a_root_of_a_type_of_its_own_says_why_it_stays(window: MainWindow) -> None:
    document, said = window.document, []
    text = NUTS.format(other="screw y 0.2").replace(
        'define joint "left nut"',
        'define joint "root"\njoint type screw y 1\nmass 1\nend joint\ndefine joint "left nut"',
        1,
    )
    document.figures.add(read_scr(text))
    document.message.connect(lambda *line: said.append(line[:2]))
    assert not document.figures.reroot("middle")
    assert said[-1][0] == "warning" and "the root is a screw joint, which says how it alone moves" in said[-1][1]
    assert np.isfinite(document.pose).all()
