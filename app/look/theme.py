"""Colour tokens of the dark and the light theme: the only place where a colour is written down."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Theme:
    """One theme; every colour is ``"#rrggbb"`` in sRGB.

    Attributes:
        name: ``"dark"`` or ``"light"``; the rest are the tokens, named by use.
    """

    name: str
    win: str
    panel: str
    head: str
    raised: str
    hover: str
    input: str
    line: str
    line2: str
    text: str
    text2: str
    text3: str
    accent: str
    acc_ink: str
    acc_bg: str
    acc_line: str
    ok: str
    warn: str
    conflict: str
    dyn: str
    dyn_bg: str
    body: str
    body_small: str
    joint: str
    halo: str
    lock_position: str
    lock_orientation: str
    lock_plane: str
    lock_line: str
    lock_pair: str
    lock_balance: str
    axis_x: str
    axis_y: str
    axis_z: str
    coordinate_s: str
    coordinate_u: str
    coordinate_v: str
    ghost_before: str
    ghost_after: str
    force: str
    muscle_rest: str
    muscle: str
    strand: str
    momentum_linear: str
    momentum_angular: str
    sky_top: str
    sky_horizon: str
    ground_far: str
    ground_near: str
    grid: str

    def rgb(self, token: str) -> tuple[float, float, float]:
        """Return a token as sRGB values in 0..1."""
        text = getattr(self, token)
        return (int(text[1:3], 16) / 255.0, int(text[3:5], 16) / 255.0, int(text[5:7], 16) / 255.0)


DARK = Theme(
    name="dark",
    win="#121417",
    panel="#1c1f24",
    head="#22262c",
    raised="#2b3037",
    hover="#343a43",
    input="#14161a",
    line="#2c3138",
    line2="#434b55",
    text="#dce0e5",
    text2="#a9b1bb",
    text3="#949da8",
    accent="#3fd0c9",
    acc_ink="#06201f",
    acc_bg="#163836",
    acc_line="#23706c",
    ok="#3fcf9f",
    warn="#ffc866",
    conflict="#ff7048",
    dyn="#b99cf8",
    dyn_bg="#3a3157",
    body="#e6e0d5",
    body_small="#e6e0d5",
    joint="#b5afa4",
    halo="#0c0e11",
    lock_position="#f7dc4a",
    lock_orientation="#38a8fa",
    lock_plane="#d987b8",
    lock_line="#a4f0b6",
    lock_pair="#d3c3a6",
    lock_balance="#e8ecf1",
    axis_x="#fb6541",
    axis_y="#d3ea7c",
    axis_z="#5b96ea",
    coordinate_s="#b99cf8",
    coordinate_u="#f08cc8",
    coordinate_v="#57d97e",
    ghost_before="#e3a35c",
    ghost_after="#8ea6ff",
    force="#ff9d5c",
    muscle_rest="#c9948c",
    muscle="#f2402f",
    strand="#96704c",
    momentum_linear="#55cfa0",
    momentum_angular="#e08cbe",
    sky_top="#22262d",
    sky_horizon="#373e48",
    ground_far="#31373f",
    ground_near="#1c2025",
    grid="#6b7581",
)

LIGHT = Theme(
    name="light",
    win="#c9ced4",
    panel="#f3f4f6",
    head="#e7eaed",
    raised="#ffffff",
    hover="#dde2e7",
    input="#ffffff",
    line="#d0d5db",
    line2="#a9b1ba",
    text="#1b1f24",
    text2="#454d57",
    text3="#58616b",
    accent="#08706b",
    acc_ink="#ffffff",
    acc_bg="#d3eceb",
    acc_line="#67b5b1",
    ok="#0f6a5a",
    warn="#805c00",
    conflict="#8c1500",
    dyn="#6540b8",
    dyn_bg="#e2daf6",
    body="#fffaf0",
    body_small="#bcb6ac",
    joint="#d5cfc4",
    halo="#f7f8f9",
    lock_position="#8f5f00",
    lock_orientation="#0069b0",
    lock_plane="#74128a",
    lock_line="#00523f",
    lock_pair="#6b5a3a",
    lock_balance="#14181d",
    axis_x="#8c1d0a",
    axis_y="#4b7a28",
    axis_z="#2157c9",
    coordinate_s="#6540b8",
    coordinate_u="#a8207c",
    coordinate_v="#00702f",
    ghost_before="#8f5210",
    ghost_after="#3049b8",
    force="#a84a00",
    muscle_rest="#a87f78",
    muscle="#b5120a",
    strand="#7a5636",
    momentum_linear="#0a6e4c",
    momentum_angular="#74128a",
    sky_top="#b1b9c2",
    sky_horizon="#c9cfd6",
    ground_far="#bec5cc",
    ground_near="#a8b0ba",
    grid="#6c7680",
)

THEMES = {theme.name: theme for theme in (DARK, LIGHT)}
_shown = {"theme": DARK}


def current_theme() -> Theme:
    """Return the theme that the application shows now."""
    return _shown["theme"]


def make_current(theme: Theme) -> None:
    """Have ``current_theme`` return a theme; ``style.apply`` gives it to the whole application."""
    _shown["theme"] = theme
