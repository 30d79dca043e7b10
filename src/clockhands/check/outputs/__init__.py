"""A report for programs: SARIF and GitHub annotations; a picture, and a page for people."""
