"""Documents, searched with the caller's access applied before ranking, and cited by passage."""

from signoff.knowledge.library import Document, Knowledge, Passage, Report, sample_folder

__all__ = ["Document", "Knowledge", "Passage", "Report", "sample_folder"]
