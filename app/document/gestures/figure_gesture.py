"""An edit of the figure by hand, from press to release: shown while it lasts, one undo step in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.document.edits import skeleton_edits
from app.document.edits.joint_edits import Edit, in_order
from app.document.gestures.live_gesture import LiveGesture
from core.errors import CoreError
from core.skeleton.building.builder import SkeletonBuilder

if TYPE_CHECKING:
    from app.document.base import DocumentBase


class FigureGesture(LiveGesture):
    """A live edit of the figure. See ``LiveGesture``.

    While it lasts the session's ``preview`` shows the figure as it would be; the document and its keys are not touched
    before ``commit``.

    Args:
        document: The document, which has a figure.
        text: What the undo step is called.
    """

    def __init__(self, document: DocumentBase, text: str):
        super().__init__(document, text)
        assert document.skeleton is not None
        self._figure = document.skeleton
        self._edit: Edit | None = None

    def show(self, edit: Edit) -> bool:
        """Show the figure as an edit makes it; one that is not possible leaves what was shown before.

        Args:
            edit: Changes a builder of the figure at press; each call stands alone, they do not add up.

        Returns:
            Whether the edit is possible; if not, ``problem`` says why.
        """
        if not self.active:
            return False
        builder = SkeletonBuilder(self._figure)
        try:
            edit(builder)
            preview = builder.build()
            if set(preview.joint_names) == set(self._figure.joint_names):
                preview = in_order(preview, self._figure.joint_names)  # views draw the one with the other's frames
        except CoreError as error:
            self.problem = str(error).partition("\n")[0]
            return False
        self.problem = ""
        self._edit = edit
        self.document.session.preview = preview
        return True

    def commit(self) -> bool:
        """End as one undo step; return whether there is one."""
        if not self.active:
            return False
        edit = self._edit
        self._end()
        return edit is not None and self.document.do(
            self.text, lambda: skeleton_edits.edited(self.document.model, edit)
        )

    def _end(self) -> None:
        super()._end()
        self.document.session.preview = None
