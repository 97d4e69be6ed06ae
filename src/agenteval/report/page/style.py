"""The style sheets: one for the page, one for the piece that stands in someone else's notebook.

All colors are custom properties, named once for a light and once for a dark background. A test
computes the contrast of each pair that meets on the page.
"""

from __future__ import annotations

__all__ = ["FRAGMENT_STYLE", "PAGE_STYLE"]

_LIGHT = (
    "--paper:#ffffff;--tint:#f4f5f7;--rule:#d4d7dd;--ink:#1b1d21;--soft:#565b65;"
    "--link:#1a55ae;--good:#17673a;--warn:#7d4c06;--bad:#b0221b"
)
_DARK = (
    "--paper:#15171a;--tint:#1e2125;--rule:#3a3f47;--ink:#e7e5e1;--soft:#a8adb6;"
    "--link:#8ab6f9;--good:#7ed09b;--warn:#eebb66;--bad:#ff9a90"
)
_NUMBERS_AT_THE_RIGHT = "".join(
    f".n{place} :is(th,td):nth-child({place}){{text-align:right;white-space:nowrap}}"
    for place in range(1, 10)
)

PAGE_STYLE = (
    f":root{{color-scheme:light dark;{_LIGHT}}}\n"
    f"@media (prefers-color-scheme:dark){{:root{{{_DARK}}}}}\n"
    + """
*{box-sizing:border-box}
html{font:100%/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Liberation Sans",
  Arial,sans-serif;font-variant-numeric:tabular-nums;-webkit-text-size-adjust:100%;
  text-size-adjust:100%}
body{margin:0 auto;max-width:66rem;padding:1.5rem clamp(1rem,4vw,2.5rem) 4rem;
  background:var(--paper);color:var(--ink);overflow-wrap:anywhere}
h1,h2,h3,h4{font-weight:650;line-height:1.25;margin:0;text-wrap:balance}
h1{font-size:1.75rem;letter-spacing:-.01em}
h2{font-size:1.2rem;margin-bottom:.75rem}
h3{font-size:1rem}
h4{font-size:.9375rem}
p{margin:.25rem 0 .75rem;max-width:44rem}
p.soft{font-size:.9375rem}
a{color:var(--link)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:2px}
.skip{position:absolute;left:-100vw}
.skip:focus{left:1rem;top:.5rem;background:var(--paper);padding:.25rem .5rem}
.soft,.cut,caption,dt{color:var(--soft)}
.good,.ok{color:var(--good)}.warn{color:var(--warn)}.bad,.no{color:var(--bad)}
.ok::before{content:"✓ ";content:"✓ " / ""}
.no::before{content:"✗ ";content:"✗ " / ""}
.said{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);
  white-space:nowrap}
header p{font-size:1.0625rem}
nav ul{display:flex;flex-wrap:wrap;gap:.125rem 1.25rem;list-style:none;margin:.5rem 0 0;padding:0;
  font-size:.9375rem}
section{margin-top:2.25rem;padding-top:1.25rem;border-top:1px solid var(--rule)}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(8.75rem,1fr));
  gap:0 1.25rem;margin:1.5rem 0 0}
.figures div{display:grid;grid-row:span 3;grid-template-rows:subgrid;row-gap:0}
.figures dt{line-height:1.3;align-self:end}
.figures .value{font-size:1.75rem;font-weight:600;line-height:1.25;letter-spacing:-.01em}
.figures .note{font-size:.875rem;color:var(--soft);line-height:1.4;padding-bottom:1.25rem}
section .figures{margin:0}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));
  gap:1.25rem 2.5rem;align-items:start}
.pair>*{min-width:0}
.pair+table{margin-top:1.25rem}
.steps{min-width:min(38rem,100%)}
.steps th:first-child{width:3.25rem;text-align:right}
caption{max-width:44rem}
figure{margin:0}
figcaption{font-size:.9375rem;margin-bottom:.25rem}
.chart{display:block;width:100%;height:auto;max-width:32rem}
.chart text{fill:var(--ink)}
.chart .c-tick,.chart .c-axis{fill:var(--soft)}
.chart .c-line{stroke:var(--link)}
.chart .c-dot.c-line,.chart .c-name.c-line{fill:var(--link);stroke:none}
.chart .c-name.c-line{font-weight:600}
.chart .c-band,.chart rect{fill:var(--link)}
.chart path.c-bar{stroke:var(--link)}
.chart rect{fill-opacity:.85}
table{border-collapse:collapse;min-width:min(22rem,100%);font-size:.9375rem;line-height:1.4;
  margin:0 0 1rem}
caption{text-align:left;font-size:.875rem;padding-bottom:.375rem}
th,td{text-align:left;vertical-align:top;padding:.3125rem 1.25rem .3125rem 0;
  border-bottom:1px solid var(--rule);font-weight:400}
th:last-child,td:last-child{padding-right:0}
thead th{color:var(--soft);font-size:.875rem;vertical-align:bottom}
"""
    + _NUMBERS_AT_THE_RIGHT
    + """
pre,.steps bdi,.steps td:nth-child(2){font-family:ui-monospace,"SF Mono",Menlo,Consolas,
  "Liberation Mono",monospace;font-size:.875em}
.steps td:nth-child(2)>*{font:.9375rem/1.4 system-ui,sans-serif}
pre{margin:0;white-space:pre-wrap;unicode-bidi:plaintext;tab-size:4}
.share{display:block;width:12rem;max-width:24vw;height:.625rem;background:var(--tint)}
.share span{display:block;height:100%;background:var(--soft)}
details>summary{cursor:pointer}
.task{border-bottom:1px solid var(--rule)}
.many .task{content-visibility:auto;contain-intrinsic-size:auto 3.5rem}
.task>summary,.task>.line{display:grid;grid-template-columns:minmax(8rem,16rem) 11rem 1fr;
  gap:.125rem 1.25rem;
  padding:.5rem 0 .5rem 1.25rem;position:relative;list-style:none;align-items:baseline}
.task>summary::-webkit-details-marker{display:none}
.task>summary::before{content:"";position:absolute;left:.125rem;top:.875rem;
  border:.3125rem solid transparent;border-left:.4375rem solid var(--soft);border-right:0}
.task[open]>summary::before{transform:rotate(90deg)}
.task>summary:hover{background:var(--tint)}
.task .marks{letter-spacing:.06em}
.task .why{font-size:.9375rem}
.inside{padding:.25rem 0 1.25rem 1.25rem}
.run{margin:.5rem 0 0;padding:.25rem 0 .25rem 1.125rem}
.run>summary{padding:.125rem 0;margin:0 0 .25rem -1.125rem}
.run>summary h4{display:inline}
dl{display:grid;grid-template-columns:minmax(5.5rem,7rem) 1fr;gap:.25rem 1.25rem;
  margin:0 0 1rem;font-size:.9375rem}
dt{font-size:.875rem}
dd{margin:0;min-width:0}
@media (max-width:40rem){
  table{font-size:.875rem}
  th,td{padding-right:.625rem}
  .task>summary,.task>.line{grid-template-columns:1fr auto}
  .task .why{grid-column:1/-1}
  dl{grid-template-columns:1fr;gap:0}
  details dd{margin-bottom:.5rem}
  .figures{grid-template-columns:repeat(auto-fill,minmax(8.5rem,1fr))}
}
@media print{
  """
    + f":root{{color-scheme:light;{_LIGHT}}}"
    + """
  html{font-size:10pt}
  body{max-width:none;padding:0}
  nav,.skip{display:none}
  .pair>*,tr,.figures div,summary{break-inside:avoid}
  h2,h3,h4,caption,summary,section>p{break-after:avoid}
  .many .task{content-visibility:visible}
  .share,.share span{print-color-adjust:exact;-webkit-print-color-adjust:exact}
  a{color:inherit;text-decoration:none}
}
"""
)

# A notebook brings its own colors, light or dark, and its own rules for tables: this sheet names
# only the piece's own classes, inherits the ink, and draws lines in the ink made faint.
_FRAGMENT = """
&{font-variant-numeric:tabular-nums;line-height:1.45;max-width:56rem}
& .figures{display:flex;flex-wrap:wrap;gap:.5rem 2rem;margin:.25rem 0 1rem;padding:0}
& .figures div{margin:0;padding:0}
& dt,& caption{font-size:.875em;font-weight:400;opacity:.8}
& .figures dt,& .figures dd{float:none;width:auto;margin:0;padding:0}
& .value{font-size:1.5em;font-weight:600;line-height:1.25}
& .note{font-size:.875em;opacity:.8}
& .pair{display:flex;flex-wrap:wrap;gap:1rem 2rem;align-items:flex-start;margin-bottom:.75rem}
& .chart{width:360px;max-width:100%;height:auto}
& table{border-collapse:collapse;margin:0 0 .75rem;border:0;table-layout:auto;
  color:inherit;font-size:inherit}
& caption{text-align:left;padding:0 0 .25rem;caption-side:top}
& tr,& tbody tr:nth-child(odd),& tbody tr:nth-child(even){background:none}
& th,& td{text-align:left;vertical-align:top;padding:.2rem 1rem .2rem 0;border:0;
  border-bottom:1px solid rgba(128,128,128,.4);font-weight:400;background:none;color:inherit;
  max-width:28rem;white-space:normal;overflow-wrap:anywhere}
& thead th{font-size:.875em;opacity:.8}
& .share{display:block;width:8rem;height:.6em;margin-top:.4em;
  background:rgba(128,128,128,.25)}
& .share span{display:block;height:100%;background:currentColor;opacity:.6}
& .said{position:absolute;width:1px;height:1px;overflow:hidden;
  clip-path:inset(50%);white-space:nowrap}
"""
_FRAGMENT_NUMBERS = "".join(
    f"& .n{place} th:nth-child({place}),& .n{place} td:nth-child({place}){{text-align:right}}"
    for place in range(1, 6)
)

# The class is named twice because notebooks set their tables with two classes, and a rule with
# fewer would not win.
FRAGMENT_STYLE = (_FRAGMENT + _FRAGMENT_NUMBERS).replace("&", ".agenteval-report.agenteval-report")
