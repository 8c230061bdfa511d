"""Leduc poker, two formats and a rating: a package that adds to the arena without changing it."""
