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
    """8 million pairs at once would take 1 GB."""
    bake(*crowd(10, 10))  # what it imports is no memory of its own
    scene = crowd(4000, 2000)
    tracemalloc.start()
    light = bake(*scene)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.0 < light.min() < light.max() <= 1.0
    assert peak < 30e6, f"{peak / 1e6:.0f} MB"


@pytest.mark.parametrize("at_once", [1, 7, 96, 10_000])
def test_the_light_is_the_same_however_many_at_a_time(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    points, normals, owners, shields = crowd(700, 300)
    points[100:400] = points[100]  # at one place, which no tree parts
    offset = shields.points - points[:, None]
    squared = np.maximum((offset**2).sum(axis=2), 1e-8)
    receives = np.maximum(np.einsum("ijk,ik->ij", offset, normals), 0.0)
    faces = np.maximum(np.einsum("ijk,jk->ij", offset, -shields.normals), 0.0)
    area, reach = shields.areas, occlusion._REACH
    lost = area * receives * faces / (squared * (np.pi * squared + area)) * np.maximum(1.0 - squared / reach**2, 0.0)
    monkeypatch.setattr(occlusion, "_AT_ONCE", at_once)
    assert np.allclose(bake(points, normals, owners, shields), np.exp(-3.0 * lost.sum(axis=1)), rtol=1e-5, atol=0.0)


@pytest.mark.verify
def test_a_place_with_very_many_vertices_takes_little_memory() -> None:
    points, normals, owners, shields = crowd(4000, 1000)
    points[:] = points[0]
    bake(*crowd(10, 10))
    tracemalloc.start()
    bake(points, normals, owners, shields)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6, f"{peak / 1e6:.0f} MB"
