"""What the renderer draws for a view, from the scene and the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.marks import bones
from app.marks.both_sides import helping
from app.render.picture import Picture

if TYPE_CHECKING:
    from app.views.view import View


def picture_for(view: View) -> Picture:
    """Return what the renderer should draw."""
    scene, session = view.host.scene, view.host.document.session
    chain, shown, keyed = session.drag.chain, session.view.overlays, scene.physics.ghost
    ghosts = [(ghost.poses, ghost.token, ghost.strength) for ghost in scene.ghosts]
    return Picture(
        poses=scene.body_poses if scene.skeleton is not None else None,
        ghosts=ghosts if keyed is None else [keyed],
        ghost_joints=scene.ghost_figures.joints if keyed is None else None,
        hover=set() if chain is not None or session.view.hover is None else {session.view.hover},
        selected=set(view.host.document.selection.joints),
        chain=set(session.view.flash if chain is None else chain.joints),
        **(scene.locks.helping() if chain is None else helping(session, scene.skeleton, chain.joints)),
        grid=bool(shown.get("grid", True)),
        silhouette=bool(shown.get("silhouette", False)),
        small=view.small,
        scale=view.devicePixelRatioF(),
        body=bones.SEEN_THROUGH if scene.at_rest else scene.physics.opacity,
        loose=scene.at_rest,
        physics=scene.physics.picture,
        solids=scene.world_around.solids,
        ground=scene.world_around.ground,
    )
