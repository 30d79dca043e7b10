"""The site: ``python -m docs.site`` writes it to ``docs/_build/html``, in English and Chinese.

1. ``staging`` writes its sources in Markdown: the guides of ``docs``, and a page for each scheme;
2. ``drawing`` draws the pictures, in as many processes as there are cores;
3. ``building`` lets Sphinx (``conf``, ``mathml``, ``words``) make one site a language, warnings being
   errors, and joins the two.
"""
