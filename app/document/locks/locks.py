"""The part of a document that edits locks and holds poses to them; each edit is one undo step."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from app.document.base import DocumentBase
from app.document.commands.base import Command
from app.document.edits import edits, lock_edits
from app.document.edits.holding import aimed, held_pose, holds_edits
from app.document.edits.lock_states import NOTHING, LockState, hold_fully, is_off, measured, word_for
from app.document.posing.posing import Posing
from core.animation.locks.sequence_locks import ActiveLock
from core.animation.locks.strip import LockStrip
from core.arrays import Array
from core.constraints.lock import Lock
from core.errors import LockError

Strips = tuple[LockStrip, ...]


class Locks:
    """Locks of a document. Edits return whether they were possible; if not, ``message`` has said why.

    A lock of the document is a strip: it begins at a frame, and may end at one. Those that make a lock return the
    id of its strip instead, None if that was not possible.

    Args:
        document: The document.
        posing: Its poses.
    """

    def __init__(self, document: DocumentBase, posing: Posing):
        self._document, self._posing = document, posing
        self._known: tuple[object, tuple[LockState, ...]] | None = None

    # -- what there is ---------------------------------------------------------------------------------------------

    @property
    def strips(self) -> Strips:
        """The lock strips of the active sequence, in the order they were made; () without a figure."""
        return edits.strips_of(self._document.model)

    def strip(self, strip_id: str | None) -> LockStrip | None:
        """Return the strip of an id, or None."""
        return next((strip for strip in self.strips if strip.id == strip_id), None)

    def now(self) -> list[ActiveLock]:
        """Return what acts at the current frame: (strip or None, lock, share of it that eases leave)."""
        return self._document.model.active_locks(self._document.model.frame)

    @property
    def holding(self) -> bool:
        """Whether edits of the pose at the current frame have locks to hold."""
        return self.holding_at(self._document.model.frame)

    def holding_at(self, frame: int) -> bool:
        """Return whether edits of the pose at a frame have locks to hold."""
        return holds_edits(self._document.model, self._document.session, frame)

    def states(self) -> tuple[LockState, ...]:
        """Return how each lock stands in the pose on screen: all strips, then locks that hold at all times.

        Worked out once for each pose.
        """
        model = self._document.model
        if model.skeleton is None or model.sequence is None:
            return ()
        key = (model.pose, self.strips, tuple(model.sequence.locks), model.frame, model.skeleton)
        known = self._known
        if known is not None and _same(known[0], key):
            return known[1]
        states = self._measured(model.pose)
        self._known = (key, states)
        return states

    def _measured(self, pose: Array) -> tuple[LockState, ...]:
        skeleton = self._document.model.skeleton
        assert skeleton is not None
        active = {None if strip is None else strip.id: (lock, factor) for strip, lock, factor in self.now()}
        rows = [ActiveLock(strip, *active.get(strip.id, (strip.lock, 0.0))) for strip in self.strips]
        rows += [each for each in self.now() if each.strip is None]
        acting = [lock for _, lock, factor in rows if not is_off(lock, factor)]
        found = measured(skeleton, pose, acting, self._document.model.other_figures(acting))
        sequence, states = self._document.model.sequence, []
        frame = np.array([float(self._document.model.frame)])
        kept = (
            float(sequence.locks.holding.kept(frame)[0]) if sequence is not None and sequence.locks.in_effect else 1.0
        )
        for strip, lock, factor in rows:
            place, turn = found.get(id(lock), NOTHING)
            states.append(LockState(strip, lock, place, turn, word_for(lock, factor, place, turn, kept), factor))
        return tuple(states)

    # -- holding poses -----------------------------------------------------------------------------------------------

    def held_pose(self, q: object, fixed: Iterable[int] = (), start: object = None) -> Array:
        """Return a pose projected onto the locks of the current frame; as it is if none holds edits.

        Args:
            q: Pose, shape (nq,), [m] and [rad].
            fixed: Places in the pose that were edited: they stay as they are if the locks can be held so.
            start: Pose to stay near, shape (nq,); None for ``q`` itself.

        Raises:
            PoseError: If the pose does not fit the figure.
        """
        return held_pose(self._document.model, self._document.session, q, fixed, start)

    def solve_now(self) -> bool:
        """Bring the pose on screen to where all its locks hold, as one step; say how that went."""
        model = self._document.model
        if model.skeleton is None:
            self._document.say("info", "There is no figure to solve locks for")
            return False
        if not hold_fully(self.now()):
            self._document.say("info", f"No lock holds at frame {model.frame}")
            return False
        done = self._posing.set(
            held_pose(model, self._document.session, model.pose, always=True), "Solve locks", hold=False
        )
        words = [state.word for state in self.states() if state.word != "off"]
        left = sum(word in ("conflict", "yields") for word in words)
        if not left:
            self._document.say("info", "All locks hold")
        else:
            level = "warning" if "conflict" in words else "info"
            self._document.say(level, f"{left} of {len(words)} locks {'does' if left == 1 else 'do'} not hold")
        return done

    # -- edits -------------------------------------------------------------------------------------------------------

    def set(self, strips: Iterable[LockStrip], text: str = "Edit locks", gesture: int | None = None, **_: Any) -> bool:
        """Put other strips in the place of those of the active sequence.

        Args:
            strips: All strips, each with an id of its own.
            text: Name of the step.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
        """
        return self._put(text, lambda: strips, gesture)

    def _put(self, text: str, make: Callable[[], Iterable[LockStrip]], gesture: int | None = None) -> bool:
        """Put strips that are still to be made in the place of those of the active sequence."""
        return self._document.do(text, lambda: edits.strip_changes(self._document.model, make()), gesture)

    def add(
        self, lock: Lock, start: int | None = None, end: int | None = None, text: str = "", **values: Any
    ) -> str | None:
        """Add a lock as a strip from the current frame on; without a target it holds where its part is now.

        Args:
            lock: The lock.
            start: First frame it holds; None for the current one.
            end: Last frame; None for ever.
            text: Name of the step.
            **values: Further values of the strip: ``ease_in``, ``ease_out``, ``weight``, ``targets``, ``name``.

        Returns:
            The id of its strip, or None if it could not be made.
        """
        made: list[LockStrip] = []

        def make() -> list[Command]:
            edits.need_figure(self._document.model)
            ready = lock if lock.bound else lock_edits.made_lock(self._document.model, lock)
            made.append(lock_edits.new_strip(self._document.model, ready, start, end, **values))
            return edits.strip_changes(self._document.model, (*self.strips, made[0]))

        done = self._document.do(text or f"Lock {lock.rule.title.lower()}", make)
        return made[0].id if done else None

    def cycle(self, joints: int | str | Iterable[int | str]) -> bool:
        """Go to the next of position, orientation, both and off for a part, or for several together.

        For what stands on the ground, as feet do, both come first. A lock that began at an earlier frame ends at the
        current one instead. Of several parts the last decides.
        """
        chosen = [joints] if isinstance(joints, int | str | np.integer) else list(joints)
        outcome: list[tuple[str, int]] = []

        def make() -> list[Command]:
            skeleton, _ = edits.need_figure(self._document.model)
            if not chosen:
                raise LockError("select a part to lock first")
            numbers = list(dict.fromkeys(skeleton.joint_index(joint) for joint in chosen))
            strips, did = lock_edits.cycled_together(self._document.model, numbers)
            outcome.append((did, len(numbers)))
            return edits.strip_changes(self._document.model, strips)

        def text() -> str:
            did, number = outcome[0]
            what = self._name_of(chosen[-1], number)
            steps = {"ends": f"End lock of {what}", "off": f"Remove lock of {what}"}
            kinds = {"position": "position", "orientation": "orientation", "pose": "position and orientation"}
            return steps.get(did) or f"Lock {what}: {kinds[did]}"

        return self._document.do(text, make) and self._report_cycled(chosen, outcome)

    def _name_of(self, last: int | str, number: int) -> str:
        """Return what several parts are called: a single one by its name."""
        skeleton, _ = edits.need_figure(self._document.model)
        return skeleton.joints[skeleton.joint_index(last)].name if number == 1 else f"{number} parts"

    def _report_cycled(self, chosen: list[int | str], outcome: list[tuple[str, int]]) -> bool:
        did, number = outcome[0]
        what = self._name_of(chosen[-1], number)
        words = {
            "position": f"Position of {what} locked from frame {self._document.model.frame} on",
            "orientation": f"Orientation of {what} locked from frame {self._document.model.frame} on",
            "pose": f"Position and orientation of {what} locked from frame {self._document.model.frame} on",
            "ends": f"Lock of {what} ends at frame {self._document.model.frame}",
            "off": f"Lock of {what} is off",
        }
        self._document.say("info", words[did])
        return True

    def toggle_hold(self, joint: int, point: Array, kind: str, name: str) -> bool:
        """Hold a point of a part where it is, or let the part go if it is held at the current frame.

        Args:
            joint: The part.
            point: The point, in the joint's frame, shape (3,), [m].
            kind: ``"pose"`` or ``"position"``.
            name: What the point is called in messages.
        """
        document, kinds = self._document, {"position", "orientation", "pose"}
        skeleton = document.model.skeleton
        if skeleton is None:
            return False
        held = [
            lock for strip, lock, _ in self.now()
            if strip is not None and lock.kind in kinds and skeleton.joint_index(lock.joint) == joint
        ]  # fmt: skip
        if held:
            done = self.release([joint], kinds)
            words = f"{name} is let go from frame {document.model.frame} on"
        else:
            lock = Lock(skeleton.joints[joint].name, kind, point=point)
            done = self.add(lock, text=f"Hold {name}") is not None
            words = f"{name} is held from frame {document.model.frame} on"
        if done:
            document.say("info", words[:1].upper() + words[1:])
        return done

    def lock_where_it_is(self, joint: int) -> bool:
        """Lock a part where it is now, as the first press of L does."""
        return self.lock_parts([joint], lock_edits.cycle_of(self._document.model, joint)[0])

    def lock_parts(self, joints: Iterable[int | str], kind: str, text: str = "") -> bool:
        """Lock parts in one kind where they are now; one that is locked so already from this frame is bound anew."""

        def make() -> Strips:
            skeleton, _ = edits.need_figure(self._document.model)
            numbers = [skeleton.joint_index(joint) for joint in joints]
            if not numbers:
                raise LockError("select a part to lock first")
            return lock_edits.locked(self._document.model, numbers, kind)

        return self._put(text or f"Lock {kind.replace('_', ' ')}", make)

    def lock_to_paths(self, joints: Iterable[int | str]) -> bool:
        """Lock parts to the way that each goes in the active sequence: they stay on it, free to go along it."""

        def make() -> Strips:
            skeleton, _ = edits.need_figure(self._document.model)
            locks = [lock_edits.path_lock(self._document.model, skeleton.joint_index(joint)) for joint in joints]
            if not locks:
                raise LockError("select a part to lock first")
            return (*self.strips, *(lock_edits.new_strip(self._document.model, lock) for lock in locks))

        return self._put("Lock to path", make)

    def lock_pair(self, kind: str, first: int | str, second: int | str) -> str | None:
        """Lock one part to another as they stand now; return the id of the strip, None if that was not possible.

        What aims is turned to what it aims at, in the same step.

        Args:
            kind: ``"point_pair"``, ``"distance"`` or ``"aim"``: the first part aims at the second.
            first: The part that is locked.
            second: The other part.
        """
        made: list[LockStrip] = []

        def make() -> list[Command]:
            lock = lock_edits.pair_lock(self._document.model, kind, first, second)
            made.append(lock_edits.new_strip(self._document.model, lock))
            commands = edits.strip_changes(self._document.model, (*self.strips, made[0]))
            return [*commands, *(aimed(self._document.model, self._document.session, lock) if kind == "aim" else [])]

        return made[0].id if self._document.do(f"Lock {kind.replace('_', ' ')}", make) else None

    def look_at(self, joint: int, place: Array, other: Any = None) -> str | None:
        """Let a part look at a place of the world or at a part from the current frame on; return the strip's id.

        It turns there in the same step. See ``lock_edits.look_lock``.

        Args:
            joint: The part that looks.
            place: Where, world, shape (3,), [m].
            other: ``(joint, point)`` or ``(figure, joint, point)`` to look at instead.
        """
        return self._instead(
            "Look at a place" if other is None else "Look at a part", joint, lock_edits.LOOKS,
            lambda: lock_edits.look_lock(self._document.model, joint, place, other),
        )  # fmt: skip

    def draw_path(self, joint: int, points: Array) -> str | None:
        """Lock a part to a path through points of the world, shape (n, 3), [m]; return the strip's id.

        It goes to the nearest place of the path in the same step.
        """
        return self._instead(
            "Draw path", joint, frozenset({"path"}),
            lambda: lock_edits.drawn_path_lock(self._document.model, joint, points),
        )  # fmt: skip

    def _instead(self, text: str, joint: int, kinds: frozenset[str], lock_of: Callable[[], Lock]) -> str | None:
        """Lock a part in place of its locks of some kinds, and bring the pose there; return the strip's id."""
        made: list[LockStrip] = []

        def make() -> list[Command]:
            model, lock = self._document.model, lock_of()
            strips, strip = lock_edits.in_place_of(model, joint, kinds, lock)
            made.append(strip)
            return [*edits.strip_changes(model, strips), *aimed(model, self._document.session, lock, kinds)]

        return made[0].id if self._document.do(text, make) else None

    def release(self, joints: Iterable[int | str], kinds: Iterable[str] | None = None) -> bool:
        """Let parts go at the current frame: locks that began here are removed, earlier ones end here.

        Args:
            joints: The parts.
            kinds: Kinds of locks to let go; None for all.
        """

        def make() -> Strips:
            skeleton, _ = edits.need_figure(self._document.model)
            numbers = [skeleton.joint_index(joint) for joint in joints]
            strips = lock_edits.released(self._document.model, numbers, None if kinds is None else set(kinds))
            if len(strips) == len(self.strips) and all(map(operator.is_, strips, self.strips)):
                raise LockError(f"no lock continues from frame {self._document.model.frame} here")
            return strips

        return self._put(f"End locks at frame {self._document.model.frame}", make)

    def end(self, strip_id: str, frame: int | None = None) -> bool:
        """End a lock at a frame, the current one unless told otherwise; that frame is the last one it holds."""
        last = self._document.model.frame if frame is None else frame

        def make() -> Strips:
            _, strip = lock_edits.found(self._document.model, strip_id)
            if last < strip.start:
                raise LockError(f"frame {last} is before the lock begins, at frame {strip.start}")
            return lock_edits.edited(self._document.model, strip_id, {"end": last})

        return self._put(f"End lock at frame {last}", make)

    def remove(self, strip_id: str) -> bool:
        """Remove a lock at all frames."""
        return self._put("Remove lock", lambda: lock_edits.exchanged(self._document.model, strip_id))

    def edit(self, strip_id: str, gesture: int | None = None, text: str = "Edit lock", **values: Any) -> bool:
        """Change values of a lock or of its strip.

        Args:
            strip_id: Id of the strip.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
            text: Name of the step.
            **values: Fields of ``Lock`` (``weight`` is the lock's) and of ``LockStrip`` (``start``, ``end``,
                ``ease_in``, ``ease_out``, ``targets``, ``name``; ``strip_weight`` for the strip's weight). A
                ``target`` of None binds the lock to where its part is now, and so does another kind.
        """
        return self._put(text, lambda: lock_edits.edited(self._document.model, strip_id, values), gesture)

    def split(self, strip_id: str, frame: int | None = None) -> bool:
        """Cut a strip in two: the second begins at the frame, the first ends before it."""
        at = self._document.model.frame if frame is None else frame
        return self._put(f"Split lock at frame {at}", lambda: lock_edits.split(self._document.model, strip_id, at))

    def copy(self, strip_id: str, frame: int | None = None) -> str | None:
        """Copy a strip so that the copy begins at a frame; return the copy's id."""
        at = self._document.model.frame if frame is None else frame
        made: list[LockStrip] = []

        def make() -> Strips:
            strips, copy = lock_edits.copied(self._document.model, strip_id, at)
            made.append(copy)
            return strips

        return made[0].id if self._put("Copy lock", make) else None

    def mirror(self, strip_id: str) -> str | None:
        """Lock the part on the other side in the same way, where it is now; return the new strip's id."""
        made = self.mirror_all([strip_id])
        return made[0] if made else None

    def mirror_all(self, strip_ids: Iterable[str]) -> list[str]:
        """Mirror several locks as one step; return the new strips' ids, none if that was not possible."""
        made: list[LockStrip] = []

        def make() -> Strips:
            made.extend(lock_edits.mirrored(self._document.model, strip_id) for strip_id in strip_ids)
            if not made:
                raise LockError("select a part with a lock first")
            return (*self.strips, *made)

        done = self._put("Mirror lock", make)
        return [strip.id for strip in made] if done else []

    def clear(self) -> bool:
        """Remove all locks of the active sequence."""
        number = len(self.strips)
        if not number:
            self._document.say("info", "There are no locks to clear")
            return False
        text = "Clear lock" if number == 1 else f"Clear all {number} locks"
        return self.set((), text)

    def turn_into_strip(self, number: int) -> str:
        """Make of a lock that holds at all times a strip from frame 0 on without end; return the strip's id."""
        commands, strip = lock_edits.always_as_strip(self._document.model, number)
        self._document.do("Turn lock into a strip", lambda: commands)
        return strip.id

    def remove_always(self, number: int) -> bool:
        """Remove a lock that holds at all times."""
        return self._document.do("Remove lock", lambda: lock_edits.always_removed(self._document.model, number))

    def set_holds(self, holds: bool) -> bool:
        """Set whether locks hold between keys in the active sequence."""
        text = "Locks hold between keys" if holds else "Locks do not hold between keys"
        return self._document.do(text, lambda: edits.sequence_change(self._document.model, "holds", bool(holds)))


def _same(a: object, b: object) -> bool:
    """Return whether two keys of the cache are the same: poses and strips by identity, numbers by value."""
    return all(x is y or (isinstance(x, int) and x == y) or (isinstance(x, tuple) and _all_same(x, y))
               for x, y in zip(a, b, strict=True))  # type: ignore[call-overload]  # fmt: skip


def _all_same(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True))
