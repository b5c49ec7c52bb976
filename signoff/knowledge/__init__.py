"""Documents, searched with the caller's access applied before ranking, and cited by passage."""

from signoff.knowledge.grants import Grant
from signoff.knowledge.ingest import Progress
from signoff.knowledge.library import Knowledge, Shown, sample_folder
from signoff.knowledge.passages import Document, Filter, Passage, Report
from signoff.knowledge.search import Found
from signoff.knowledge.stats import Stats

__all__ = [
    "Document",
    "Filter",
    "Found",
    "Grant",
    "Knowledge",
    "Passage",
    "Progress",
    "Report",
    "Shown",
    "Stats",
    "sample_folder",
]
