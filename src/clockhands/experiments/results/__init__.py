"""What a comparison found, told: sections of tables and sentences, and the forms that they are written in.

sections  the same for all forms, in both languages
beside    costs, probes, depths, and what is undefined
markup    Markdown and LaTeX; records: JSON, CSV and Parquet; page: one HTML file
"""

from clockhands.experiments.results.markup import as_latex, as_markdown
from clockhands.experiments.results.page import as_page
from clockhands.experiments.results.records import as_csv, as_parquet, as_record
from clockhands.experiments.results.section import Section
from clockhands.experiments.results.sections import conclusions, sections

__all__ = [
    "Section",
    "as_csv",
    "as_latex",
    "as_markdown",
    "as_page",
    "as_parquet",
    "as_record",
    "conclusions",
    "sections",
]
