"""Pictures of key poses: drawn when there is time, kept, and let go with their figure."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.document.document import Document
from app.work.thumbnails import Thumbnails
from core.skeleton import Skeleton


@pytest.fixture
def document(qapp, skeletons_folder: Path) -> Document:
    made = Document()
    assert made.files.open(skeletons_folder / "stickman.scr")
    return made


def grey(skeleton: Skeleton, q: NDArray[np.float64], width: int, height: int, theme: str) -> NDArray[np.uint8]:
    return np.full((height, width, 4), 128, dtype=np.uint8)


def test_a_picture_comes_later_and_is_kept(document: Document, qtbot) -> None:
    thumbnails = Thumbnails(document, grey)
    q = np.array(document.pose)
    with qtbot.waitSignal(thumbnails.ready, timeout=2000):
        assert thumbnails.image(q, 40, 50, 1.5) is None
    image = thumbnails.image(q, 40, 50, 1.5)
    assert image is not None and (image.width(), image.height(), image.devicePixelRatio()) == (60, 75, 1.5)
    assert not thumbnails.busy


def test_nothing_is_drawn_while_it_plays(document: Document, qtbot) -> None:
    thumbnails = Thumbnails(document, grey)
    document.session.drag.chain = object()  # as during a drag
    thumbnails.image(np.array(document.pose), 40, 50, 1.0)
    qtbot.wait(80)
    assert thumbnails.busy
    document.session.drag.chain = None
    with qtbot.waitSignal(thumbnails.ready, timeout=2000):
        pass


def test_a_closed_figure_is_let_go(document: Document, skeletons_folder: Path, qtbot) -> None:
    thumbnails = Thumbnails(document, grey)
    with qtbot.waitSignal(thumbnails.ready, timeout=2000):
        thumbnails.image(np.array(document.pose), 40, 50, 1.0)
    closed = weakref.ref(document.skeleton)
    document.files.open(skeletons_folder / "arm7.scr")
    thumbnails.image(np.array(document.pose), 40, 50, 1.0)
    gc.collect()
    assert closed() is None


def test_without_graphics_it_gives_up_quietly(document: Document, qtbot) -> None:
    thumbnails = Thumbnails(document, lambda *_: None)
    thumbnails.image(np.array(document.pose), 40, 50, 1.0)
    qtbot.waitUntil(lambda: not thumbnails.busy, timeout=2000)
    assert thumbnails.image(np.array(document.pose), 40, 50, 1.0) is None


def test_a_picture_in_which_nothing_is_seen_is_not_drawn_again(document: Document, qtbot) -> None:
    asked = []

    def empty(skeleton: object, q: object, width: int, height: int, theme: str) -> np.ndarray:
        asked.append(q)
        return np.zeros((height, width, 4), dtype=np.uint8)

    thumbnails = Thumbnails(document, empty)
    with qtbot.waitSignal(thumbnails.ready, timeout=2000):
        assert thumbnails.image(document.pose, 20, 30, 1.0) is None
    assert thumbnails.image(document.pose, 20, 30, 1.0) is not None and not thumbnails.busy and len(asked) == 1
