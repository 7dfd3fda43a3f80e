// SPDX-License-Identifier: BSD-3-Clause
/* What the sections page computes from its data. */
import { isNumber, order } from "../format.js";

/* What a column is called by people; a simulator's time is marked. */
export function nameOf(column, run) {
  const name = { ExcSec: "Exclusive time", IncSec: "Inclusive time", Count: "Times entered" }[column.name] || column.text || column.name;

  return column.kind === "time" && run?.pmu === "sim" ? `${name} (simulator's)` : name;
}

export function columnIndex(run, name) {
  return run.columns.findIndex((column) => column.name === name);
}

/*
 * What sections are measured by: time, or an event, whichever of them has an
 * exclusive part. Under a simulator time says nothing, so an event is first.
 */
export function measuresOf(run) {
  const list = [];

  if (columnIndex(run, "ExcSec") >= 0)
    list.push({
      id: "time",
      name: run.pmu === "sim" ? "Time of the simulator" : "Time",
      column: run.columns[columnIndex(run, "ExcSec")],
      exclusive: (s) => most(s, columnIndex(run, "ExcSec")),
      inclusive: (s) => most(s, columnIndex(run, "IncSec")),
    });
  run.columns.forEach((column, i) => {
    if (column.kind !== "event") return;
    list.push({
      id: column.name,
      name: column.name,
      column,
      exclusive: (s) => s.exclusive[i],
      inclusive: (s) => s.value[i],
    });
  });
  if (list.length === 0)
    list.push({ id: "none", name: "nothing", column: { kind: "event" }, exclusive: () => null, inclusive: () => null });
  return list;
}

export function firstMeasure(run) {
  const measures = measuresOf(run);
  const cycles = measures.find((m) => m.id === "PAPI_TOT_CYC") || measures.find((m) => m.id !== "time");

  return (run.pmu === "sim" && cycles ? cycles : measures[0])?.id;
}

/* Of several tasks the one that took longest is what the run waits for. */
function most(section, i) {
  if (i < 0) return null;
  return section.max ? section.max[i] : section.value[i];
}

export function countOf(run, section) {
  return most(section, columnIndex(run, "Count"));
}

/* How far the slowest is above the mean; null if there is one row. */
export function imbalance(run, section) {
  const i = columnIndex(run, "IncSec");

  if (!section.max || i < 0 || !(section.mean[i] > 0)) return null;
  return section.max[i] / section.mean[i] - 1;
}

/* What @section of the first run is called in another, or null. */
export function sameSection(run, section) {
  return run.sections.find((other) => other.match === section.match) || null;
}

export function compareRow(data, run, section, name) {
  const found = data.compare?.find((c) => c.run === run);

  if (!found) return null;
  if (!found.index) {
    found.index = new Map();
    for (const row of found.rows) found.index.set(`${row[0]}\n${row[1]}`, row);
  }
  const row = found.index.get(`${section.match}\n${name}`);
  return row && { result: row[2], percent: row[3], low: row[4], high: row[5] };
}

export function matches(section, words) {
  const text = `${section.label} ${section.file} ${section.id}`.toLowerCase();

  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/* Names of runs without the part that all share. */
export function runNames(runs) {
  const names = runs.map((run) => run.name);
  if (names.length === 1) return [names[0].split("/").pop()];
  const parts = names.map((name) => name.split("/"));
  let head = 0;
  while (parts.every((p) => p.length > head + 1 && p[head] === parts[0][head])) head++;
  let tail = 0;
  while (parts.every((p) => p.length - tail > head + 1 && p[p.length - 1 - tail] === parts[0][parts[0].length - 1 - tail]))
    tail++;
  return parts.map((p) => p.slice(head, p.length - tail).join("/") || p[p.length - 1]);
}

/*
 * Rows with what is inside them below: [{ section, depth, inside }], siblings
 * in the order of @column; what is inside a section of @closed is left out. A
 * section belongs to the one of its kind that has its parent's number.
 */
export function treeOf(sections, column, direction, closed) {
  const byId = new Map(sections.map((s) => [`${s.kind} ${s.id}`, s]));
  const inside = new Map([[null, []]]);
  const rank = (a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    if (isNumber(x) && isNumber(y)) return direction * order(x, y);
    return isNumber(x) ? -1 : isNumber(y) ? 1 : direction * String(x ?? "").localeCompare(String(y ?? ""), "en", { numeric: true });
  };
  for (const s of sections) {
    const around = s.parent === null ? null : byId.get(`${s.kind} ${s.parent}`) || byId.get(`process ${s.parent}`) || null;
    const key = around === s ? null : around;
    if (!inside.has(key)) inside.set(key, []);
    inside.get(key).push(s);
  }
  const rows = [];
  const seen = new Set();
  const add = (list, depth) => {
    for (const section of list.sort(rank)) {
      if (seen.has(section)) continue;
      seen.add(section);
      const below = inside.get(section) || [];
      rows.push({ section, depth, inside: below.length });
      if (!closed.has(section.match)) add(below, depth + 1);
      else markSeen(below);
    }
  };
  const markSeen = (list) => list.forEach((s) => !seen.has(s) && (seen.add(s), markSeen(inside.get(s) || [])));
  add(inside.get(null), 0);
  add(sections.filter((s) => !seen.has(s)), 0); /* each inside the other: a file that is wrong */
  return rows;
}

export const hasTree = (run) => run.sections.some((s) => s.parent !== null);

export const letter = (i) => (i < 26 ? String.fromCharCode(65 + i) : `R${i + 1}`);

export const hasValue = isNumber;
