"""What the actions do that exchange armatures and motions with Blender."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from app.actions.group import WindowActions
from app.document.files import model_files
from app.document.library_edits import use_sequence
from app.files.blender_exchange import ADD_ON_FILE, TO_BLENDER, BlenderWatch, name_in, prepare_folder, write_add_on
from app.widgets.frames.status_line import DONE
from app.words.keys_now import key_of
from core.errors import CoreError
from core.formats import ImportChoices, Project, save

if TYPE_CHECKING:
    from app.actions.editor_window import EditorWindow
    from app.document.content.model import Model
    from app.document.files.model_files import Stamp
    from app.work.background import Progress

SEEN = "blender/seen"
"""Name of the setting that says which file from Blender was offered last."""
MANUAL = "blender.md"


class BlenderActions(WindowActions):
    """Actions of *File > Blender*.

    Attributes:
        watch: Watches for what Blender sends.
    """

    def __init__(self, window: EditorWindow):
        super().__init__(window)
        self.watch = BlenderWatch(window, self._kept())
        self.watch.came.connect(self._offer)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        return {"blender_open": self.open, "blender_send": self.send, "blender_add_on": self.save_add_on}

    def _kept(self) -> Stamp | None:
        kept = str(self._window.settings.value(SEEN, "") or "") if self._window.settings is not None else ""
        numbers = [int(word) for word in kept.split() if word.isdigit()]
        return (numbers[0], numbers[1], numbers[2], numbers[3]) if len(numbers) == 4 else None

    # -- from Blender ----------------------------------------------------------------------------------------------

    def _offer(self, path: Path) -> None:
        """Offer what has come, in a line that waits until it is answered."""
        if self._window.settings is not None and self.watch.seen is not None:
            self._window.settings.set_value(SEEN, " ".join(str(number) for number in self.watch.seen))
        name, skeleton = name_in(path) or "an armature", self.document.skeleton
        choices: list[tuple[str, str, Callable[[], object]]] = [
            ("Open", f"Open {name} in place of what is open; asks about unsaved work first", self.open)
        ]
        if skeleton is not None and skeleton.name == name:
            tip = f"Add the motion of {name} to the figure that is open, as one step"
            choices.append(("Add its motion", tip, partial(self.add_motion, path)))
        self._window.ask(f"Blender sent {name}", choices, "info")

    def open(self) -> bool:
        """Open what Blender sent last; return whether it is open, or being read."""
        path = self.watch.path
        if not path.is_file():
            self._window.ask(
                "Blender has sent nothing yet; in Blender, choose Send to Sequence Editor in the sidebar (N)",
                [
                    ("Save add-on…", "Save the add-on for Blender, to install it there", self.save_add_on),
                    ("Manual", "How to set Blender up", lambda: self._window.edits.show_manual(MANUAL)),
                ],
                "info",
            )
            return False
        # The file is only lent: it is none to save to, and the next one takes its place.
        return self._window.files.open_path(path, then=self.document.files.forget_origin)

    def add_motion(self, path: Path) -> None:
        """Add the motion in a file to the figure that is open, where its joints are the same."""

        def read(progress: Progress) -> Model:
            return model_files.read_model(path, progress=progress, choices=ImportChoices.found())[0]

        def done(model: Model) -> None:
            if model.sequence is None or not model.sequence.keys:
                self._window.show_message("info", "There is no motion in what Blender sent")
            else:
                use_sequence(self.document, model.sequence)

        def failed(error: Exception) -> None:
            if not isinstance(error, (CoreError, OSError)):
                raise error
            self.document.files.refuse(path, error)

        self._window.player.pause()
        self.run_beside(f"Reading {path.name}", read, done, failed)

    # -- to Blender ------------------------------------------------------------------------------------------------

    def send(self) -> bool:
        """Write what is shown for Blender, beside the window; return whether that has begun."""
        window, project = self._window, self._window.files.shown_project()
        if project is None or not project.sequences or not project.sequences[0].keys:
            window.show_message("info", f"There are no keys to send; set one first ({key_of('set_key')})")
            return False
        try:
            target = prepare_folder() / TO_BLENDER
        except (CoreError, OSError) as error:
            self._failed(error)
            return False
        return self.run_beside(
            f"Sending {project.sequences[0].name} to Blender",
            partial(self._write, project, target),
            lambda _result: self._sent(project),
            self._failed,
        )

    @staticmethod
    def _write(project: Project, target: Path, progress: Progress) -> None:
        save(project, target, progress=progress)

    def _sent(self, project: Project) -> None:
        self.watch.look()  # the folder may be new
        sequence = project.sequences[0]
        text = (
            f"{sequence.name} of {sequence.skeleton.name} sent; in Blender, choose Take motion back in the sidebar (N)"
        )
        self._window.show_message(DONE, text)

    def _failed(self, error: Exception) -> None:
        if not isinstance(error, (CoreError, OSError)):
            raise error
        self._window.show_message("error", f"Nothing was sent: {str(error).splitlines()[0]}", str(error))

    def save_add_on(self) -> bool:
        """Ask where, and save the add-on for Blender; return whether it was saved."""
        start = str(self._window.files.own_folder() / ADD_ON_FILE)
        chosen, _ = QFileDialog.getSaveFileName(self._window, "Save Blender add-on", start, "Add-ons (*.zip)")
        if not chosen:
            return False
        target = Path(chosen) if Path(chosen).suffix else Path(chosen).with_suffix(".zip")
        try:
            prepare_folder()
            write_add_on(target)
        except (CoreError, OSError) as error:
            self._window.show_message("error", model_files.one_line(error, target), model_files.all_lines(error))
            return False
        self.watch.look()
        text = f"{target.name} saved; in Blender, choose Edit > Preferences > Get Extensions > Install from Disk"
        self._window.show_message(DONE, text)
        return True
