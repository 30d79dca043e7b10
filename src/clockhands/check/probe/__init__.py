"""Positional encodings measured by behaviour: what a model or a function really does."""
