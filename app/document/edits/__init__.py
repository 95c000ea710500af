"""From what a person wants to commands: everything is checked here, before anything is changed."""
