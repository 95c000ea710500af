"""How the editor looks: tokens of the two themes, style sheet, fonts, icons and the glyphs of locks."""
