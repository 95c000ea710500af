"""Hybrid strips as edits of a document: each is one step, undone to the last bit, and in the journal."""

import json

import numpy as np
import pytest

from app.document.commands.registry import command_from_json
from app.document.content.key_selection import KeySelection
from app.document.document import Document
from app.document.edits import joint_edits
from core.animation.hybrid_strips import HybridStrip
from core.dynamics.forces import Muscle
from core.preview.sample import ContactForces, Sample
from tests.support.changes import kind_of


@pytest.fixture
def document(qapp, skeletons_folder) -> Document:
    made = Document()
    assert made.files.open(skeletons_folder / "stickman.scr")
    return made


def test_each_edit_is_one_step(document):
    heard, said = [], []
    document.changed.connect(lambda change: heard.append(kind_of(change)))
    document.message.connect(lambda level, text, details: said.append(text))
    document.selection.set(["left arm", "left hand"])
    states = [document.state_json()]
    key = document.hybrid.add(start=5, end=30)
    assert document.hybrid.strip(key).parts == ("left arm", "left hand") and "hybrid" in heard
    states.append(document.state_json())
    for edit in (
        lambda: document.hybrid.set_mode(key, "motor"),
        lambda: document.hybrid.move(key, 8, 40),
        lambda: document.hybrid.split(key, 20),
        lambda: document.hybrid.remove(key),
    ):
        steps = document.stack.index()
        assert edit() and document.stack.index() == steps + 1
        states.append(document.state_json())
    assert [(strip.start, strip.end, strip.mode) for strip in document.hybrid.strips] == [(20, 40, "motor")]
    assert len(set(states)) == len(states)
    for state in reversed(states[:-1]):
        document.history.undo()
        assert document.state_json() == state
    for state in states[1:]:
        document.history.redo()
        assert document.state_json() == state
    assert not said


def test_what_cannot_be_changes_nothing_and_is_reported(document):
    said = []
    document.message.connect(lambda level, text, details: said.append(text))
    key = document.hybrid.add([], 0, 20)
    assert document.hybrid.strip(key).whole
    before, steps = document.state_json(), document.stack.index()
    assert document.hybrid.add(["left arm"], 10, 30) is None
    assert not document.hybrid.move(key, 20, 10)
    assert not document.hybrid.edit(key, weight=2)
    assert not document.hybrid.remove("gone")
    assert document.state_json() == before and document.stack.index() == steps
    wanted = ("two hybrid strips move", "end 10 must lie after", 'no value "weight"', 'no hybrid strip "gone"')
    assert all(want in text for want, text in zip(wanted, said, strict=True)), said


def test_a_step_from_the_journal_does_the_same(document):
    key = document.hybrid.add(["left arm"], 3, 30, "motor", gain=0.4)
    (command,) = document.stack.command(document.stack.count() - 1).commands
    again = command_from_json(json.loads(json.dumps(command.to_json())))
    after = document.state_json()
    document.history.undo()
    again.apply(document.model)
    assert document.state_json() == after and document.hybrid.strip(key).gain == 0.4


def test_strips_go_with_keys_and_with_joints_that_are_renamed_or_gone(document):
    document.keys.set(0)
    document.keys.set(40)
    document.hybrid.set([HybridStrip(("left arm", "left hand"), 10, 20, id="a")])
    assert document.keys.move({40: 80})
    assert (document.hybrid.strips[0].start, document.hybrid.strips[0].end) == (20, 40)
    before = document.state_json()
    assert document.figures.edit(joint_edits.renamed("left arm", "wing"), "Rename")
    assert document.hybrid.strips[0].parts == ("wing", "left hand")
    after = document.state_json()
    document.history.undo()
    assert document.state_json() == before
    document.history.redo()
    assert document.state_json() == after
    assert document.figures.edit(joint_edits.removed(["left hand"], False), "Remove")
    assert document.hybrid.strips[0].parts == ("wing",)


def test_a_drag_of_an_end_is_one_step_or_none(document):
    key = document.hybrid.add(["left arm"], 10, 20)
    steps, before = document.stack.index(), document.state_json()
    for finish, more in (("cancel", 0), ("commit", 1)):
        gesture = document.keys.begin_gesture("Move dynamic range")
        for end in (25, 30):
            strips = [HybridStrip(("left arm",), 10, end, id=key)]
            assert gesture.set_values(lambda s, strips=strips: {"hybrid_strips": strips})
        getattr(gesture, finish)()
        assert document.stack.index() == steps + more
    assert document.hybrid.strip(key).end == 30
    document.history.undo()
    assert document.state_json() == before


@pytest.mark.parametrize("new", [False, True])
def test_what_was_simulated_is_baked_in_one_step(document, new):
    figure = document.skeleton
    document.keys.set(0)
    document.keys.set(30)
    key = document.hybrid.add(["left arm"], 5, 20)
    sequence, samples = document.sequence, []
    for frame in range(5, 21):
        q = sequence.pose_at_frame(frame)
        q[3 + figure.first_dof[figure.joint_index("left arm")]] += 0.02 * (frame - 5) * (20 - frame)
        moved = np.zeros(len(figure.joints), dtype=np.int8)
        moved[figure.joint_index("left arm")] = 1
        zero = np.zeros(6)
        samples.append(
            Sample(
                frame / 30, frame, q, zero, (), (), (), 0, 0, zero, zero, zero, ContactForces.none(), zero, (), moved
            )
        )
    said = []
    document.message.connect(lambda level, text, details: said.append(text))
    before, steps = document.state_json(), document.stack.index()
    assert document.hybrid.bake(samples, tolerance=0.01, new=new)
    assert document.stack.index() == steps + 1 and document.hybrid.strips == ()
    assert len(document.sequences.all) == (2 if new else 1) and said[-1].startswith("Baked frames 5 to 20 into ")
    assert (f'of the new sequence "{document.sequence.name}"' in said[-1]) == new
    for sample in samples:
        np.testing.assert_allclose(document.sequence.pose_at_frame(sample.frame), sample.q, atol=0.03)
    after = document.state_json()
    document.history.undo()
    assert document.state_json() == before and document.hybrid.strip(key) is not None
    document.history.redo()
    assert document.state_json() == after
    document.history.undo()
    assert not document.hybrid.bake([]) and document.state_json() == before and "nothing to bake" in said[-1]


def activation_keys(document: Document) -> tuple[tuple[float, float], ...]:
    """Return the keys of the first force's activation, by frame."""
    fps = document.sequence.fps
    return tuple((round(time * fps, 6), value) for time, value in document.model.physics["forces"][0]["activation"])


def test_activation_follows_keys_that_are_retimed(document):
    fps = document.sequence.fps
    for frame in (0, 10, 20, 30):
        document.keys.set(frame)
    keys = ((4.0, 0.0), (10.0, 0.9), (15.0, 0.4), (40.0, 0.1))
    muscle = Muscle(
        ("left hand", "world"), [[0, 0, 0], [0, 1, 0]], 100.0, 0.5, [(frame / fps, value) for frame, value in keys]
    )
    assert document.physics.settings.edit("Attach a muscle", forces=(muscle,))
    assert activation_keys(document) == keys
    edits = {
        "all": (lambda: document.keys.shift([0, 10, 20, 30], 6), ((10, 0.0), (16, 0.9), (21, 0.4), (46, 0.1))),
        "stretch": (
            lambda: document.keys.stretch(0, 20, 2.0, ripple=True), ((8, 0.0), (20, 0.9), (30, 0.4), (60, 0.1)),
        ),
        "one": (lambda: document.keys.move({10: 12}), ((5, 0.0), (12, 0.9), (16, 0.4), (40, 0.1))),
        "frames": (lambda: document.keys.insert_frames(11, 5), ((4, 0.0), (10, 0.9), (20, 0.4), (45, 0.1))),
        "gone": (lambda: document.keys.remove_frames(9, 12), ((4, 0.0), (11, 0.4), (36, 0.1))),
        "fps": (lambda: document.sequences.set_fps(2.0 * fps), keys),
    }  # fmt: skip
    before = document.state_json()
    for name, (edit, wanted) in edits.items():
        steps = document.stack.index()
        assert edit() and document.stack.index() == steps + 1, name
        np.testing.assert_allclose(activation_keys(document), wanted, err_msg=name)
        after = document.state_json()
        document.history.undo()
        assert document.state_json() == before, name
        document.history.redo()
        assert document.state_json() == after, name
        document.history.undo()
    # A part of the keys alone takes nothing along; without any key left it stays as at the last one.
    selection = KeySelection({10: frozenset({document.sequence.channels.names[1]})})
    assert document.keys.move(selection, {10: 12}) and activation_keys(document) == keys
    assert document.keys.remove_frames(2, 50) and document.model.physics["forces"][0]["activation"] == 0.1


def test_a_live_drag_of_keys_takes_activation_along_and_gives_it_back(document):
    for frame in (0, 10, 20):
        document.keys.set(frame)
    active = [(5.0 / document.sequence.fps, 0.5)]
    muscle = Muscle(("left hand", "world"), [[0, 0, 0], [0, 1, 0]], 100.0, 0.5, active)
    document.physics.settings.edit("Attach a muscle", forces=(muscle,))
    before = document.state_json()
    gesture = document.keys.begin_gesture("Move keys")
    assert gesture.move_keys(KeySelection(dict.fromkeys((0, 10, 20))), {0: 3, 10: 13, 20: 23})
    assert activation_keys(document) == ((8.0, 0.5),)
    gesture.cancel()
    assert document.state_json() == before
