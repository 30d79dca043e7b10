"""Kinds of pictures: each a function of plain numbers, shared by the rules that it can tell."""
