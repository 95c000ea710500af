"""Functions are split by idea: none has over 80 lines without the reason written where its text begins."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST = 80
MARK = "# In one piece: "


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all that is inside a node but expressions, which hold no statements."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            yield child
            yield from statements(child)


def functions(source: str) -> Iterator[tuple[str, int, bool]]:
    """Yield the name of each function of a file, its length in lines, and whether a reason for it is written.

    The reason is a comment right after the signature and the docstring: the mark, and a sentence.
    """
    lines = source.splitlines()
    for node in statements(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            start = first.end_lineno if documented else first.lineno - 1
            while not documented and lines[start - 1].lstrip().startswith("#"):
                start -= 1
            reason = lines[start].strip() if start < len(lines) else ""
            reasoned = reason.startswith(MARK) and len(reason.removeprefix(MARK).split()) > 4
            yield node.name, node.end_lineno - node.lineno + 1, reasoned


def test_long_functions_say_why() -> None:
    silent, needless, reasoned = [], [], 0
    for top in ("core", "app"):
        for path in sorted((ROOT / top).rglob("*.py")):
            for name, length, reason in functions(path.read_text(encoding="utf-8")):
                place = f"{path.relative_to(ROOT)}: {name}, {length} lines"
                reasoned += reason
                if length > MOST and not reason:
                    silent.append(place)
                if length <= MOST and reason:
                    needless.append(place)
    assert not silent, f"split them by idea, or write '{MARK}...' after the docstring"
    assert not needless, "these are short, and need no reason any more"
    assert reasoned > 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('def f():\n    """Do."""\n    # In one piece: all of it shares its numbers.\n    x = 1\n', True),
        ("def f():\n    # In one piece: all of it shares its numbers.\n    x = 1\n", True),
        ('def f():\n    """Do."""\n    # In one piece: long.\n    x = 1\n', False),
        ('def f():\n    """Do."""\n    x = 1\n    # In one piece: all of it shares its numbers.\n', False),
        ('def f():\n    """Do it all."""\n', False),
        ("def f():\n    x = 1\n", False),
    ],
)
def test_what_counts_as_a_reason(text: str, expected: bool) -> None:
    ((name, length, reason),) = functions(text)
    assert (name, reason) == ("f", expected) and 1 < length < 5
