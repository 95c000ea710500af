"""What the program remembers from one session to the next, in the platform's place."""

from __future__ import annotations

import contextlib
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QSettings, QStandardPaths

from app.document.changes import Change, SessionChanged
from app.document.document import Document
from app.document.physics.overlays import OverlayError
from app.document.physics.state import PhysicsState
from app.document.session import OVERLAYS, SessionError, ViewSettings

KEPT: tuple[str, ...] = (
    "theme",
    "reduced_motion",
    "scale",
    "auto_key",
    "key_what",
    "loop",
    "solver",
    "tolerance",
    "max_steps",
    "nudge",
    "secondary",
    "drag_mode",
    "turn_mode",
    "turn_axes",
    "carry_children",
    "snap",
    "ghosts_before",
    "ghosts_after",
    "ghosts_at",
    "ghost_step",
    "ghost_parts",
    "ghost_strength",
    "ghost_fade",
    "trail_frames",
)


def default_path() -> Path:
    """Return the settings file in the platform's place for configuration."""
    place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppConfigLocation)
    return Path(place) / f"{QCoreApplication.applicationName() or 'sequence-editor'}.ini"


class Settings:
    """A settings file.

    Args:
        path: The file; None for the platform's. Tests give a throw-away one.
    """

    def __init__(self, path: Path | None = None):
        self.path = default_path() if path is None else Path(path)
        self._store = QSettings(str(self.path), QSettings.Format.IniFormat)

    def value(self, name: str, default: object = None) -> object:
        """Return what is kept under a name such as ``"window/geometry"``; text, a list of texts or bytes."""
        return self._store.value(name, default)

    def set_value(self, name: str, value: object) -> None:
        """Keep a value; None forgets it."""
        if value is None:
            self._store.remove(name)
        else:
            self._store.setValue(name, value)

    def flag(self, name: str, default: bool) -> bool:
        """Return a kept truth value."""
        text = str(self._store.value(name, default)).lower()
        return text in ("true", "1", "yes") if text in ("true", "false", "1", "0", "yes", "no") else default

    def scale(self) -> int:
        """Return how large everything is to be, [percent]; as usual if what is kept makes no sense."""
        usual = ViewSettings.scale.default
        try:
            return ViewSettings.scale.check(self.value("session/scale", usual))
        except SessionError:
            return usual

    def sync(self) -> None:
        """Write to the disk now."""
        self._store.sync()

    # -- the session -----------------------------------------------------------------------------------------------

    def bind(self, document: Document) -> None:
        """Put what is kept into the document's session, and keep it from now on."""
        session = document.session
        for name in KEPT:
            default = session.get(name)
            kept = self.flag(f"session/{name}", default) if isinstance(default, bool) else self.value(f"session/{name}")
            if kept is not None:
                try:
                    session.set(name, kept)
                except SessionError:
                    # A value of another version or typed by hand: the default stays.
                    continue
        for name in OVERLAYS:
            if name == "shot_camera":  # a matter of the file that is open
                continue
            session.view.overlays[name] = self.flag(f"overlays/{name}", session.view.overlays[name])
        self._bind_physics(document.physics)
        document.changed.connect(self._on_changed)

    def _bind_physics(self, physics: PhysicsState) -> None:
        """Put what is kept of what physics mode draws into the document's physics, and keep it from now on."""
        for name, usual in physics.overlays.items():
            on, scale = self.flag(f"physics/{name}", usual.on), self.value(f"physics/{name}_scale", usual.scale)
            with contextlib.suppress(OverlayError, ValueError, TypeError):  # typed by hand: the default stays
                physics.overlays.set(name, on, float(str(scale)))
        with contextlib.suppress(OverlayError, ValueError, TypeError):
            physics.overlays.opacity = float(str(self.value("physics/opacity", physics.overlays.opacity)))

        def keep(name: str) -> None:
            if name == "overlays":
                for overlay, (on, scale) in physics.overlays.items():
                    self.set_value(f"physics/{overlay}", on)
                    self.set_value(f"physics/{overlay}_scale", scale)
                self.set_value("physics/opacity", physics.overlays.opacity)

        physics.changed.connect(keep)

    def _on_changed(self, change: Change) -> None:
        if not isinstance(change, SessionChanged):
            return
        name, value = change.name, change.value
        if name in KEPT:
            self.set_value(f"session/{name}", value)
        elif name == "overlays":
            for overlay, shown in value.items():
                self.set_value(f"overlays/{overlay}", shown)
