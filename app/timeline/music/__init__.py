"""The music under the tracks."""
