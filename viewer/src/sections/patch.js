// SPDX-License-Identifier: BSD-3-Clause
/* A patch that makes lines of a source a section of their own. */
import { languageOf } from "../highlight.js";

const CONTEXT = 3;

const quoted = (label) => label.replace(/[\\"]/g, "\\$&").replace(/[\r\n]/g, " ");

function indentOf(line) {
  return /^[ \t]*/.exec(line)[0];
}

/* Calls in the language of the file; Fortran in fixed form starts at 7. */
function callsFor(name, { id, label, thread }) {
  if (languageOf(name) === "fortran") {
    const fixed = /\.(f|for|ftn|f77)$/i.test(name);
    const t = thread ? "t" : "";
    return {
      indent: fixed ? (line) => indentOf(line).padEnd(6) : indentOf,
      start: `call f_hpm${t}start(${id}, '${label.replaceAll("'", "''")}')`,
      stop: `call f_hpm${t}stop(${id})`,
      include: null,
    };
  }
  const t = thread ? "Tst" : "St";
  return {
    indent: indentOf,
    start: `hpm${t}art(${id}, "${quoted(label)}");`,
    stop: `hpm${t}op(${id});`,
    include: "#include <hpm.h>",
  };
}

/* Where an include belongs: behind the last one; 0 if none is wanted. */
function includePlace(lines) {
  if (lines.some((line) => /^\s*#\s*include\s*[<"](lib)?hpm\.h[>"]/.test(line))) return 0;
  let place = 0;

  lines.forEach((line, i) => {
    if (/^\s*#\s*include\b/.test(line)) place = i + 1;
  });
  return place || -1;
}

/* insertions: [{ after, text }], by line number, 0 is before the first. */
function unified(path, lines, insertions) {
  const hunks = [];

  for (const insertion of insertions) {
    const last = hunks[hunks.length - 1];
    if (last && insertion.after - CONTEXT <= last[last.length - 1].after + CONTEXT) last.push(insertion);
    else hunks.push([insertion]);
  }
  let out = `--- a/${path}\n+++ b/${path}\n`;
  let added = 0;
  for (const hunk of hunks) {
    const from = Math.max(0, hunk[0].after - CONTEXT);
    const to = Math.min(lines.length, hunk[hunk.length - 1].after + CONTEXT);
    let body = "";
    let at = from;
    for (const { after, text } of hunk) {
      for (; at < after; at++) body += ` ${lines[at]}\n`;
      body += `+${text}\n`;
    }
    for (; at < to; at++) body += ` ${lines[at]}\n`;
    const n = to - from;
    out += `@@ -${n ? from + 1 : 0},${n} +${from + 1 + added},${n + hunk.length} @@\n${body}`;
    added += hunk.length;
  }
  return out;
}

/*
 * text, name: of the source; first, last: lines; id, label, thread: of the
 * section. The path in the patch is the name without a leading slash or dots.
 */
export function makePatch({ text, name, first, last, ...section }) {
  const lines = text.replaceAll("\r\n", "\n").replace(/\n$/, "").split("\n");
  const calls = callsFor(name, section);
  const path = name.replace(/^(\.{0,2}\/)+/, "");
  const insertions = [];
  const include = calls.include ? includePlace(lines) : 0;

  if (include !== 0) insertions.push({ after: Math.max(include, 0), text: calls.include });
  insertions.push(
    { after: first - 1, text: calls.indent(lines[first - 1] || "") + calls.start },
    { after: last, text: calls.indent(lines[first - 1] || "") + calls.stop },
  );
  insertions.sort((a, b) => a.after - b.after);
  return unified(path, lines, insertions);
}

/* A number that no section has. */
export function freeId(runs) {
  return 1 + Math.max(0, ...runs.flatMap((run) => run.sections.map((s) => s.id)));
}
