// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums over a profile (docs/formats/profile.md): by function, by line, by
 * address, and as a tree of calls. Samples of recursive functions count once.
 */

import { samplesIn } from "./times.js";

/* Samples of @event, of one thread or of all (null), in a part of the time or in all of it (null). */
export function selected(profile, event, thread, range = null) {
  return profile.samples
    .filter((s) => thread === null || s.thread === thread)
    .map((s) => ({ stack: s.stack, n: range ? samplesIn(s, event, range) : s.counts[event] }))
    .filter((s) => s.n > 0);
}

/* The locations of a stack, innermost first. */
function* locationsOf(profile, stack) {
  for (let at = stack; at !== null; at = profile.stacks[at][0]) yield profile.stacks[at][1];
}

function add(map, key, field, n) {
  let row = map.get(key);

  if (!row) map.set(key, (row = { key, own: 0, total: 0 }));
  row[field] += n;
  return row;
}

/* Functions and lines at once: { functions, lines, addresses, sum }. */
export function sumUp(profile, samples) {
  const functions = new Map();
  const lines = new Map(); /* "file line" */
  const addresses = new Map(); /* location */
  let sum = 0;

  for (const { stack, n } of samples) {
    const seenFunctions = new Set();
    const seenLines = new Set();
    let innermost = true;

    sum += n;
    for (const location of locationsOf(profile, stack)) {
      for (const [f, file, line] of profile.locations[location].frames) {
        const place = file === null || line === null ? null : `${file} ${line}`;
        if (innermost) {
          add(functions, f, "own", n);
          if (place) add(lines, place, "own", n);
          addresses.set(location, (addresses.get(location) || 0) + n);
          innermost = false;
        }
        if (!seenFunctions.has(f)) add(functions, f, "total", n);
        if (place && !seenLines.has(place)) add(lines, place, "total", n);
        seenFunctions.add(f);
        seenLines.add(place);
      }
    }
  }
  return { functions, lines, addresses, sum };
}

/* Calls as a tree: { name, n, own, children }, callers above. */
export function callTree(profile, samples) {
  const root = { f: null, name: "all", n: 0, own: 0, children: new Map() };

  for (const { stack, n } of samples) {
    const path = pathOf(profile, stack);
    let at = root;
    root.n += n;
    for (let i = path.length - 1; i >= 0; i--) {
      let child = at.children.get(path[i]);
      if (!child) {
        child = { f: path[i], name: profile.functions[path[i]].name, n: 0, own: 0, children: new Map() };
        at.children.set(path[i], child);
      }
      child.n += n;
      at = child;
    }
    at.own += n;
  }
  return root;
}

/* The functions of a stack, innermost first. */
function pathOf(profile, stack) {
  const path = [];
  for (const location of locationsOf(profile, stack)) for (const [f] of profile.locations[location].frames) path.push(f);
  return path;
}

const ranked = (map) => [...map].map(([f, n]) => ({ f, n })).sort((a, b) => b.n - a.n);

/*
 * Callers and callees of function @chosen: { total, own, callers, callees },
 * each [{ f, n }]. In a recursion a sample counts once for each of them.
 */
export function callsOf(profile, samples, chosen) {
  const callers = new Map();
  const callees = new Map();
  let total = 0;
  let own = 0;

  for (const { stack, n } of samples) {
    const path = pathOf(profile, stack);
    const from = new Set();
    const to = new Set();
    path.forEach((f, i) => {
      if (f !== chosen) return;
      if (i + 1 < path.length) from.add(path[i + 1]);
      if (i > 0) to.add(path[i - 1]);
    });
    if (!path.includes(chosen)) continue;
    total += n;
    if (path[0] === chosen) own += n;
    for (const f of from) callers.set(f, (callers.get(f) || 0) + n);
    for (const f of to) callees.set(f, (callees.get(f) || 0) + n);
  }
  return { total, own, callers: ranked(callers), callees: ranked(callees) };
}

/*
 * Two trees of calls as one: nodes have n (of the second), before (of the
 * first) and change, the difference of their shares in all samples. Functions
 * are the same if they have one name.
 */
export function diffTree(before, after) {
  const merge = (a, b, scale) => {
    const node = {
      f: b?.f ?? null,
      name: (b || a).name,
      n: b?.n || 0,
      own: b?.own || 0,
      before: a?.n || 0,
      children: new Map(),
    };
    node.change = node.n / scale.b - node.before / scale.a;
    node.width = Math.max(node.n / scale.b, node.before / scale.a);
    const byName = (tree) => new Map([...(tree?.children.values() || [])].map((child) => [child.name, child]));
    const [x, y] = [byName(a), byName(b)];
    for (const name of new Set([...x.keys(), ...y.keys()])) node.children.set(name, merge(x.get(name), y.get(name), scale));
    return node;
  };
  return merge(before, after, { a: before.n || 1, b: after.n || 1 });
}

export const hasStacks = (profile) => profile.stacks.some(([caller]) => caller !== null);

/*
 * Samples over the addresses of an object, in @bins of equal size. The range
 * is that of the samples, widened to whole functions.
 */
export function histogram(profile, addresses, object, bins) {
  const points = [];

  for (const [location, n] of addresses) {
    const { object: o, address, bytes } = profile.locations[location];
    if (o === object) points.push({ address, bytes: bytes || 1, n, location });
  }
  if (points.length === 0) return null;
  let low = Infinity;
  let high = 0;
  for (const p of points) {
    low = Math.min(low, p.address);
    high = Math.max(high, p.address + p.bytes);
    for (const [f] of profile.locations[p.location].frames.slice(-1)) {
      const { address, size } = profile.functions[f];
      if (address !== null && size > 0) {
        low = Math.min(low, address);
        high = Math.max(high, address + size);
      }
    }
  }
  const step = Math.max(1, Math.ceil((high - low) / bins));
  const counts = new Array(Math.ceil((high - low) / step)).fill(0);
  for (const p of points) counts[Math.floor((p.address - low) / step)] += p.n;
  return { low, high, step, counts };
}

/* Functions of an object that lie in a range, by address. */
export function functionsIn(profile, object, low, high) {
  return profile.functions
    .filter((f) => f.object === object && f.address !== null && f.address < high && f.address + f.size > low)
    .sort((a, b) => a.address - b.address);
}
