"""Colours of a constraint script: words of the language, names, numbers and comments."""

from __future__ import annotations

import re

from PySide6.QtGui import QColor, QFont, QSyntaxHighlighter, QTextCharFormat

from app.look import style
from app.process.handler_guard import guarded
from core.animation.script.completion import KEYWORDS, clause_words, kind_names

_PIECES = re.compile(
    r'(?P<comment>#.*)|(?P<name>"[^"]*"?)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(?P<word>[^\W\d][\w.]*)'
)


class ScriptColors(QSyntaxHighlighter):
    """Colours the text of a script; the words come from the language itself."""

    @guarded
    def highlightBlock(self, text: str) -> None:
        verbs, clauses, kinds = KEYWORDS, clause_words(), kind_names()
        for piece in _PIECES.finditer(text):
            what = piece.lastgroup
            token, bold = "", False
            if what == "comment":
                token = "text3"
            elif what == "name":
                token = "accent"
            elif what == "number":
                token = "dyn"
            elif piece["word"] in verbs:
                token, bold = "text", True
            elif piece["word"] in kinds:
                token = "lock_position"
            elif piece["word"] in clauses:
                token = "text2"
            if token:
                self.setFormat(piece.start(), piece.end() - piece.start(), _format(style.color(token), bold))


def _format(color: QColor, bold: bool) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(color)
    if bold:
        made.setFontWeight(QFont.Weight.DemiBold)
    return made
