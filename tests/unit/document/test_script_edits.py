"""Scripts in a document of two figures: names of the other one, commands that come back, and what becomes of names."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from app.document.commands.registry import command_from_json
from app.document.document import Document
from app.document.step import Step

TEXT = (
    'lock "left hand" to "human.right hand" offset (0.1*cos(6*t), 0, 0) from 3 # dance\nlock head aim at "human.head"\n'
)


@pytest.fixture
def document(skeletons_folder: Path) -> Document:
    made = Document()
    assert made.files.load_figure(skeletons_folder / "human.scr")
    made.keys.set()
    assert made.files.add_figure(skeletons_folder / "woman.scr")
    made.keys.set()
    return made


def test_parts_of_the_other_figure_have_its_name(document: Document) -> None:
    assert document.script.set_text(TEXT) and document.script.problems() == ()
    pair, gaze = document.locks.strips
    assert pair.lock.second is not None and pair.lock.second[:2] == ("human", "right hand")
    assert gaze.lock.second is not None and gaze.lock.second[:2] == ("human", "head")
    assert document.figures.rename(0, "Tom")
    assert document.script.text == TEXT.replace("human", "Tom") and document.script.problems() == ()
    document.stack.undo()
    assert document.script.text == TEXT
    assert document.locks.edit(pair.id, start=5)
    assert document.script.text == TEXT.replace("from 3", "from 5")


@pytest.mark.verify
def test_steps_of_the_script_are_records_that_come_back(document: Document) -> None:
    before = document.state_json()
    assert document.script.set_text(TEXT)
    after = document.state_json()
    step = document.stack.command(document.stack.index() - 1)
    assert isinstance(step, Step)
    records = json.loads(json.dumps(step.to_json()))["commands"]
    document.stack.undo()
    assert document.state_json() == before
    for record in records:
        command_from_json(record).apply(document.model)
    assert document.state_json() == after


@pytest.mark.verify
def test_a_figure_that_goes_takes_lines_about_it_along(document: Document) -> None:
    assert document.script.set_text(TEXT + "lock pelvis plane\n")
    before = document.state_json()
    assert document.figures.remove(0)
    assert document.script.text == "lock pelvis plane\n" and len(document.locks.strips) == 1
    document.stack.undo()
    assert document.state_json() == before


@pytest.mark.verify
def test_a_text_without_anything_in_it_is_no_script(document: Document) -> None:
    assert document.script.set_text("# a plan\n") and document.script.kept
    assert document.script.set_text("") and not document.script.kept
    assert document.script.set_text("lock head position") and document.locks.clear()
    assert document.script.text == ""


FOLLOWING = (
    'lock "left hand" position at (x("human.right hand") + 10 cm, 1.1, z(human.head)) from 2 # beside hers\n'
    "lock chest.bend  =  human.chest.bend + 2*sin(t)\n"
)


@pytest.mark.verify
def test_names_of_the_other_figure_in_expressions_are_renamed_where_they_stand(document: Document) -> None:
    assert document.script.set_text(FOLLOWING) and document.script.problems() == ()
    assert [strip.lock.figures for strip in document.locks.strips] == [("human",), ("human",)]
    assert document.figures.rename(0, "Tom")
    assert document.script.text == FOLLOWING.replace("human", "Tom") and document.script.problems() == ()
    assert document.figures.rename(0, "Tom the Tall")
    said = FOLLOWING.replace("z(human.head)", 'z("Tom the Tall.head")').replace("human.chest", '"human.chest"')
    assert document.script.text == said.replace("human", "Tom the Tall") and document.script.problems() == ()
    assert [strip.lock.figures for strip in document.locks.strips] == [("Tom the Tall",), ("Tom the Tall",)]
    document.stack.undo()
    document.stack.undo()
    assert document.script.text == FOLLOWING
    assert document.figures.remove(0)
    assert document.script.text == "" and not document.locks.strips


@pytest.mark.verify
def test_a_part_follows_the_other_figure_while_that_is_posed(document: Document) -> None:
    assert document.script.set_text("lock chest.bend = human.chest.bend + 3\n")
    human, woman = (figure.skeleton for figure in document.model.figures)
    bend = 3 + human.first_dof[human.joint_index("chest")]
    assert document.figures.show(0)
    pose = document.pose.copy()
    pose[bend] += 0.1
    with document.posing.begin_gesture("Bend") as gesture:
        gesture.set_pose(pose)
    hers = document.model.figure_pose(1, document.frame)
    own = 3 + woman.first_dof[woman.joint_index("chest")]
    assert document.pose[bend] == pose[bend]
    assert hers[own] == pytest.approx(pose[bend] + np.radians(3.0), abs=1e-8)
