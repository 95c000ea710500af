"""What a sequence of the library does to the open document: it is put in, or moves the open figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from app.document.content.records import sequence_for
from app.document.edits import edits
from app.document.edits.figure_edits import moved_pose
from app.document.posing.pose_clip import PoseClip
from core.animation import Sequence
from core.animation.clip import Clip
from core.animation.joining.join import last_frame
from core.animation.joining.put_in import PutIn, put_in
from core.animation.layers.edits import flattened
from core.animation.layers.motion import acting
from core.animation.locks.moved import moved_strip
from core.animation.resampling import resampled
from core.arrays import Array
from core.errors import CoreError, PoseError, SequenceError
from core.progress import Progress
from core.skeleton import Skeleton
from core.spatial import se3

if TYPE_CHECKING:
    from app.document.document import Document

MOTION, POSE, FIGURE = "motion", "pose", "figure"
"""What a file of the library is."""
_PASSAGE = 1.0 / 3.0  # from the last key into a sequence that is appended, [s]


def misfit(sequence: Sequence, skeleton: Skeleton) -> str:
    """Return why a sequence cannot move a figure, in one line; "" if their joints are the same."""
    other = sequence.skeleton
    if (other.joint_names, other.dof_names) == (skeleton.joint_names, skeleton.dof_names):
        return ""
    names, known = set(other.joint_names), set(skeleton.joint_names)
    strange = next((name for name in other.joint_names if name not in known), None)
    missing = next((name for name in skeleton.joint_names if name not in names), None)
    if strange is not None:
        why = f'it moves a joint "{strange}" that {skeleton.name} does not have'
    elif missing is not None:
        why = f'it lacks the joint "{missing}" of {skeleton.name}'
    else:
        why = f"its joints move differently from those of {skeleton.name}"
    return f'"{sequence.name}" belongs to {other.name}: {why}'


def kind_of(sequence: Sequence) -> str:
    """Return what a file of the library is: a motion, a pose (one key) or a figure (none), such as a prop."""
    return kind_of_keys(len(sequence.keys))


def kind_of_keys(count: int) -> str:
    """Return what a file of the library is by the number of its keys."""
    return MOTION if count > 1 else POSE if count else FIGURE


def apply_pose(document: Document, pose: Sequence, frame: int | None = None, flipped: bool = False) -> bool:
    """Let the open figure take a pose of the library where it stands, as one step; only the selected parts if some are.

    Args:
        document: The document.
        pose: Of a figure that has joints of the same names.
        frame: Frame at which it is keyed; None for the current one, where it is keyed as any edit is.
        flipped: Onto the other side.

    Returns:
        Whether that was possible; if not, the person has been told why.
    """
    skeleton = document.skeleton
    if skeleton is None:
        document.say("info", "Open a figure first, for the pose")
        return False
    chosen = {skeleton.joint_names[joint] for joint in document.selection.joints}
    parts = [number for number, name in enumerate(pose.skeleton.joint_names) if name in chosen]
    clip = PoseClip.of(pose.skeleton, pose.keys[0].q, parts if chosen else None)
    if frame is None:
        return document.posing.paste(clip, flipped=flipped, in_place=True)

    def keyed() -> edits.Commands:
        q, _ = clip.pasted(skeleton, document.model.keyed_pose(frame), flipped, True)
        return edits.key_pose(document.model, frame, q)

    return document.do(f"Key pose {pose.name}", keyed)


def name_sequence(document: Document, name: str, menu: str) -> bool:
    """Give the active sequence its name and the library menu that it is kept in, as one step."""
    return document.do(
        "Name sequence",
        lambda: [
            *edits.sequence_change(document.model, "name", name),
            *edits.sequence_change(document.model, "menu", menu),
        ],
    )


def use_sequence(document: Document, sequence: Sequence) -> bool:
    """Add a sequence of another file to the open figure and show it, as one step; its joints must be the same."""
    skeleton = document.skeleton
    if skeleton is None:
        document.say("info", "Open a figure first, for the sequence to move")
        return False
    why = misfit(sequence, skeleton)
    if why:
        document.say("warning", why)
        return False
    return document.sequences.add(sequence_for(sequence, skeleton))


def clip_for(sequence: Sequence, fps: float) -> Clip:
    """Return all keys and lock strips of a sequence as a clip, at another number of frames a second.

    What layers add goes into the keys.

    Raises:
        SequenceError: If it has no keys.
        CoreError: If its frames cannot be brought to that rate.
    """
    if not sequence.keys:
        raise SequenceError(f'"{sequence.name}" has no keys to insert')
    if acting(sequence.layers):  # a clip has none
        sequence = sequence_for(sequence, sequence.skeleton, flattened(sequence))
        sequence.layers = ()
    first, last = sequence.keys[0].frame, sequence.keys[-1].frame
    if sequence.fps != fps:
        sequence = resampled(sequence, first, last, fps)
        first, last = sequence.keys[0].frame, sequence.keys[-1].frame
    return sequence.copy(first, last)


def moved_clip(clip: Clip, by: Array) -> Clip:
    """Return a clip moved as a whole, the targets of its locks too.

    Args:
        clip: The clip.
        by: Where to, shape (3,), [m].
    """
    keys = tuple(replace(key, q=moved_pose(key.q, by)) for key in clip.keys)
    return replace(
        clip, keys=keys, strips=tuple(moved_strip(strip, se3.transform(translation=by)) for strip in clip.strips)
    )


def insert_sequence(document: Document, sequence: Sequence, frame: int | None = None) -> int | None:
    """Put the keys and locks of a sequence into the open one, as one step; keys from there on make room.

    The figure goes on from where it stands: the whole clip is moved along the ground so that its first key begins
    there. Its height is kept. In an empty sequence it stays where it was made. After the last key there is a third of a
    second to go over into it.

    Args:
        document: The document.
        sequence: Of a figure with the same joints.
        frame: Where its first key goes; None for the current frame.

    Returns:
        Where its first key stands now; None if it was not possible, and the person has been told why.
    """
    skeleton, into = document.skeleton, document.sequence
    if skeleton is None or into is None:
        document.say("info", "Open a figure first, then insert a sequence")
        return None
    at = document.frame if frame is None else frame
    try:
        why = misfit(sequence, skeleton)
        if why:
            raise PoseError(why)
        clip = clip_for(sequence, into.fps)
        if into.keys:
            by = document.model.keyed_pose(at)[:3] - clip.keys[0].q[:3]
            clip = moved_clip(clip, by * [1.0, 0.0, 1.0])
    except CoreError as error:
        document.say("warning", str(error).partition("\n")[0])
        return None
    later = any(key.frame >= at for key in into.keys)
    if into.keys and into.keys[-1].frame == at:
        at, later = at + max(1, round(_PASSAGE * into.fps)), False
    if not document.keys.insert_clip(at, clip, make_room=later, text=f"Insert sequence {sequence.name}"):
        return None
    count = len(clip.keys)
    moved = f"; later keys moved by {clip.length + 1} frames" if later else ""
    document.say("info", f"{sequence.name} inserted at frame {at}: {count} key{'s' * (count != 1)}{moved}")
    return at


def join_for(
    document: Document,
    sequence: Sequence,
    frame: int | None,
    way: str,
    frames: int | None,
    into: Sequence | None = None,
) -> Callable[[Progress | None], PutIn] | None:
    """Return what blends a sequence into the open one as it is now, on any thread: see ``core.animation.joining``.

    What is returned takes a function to report progress to, which may raise ``Cancelled``, and may raise a
    ``CoreError``. None if there is nothing to blend with, and the person has been told so.

    Args:
        document: The document.
        sequence: What comes in.
        frame: Where; None for the current frame.
        way: One of ``core.animation.joining.put_in.WAYS``.
        frames: How long the cross-fades take, [frames]; None for as long as usual.
        into: The open sequence as it was earlier; None for as it is now.
    """
    skeleton, into = document.skeleton, document.sequence if into is None else into
    if skeleton is None or into is None:
        document.say("info", "Open a figure first, then blend a sequence in")
        return None
    if not into.keys:
        document.say("info", f"There are no keys to blend with; insert {sequence.name} instead")
        return None
    at, copy = document.frame if frame is None else frame, sequence_for(into, into.skeleton)

    def join(progress: Progress | None = None) -> PutIn:
        why = misfit(sequence, skeleton)
        if why:
            raise PoseError(why)
        own = sequence_for(sequence, skeleton)
        if own.fps != copy.fps:
            own = resampled(own, own.range[0], last_frame(own), copy.fps)
        return put_in(copy, own, at, way, frames, progress=progress)

    return join


def keep_join(document: Document, name: str, made: PutIn) -> bool:
    """Take a join as one step into the sequence that it was made of; return whether that was possible."""
    into = document.sequence
    assert into is not None
    if not document.do(f"Blend in {name}", lambda: edits.sequence_values(document.model, made.values(into))):
        return False
    document.say("info", join_told(name, made))
    return True


def join_told(name: str, made: PutIn) -> str:
    """Return what came of a join, in a line."""
    seam = made.seams[0]
    parts = [f"{name} blended in over {seam.frames} frames from frame {seam.before}"]
    if seam.foot_names:
        stay = "stays where it is" if len(seam.foot_names) == 1 else "stay where they are"
        parts.append(f"the {' and the '.join(seam.foot_names)} {stay}")
    if sum(made.skipped):
        parts.append(f"{sum(made.skipped)} of its frames are left out for the feet to match")
    if made.lost:
        parts.append(f"{made.lost} frames of the sequence gave way")
    return "; ".join([*parts, *(note[:1].lower() + note[1:] for note in made.notes)])
