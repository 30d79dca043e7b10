"""Targets that are files: each dialect read into the same ``Subject``; numpy alone, and nothing is run."""
