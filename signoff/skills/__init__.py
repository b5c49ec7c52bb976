"""Skills: named bundles of instructions, tools and steps, each a folder in the Agent Skills format."""

from signoff.skills.library import Skills, load
from signoff.skills.skill import Section, Skill, SkillStep, read

__all__ = ["Section", "Skill", "SkillStep", "Skills", "load", "read"]
