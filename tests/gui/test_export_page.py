"""The web page looks like the window."""

from __future__ import annotations

import re

from app.look.theme import DARK, LIGHT
from core.formats.web_page import web_folder


def test_the_page_has_the_colours_of_the_window() -> None:
    style = (web_folder() / "page.html").read_text("utf-8")
    called = {"accbg": "acc_bg", "accline": "acc_line", "sky": "sky_top", "horizon": "sky_horizon"}
    blocks = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    for block, theme in zip(blocks, (DARK, LIGHT), strict=True):
        colours = dict(re.findall(r"--(\w+): (#\w{6})", block))
        assert len(colours) > 12
        for name, colour in colours.items():
            if name != "ground":  # of the window's two the page has a mean
                assert getattr(theme, called.get(name, name)) == colour, (theme.name, name)
