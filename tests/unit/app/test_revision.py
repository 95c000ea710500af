"""The number of a document's content: what was worked out of one content is never taken for another's."""

from __future__ import annotations

import numpy as np
import pytest

from app.document.document import Document
from app.document.edits.edits import key_changes
from core.animation.key import Key


@pytest.fixture
def document(qapp):
    made = Document()
    yield made
    made.files.close()


def turn(document: Document, angle: float, gesture: int | None = None) -> int:
    """Set a key with another pose, and return the number of that content."""
    q = np.array(document.pose)
    q[-1] = angle
    assert document.do("Turn", lambda: key_changes(document.model, [Key(0, q)]), gesture)
    return document.revision


def test_undone_it_is_the_same_content_again_and_another_edit_in_its_place_is_not(document, skeletons_folder):
    assert document.files.load_figure(skeletons_folder / "arm7.scr")
    before, steps = document.revision, document.stack.index()
    first = turn(document, 0.1)
    document.stack.undo()
    assert document.revision == before != first
    document.stack.redo()
    assert document.revision == first
    document.stack.undo()
    other = turn(document, 0.2)
    assert document.stack.index() == steps + 1 and other not in (before, first)


def test_a_step_that_takes_another_one_in_has_another_number(document, skeletons_folder):
    assert document.files.load_figure(skeletons_folder / "arm7.scr")
    gesture, before, steps = document.gesture_id(), document.revision, document.stack.index()
    numbers = {before, turn(document, 0.2, gesture), turn(document, 0.3, gesture)}
    assert document.stack.index() == steps + 1 and len(numbers) == 3
    document.stack.undo()
    assert document.revision == before


def test_what_is_opened_has_another_number_though_nothing_was_edited(document, tmp_path, skeletons_folder):
    assert document.files.load_figure(skeletons_folder / "arm7.scr")
    assert document.files.save(tmp_path / "arm.seq")
    numbers = [document.revision]
    for _ in range(2):
        assert document.files.open(tmp_path / "arm.seq") and document.stack.index() == 0
        numbers.append(document.revision)
    assert len(set(numbers)) == 3
