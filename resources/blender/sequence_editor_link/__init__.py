"""Sends the active armature to Sequence Editor and takes the motion back, over a folder that both watch.

Blender loads this package, and nothing of the editor. ``armature_file`` and ``folders`` need no Blender.
"""


def register() -> None:
    """Put the panel into the sidebar of 3D views, and begin to watch the folder."""
    from . import panel

    panel.register()


def unregister() -> None:
    """Take all of it away."""
    from . import panel

    panel.unregister()
