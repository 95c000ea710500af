"""Random edits of the figures of a document for the test of undo and redo."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np

from core.skeleton.building import props

if TYPE_CHECKING:
    from app.document import Document

MOST = 5
"""Figures a document has at most here: each state is written down after each action."""


class FigureActions:
    """Actions on figures as wholes; what is not possible is tried too."""

    document: Document
    random: Random

    if TYPE_CHECKING:

        def pose(self) -> np.ndarray: ...

    def which(self) -> int:
        return self.random.randrange(-1, len(self.document.figures.all) + 1)

    def do_add_figure(self) -> None:
        if len(self.document.figures.all) >= MOST:
            self.document.figures.remove(self.which())
            return
        make = self.random.choice([lambda: props.ball(0.1), lambda: props.box((0.1, 0.2, 0.3))])
        self.document.figures.add(make(), "Add prop", beside=self.random.random() < 0.8)

    def do_remove_figure(self) -> None:
        self.document.figures.remove(self.which())

    def do_duplicate_figure(self) -> None:
        if len(self.document.figures.all) < MOST:
            self.document.figures.duplicate(self.which())

    def do_rename_figure(self) -> None:
        self.document.figures.rename(self.which(), self.random.choice(["box", "Ada", "Ada 2", " ", "Ünïcode"]))

    def do_show_figure(self) -> None:
        """Choose some figures one after the other, and mostly edit the last one: one step, or none."""
        for _ in range(self.random.randint(1, 3)):
            self.document.figures.show(self.which())
        if self.random.random() < 0.7:
            with self.document.posing.begin_gesture("Drag") as gesture:
                gesture.set_pose(self.pose())
