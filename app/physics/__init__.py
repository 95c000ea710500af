"""Physics in the editor: what is simulated and shown, the thread that works it out, the clock that shows it."""
