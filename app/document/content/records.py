"""Keys, sequences and figures as JSON records, exact to the last bit: the form commands, journal and state share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from core.animation.carried_keys import ChannelMap
from core.animation.channels import channels_of
from core.animation.curves.timing_curves import SpeedCurve, TimingCurve
from core.animation.cycles import NO_CYCLES
from core.animation.hybrid_strips import HybridStrip, fitting, hybrid_from_json, hybrids_to_json, renamed
from core.animation.key import Key
from core.animation.key_records import (
    curve_points,
    curve_to_json,
    key_from_json,
    key_to_json,
    timings_from_json,
    timings_to_json,
)
from core.animation.layers.carried import carried_layers
from core.animation.layers.layer import Layer, layer_from_json, layer_to_json
from core.animation.locks.strip import LockStrip, strip_from_json, strip_to_json
from core.animation.marker import marker_from_json, marker_to_json
from core.animation.script.written import follow, script_from_json
from core.animation.sequence import Sequence
from core.animation.shot_camera import NO_CAMERA, camera_from_json, camera_to_json
from core.constraints import lock_for, lock_from_json, lock_to_json
from core.constraints.counterpart import lock_for_other
from core.constraints.lock import Lock
from core.errors import FormatError, Problem
from core.keyed_curves.keys import Place, placed_keys
from core.skeleton import Skeleton
from core.skeleton.figure_parts import full_name, split_name
from core.skeleton.skeleton import Rerooted


class _Codec(NamedTuple):
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


def _as_it_is(value: Any) -> Any:
    return value


_ROOT_SPEED = _Codec(
    lambda curve: None if curve is None else curve_to_json(curve),
    lambda points: None if points is None else SpeedCurve(curve_points(points)),
)
_MARKERS = _Codec(
    lambda markers: [marker_to_json(marker) for marker in markers],
    lambda records: tuple(marker_from_json(record) for record in records),
)
_CODECS: dict[str, _Codec] = {
    "range": _Codec(list, tuple),
    "timings": _Codec(timings_to_json, timings_from_json),
    "root_speed": _ROOT_SPEED,
    "markers": _MARKERS,
    "cycles": _Codec(list, tuple),
    "camera": _Codec(camera_to_json, camera_from_json),
}

SEQUENCE_VALUES: tuple[str, ...] = (
    "name",
    "menu",
    "fps",
    "loop",
    "range",
    "holds",
    "timings",
    "root_speed",
    "markers",
    "audio",
    "gait",
    "cycles",
    "camera",
    "script",
)


def sequence_value(sequence: Sequence, name: str) -> Any:
    """Return a sequence's value as JSON keeps it; a range without an end of its own is ``[first, None]``."""
    if name == "range":
        return [sequence.range[0], None if sequence.ends_with_last_key else sequence.range[1]]
    return written_value(name, sequence.value(name))


def written_value(name: str, value: Any) -> Any:
    """Return a value as JSON keeps it."""
    return _CODECS[name].write(value) if name in _CODECS else value


def read_value(name: str, record: Any) -> Any:
    """Return the value that JSON kept.

    Raises:
        core.errors.CoreError: If it is not valid.
    """
    return _CODECS[name].read(record) if name in _CODECS else record


def renamed_joints(old: Skeleton, new: Skeleton) -> dict[str, str]:
    """Return the new names of joints that were renamed: at the same place, with the same parent, and new."""
    if len(old.joints) != len(new.joints):
        return {}
    known = set(old.joint_names)
    return {
        a.name: b.name
        for a, b in zip(old.joints, new.joints, strict=True)
        if a.name != b.name and a.parent == b.parent and b.name not in known
    }


def same_frames(old: Skeleton, new: Skeleton) -> bool:
    """Return whether all joints of two figures hang on each other in the same way, to the bit."""
    return len(old.joints) == len(new.joints) and all(
        a.parent == b.parent
        and all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("offset", "orientation", "scale"))
        for a, b in zip(old.joints, new.joints, strict=True)
    )


def carried_lock(lock: Lock, old: Skeleton, new: Skeleton) -> Lock | None:
    """Return a lock of a figure for what became of the figure; None if a part that it needs is gone."""
    if old is new:
        return lock
    return lock_for(lock, old, new, renamed_joints(old, new))


def carried_strip(strip: LockStrip, old: Skeleton, new: Skeleton) -> LockStrip | None:
    """Return a strip of a figure for what became of the figure, its target keys too; None if its part is gone."""
    lock = carried_lock(strip.lock, old, new)
    if lock is None or lock is strip.lock:
        return None if lock is None else strip

    def carried(target: Any) -> Any:
        there = carried_lock(replace(strip.lock, target=target), old, new)
        return target if there is None else there.target

    targets = strip.targets  # to the bit where all joints are where they were
    if not same_frames(old, new):
        targets = tuple(key.elsewhere(strip.lock.rule, carried) for key in strip.targets)
    formula, names = strip.formula, renamed_joints(old, new)
    if formula is not None and lock.rule.by_equation:
        texts = [lock.rule.renamed_target(text, lambda joint: names.get(joint, joint)) for text in formula.numbers]
        formula = replace(formula, numbers=tuple(texts))
    return replace(strip, lock=lock, targets=targets, formula=formula)


def carried_hybrids(strips: tuple[HybridStrip, ...], old: Skeleton, new: Skeleton) -> tuple[HybridStrip, ...]:
    """Return the hybrid strips of a figure for what became of the figure; joints that are gone are left out."""
    if old is new or not strips:
        return strips
    new_names, there = renamed_joints(old, new), set(new.joint_names)
    names = {name: new_names.get(name, name if name in there else None) for name in old.joint_names}
    return fitting(renamed(strips, names), new)


Record = dict[str, Any]
FORCE_KEYS = ("activation",)
"""What of a force can be keyed, by its name in the force's record: a number, or pairs of time [s] and number."""


AllLocks = tuple[tuple[Lock, ...], tuple[LockStrip, ...], tuple[HybridStrip, ...], tuple[Layer, ...], Any]
"""The locks of a sequence that hold at all times, its lock strips, its hybrid strips, its layers and its script: all
that names joints beside its keys."""


def all_locks_to_json(locks: AllLocks, skeleton: Skeleton) -> list[Any]:
    """Return the records of a sequence's locks and of its strips."""
    always, strips, hybrid, layers, script = locks
    return [
        [lock_to_json(lock, skeleton) for lock in always],
        [strip_to_json(strip, skeleton) for strip in strips],
        hybrids_to_json(hybrid),
        [layer_to_json(layer) for layer in layers],
        script,
    ]


def all_locks_from_json(record: list[Any], skeleton: Skeleton) -> AllLocks:
    """Return the locks and strips of records.

    Raises:
        core.errors.CoreError: If a value is not valid for the figure.
    """
    missing: tuple[Any, ...] = ([], [], None)[len(record) - 2 :]  # those of earlier versions are shorter
    always, strips, hybrid, layers, script = [*record, *missing]
    return (
        tuple(lock_from_json(lock, skeleton) for lock in always),
        tuple(strip_from_json(strip, skeleton) for strip in strips),
        tuple(hybrid_from_json(strip) for strip in hybrid),
        tuple(layer_from_json(layer, skeleton) for layer in layers),
        script,
    )


_PLAIN = ("script", "audio", "gait")
_TIMED = ("timings", "root_speed", "markers")


def sequence_to_json(sequence: Sequence, figure: int) -> Record:
    """Return the record of a sequence that moves figure number ``figure``."""
    first, last = sequence.range
    return {
        "name": sequence.name,
        "menu": sequence.menu,
        "figure": figure,
        "fps": sequence.fps,
        "loop": sequence.loop,
        "range": [first, None if sequence.ends_with_last_key else last],
        "keys": [key_to_json(key) for key in sequence.keys],
        "strips": [strip_to_json(strip, sequence.skeleton) for strip in sequence.locks.strips],
        "locks": [lock_to_json(lock, sequence.skeleton) for lock in sequence.locks],
        "holds": sequence.locks.holds,
        **({"hybrid": hybrids_to_json(sequence.hybrid_strips)} if sequence.hybrid_strips else {}),
        **({"layers": [layer_to_json(layer) for layer in sequence.layers]} if sequence.layers else {}),
        **{name: getattr(sequence, name) for name in _PLAIN},
        **{name: sequence_value(sequence, name) for name in _TIMED if sequence.value(name)},
        **({"cycles": list(sequence.cycles)} if sequence.cycles != NO_CYCLES else {}),
        **({"camera": camera_to_json(sequence.camera)} if sequence.camera != NO_CAMERA else {}),
        "extra": dict(sequence.extra),
    }


def sequence_from_json(record: Mapping[str, Any], skeleton: Skeleton) -> Sequence:
    """Return the sequence of a record, for the given figure.

    Raises:
        core.errors.CoreError: If a value is not valid for the figure.
    """
    first, last = record["range"]
    sequence = Sequence(
        skeleton,
        record["fps"],
        record["name"],
        first,
        last,
        record["menu"],
        record["loop"],
        [key_from_json(key) for key in record["keys"]],
    )
    sequence.locks.strips = tuple(strip_from_json(strip, skeleton) for strip in record.get("strips", ()))
    sequence.locks = [lock_from_json(lock, skeleton) for lock in record.get("locks", ())]
    sequence.locks.holds = record.get("holds", True)
    sequence.hybrid_strips = tuple(hybrid_from_json(strip) for strip in record.get("hybrid", ()))
    sequence.layers = tuple(layer_from_json(layer, skeleton) for layer in record.get("layers", ()))
    for name in _PLAIN:
        setattr(sequence, name, record.get(name))
    sequence.put({name: read_value(name, record[name]) for name in _TIMED if name in record})
    sequence.cycles = record.get("cycles", NO_CYCLES)
    sequence.camera = camera_from_json(record.get("camera"))
    sequence.extra = dict(record["extra"])
    return sequence


def sequence_for(
    sequence: Sequence,
    skeleton: Skeleton,
    keys: Iterable[Key] | None = None,
    timings: Mapping[str, TimingCurve] | None = None,
) -> Sequence:
    """Return a copy of a sequence that moves another figure.

    Args:
        sequence: The sequence.
        skeleton: The other figure.
        keys: Keys for it; None for those of the sequence, whose figure has the same degrees of freedom.
        timings: Timing curves for it; None for those of the sequence likewise.
    """
    first, last = sequence.range
    old = sequence.skeleton
    if keys is None or timings is None:
        there = channel_map(old, skeleton)
        if keys is None:
            keys = sequence.keys if there is None else there.keys(sequence.keys)
        if timings is None:
            timings = sequence.timing.curves if there is None else there.by_channel(sequence.timing.curves)
    copy = Sequence(
        skeleton,
        sequence.fps,
        sequence.name,
        first,
        None if sequence.ends_with_last_key else last,
        sequence.menu,
        sequence.loop,
        keys,
    )
    copy.locks = [lock for lock in (carried_lock(lock, old, skeleton) for lock in sequence.locks) if lock is not None]
    strips = (carried_strip(strip, old, skeleton) for strip in sequence.locks.strips)
    copy.locks.strips = tuple(strip for strip in strips if strip is not None)
    copy.hybrid_strips = carried_hybrids(sequence.hybrid_strips, old, skeleton)
    names = {} if old is skeleton else renamed_joints(old, skeleton)
    copy.layers = carried_layers(sequence.layers, old, skeleton, names)
    copy.locks.holds, copy.companions = sequence.locks.holds, sequence.companions
    for name in _PLAIN:
        setattr(copy, name, getattr(sequence, name))
    copy.script = carried_script(sequence, copy)
    copy.timing.curves, copy.timing.root_speed, copy.markers = timings, sequence.timing.root_speed, sequence.markers
    copy.cycles, copy.camera, copy.extra = sequence.cycles, sequence.camera, sequence.extra
    return copy


def own_copy(sequence: Sequence) -> Sequence:
    """Return a sequence and those it goes with for work beside the window: what the window does does not reach it."""
    own = sequence_for(sequence, sequence.skeleton)
    own.companions = {name: sequence_for(each, each.skeleton) for name, each in sequence.companions.items()}
    return own


def carried_script(sequence: Sequence, copy: Sequence) -> Any:
    """Return the record of a sequence's script for a copy of it whose figure or strips are others."""
    return followed_script(sequence, copy.locks.strips, copy.skeleton)


def followed_script(sequence: Sequence, after: Iterable[LockStrip], skeleton: Skeleton | None = None) -> Any:
    """Return the record of a sequence's script once its strips are others.

    Args:
        sequence: The sequence.
        after: The strips then.
        skeleton: Its figure then; None for the one that it has.
    """
    script = script_from_json(sequence.script)
    before, then = sequence.locks.strips, tuple(after)
    if script is None or (len(before) == len(then) and all(a is b for a, b in zip(before, then, strict=True))):
        return sequence.script
    others = {name: other.skeleton for name, other in sequence.companions.items()}
    return follow(script, before, then, skeleton or sequence.skeleton, others).to_json()


def channel_map(old: Skeleton, new: Skeleton) -> ChannelMap | None:
    """Return where channels go when a figure with the same degrees of freedom takes a figure's place.

    None if they stay as they are, or it has others, for which whoever changed it must say so.
    """
    if old is new or (old.dof_names == new.dof_names and old.compounds == new.compounds) or old.nq != new.nq:
        return None
    return ChannelMap.of(channels_of(old), channels_of(new), range(new.nq))


@dataclass(frozen=True, eq=False)
class Figure:
    """A figure of the document, with the text it was read from.

    Attributes:
        skeleton: The figure.
        text: Its .scr text; None if it was changed or made here: then it is written when asked for.
        source: Where its file lies, an absolute path or ``"skeletons:NAME.scr"``; None if there is none.
        extra: Members of the project file's record that this version does not know; kept and written back.
        title: Name of the figure in the project, if it has another than the skeleton.
        texts: Texts of .pol files that its objects were read from, as far as they came with the project.
    """

    skeleton: Skeleton
    text: str | None = None
    source: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    title: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the project calls the figure."""
        return self.title if self.title is not None else self.skeleton.name

    @cached_property
    def scr(self) -> str:
        """The .scr text that makes this figure."""
        from core.skeleton import write_scr

        return self.text if self.text is not None else write_scr(self.skeleton)

    @cached_property
    def objects(self) -> Mapping[str, str]:
        """Texts of the .pol files that travel with the figure, by name: of polygons that lie in no file beside it."""
        from core.skeleton.objects.traveling import traveling_texts

        return traveling_texts(self.skeleton, self.texts)

    @property
    def file_name(self) -> str:
        """Name of the figure's file, or the figure's own name with ``.scr``."""
        return PurePath(self.source.rpartition(":")[2]).name if self.source else f"{self.skeleton.name}.scr"

    def to_json(self) -> Record:
        """Return the figure's record."""
        record = {"name": self.name, "scr": self.scr, "source": self.source, "extra": dict(self.extra)}
        return {**record, "objects": dict(self.objects)} if self.objects else record

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Figure:
        """Return the figure of a record; object files that did not travel with it are looked for beside its source.

        Raises:
            core.errors.FormatError: If the text is not a valid skeleton file, or an object's no .pol file.
        """
        from core.formats.project import resolved_source
        from core.skeleton import read_pol, read_scr

        path = resolved_source(record["source"], None)
        name = path.name if path is not None else f"{record['name']}.scr"
        texts = dict(record.get("objects", {}))
        for file, text in texts.items():
            if not isinstance(text, str):
                raise FormatError(Problem(file, 0, 0, "is not text; expected that of a .pol file"))
        meshes = {file: read_pol(text, file) for file, text in texts.items()}
        skeleton = read_scr(record["scr"], name, path.parent if path is not None else None, path, meshes)
        title = record["name"] if record["name"] != skeleton.name else None
        return cls(skeleton, record["scr"], record["source"], dict(record["extra"]), title, texts)


def carried_physics(record: Record, names: Mapping[str, str | None], first: str = "") -> Record:
    """Return settings of physics, as a file has them, for what became of parts.

    What is attached to a part that was renamed goes along; what is attached to one that is gone is left out.

    Args:
        record: The settings.
        names: New names of parts by old ones, None for one that is gone; others stay.
        first: Name of the first figure, on which strands hang that name none.
    """
    if all(name == now for name, now in names.items()):
        return record
    changed = dict(record)
    ends = ("part", "other")
    for kind, places in (("strings", ends), ("forces", ("body", "other", "joint", "bodies")), ("strands", ends)):
        found = []
        for item in record.get(kind, ()):
            own = dict(item)
            if kind == "strands":  # they name their figure and its joints apart
                found += carried_strand(own, names, first)
                continue
            for place in places:
                value = own.get(place)
                if isinstance(value, str):
                    own[place] = names.get(value, value)
                elif isinstance(value, (list, tuple)):
                    own[place] = [names.get(each, each) for each in value]
            gone = [own.get(place) is None and item.get(place) is not None for place in places]
            if not any(gone) and None not in own.get("bodies", ()):
                found.append(own)
        if kind in record:
            changed[kind] = found
            if not found:
                del changed[kind]
    return changed


def carried_strand(record: Record, names: Mapping[str, str | None], first: str) -> list[Record]:
    """Return the record of a strand for what became of parts, in a list; none if a part of it is gone.

    Args:
        record: Of the strand.
        names: New full names of parts by old ones, None for one that is gone; others stay.
        first: Name of the first figure, whose strands need not name it.
    """
    own = dict(record)
    for place in ("part", "other"):
        if record.get(place) is None:
            continue
        before = full_name(record.get("figure") or first, record[place])
        now = names.get(before, before)
        if now is None:
            return []
        figure, own[place] = split_name(now)
        if record.get("figure"):
            own["figure"] = figure
    return [own]


def with_figures_named(record: Record, first: str) -> Record:
    """Return settings of physics, as a file has them, whose strands all name their figure."""
    if "strands" not in record:
        return record
    return {**record, "strands": [{**each, "figure": each.get("figure") or first} for each in record["strands"]]}


def retimed_physics(record: Record, place: Place, fps: float, fps_after: float | None = None) -> Record:
    """Return settings of physics, as a file has them, after frames of the sequence went elsewhere.

    What forces have keyed goes along. Where all keys of one are taken away it stays as at the last of them.

    Args:
        record: The settings.
        place: Where each frame goes.
        fps: Frames a second of the sequence.
        fps_after: Frames a second of it then, if they change.
    """
    rate = fps if fps_after is None else fps_after
    forces = []
    for force in record.get("forces", ()):
        own = dict(force)
        for name in FORCE_KEYS:
            keys = own.get(name)
            if isinstance(keys, (list, tuple)) and keys and all(np.shape(key) == (2,) for key in keys):
                frames = tuple((round(time * fps, 6), value) for time, value in keys)
                moved = placed_keys(frames, place)
                if moved != frames or rate != fps:
                    own[name] = [[frame / rate, value] for frame, value in moved] or keys[-1][1]
        forces.append(own)
    return record if forces == list(record.get("forces", ())) else {**record, "forces": forces}


def renamed_figure_in(sequence: Sequence, old: Skeleton, new: Skeleton) -> Sequence:
    """Return a sequence of another figure, where its locks name this one by what it is called now.

    The sequence itself comes back if there is nothing to change, else a copy.
    """
    names = renamed_joints(old, new)
    if old.name == new.name and not names and not isinstance(new, Rerooted) and not isinstance(old, Rerooted):
        return sequence

    def carried(strip: LockStrip) -> LockStrip:
        def there(target: Any) -> Any:
            return lock_for_other(replace(strip.lock, target=target), old, new, names).target

        lock, formula = lock_for_other(strip.lock, old, new, names), strip.formula
        if formula is not None and lock.rule.by_equation:
            texts = [
                lock.rule.refigured_target(text, old.name, new.name, lambda joint: names.get(joint, joint))
                for text in formula.numbers
            ]
            formula = replace(formula, numbers=tuple(texts))
        targets = tuple(key.elsewhere(lock.rule, there) for key in strip.targets)
        return replace(strip, lock=lock, targets=targets, formula=formula)

    locks = [lock_for_other(lock, old, new, names) for lock in sequence.locks]
    strips = [carried(strip) for strip in sequence.locks.strips]
    if locks == list(sequence.locks) and strips == list(sequence.locks.strips):
        return sequence
    copy = sequence_for(sequence, sequence.skeleton)
    copy.locks, copy.locks.strips = locks, tuple(strips)
    copy.script = carried_script(sequence, copy)
    return copy
