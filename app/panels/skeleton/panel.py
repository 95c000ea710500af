"""The skeleton panel: the joints as a tree, and the properties of the one that is edited."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from app.document.changes import Change, FigureChanged, FileChanged, SelectionChanged, SessionChanged
from app.document.edits import joint_edits
from app.look import style
from app.panels.skeleton.joint_form import JointForm
from app.widgets.frames.dock import Panel
from app.widgets.frames.empty_state import EmptyState
from app.widgets.frames.scroll import OverlayScrollArea
from app.widgets.frames.tool_button import ToolButton
from app.widgets.joints.joint_tree import JointTree

if TYPE_CHECKING:
    from app.document.document import Document

TREE_HEIGHT = 240


class SkeletonPanel(Panel):
    """Edits the figure itself; it stands in the joints panel's place while the skeleton is edited.

    Signals:
        menu_requested(QPoint, object): The menu of the joint selected last, at a global position.
        add_requested(): A child joint is wanted.
    """

    menu_requested = Signal(QPoint, object)
    add_requested = Signal()

    title = "Skeleton"
    icon = "skeleton"
    area = "left"
    stretch = 3
    modes = ("skeleton",)

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(document, parent)
        self.document = document
        self.splitter = QSplitter(Qt.Orientation.Vertical, self)
        self.tree = JointTree(self.splitter)
        self.tree.chosen.connect(lambda joints: document.selection.set(joints))
        self.tree.hovered.connect(self._hover)
        self.tree.renamed.connect(self._rename)
        self.tree.moved.connect(self._hang)
        self.tree.menu_wanted.connect(self._menu)
        lower = QWidget(self.splitter)
        self.empty = EmptyState("Select a joint to edit it", "skeleton", lower)
        self.view = OverlayScrollArea(lower)
        self.view.setWidgetResizable(True)
        column = QVBoxLayout(lower)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view)
        column.addWidget(self.empty)
        self.splitter.addWidget(self.tree)
        self.splitter.addWidget(lower)
        self.splitter.setHandleWidth(style.GAP)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([TREE_HEIGHT, 2 * TREE_HEIGHT])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2, 0, 0)
        layout.addWidget(self.splitter)
        self._add_button = ToolButton("plus", "", "Add child joint (Ins)", size=(26, 24))
        self._add_button.clicked.connect(self.add_requested)
        self._more_button = ToolButton("more", "", "More for the joint", size=(26, 24))
        self._more_button.clicked.connect(
            lambda: self._menu(self._more_button.mapToGlobal(self._more_button.rect().bottomLeft()))
        )
        document.changed.connect(self._on_change)
        self._show_figure()

    def title_buttons(self) -> Sequence[QWidget]:
        return (self._add_button, self._more_button)

    def first_focus(self) -> QWidget | None:
        return self.tree

    @cached_property
    def form(self) -> JointForm:
        """What edits one joint; of its hundred widgets there is none before the mode is first entered."""
        form = JointForm(self.document, self.view.viewport())
        self.view.setWidget(form)
        return form

    # -- following the document ----------------------------------------------------------------------------------

    def _on_change(self, change: Change) -> None:
        name = change.name
        if isinstance(change, (FigureChanged, FileChanged)):
            self._show_figure()
        elif isinstance(change, SelectionChanged):
            self._show_selection()
        elif isinstance(change, SessionChanged) and name == "hover":
            self.tree.show_hover(self.document.session.view.hover)
        elif isinstance(change, SessionChanged) and name in ("preview", "control_frame"):
            self._show_joint()
        elif isinstance(change, SessionChanged) and name == "mode" and self.document.session.mode == "skeleton":
            self._show_figure()

    def _show_figure(self) -> None:
        if self.document.session.mode != "skeleton":
            return  # it is out of sight
        self.tree.show_figure(self.document.skeleton)
        self._show_selection()

    def _show_selection(self) -> None:
        if self.document.session.mode != "skeleton":
            return
        self.tree.show_selection(self.document.selection.joints)
        self._show_joint()

    def _show_joint(self) -> None:
        if self.document.session.mode != "skeleton":
            return
        document = self.document
        preview = document.session.preview
        skeleton = document.skeleton if preview is None else preview
        chosen = document.selection.joints[-1] if document.selection.joints and skeleton is not None else None
        self.view.setVisible(chosen is not None)
        self.empty.setVisible(chosen is None)
        self.form.show_joint(skeleton, chosen)

    # -- editing -------------------------------------------------------------------------------------------------

    def _hover(self, joint: int | None) -> None:
        self.document.session.view.hover = joint

    def _rename(self, name: str, wanted: str) -> None:
        if not self.document.figures.edit(joint_edits.renamed(name, wanted), f"Rename {name}"):
            self._show_figure()

    def rename(self, joint: int) -> None:
        """Let the person type a name for a joint."""
        if self.tree.isVisible():
            self.tree.rename(joint)
        else:
            self.form.focus_name()

    def _hang(self, name: str, parent: str) -> None:
        self.document.figures.edit(joint_edits.reparented(name, parent), f"Attach {name} to {parent}")

    def _menu(self, at: QPoint) -> None:
        chosen = self.document.selection.joints
        self.menu_requested.emit(at, chosen[-1] if chosen else None)
