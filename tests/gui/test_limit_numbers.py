"""The numbers under the sliders of the joints panel, and the units its rows speak in."""

from __future__ import annotations

import math

import pytest
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.document.document import Document
from app.look import fonts
from app.panels import JointsPanel
from app.widgets.fields.limit_numbers import limit_texts
from app.widgets.fields.slider import MARGIN
from app.widgets.joints.joint_row import JointRow
from app.words.quantity import DEGREES, METRES, quantity_for
from tests.support.dock_frame import DockFrame


@pytest.mark.parametrize("wide", [200, 240, 260, 400])
@pytest.mark.parametrize("limits", [(-90.5, 90.2), (-12.1, 12.1), (-175.25, 175.25), (0.0, 80.0), (-0.04, 0.04)])
def test_the_numbers_never_overlap(qtbot, wide: int, limits: tuple[float, float]):
    row = JointRow(3, 0, "Traverse", "angle", *(math.radians(limit) for limit in limits))
    qtbot.addWidget(row)
    row.resize(wide, row.sizeHint().height())
    metrics = QFontMetricsF(fonts.font(fonts.SMALL, tabular=True))
    texts = row.slider.limit_texts()
    taken = sum(metrics.horizontalAdvance(text) for text in texts)
    assert taken < row.slider.width() - 2 * MARGIN
    for text, limit in zip(texts, limits, strict=True):
        assert not text or abs(float(text.replace("−", "-")) - limit) <= 0.5


def test_decimals_go_first_and_then_both_numbers():
    def shown(room: float) -> tuple[str, str]:
        return limit_texts(DEGREES, -90.5, 90.2, lambda text: 6.0 * len(text), room)

    assert shown(59.0) == ("−90.5", "90.2") and shown(58.0) == ("−90", "90") and shown(34.0) == ("", "")
    assert limit_texts(METRES, 0.0, 0.14, lambda text: 6.0 * len(text), 60.0) == ("0", "0.14")


def test_slides_of_a_small_range_are_reported_in_centimetres(qtbot, qapp: QApplication, skeletons_folder):
    document = Document()
    assert document.files.open(skeletons_folder / "robot.scr")
    panel = JointsPanel(document)
    frame = DockFrame([panel])
    qtbot.addWidget(frame)
    frame.resize(260, 700)
    frame.show()
    assert QTest.qWaitForWindowExposed(frame)
    skeleton = document.skeleton
    index = 3 + next(k for k, dof in enumerate(skeleton.all_dofs) if dof.kind == "slide" and dof.hi - dof.lo < 0.1)
    row, dof = panel.row(index), skeleton.all_dofs[index - 3]
    assert row.slider.limit_texts() == ("−1.8", "2") and row.field.shown_text().endswith(" cm")
    row.field.edit_to(-1.23)
    assert document.pose[index] == pytest.approx(-0.0123, abs=1e-12) and document.stack.count() == 1
    row.field.edit_to(50.0)
    assert document.pose[index] == dof.hi, "to the last bit"
    assert row.field.quantity.read("4 mm") == pytest.approx(0.4)


def test_the_unit_goes_by_the_range():
    inf = math.inf
    assert quantity_for("angle", -inf, inf) is DEGREES
    for hi in (inf, 2.0):
        assert quantity_for("length", -inf, inf) is quantity_for("length", 0.0, hi) is METRES
    texts = [quantity_for("length", 0.0, span).text(100.0 * 0.0123) for span in (0.5, 0.038)]
    assert texts == ["1.2 cm", "1.23 cm"]
