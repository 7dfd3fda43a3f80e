# SPDX-License-Identifier: BSD-3-Clause
"""The HTML of the page of evidence: text, tables, and the page around them.

One file that needs nothing else: it is read from disk, mailed, put on a server.
Colours come in a light and a dark set, and are never all there is to tell good
from bad. Wide tables are scrolled by themselves, so that the page fits a narrow
window.
"""
import html
import re

GOOD = ("pass", "good", "right", "OK", "exact")
BAD = ("fail", "FAIL", "TIMEOUT", "ERROR", "wrong, sure", "missing")

STYLE = """:root{--ink:#1b1b1b;--paper:#fff;--soft:#595959;--line:#d8d8d8;--good:#176b2c;--bad:#a01515;--link:#0b57a4;
--box:#f4f4f2;color-scheme:light}
@media(prefers-color-scheme:dark){:root{--ink:#e4e4e4;--paper:#16181b;--soft:#a3a3a3;--line:#3a3d42;--good:#6ccf86;
--bad:#ff8f85;--link:#82b7f5;--box:#202327;color-scheme:dark}}
body{font:15px/1.5 system-ui,sans-serif;max-width:75em;margin:1.5em auto;padding:0 1em;color:var(--ink);
background:var(--paper)}
a{color:var(--link)}code{font:12.5px/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
table{border-collapse:collapse;font-size:13px}
td,th{padding:3px 14px 3px 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
tr:last-child td{border-bottom:0}th{font-weight:600}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}td.k{white-space:nowrap}
.good{color:var(--good)}.bad,.missing{color:var(--bad);font-weight:600}
.how{color:var(--soft);font-size:13px;background:var(--box);padding:.4em .7em;border-radius:4px}
.wide{overflow-x:auto;margin:.8em 0}
figure{margin:1em 0;background:#fff;color:#1b1b1b;padding:.5em;border-radius:4px;display:inline-block;max-width:100%;
box-sizing:border-box}figcaption{font-size:12px;color:#595959}svg{max-width:100%;height:auto;color-scheme:light}
h1{margin-bottom:.2em}h2{margin-top:2.2em;padding-top:.4em;border-top:2px solid var(--ink)}h3{margin-bottom:.3em}
summary{cursor:pointer;padding:.2em 0}details{margin:.3em 0}details[open]{margin-bottom:1.2em}
@media print{details>*{display:block}}"""


def esc(what):
    return html.escape(str(what))


def text_of(what):
    """Escaped, with what is between backquotes as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", esc(what))


def number(value):
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class Raw(str):
    """HTML already; goes into a cell as it is."""


def cell(value, first):
    if isinstance(value, Raw):
        return f"<td>{value}</td>"
    kind = "n" if is_number(value) else "good" if value in GOOD else "bad" if value in BAD else "k" if first else ""
    return f'<td{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{text_of(number(value))}</td>'


def table(head, rows):
    """Rows below a heading; no heading if it is empty."""
    def title(i, name):
        of_numbers = any(is_number(row[i]) for row in rows if i < len(row))
        return f'<th{" class=n" if of_numbers else ""}>{text_of(name)}</th>'
    lines = ["<tr>" + "".join(title(i, name) for i, name in enumerate(head)) + "</tr>"] if any(head) else []
    lines += ["<tr>" + "".join(cell(value, i == 0 and len(number(value)) < 40) for i, value in enumerate(row)) + "</tr>"
              for row in rows]
    return '<div class="wide" tabindex="0"><table>' + "\n".join(lines) + "</table></div>\n"


def fold(title, inside):
    return f"<details><summary>{text_of(title)}</summary>{inside}</details>\n"


def missing(why, command):
    return f'<p class="missing">Missing: {text_of(why)}. To make it: <code>{esc(command)}</code></p>\n'


def markdown_tables(text):
    """Yield (title, head, rows) of the tables in a page."""
    title, lines = "", []
    for line in text.splitlines() + [""]:
        if line.startswith("|"):
            lines.append([one.strip() for one in line.strip("|").split("|")])
        elif lines:
            yield title, lines[0], lines[2:]
            lines = []
        if line.startswith("#"):
            title = line.lstrip("# ")


def as_number(text):
    plain = text.replace(",", "")
    return int(plain) if plain.isdigit() else text


def as_numbers(rows):
    return [[as_number(one) for one in row] for row in rows]


def whole(title, body):
    return (f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width,initial-scale=1"><title>{esc(title)}</title>'
            f"<style>{STYLE}</style></head><body><h1>{esc(title)}</h1>{body}</body></html>\n")
