"""Text as it is compared: the smallest change that stops false failures."""

from __future__ import annotations

from agenteval._messages import cut

__all__ = ["normalize"]


def normalize(text: str) -> str:
    r"""Return `text` as answers are compared: what is left when spelling noise is gone.

    Lower case; white space of any kind collapsed to one blank and dropped at both ends; trailing
    ``.`` and ``!`` dropped. Nothing more, because over-normalizing hides real mistakes. Applying it
    twice changes nothing.

    Args:
        text: Any text.

    Returns:
        The normalized text; may be empty.

    Raises:
        TypeError: `text` is not a str.

    >>> normalize("  Paris.\n")
    'paris'
    >>> normalize("New\u00a0 York !") == normalize("new york")
    True
    """
    if not isinstance(text, str):
        raise TypeError(
            f"normalize: text must be a str, got {type(text).__name__} {cut(text)}; "
            "convert it with str() first"
        )
    return " ".join(text.lower().split()).rstrip(".! ")
