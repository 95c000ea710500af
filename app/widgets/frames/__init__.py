"""What surrounds other widgets, or appears over them: docks, pop-ups, bars, messages, menus, buttons."""
