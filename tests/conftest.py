"""Fixtures every test may use. Real data lies outside the project; tests that need it skip where it is absent."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from pytestqt.qtbot import QtBot

from core import kernels
from core.array_cache import ArrayCache
from tests.support import read_once
from tests.support.counts import QUICK, covering, spread

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_MS = 30_000
MANY = 10  # cases of a test, beyond which the quick run takes only some of the combinations of its arguments
DATA = Path(os.environ.get("SEQUENCE_EDITOR_DATA", ROOT / "../shared/data")).resolve()

# The same examples in every run: a test that fails by chance on another machine tells nobody anything.
settings.register_profile("full", derandomize=True, database=None, deadline=None)
settings.register_profile("fixed", settings.get_profile("full"), max_examples=QUICK)
settings.load_profile("fixed")
# Hypothesis also tries the numbers and names that it finds in the sources of all modules imported so far: examples
# would depend on which other tests are run, and reading a thousand files for them takes seconds of every process.
providers._get_local_constants = providers.Constants


# A shell that starts the tests in the background makes them deaf to Ctrl-C, and with them the programs they interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--verify", action="store_true", help="run the full counts of tests marked `verify`")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("full" if config.getoption("--verify") else "fixed")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Collect with the collector of cycles at rest, and keep what was collected out of its sight.

    Ten thousand tests and all modules stay to the end; to search them for garbage again and again, while they are
    imported and during the tests, took a tenth of the time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--verify"):
        return
    left_out = {item for item in items if "verify" in item.keywords}
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item not in left_out and hasattr(item, "callspec"):
            tests.setdefault(item.nodeid.split("[")[0], []).append(item)
    for cases in tests.values():
        if (mark := cases[0].get_closest_marker("sampled")) is not None:
            left_out.update(set(cases) - set(spread(cases, mark.args[0])))
        elif len(cases) > MANY:
            taken = covering([case.callspec._idlist for case in cases])  # a name from each of its `parametrize`
            left_out.update(set(cases) - {cases[k] for k in taken})
    if left_out:  # rather than skipped: thousands of reports of nothing take their time too
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture
def qtbot(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> QtBot:
    """The robot of pytest-qt; what it waits for may take long on a busy machine, and is seen at once on a quiet one."""

    def patient(callback: Callable[[], bool | None], *, timeout: int = 0) -> None:
        QtBot.waitUntil(qtbot, callback, timeout=max(timeout, PATIENCE_MS))

    monkeypatch.setattr(qtbot, "waitUntil", patient)
    return qtbot


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of reference data; the test is skipped where there is none."""
    if not DATA.is_dir():
        pytest.skip("reference data not found; set SEQUENCE_EDITOR_DATA to its folder")
    return DATA


@pytest.fixture(scope="session")
def skeletons_folder() -> Path:
    """The folder of bundled skeletons."""
    return ROOT / "skeletons"


@pytest.fixture
def figures_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents share the bundled figures that other tests have read in this process."""
    read_once.install(monkeypatch)


_LOAD, _SAVE = ArrayCache.load, ArrayCache.save


@pytest.fixture(autouse=True)
def _no_arrays_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests work out what the program keeps on the disk: some change what makes it, none may fill the person's."""
    monkeypatch.setattr(ArrayCache, "load", lambda *_: None)
    monkeypatch.setattr(ArrayCache, "save", lambda *_: None)


@pytest.fixture
def kept_arrays(_no_arrays_are_kept: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Arrays are kept after all, in a folder of the test's own, which it returns."""
    monkeypatch.setattr(ArrayCache, "load", _LOAD)
    monkeypatch.setattr(ArrayCache, "save", _SAVE)
    monkeypatch.setattr("core.array_cache.root", lambda: tmp_path / "arrays")
    return tmp_path / "arrays"


@pytest.fixture(scope="session")
def _places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders, each for one test; pytest's own numbered ones take longer the more there are."""
    folder = tmp_path_factory.mktemp("places")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def _same_kernels_afterwards() -> Iterator[None]:
    """Let no test leave uncompiled kernels to all that follow in its process: they take a hundred times as long."""
    before = kernels.compile_on_demand(True)
    kernels.compile_on_demand(before)
    yield
    kernels.compile_on_demand(before)


@pytest.fixture(autouse=True)
def _nothing_left_to_optimize() -> Iterator[None]:
    """Let no test leave its generated code to be optimized during those that follow."""
    yield
    if (generated := sys.modules.get("core.codegen.generated")) is not None:
        generated.let_go()


@pytest.fixture(autouse=True)
def _own_places(
    _same_kernels_afterwards: None, _places: Iterator[Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Keep settings, journals and logs of a test out of the person's own folders."""
    folder = next(_places)
    folder.mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "data"))
    yield
