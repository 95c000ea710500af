"""Files that scripts make, against those that are kept: the same text, and numbers but for what processors round."""

from __future__ import annotations

import re

import numpy as np

_NUMBER = re.compile(r"-?\d+\.\d+(?:[eE][-+]?\d+)?")


def assert_made_alike(made: str, kept: str, where: str) -> None:
    """Assert that two texts are the same but for numbers with a decimal point, which may differ by 1e-5.

    Least squares over a mesh come out otherwise in the sixth digit where a processor adds in another order.
    """
    assert _NUMBER.sub("#", made) == _NUMBER.sub("#", kept), where
    numbers = [np.array(_NUMBER.findall(text), float) for text in (made, kept)]
    np.testing.assert_allclose(*numbers, rtol=0, atol=1e-5, err_msg=where)


def assert_records_alike(made: object, kept: object, where: str = "") -> None:
    """Assert that two JSON values are the same but for the last digits of numbers, 1e-9."""
    if isinstance(kept, dict):
        assert isinstance(made, dict) and made.keys() == kept.keys(), where
        for key, value in kept.items():
            assert_records_alike(made[key], value, f"{where}.{key}")
    elif isinstance(kept, list | tuple):
        assert isinstance(made, list | tuple) and len(made) == len(kept), where
        for k, value in enumerate(kept):
            assert_records_alike(made[k], value, f"{where}[{k}]")
    elif isinstance(kept, float):
        assert isinstance(made, int | float) and abs(made - kept) <= 1e-9, f"{where}: {made} instead of {kept}"
    else:
        assert made == kept, f"{where}: {made} instead of {kept}"
