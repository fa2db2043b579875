"""Expressions over single numbers, shared by the code generators: the IR, and elementary functions written in it."""
