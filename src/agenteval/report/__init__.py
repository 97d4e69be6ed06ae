"""Runs, rows and curves as text, Markdown, HTML and JUnit XML.

Nothing here measures anything: what a report shows comes from the runs themselves and from
`agenteval.measures`, `agenteval.reliability` and `agenteval.trajectory`. Every form takes runs with
crashes, timeouts, missing answers and any text whatever, never raises on them, and gives text that
encodes as UTF-8.
"""

from agenteval.report.comparisons import comparison_text
from agenteval.report.curves import curve_text
from agenteval.report.junit import junit_xml
from agenteval.report.markdown import markdown
from agenteval.report.page import html, html_fragment
from agenteval.report.steps import steps_text
from agenteval.report.text import text

__all__ = [
    "comparison_text",
    "curve_text",
    "html",
    "html_fragment",
    "junit_xml",
    "markdown",
    "steps_text",
    "text",
]
