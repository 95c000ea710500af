"""The small window that shows when feet stand, and locks them to the path they have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.document.document import Document
from app.look import fonts
from app.popovers.foot_bands import FootBands, FootRow
from app.popovers.searching import SearchPopover
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.segment_bar import SegmentBar
from app.widgets.fields.setting_quantities import TOLERANCE as MILLIMETRES
from app.widgets.fields.setting_slider import SettingRow, log_scale
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import quiet_label
from app.widgets.rows.setting_line import SettingLine
from app.words.counts import count
from app.words.part_names import part_name, spoken_name
from app.words.quantity import CENTIMETRES, Quantity
from app.work.background import Progress
from core import kernels
from core.animation.contacts.feet import Foot, feet_of, figure_feet
from core.animation.contacts.finding import ContactOptions
from core.animation.contacts.paths import TOLERANCE, FootPaths, lock_paths, path_change
from core.animation.contacts.phases import Phase, without_stances
from core.constraints.hold import solver_kernel
from core.progress import part
from core.terrain import Terrain

if TYPE_CHECKING:
    from core.animation.sequence import Sequence

WIDTH, LABEL_WIDTH, FIELD_WIDTH = 400, 122, 68
SPEED = Quantity("cm/s", 0, 1.0, "centimetres per second")
FOUND, FLOOR = "found", "floor"
_MM = 1000.0
_CM = 100.0


class FootPathsPopover(SearchPopover[FootPaths]):
    """Looks for contacts beside the window, shows them as bands, and locks the feet on demand, as one undo step.

    Args:
        document: The document.
        parent: Parent widget.

    Attributes:
        change: How far the locks move anything of the figure, [m].
    """

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(document, "Lock to the present path", "Looking for contacts", WIDTH, parent)
        self.change = 0.0
        self._picked: tuple[int, ...] | None = None  # parts; None for the figure's feet
        self._given: dict[str, float] = {}
        self._on_floor = False
        self._edited: dict[int, tuple[Phase, ...]] = {}
        self._left_out: dict[int, frozenset[int]] = {}
        self._joints: tuple[int, ...] = ()
        self.column.setContentsMargins(8, 8, 10, 10)
        self.title = QLabel()
        self.title.setFont(fonts.font(fonts.BODY, fonts.SEMIBOLD))
        self.title.setContentsMargins(6, 2, 0, 4)
        self.bands = FootBands()
        self.bands.edited.connect(self._edit)
        self.bands.toggled.connect(self._toggle)
        self.about, self.effect = quiet_label(), quiet_label()
        for label in (self.about, self.effect):
            label.setFont(fonts.font(fonts.SECONDARY))
            label.setWordWrap(True)
            label.setIndent(0)
        said = QVBoxLayout()
        said.setContentsMargins(6, 0, 4, 0)
        said.setSpacing(1)
        said.addWidget(self.about)
        said.addWidget(self.effect)
        self.column.addWidget(self.title)
        self.column.addWidget(self.bands)
        self.column.addLayout(said)
        self._add_progress()
        self.column.addSpacing(6)
        self._add_bounds()
        self.column.addSpacing(8)
        self.again = ToolButton("", "Find again", "Forget the bounds and the stances that were set by hand", "raised")
        self.again.clicked.connect(self._forget)
        self._add_buttons("Leave the motion as it is", "Lock", "Add these locks, as one step of Undo", self.again)

    # -- building ----------------------------------------------------------------------------------------------------

    def _add_bounds(self) -> None:
        self.ground = SegmentBar(((FOUND, "Where feet come down"), (FLOOR, "The floor")), name="Ground")
        self.ground.set_tight(True)
        self.ground.chosen.connect(self._choose_ground)
        self.ground_line = SettingLine("Ground", self.ground, "On stairs each landing is ground")
        self.column.addWidget(self.ground_line)
        self.speed = self._row(
            "Stands if slower than", SPEED, log_scale(0.5, 300.0, 30.0), "speed", _CM,
            "A slower heel or toe rests. Found from how fast the feet swing until you set it",
        )  # fmt: skip
        self.height_row = self._row(
            "and not higher than", CENTIMETRES, log_scale(0.1, 20.0, 1.5), "height", _CM,
            "A heel or toe that is higher above the ground does not touch it. Found from the figure's size and how "
            "much the heights of slow feet scatter until you set it",
        )  # fmt: skip
        self.within = self._row(
            "Path within", MILLIMETRES, log_scale(0.1, 50.0, _MM * TOLERANCE), "tolerance", _MM,
            "How near the locks keep to the present path. A larger tolerance means fewer keys to edit",
        )  # fmt: skip

    def _row(self, label: str, quantity: Quantity, scale: object, name: str, factor: float, tip: str) -> SettingRow:
        row = SettingRow(label, quantity, scale, None, LABEL_WIDTH, FIELD_WIDTH)  # type: ignore[arg-type]
        row.set_tip(tip)
        row.changed.connect(lambda value: self._give(name, value / factor))
        row.cancelled.connect(lambda: self._give(name, row.value / factor))
        report_refusals(row, self.document.say)
        self.column.addWidget(row)
        return row

    # -- opening -----------------------------------------------------------------------------------------------------

    def open_at(self, corner: QPoint, joints: Iterable[int] | None = None) -> None:
        """Open at a place on the screen and begin to look.

        Args:
            corner: The left upper corner, moved so that all of it is seen.
            joints: Picked parts; None for the figure's feet.
        """
        chosen = self._picked = None if joints is None else tuple(joints)
        self._given, self._on_floor = {}, False
        self._keep_found()
        self.bands.chosen = None
        self.title.setText("Lock feet to their present path" if chosen is None else self._title(chosen))
        self.ground.set_current(FOUND)
        self.within.set_value(_MM * TOLERANCE)
        self._show_rows()
        self._open(corner)

    def _title(self, joints: tuple[int, ...]) -> str:
        skeleton = self.document.skeleton
        assert skeleton is not None
        what = spoken_name(skeleton.joint_names[joints[0]]) if len(joints) == 1 else f"{len(joints)} parts"
        return f"Lock {what} to {'its' if len(joints) == 1 else 'their'} present path"

    def _show_rows(self) -> None:
        """Show only the bounds that matter: what is picked may not stand on any ground."""
        skeleton = self.document.skeleton
        grounded = skeleton is not None and any(foot.grounded for foot in self._feet())
        self.ground_line.setVisible(grounded)
        uneven = self._ground is not None
        self.ground.set_label(FLOOR, "The scene's ground" if uneven else "The floor")
        what = "the ground is the one that the views show" if uneven else "the floor is at height 0"
        self.ground_line.setToolTip(f"On stairs each landing is ground; {what}")
        self.height_row.setVisible(grounded)

    def _feet(self) -> tuple[Foot, ...]:
        skeleton = self.document.skeleton
        assert skeleton is not None
        return figure_feet(skeleton) if self._picked is None else feet_of(skeleton, self._picked)

    @property
    def _ground(self) -> Terrain | None:
        """The ground that the views show; None while that is the floor."""
        return self.document.physics.settings.simulated.terrain

    # -- looking -----------------------------------------------------------------------------------------------------

    def _choose_ground(self, key: str) -> None:
        self._on_floor = key == FLOOR
        self.ground.set_current(key)
        self._keep_found()
        self.look(at_once=True)

    def _give(self, name: str, value: float) -> None:
        self._given[name] = value
        if name != "tolerance":
            self._keep_found()
        self.look()

    def _keep_found(self) -> None:
        """Forget edits of stances: what they are of is found anew."""
        self._edited, self._left_out = {}, {}

    def _edit(self, row: int, phases: tuple[Phase, ...]) -> None:
        """Take other ends of stances; what locks them is worked out anew."""
        joint = self._joints[row]
        self._edited[joint] = tuple(phases)
        self.look()

    def _toggle(self, row: int, stance: int) -> None:
        """Leave a stance out, or take it again."""
        joint = self._joints[row]
        self._edited.setdefault(joint, self.bands.rows[row].phases)
        self._left_out[joint] = self._left_out.get(joint, frozenset()) ^ {stance}
        self.bands.show_left_out(row, self._left_out[joint])
        self.look()

    def _forget(self) -> None:
        self._given, self._on_floor = {}, False
        self._keep_found()
        self.ground.set_current(FOUND)
        self.within.set_value(_MM * TOLERANCE)
        self.look(at_once=True)

    def _ready(self) -> bool:
        return kernels.is_ready(solver_kernel)  # uncompiled, it would take minutes

    def search(self, sequence: Sequence) -> Callable[[Progress], tuple[FootPaths, float]]:
        given = dict(self._given)
        on_floor = self._on_floor
        ground = self._ground if on_floor else None
        tolerance = given.pop("tolerance", TOLERANCE)
        feet = None if self._picked is None else feet_of(sequence.skeleton, self._picked)
        phases = {joint: self._taken(joint) for joint in self._edited}

        def work(progress: Progress) -> tuple[FootPaths, float]:
            options = ContactOptions(**given, floor=0.0 if on_floor else None, ground=ground)
            found = lock_paths(sequence, feet, options, tolerance, part(progress, 0.0, 0.6), phases=phases)
            return found, path_change(sequence, found, part(progress, 0.6, 1.0))

        return work

    def _taken(self, joint: int) -> tuple[Phase, ...]:
        """Return what a foot does, as it was edited, without the stances that are left out."""
        return without_stances(self._edited[joint], self._left_out.get(joint, ()))

    def _take(self, found: Any) -> None:
        paths, self.change = found
        super()._take(paths)

    # -- showing -----------------------------------------------------------------------------------------------------

    def show_found(self, problem: str) -> None:
        found, skeleton = self.found, self.document.skeleton
        if found is None:
            # What was found before stays in sight while stances that were edited by hand are looked at.
            looking = "Working out locks…" if self._edited else "Looking for contacts…"
            self.about.setText(problem or (looking if self._ready() else "Waiting until locks are compiled…"))
            self.effect.setText("")
            self._fit()
            return
        assert skeleton is not None
        names = skeleton.joint_names
        of = {foot.joint: foot for foot in found.feet}
        self._joints = tuple(foot.joint for foot in found.contacts.feet)
        rows = [
            FootRow(
                part_name(names[joint]),
                self._edited.get(joint) or (of[joint].phases if joint in of else ()),
                joint in of or joint in self._edited,
                self._left_out.get(joint, frozenset()),
            )
            for joint in self._joints
        ]
        frames = found.contacts.frames
        self.bands.show_rows(rows, (round(float(frames[0])), round(float(frames[-1]))), self.document.frame)
        self.about.setText(what_was_found(found, names))
        self.effect.setText(what_it_changes(found, self.change))
        bounds = found.contacts.bounds
        for row, name, value in (
            (self.speed, "speed", _CM * bounds.speed),
            (self.height_row, "height", _CM * bounds.height),
        ):
            row.set_value(value)
            row.slider.set_open(name not in self._given)
        self.again.setEnabled(bool(self._given or self._on_floor or self._edited))
        self._fit()

    def _fit(self) -> None:
        """Give lines that wrap the height they need, and the board its own: a layout of a popup does not."""
        margins = self.column.contentsMargins()
        width = WIDTH - 2 - margins.left() - margins.right() - 10
        for label in (self.about, self.effect):
            label.setFixedHeight(label.heightForWidth(width) if label.text() else 0)
        self.adjustSize()

    # -- locking -----------------------------------------------------------------------------------------------------

    @property
    def worth(self) -> bool:
        return self.found is not None and bool(self.found.strips)

    def outdated(self) -> str:
        return "The motion was edited in the meantime; look for contacts again"

    def keep(self, found: FootPaths) -> None:
        document, feet = self.document, self._picked is None
        text = "Lock feet to their path" if feet else "Lock parts to their path"
        if document.locks.set((*document.locks.strips, *found.strips), text):
            number = len(found.feet)
            what = ("feet" if feet else "parts") if number != 1 else ("foot" if feet else "part")
            keep = "keep" if len(found.strips) != 1 else "keeps"
            locks = "locks" if len(found.strips) != 1 else "lock"
            path = "their path" if number != 1 else "its path"
            document.say("info", f"{len(found.strips)} {locks} {keep} {number} {what} on {path}; {_most(self.change)}")


def what_was_found(found: FootPaths, names: tuple[str, ...]) -> str:
    """Return how often feet stand and swing, and what holds them, in a line."""
    done = " and ".join(
        (
            count(sum(foot.stances for foot in found.feet), "stance"),
            count(sum(foot.swings for foot in found.feet), "swing"),
        )
    )
    texts = []
    if found.strips:
        keys = count(sum(foot.keys for foot in found.feet), "key")
        texts.append(f"{done}: {count(len(found.strips), 'lock')} with {keys}")
    elif found.feet:
        texts.append(f"{done}, all of them locked already")
    never = [spoken_name(names[joint]) for joint in found.skipped]
    if never:
        which = " and ".join(never) if len(never) < 3 else f"{len(never)} feet"
        texts.append(f"{which} never touch{'es' if len(never) == 1 else ''} the ground")
    text = "; ".join(texts)
    return text[:1].upper() + text[1:]


def what_it_changes(found: FootPaths, change: float) -> str:
    """Return how far the locks move the figure, and why, in a few lines."""
    if not found.strips:
        return ""
    slid, off = max(foot.slid for foot in found.feet), max(foot.off for foot in found.feet)
    text = _most(change)
    lines = [text[:1].upper() + text[1:]]
    if slid > 0.5e-3:
        lines.append(f"Feet that slid by up to {_MM * slid:.1f} mm are held midway")
    if off > 1.05 * found.tolerance:
        lines.append(f"Keys on whole frames hold the path within {_MM * off:.1f} mm")
    return "\n".join(lines)


def _most(change: float) -> str:
    return "nothing moves" if change < 5e-5 else f"no joint moves by more than {_MM * change:.1f} mm"
