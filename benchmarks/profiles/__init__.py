"""Where the time of whole commands goes, in all their processes."""
