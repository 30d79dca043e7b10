"""Fuzz targets for the readers of ``clockhands check``."""
