"""A figure of many parts in one place is lit in bounded memory, though of it all shields all."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from app.render.mesh import occlusion
from app.render.mesh.occlusion import Shields, baked_occlusion


def crowd(vertices: int, pieces: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, Shields]:
    """Return points, normals and owners, and shields, all so near each other that each pair counts."""
    rng = np.random.default_rng(3)

    def unit(count: int) -> np.ndarray:
        vectors = rng.normal(size=(count, 3))
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    points, owners = rng.uniform(0.0, 0.02, (vertices, 3)), rng.integers(0, 4, vertices)
    shields = Shields(
        rng.uniform(0.0, 0.02, (pieces, 3)), unit(pieces), np.full(pieces, 1e-8), rng.integers(0, 4, pieces)
    )
    return points, unit(vertices), owners, shields


def bake(points: np.ndarray, normals: np.ndarray, owners: np.ndarray, shields: Shields) -> np.ndarray:
    return baked_occlusion(points, normals, owners, shields, np.zeros((4, 3)), np.ones((4, 4), dtype=bool), 1.0)


def test_pairs_are_looked_at_some_at_a_time() -> None:
    """16 million pairs at once would take 2 GB."""
    scene = crowd(4000, 4000)
    tracemalloc.start()
    light = bake(*scene)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.0 < light.min() < light.max() <= 1.0
    assert peak < 200e6, f"{peak / 1e6:.0f} MB"


def test_the_light_is_the_same_however_many_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = crowd(700, 300)
    whole = bake(*scene)
    monkeypatch.setattr(occlusion, "_MOST_PAIRS", 5_000)
    assert np.allclose(bake(*scene), whole, rtol=1e-12, atol=0.0)
    monkeypatch.setattr(occlusion, "_MOST_PAIRS", 1)  # less than a single vertex has
    assert np.allclose(bake(*scene), whole, rtol=1e-12, atol=0.0)
