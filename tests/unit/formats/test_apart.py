"""Programs of others in processes of their own: they may fail, crash or be cancelled, and nothing else is harmed."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from core.errors import Cancelled, FormatError
from core.formats import load, save
from core.formats.child import run
from core.formats.usd import apart
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


@pytest.mark.skipif(sys.platform == "win32", reason="processes as other systems know them")
def test_it_ends_where_it_is_cancelled(tmp_path: Path) -> None:
    number = tmp_path / "number"
    text = f"import os, time, pathlib; pathlib.Path({str(number)!r}).write_text(str(os.getpid())); time.sleep(600)"

    def stop(_done: float) -> None:
        if number.exists() and number.read_text():
            os.kill(int(number.read_text()), 0)  # it runs
            raise Cancelled

    with pytest.raises(Cancelled):
        run(words(text), "a.usd", "the library", stop)
    with pytest.raises(ProcessLookupError):
        os.kill(int(number.read_text()), 0)


def test_its_temporary_files_go_where_they_are_taken_away(tmp_path: Path) -> None:
    said = run(words("import tempfile; print(tempfile.gettempdir())"), "a.usd", "the library", None, scratch=tmp_path)
    assert Path(said) == tmp_path


@pytest.mark.parametrize("when", ["while it writes", "at the end"])
def test_a_usd_file_that_is_cancelled_leaves_nothing(
    when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the process is in the middle of a file, which it is slow over here, or done with it."""
    pytest.importorskip("pxr", reason="the package usd-core is not installed")
    kept, scratch = tmp_path / "kept", tmp_path / "scratch"
    for folder in (kept, scratch):
        folder.mkdir()
    (kept / "a.usdc").write_bytes(b"what was there")
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    slow = """
import sys, time, os, pathlib, core.formats.files as files
whole = os.fsync
def stay(handle):
    whole(handle)
    if WAIT:
        time.sleep(600)
os.fsync = stay
from core.formats.usd.in_child import main
main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
""".replace("WAIT", str(when == "while it writes"))
    real = apart.run

    def altered(given: list[str], *more: object) -> str:
        return real([given[0], "-c", slow, *given[3:]], *more)

    def stop(done: float) -> None:
        writing = any(each.name.endswith(".part") for each in tmp_path.rglob("*"))
        if writing if when == "while it writes" else done > 0.94:
            raise Cancelled

    monkeypatch.setattr(apart, "run", altered)
    with pytest.raises(Cancelled):
        save(scene(), kept / "a.usdc", apart=True, progress=stop)
    assert [each.name for each in kept.iterdir()] == ["a.usdc"] and list(scratch.iterdir()) == []
    assert (kept / "a.usdc").read_bytes() == b"what was there"


WAYS = {
    "open": "read_model(path)",
    "import": "read_model(path, choices=ImportChoices.found())",
    "a figure": "read_figure(path)",
    "save": "write_model(read_model(path)[0], path.with_name('again.usda'))",
    "export": "save(chosen(load(path, apart=True), path.with_name('out.usdc'), ExportChoices(fps=12)), "
    "path.with_name('out.usdc'), apart=True)",
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("way", WAYS)
def test_the_editor_never_has_the_usd_library_in_its_own_process(way: str, tmp_path: Path) -> None:
    pytest.importorskip("pxr", reason="the package usd-core is not installed")
    path = tmp_path / "a.usda"
    save(scene(), path)
    script = f"""
import pathlib, sys
from app.document.files.model_files import read_figure, read_model, write_model
from core.formats import ImportChoices, load, save
from core.formats.exporting import ExportChoices, chosen
path = pathlib.Path({str(path)!r})
{WAYS[way]}
print([name for name in sys.modules if name.partition(".")[0] == "pxr"])
"""
    assert run(words(script), "a.usd", "the editor", None, Path(__file__).parents[3]) == "[]"


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
