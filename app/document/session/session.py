"""State that all parts of the window share and that is neither saved with the file nor undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np

import core.ik
from app.document.content.key_selection import NOTHING
from app.document.session.drag_account import DragGoal, DragSolve
from core.errors import CoreError
from core.kinematics import CHAIN_MODES

MODES: tuple[str, ...] = ("pose", "physics", "skeleton")
TOOLS: tuple[str, ...] = ("select", "drag", "rotate", "lock")
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
    "ghosts", "grid", "axes", "trail", "com", "silhouette", "ellipsoid", "follow", "root_path", "com_path", "footprints"
)  # fmt: skip
SHOWN_AT_FIRST = frozenset({"ghosts", "grid", "axes", "trail"})
GHOSTS_AT: tuple[str, ...] = ("keys", "frames")
GHOST_PARTS: tuple[str, ...] = ("figure", "limb")
MOST_GHOSTS = 8  # a side
GHOST_STRENGTH = (0.25, 2.0)
MOST_APART, LONGEST_TRAIL = 240, 1000  # frames
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
        raise SessionError(f"tolerance {value!r} is no number; it must be a length in metres") from None
    if not FINEST <= tolerance <= COARSEST:
        raise SessionError(f"tolerance {tolerance:g} m is out of range; it goes from {FINEST:g} to {COARSEST:g} m")
    return tolerance


def _steps(value: Any) -> int | None:
    if value is None or value == "":
        return None
    try:
        steps = int(value)
    except (TypeError, ValueError):
        raise SessionError(f"{value!r} is no number of steps; it must be a whole number, or None") from None
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
            raise SessionError(f"{value!r} is no number; it must be from {least:g} to {most:g}") from None
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


def _anything(value: Any) -> Any:
    return value


def _kind(kind: type) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if value is not None and not isinstance(value, kind):
            raise SessionError(f"{value!r} is not possible here; it must be a {kind.__name__} or None")
        return value

    return check


class _Value:
    """A property that tells when it changes."""

    def __init__(self, default: Any, check: Callable[[Any], Any]):
        self.default, self.check = default, check

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, session: Session | None, owner: type | None = None) -> Any:
        return self if session is None else session._values[self.name]

    def __set__(self, session: Session, value: Any) -> None:
        value = self.check(value)
        if not _same(session._values[self.name], value):
            session._values[self.name] = value
            session._tell(self.name, value)


class Overlays(MutableMapping[str, bool]):
    """What is drawn over the figure, by name; setting one tells the session."""

    def __init__(self, tell: Callable[[str, Any], None]):
        self._shown = {name: name in SHOWN_AT_FIRST for name in OVERLAYS}
        self._tell = tell

    def __getitem__(self, name: str) -> bool:
        if name not in self._shown:
            raise SessionError(f'there is no overlay "{name}"; there are {", ".join(OVERLAYS)}')
        return self._shown[name]

    def __contains__(self, name: object) -> bool:
        return name in self._shown

    def __setitem__(self, name: str, shown: bool) -> None:
        if self[name] != bool(shown):
            self._shown[name] = bool(shown)
            self._tell("overlays", dict(self._shown))

    def __delitem__(self, name: str) -> None:
        raise SessionError(f'overlay "{name}" cannot be taken away; set it to False')

    def __iter__(self) -> Iterator[str]:
        return iter(self._shown)

    def __len__(self) -> int:
        return len(self._shown)


class Session:
    """Shared state of the window. A property that is set to another value calls ``tell(name, value)``.

    Args:
        tell: Called with the name and the value of every property that changes.

    Attributes:
        mode: What the window works on: ``"pose"``, ``"physics"``, where the figure is simulated, or ``"skeleton"``,
            where it stands at rest.
        tool: ``"select"``, ``"drag"``, ``"rotate"`` or ``"lock"``.
        joint_tool: What the mouse does in skeleton mode: ``"move"`` joints or ``"add"`` them.
        carry_children: Whether what hangs on a joint comes along when the joint is moved.
        snap: Whether joints that are moved go to places on a grid.
        preview: The figure as an edit under way would make it, a ``Skeleton`` with the same joints, else None.
        drag_mode: What a drag moves: ``"part"``, ``"limb"``, ``"up_to"`` (the chain base) or ``"body"``.
        chain_base: Joint index at which the chain of ``"up_to"`` begins, or None.
        turn_mode: What the rings of ``"rotate"`` turn: ``"joint"``, its own degrees of freedom one at a time, or
            ``"chain"``, the part's orientation, its place kept by the chain that ``drag_mode`` names.
        turn_axes: Whose axes the rings of ``"chain"`` go about: the ``"part"``'s own or the ``"world"``'s.
        solver: One of ``SOLVERS``.
        tolerance: How near a goal counts as met, [m].
        max_steps: Most iterations a move may take, or None for as many as the solver sees fit.
        nudge: Whether straight limbs are bent when they must get shorter.
        secondary: What the freedom that a goal leaves is used for: one of ``SECONDARY``, or None.
        hold_locks: Whether edits of the pose hold the locks.
        hold_mode: How a drag holds them: ``"firm"``, which stays near the pose at press and comes back to it, or
            ``"putty"``, which goes on from where the drag has come.
        lock_method: What solves locks: one of ``LOCK_METHODS``.
        lock_iterations: Most iterations on locks between two repaints of a drag, or None for as many as it takes;
            what is left over goes on while the mouse rests.
        comfort: How strongly joints that locks leave free keep to the middle of their range, 0 to 1.
        selected_lock: Id of the lock strip that panels and views show as chosen, or None.
        hovered_lock: Id of the lock strip under the pointer, or None.
        conflict: What is known about locks that cannot be held together, or None.
        auto_key: Whether a change of the pose goes into the key at the current frame.
        key_what: What that key holds of the change: the whole ``"figure"``, the joints that are ``"changed"``, or the
            ``"selection"``.
        selected_keys: The keys that are selected in the timeline, a ``KeySelection``.
        open_rows: Ids of the rows of the dope sheet that stand open.
        rows_shown: What its filter leaves: ``"selected"`` parts, rows that are ``"keyed"``; nothing set leaves all.
        hover: Joint index under the pointer, or None.
        chain: ``core.kinematics.chain.Chain`` while dragging, else None.
        goal: What a drag is after, a ``DragGoal`` while dragging, else None.
        stops: What keeps a part that is turned from following, ``app.scene.hindrance.Stop`` each; () else.
        solved: How the last move of a drag was solved, a ``DragSolve``, until the next drag or another figure; None
            before.
        theme: ``"dark"`` or ``"light"``.
        mirror_editing: Whether what is posed on one side happens on the other as well.
        flash: Joints that Undo or Redo has just changed, for a moment; () else.
        reduced_motion: Whether nothing may glide or flip by itself.
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
        lock_summary: What locks make of the motion, a ``LockSummary``; None if none hold or it is not known yet.
        looking: Whether it has been looked for a while why locks cannot be held together.
        playing: Whether the sequence plays; setting it starts and stops the player.
        loop: Whether playing begins again at the end.
        speed: Factor of real time, ``SLOWEST`` to ``FASTEST``.
        sound: Whether the music of the sequence is heard.
    """

    mode = _Value("pose", _one_of(*MODES))
    tool = _Value("drag", _one_of(*TOOLS))
    joint_tool = _Value("move", _one_of(*JOINT_TOOLS))
    carry_children = _Value(True, bool)
    snap = _Value(False, bool)
    preview = _Value(None, _anything)
    drag_mode = _Value("limb", _one_of(*DRAG_MODES))
    chain_base = _Value(None, _index)
    turn_mode = _Value("joint", _one_of(*TURN_MODES))
    turn_axes = _Value("part", _one_of(*TURN_AXES))
    solver = _Value("ccd", _one_of(*SOLVERS))
    tolerance = _Value(1e-4, _tolerance)
    max_steps = _Value(None, _steps)
    nudge = _Value(True, bool)
    secondary = _Value(None, _secondary)
    hold_locks = _Value(True, bool)
    hold_mode = _Value("firm", _one_of(*HOLD_MODES))
    lock_method = _Value("hold", _one_of(*LOCK_METHODS))
    lock_iterations = _Value(None, _steps)
    comfort = _Value(0.0, _share)
    selected_lock = _Value(None, _id)
    hovered_lock = _Value(None, _id)
    conflict = _Value(None, _anything)
    lock_summary = _Value(None, _anything)
    auto_key = _Value(True, bool)
    key_what = _Value("figure", _one_of(*KEY_WHAT))
    selected_keys = _Value(NOTHING, _anything)
    open_rows = _Value(frozenset({"summary"}), frozenset)
    rows_shown = _Value(frozenset(), frozenset)
    hover = _Value(None, _index)
    chain = _Value(None, _anything)
    goal = _Value(None, _kind(DragGoal))
    stops = _Value((), _anything)
    ghosts_before = _Value(1, _whole(0, MOST_GHOSTS))
    ghosts_after = _Value(1, _whole(0, MOST_GHOSTS))
    ghosts_at = _Value("keys", _one_of(*GHOSTS_AT))
    ghost_step = _Value(4, _whole(1, MOST_APART))
    ghost_parts = _Value("figure", _one_of(*GHOST_PARTS))
    ghost_strength = _Value(1.0, _between(*GHOST_STRENGTH))
    ghost_fade = _Value(0.5, _between(0.25, 1.0))
    hovered_ghost = _Value(None, _index)
    trail_frames = _Value(0, _whole(0, LONGEST_TRAIL))
    trail_parts = _Value((), _indices)
    looking = _Value(False, _anything)
    solved = _Value(None, _kind(DragSolve))
    theme = _Value("dark", _one_of(*THEMES))
    mirror_editing = _Value(False, bool)
    flash = _Value((), _indices)
    reduced_motion = _Value(False, bool)
    playing = _Value(False, bool)
    loop = _Value(True, bool)
    speed = _Value(1.0, _speed)
    sound = _Value(True, bool)

    def __init__(self, tell: Callable[[str, Any], None]):
        self._tell = tell
        self._values = {name: value.default for name, value in vars(Session).items() if isinstance(value, _Value)}
        self._overlays = Overlays(tell)

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and not hasattr(type(self), name):
            known = ", ".join(sorted([*self._values, "overlays"]))
            raise SessionError(f'the session has no "{name}"; it has {known}')
        super().__setattr__(name, value)

    @property
    def physics_mode(self) -> bool:
        """Whether the window is in the mode in which the figure is simulated."""
        return bool(self.mode == "physics")

    @property
    def overlays(self) -> Overlays:
        """What is drawn over the figure: a mapping from ``OVERLAYS`` to bool; ``overlays["grid"] = False`` works."""
        return self._overlays

    @overlays.setter
    def overlays(self, shown: Mapping[str, bool]) -> None:
        for name, on in shown.items():
            self._overlays[name] = on

    def solver_options(
        self, start: np.ndarray | None = None, obstacles: Sequence[tuple[Any, float]] = ()
    ) -> dict[str, Any]:
        """Return the keywords of ``core.ik.solve`` that say how to solve; what has no use is left out.

        Args:
            start: Pose that ``secondary = "pose"`` stays near, shape (nq,): the one at press.
            obstacles: Spheres that ``secondary = "obstacles"`` keeps away from: center, shape (3,), and radius, [m].
        """
        options: dict[str, Any] = {
            "solver": self.solver,
            "tolerance": self.tolerance,
            "max_iterations": self.max_steps,
        }
        if not self.nudge:
            options["nudge"] = False
        if self.secondary is not None and self.solver in SPARE_SOLVERS:
            data = {"pose": start, "obstacles": list(obstacles) or None}
            if self.secondary not in data:
                options["secondary"] = self.secondary
            elif data[self.secondary] is not None:
                options["secondary"] = (self.secondary, data[self.secondary])
        return options

    def reset_solver(self) -> None:
        """Put solver and all that is set about it back as they are at first."""
        for name in ("solver", "tolerance", "max_steps", "nudge", "secondary"):
            setattr(self, name, vars(Session)[name].default)

    def forget_solve(self) -> None:
        """Drop what the last drag said of its solve: the figure no longer stands as it led to."""
        self.solved, self.stops = None, ()

    def forget_figure(self) -> None:
        """Drop what names joints of a figure that is no longer there."""
        self.hover = self.chain = self.goal = self.solved = self.chain_base = self.preview = None
        self.stops = self.trail_parts = self.flash = ()
        self.hovered_ghost = None
        self.selected_lock = self.hovered_lock = self.conflict = None
        self.selected_keys = NOTHING
