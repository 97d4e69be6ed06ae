"""Runs, rows and curves as text, Markdown, HTML and JUnit XML.

Nothing here measures anything: what a report shows comes from the runs themselves and from
`agenteval.measures`, `agenteval.reliability` and `agenteval.trajectory`. Every form takes runs with
crashes, timeouts, missing answers and any text whatever, never raises on them, and gives text that
encodes as UTF-8.
"""
