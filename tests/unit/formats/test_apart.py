"""Programs of others in processes of their own: they may fail, crash or be cancelled, and nothing else is harmed."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from core.errors import Cancelled, FormatError
from core.formats import load, save
from core.formats.child import run
from tests.unit.formats.test_gltf_writer import scene


def words(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def test_what_it_said_last_is_told() -> None:
    assert run(words("print('one'); print('two')"), "a.usd", "the library", None) == "two"
    with pytest.raises(FormatError, match=r"^a\.usd: the library cannot do that: no such thing$"):
        run(words("import sys; print('begin', flush=True); sys.exit('no such thing')"), "a.usd", "the library", None)
    with pytest.raises(FormatError, match="cannot be started"):
        run(["no-such-program-anywhere"], "a.usd", "the library", None)


@pytest.mark.skipif(sys.platform == "win32", reason="signals as other systems know them")
def test_a_crash_is_a_message() -> None:
    with pytest.raises(FormatError, match=r"a\.usd: the library crashed over it \(signal 11\)"):
        run(words("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"), "a.usd", "the library", None)


def test_it_ends_where_it_is_cancelled(tmp_path: Path) -> None:
    left = tmp_path / "left"

    def stop(_done: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        run(words(f"import time; time.sleep(3); open({str(left)!r}, 'w')"), "a.usd", "the library", stop)
    assert not left.exists()


@pytest.mark.verify
def test_usd_is_the_same_by_its_process(tmp_path: Path) -> None:
    pytest.importorskip("pxr", reason="the package usd-core is not installed")
    project = scene()
    save(project, tmp_path / "here.usda")
    save(project, tmp_path / "apart.usda", apart=True)
    assert (tmp_path / "apart.usda").read_bytes() == (tmp_path / "here.usda").read_bytes()
    here, apart = load(tmp_path / "here.usda"), load(tmp_path / "apart.usda", apart=True)
    assert np.array_equal(apart.sequences[0].pose_at(0.3), here.sequences[0].pose_at(0.3))
    (tmp_path / "bad.usda").write_text("#usda 1.0\n(")
    told = []
    for aside in (False, True):
        with pytest.raises(FormatError) as caught:
            load(tmp_path / "bad.usda", apart=aside)
        told.append([str(each) for each in caught.value.problems])
    assert told[0] == told[1] and told[0][0].startswith("bad.usda")
