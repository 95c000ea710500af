"""Where parts are now that something can be attached to, by the names that lines know them by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.physics.line_edits import body_names
from core.arrays import Array
from core.kinematics import forward_kinematics
from core.skeleton.figure_parts import full_name

if TYPE_CHECKING:
    from app.document.document import Document


def part_frames(document: Document) -> dict[str, Array]:
    """Return world frames of rigid bodies and of joints, shape (4, 4), by name.

    Joints of the active figure have their own names; where there are several figures all have full ones too.
    """
    settings, sample, model = document.physics.settings.now, document.physics.current, document.model
    poses = [body.X_WB for body in settings.rigid_bodies] if sample is None else sample.rigid_bodies
    frames = dict(zip(body_names(settings), poses, strict=False))
    skeleton = document.skeleton
    if skeleton is None:
        return frames
    others = [each.pose_at_frame(document.frame) for each in model.others] if sample is None else sample.others
    shown = [(skeleton, document.physics.pose)]
    shown += [(each.skeleton, q) for each, q in zip(model.others, others, strict=False)]
    for k, (name, (figure, q)) in enumerate(zip(model.names_in_order, shown, strict=False)):
        for joint, pose in zip(figure.joint_names, forward_kinematics(figure, q), strict=True):
            if k == 0:
                frames[joint] = pose
            if len(model.figures) > 1:
                frames[full_name(name, joint)] = pose
    return frames
