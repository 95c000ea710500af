"""Choosing kernels, and the cache they come from."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import core
from core import compiled

ROOT = Path(core.__file__).resolve().parent.parent


def in_a_child(code: str, folder: Path = ROOT, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def imported(module: str) -> set[str]:
    """Return the kernel modules that one imports, and those that these do."""
    tree = ast.parse((ROOT / module.replace(".", "/")).with_suffix(".py").read_text(encoding="utf-8"))
    found = {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    found = {name for name in found if name.startswith("core.") and name.endswith("_kernels")}
    return found.union(*(imported(name) for name in found))


def test_every_kernel_module_is_listed_and_has_a_twin() -> None:
    paths = [path.relative_to(ROOT).with_suffix("") for path in ROOT.glob("core/**/*_kernels.py")]
    listed = {f"{domain}_kernels" for domain in compiled.DOMAINS}
    # Large kernels have parts in modules of their own, compiled with them and compared through them.
    assert {path.as_posix().replace("/", ".") for path in paths} == listed.union(*(imported(name) for name in listed))
    for domain in compiled.DOMAINS:
        assert (ROOT / f"{domain.replace('.', '/')}_plain.py").is_file()


def test_whatever_kernels_import_is_part_of_the_hash() -> None:
    hashed = {path for pattern in compiled.INGREDIENTS for path in (ROOT / "core").glob(pattern)}
    for kernel in (ROOT / "core").glob("**/*_kernels.py"):
        for node in ast.walk(ast.parse(kernel.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("core."):
                assert (ROOT / str(node.module).replace(".", "/")).with_suffix(".py") in hashed, (kernel, node.module)


def test_importing_the_toolkit_does_not_import_numba() -> None:
    code = "import sys, core.ik; from core import compiled; compiled.is_warm(); print('numba' in sys.modules)"
    assert in_a_child(code) == "False"


def test_plain_mode_never_imports_numba() -> None:
    code = (
        "import sys, numpy as np; from core import compiled; compiled.use('plain')\n"
        "from core.ik import Goal, solve; from tests.support.figures import arm7\n"
        "r = solve(arm7(), np.zeros(10), Goal('j6', (0, .2, 0), (.4, .9, .3)))\n"
        "print(r.converged, compiled.mode(), 'numba' in sys.modules)"
    )
    assert in_a_child(code) == "True plain False"


def test_use_switches_back_and_forth_also_from_a_thread() -> None:
    before = compiled.mode()
    try:
        compiled.use("plain")
        assert compiled.mode() == "plain"
        assert compiled.kernels("core.ik.ccd").__name__ == "core.ik.ccd_plain"
        thread = threading.Thread(target=compiled.use, args=("compiled",))
        thread.start()
        thread.join()
        assert compiled.kernels("core.ik.ccd").__name__ == "core.ik.ccd_kernels"
    finally:
        compiled.use(before)
    with pytest.raises(ValueError, match="plain"):
        compiled.use("fast")


def test_folder_follows_the_environment(tmp_path: Path) -> None:
    code = "from core import compiled; print(compiled.cache_folder()); print(compiled.is_warm())"
    folder, warm = in_a_child(code, SEQUENCE_EDITOR_CACHE=str(tmp_path)).splitlines()
    assert Path(folder).parent == tmp_path and Path(folder).name.startswith("kernels-") and warm == "False"
    elsewhere = {"SEQUENCE_EDITOR_CACHE": "", "XDG_CACHE_HOME": str(tmp_path / "xdg")}
    if sys.platform.startswith("linux"):
        assert in_a_child(code, **elsewhere).startswith(str(tmp_path / "xdg" / "sequence-editor"))


def test_kernels_compiled_for_another_folder_do_not_count(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "core", copy / "core", ignore=shutil.ignore_patterns("__pycache__"))
    mark = "from core import compiled, warming; warming.compile_all = lambda *_: None; compiled.warm()\n"
    ask = "from core import compiled; print(compiled.cache_folder().name, compiled.is_warm())"

    def asked(code: str, root: Path) -> list[str]:
        return in_a_child(code, SEQUENCE_EDITOR_CACHE=str(tmp_path), PYTHONPATH=str(root), folder=root).split()

    name, warm = asked(mark + ask, ROOT)
    assert warm == "True"
    assert asked(ask, copy) == [name, "False"]  # the same kernels, but numba keeps them by their path
    assert asked(mark + ask, copy) == [name, "True"] and asked(ask, ROOT) == [name, "True"]


def test_numba_cache_setting_of_others_is_left_alone(tmp_path: Path) -> None:
    code = (
        "import os; from core import compiled; compiled.kernels('core.kinematics.forward')\n"
        "from numba.core import config; print(os.environ.get('NUMBA_CACHE_DIR'), config.CACHE_DIR)"
    )
    assert in_a_child(code, NUMBA_CACHE_DIR=str(tmp_path)) == f"{tmp_path} {tmp_path}"


def test_stale_caches_are_removed_and_others_kept(tmp_path: Path) -> None:
    now = 1e9
    ages = {"kernels-old": 31, "kernels-young": 29, compiled.cache_folder().name: 99, "something-else": 99}
    for name, days in ages.items():
        (tmp_path / name).mkdir()
        marker = tmp_path / name / "complete"
        marker.write_text("")
        os.utime(marker, (now - days * 86400.0,) * 2)
    assert [folder.name for folder in compiled.remove_stale(tmp_path, now)] == ["kernels-old"]
    assert {path.name for path in tmp_path.iterdir()} == set(ages) - {"kernels-old"}


@pytest.mark.verify
def test_warming_fills_an_empty_cache_and_a_second_start_compiles_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "SEQUENCE_EDITOR_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "core.warm"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    total = len(compiled.DOMAINS)
    steps = [line.split(" ") for line in done.stdout.splitlines()]
    assert [count for count, _ in steps] == [f"{k}/{total}" for k in range(1, total + 1)]
    assert sorted(name for _, name in steps) == sorted(compiled.DOMAINS)
    code = "from core import compiled; print(compiled.is_warm()); compiled.use('compiled')"
    stamps = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb*")}
    assert in_a_child(code, SEQUENCE_EDITOR_CACHE=str(tmp_path)) == "True"
    assert stamps and {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb*")} == stamps
