"""Mouse gestures: begin, update, commit or cancel."""
