"""Desks: profiles that make one graph serve a scenario, and the tools they bring."""

from signoff.desks.library import every, find, skill_folders
from signoff.desks.profile import Profile
from signoff.desks.toolbox import tools_of

__all__ = ["Profile", "every", "find", "skill_folders", "tools_of"]
