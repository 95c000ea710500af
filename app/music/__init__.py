"""Loading music beside the window, and hearing it."""
