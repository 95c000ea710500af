"""Icons of the library show what the figure stands on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.library.reading import Reader
from app.render.flipbook import draw, framing

SIZE = (132, 124)


def test_the_icon_of_the_stairs_has_stairs(skeletons_folder: Path) -> None:
    content = Reader().read(skeletons_folder / "scenes" / "stairs.seq")
    assert content.solids
    seen = framing(content.skeleton, content.poses, SIZE[0] / SIZE[1])
    bare = draw(content.skeleton, content.poses[0], seen, 0, SIZE, "dark")
    whole = draw(content.skeleton, content.poses[0], seen, 0, SIZE, "dark", content.solids)
    below = slice(round(0.85 * SIZE[1]), None)
    assert (bare[below, :, 3] > 0).mean() < 0.3 < 0.8 < (whole[below, : SIZE[0] // 2, 3] > 0).mean()
    assert np.array_equal(bare[: SIZE[1] // 2], whole[: SIZE[1] // 2])  # the figure stands where it stood


@pytest.mark.verify
def test_the_icon_of_a_walk_has_nothing_else(skeletons_folder: Path) -> None:
    assert Reader().read(skeletons_folder / "library" / "Walks and runs" / "walk.seq").solids == ()
