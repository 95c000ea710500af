"""A flight is put on its parabola as one step."""

import pytest

from app.document.document import Document
from core.preview.plausibility.find import find_violations
from core.preview.plausibility.violation import Violation


def test_repairing_a_flight_is_one_step(qapp, skeletons_folder):
    document, said = Document(), []
    assert document.files.open(skeletons_folder / "library" / "Jumps" / "jump.seq")
    document.message.connect(lambda level, text, details: said.append((level, text)))
    document.set_frame(31)
    higher = document.pose.copy()
    higher[1] += 0.12
    assert document.posing.set(higher)
    wrong = [violation for violation in find_violations(document.sequence) if violation.kind == "parabola"]
    assert len(wrong) == 1
    before, steps = document.state_json(), document.stack.index()
    assert document.flights.repair(wrong[0]) and document.stack.index() == steps + 1
    after = document.state_json()
    assert not [violation for violation in find_violations(document.sequence) if violation.kind == "parabola"]
    assert said[-1][0] == "info" and "keys of the root's place" in said[-1][1]
    document.history.undo()
    assert document.state_json() == before
    document.history.redo()
    assert document.state_json() == after


@pytest.mark.verify
def test_whatever_is_wrong_with_a_flight_goes_in_one_step(qapp, skeletons_folder):
    """Off its parabola by so much that nobody looks at its turning yet, which is wrong as well."""
    document, said = Document(), []
    assert document.files.open(skeletons_folder / "library" / "Jumps" / "jump.seq")
    document.message.connect(lambda level, text, details: said.append(level))
    for frame in (key.frame for key in document.sequence.keys if 24 < key.frame < 38):
        document.set_frame(frame)
        there = document.pose.copy()
        there[1] += 0.2
        there[4] += 0.03 * (frame - 24)
        assert document.posing.set(there)
    wrong = [violation for violation in find_violations(document.sequence) if violation.fixable]
    assert wrong and all(violation.first < 31 < violation.last for violation in wrong)
    for violation in wrong:  # whichever of them is clicked
        steps = document.stack.index()
        assert document.flights.repair(violation) and document.stack.index() == steps + 1
        assert not [violation for violation in find_violations(document.sequence) if violation.fixable]
        document.history.undo()


def test_what_cannot_be_repaired_is_reported(qapp, skeletons_folder):
    document, said = Document(), []
    assert document.files.open(skeletons_folder / "library" / "Jumps" / "jump.seq")
    document.message.connect(lambda level, text, details: said.append((level, text)))
    steps = document.stack.index()
    assert not document.flights.repair(Violation("pull", 3, 9, 0.2, "The ground would have to pull with 90 N"))
    assert document.stack.index() == steps and said[-1][0] in ("warning", "error") and "pull with 90 N" in said[-1][1]
