"""Which kernels serve, and the cache they come from."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import core
from core import kernels
from core.errors import KernelError
from core.ik import ccd_kernel, nodes_kernel
from core.kernels import cache
from core.kernels.declaring import options_of
from core.kinematics import svd_kernel

ROOT = Path(core.__file__).resolve().parent.parent


def in_a_child(code: str, folder: Path = ROOT, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env={**os.environ, "PYTHONPATH": str(folder), **environment},
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_file_of_kernels_is_a_domain_and_no_other_file_holds_any() -> None:
    for path in ROOT.glob("core/**/*.py"):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if "kernels" not in path.parts and "@kernel" in path.read_text(encoding="utf-8"):
            assert name in kernels.names()
    assert len(set(kernels.names())) == len(kernels.names()) > 20


@pytest.mark.verify
def test_importing_the_toolkit_does_not_import_numba() -> None:
    code = "import sys, core.ik; from core import kernels; kernels.is_warm(); print('numba' in sys.modules)"
    assert in_a_child(code) == "False"


def test_uncompiled_kernels_never_import_numba() -> None:
    code = (
        "import sys, numpy as np; from core import kernels; kernels.compile_on_demand(False)\n"
        "from core.ik import Goal, solve; from tests.support.figures import arm7\n"
        "r = solve(arm7(), np.zeros(10), Goal('j6', (0, .2, 0), (.4, .9, .3)))\n"
        "print(r.converged, 'numba' in sys.modules)"
    )
    assert in_a_child(code) == "True False"


@pytest.mark.verify
def test_a_domain_serves_as_text_until_it_is_loaded_also_by_a_thread() -> None:
    code = (
        "import threading; from core import kernels; from core.kinematics import forward_kernel, svd_kernel\n"
        "kernels.compile_on_demand(False)\n"
        "print(kernels.serving(svd_kernel) is svd_kernel, kernels.is_ready(svd_kernel))\n"
        "thread = threading.Thread(target=kernels.load, args=(svd_kernel,)); thread.start(); thread.join()\n"
        "print(kernels.serving(svd_kernel) is svd_kernel, kernels.serving(forward_kernel) is forward_kernel)\n"
        "print(kernels.is_loaded(svd_kernel), kernels.is_loaded(), kernels.is_ready(svd_kernel))"
    )
    assert in_a_child(code).split() == ["True", "False", "False", "True", "True", "False", "True"]


def test_uncompiled_serves_for_a_while_only() -> None:
    loaded = kernels.load(svd_kernel)
    with kernels.uncompiled():
        assert kernels.serving(svd_kernel) is svd_kernel and kernels.serving(ccd_kernel) is ccd_kernel
        found = []
        thread = threading.Thread(target=lambda: found.append(kernels.serving(svd_kernel)))
        thread.start()
        thread.join()
        assert found == [svd_kernel]
    assert kernels.serving(svd_kernel) is loaded


def test_a_kernel_without_an_entry_for_python_is_refused() -> None:
    assert hasattr(kernels.load(nodes_kernel), "frames")
    with pytest.raises(AttributeError, match="dot_rows"):
        kernels.load(nodes_kernel).dot_rows(np.zeros((1, 3, 3)), np.zeros((1, 3, 3)), 0, 0, 0)


def test_options_are_kept_and_the_text_is_the_function_itself() -> None:
    options = options_of(svd_kernel.orthogonalize)
    assert options is not None and options.python and not options.fastmath and not options.linked
    assert svd_kernel.orthogonalize.__code__.co_filename == svd_kernel.__file__
    assert options_of(np.sum) is None


@pytest.mark.verify
def test_folder_follows_the_environment(tmp_path: Path) -> None:
    code = (
        "from core import kernels; from core.kernels import cache\n"
        "print(cache.folder('core.kinematics.svd_kernel')); print(kernels.is_warm())"
    )
    folder, warm = in_a_child(code, SEQUENCE_EDITOR_CACHE=str(tmp_path)).splitlines()
    assert Path(folder).parent == tmp_path and Path(folder).name.startswith("kernels-") and warm == "False"
    elsewhere = {"SEQUENCE_EDITOR_CACHE": "", "XDG_CACHE_HOME": str(tmp_path / "xdg")}
    if sys.platform.startswith("linux"):
        assert in_a_child(code, **elsewhere).startswith(str(tmp_path / "xdg" / "sequence-editor"))


@pytest.mark.verify
def test_the_hash_follows_what_kernels_import_and_nothing_else(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "core", copy / "core", ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "from core.kernels import cache\n"
        "for name in ('core.ik.ccd_kernel', 'core.kinematics.svd_kernel'): print(cache.fingerprint(name))"
    )
    before = in_a_child(code, copy).split()
    assert before == [cache.fingerprint(name) for name in ("core.ik.ccd_kernel", "core.kinematics.svd_kernel")]

    def edited(name: str) -> list[bool]:
        path = copy / "core" / name
        text = path.read_text(encoding="utf-8")
        path.write_text(text + "\n", encoding="utf-8")
        found = [a != b for a, b in zip(before, in_a_child(code, copy).split(), strict=True)]
        path.write_text(text, encoding="utf-8")
        return found

    assert edited("ik/ccd_kernel.py") == [True, False]
    assert edited("ik/nodes_kernel.py") == [True, False]  # its kernels are called
    assert edited("skeleton/tree.py") == [True, False]  # numbers of kinds come from there, through others
    assert edited("kinematics/svd_kernel.py") == [False, True]
    assert edited("kernels/compiling.py") == edited("kernels/types.py") == [True, True]
    assert edited("kernels/domains.py") == [False, False]
    assert edited("formats/project.py") == [False, False]


def test_names_in_brackets_are_found() -> None:
    assert "core.skeleton.tree" in cache.imported("core.kinematics.forward_kernel")
    assert "core.ik.nodes_kernel" in cache.imported("core.ik.ccd_kernel")


@pytest.mark.verify
def test_another_copy_of_the_sources_is_served_by_the_same_cache(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "core", copy / "core", ignore=shutil.ignore_patterns("__pycache__"))
    load = "from core import kernels; from core.kinematics import svd_kernel; kernels.load(svd_kernel)"
    own = {"SEQUENCE_EDITOR_CACHE": str(tmp_path / "cache")}
    in_a_child(load, **own)
    stamps = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb*")}
    ask = "; print(kernels.is_warm('core.kinematics.svd_kernel'))"
    assert in_a_child("from core import kernels" + ask, copy, **own) == "True"
    in_a_child(load, copy, **own)
    assert stamps and {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb*")} == stamps


@pytest.mark.verify
def test_numba_cache_setting_of_others_is_left_alone(tmp_path: Path) -> None:
    code = (
        "import os; from core import kernels; from core.kinematics import svd_kernel; kernels.load(svd_kernel)\n"
        "from numba.core import config; print(os.environ.get('NUMBA_CACHE_DIR'), config.CACHE_DIR)"
    )
    assert in_a_child(code, NUMBA_CACHE_DIR=str(tmp_path)) == f"{tmp_path} {tmp_path}"
    assert not list(tmp_path.iterdir())


def test_stale_caches_are_removed_and_others_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path))
    now, name = 1e9, "core.kinematics.svd_kernel"
    ages = {"kernels-old": 31, "kernels-young": 29, cache.folder(name).name: 99, "something-else": 99}
    for folder, days in ages.items():
        (tmp_path / folder).mkdir()
        marker = tmp_path / folder / "complete"
        marker.write_text("")
        os.utime(marker, (now - days * 86400.0,) * 2)
    assert [folder.name for folder in cache.remove_stale({name}, now)] == ["kernels-old"]
    assert {path.name for path in tmp_path.iterdir()} == set(ages) - {"kernels-old"}


def test_kernels_that_call_each_other_in_a_circle_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from core.kernels import domains

    monkeypatch.setattr(domains, "callees_of", lambda name, all_names: {name})
    domains.names.cache_clear()
    try:
        with pytest.raises(KernelError, match="circle"):
            domains.names()
    finally:
        domains.names.cache_clear()


@pytest.mark.verify
def test_warming_fills_an_empty_cache_and_a_second_start_compiles_nothing(tmp_path: Path) -> None:
    environment = {**os.environ, "SEQUENCE_EDITOR_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "core.warm"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    total = len(kernels.names())
    steps = [line.split(" ") for line in done.stdout.splitlines()]
    assert [count for count, _ in steps] == [f"{k}/{total}" for k in range(1, total + 1)]
    assert sorted(name for _, name in steps) == sorted(kernels.names())
    code = "from core import kernels; print(kernels.is_warm()); kernels.load_all()"
    stamps = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb*")}
    assert in_a_child(code, SEQUENCE_EDITOR_CACHE=str(tmp_path)) == "True"
    assert stamps and {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nb*")} == stamps
