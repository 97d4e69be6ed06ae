"""The sections of a page between its figures and its tasks: curve, reasons, path, spread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from agenteval.measures import Distribution
from agenteval.report.formatting import plural, rate
from agenteval.report.overview import Overview
from agenteval.report.page.inputs import Page
from agenteval.report.page.svg import curve_svg, histogram_svg
from agenteval.report.page.text import isolated, table

__all__ = [
    "MOST_LISTED",
    "curve_table",
    "path_section",
    "reasons_section",
    "reasons_table",
    "reliability_section",
    "section",
    "spread_section",
]

MOST_LISTED = 30
"""How many entries a list shows before it says how many more there are."""


def section(anchor: str, title: str, *parts: str) -> str:
    """Return one section with its heading."""
    return f'<section id="{anchor}">\n<h2>{title}</h2>\n{"".join(parts)}</section>\n'


def reliability_section(page: Page) -> str:
    """Draw the curve, and set its numbers and what they mean beside it."""
    said = (
        "pass^k is the share of tasks that pass all of k repeats, pass@k the share that pass at "
        "least one. The interval is over tasks, because repeats of one task are not independent."
    )
    if page.with_path:
        said += " “Path too” is pass^k of runs whose path holds as well."
    if page.baseline_table:
        said += " “Baseline” is pass^k of the version before."
    if page.table[-1]["k"] == 1:
        said += " One repeat cannot show how steady a pass is: run each task several times."
    chart = curve_svg(page.table, baseline=page.baseline_table)
    return section(
        "reliability",
        "Reliability over repeats",
        f'<div class="pair"><figure>{chart}</figure>\n',
        f'<div>{curve_table(page)}<p class="soft">{said}</p></div></div>\n',
    )


def curve_table(page: Page) -> str:
    """Give the numbers of the curve, those with the path and the baseline's beside them."""
    head = ["k", "pass^k", page.interval_name, "pass@k"]
    beside = []
    for name, rows in (("path too", page.with_path), ("baseline", page.baseline_table)):
        if rows:
            head.append(name)
            beside.append({row["k"]: rate(row["pass_hat_k"]) for row in rows})
    cells = [
        [
            str(row["k"]),
            rate(row["pass_hat_k"]),
            f"{rate(row['low'])}–{rate(row['high'])}",
            rate(row["pass_at_k"]),
            *(column.get(row["k"], "–") for column in beside),
        ]
        for row in page.table
    ]
    tasks = plural(page.table[0]["tasks"], "task")
    return table(f"Reliability of {tasks}", head, cells, numbers=range(len(head)))


def reasons_section(seen: Overview) -> str:
    """List why runs failed, the commonest reason first, and what they did after tool errors."""
    return section(
        "reasons", "Why runs failed", reasons_table(seen, MOST_LISTED), _recoveries(seen.recovery)
    )


def reasons_table(seen: Overview, most: int) -> str:
    """Give the `most` commonest reasons, each with its share of the runs."""
    total = seen.report["total"]
    listed = list(seen.report["reasons"].items())
    if not listed:
        return "<p>No run failed.</p>\n"
    cells = [
        [
            isolated(reason),
            f"{count:,}",
            rate(count / total),
            f'<span class="share"><span style="width:{100 * count / total:.1f}%"></span></span>',
        ]
        for reason, count in listed[:most]
    ]
    caption = f"A run can have several reasons; shares are of all {plural(total, 'run')}"
    head = ["Reason", "Runs", "Share", '<span class="said">Share as a bar</span>']
    markup = table(caption, head, cells, numbers={1, 2})
    rest = listed[most:]
    if rest:
        times = plural(sum(count for _, count in rest), "time")
        markup += f"<p>{plural(len(rest), 'rarer reason')} not listed, {times} in all.</p>\n"
    return markup


def path_section(seen: Overview) -> str:
    """Set the outcome against the path, and count what was wrong with paths."""
    found = {key: seen.diagnoses.get(key, 0) for key in ("sound", "lucky", "blocked", "failed")}
    matrix = table(
        f"Outcome and path of {plural(sum(found.values()), 'run')} of tasks with a reference",
        ["", "Right outcome", "Wrong outcome"],
        [
            ["Sensible path", f"{found['sound']:,} sound", f"{found['blocked']:,} blocked"],
            ["Broken path", f"{found['lucky']:,} lucky", f"{found['failed']:,} failed"],
        ],
        kind="matrix",
    )
    faults: Counter[str] = Counter()
    for task in seen.tasks:
        faults.update(task.whys)
    why = (
        table(
            "What was wrong with paths",
            ["Why", "Runs"],
            [[isolated(reason), f"{count:,}"] for reason, count in faults.most_common(MOST_LISTED)],
            numbers={1},
        )
        if faults
        else "<p>No path broke a rule.</p>\n"
    )
    more = len(faults) - MOST_LISTED
    if more > 0:
        why += f"<p>{plural(more, 'rarer fault')} not listed.</p>\n"
    return section(
        "paths",
        "Outcome and path",
        "<p>A lucky run was right by a broken path and will fail some other day. A blocked run was "
        "wrong by a sensible path, which mostly means that a tool or a piece of context is missing."
        "</p>\n",
        f'<div class="pair"><div>{matrix}</div><div>{why}</div></div>\n',
    )


def _recoveries(counts: Mapping[str, int]) -> str:
    kinds = ("retried", "worked around", "gave up", "invented")
    cells = [[kind, f"{counts[kind]:,}"] for kind in kinds if counts[kind]]
    if not cells:
        return ""
    return table("What runs did after a tool had failed", ["Recovery", "Runs"], cells, numbers={1})


def spread_section(
    spreads: Sequence[tuple[str, str, Distribution, Callable[[float], str]]],
) -> str:
    """Draw how steps and costs spread, and give the percentiles of all that is known.

    Args:
        spreads: Name, what one is called under the axis (empty for no chart), distribution and
            how to write a value.

    Returns:
        The section, or nothing where nothing is known.
    """
    known = [spread for spread in spreads if spread[2]["count"]]
    if not known:
        return ""
    charts = "".join(
        f"<figure><figcaption>{name}</figcaption>{_histogram(name, axis, found, show)}</figure>\n"
        for name, axis, found, show in known
        if axis
    )
    names = {
        "min": "least",
        "p50": "p50",
        "p90": "p90",
        "p95": "p95",
        "max": "most",
        "mean": "mean",
    }
    cells = [
        [name, *(_shown(found, key, show) for _, _, found, show in known)]
        for key, name in names.items()
    ]
    cells.append(["known", *(_coverage(found) for _, _, found, _ in known)])
    numbers = table(
        "Percentiles over runs. Look at the far end first: a few long runs mean a kind of input "
        "that sends the agent wandering.",
        ["A run took", *(name for name, _, _, _ in known)],
        cells,
        numbers=range(1, len(known) + 1),
    )
    return section("spread", "What runs took", f'<div class="pair">{charts}</div>\n', numbers)


def _histogram(name: str, axis: str, found: Distribution, show: Callable[[float], str]) -> str:
    marks = [(key, value) for key in ("p50", "p90") if (value := _value(found, key)) is not None]
    return histogram_svg(found["histogram"], title=name, axis=axis, marks=marks, show=show)


def _value(found: Mapping[str, object], key: str) -> float | None:
    value = found[key]
    return value if isinstance(value, (int, float)) else None


def _shown(found: Distribution, key: str, show: Callable[[float], str]) -> str:
    value = _value(found, key)
    return "–" if value is None else show(value)


def _coverage(found: Distribution) -> str:
    if found["count"] == found["of"]:
        return f"all {found['of']:,}"
    return f"{found['count']:,} of {found['of']:,}"
