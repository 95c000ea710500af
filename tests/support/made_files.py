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
