"""The dope sheet: rows of keys, selected and retimed by the mouse."""
