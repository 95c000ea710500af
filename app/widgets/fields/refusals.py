"""What is said when a field refuses what is typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import SignalInstance


class Refusing(Protocol):
    """A field, or a row that one stands in.

    Signals:
        refused(str): Why what is typed cannot be.
        settled(): It was put right or given up.
    """

    refused: SignalInstance
    settled: SignalInstance


def report_refusals(field: Refusing, say: Callable[[str, str], object]) -> None:
    """Say why what is typed cannot be, and nothing any more once that no longer stands.

    Args:
        field: What refuses.
        say: Takes how grave it is and the words, as ``Document.say`` does.
    """
    field.refused.connect(lambda why: say("info", why))
    field.settled.connect(lambda: say("info", ""))
