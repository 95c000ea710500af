"""What locks look like and are called, and the search for conflicts beside the window."""
