"""Edits by hand, of keys and of the figure: shown from press to release, one undo step in the end, or none at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

from app.document.commands.base import Command
from app.document.content.key_selection import KeySelection
from app.document.edits import edits, key_edits, skeleton_edits
from app.document.edits.joint_edits import Edit, in_order
from core.animation import editing
from core.animation.key import Key
from core.animation.sequence import Sequence
from core.errors import CoreError
from core.skeleton.building.builder import SkeletonBuilder

if TYPE_CHECKING:
    from app.document.base import DocumentBase


class LiveGesture:
    """A live edit, from press to release. Making one commits one that is under way and stops playing.

    While it lasts the model shows the edit, but nothing is on the undo stack: a cancelled gesture leaves no step, takes
    no redo steps away, and restores the model bit for bit. Undo while it lasts gives it up. As a context manager it
    commits, and cancels if something is raised.

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
        self.document.push(self._live, self.text, self.document.leading, applied=True)
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


class KeyGesture(LiveGesture):
    """A live edit of the active sequence's keys, and of what follows them. See ``LiveGesture``.

    Each call that shows something stands alone: it is given the keys at press, calls do not add up. Each returns
    whether that is possible; if not, what was shown before stays and ``problem`` says why.

    Attributes:
        before: The keys at press.
    """

    def __init__(self, document: DocumentBase, text: str):
        super().__init__(document, text)
        _, sequence = edits.need_figure(document.model)
        self.before: tuple[Key, ...] = sequence.keys

    def set_keys(self, keys: Iterable[Key]) -> bool:
        """Show other keys, all of them, in any order."""
        wanted = tuple(keys)

        def make(sequence: Sequence) -> Mapping[str, Any]:
            trial = Sequence(sequence.skeleton)
            known = {key.frame: key for key in sequence.keys}
            trial.set_keys(key for key in wanted if known.get(key.frame) is not key)
            return {"keys": editing.sorted_keys(wanted)}

        return self.set_values(make)

    def move_keys(self, which: KeySelection, mapping: Mapping[int, int], ripple: bool = False) -> bool:
        """Show keys moved from old frames to new ones; see ``Keys.move``."""
        moves = {old: new for old, new in mapping.items() if old in which}
        return self.set_values(lambda s: key_edits.moved_keys(s, moves, which.parts, "moving", ripple))

    def set_shape(self, which: KeySelection, **values: Any) -> bool:
        """Show keys with values of their shapes changed; see ``Keys.set_shape``."""
        return self.set_values(lambda s: {"keys": key_edits.shaped(s, which.parts, values)})

    def set_values(self, make: Callable[[Sequence], Mapping[str, Any]]) -> bool:
        """Show other values of the sequence.

        Args:
            make: Returns them from the sequence as it was at press, by name: ``"keys"``, ``"strips"`` and any of
                ``SEQUENCE_VALUES``; checks what it is given.
        """

        def commands() -> list[Command]:
            _, sequence = edits.need_figure(self.document.model)
            return edits.sequence_values(self.document.model, make(sequence))

        return self._show(commands)


class FigureGesture(LiveGesture):
    """A live edit of the figure. See ``LiveGesture``.

    While it lasts the session's ``preview`` shows the figure as it would be; the document and its keys are not touched
    before ``commit``.
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
