// SPDX-License-Identifier: BSD-3-Clause
/*
 * A flame graph: width is samples, below is the caller. Click to look closer;
 * functions keep their colour, which has no meaning but to tell them apart.
 */
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import * as format from "../format.js";
import { Search } from "../ui.jsx";
import { callTree } from "./model.js";

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
  const visit = (node, depth, left, scale) => {
    const w = node.n * scale;
    if (w < NARROWEST) return;
    boxes.push({ node, depth, left, width: w });
    let x = left;
    const children = [...node.children.values()].sort((a, b) => b.n - a.n);
    for (const child of children) {
      visit(child, depth + 1, x, scale);
      x += child.n * scale;
    }
  };

  path.forEach((node, depth) => boxes.push({ node, depth, left: 0, width, around: true }));
  visit(focus, path.length, 0, width / focus.n);
  return boxes;
}

export function Flame({ profile, samples, event, pick }) {
  const root = useMemo(() => callTree(profile, samples), [profile, samples]);
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
  const text = (node) =>
    `${node.name}: ${format.count(node.n)} samples, ${format.percent((100 * node.n) / root.n)}; ≈ ${format.compact(
      node.n * event.period,
    )} ${event.name}`;
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
            <div
              key={i}
              class={`flame-box ${around ? "around" : ""} ${found(node) ? "found" : ""}`}
              style={{
                left: `${left}px`,
                width: `${Math.max(1, w - 1)}px`,
                bottom: `${depth * ROW}px`,
                "--hue": hue(node.name),
              }}
              title={text(node)}
              onClick={() => zoom(node)}
              onMouseEnter={() => setSaid(text(node))}
            >
              {w > 30 ? node.name : ""}
            </div>
          ))}
        </div>
      </div>
      <p class="legend" role="status">
        {said || "Width is samples; callers are below. Click on a function to look closer."}
      </p>
    </div>
  );
}
