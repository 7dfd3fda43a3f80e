// SPDX-License-Identifier: BSD-3-Clause
/*
 * A flame graph: width is samples, below is the caller. Click, or Enter, to look
 * closer; functions keep their colour, which has no meaning but to tell them
 * apart. Beside another profile the colour is the difference: red has a larger
 * share than before, blue a smaller one.
 */
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import * as format from "../format.js";
import { Search } from "../ui.jsx";
import { callTree, diffTree } from "./model.js";

const ROW = 20;
const NARROWEST = 1.5; /* pixels; what is narrower is left out */

function hue(name) {
  let h = 0;
  for (let i = 0; i < name.length; i++) h = (h * 31 + name.charCodeAt(i)) >>> 0;
  return 20 + (h % 40); /* warm, all of one lightness */
}

/* Boxes with their places, outermost at the bottom row 0. */
function layOut(focus, path, width) {
  const boxes = [];
  const size = (node) => node.width ?? node.n; /* of a difference: the larger */
  const visit = (node, depth, left, w) => {
    if (w < NARROWEST) return;
    boxes.push({ node, depth, left, width: w });
    const children = [...node.children.values()].sort((a, b) => size(b) - size(a));
    const sum = children.reduce((all, child) => all + size(child), 0);
    const scale = w / Math.max(size(node), sum); /* children may have been larger, each at its time */
    let x = left;
    for (const child of children) {
      visit(child, depth + 1, x, size(child) * scale);
      x += size(child) * scale;
    }
  };

  path.forEach((node, depth) => boxes.push({ node, depth, left: 0, width, around: true }));
  visit(focus, path.length, 0, width);
  return boxes;
}

/* Of a change of shares: how red or blue. */
function tint(change) {
  const strength = Math.min(1, Math.sqrt(Math.abs(change)) * 1.6);

  if (strength < 0.02) return "hsl(40 10% 82%)";
  return `hsl(${change > 0 ? 8 : 215} 85% ${(88 - 26 * strength).toFixed(0)}%)`;
}

export function Flame({ profile, samples, event, pick, before }) {
  const root = useMemo(() => {
    const own = callTree(profile, samples);
    return before ? diffTree(callTree(before.profile, before.samples), own) : own;
  }, [profile, samples, before]);
  const [trail, setTrail] = useState([]);
  const [words, setWords] = useState("");
  const [said, setSaid] = useState("");
  const [width, setWidth] = useState(800);
  const box = useRef();

  useLayoutEffect(() => {
    const look = () => setWidth(Math.max(200, (box.current?.clientWidth || 800) - 24));
    const watch = new ResizeObserver(look);
    watch.observe(box.current);
    look();
    return () => watch.disconnect();
  }, []);
  const valid = trail.length && trail[0] === root ? trail : [];
  const focus = valid.length ? valid[valid.length - 1] : root;
  const boxes = useMemo(() => (root.n ? layOut(focus, valid.slice(0, -1), width) : []), [root, focus, width]);
  const deepest = boxes.reduce((most, b) => Math.max(most, b.depth), 0);
  const change = (node) =>
    before
      ? `; was ${format.percent((100 * node.before) / root.before)}, ${format.change(100 * node.change).replace(" %", " points")}`
      : "";
  const text = (node) =>
    `${node.name}: ${format.count(node.n)} samples, ${format.percent((100 * node.n) / root.n)}; ≈ ${format.compact(
      node.n * event.period,
    )} ${event.name}${change(node)}`;
  const zoom = (node) => {
    const way = [];
    const find = (at) => {
      way.push(at);
      if (at === node) return true;
      for (const child of at.children.values()) if (find(child)) return true;
      way.pop();
      return false;
    };
    find(root);
    setTrail(node === root ? [] : way);
    if (node.f !== null) pick(node.f);
  };
  const found = (node) => words && node.name.toLowerCase().includes(words.toLowerCase());
  const hits = useMemo(() => {
    if (!words) return 0;
    let n = 0;
    const visit = (node) => {
      if (found(node)) n += node.n;
      else for (const child of node.children.values()) visit(child);
    };
    visit(root);
    return n;
  }, [root, words]);

  return (
    <div class="flame-pane">
      <div class="bar">
        <Search label="Mark functions" value={words} set={setWords} />
        {words && (
          <span class="quietly">
            {format.percent((100 * hits) / (root.n || 1))} in functions with these letters
          </span>
        )}
        <span class="space" />
        <button type="button" disabled={valid.length === 0} onClick={() => setTrail([])}>
          Whole
        </button>
      </div>
      <div class="flame" ref={box} tabIndex={0} role="region" aria-label="Flame graph">
        <div class="flame-boxes" style={{ height: `${(deepest + 1) * ROW}px` }}>
          {boxes.map(({ node, depth, left, width: w, around }, i) => (
            <button
              type="button"
              key={i}
              class={`flame-box ${around ? "around" : ""} ${found(node) ? "found" : ""}`}
              style={{
                left: `${left}px`,
                width: `${Math.max(1, w - 1)}px`,
                bottom: `${depth * ROW}px`,
                "--hue": hue(node.name),
                ...(before && !around ? { background: tint(node.change) } : {}),
              }}
              aria-label={text(node)}
              title={text(node)}
              onClick={() => zoom(node)}
              onMouseEnter={() => setSaid(text(node))}
              onFocus={() => setSaid(text(node))}
            >
              {w > 30 ? node.name : ""}
            </button>
          ))}
        </div>
      </div>
      <p class="legend" role="status">
        {said ||
          (before
            ? "Red takes a larger share of its profile than before, blue a smaller one; width is the larger of the two."
            : "Width is samples; callers are below. Click on a function to zoom in.")}
      </p>
    </div>
  );
}
