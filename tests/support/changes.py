"""Words for changes of a document, so that tests can list what was heard."""

from __future__ import annotations

from app.document.changes import Change, MessageShown


def kind_of(change: Change) -> str:
    """Return ``"keys"`` for ``KeysChanged`` and so on."""
    return "message" if isinstance(change, MessageShown) else type(change).__name__.removesuffix("Changed").lower()
