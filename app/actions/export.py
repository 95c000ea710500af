"""What the actions do that write pictures, movies, motion and web pages: ask, then write beside the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QDialog, QFileDialog

from app.actions.group import WindowActions
from app.dialogs.export_dialog import STAGE, STUDIO, ExportDialog, Wishes
from app.dialogs.motion_dialog import MotionDialog, MotionWishes
from app.document.content.records import carried_physics, sequence_for, with_figures_named
from app.render.lights import words_of
from app.widgets.frames.status_line import DONE
from core.animation import Sequence
from core.errors import CoreError
from core.formats import PAGE_SUFFIX, FigureRecord, Project, format_of, save
from core.formats.exchange.recording import Recording
from core.formats.exporting import ExportChoices, chosen
from core.progress import part
from core.skeleton.figure_parts import figure_names, full_name

if TYPE_CHECKING:
    from app.actions.editor_window import EditorWindow
    from app.work.background import Progress


class ExportActions(WindowActions):
    """Actions that write pictures, movies, motion for other programs and web pages."""

    def __init__(self, window: EditorWindow):
        super().__init__(window)
        self._wishes, self._motion = Wishes(), MotionWishes()
        self._folder: Path | None = None  # of the last export, which was one of the document from
        self._beside: Path | None = None

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        return {
            "export_picture": self.picture,
            "export_movie": self.movie,
            "export_motion": self.motion,
            "export_page": self.page,
        }

    def picture(self) -> None:
        """Ask how, and write what is shown, the pose between keys or a moment of a simulation, as a picture."""
        sequence = self._shown()
        if sequence is not None:
            self._export(sequence, self._moment(), False)

    def movie(self) -> None:
        """Ask how, and write the active sequence, and in physics mode what was simulated, as a movie."""
        sequence = self._shown()
        if sequence is not None:
            self._export(sequence, self._simulated(), True)

    def motion(self) -> None:
        """Ask how, and write the active sequences of the figures for another program."""
        self._export_motion(None)

    def page(self) -> None:
        """Ask how, and write the active sequences of the figures as a web page that plays them."""
        self._export_motion(PAGE_SUFFIX)

    def _export_motion(self, kind: str | None) -> None:
        sequence, window = self._shown(), self._window
        if sequence is None:
            return
        if self.is_busy():
            return
        wishes = replace(self._motion, kind=self._motion.kind if kind is None else kind)
        project, physics = self._project(sequence), window.document.physics
        samples = list(physics.samples)
        dialog = MotionDialog(
            project.sequences, self._hidden(), wishes, window.document.model.unit,
            Recording.of(samples) if len(samples) > 1 else None, physics.mode == "physics", window,
        )  # fmt: skip
        if dialog.exec() != QDialog.DialogCode.Accepted:
            return
        self._motion = wishes if kind is None else replace(wishes, kind=self._motion.kind)
        target = self._ask_motion_path(dialog, sequence)
        if target is not None:
            project.unit = window.document.model.unit
            self.begin_motion(project, target, dialog.choices(), dialog.recording)

    def _ask_motion_path(self, dialog: MotionDialog, sequence: Sequence) -> Path | None:
        suggested = self._window.files.suggested_path(dialog.kind, sequence.name or "motion")
        if self._folder is not None and self._beside == self._window.document.files.origin:
            suggested = self._folder / suggested.name
        kinds = f"{dialog.kind_name} ({' '.join('*' + each for each in dialog.suffixes)})"
        chosen_path, _ = QFileDialog.getSaveFileName(self._window, dialog.windowTitle(), str(suggested), kinds)
        if not chosen_path:
            return None
        target = Path(chosen_path)
        if target.suffix.lower() not in dialog.suffixes:
            target = target.with_name(target.name + dialog.kind)
        self._folder, self._beside = target.parent, self._window.document.files.origin
        return target

    def _hidden(self) -> frozenset[int]:
        """Return which of the exported figures are hidden in the views: the one that is edited is the first."""
        figures, active = self._window.document.figures, self._window.document.model.active.figure
        others = [k for k in range(len(figures.all)) if k != active]
        return frozenset(n for n, k in enumerate([active, *others]) if figures.is_hidden(k))

    def save_as(self, target: Path) -> bool:
        """Begin to write the figures that are shown, and their active sequences, in another program's format.

        The document stays unsaved: such a file does not hold all of it. Returns False if nothing was begun.
        """
        sequence, window = self._shown(), self._window
        if sequence is None:
            window.show_message("warning", f"{target.name} was not written: there is no figure")
            return False
        project, hidden, format = self._project(sequence), self._hidden(), format_of(target)
        project.unit = window.document.model.unit
        alone = (format is not None and format.one_figure) or len(hidden) == len(project.figures)
        left_out = frozenset(range(1, len(project.figures))) if alone else hidden

        def there() -> None:
            if window.files.recent is not None:
                window.files.recent.add(target)

        return self.begin_motion(project, target, ExportChoices(left_out=left_out), then=there)

    def begin_motion(
        self,
        project: Project,
        target: Path,
        choices: ExportChoices,
        recording: Recording | None = None,
        then: Callable[[], None] | None = None,
    ) -> bool:
        """Begin to write motion in the background.

        Args:
            project: What is written; it must not change any more.
            target: The file.
            choices: How.
            recording: What was simulated.
            then: Called when the file is there.

        Returns:
            False if other work is under way, which has been said then.
        """

        def write(progress: Progress) -> str:
            written = chosen(project, target, choices, recording, part(progress, 0.0, 0.4))
            save(written, target, progress=part(progress, 0.4, 1.0), apart=True)
            return ""

        def done() -> None:
            format = format_of(target)
            # Of a file with z up nobody knows what its data say of its axes before it is read.
            if format is not None and format.open_unit and choices.up in (None, "y"):
                unit = choices.unit or (project.scene_unit if format.module == "pxr" else project.unit)
                self._window.files.note_export(project.sequences[0].skeleton, unit)
            if then is not None:
                then()

        return self._run(f"Writing {target.name}", write, target, done)

    def _run(
        self,
        what: str,
        write: Callable[[Progress], str],
        target: Path,
        then: Callable[[], None] | None = None,
    ) -> bool:
        """Write a file in the background, and say that it is there, with what ``write`` returns, or why it is not."""
        window = self._window

        def done(summary: str) -> None:
            if then is not None:
                then()
            words = f": {summary}" if summary else ""
            window.show_message(DONE, f"{target.name} written to {target.parent.name or target.parent}{words}")

        def failed(error: Exception) -> None:
            if not isinstance(error, (CoreError, OSError)):
                raise error
            window.show_message("error", f"{target.name} was not written: {str(error).splitlines()[0]}", str(error))

        return self.run_beside(what, write, done, failed)

    def shown_project(self) -> Project | None:
        """Return a copy of the active sequence with its figure, and of what the others do; None without a figure."""
        sequence = self._shown()
        return None if sequence is None else self._project(sequence)

    def _shown(self) -> Sequence | None:
        """Return a copy of what is shown, which stays as it is while the person goes on working."""
        document = self._window.document
        shown = document.sequence
        if document.skeleton is None:
            return None
        if shown is None:
            return Sequence(document.skeleton, name=document.skeleton.name)
        return sequence_for(shown, shown.skeleton)

    def _simulated(self) -> Recording | None:
        """Return what was simulated; None in other modes and while nothing was."""
        physics = self._window.document.physics
        samples = list(physics.samples) if physics.mode == "physics" else []
        return Recording.of(samples) if len(samples) > 1 else None

    def _moment(self) -> Recording:
        """Return the pose that is shown, with where everything is that moves."""
        document = self._window.document
        physics, frame = document.physics, document.frame
        if physics.current is not None:
            one = Recording.of([physics.current])
            return replace(one, frames=np.array([float(frame)]))
        model = document.model
        beside = [model.figure_pose(k, frame) for k in range(len(model.figures)) if k != model.active.figure]
        return Recording.still(frame, document.pose, beside)

    def _beside_it(self) -> list[Sequence]:
        """Return the active sequences of the other figures."""
        model = self._window.document.model
        active = [(i, index) for i, index in enumerate(model.active.sequences) if i != model.active.figure]
        return [sequence_for(model.sequences[index], model.figures[i].skeleton) for i, index in active]

    def _export(self, sequence: Sequence, recording: Recording | None, movie: bool) -> None:
        window = self._window
        if self.is_busy():
            return
        through = window.area.shot.on and window.area.kind == "perspective"
        camera = window.area.host.cameras[window.area.kind]
        theme = window.document.session.view.theme
        frame = None if movie else window.document.frame
        self._wishes.propose(STUDIO if window.document.session.view.overlays["studio"] else STAGE)
        dialog = ExportDialog(sequence, self._wishes, theme, camera.copy(), movie, window, recording, frame, through)
        if dialog.exec() != QDialog.DialogCode.Accepted:
            return
        window.document.session.view.frame_shape = dialog.pixels
        target = self._ask_path(dialog)
        if target is not None:
            view = window.document.session.view
            lights = words_of(view.lights, view.key_light)
            self.begin(sequence, target, [*dialog.words(), f"--lights={lights}"], recording)

    def _ask_path(self, dialog: ExportDialog) -> Path | None:
        document, suffix = self._window.document, dialog.suffix
        suggested = self._window.files.suggested_path(suffix, dialog.sequence.name or "picture")
        if self._folder is not None and self._beside == document.files.origin:
            suggested = self._folder / suggested.name
        kind = f"{suffix[1:].upper()} files (*{suffix})"
        chosen, _ = QFileDialog.getSaveFileName(self._window, dialog.windowTitle(), str(suggested), kind)
        if not chosen:
            return None
        target = Path(chosen)
        if target.suffix.lower() != suffix:
            target = target.with_name(target.name + suffix)
        self._folder, self._beside = target.parent, document.files.origin
        return target

    def _project(self, sequence: Sequence) -> Project:
        """Return a project with a sequence, and what the other figures do beside it."""
        window, beside = self._window, self._beside_it()
        skeletons = [sequence.skeleton, *(each.skeleton for each in beside)]
        known = {id(figure.skeleton): figure for figure in window.document.model.figures}
        records = [
            FigureRecord(figure.name, figure.scr, figure.source, figure.extra, figure.objects)
            if (figure := known.get(id(skeleton))) is not None
            else FigureRecord.of(skeleton)
            for skeleton in skeletons
        ]
        names: dict[
            str, str | None
        ] = {}  # by which something is attached to parts, where the figure that is drawn comes first
        drawn = zip(
            window.document.model.names_in_order, figure_names(each.name for each in skeletons), skeletons, strict=False
        )
        for name, there, skeleton in drawn:
            names |= {full_name(name, joint): full_name(there, joint) for joint in skeleton.joint_names}
        model = window.document.model
        physics = carried_physics(with_figures_named(model.physics, model.figure_names[0]), names)
        return Project(skeletons, [sequence, *beside], physics=physics, figure_records=records)

    def begin(self, sequence: Sequence, target: Path, words: list[str], recording: Recording | None = None) -> bool:
        """Begin to write a file in the background; the window says when it is there.

        Args:
            sequence: What is drawn.
            target: The file.
            words: How, as words of the command line.
            recording: What was simulated, or the pose that is shown.

        Returns:
            False if other work is under way.
        """
        figures = self._window.document.figures
        hidden = [each.name for k, each in enumerate(figures.all) if figures.is_hidden(k)]
        words = [*words, *(word for name in hidden for word in ("--hide", name))]  # as in the views
        project = self._project(sequence)

        def draw(progress: Progress) -> str:
            from app.export.child import render_in_child  # here, as the window starts without it

            return render_in_child(project, target, words, progress, recording)

        return self._run(f"Drawing {target.name}", draw, target)
