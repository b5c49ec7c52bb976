"""The tools of the `weekly` desk: a team's notes, issues and budget, and the report that is made of them."""

from __future__ import annotations

from signoff.tools.catalog.weekly.budget import sum_budget
from signoff.tools.catalog.weekly.issues import count_issues
from signoff.tools.catalog.weekly.notes import search_notes
from signoff.tools.catalog.weekly.numbers import check_numbers
from signoff.tools.catalog.weekly.report import report_tool
from signoff.tools.contract import Tool
from signoff.tools.workspace import Workspace


def weekly_tools(workspace: Workspace) -> list[Tool]:
    """The desk's tools, in the order in which they are offered; a read-only workspace has none that writes."""
    reads = [search_notes, count_issues, sum_budget]
    return reads if workspace.mode == "readonly" else [*reads, report_tool(workspace)]


__all__ = ["check_numbers", "weekly_tools"]
