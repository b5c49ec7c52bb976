"""Tool calls in what a model wrote: found, mended where only one thing can be meant, and never made up.

`read` takes an output apart into text, reasoning and calls; `render` writes calls in any of `FORMATS`. Readers of
bodies (`objects`, `named`, `python_calls`, `tags`, `pairs`, `gemma`, `channels`, `elements`) know how calls are
written, `wrappers` what stands round them; `harmony`, `react` and `loose` are the forms without such marks.
`quotations` knows what a model only repeats.
"""

from signoff.models.repair.formats import FORMATS, render
from signoff.models.repair.quotations import Quotations
from signoff.models.repair.reader import read
from signoff.models.repair.reading import FoundCall, Reading, Refused

__all__ = ["FORMATS", "FoundCall", "Quotations", "Reading", "Refused", "read", "render"]
