"""A report as one page of HTML, and as a piece of a notebook; charts are inline SVG."""

from agenteval.report.page.assembly import html
from agenteval.report.page.fragment import html_fragment

__all__ = ["html", "html_fragment"]
