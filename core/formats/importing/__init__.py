"""What the importers of motion files share: units, names, bodies."""
