"""State that all parts of the window share and that is neither saved with the file nor undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

import numpy as np

import core.ik
from app.document.content.key_selection import NOTHING
from core.arrays import Array
from core.errors import CoreError
from core.ik.goal import Result
from core.kinematics import CHAIN_MODES

if TYPE_CHECKING:
    from app.document.comparison import Comparison
    from app.document.lock_conflict import LockConflict
    from app.document.lock_proposals import LockProposal
    from app.document.marked_spans import MarkedSpan
    from app.words.hindrance import Explanation, NamedStop
    from core.animation.locks.summary import LockSummary
    from core.ik.options import SolveOptions
    from core.kinematics.chain import Chain
    from core.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class DragGoal:
    """What a drag is after.

    Attributes:
        joint: Index of the part that is dragged.
        effector: Where the dragged point is, in the world, shape (3,), [m].
        goal: Where it is to go, in the world, shape (3,), [m].
        hindrance: What keeps it from there, or None while that is not asked.
    """

    joint: int
    effector: Array
    goal: Array
    hindrance: Explanation | None = None


@dataclass(frozen=True, eq=False)
class DragSolve:
    """How the last move of a drag was solved, as in ``core.ik.Result``.

    Attributes:
        iterations: How many steps were taken.
        errors: Distance to the goal before the first step and after each, shape (iterations + 1,), [m].
        seconds: Time of the solving thread, [s].
        error: Distance that is left, [m].
        reason: Why it ended.
        blocked: Degrees of freedom that limits have stopped.
        short: By how much the goal is out of reach, [m].
    """

    iterations: int
    errors: Array
    seconds: float
    error: float
    reason: str = "reached"
    blocked: tuple[int, ...] = ()
    short: float = 0.0

    @classmethod
    def of(cls, result: Result, seconds: float) -> DragSolve:
        """Return the account of a result that took a number of seconds."""
        return cls(
            result.iterations, result.errors, seconds, result.error, result.reason, tuple(result.blocked), result.short
        )


MODES: tuple[str, ...] = ("pose", "physics", "skeleton")
TOOLS: tuple[str, ...] = ("select", "drag", "rotate", "lock")
PLACINGS: tuple[str, ...] = ("look", "path", "way")
JOINT_TOOLS: tuple[str, ...] = ("move", "add")
DRAG_MODES: tuple[str, ...] = CHAIN_MODES
TURN_MODES: tuple[str, ...] = ("joint", "chain")
TURN_AXES: tuple[str, ...] = ("part", "world")
SOLVERS: tuple[str, ...] = tuple(solver.name for solver in core.ik.SOLVERS)
LOCK_METHODS: tuple[str, ...] = ("hold", "lagrange", "ccd")
HOLD_MODES: tuple[str, ...] = ("firm", "putty")
KEY_WHAT: tuple[str, ...] = ("figure", "changed", "selection")
"""The whole figure, the joints that an edit changed, or the selected joints (all if none is)."""
THEMES: tuple[str, ...] = ("dark", "light")
OVERLAYS: tuple[str, ...] = (
    "ghosts", "grid", "axes", "trail", "com", "silhouette", "ellipsoid", "follow", "root_path", "com_path",
    "footprints", "control_points", "shot_camera", "safe_frame", "studio", "walk_prints",
)  # fmt: skip
SCALES: tuple[int, ...] = (90, 100, 110, 125, 150, 175, 200)
"""How large the menu lets everything be, [percent]."""
LIGHTS: tuple[str, ...] = ("usual", "studio", "side", "back", "soft")
KEY_LIGHT = ((-180.0, 180.0), (10.0, 85.0), (0.0, 4.0))
"""Least and greatest direction and height of the key light, [degrees], and factor of its strength."""
SHOWN_AT_FIRST = frozenset({"ghosts", "grid", "axes", "trail", "control_points", "walk_prints"})
GHOSTS_AT: tuple[str, ...] = ("keys", "frames")
GHOST_PARTS: tuple[str, ...] = ("figure", "limb")
MOST_GHOSTS = 8  # a side
GHOST_STRENGTH = (0.25, 2.0)
MOST_APART, LONGEST_TRAIL, MOST_FALLOFF = 240, 1000, 1000  # frames
SLOWEST, FASTEST = 0.05, 8.0
FINEST, COARSEST = 1e-6, 0.05  # tolerance, [m]
DRAG_ACCOUNT = frozenset({"goal", "solved"})
"""Properties that are set with every move of a drag."""
MOST_STEPS = 1000
SECONDARY: tuple[str, ...] = ("range", "pose", "manipulability", "obstacles")
SPARE_SOLVERS: tuple[str, ...] = tuple(solver.name for solver in core.ik.SOLVERS if solver.secondary)
"""Solvers that use the freedom a goal leaves for a second criterion."""


class SessionError(CoreError):
    """A session value that does not exist or cannot be."""


def _same(a: Any, b: Any) -> bool:
    """Return whether two values are equal; arrays in the account of a drag are compared as arrays."""
    if a is b:
        return True
    if isinstance(a, (DragGoal, DragSolve)) and type(a) is type(b):
        return all(_same(mine, vars(b)[name]) for name, mine in vars(a).items())
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return a is not None and b is not None and np.array_equal(a, b)
    return type(a) is type(b) and bool(a == b)


def _one_of(*choices: str) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if value not in choices:
            raise SessionError(f"{value!r} is not possible here; it must be one of {', '.join(choices)}")
        return value

    return check


def _size(value: Any) -> tuple[int, int]:
    width, height = (int(each) for each in value)
    if min(width, height) < 1:
        raise SessionError(f"a picture of {width} x {height} is not possible; both sides must be at least 1")
    return width, height


def _key_light(value: Any) -> tuple[float, float, float] | None:
    if value is None:
        return None
    found = tuple(float(each) for each in value)
    for name, number, (least, most) in zip(("direction", "height", "strength"), found, KEY_LIGHT, strict=True):
        if not least <= number <= most:
            raise SessionError(f"a {name} of the key light of {number:g} is not possible; it is {least:g} to {most:g}")
    return found  # type: ignore[return-value]  # three, as zip has seen


def _index(value: Any) -> Any:
    return None if value is None else int(value)


def _speed(value: Any) -> float:
    speed = float(value)
    if not SLOWEST <= speed <= FASTEST:
        raise SessionError(f"speed {speed:g} is out of range; it goes from {SLOWEST:g} to {FASTEST:g}")
    return speed


def _tolerance(value: Any) -> float:
    try:
        tolerance = float(value)
    except (TypeError, ValueError):
        raise SessionError(f"tolerance {value!r} is not a number; it must be a length in metres") from None
    if not FINEST <= tolerance <= COARSEST:
        raise SessionError(f"tolerance {tolerance:g} m is out of range; it goes from {FINEST:g} to {COARSEST:g} m")
    return tolerance


def _steps(value: Any) -> int | None:
    if value is None or value == "":
        return None
    try:
        steps = int(value)
    except (TypeError, ValueError):
        raise SessionError(f"{value!r} is not a number of steps; it must be a whole number, or None") from None
    if not 1 <= steps <= MOST_STEPS:
        raise SessionError(f"{steps} steps are not possible; there may be 1 to {MOST_STEPS}")
    return steps


def _secondary(value: Any) -> str | None:
    if value is None or value == "":
        return None
    return str(_one_of(*SECONDARY)(value))


def _share(value: Any) -> float:
    return _between(0.0, 1.0)(value)


def _between(least: float, most: float) -> Callable[[Any], float]:
    def check(value: Any) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise SessionError(f"{value!r} is not a number; it must be from {least:g} to {most:g}") from None
        if not least <= number <= most:
            raise SessionError(f"{number:g} is out of range; it goes from {least:g} to {most:g}")
        return number

    return check


def _whole(least: int, most: int) -> Callable[[Any], int]:
    between = _between(least, most)

    def check(value: Any) -> int:
        number = between(value)
        if number != int(number):
            raise SessionError(f"{number:g} is not possible; it must be a whole number from {least} to {most}")
        return int(number)

    return check


def _indices(value: Any) -> tuple[int, ...]:
    return tuple(sorted({int(index) for index in value}))


def _id(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)


def _placing(value: Any) -> str | None:
    return None if value is None else str(_one_of(*PLACINGS)(value))


def _anything(value: Any) -> Any:
    return value


def _kind(kind: type) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if value is not None and not isinstance(value, kind):
            raise SessionError(f"{value!r} is not possible here; it must be a {kind.__name__} or None")
        return value

    return check


Notify = Callable[[str, Any], None]


T = TypeVar("T")


class Value(Generic[T]):
    """A value of a part of the session that reports when it changes.

    Args:
        default: What it is at first.
        check: Returns what is set as it is kept; raises ``SessionError`` if it cannot be.
        name: What changes and settings call it, one name for each value of the session; the attribute's if None.
    """

    def __init__(self, default: T, check: Callable[[Any], T], name: str | None = None):
        self.default, self.check, self.name = default, check, name or ""

    def __set_name__(self, owner: type, attribute: str) -> None:
        self.attribute, self.name = attribute, self.name or attribute

    @overload
    def __get__(self, part: None, owner: type) -> Self: ...
    @overload
    def __get__(self, part: Part, owner: type) -> T: ...
    def __get__(self, part: Part | None, owner: type) -> Any:
        return self if part is None else part._kept[self.attribute]

    def __set__(self, part: Part, value: Any) -> None:
        value = self.check(value)
        if not _same(part._kept[self.attribute], value):
            part._kept[self.attribute] = value
            part._notify(self.name, value)


class Part:
    """Values that belong together. One that is set to another value calls ``notify(name, value)``.

    Args:
        notify: Called with the name and the value of everything that changes.
    """

    def __init__(self, notify: Notify):
        self._notify = notify
        self._kept = {value.attribute: value.default for value in self.values().values()}

    @classmethod
    def values(cls) -> dict[str, Value[Any]]:
        """Return the part's values by name."""
        return {value.name: value for value in vars(cls).values() if isinstance(value, Value)}

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and not hasattr(type(self), name):
            known = ", ".join(sorted(value.attribute for value in self.values().values()))
            raise SessionError(f'there is no "{name}" here; there is {known}')
        super().__setattr__(name, value)


class Overlays(MutableMapping[str, bool]):
    """What is drawn over the figure, by name; setting one informs the session."""

    def __init__(self, notify: Callable[[str, Any], None]):
        self._shown = {name: name in SHOWN_AT_FIRST for name in OVERLAYS}
        self._notify = notify

    def __getitem__(self, name: str) -> bool:
        if name not in self._shown:
            raise SessionError(f'there is no overlay "{name}"; there are {", ".join(OVERLAYS)}')
        return self._shown[name]

    def __contains__(self, name: object) -> bool:
        return name in self._shown

    def __setitem__(self, name: str, shown: bool) -> None:
        if self[name] != bool(shown):
            self._shown[name] = bool(shown)
            self._notify("overlays", dict(self._shown))

    def __delitem__(self, name: str) -> None:
        raise SessionError(f'overlay "{name}" cannot be taken away; set it to False')

    def __iter__(self) -> Iterator[str]:
        return iter(self._shown)

    def __len__(self) -> int:
        return len(self._shown)


class DragAccount(Part):
    """The drag under way: what it is after and how its last move was solved.

    Attributes:
        goal: What a drag is after, a ``DragGoal`` while dragging, else None.
        solve: How the last move of a drag was solved, a ``DragSolve``, until the next drag or another figure; None
            before.
        chain: ``core.kinematics.chain.Chain`` while dragging, else None.
        stops: What keeps a part that is turned from following, ``app.words.hindrance.NamedStop`` each; () else.
    """

    goal: Value[DragGoal | None] = Value(None, _kind(DragGoal))
    solve: Value[DragSolve | None] = Value(None, _kind(DragSolve), name="solved")
    chain: Value[Chain | None] = Value(None, _anything)
    stops: Value[tuple[NamedStop, ...]] = Value((), _anything)

    def forget_solve(self) -> None:
        """Drop what the last drag said of its solve: the figure no longer stands as it led to."""
        self.solve, self.stops = None, ()


class SolverSettings(Part):
    """How inverse kinematics is solved.

    Attributes:
        name: One of ``SOLVERS``.
        tolerance: How near a goal counts as met, [m].
        steps: Most iterations a move may take, or None for as many as the solver sees fit.
        nudge: Whether straight limbs are bent when they must get shorter.
        secondary: What the freedom that a goal leaves is used for: one of ``SECONDARY``, or None.
    """

    name = Value("ccd", _one_of(*SOLVERS), name="solver")
    tolerance = Value(1e-4, _tolerance)
    steps: Value[int | None] = Value(None, _steps, name="max_steps")
    nudge = Value(True, bool)
    secondary: Value[str | None] = Value(None, _secondary)

    def options(self, start: np.ndarray | None = None, obstacles: Sequence[tuple[Any, float]] = ()) -> SolveOptions:
        """Return the keywords of ``core.ik.solve`` that say how to solve; what has no use is left out.

        Args:
            start: Pose that ``secondary = "pose"`` stays near, shape (nq,): the one at press.
            obstacles: Spheres that ``secondary = "obstacles"`` keeps away from: center, shape (3,), and radius, [m].
        """
        options: SolveOptions = {
            "solver": self.name,
            "tolerance": self.tolerance,
            "max_iterations": self.steps,
        }
        if not self.nudge:
            options["nudge"] = False
        if self.secondary is not None and self.name in SPARE_SOLVERS:
            data = {"pose": start, "obstacles": list(obstacles) or None}
            if self.secondary not in data:
                options["secondary"] = self.secondary
            elif data[self.secondary] is not None:
                options["secondary"] = (self.secondary, data[self.secondary])
        return options

    def reset(self) -> None:
        """Put solver and all that is set about it back as they are at first."""
        for value in self.values().values():
            setattr(self, value.attribute, value.default)


class ToolSettings(Part):
    """The tool, and what the mouse does with it.

    Attributes:
        tool: ``"select"``, ``"drag"``, ``"rotate"`` or ``"lock"``.
        joint_tool: What the mouse does in skeleton mode: ``"move"`` joints or ``"add"`` them.
        carry_children: Whether what hangs on a joint comes along when the joint is moved.
        snap: Whether joints that are moved go to places on a grid.
        control_frame: Which control frame of the selected joint's splines is edited, if it has so many.
        drag_mode: What a drag moves: ``"part"``, ``"limb"``, ``"up_to"`` (the chain base) or ``"body"``.
        chain_base: Joint index at which the chain of ``"up_to"`` begins, or None.
        turn_mode: What the rings of ``"rotate"`` turn: ``"joint"``, its own degrees of freedom one at a time, or
            ``"chain"``, the part's orientation, its place kept by the chain that ``drag_mode`` names.
        turn_axes: Whose axes the rings of ``"chain"`` go about: the ``"part"``'s own or the ``"world"``'s.
        mirror_editing: Whether what is posed on one side happens on the other as well.
        placing: What the mouse gives the part selected last instead: a ``"look"`` at what is clicked, or a ``"path"``
            that is drawn; or where the figure walks, a ``"way"`` that is drawn on the ground; None else.
    """

    tool = Value("drag", _one_of(*TOOLS))
    joint_tool = Value("move", _one_of(*JOINT_TOOLS))
    carry_children = Value(True, bool)
    snap = Value(False, bool)
    control_frame = Value(0, _whole(0, 1_000_000))
    drag_mode = Value("limb", _one_of(*DRAG_MODES))
    chain_base: Value[int | None] = Value(None, _index)
    turn_mode = Value("joint", _one_of(*TURN_MODES))
    turn_axes = Value("part", _one_of(*TURN_AXES))
    mirror_editing = Value(False, bool)
    placing: Value[str | None] = Value(None, _placing)


class LockSettings(Part):
    """How locks are held and solved, and which of them are shown as chosen.

    Attributes:
        hold: Whether edits of the pose hold the locks.
        hold_mode: How a drag holds them: ``"firm"``, which stays near the pose at press and comes back to it, or
            ``"putty"``, which goes on from where the drag has come.
        method: What solves locks: one of ``LOCK_METHODS``.
        iterations: Most iterations on locks between two repaints of a drag, or None for as many as it takes;
            what is left over goes on while the mouse rests.
        comfort: How strongly joints that locks leave free keep to the middle of their range, 0 to 1.
        selected: Id of the lock strip that panels and views show as chosen, or None.
        hovered: Id of the lock strip under the pointer, or None.
        conflict: What is known about locks that cannot be held together, a ``LockConflict``, or None.
        summary: What locks make of the motion, a ``LockSummary``; None if none hold or it is not known yet.
        looking: Whether it has been looked for a while why locks cannot be held together.
        proposed: Locks that are proposed, ``LockProposal``, for the timeline to show.
    """

    hold = Value(True, bool, name="hold_locks")
    hold_mode = Value("firm", _one_of(*HOLD_MODES))
    method = Value("hold", _one_of(*LOCK_METHODS), name="lock_method")
    iterations: Value[int | None] = Value(None, _steps, name="lock_iterations")
    comfort = Value(0.0, _share)
    selected: Value[str | None] = Value(None, _id, name="selected_lock")
    hovered: Value[str | None] = Value(None, _id, name="hovered_lock")
    conflict: Value[LockConflict | None] = Value(None, _anything)
    summary: Value[LockSummary | None] = Value(None, _anything, name="lock_summary")
    looking = Value(False, _anything)
    proposed: Value[tuple[LockProposal, ...]] = Value((), tuple, name="proposed_locks")


class KeySettings(Part):
    """What is keyed, and which keys are selected.

    Attributes:
        auto: Whether a change of the pose goes into the key at the current frame.
        what: What that key holds of the change: the whole ``"figure"``, the joints that are ``"changed"``, or the
            ``"selection"``.
        selected: The keys that are selected in the timeline, a ``KeySelection``.
        together: Whether an edit of the pose at one of several selected keys is made to all of them.
        falloff: How many frames around the selected keys take part in that, less and less; 0 for none.
        layer: Id of the layer that edits of the pose go to, or None for the keys themselves.
        layer_keys: Which keys of layers are selected, pairs of a layer's id and a frame; then no others are.
        open_rows: Ids of the rows of the dope sheet that stand open.
        rows_shown: What its filter leaves: ``"selected"`` parts, rows that are ``"keyed"``; nothing set leaves all.
    """

    auto = Value(True, bool, name="auto_key")
    what = Value("figure", _one_of(*KEY_WHAT), name="key_what")
    selected = Value(NOTHING, _anything, name="selected_keys")
    together = Value(True, bool, name="keys_together")
    falloff = Value(0, _whole(0, MOST_FALLOFF), name="key_falloff")
    layer: Value[str | None] = Value(None, _id, name="active_layer")
    layer_keys: Value[frozenset[tuple[str, int]]] = Value(frozenset(), frozenset)
    open_rows: Value[frozenset[str]] = Value(frozenset({"summary"}), frozenset)
    rows_shown: Value[frozenset[str]] = Value(frozenset(), frozenset)


class ViewSettings(Part):
    """What views draw.

    Attributes:
        overlays: What is drawn over the figure: a mapping from ``OVERLAYS`` to bool that can be changed.
        ghosts_before: How many ghosts there are before the current frame, 0 to ``MOST_GHOSTS``.
        ghosts_after: How many after it.
        ghosts_at: Whether ghosts stand at ``"keys"`` or a number of ``"frames"`` apart.
        ghost_step: How many frames apart.
        ghost_parts: Whether a ghost is the whole ``"figure"`` or the selected ``"limb"``.
        ghost_strength: Factor of how clearly the nearest ghosts are seen.
        ghost_fade: Factor from each ghost to the next one further away.
        hovered_ghost: Frame of the ghost under the pointer, or None.
        trail_frames: How many frames trails and paths go each way from the current one; 0 for the whole sequence.
        trail_parts: Joints whose trails are shown whatever is selected, ascending.
        hover: Joint index under the pointer, or None.
        hovered_control: Name of the control point under the pointer, or None.
        theme: ``"dark"`` or ``"light"``.
        flash: Joints that Undo or Redo has just changed, for a moment; () else.
        lights: How figures are lit, one of ``LIGHTS``.
        key_light: Where the key light is about y, from +z toward +x, how high, [degrees], and factor of its strength;
            None for those of ``lights``.
        frame_shape: Width and height of what was exported last, [px]: what the safe frame is of.
        hidden_figures: Names of figures that are left out of the views while they are not active.
        fixed_figures: Names of figures that clicks in the views pass by.
        hovered_figure: Number of the figure under the pointer that is not active, or None.
        reduced_motion: Whether nothing may glide or flip by itself.
        scale: How large everything is from the next start of the program on, [percent].
        compared: Another motion whose pose is shown as a ghost, a ``Comparison``, or None.
        marked: Frames that something was found at, each a ``MarkedSpan``, for the ruler to show.
    """

    ghosts_before = Value(1, _whole(0, MOST_GHOSTS))
    ghosts_after = Value(1, _whole(0, MOST_GHOSTS))
    ghosts_at = Value("keys", _one_of(*GHOSTS_AT))
    ghost_step = Value(4, _whole(1, MOST_APART))
    ghost_parts = Value("figure", _one_of(*GHOST_PARTS))
    ghost_strength = Value(1.0, _between(*GHOST_STRENGTH))
    ghost_fade = Value(0.5, _between(0.25, 1.0))
    hovered_ghost: Value[int | None] = Value(None, _index)
    trail_frames = Value(0, _whole(0, LONGEST_TRAIL))
    trail_parts: Value[tuple[int, ...]] = Value((), _indices)
    hover: Value[int | None] = Value(None, _index)
    hovered_control: Value[str | None] = Value(None, _id)
    theme = Value("dark", _one_of(*THEMES))
    flash: Value[tuple[int, ...]] = Value((), _indices)
    lights = Value("usual", _one_of(*LIGHTS))
    key_light: Value[tuple[float, float, float] | None] = Value(None, _key_light)
    frame_shape: Value[tuple[int, int]] = Value((1280, 720), _size)
    hidden_figures: Value[frozenset[str]] = Value(frozenset(), frozenset)
    fixed_figures: Value[frozenset[str]] = Value(frozenset(), frozenset)
    hovered_figure: Value[int | None] = Value(None, _index)
    reduced_motion = Value(False, bool)
    scale = Value(100, _whole(SCALES[0], SCALES[-1]))
    compared: Value[Comparison | None] = Value(None, _anything)
    marked: Value[tuple[MarkedSpan, ...]] = Value((), tuple, name="marked_spans")

    def __init__(self, notify: Notify):
        super().__init__(notify)
        self._overlays = Overlays(notify)

    @property
    def overlays(self) -> Overlays:
        """What is drawn over the figure: a mapping from ``OVERLAYS`` to bool; ``overlays["grid"] = False`` works."""
        return self._overlays

    @overlays.setter
    def overlays(self, shown: Mapping[str, bool]) -> None:
        for name, on in shown.items():
            self._overlays[name] = on


class PlaybackSettings(Part):
    """How the sequence plays.

    Attributes:
        playing: Whether the sequence plays; setting it starts and stops the player.
        loop: Whether playing begins again at the end.
        speed: Factor of real time, ``SLOWEST`` to ``FASTEST``.
        sound: Whether the music of the sequence is heard.
    """

    playing = Value(False, bool)
    loop = Value(True, bool)
    speed = Value(1.0, _speed)
    sound = Value(True, bool)


P = TypeVar("P", bound=Part)


class Section(Generic[P]):
    """A part of the session under a name of its own, which cannot be set.

    Args:
        kind: What part it is.
    """

    def __init__(self, kind: type[P]):
        self.kind = kind

    def __set_name__(self, owner: type, attribute: str) -> None:
        self.attribute = attribute

    @overload
    def __get__(self, session: None, owner: type) -> Self: ...
    @overload
    def __get__(self, session: Session, owner: type) -> P: ...
    def __get__(self, session: Session | None, owner: type) -> Any:
        return self if session is None else session._sections[self.attribute]

    def __set__(self, session: Session, value: Any) -> None:
        raise AttributeError(f'"{self.attribute}" of the session cannot be set; set what is in it')


class Session(Part):
    """Shared state of the window, in parts. A value that is set to another calls ``notify(name, value)``.

    Args:
        notify: Called with the name and the value of everything that changes.

    Attributes:
        mode: What the window works on: ``"pose"``, ``"physics"``, where the figure is simulated, or ``"skeleton"``,
            where it stands at rest.
        preview: The figure as an edit under way would make it, a ``Skeleton`` with the same joints, else None.
        drag: The drag under way: what it is after and how its last move was solved.
        solver: How inverse kinematics is solved.
        tools: The tool, and what the mouse does with it.
        locks: How locks are held and solved, and which of them are shown as chosen.
        keys: What is keyed, and which keys are selected.
        view: What views draw.
        playback: How the sequence plays.
    """

    mode = Value("pose", _one_of(*MODES))
    preview: Value[Skeleton | None] = Value(None, _anything)

    drag = Section(DragAccount)
    solver = Section(SolverSettings)
    tools = Section(ToolSettings)
    locks = Section(LockSettings)
    keys = Section(KeySettings)
    view = Section(ViewSettings)
    playback = Section(PlaybackSettings)

    def __init__(self, notify: Notify):
        super().__init__(notify)
        sections = [section for section in vars(type(self)).values() if isinstance(section, Section)]
        self._sections = {section.attribute: section.kind(notify) for section in sections}
        parts = (self, *self._sections.values())
        self._owners = {name: (part, value.attribute) for part in parts for name, value in part.values().items()}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all values."""
        return tuple(self._owners)

    def get(self, name: str) -> Any:
        """Return the value of a name, as ``SessionChanged`` gives it.

        Raises:
            SessionError: If there is none.
        """
        part, attribute = self._owner(name)
        return getattr(part, attribute)

    def set(self, name: str, value: Any) -> None:
        """Set the value of a name.

        Raises:
            SessionError: If there is none, or it cannot be that.
        """
        part, attribute = self._owner(name)
        setattr(part, attribute, value)

    def _owner(self, name: str) -> tuple[Part, str]:
        if name not in self._owners:
            raise SessionError(f'the session has no "{name}"; it has {", ".join(sorted(self._owners))}')
        return self._owners[name]

    @property
    def physics_mode(self) -> bool:
        """Whether the window is in the mode in which the figure is simulated."""
        return bool(self.mode == "physics")

    def forget_figure(self) -> None:
        """Drop what names joints of a figure that is no longer there."""
        self.preview = None
        self.drag.goal = self.drag.solve = self.drag.chain = None
        self.drag.stops = ()
        self.tools.chain_base = None
        self.view.hover = self.view.hovered_ghost = self.view.hovered_figure = None
        self.view.hovered_control = None
        self.view.trail_parts = self.view.flash = ()
        self.locks.selected = self.locks.hovered = self.locks.conflict = None
        self.keys.selected, self.keys.layer = NOTHING, None
