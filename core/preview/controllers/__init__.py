"""What moves the joints of strips from step to step where a preset of physics says so."""
