"""A sequence: key poses of one figure over time, and the motion between them (Welman 1993, section 6.1.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any

import numpy as np

from core.animation import editing
from core.animation.channels import Channels, channels_of
from core.animation.clip import Clip
from core.animation.curves.key_rows import same_pose
from core.animation.curves.pacing import paced_places, paced_poses, shown_frames
from core.animation.curves.timing_curves import Timing
from core.animation.curves.tracks import Tracks, snapped
from core.animation.cycles import NO_CYCLES, OFFSET, REPEAT, CycledMotion, Cycles, checked_cycles
from core.animation.ensemble import Ensemble, PartnerHolding
from core.animation.hybrid_strips import HybridStrip, checked_hybrid_strips
from core.animation.key import Key, check_frame
from core.animation.key_parts import Names, reshaped
from core.animation.layers.layer import Layer, Layers, checked_layers
from core.animation.layers.motion import LayerMotion
from core.animation.locks.holding import Holding, LockTimes, Motion
from core.animation.locks.sequence_locks import SequenceLocks
from core.animation.marker import Marker, Markers, checked_markers
from core.animation.retiming import edge_of, frames_inserted, frames_removed, inserted, made_key, moved
from core.animation.shape import MEMBERS, Shape
from core.animation.shot_camera import NO_CAMERA, ShotCamera
from core.animation.sorted_keys import Keys
from core.arrays import Array
from core.errors import SequenceError
from core.skeleton import Skeleton
from core.skeleton.following import followed, follows_of

_PLACES = {
    "strips": "locks.strips",
    "holds": "locks.holds",
    "timings": "timing.curves",
    "root_speed": "timing.root_speed",
}


class Sequence:
    """Keys at whole frames, and a pose at every time.

    Compound joints with three independent axes interpolate as one rotation, everything else value by value;
    see ``core.animation.curves.tracks``. Every edit checks first and then happens whole, or raises and changes nothing.
    Edits that take ``channels`` mean the keys of those channels only, by name; None means whole keys. Whole keys take
    lock strips and hybrid strips along.

    Args:
        skeleton: The figure that moves.
        fps: Frames a second.
        name: What the library and the title bar call it.
        first: First frame of the range that plays.
        last: Last frame of it; None for the last key's.
        menu: Name of the library's menu it is kept in, or None.
        loop: Whether it plays round and round.
        keys: Keys to begin with, in any order.

    Attributes:
        skeleton: The figure that moves.
        name: Name of the sequence.
        timing: Timing curves and the speed of the root.
        menu: Name of its menu, or None.
        script: Script, as the file's record.
        gait: The rules that its keys and strips are made by, as the file's record, or None; see ``core.gait``.
        audio: Music, as the file's record: ``{"file": ..., "offset": [s], "beats": [[s], ...]}``, or None.
        extra: Members of the file's record that this version does not know; kept and written back.
    """

    __slots__ = (
        "__weakref__",
        "_camera",
        "_cycled",
        "_cycles",
        "_ensemble",
        "_first",
        "_fps",
        "_hybrid_strips",
        "_keys",
        "_last",
        "_layered",
        "_layers",
        "_locks",
        "_loop",
        "_markers",
        "_stale",
        "_tracks",
        "audio",
        "extra",
        "gait",
        "menu",
        "name",
        "script",
        "skeleton",
        "timing",
    )

    def __init__(
        self,
        skeleton: Skeleton,
        fps: float = 30,
        name: str = "Untitled",
        first: int = 0,
        last: int | None = None,
        menu: str | None = None,
        loop: bool = False,
        keys: Iterable[Key] = (),
    ):
        self.skeleton = skeleton
        self.name = name
        self._keys = Keys(skeleton)
        self._cycles: Cycles = NO_CYCLES
        self._cycled: tuple[int, CycledMotion | None] | None = None
        self.timing = Timing(skeleton, self._where, self._forget_motion)
        self._locks = SequenceLocks(skeleton, self._where, self._holding)
        self._ensemble: Ensemble | None = None
        self._hybrid_strips: tuple[HybridStrip, ...] = ()
        self._markers: Markers = ()
        self._layers: Layers = ()
        self._layered: LayerMotion | None = None
        self._camera: ShotCamera = NO_CAMERA
        self.menu = menu
        self.script: Any = None
        self.audio: Any = None
        self.gait: Any = None
        self.extra: dict[str, Any] = {}
        self._tracks: Tracks | None = None
        self._stale: Tracks | None = None
        self._loop = bool(loop)
        self.fps = fps
        self.set_range(first, last)
        self.set_keys(keys)

    def _where(self) -> str:
        return f'sequence "{self.name}"'

    # -- what it is made of --------------------------------------------------------------------------------------

    @property
    def channels(self) -> Channels:
        """The channels of the figure."""
        return channels_of(self.skeleton)

    @property
    def keys(self) -> Keys:
        """All keys, sorted by frame: one immutable value, another one after each edit."""
        return self._keys

    @property
    def locks(self) -> SequenceLocks:
        """Locks that hold at all times, a list to change or assign, and the strips of those that hold for a while."""
        return self._locks

    @locks.setter
    def locks(self, locks: Iterable[Any]) -> None:
        self._locks[:] = locks

    @property
    def hybrid_strips(self) -> tuple[HybridStrip, ...]:
        """Which joints forces move when, in the order the strips were made; assign other ones to change them.

        They change no pose of the sequence by themselves.

        Raises:
            SequenceError: On assigning what is no strip, a joint that is not there, two strips with the same id, or
                two that move a joint at the same time.
        """
        return self._hybrid_strips

    @hybrid_strips.setter
    def hybrid_strips(self, strips: Iterable[HybridStrip]) -> None:
        self._hybrid_strips = checked_hybrid_strips(strips, self.skeleton, self._where())

    @property
    def layers(self) -> Layers:
        """Offsets that are added to what the keys say, those that come first first; assign other ones to change them.

        They are added after everything between the keys, and before locks are solved.

        Raises:
            SequenceError: On assigning what is no layer of the figure, or two with one id.
        """
        return self._layers

    @layers.setter
    def layers(self, layers: Iterable[Layer]) -> None:
        self._layers = checked_layers(layers, self.skeleton, self._where())
        self._locks.forget()

    @property
    def layered(self) -> LayerMotion:
        """What the layers add; made anew when they have changed."""
        if self._layered is None or self._layered.layers is not self._layers:
            self._layered = LayerMotion(self.skeleton, self._layers, self._layered)
        return self._layered

    @property
    def markers(self) -> Markers:
        """Named frames, sorted; assign others to change them.

        Raises:
            SequenceError: On assigning what is no marker, or two at one frame.
        """
        return self._markers

    @markers.setter
    def markers(self, markers: Iterable[Marker]) -> None:
        self._markers = checked_markers(markers)

    @property
    def camera(self) -> ShotCamera:
        """The camera of the shot; assign another one to change it, one without keys for none.

        Raises:
            SequenceError: On assigning what is no camera.
        """
        return self._camera

    @camera.setter
    def camera(self, camera: ShotCamera) -> None:
        if not isinstance(camera, ShotCamera):
            raise SequenceError(f"{camera!r:.60} is not a camera of a shot")
        self._camera = camera

    @property
    def companions(self) -> dict[str, Sequence]:
        """Sequences of other figures by the figure's name, for locks that name one; assign a dict to change them.

        The others need not know this one for that; ``core.animation.ensemble.link`` lets all know each other.
        """
        return {} if self._ensemble is None else self._ensemble.others(self._ensemble.index(self))

    @companions.setter
    def companions(self, sequences: Mapping[str, Sequence]) -> None:
        others = list(sequences.items())
        self.ensemble = Ensemble([(self.skeleton.name, self), *others]) if others else None

    @property
    def ensemble(self) -> Ensemble | None:
        """The figures among which it is; assign another one, or None, to change that.

        Raises:
            SequenceError: On assigning one that it is not in.
        """
        return self._ensemble

    @ensemble.setter
    def ensemble(self, ensemble: Ensemble | None) -> None:
        if ensemble is not None:
            ensemble.index(self)
        self._ensemble = ensemble
        self._locks.shared = ensemble is not None
        self._locks.forget()

    @property
    def tied(self) -> bool:
        """Whether a lock ties it to another figure at any time."""
        return self._ensemble is not None and self._ensemble.ties(self._ensemble.index(self))

    # -- time ----------------------------------------------------------------------------------------------------

    @property
    def fps(self) -> float:
        """Frames a second; setting it keeps every key on its frame."""
        return self._fps

    @fps.setter
    def fps(self, value: float) -> None:
        number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if not number or not (math.isfinite(value) and value > 0.0):
            raise SequenceError(f"{value!r} frames per second make no sense; it must be a positive number")
        self._fps: float = value if isinstance(value, (int, float)) else value.item()
        self._locks.forget()  # how fast is too fast counts in seconds

    @property
    def range(self) -> tuple[int, int]:
        """First and last frame of the range that plays.

        Without an end of its own it ends at the last key, or where the last lock strip ends or moves its target for
        the last time, or the last hybrid strip or the keys of a layer end: locks alone can make a motion, and so can
        forces.
        """
        if self._last is not None:
            return self._first, self._last
        strips = self._locks.strips
        ends = [strip.end for strip in strips if strip.end is not None]
        ends += [strip.targets[-1].frame for strip in strips if strip.targets]
        ends += [strip.end for strip in self._hybrid_strips if strip.end is not None]
        ends += [layer.keys[-1].frame for layer in self._layers if layer.keys]
        return self._first, max(self._first, self._keys[-1].frame if self._keys else 0, *ends)

    @range.setter
    def range(self, value: tuple[int, int | None]) -> None:
        self.set_range(*value)

    @property
    def ends_with_last_key(self) -> bool:
        """Whether the range has no end of its own."""
        return self._last is None

    def set_range(self, first: int, last: int | None = None) -> None:
        """Set the range that plays; ``last`` None lets it end at the last key, wherever that is.

        Raises:
            SequenceError: If an end is no frame or the range runs backwards.
        """
        if last is None:
            self._first, self._last = check_frame(first), None
        else:
            self._first, self._last = editing.checked_range(first, last)

    @property
    def loop(self) -> bool:
        """Whether it plays round and round: then, if it ends in the pose it begins with, it does so without a jerk."""
        return self._loop

    @loop.setter
    def loop(self, value: bool) -> None:
        if bool(value) != self._loop:
            self._loop = bool(value)
            self._forget_motion()

    @property
    def cycles(self) -> Cycles:
        """What is before the first key and after the last one, two of ``core.animation.cycles.CYCLES``; set to change.

        Raises:
            SequenceError: On setting what is none.
        """
        return self._cycles

    @cycles.setter
    def cycles(self, cycles: object) -> None:
        self._cycles = checked_cycles(cycles)
        self._forget_motion()

    @property
    def cycled(self) -> CycledMotion | None:
        """Its motion with what is before and after its keys; None if poses are held there."""
        edition = self._locks.edition
        if self._cycled is None or self._cycled[0] != edition or self._ensemble is not None:
            self._cycled = edition, self._rounds(self._held_at_frames)
        return self._cycled[1]

    def _rounds(self, poses: Callable[[Array], Array]) -> CycledMotion | None:
        """Return a motion between its keys with what is before and after them; None if poses are held there."""
        if self._cycles == NO_CYCLES or len(self._keys) < 2:
            return None
        return CycledMotion(self.skeleton, self._cycles, self._keys[0].frame, self._keys[-1].frame, poses)

    def rounds_at_frames(self, frames: object) -> Array:
        """Return the poses at many frame numbers without locks but with cycles, shape (m, nq)."""
        rounds = self._rounds(self.interpolated_at_frames)
        return self.interpolated_at_frames(frames) if rounds is None else rounds.at(self._numbers(frames))

    @property
    def closes(self) -> bool:
        """Whether it plays round and round and the range ends in the pose it begins with, wherever the root stands.

        Then the last frame of a round is the first of the next.
        """
        first, last = self.range
        return self._loop and first < last and same_pose(*self.poses_at_frames([first, last]))

    @property
    def duration(self) -> float:
        """Length of the range that plays, [s]."""
        first, last = self.range
        return (last - first) / self._fps

    # -- keys ----------------------------------------------------------------------------------------------------

    def set_keys(self, keys: Iterable[Key]) -> None:
        """Replace all keys.

        Raises:
            KeyCollision: If two have the same frame.
            PoseError: If a pose does not fit the skeleton.
            CoreError: If a key names a channel that the figure does not have.
        """
        self._replace(self._keys.checked(keys))

    def change_keys(self, changes: Mapping[int, Key | None]) -> None:
        """Put keys at their frames, and take away what is there where the value is None.

        Raises:
            CoreError: If a key does not fit the figure.
        """
        self._replace(self._keys.changed(changes))

    def set_key(
        self,
        frame: int,
        q: object,
        interp: str | None = None,
        *,
        turns: bool | None = None,
        part: str | None = None,
        keyed: Iterable[str] | None = None,
        shape: Shape | None = None,
    ) -> Key:
        """Set the key at ``frame``; one that is there takes the new values and keeps what is not given.

        Args:
            frame: Whole number from 0 on.
            q: Pose, shape (nq,), [m] and [rad]; copied.
            interp: How the span that begins here is filled, one of ``INTERPOLATIONS``; None keeps it, new keys get
                ``"auto"``.
            turns: Whether compound joints follow their angles in that span; None keeps it.
            part: Part of the figure the key is made for; None keeps it.
            keyed: Names of the channels that are keyed, beside those of a key that is there; None for all. Only
                theirs of the pose's values are used.
            shape: Shape of those channels; None keeps it.

        Returns:
            The key.

        Raises:
            SequenceError: If the frame or the interpolation is not valid.
            PoseError: If the pose does not fit the skeleton.
            JointError: If there is no such channel.
        """
        names = self._names(keyed)
        old = self._keys.at(check_frame(frame))
        key = made_key(self.channels, old, frame, self.skeleton.check_pose(q), names)
        if part is not None:
            key = key.changed(part=part)
        if shape is not None:
            key = reshaped(key, self.channels, names, **{name: getattr(shape, name) for name in MEMBERS})
        given = {name: value for name, value in (("interp", interp), ("turns", turns)) if value is not None}
        if given:
            try:
                key = reshaped(key, self.channels, names, **given)
            except SequenceError as error:
                raise SequenceError(f"the key at frame {frame}: {error}") from None
        self.change_keys({key.frame: key})
        return self._keys.at(key.frame) or key

    # -- editing -------------------------------------------------------------------------------------------------

    def _names(self, channels: Iterable[str] | None) -> Names:
        return None if channels is None else self.channels.checked(channels)

    def delete(self, frames: int | Iterable[int], channels: Iterable[str] | None = None) -> None:
        """Delete the keys at ``frames``, one or several; a key of which no channel is left is gone.

        Raises:
            SequenceError: If there is no key at one of them; nothing is deleted then.
        """
        chosen = frames if isinstance(frames, Iterable) else [frames]
        parts = dict.fromkeys(chosen, self._names(channels))
        self.put({"keys": editing.removed(self._keys, parts, self.channels)})

    def copy(self, first: int, last: int, channels: Iterable[str] | None = None) -> Clip:
        """Return the keys in ``first..last``, both included, as a clip, and with whole keys the strips over them.

        Raises:
            SequenceError: If an end is no frame or the range runs backwards.
        """
        first, last = editing.checked_range(first, last)
        names = self._names(channels)
        if names is None:
            strips, hybrids = self._locks.strips, self._hybrid_strips
            return Clip.of(self._keys, first, last, self.skeleton, strips, hybrid_strips=hybrids)
        parts = editing.inside(self._keys, first, last, self.channels, names)
        return Clip.of(self._keys, first, last, self.skeleton, (), parts)

    def insert(self, frame: int, clip: Clip, *, make_room: bool = False, flipped: bool = False) -> None:
        """Put a clip in, its first frame at ``frame``.

        Args:
            frame: Where it goes.
            clip: From ``copy``, of this sequence or another of the same kind of figure; from other figures channels
                of the same names are taken.
            make_room: Whether keys from ``frame`` on, of the clip's channels, first move on by its length and one
                frame.
            flipped: Whether left and right change sides.

        Raises:
            KeyCollision: If a key would land on one that is there.
            PoseError: If the clip is of a figure with other joints, or its poses do not fit the skeleton.
        """
        self.put(inserted(self, frame, clip, make_room, flipped))

    def stretch(
        self, first: int, last: int, factor: float, channels: Iterable[str] | None = None, ripple: bool = False
    ) -> None:
        """Spread the keys in ``first..last`` from ``first`` by ``factor``; below 1 they shrink together.

        Args:
            first: First frame.
            last: Last frame.
            factor: Positive number.
            channels: Names of the channels; None for whole keys.
            ripple: Whether all keys after ``last``, of the same channels, move on by as much as it does; of whole
                keys also lock strips, timings and markers.

        Raises:
            SequenceError: If the factor is not a positive number.
            KeyCollision: If two keys would share a frame.
        """
        names = self._names(channels)
        parts = editing.inside(self._keys, *editing.checked_range(first, last), self.channels, names)
        mapping = editing.stretch_map(parts, first, last, factor)
        end = editing.stretched_frame(last, first, factor)
        self._move(mapping, names, "stretching", (last, end - last) if ripple else None)

    def slide(
        self, first: int, last: int, by: int, channels: Iterable[str] | None = None, ripple: bool = False
    ) -> None:
        """Move the keys in ``first..last`` by ``by`` frames, back if negative.

        Raises:
            SequenceError: If a key would land before frame 0.
            KeyCollision: If a key would land on one outside the range.
        """
        names = self._names(channels)
        parts = editing.inside(self._keys, *editing.checked_range(first, last), self.channels, names)
        mapping = editing.slide_map(parts, by)
        self._move(mapping, names, "sliding", (last, int(by)) if ripple else None)

    def move(self, mapping: Mapping[int, int], channels: Iterable[str] | None = None, ripple: bool = False) -> None:
        """Move keys from the mapping's old frames to its new ones, all at once.

        With ``ripple`` all keys after the last of them, of the same channels, move by as much as it does.

        Raises:
            SequenceError: If there is no key at an old frame or a new one is not valid.
            KeyCollision: If a key would land on another.
        """
        self._move(mapping, self._names(channels), "moving", edge_of(mapping) if ripple else None)

    def _move(self, mapping: Mapping[int, int], names: Names, doing: str, edge: tuple[int, int] | None) -> None:
        parts = dict.fromkeys(mapping, names)
        self.put(moved(self, mapping, parts, doing, edge))

    def insert_frames(self, frame: int, count: int) -> None:
        """Put ``count`` frames in before ``frame``: all that is there or later, of whatever kind, is later then.

        Raises:
            SequenceError: If there is no room for them, or a number is not valid.
        """
        self.put(frames_inserted(self, frame, count))

    def remove_frames(self, first: int, last: int) -> None:
        """Take the frames ``first..last`` away with their keys; what is later comes earlier.

        Raises:
            SequenceError: If an end is no frame or the range runs backwards.
        """
        self.put(frames_removed(self, first, last))

    # -- values by name ------------------------------------------------------------------------------------------

    def value(self, name: str) -> Any:
        """Return one of its values by the name that files, undo and ``core.animation.retiming`` have for it."""
        return attrgetter(_PLACES.get(name, name))(self)

    def put(self, values: Mapping[str, Any]) -> None:
        """Set values by the names of ``value``; keys among them must be sorted and fit the figure.

        ``"place"`` is not its own: what ``core.animation.retiming`` says to whoever keys something beside it.

        Raises:
            SequenceError: If one is not valid.
        """
        for name, value in values.items():
            if name not in ("keys", "place"):
                part, _, attribute = _PLACES.get(name, name).rpartition(".")
                setattr(getattr(self, part) if part else self, attribute, value)
        if "keys" in values:
            self._replace(Keys(self.skeleton, values["keys"], self._keys))

    def _replace(self, keys: Keys) -> None:
        self._keys = keys
        self._forget_motion()

    def _forget_motion(self) -> None:
        """Forget what was worked out with other keys or another timing."""
        if self._tracks is not None:
            self._stale, self._tracks = self._tracks, None
        self._locks.forget()

    # -- poses ---------------------------------------------------------------------------------------------------

    def pose_at(self, time: float) -> Array:
        """Return the pose at a time, locks applied; before the first and after the last key what ``cycles`` say.

        Args:
            time: [s]; ``frame / fps``.

        Returns:
            Shape (nq,); a new array. At a key that holds its locks it is the key's pose, bit for bit. Without keys,
            the rest pose.

        Raises:
            SequenceError: If the time is not finite.
        """
        return self.poses([time])[0]

    def interpolated(self, time: float) -> Array:
        """Return the pose at a time without locks, shape (nq,); see ``pose_at``."""
        return self.interpolated_at_frames(np.asarray([time], dtype=np.float64) * self._fps)[0]

    def poses(self, times: object) -> Array:
        """Return the poses at many times, shape (m, nq); see ``pose_at``.

        Args:
            times: Shape (m,), [s].

        Raises:
            SequenceError: If a time is not finite.
        """
        return self.poses_at_frames(np.asarray(times, dtype=np.float64) * self._fps)

    def pose_at_frame(self, frame: float) -> Array:
        """Return the pose at a frame number, whole or not, shape (nq,); see ``pose_at``."""
        return self.poses_at_frames([frame])[0]

    def poses_at_frames(self, frames: object) -> Array:
        """Return the poses at many frame numbers, whole or not, shape (m, nq); see ``pose_at``."""
        cycled = self.cycled
        return self._held_at_frames(frames) if cycled is None else cycled.at(snapped(self._numbers(frames)))

    def _held_at_frames(self, frames: object) -> Array:
        """Return the poses at many frame numbers without cycles, shape (m, nq)."""
        if self._ensemble is not None:  # it may know them already
            held = self._ensemble.held(self._ensemble.index(self), snapped(self._numbers(frames)))
        else:
            held = self._locks.held(frames, self.interpolated_at_frames(frames))
        return followed(self.skeleton, held) if self._locks.in_effect and follows_of(self.skeleton) else held

    def interpolated_at_frames(self, frames: object) -> Array:
        """Return the poses at many frame numbers without locks, shape (m, nq); see ``pose_at``."""
        if not self._layers:
            return self.base_at_frames(frames)
        numbers = snapped(self._numbers(frames))
        return self.layered.added(numbers, self.base_at_frames(numbers))

    def base_for(self, frame: float, pose: Array, shown: Array) -> Array:
        """Return what the keys must say at a frame for a pose to be seen there through the layers, shape (nq,).

        Args:
            frame: The frame.
            pose: The pose, shape (nq,).
            shown: The one that is seen there now; where both are the same the keys keep what they say.
        """
        if not self._layers:
            return pose
        return self.layered.without(frame, shown, self.base_at_frames([frame])[0], pose)

    def base_at_frames(self, frames: object) -> Array:
        """Return what the keys alone say at many frame numbers, without layers and locks, shape (m, nq)."""
        numbers = self._numbers(frames)
        if not self._keys:
            return np.tile(self.skeleton.rest_pose(), (len(numbers), 1))
        poses = paced_poses(self.tracks, numbers, self.timing.curves, self.timing.root_speed)
        return followed(self.skeleton, poses) if follows_of(self.skeleton) else poses

    def root_places(self, frames: object) -> Array:
        """Return the root's three translations at many frame numbers, ``poses_at_frames(frames)[:, :3]``, [m].

        Whole poses are worked out only where locks are in effect: for dense keys a hundred times as quick.
        """
        numbers = self._numbers(frames)
        if self._layers and self.layered.moves[:3].any():
            return self.poses_at_frames(numbers)[:, :3]
        if not self._keys:
            return np.zeros((len(numbers), 3)) + self.skeleton.rest_pose()[:3]
        places = paced_places(self.tracks, numbers, self.timing.curves, self.timing.root_speed)
        if self._locks.in_effect or self._locks.shared:
            held = self._locks.holding.moved(snapped(numbers))
            if held.any():
                places[held] = self.poses_at_frames(numbers[held])[:, :3]
        cycled = self.cycled
        if cycled is not None:
            beyond = cycled.beyond(numbers)
            if beyond.any():
                places[beyond] = self.poses_at_frames(numbers[beyond])[:, :3]
        return places

    def pose_of(self, key: Key) -> Array:
        """Return the pose at a key's frame: the key's own values, and where it has none those of the keys around.

        Timing curves, the root's speed, layers and locks do not count.

        Returns:
            Shape (nq,); the key's own array if it holds all channels.
        """
        if key.keyed is None:
            return key.q
        there = self.tracks.pose(key.frame) if self._keys else self.skeleton.rest_pose()
        return np.where(self.channels.mask(key.keyed), key.q, there)

    @property
    def motion(self) -> Motion:
        """What its locks hold on to where it is alone."""
        alone = self._ensemble is None or not self._locks.name_other_figures
        # Keys that rules made together with the locks never leave these: nothing needs to be looked for.
        made = self.gait is not None and not self._layers and self._locks.made_by_rules
        return Motion(
            self.skeleton, self._keyed_frames, self.interpolated_at_frames, self._fps, gives_up=alone and not made
        )  # fmt: skip

    def _holding(self) -> Holding:
        """Return what holds the locks as they are."""
        if self._ensemble is None:
            return Holding(self.motion, LockTimes(tuple(self._locks), self._locks.strips))
        return PartnerHolding(self._ensemble, self._ensemble.index(self), self.motion)

    def _keyed_frames(self, joints: tuple[int, ...]) -> Array:
        """Return the frames at which keys of joints are shown, ascending."""
        frames = [
            shown_frames(self._keys.channel_frames(name).astype(np.float64), self.timing.curves, name)
            for name in self.channels.of_joints(joints)
        ]
        return np.unique(np.concatenate([np.empty(0), *frames]))

    @staticmethod
    def _numbers(frames: object) -> Array:
        numbers = np.asarray(frames, dtype=np.float64).reshape(-1)
        if not np.isfinite(numbers).all():
            raise SequenceError("a time that is not finite has no pose")
        return numbers

    @property
    def goes_round(self) -> bool:
        """Whether the last key goes on with the first one: if it loops, or the same round follows."""
        return self._loop or self._cycles[0] in (REPEAT, OFFSET) or self._cycles[1] in (REPEAT, OFFSET)

    @property
    def tracks(self) -> Tracks:
        """The curves through the keys, of which there must be one; made anew when keys have changed."""
        if self._tracks is None:
            self._tracks, self._stale = Tracks(self.skeleton, self._keys, self._stale, self.goes_round), None
        return self._tracks

    def __repr__(self) -> str:
        return f"Sequence({self.name!r}, {len(self._keys)} keys, {self._fps:g} fps, figure {self.skeleton.name!r})"
