"""What stands behind the library panel: places, reading, icons and their cache, the dialog."""
