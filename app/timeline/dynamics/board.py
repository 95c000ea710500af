"""What the parts of the Dynamics tab share: rows of joints, which strips are selected, what is copied, and edits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.document.changes import Change, FigureChanged, FileChanged, HybridChanged, SequenceChanged, SessionChanged
from app.document.gestures.strip_gesture import HybridGesture
from app.timeline.model import TimelineModel
from app.timeline.sheet.rows import spoken
from app.timeline.strips.board import StripBoard
from app.words.preset_words import PRESET_WORDS
from core.animation.hybrid_strips import DYNAMIC, retimed

if TYPE_CHECKING:
    from core.animation.hybrid_strips import HybridStrip
    from core.skeleton import Skeleton

OPEN = "dynamics "
"""How the session remembers that a row stands open, besides its id."""
_ICONS = {"hinge": "hinge", "slide": "slide"}


@dataclass(frozen=True)
class Placed:
    """A strip in a row.

    Attributes:
        strip: The strip.
        joints: How many of the row's joints it moves.
        whole: Whether it moves all of them.
        lane: Which part of the height is its, from the top; ``lanes`` how many there are.
    """

    strip: HybridStrip
    joints: int
    whole: bool
    lane: int = 0
    lanes: int = 1


@dataclass(frozen=True)
class DynamicsRow:
    """One row.

    Attributes:
        id: What the session remembers it by.
        name: What stands at its left.
        icon: Icon of its joints.
        joints: Names of its joints; the root's stands for the figure's place as well.
        depth: 0 for a group, 1 for a joint.
        opens: Whether rows stand under it.
        is_open: Whether they are shown.
        placed: Strips that move any of its joints, by start.
    """

    id: str
    name: str
    icon: str
    joints: tuple[str, ...]
    depth: int = 0
    opens: bool = False
    is_open: bool = False
    placed: tuple[Placed, ...] = ()

    @property
    def strips(self) -> tuple[HybridStrip, ...]:
        """The strips alone."""
        return tuple(each.strip for each in self.placed)

    def place_of(self, strip_id: str) -> Placed | None:
        """Return a strip's place in the row, None if it has none."""
        return next((each for each in self.placed if each.strip.id == strip_id), None)


def joint_groups(skeleton: Skeleton) -> tuple[tuple[str, str, tuple[int, ...]], ...]:
    """Return id, name and joints of each group: the root first, then those of the file; each joint in one of them."""
    found: list[tuple[str, str, tuple[int, ...]]] = [("root", "Root", (0,))]
    taken = {0}
    for name, members in skeleton.groups:
        joints = tuple(joint for joint in members if joint not in taken)
        taken.update(joints)
        if joints:
            found.append((f"group {name}", spoken(name) if name else "Other joints", joints))
    rest = tuple(joint for joint in range(len(skeleton.joints)) if joint not in taken)
    if rest:
        found.append(("rest", "Other joints", rest))
    return tuple(found)


def dynamics_rows(
    skeleton: Skeleton | None, strips: Iterable[HybridStrip], opened: Collection[str]
) -> tuple[DynamicsRow, ...]:
    """Return the rows that stand on the screen.

    Args:
        skeleton: The figure, or None.
        strips: Its hybrid strips.
        opened: What the session remembers of rows that are open.
    """
    if skeleton is None:
        return ()
    strips = sorted(strips, key=lambda each: (each.start, each.id))
    rows: list[DynamicsRow] = []
    for key, title, numbers in joint_groups(skeleton):
        names = tuple(skeleton.joints[number].name for number in numbers)
        opens, is_open = len(names) > 1, len(names) > 1 and OPEN + key in opened
        icon = _icon(skeleton, numbers) if key != "root" else "slide"
        rows.append(DynamicsRow(key, title, icon, names, 0, opens, is_open, _placed(names, strips)))
        if is_open:
            for number, name in zip(numbers, names, strict=True):
                own = _placed((name,), strips)
                rows.append(
                    DynamicsRow(f"joint {name}", spoken(name), _icon(skeleton, [number]), (name,), 1, placed=own)
                )
    return tuple(rows)


def _icon(skeleton: Skeleton, numbers: Iterable[int]) -> str:
    """Return the icon of what most of a group's joints are: a ball, a hinge or a slide."""
    kinds = []
    for number in numbers:
        dofs = skeleton.joints[number].dofs
        kinds.append(_ICONS.get(dofs[0].kind, "ball") if len(dofs) == 1 else "ball" if dofs else "fixed")
    free = [kind for kind in kinds if kind != "fixed"]
    return max(dict.fromkeys(free), key=free.count) if free else "fixed"


def _placed(names: tuple[str, ...], strips: Iterable[HybridStrip]) -> tuple[Placed, ...]:
    """Return the strips of some joints; those that move some of them at the same time share the height."""
    found: list[tuple[HybridStrip, int]] = []
    for strip in strips:
        count = len(names) if strip.whole else len(set(names) & set(strip.parts))
        if count:
            found.append((strip, count))
    ends: list[float] = []  # of each lane
    lanes = []
    for strip, _ in found:
        lane = next((i for i, end in enumerate(ends) if end <= strip.start), len(ends))
        end = float("inf") if strip.end is None else float(strip.end)
        if lane == len(ends):
            ends.append(end)
        else:
            ends[lane] = end
        lanes.append(lane)
    placed = []
    for (strip, count), lane in zip(found, lanes, strict=True):
        whole = count == len(names)
        placed.append(Placed(strip, count, whole, 0 if whole else lane, 1 if whole else len(ends)))
    return tuple(placed)


READ_AGAIN = (HybridChanged, FigureChanged, FileChanged, SequenceChanged)
MODE_NAMES = {DYNAMIC: "Dynamic"} | {preset.name: preset.label for preset in PRESET_WORDS}


class DynamicsBoard(StripBoard["HybridStrip"]):
    """Rows of hybrid strips.

    Attributes:
        cursor: Id of the row that the keyboard is on.
        copied: The strip that was copied last, or None.
    """

    gap = 0
    rows: tuple[DynamicsRow, ...]

    def __init__(self, model: TimelineModel):
        super().__init__(model)
        self._selection: tuple[str, ...] = ()
        self.cursor = "root"
        self.copied: HybridStrip | None = None
        self.document.changed.connect(self._take)
        self._read()

    # -- which strips there are ------------------------------------------------------------------------------------

    @property
    def all_strips(self) -> tuple[HybridStrip, ...]:
        return self.document.hybrid.strips

    def siblings(self, strip: HybridStrip) -> list[HybridStrip]:
        others = [each for each in self.all_strips if each.id != strip.id]
        if strip.whole:
            return others
        parts = set(strip.parts)
        return [each for each in others if each.whole or not parts.isdisjoint(each.parts)]

    def siblings_of(self, joints: Iterable[str]) -> list[HybridStrip]:
        """Return the strips that move any of some joints."""
        return [each for each in self.all_strips if any(each.moves(joint) for joint in joints)]

    def shown(self, strip: HybridStrip) -> HybridStrip:
        model = self.model
        if not model.dragging:
            return strip
        strips = retimed(self.all_strips, model.frames.tolist(), model.whole_moves())
        return next((each for each in strips if each.id == strip.id), strip)

    def row(self, row_id: str | None = None) -> DynamicsRow | None:
        """Return the row of an id, that of the keyboard unless given."""
        wanted = self.cursor if row_id is None else row_id
        return next((row for row in self.rows if row.id == wanted), None)

    def toggle_row(self, row: DynamicsRow) -> None:
        """Open a row, or close it."""
        if row.opens:
            session = self.document.session
            session.keys.open_rows = session.keys.open_rows ^ {OPEN + row.id}

    def put_cursor(self, row: DynamicsRow | None) -> None:
        """Let the keyboard be on a row."""
        if row is not None and row.id != self.cursor:
            self.cursor = row.id
            self.changed.emit()

    # -- which are selected ----------------------------------------------------------------------------------------

    @property
    def selected(self) -> str | None:
        return self._selection[0] if self._selection else None

    @property
    def selection(self) -> tuple[str, ...]:
        return self._selection

    def select(self, strip_id: str | None) -> None:
        self.select_all(() if strip_id is None else (strip_id,))

    def select_all(self, ids: Iterable[str]) -> None:
        """Select strips, and no others; the first counts as selected last."""
        wanted = tuple(dict.fromkeys(ids))
        if wanted != self._selection:
            self._selection = wanted
            self.changed.emit()

    def toggle(self, strip_id: str) -> None:
        """Select a strip besides the others, or no longer."""
        rest = [each for each in self._selection if each != strip_id]
        self.select_all(rest if strip_id in self._selection else [strip_id, *rest])

    @property
    def chosen(self) -> list[HybridStrip]:
        """The selected strips."""
        return [strip for strip in map(self.strip, self._selection) if strip is not None]

    # -- words -----------------------------------------------------------------------------------------------------

    def parts_of(self, strip: HybridStrip) -> str:
        """Return what a strip moves: ``"Right arm"``, ``"Right arm and spine"``, ``"5 joints"``."""
        skeleton = self.document.skeleton
        if strip.whole or skeleton is None:
            return "Whole figure"
        left, names = set(strip.parts), []
        for _, title, numbers in joint_groups(skeleton):
            own = {skeleton.joints[number].name for number in numbers}
            if own <= left:
                left -= own
                names.append(title)
        names += [spoken(each) for each in strip.parts if each in left]
        if len(names) > 2:
            return f"{len(strip.parts)} joints"
        return " and ".join([names[0], *(name[:1].lower() + name[1:] for name in names[1:])])

    def name_of(self, strip: HybridStrip) -> str:
        """Return what a strip is called: ``"Right arm, all motor"``; a name that a person gave it comes first."""
        return strip.name or f"{self.parts_of(strip)}, {MODE_NAMES[strip.mode].lower()}"

    # -- edits -----------------------------------------------------------------------------------------------------

    def gesture(self, text: str) -> HybridGesture:
        return HybridGesture(self.document, text)

    def put_all(self, strips: Iterable[HybridStrip], text: str, gesture: int | None = None) -> bool:
        return self.document.hybrid.set(strips, text, gesture)

    # -- following the document ------------------------------------------------------------------------------------

    def _take(self, change: Change) -> None:
        name = change.name
        if isinstance(change, READ_AGAIN) or (isinstance(change, SessionChanged) and name == "open_rows"):
            self._read()

    def _read(self) -> None:
        before = len(self.rows)
        opened: Sequence[str] = tuple(self.document.session.keys.open_rows)
        self.rows = dynamics_rows(self.document.skeleton, self.all_strips, opened)
        known = {strip.id for strip in self.all_strips}
        self._selection = tuple(each for each in self._selection if each in known)
        if self.row() is None and self.rows:
            self.cursor = self.rows[0].id
        if len(self.rows) != before:
            self.grown.emit()
        self.changed.emit()
