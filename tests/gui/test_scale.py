"""*View > Scale*: one of the menu is checked, the choice is kept, and the status line says from when on it counts."""

from __future__ import annotations

from app.document.session import SCALES
from app.window.main_window import MainWindow
from app.window.settings import KEPT


def test_a_scale_is_kept_for_the_next_start(window: MainWindow) -> None:
    actions, said = window.action_table, []
    window.document.message.connect(lambda _kind, text, _details: said.append(text))

    def checked() -> list[int]:
        return [scale for scale in SCALES if actions[f"scale_{scale}"].isChecked()]

    assert checked() == [100]
    actions["scale_150"].trigger()
    assert window.document.session.view.scale == 150 and checked() == [150]
    assert said[-1] == "Everything is shown at 150 % when the editor is started again"
    actions["scale_150"].trigger()  # a second click must not uncheck it
    assert checked() == [150]
    actions["scale_100"].trigger()
    assert checked() == [100] and said[-1] == "Everything stays at 100 %"
    assert "scale" in KEPT
