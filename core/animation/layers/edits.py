"""Edits of layers: keys on them, and layers merged into what lies under them. Nothing here changes what it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from core.animation import editing
from core.animation.channels import Channels, channels_of
from core.animation.curves.tracks import Tracks
from core.animation.key import Key
from core.animation.layers.layer import Layer, Layers
from core.animation.layers.motion import LayerMotion, acting
from core.animation.layers.offsets import with_offset
from core.animation.layers.track import LayerTrack
from core.animation.locks.strip import new_id
from core.animation.retiming import made_key
from core.animation.sequence import Sequence
from core.animation.shape import Shape
from core.animation.sorted_keys import Keys
from core.arrays import Array
from core.errors import SequenceError
from core.skeleton import Skeleton

TOLERANCE = 0.002
"""How far a merged motion may be from the one before between keys, [m] and [rad]."""
_ROUNDS = 24
_MOST_THINNED = 300  # of added keys it takes seconds to try each

Evaluate = Callable[[Keys, Array], Array]


def new_layer(skeleton: Skeleton, name: str) -> Layer:
    """Return a layer without keys."""
    return Layer(new_id(), name, Keys(skeleton))


def free_name(layers: Iterable[Layer], wanted: str = "Layer") -> str:
    """Return a name that no layer has: the wanted one, with the next number behind it if that is taken."""
    names = {layer.name for layer in layers}
    if wanted not in names:
        return wanted
    return next(name for k in range(2, len(names) + 3) if (name := f"{wanted} {k}") not in names)


def keyed(layer: Layer, frame: int, offset: Array, names: Iterable[str]) -> Layer:
    """Return a layer with a key at a frame.

    Args:
        layer: The layer.
        frame: The frame; a key that is there keeps the channels that are not named.
        offset: Values of the key, shape (nq,).
        names: Channels that are keyed, at least one; those outside its mask are left out.

    Raises:
        SequenceError: If its mask leaves out all of them.
    """
    channels = channels_of(layer.skeleton)
    wanted = channels.checked(names)
    own = wanted if layer.mask is None else wanted & layer.mask
    if not own:
        part = sorted(wanted)[0] or "the place of the root"
        raise SequenceError(f'layer "{layer.name}" does not move {part}; add it to the parts of the layer')
    key = made_key(channels, layer.keys.at(frame), frame, offset, None if own == channels.all else own)
    return replace(layer, keys=layer.keys.changed({key.frame: key}))


def place_of(layers: Layers, id: str) -> int:
    """Return the place of a layer.

    Raises:
        SequenceError: If there is none with that id.
    """
    for place, layer in enumerate(layers):
        if layer.id == id:
            return place
    raise SequenceError("that layer is not there any more")


def merged_down(sequence: Sequence, id: str, tolerance: float = TOLERANCE, dense: bool = False) -> tuple[Keys, Layers]:
    """Return the keys and layers of a sequence after a layer was merged into what is under it: a layer, or the keys.

    At the keys of either the motion is what it was. Between them keys are added where it would be farther away than
    the tolerance at a whole frame.

    Args:
        sequence: The sequence.
        id: Id of the layer.
        tolerance: [m] and [rad].
        dense: Whether there is a key at every frame from the first to the last of the layer and of what is under it.

    Raises:
        SequenceError: If there is no such layer, it or the one under it is muted, or timing curves move the keys.
    """
    layers = sequence.layers
    place = place_of(layers, id)
    layer, rest = layers[place], (*layers[:place], *layers[place + 1 :])
    if not layer.keys:
        return sequence.keys, rest
    _check_seen(layers, layer)
    if place == 0:
        return _onto_keys(sequence, (replace(layer, solo=False),), tolerance, dense), rest
    under = layers[place - 1]
    _check_seen(layers, under)
    made = _onto_layer(under, layer, tolerance, dense)
    return sequence.keys, (*layers[: place - 1], made, *layers[place + 1 :])


def flattened(sequence: Sequence, tolerance: float = TOLERANCE, dense: bool = False) -> Keys:
    """Return the keys of a sequence with all layers that act merged into them; arguments as of ``merged_down``.

    Raises:
        SequenceError: If timing curves move the keys.
    """
    return _onto_keys(sequence, acting(sequence.layers), tolerance, dense)


def _check_seen(layers: Layers, layer: Layer) -> None:
    if layer.keys and layer not in acting(layers):
        why = "muted" if layer.muted else "not among the solo layers"
        raise SequenceError(f'layer "{layer.name}" is {why}, so merging would change what is seen')


def _weight_frames(layer: Layer) -> set[int]:
    return {frame for frame, _ in layer.weights}


def _frames_of(layer: Layer, channels: Channels) -> dict[int, frozenset[str]]:
    """Return the channels that a layer keys at frames, and at keys of its weight all those that it moves."""
    moved = frozenset(name for name in channels.all if layer.takes(name) and len(layer.keys.channel_frames(name)))
    found = {key.frame: names for key in layer.keys if (names := moved if key.keyed is None else moved & key.keyed)}
    return {**found, **dict.fromkeys(_weight_frames(layer), moved)} if moved else {}


def _onto_keys(sequence: Sequence, layers: Layers, tolerance: float, dense: bool) -> Keys:
    if sequence.timing.in_use:
        raise SequenceError("timing curves show keys at other frames; take the timing away before merging layers")
    skeleton, channels = sequence.skeleton, sequence.channels
    motion = LayerMotion(skeleton, layers)
    wanted: dict[int, frozenset[str]] = {}
    for layer in layers:
        for frame, names in _frames_of(layer, channels).items():
            wanted[frame] = wanted.get(frame, frozenset()) | names
    moved = frozenset().union(*wanted.values())
    for key in sequence.keys:
        own = moved if key.keyed is None else moved & key.keyed
        if own:
            wanted[key.frame] = wanted.get(key.frame, frozenset()) | own

    def target(frames: Array) -> Array:
        return motion.added(frames, sequence.base_at_frames(frames))

    def evaluate(keys: Keys, frames: Array) -> Array:
        trial = Sequence(skeleton, loop=sequence.loop, keys=keys)
        trial.cycles = sequence.cycles
        return trial.base_at_frames(frames)

    return _refined(sequence.keys, wanted, moved, target, evaluate, tolerance, dense)


def _onto_layer(under: Layer, layer: Layer, tolerance: float, dense: bool) -> Layer:
    skeleton, channels = under.skeleton, channels_of(under.skeleton)
    wanted = _frames_of(under, channels)
    for frame, names in _frames_of(layer, channels).items():
        wanted[frame] = wanted.get(frame, frozenset()) | names
    moved = frozenset().union(*wanted.values())
    mask = None if under.mask is None or layer.mask is None else under.mask | layer.mask
    tracks = [LayerTrack(each) for each in (under, layer) if each.keys]

    def target(frames: Array) -> Array:
        made = np.zeros((len(frames), skeleton.nq))
        for track in tracks:
            made = with_offset(skeleton, made, track.weighted(frames))
        return made

    def evaluate(keys: Keys, frames: Array) -> Array:
        return Tracks(skeleton, keys, bounded=False).poses_at(frames)

    kept = Keys(skeleton, [key for key in under.keys if moved & (key.keyed or channels.all)])
    if under.mask is not None:
        parts = {key.frame: names for key in kept if (names := (key.keyed or channels.all) - under.mask)}
        kept = Keys(skeleton, editing.removed(kept, parts, channels)) if parts else kept
    keys = _refined(kept, wanted, moved, target, evaluate, tolerance, dense)
    solo = under.solo or layer.solo
    return replace(under, keys=keys, weight=1.0, weights=(), mask=mask, solo=solo)


def _refined(
    keys: Keys,
    wanted: dict[int, frozenset[str]],
    moved: frozenset[str],
    target: Callable[[Array], Array],
    evaluate: Evaluate,
    tolerance: float,
    dense: bool,
) -> Keys:
    """Return keys that follow a motion, with more of them where the first ones do not do.

    Args:
        keys: The keys before.
        wanted: Channels that are keyed at frames.
        moved: Channels that follow the motion.
        target: The motion at frames, shape (m,) to (m, nq).
        evaluate: What keys say at frames.
        tolerance: [m] and [rad].
        dense: Whether every frame is keyed.
    """
    if not wanted:
        return keys
    channels = keys.channels
    first, last = min(wanted), max(wanted)
    every = np.arange(first, last + 1, dtype=np.float64)
    if dense:
        wanted = {int(frame): moved for frame in every}
    poses = target(every)

    def keyed(frames: dict[int, frozenset[str]]) -> Keys:
        return with_keys_at(keys, frames, channels, lambda frame: poses[frame - first])

    if dense:
        return keyed(wanted)

    def errors(made: Keys) -> dict[str, Array]:
        """Return how far each channel is away at every frame."""
        away = np.abs(evaluate(made, every) - poses)
        named = zip(channels.names, channels.columns, strict=True)
        return {name: away[:, columns].max(axis=1) for name, columns in named if name in moved}

    needed = wanted
    for _ in range(_ROUNDS):
        found = False
        for name, error in errors(keyed(wanted)).items():
            for at in _peaks(error, tolerance):
                frame = first + at
                if name not in wanted.get(frame, frozenset()):
                    wanted = {**wanted, frame: wanted.get(frame, frozenset()) | {name}}
                    found = True
        if not found:
            break
    return keyed(_thinned(wanted, needed, lambda frames: errors(keyed(frames)), tolerance))


def _thinned(
    wanted: dict[int, frozenset[str]],
    needed: dict[int, frozenset[str]],
    errors: Callable[[dict[int, frozenset[str]]], dict[str, Array]],
    tolerance: float,
) -> dict[int, frozenset[str]]:
    """Return the channels keyed at frames without those that later ones have made needless.

    A key that came early, where the error was largest, may be within the tolerance once others stand around it.

    Args:
        wanted: Channels that are keyed, by frame.
        needed: Those of them that stay.
        errors: How far each channel is away at every frame, with channels keyed at frames.
        tolerance: [m] and [rad].
    """
    added = [frame for frame in sorted(wanted) if wanted[frame] - needed.get(frame, frozenset())]
    for frame in added if len(added) <= _MOST_THINNED else ():
        rest = needed.get(frame, frozenset())
        away = errors({**wanted, frame: rest} if rest else {at: own for at, own in wanted.items() if at != frame})
        kept = rest | {name for name in wanted[frame] - rest if away[name].max() > tolerance}
        if kept:
            wanted = {**wanted, frame: kept}
        else:
            wanted = {at: own for at, own in wanted.items() if at != frame}
    return wanted


def _peaks(error: Array, tolerance: float) -> list[int]:
    """Return the places of the largest errors, one in each stretch that is over the tolerance."""
    over = np.flatnonzero(error > tolerance)
    if not len(over):
        return []
    runs = np.split(over, np.flatnonzero(np.diff(over) > 1) + 1)
    return [int(run[np.argmax(error[run])]) for run in runs]


def with_keys_at(
    keys: Keys, wanted: dict[int, frozenset[str]], channels: Channels, pose: Callable[[int], Array]
) -> Keys:
    """Return keys with others at some frames; a new one goes on as the span that it divides.

    Args:
        keys: The keys.
        wanted: Channels that are keyed, by frame.
        channels: Those of the figure.
        pose: Returns the pose at one of the frames, shape (nq,), of which these channels count.
    """
    changes: dict[int, Key | None] = {}
    for frame, names in wanted.items():
        old = keys.at(frame)
        if old is None:
            own = None if names == channels.all else names
            shapes = {name: shape for name in sorted(names) if (shape := _shape_there(keys, name, frame)) is not None}
            changes[frame] = Key(frame, pose(frame), keyed=own, shapes=shapes)
            continue
        q = np.where(channels.mask(names), pose(frame), old.q)
        new = names - (old.keyed or channels.all)
        key = old.changed(q=q, keyed=None if old.keyed is None else old.keyed | new)
        shapes = {name: shape for name in sorted(new) if (shape := _shape_there(keys, name, frame)) is not None}
        changes[frame] = key.changed(shapes={**key.shapes, **shapes}) if shapes else key
    return keys.changed(changes)


def _shape_there(keys: Keys, name: str, frame: int) -> Shape | None:
    """Return the shape of the span of a channel that a new key divides; None where there is none."""
    frames = keys.channel_frames(name)
    at = int(np.searchsorted(frames, frame)) - 1
    if at < 0 or at + 1 >= len(frames):
        return None
    before = keys.at(int(frames[at]))
    return None if before is None else replace(before.shape_of(name), slopes_in=None, slopes_out=None, ease=None)
