"""The menu of the curve editor's tools: the box, the normalised view, kept curves, reshaping, cycles."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QMenu

from app.document.sequences import Sequences
from app.timeline.curves.actions import CurveActions, add_choices
from app.widgets.frames.menu import add_action
from core.animation.cycles import HOLD, MIRROR, OFFSET, REPEAT

CYCLE_NAMES = {
    HOLD: "Hold the pose",
    REPEAT: "Repeat",
    OFFSET: "Repeat from where it stands",
    MIRROR: "Repeat mirrored",
}
"""What can be before and after the keys, and what menus call it."""
ROUNDS = 3


def tools_menu(actions: CurveActions, menu: QMenu, open_reshape: Callable[[], object] | None = None) -> None:
    """Fill the menu of tools.

    Args:
        actions: What can be done with the selected keys.
        menu: The menu.
        open_reshape: Opens the sliders that reshape keys; None leaves their entry out.
    """
    model, some = actions.model, bool(actions.model.points)
    if open_reshape is not None:
        add_action(menu, "Reshape keys…", open_reshape, some)
    flips = add_action(menu, "Filter flips", actions.filter_flips)
    flips.setToolTip("Angles near those of the key before: the same rotations without flips and needless turns")
    menu.addSeparator()
    cycles_menus(actions, menu)
    menu.addSeparator()
    add_action(menu, "Keep curves to compare", model.keep_curves)
    add_action(menu, "Exchange with kept curves", actions.swap_kept, model.kept is not None)
    add_action(menu, "Forget kept curves", lambda: model.keep_curves(False), model.kept is not None)
    menu.addSeparator()
    shown, even = model.box_shown, model.normalised
    add_action(menu, "Box round selected keys", lambda: model.set_box_shown(not shown), checked=shown)
    add_action(menu, "Normalised view", lambda: model.set_normalised(not even), checked=even)


def cycles_menus(actions: CurveActions, menu: QMenu) -> None:
    """Add the choices of what is before the first key and after the last one."""
    sequence, sequences = actions.document.sequence, actions.document.sequences
    cycles = (HOLD, HOLD) if sequence is None else sequence.cycles
    for title, end, name in (("Before the keys", 0, "before"), ("After the keys", 1, "after")):
        below = menu.addMenu(title)
        below.setEnabled(sequence is not None and len(sequence.keys) > 1)
        add_choices(below, CYCLE_NAMES.items(), cycles[end], _setting(sequences, name))
    add_action(menu, f"Play {ROUNDS} rounds", partial(sequences.play_rounds, ROUNDS), cycles[1] != HOLD)


def _setting(sequences: Sequences, name: str) -> Callable[[str], object]:
    """Return what sets the cycles of one end."""
    return lambda kind: sequences.set_cycles(**{name: kind})
