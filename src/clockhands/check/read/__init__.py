"""Targets that are files: each dialect read into the same ``Subject``; numpy alone, and nothing is run."""

from clockhands.check.read.config import read_config

__all__ = ["read_config"]
