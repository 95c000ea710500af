"""Imports between files of ``core`` and ``app``: no circles, imports within functions counted, and for types."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOP, WITHIN, TYPES = "top", "within functions", "for types"


@cache
def files() -> dict[str, Path]:
    """Return all modules of ``core`` and ``app`` by name."""
    found = {}
    for top in ("core", "app"):
        for path in (ROOT / top).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def module_of(name: str) -> str | None:
    """Return the module that a dotted name is, or lies in; None for other people's."""
    while name and name not in files():
        name = name.rpartition(".")[0]
    return name or None


def imports(node: ast.AST, package: str, kind: str = TOP) -> Iterator[tuple[str, str]]:
    """Yield what the statements inside a node import, and how."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            yield from imports(ast.Module(child.body, []), package, TYPES)
            yield from imports(ast.Module(child.orelse, []), package, kind)
        elif isinstance(child, ast.Import):
            yield from ((alias.name, kind) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            base = child.module or ""
            if child.level:
                above = package.split(".")[: len(package.split(".")) - child.level + 1]
                base = ".".join([*above, *filter(None, [child.module])])
            yield from ((f"{base}.{alias.name}", kind) for alias in child.names)
        elif not isinstance(child, ast.expr):  # no expression holds a statement
            deeper = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and kind == TOP
            yield from imports(child, package, WITHIN if deeper else kind)


@cache
def edges() -> dict[str, list[tuple[str, str]]]:
    """Return for each module the modules it imports, and how."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name, path in files().items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        known = ((module_of(other), kind) for other, kind in imports(ast.parse(path.read_text()), package))
        found[name] = [(other, kind) for other, kind in known if other is not None and other != name]
    return found


def circles(graph: dict[str, set[str]]) -> list[frozenset[str]]:
    """Return the strongly connected components of more than one node (Tarjan 1972), without recursion."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    open_nodes: list[str] = []
    found = []
    for start in sorted(graph):
        if start in index:
            continue
        stack = [(start, iter(sorted(graph[start])))]
        index[start] = low[start] = len(index)
        open_nodes.append(start)
        while stack:
            node, rest = stack[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    open_nodes.append(other)
                    stack.append((other, iter(sorted(graph[other]))))
                    break
                if other in open_nodes:
                    low[node] = min(low[node], index[other])
            else:
                stack.pop()
                if stack:
                    low[stack[-1][0]] = min(low[stack[-1][0]], low[node])
                if low[node] == index[node]:
                    at = open_nodes.index(node)
                    found.append(frozenset(open_nodes[at:]))
                    del open_nodes[at:]
    return [component for component in found if len(component) > 1]


def graph(kinds: tuple[str, ...], top: str = "") -> dict[str, set[str]]:
    return {
        name: {other for other, kind in others if kind in kinds and other.startswith(top)}
        for name, others in edges().items()
        if name.startswith(top)
    }


def listed(found: list[frozenset[str]]) -> str:
    return "\n".join(", ".join(sorted(circle)) for circle in found)


def test_circles_are_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a", "e"}, "e": set()}) == [frozenset("abc")]
    assert circles({"a": {"b"}, "b": set()}) == []
    text = "import core.errors\ndef f():\n    from app.look import style\nif TYPE_CHECKING:\n    import core.skeleton"
    assert list(imports(ast.parse(text), "core")) == [
        ("core.errors", TOP), ("app.look.style", WITHIN), ("core.skeleton", TYPES),
    ]  # fmt: skip


def test_no_file_imports_itself_by_a_detour_even_within_functions():
    count = sum(kind == WITHIN for others in edges().values() for _, kind in others)
    print(f"{count} imports within functions")
    found = circles(graph((TOP, WITHIN)))
    assert not found, listed(found)


WITHIN_FOLDERS = {
    "core.animation": [{"ensemble", "sequence"}],  # a sequence asks those it belongs to, who ask all of them
    "core.constraints": [{"kept_solvers", "solve_locks"}],  # what keeps solvers calls the one who makes them
    "app.scene": [  # each part of the scene is asked for through the scene, and asks it for the others
        {
            "control_points", "footprints", "ghosts", "lock_places", "motion_samples", "other_figures", "physics_keyed",
            "physics_scene",
            "scene",
            "shown_center", "trails", "walk_prints", "world_scene",
        }
    ],
    # A widget, and what its mouse, its menus and its painting do with it.
    "app.views": [{"hovering", "view", "view_painter", "view_picture"}],
    "app.panels.locks": [{"menus", "panel"}],
    "app.timeline": [
        {"band_mouse", "canvas"},
        {"model", "selected_keys"},  # what dragged keys snap to is asked of the timeline that drags them
    ],
    "app.timeline.curves": [{"actions", "box", "point_drag", "values"}],
    "app.timeline.dynamics": [{"picture", "track"}],
    "app.timeline.music": [{"picture", "track"}],
    "app.files": [{"import_flow", "opening"}],  # one asks the other to read a file, which asks back what it should be
}  # fmt: skip
"""Circles that go through imports for types alone, by folder; they may become fewer and smaller."""


def folder(name: str) -> str:
    return name if files()[name].name == "__init__.py" else name.rpartition(".")[0]


def test_no_circle_crosses_folders_even_through_imports_for_types():
    found = circles(graph((TOP, WITHIN, TYPES)))
    across = [circle for circle in found if len(set(map(folder, circle))) > 1]
    assert not across, listed(across)


def test_circles_through_imports_for_types_are_the_known_ones():
    found: dict[str, list[set[str]]] = {}
    for circle in circles(graph((TOP, WITHIN, TYPES))):
        found.setdefault(folder(min(circle)), []).append({name.rpartition(".")[2] for name in circle})
    new = [
        f"{place}: {sorted(circle)}"
        for place, all_here in found.items()
        for circle in all_here
        if not any(circle <= known for known in WITHIN_FOLDERS.get(place, ()))
    ]
    assert not new, "\n".join(new)
    gone = [
        f"{place}: {sorted(known)}"
        for place, all_here in WITHIN_FOLDERS.items()
        for known in all_here
        if not any(circle <= known for circle in found.get(place, ()))
    ]
    assert not gone, "no longer circles, so take them off the list:\n" + "\n".join(gone)


def test_every_package_stands_in_an_import_contract():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    assert not settings.get("exclude_type_checking_imports", False)
    layers = [each for each in settings["contracts"] if each["type"] == "layers"]
    for top in ("core", "app"):
        (contract,) = [each for each in layers if each["containers"] == [top]]
        named = {part.strip() for layer in contract["layers"] for part in re.split("[|:]", layer)}
        there = {name.split(".")[1] for name in files() if name.startswith(f"{top}.")}
        assert contract["exhaustive"] and "exhaustive_ignores" not in contract
        assert named == there, sorted(named ^ there)
