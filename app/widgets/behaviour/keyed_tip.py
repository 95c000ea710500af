"""Tips that name a key, on widgets without an action of their own: they follow the key map."""

from __future__ import annotations

import re

from PySide6.QtWidgets import QWidget

from app.words.keys_now import key_of

_PROPERTY = "keyed_tip"
_NO_KEY = re.compile(r" \([^()]*\{\}[^()]*\)")


def set_keyed_tip(widget: QWidget, tip: str, action: str) -> None:
    """Give a widget a tip with the key of an action in the place of ``{}``, as in ``"Bake to keys ({})"``.

    The brackets around it are left out while the action has no key.
    """
    widget.setProperty(_PROPERTY, [tip, action])
    renew_tip(widget)


def renew_tip(widget: QWidget) -> None:
    """Let the tip of a widget name the key that holds now; others keep theirs."""
    kept = widget.property(_PROPERTY)
    if kept:
        tip, action = kept
        key = key_of(action, "")
        widget.setToolTip(tip.replace("{}", key) if key else _NO_KEY.sub("", tip))
