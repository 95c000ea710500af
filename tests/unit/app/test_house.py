"""Promises about the code itself: who may import whom, and traps that a version of a library could bring back."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def test_import_contracts_hold() -> None:
    pytest.importorskip("importlinter", reason="import-linter is not installed")
    code = (
        "import sys; from importlinter.cli import lint_imports_command;"
        "sys.argv = ['lint-imports', '--no-cache']; lint_imports_command()"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_document_never_imports_widgets() -> None:
    """The import contracts cannot name a part of an outside package, so this one stands here."""
    for path in (ROOT / "app" / "document").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.startswith("PySide6.QtWidgets") for name in names), path.name


def test_core_imports_neither_qt_nor_opengl_nor_numba() -> None:
    code = (
        "import sys, core.skeleton, core.kinematics, core.ik, core.animation, core.formats;"
        "print([m for m in ('PySide6', 'OpenGL', 'numba', 'pyqtgraph') if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert result.stdout.strip() == "[]", result.stdout + result.stderr


def test_the_editor_starts_without_what_only_some_work_needs() -> None:
    late = ("numba", "scipy.sparse", "scipy.spatial", "scipy.ndimage", "scipy.special", "PIL", "av")
    late += ("soundfile", "trimesh", "pyqtgraph", "scipy", "numpy.ma", "numpy.polynomial", "app.export.child")
    late += ("core.codegen", "core.dynamics", "core.preview")
    code = f"import sys, app.window.main_window; print([m for m in {late} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert result.stdout.strip() == "[]", result.stdout + result.stderr


def test_the_wheel_holds_what_runs_and_not_what_made_the_figures() -> None:
    setuptools = pytest.importorskip("setuptools", reason="setuptools is not installed")
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    packages = set(setuptools.find_namespace_packages(str(ROOT), **table["packages"]["find"]))
    assert {"core.skeleton", "app.window", "skeletons", "resources"} <= packages
    assert not any(name.startswith(("skeletons.making", "tests")) for name in packages)
    for path in [*(ROOT / "core").rglob("*.py"), *(ROOT / "app").rglob("*.py")]:
        assert ".".join(path.relative_to(ROOT).parent.parts) in packages, f"{path} would be missing"
        assert "skeletons.making" not in path.read_text(encoding="utf-8"), path


def test_twenty_thousand_void_calls_do_not_abort_the_interpreter() -> None:
    """PySide6 6.12.0 on Python 3.11 loses a reference to None in each of them."""
    code = (
        "from PySide6.QtWidgets import QApplication, QWidget\n"
        "app = QApplication([]); w = QWidget()\n"
        "for _ in range(20000): w.update()\n"
        "print('alive')"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60,
                            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})  # fmt: skip
    assert result.stdout.strip() == "alive", result.stderr
