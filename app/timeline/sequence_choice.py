"""Which of the document's sequences is shown: a field over the timeline's rows, and a menu that does the same."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.document.changes import Change, FigureChanged, FileChanged, SequenceChanged
from app.widgets.fields.choice import Choice
from app.widgets.frames.menu import add_action

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu

    from app.document.document import Document

_KINDS = (FileChanged, FigureChanged, SequenceChanged)
_LEAST_LIST = 180  # px: names in the list have room


def sequence_names(document: Document) -> list[str]:
    """Return what the document's sequences are called, with their figure where there are several."""
    model = document.model
    if len(model.figures) < 2:
        return [sequence.name for sequence in model.sequences]
    figures = [model.figures[model.figure_of(sequence)].skeleton.name for sequence in model.sequences]
    return [f"{sequence.name} · {figure}" for sequence, figure in zip(model.sequences, figures, strict=True)]


def fill_sequences(menu: QMenu, document: Document) -> None:
    """Put an entry for each sequence into a menu; the one that is shown is ticked, and choosing one shows it."""
    menu.clear()
    for index, name in enumerate(sequence_names(document)):
        shown = index == document.model.sequence_index
        add_action(menu, name.replace("&", "&&"), partial(document.sequences.show, index), checked=shown)
    if menu.isEmpty():
        menu.addAction("No sequence is open").setEnabled(False)


class SequenceChoice(Choice):
    """Shows the name of the active sequence and offers the others; hidden while there is one alone."""

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__("Sequence that is shown", parent)
        self._document = document
        self.view().setMinimumWidth(_LEAST_LIST)
        self.picked.connect(self._pick)
        document.changed.connect(self._take)
        self.show_document()

    def _pick(self, index: object) -> None:
        assert isinstance(index, int)
        self._document.sequences.show(index)
        self.show_document()

    def _take(self, change: Change) -> None:
        if isinstance(change, _KINDS):
            self.show_document()

    def show_document(self) -> None:
        """Offer what there is."""
        names = sequence_names(self._document)
        shown = self._document.model.sequence_index if names else None
        self.show_rows(list(enumerate(names)), shown)
        self.setHidden(len(names) < 2)
        self.setToolTip("" if shown is None else f"{names[shown]}: choose another sequence to show")
