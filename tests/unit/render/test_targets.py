"""Framebuffers that are kept: a view's own as long as it is drawn, and never those of sizes that are gone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from app.render.context import GraphicsError, acquire
from app.render.targets import TargetStore


@pytest.fixture
def store() -> Iterator[TargetStore]:
    try:
        context = acquire()
    except GraphicsError as error:
        pytest.skip(f"no OpenGL here: {error}")
    with context.current():
        made = TargetStore(5, depth=False)
        yield made
        made.dispose()


def asked(store: TargetStore, key: object, width: int, height: int) -> int:
    """Ask as somebody who draws does; return the name of the framebuffer."""
    return (store.get(key) or store.add(key, width, height)).framebuffer


def test_four_views_keep_theirs_while_one_goes_through_many(store: TargetStore) -> None:
    resting = {view: asked(store, view, 40, 30) for view in ("front", "side", "top")}
    for camera in range(40):
        asked(store, camera, 40, 30)
        assert all(asked(store, view, 40, 30) == name for view, name in resting.items())
    assert len(store) == 5


def test_sizes_that_are_gone_make_room(store: TargetStore) -> None:
    for width in range(10, 400):
        asked(store, width, width, 30)
    assert len(store) <= 5
    for camera in range(200):
        asked(store, ("orbit", camera), 400, 30)
        asked(store, "resting", 400, 30)
    assert {target.width for target in store.values()} == {400}


def test_what_was_not_asked_for_in_a_while_goes_though_there_is_room(store: TargetStore) -> None:
    asked(store, "gone", 50, 30)
    for _ in range(100):
        asked(store, "drawn", 60, 30)
    assert len(store) == 1 and store.get("gone") is None


def test_orbiting_takes_the_same_few_again(store: TargetStore) -> None:
    names = {asked(store, camera, 40, 30) for camera in range(50)}
    assert len(names) == 5
