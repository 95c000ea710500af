"""Dialogs and windows of their own: exports, imports, baking, the manual, the key map."""
