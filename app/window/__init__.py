"""The main window: menus, toolbar, status line, docks; it holds no state of its own."""
