"""Names at the edges of the joints panel, of rows out of sight that stop a drag."""

from __future__ import annotations

from app.look import style
from app.words.hindrance import NamedStop


def test_a_name_at_the_edge_never_covers_a_row_that_lights_itself(window):
    """Wherever the panel is scrolled, what stops the drag is a row in sight or a name, and no name lies over a row."""
    document = window.document
    panel = next(panel for panel in window.panels if panel.title == "Joints")
    blocked, bar = panel.blocked, panel.view.verticalScrollBar()
    panel.open_all(True)
    first = 10
    stops = tuple(NamedStop(dof, 1, 0.16, document.skeleton.dof_labels[dof], "9.0°") for dof in (first, first + 1))
    document.session.drag.stops = stops
    rows = [panel.row(3 + stop.dof) for stop in stops]
    port, seen = panel.view.viewport(), set()
    for at in range(max(rows[0].y() - port.height() - 60, 0), rows[1].y() + 60):
        bar.setValue(at)
        marks = {mark.text: mark.geometry() for mark in blocked.marks if mark.isVisibleTo(panel)}
        for stop, row in zip(stops, rows, strict=True):
            name = f"{stop.label} at {stop.text}"
            middle = row.y() + row.height() // 2 - bar.value()
            assert name in marks or 0 <= middle < port.height()
            if name not in marks:
                assert not any(box.top() <= middle < box.bottom() for box in marks.values()), f"at {at}"
        seen.add(len(marks))
    assert seen == {0, 1, 2} or seen == {0, 2}
    bar.setValue(rows[0].y() + rows[0].height())
    picture = blocked.marks[0].grab().toImage()
    assert picture.pixelColor(1, picture.height() // 2) == style.color("panel"), "opaque beside its box"
    document.session.drag.stops = ()
