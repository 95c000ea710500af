"""What all edits by hand share: shown from press to release, one undo step in the end, or none at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Self

from app.document.commands.base import Command
from app.document.edits import edits
from core.errors import CoreError

if TYPE_CHECKING:
    from app.document.base import DocumentBase


class LiveGesture:
    """A live edit, from press to release. Making one commits one that is under way and stops playing.

    While it lasts the model shows the edit, but nothing is on the undo stack: a cancelled gesture leaves no step, takes
    no redo steps away, and restores the model bit for bit. Undo while it lasts gives it up. As a context manager it
    commits, and cancels if something is raised.

    Args:
        document: The document, which has a figure.
        text: What the undo step is called.

    Attributes:
        text: What the undo step is called.
        active: Whether it is still under way.
        problem: Why what was to be shown last is not possible; "" if it is.

    Raises:
        SkeletonError: If there is no figure.
    """

    def __init__(self, document: DocumentBase, text: str):
        edits.need_figure(document.model)
        if document.gesture is not None:
            document.gesture.commit()
        self.document = document
        self.text = text
        self.active = True
        self.problem = ""
        self._live: tuple[Command, ...] = ()
        document.session.playback.playing = False
        document.gesture = self

    @property
    def moved(self) -> bool:
        """Whether anything now differs from how it was at press."""
        return bool(self._live)

    def _show(self, make: Callable[[], Iterable[Command]]) -> bool:
        """Show an edit of what was there at press; one that is not possible leaves what was shown before.

        Args:
            make: Returns the commands of the edit; called with the model as it was at press.

        Returns:
            Whether the edit is possible and still under way; if it is not possible, ``problem`` says why.
        """
        if not self.active:
            return False
        model, shown = self.document.model, self._live
        for command in reversed(shown):
            command.revert(model)
        try:
            self._live, self.problem = tuple(make()), ""
        except CoreError as error:
            self.problem = str(error).partition("\n")[0]
        finally:  # whatever else is raised: the model never lacks what the gesture takes it to show
            for command in self._live:
                command.apply(model)
        if self._live or shown:
            self.document.show_live((*shown, *self._live))
        return not self.problem

    def commit(self) -> bool:
        """End as one undo step; return whether there is one (what came back to how it was leaves none)."""
        if not self.active:
            return False
        if not self.moved:
            self.cancel()
            return False
        self._end()
        self._settle()
        self.document.push(self._live, self.text, applied=True)
        return True

    def _settle(self) -> None:
        """Do what is to be done before the edit becomes a step."""

    def cancel(self) -> None:
        """End without an edit: everything is as it was at press."""
        if not self.active:
            return
        self._end()
        for command in reversed(self._live):
            command.revert(self.document.model)
        if self._live:
            self.document.show_live(self._live, over=True)

    def _end(self) -> None:
        self.active = False
        self.document.gesture = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            self.commit()
        else:
            self.cancel()
