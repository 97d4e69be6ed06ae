"""How sure a format is that a trace is its own; what every format module offers for recognition.

Each format module has:

- ``FORMAT``: its name, as in ``trace["format"]``; the importer is ``from_`` and this name;
- ``looks_like(trace) -> Likeness``: gets the whole trace (a mapping, a sequence, or text for the
  formats that are text), never raises, and is quick: it looks at keys, it does not read.

`CERTAIN` needs a mark that no other format has, such as a ``tool_use`` block. A conversation
without any call often has none: its shape is shared by several formats, which then all say
`POSSIBLE`. Two formats that are both `CERTAIN` are a mixture.
"""

from __future__ import annotations

from typing import Literal

__all__ = ["CERTAIN", "NO", "POSSIBLE", "Likeness"]

Likeness = Literal[0, 1, 2]

NO: Likeness = 0
POSSIBLE: Likeness = 1
CERTAIN: Likeness = 2
