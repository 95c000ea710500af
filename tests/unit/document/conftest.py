"""A document with a figure, and what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.document import Change, Document
from tests.support.changes import kind_of


class Listener:
    """Everything a document reported, in order."""

    def __init__(self, document: Document):
        self.changes: list[Change] = []
        self.messages: list[tuple[str, str, str]] = []
        document.changed.connect(self.changes.append)
        document.message.connect(lambda *message: self.messages.append(message))

    @property
    def kinds(self) -> list[str]:
        return [kind_of(change) for change in self.changes]

    def clear(self) -> None:
        self.changes.clear()
        self.messages.clear()


@pytest.fixture
def document(qapp, skeletons_folder: Path) -> Document:
    document = Document()
    assert document.files.open(skeletons_folder / "stickman.scr")
    return document


@pytest.fixture
def heard(document: Document) -> Listener:
    return Listener(document)
