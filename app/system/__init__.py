"""What the operating system is told of the editor: its place among the applications, and which files it opens.

One file a system, each with ``add`` and ``remove``.
"""
