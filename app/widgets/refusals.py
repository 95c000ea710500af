"""What is said when a field refuses what is typed."""

from __future__ import annotations

from collections.abc import Callable

from app.widgets.number_field import NumberField
from app.widgets.setting_slider import SettingRow


def tell_refusals(field: NumberField | SettingRow, say: Callable[[str, str], object]) -> None:
    """Say why what is typed cannot be, and nothing any more once it was put right or given up.

    Args:
        field: The field, or the row it stands in.
        say: Takes how grave it is and the words; ``Document.say``.
    """
    field.refused.connect(lambda why: say("info", why))
    field.settled.connect(lambda: say("info", ""))
