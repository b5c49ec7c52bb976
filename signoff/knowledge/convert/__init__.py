"""From a file of any kind to blocks of text under their headings; what is foreign is parsed in a process apart."""

from signoff.knowledge.convert.blocks import Block, Kind, Reading, Unreadable
from signoff.knowledge.convert.limits import Limits
from signoff.knowledge.convert.reader import KINDS, read

__all__ = ["KINDS", "Block", "Kind", "Limits", "Reading", "Unreadable", "read"]
