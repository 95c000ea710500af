"""The .scr skeleton file: read whole or refused with every problem, and written back bit for bit."""
