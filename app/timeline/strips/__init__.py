"""What strips on the timeline have in common, be they of locks or of joints that forces move."""
