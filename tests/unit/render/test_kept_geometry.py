"""A figure's triangles come from the disk with the bits that they were built with."""

from __future__ import annotations

import ast
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from app.render.mesh import kept_geometry as module
from app.render.mesh.geometry import Geometry, build_geometry
from app.render.mesh.kept_geometry import kept_geometry
from core.skeleton import Skeleton, load_skeleton


def same(one: Geometry, other: Geometry) -> None:
    for field in fields(Geometry):
        a, b = getattr(one, field.name), getattr(other, field.name)
        assert type(a) is type(b), field.name
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes(), field.name
        else:
            assert a == b, field.name


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[Skeleton]:
    """The figures that were built."""
    found: list[Skeleton] = []

    def build(skeleton: Skeleton) -> Geometry:
        found.append(skeleton)
        return build_geometry(skeleton)

    monkeypatch.setattr(module, "build_geometry", build)
    return found


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["human", "horse"])
def test_a_figure_is_built_once(name: str, skeletons_folder: Path, kept_arrays: Path, builds: list[Skeleton]) -> None:
    path = skeletons_folder / f"{name}.scr"
    first = kept_geometry(load_skeleton(path))
    again = kept_geometry(load_skeleton(path))
    assert len(builds) == 1
    same(first, again)


@pytest.mark.verify
def test_another_figure_is_built(skeletons_folder: Path, kept_arrays: Path, builds: list[Skeleton]) -> None:
    s = load_skeleton(skeletons_folder / "human.scr")
    kept_geometry(s)
    moved = list(s.joints)
    moved[3] = replace(moved[3], offset=moved[3].offset + np.array([0.0, 1e-6, 0.0]))
    other = kept_geometry(Skeleton(s.name, moved))
    assert len(builds) == 2
    same(other, build_geometry(Skeleton(s.name, moved)))


def test_what_makes_triangles_is_part_of_the_key() -> None:
    """Whatever these modules import of the viewport is among the sources that name an entry."""

    folder = Path(module.__file__).parent
    for name in module._MAKERS:
        for node in ast.walk(ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("app.render.mesh."):
                assert str(node.module).removeprefix("app.render.mesh.") in module._MAKERS, (name, node.module)
