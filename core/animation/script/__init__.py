"""The constraint script: lock strips written as statements, a line each (Welman 1993, section 7.2.1)."""
