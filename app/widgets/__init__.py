"""Widgets of the editor that paint themselves from the theme; they know nothing of documents."""
