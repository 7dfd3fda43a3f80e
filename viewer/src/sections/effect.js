// SPDX-License-Identifier: BSD-3-Clause
/* How large a difference is, whether it is for the better, and what to compare
 * with where a run has no section of that name. */
import { isNumber, size } from "../format.js";
import { columnIndex, compareRow, sameSection } from "./model.js";

/* Counts of which fewer are better: cycles, misses, mispredictions, stalls. */
const COSTS = /CYC|MISS|_[DIT]CM$|_(LD|ST)M$|TLB|MSP|MISP|STL|STALL|FAULT|(Inc|Exc)Sec/i;

/* 1: more is better, -1: less is, 0: neither. */
export function directionOf(column) {
  if (column.kind === "metric") {
    const good = column.dgood ?? column.sgood;
    return isNumber(good) && good !== 0 ? Math.sign(good) : 0;
  }
  return COSTS.test(column.name) ? -1 : 0;
}

/* For sorting: what is resolved comes before what may be noise. */
export function effectOf(row) {
  if (!row || row.result === "same") return -1;
  const percent = isNumber(row.percent) ? Math.abs(row.percent) : 1e6;
  return row.result === "different" ? 1 + percent : percent / (1e3 + percent);
}

const words = (text) => {
  const pairs = new Set();
  const lower = text.toLowerCase();
  for (let i = 0; i + 1 < lower.length; i++) pairs.add(lower.slice(i, i + 2));
  return pairs;
};

/* 0 to 1: how many pairs of letters two names share. */
function likeness(a, b) {
  const [x, y] = [words(a), words(b)];
  const shared = [...x].filter((pair) => y.has(pair)).length;

  return x.size + y.size ? (2 * shared) / (x.size + y.size) : 0;
}

const fileOf = (s) => s.file.split("/").pop();
const overlaps = (a, b) => a.file && fileOf(a) === fileOf(b) && a.first <= b.last && b.first <= a.last;

/* The section of @run that is most like @section: { section, why } or null. */
export function nearest(run, section) {
  const scored = run.sections.map((s) => ({
    section: s,
    score: likeness(s.label, section.label) + (overlaps(s, section) ? 1 : 0) + (fileOf(s) === fileOf(section) ? 0.2 : 0),
  }));
  const best = scored.sort((a, b) => b.score - a.score)[0];

  if (!best || best.score < 0.5) return null;
  const s = best.section;
  if (s.label === section.label) return { section: s, why: `the same label, but in ${fileOf(s) || "no file"} instead of ${fileOf(section) || "none"}` };
  if (overlaps(s, section)) return { section: s, why: "the same lines, but another label" };
  return { section: s, why: "a similar label" };
}

/* What @section is compared with in run @r: its own, or the one that was paired with it. */
export function otherOf(data, r, section, pairs) {
  const own = sameSection(data.runs[r], section);

  return own || data.runs[r].sections.find((s) => s.match === pairs[`${r} ${section.match}`]) || null;
}

/* As compareRow(), also for sections that were paired by hand. */
export function changeOf(data, r, section, name, pairs) {
  const own = compareRow(data, r, section, name);
  const other = otherOf(data, r, section, pairs);

  if (own?.result !== "one-sided" && own) return own;
  if (!other || other.match === section.match) return own;
  if (/Sec$/.test(name) && [data.runs[0], data.runs[r]].some((run) => run.pmu === "sim")) return null;
  const valueIn = (run, s) => size(s.value[columnIndex(run, name)]);
  const [a, b] = [valueIn(data.runs[0], section), valueIn(data.runs[r], other)];
  if (!isNumber(a) || !isNumber(b)) return { result: "one-sided" };
  if (a === b) return { result: "same", percent: 0 };
  const exact = data.runs[0].pmu === "sim" && data.runs[r].pmu === "sim";
  return { result: exact ? "different" : "unresolved", percent: a ? (100 * (b - a)) / a : NaN };
}
