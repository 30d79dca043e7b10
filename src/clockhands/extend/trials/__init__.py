"""Methods tried on a model with a text: losses by position, perplexity by length, passkeys.

``design``, ``store``, ``found`` and what writes reports need numpy alone; the rest needs transformers.
"""
