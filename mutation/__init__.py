"""A fixed sample of mutants: small faults put into the code one by one, which the tests must notice.

``python -m mutation`` runs the committed sample and fails if fewer than nine in ten are caught.
``python -m mutation formulas schemes`` runs that part of it.
``python -m mutation draw`` draws the sample anew from the present code; the seed is fixed.

mutmut makes the mutants, but does not run them. Its own runner puts every function behind a switch
that reads an environment variable: ``torch.compile`` can't trace through that, and functions with a
decorator are left out. Here each mutant is a whole source file that takes the place of the real one
in a forked process; nothing on disk is touched.
"""
