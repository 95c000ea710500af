"""The table of a sweep as a Parquet file, a row for each run."""

from __future__ import annotations

import importlib.util
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.batch.job import file_digest
from app.batch.steps import StepError
from app.batch.sweep.measures import MEASURES
from app.batch.sweep.parameters import PARAMETERS
from app.batch.sweep.plan import Sweep
from core import __version__
from core.extras import how_to_install
from core.formats.files import write_bytes


def check_package() -> None:
    """See that the package that writes tables is installed.

    Raises:
        StepError: If it is not; says what to install.
    """
    if importlib.util.find_spec("pyarrow") is None:
        raise StepError(
            f"writing a .parquet file needs pyarrow, which is not installed; run: {how_to_install('sweep')}"
        )


def write_table(rows: Sequence[dict[str, Any]], sweep: Sweep, path: Path) -> None:
    """Write a table; its metadata say which scene and settings it is of. The same rows give the same bytes.

    Args:
        rows: From ``run_sweep``.
        sweep: The sweep.
        path: Where to.

    Raises:
        FormatError: If it cannot be written.
    """
    import pyarrow
    import pyarrow.parquet

    varied = [name for name, _ in sweep.vary]
    units = {each.name: each.unit for each in PARAMETERS}
    fields = [pyarrow.field(name, pyarrow.float64(), metadata={"unit": units[name]}) for name in varied]
    fields.append(pyarrow.field("seed", pyarrow.int64()))
    fields += [pyarrow.field(each.name, pyarrow.float64(), metadata={"unit": each.unit}) for each in MEASURES]
    fields.append(pyarrow.field("error", pyarrow.string()))
    about = {"program": f"sequence-editor {__version__}", "scene": file_digest(sweep.scene), **sweep.step.record()}
    schema = pyarrow.schema(fields, metadata={"sweep": json.dumps(about)})
    table = pyarrow.Table.from_pylist(list(rows), schema=schema)
    made = io.BytesIO()
    pyarrow.parquet.write_table(table, made, compression="zstd")
    write_bytes(path, made.getvalue())
