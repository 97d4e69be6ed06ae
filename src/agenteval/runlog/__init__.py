"""The log of an evaluation: every finished run is on disk at once, and a killed one goes on.

`RunLog` is what ``evaluate(..., log=...)`` writes and resumes; `read_log` streams the runs back.

A log is JSON Lines, pure ASCII and strict JSON, one object a line:

- the header, first: ``{"agenteval": "run log", "version": 1, "label": ..., "repeats": ...}``;
- a task: ``{"task": <its id>, "fingerprint": <32 hex digits>}``, before its first run;
- a run: the `Run` itself, with its ``id`` and ``repeat``;
- more repeats than the log had so far: ``{"repeats": ...}``.

A line counts when its newline is there. What JSON cannot hold is marked; `plain` says how.
"""

from agenteval.runlog.errors import RunLogError
from agenteval.runlog.log import RunLog
from agenteval.runlog.reading import read_log

__all__ = ["RunLog", "RunLogError", "read_log"]
