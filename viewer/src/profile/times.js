// SPDX-License-Identifier: BSD-3-Clause
/* The times of samples (docs/formats/profile.md), by thread and function. */

export const SHOWN = 8; /* functions with a colour of their own */
export const OTHERS = SHOWN; /* the rest, as one */

export const hasTimes = (profile) => profile.timeline !== null && profile.timeline !== undefined;

/* "3-17" as [3, 17] if that is a part of the time; else null. */
export function readRange(profile, text) {
  const found = /^(\d+)-(\d+)$/.exec(text || "");
  if (!found || !hasTimes(profile)) return null;
  const [from, to] = [Number(found[1]), Math.min(Number(found[2]), profile.timeline.bins)];
  return from < to ? [from, to] : null;
}

/* Samples of @event in bins of [from, to). */
export function samplesIn(sample, event, [from, to]) {
  const list = sample.times[event];
  let n = 0;

  for (let i = 0; i < list.length; i += 2) if (list[i] >= from && list[i] < to) n += list[i + 1];
  return n;
}

const innermost = (profile, stack) => profile.locations[profile.stacks[stack][1]].frames[0][0];

/* The functions that have most samples themselves, by row. */
function topFunctions(profile, samples, event) {
  const sums = new Map();

  for (const s of samples) {
    const f = innermost(profile, s.stack);
    sums.set(f, (sums.get(f) || 0) + s.counts[event]);
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

/* Bins of one row, each with SHOWN + 1 numbers. */
function addRow(row, sample, event, part) {
  const list = sample.times[event];

  for (let i = 0; i < list.length; i += 2) row.bins[list[i] * (SHOWN + 1) + part] += list[i + 1];
  row.n += sample.counts[event];
  row.parts[part] += sample.counts[event];
}

const newRow = (profile, key, name, tall) => ({
  key,
  name,
  tall,
  n: 0,
  parts: new Float64Array(SHOWN + 1),
  bins: new Float64Array(profile.timeline.bins * (SHOWN + 1)),
});

const baseName = (path) => path.split("/").pop();

/*
 * What ran when: { functions, names, rows, within }. Parts are the functions
 * with most samples and then the others; a row is a thread, or all of them.
 */
export function activity(profile, event, thread) {
  const samples = profile.samples.filter((s) => s.times && s.counts[event] > 0 && (thread === null || s.thread === thread));
  const ranked = topFunctions(profile, samples, event);
  const functions = ranked.slice(0, SHOWN).map(([f]) => f);
  const names = [...functions.map((f) => profile.functions[f].name), ...Array(SHOWN - functions.length).fill(""), `${ranked.length - functions.length} others`];
  const partOf = new Map(functions.map((f, i) => [f, i]));
  const threads = new Map();
  const all = newRow(profile, "all", "all threads", true);

  for (const s of samples) {
    const part = partOf.get(innermost(profile, s.stack)) ?? OTHERS;
    const { name, tid } = profile.threads[s.thread];
    if (!threads.has(s.thread)) threads.set(s.thread, newRow(profile, s.thread, `${baseName(name)} ${tid}`, false));
    addRow(threads.get(s.thread), s, event, part);
    addRow(all, s, event, part);
  }
  const own = [...threads.values()].sort((a, b) => a.key - b.key);
  if (own.length === 1) own[0].tall = true;
  const rows = own.length > 1 ? [all, ...own] : own;
  for (const row of rows) row.top = row.parts.indexOf(Math.max(...row.parts));
  return { functions, names, rows, within: (range) => sumBins(all, range) };
}

function sumBins(row, [from, to]) {
  const parts = new Float64Array(SHOWN + 1);

  for (let bin = from; bin < to; bin++) for (let i = 0; i <= SHOWN; i++) parts[i] += row.bins[bin * (SHOWN + 1) + i];
  return { parts, sum: parts.reduce((a, b) => a + b, 0) };
}
