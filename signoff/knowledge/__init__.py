"""Documents, searched with the caller's access applied before ranking, and cited by passage."""

from signoff.knowledge.library import Knowledge, sample_folder
from signoff.knowledge.passages import Document, Filter, Passage, Report

__all__ = ["Document", "Filter", "Knowledge", "Passage", "Report", "sample_folder"]
