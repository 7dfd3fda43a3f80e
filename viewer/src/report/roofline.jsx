// SPDX-License-Identifier: BSD-3-Clause
/*
 * A roofline: ceilings with their names, programs with their points, on
 * logarithmic axes. A point or a ceiling that is pointed at, or reached with
 * Tab, says its numbers below the plot.
 */
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { useAddress } from "../address.js";
import * as format from "../format.js";
import { Check } from "../ui.jsx";
import { TablePart } from "./table.jsx";

const HEIGHT = 430;
const EDGE = { left: 58, right: 16, top: 14, bottom: 42 };
const KINDS = [
  ["program", "programs"],
  ["level", "memory levels"],
  ["thread", "threads"],
];
const GIGA = 1e9;

const decades = ([low, high]) => {
  const list = [];
  for (let e = Math.ceil(Math.log10(low) - 1e-9); e <= Math.floor(Math.log10(high) + 1e-9); e++) list.push(10 ** e);
  return list;
};
const widen = (values, by) => [10 ** Math.floor(Math.log10(Math.min(...values) / by)), 10 ** Math.ceil(Math.log10(Math.max(...values) * by))];

/* Where values lie on the plot: functions from numbers to pixels. */
function scalesOf({ flops, bytes, points }, width) {
  const ridge = bytes.map((b) => flops[0].value / b.value);
  const x = widen([...points.map((p) => p.intensity), ...ridge, 0.1], 1.3);
  const y = widen([...points.map((p) => p.rate), ...flops.map((f) => f.value)], 1.3);
  const along = ([low, high], from, to) => (value) => from + ((to - from) * Math.log(value / low)) / Math.log(high / low);
  return {
    x,
    y,
    toX: along(x, EDGE.left, width - EDGE.right),
    toY: along(y, HEIGHT - EDGE.bottom, EDGE.top),
  };
}

function Axes({ scales, width }) {
  const { toX, toY } = scales;

  return (
    <g class="roof-axes">
      {decades(scales.x).map((v) => (
        <g key={v}>
          <line x1={toX(v)} x2={toX(v)} y1={EDGE.top} y2={HEIGHT - EDGE.bottom} />
          <text x={toX(v)} y={HEIGHT - EDGE.bottom + 16} text-anchor="middle">
            {format.compact(v).replace(" ", "")}
          </text>
        </g>
      ))}
      {decades(scales.y).map((v) => (
        <g key={v}>
          <line x1={EDGE.left} x2={width - EDGE.right} y1={toY(v)} y2={toY(v)} />
          <text x={EDGE.left - 8} y={toY(v) + 4} text-anchor="end">
            {format.compact(v / GIGA).replace(" ", "")}
          </text>
        </g>
      ))}
      <text x={(EDGE.left + width) / 2} y={HEIGHT - 8} text-anchor="middle">
        operational intensity [flop/B]
      </text>
      <text transform={`translate(14 ${HEIGHT / 2}) rotate(-90)`} text-anchor="middle">
        rate [Gflop/s]
      </text>
    </g>
  );
}

/* A ceiling as a line from @a to @b, its name along it near its start or end. */
function Roof({ a, b, name, text, side, say }) {
  const angle = (Math.atan2(b[1] - a[1], b[0] - a[0]) * 180) / Math.PI;
  const at = side === "end" ? b : a;

  return (
    <g class="roof" tabIndex={0} role="img" aria-label={text} onMouseEnter={() => say(text)} onFocus={() => say(text)}>
      <line x1={a[0]} y1={a[1]} x2={b[0]} y2={b[1]} />
      <line class="wide" x1={a[0]} y1={a[1]} x2={b[0]} y2={b[1]} />
      <text transform={`translate(${at[0]} ${at[1]}) rotate(${angle})`} x={side === "end" ? -6 : 8} y={-5} text-anchor={side === "end" ? "end" : "start"}>
        {name}
      </text>
    </g>
  );
}

function Roofs({ part, scales, say }) {
  const { x, y, toX, toY } = scales;
  const top = part.flops[0].value;
  const steepest = Math.max(...part.bytes.map((b) => b.value));

  return (
    <>
      {part.bytes.map((roof) => {
        const from = Math.max(x[0], y[0] / roof.value);
        const to = Math.min(x[1], top / roof.value);
        const text = `${roof.name}: ${format.short(roof.value / GIGA)} GB/s`;
        return (
          <Roof key={roof.name} side="start" name={text} text={text} say={say} a={[toX(from), toY(from * roof.value)]} b={[toX(to), toY(to * roof.value)]} />
        );
      })}
      {part.flops.map((roof) => {
        const from = Math.max(x[0], roof.value / steepest);
        const text = `${roof.name}: ${format.short(roof.value / GIGA)} Gflop/s`;
        return (
          <Roof key={roof.name} side="end" name={text} text={text} say={say} a={[toX(from), toY(roof.value)]} b={[toX(x[1]), toY(roof.value)]} />
        );
      })}
    </>
  );
}

/* What the ceilings allow at @intensity. */
const allowed = (part, intensity) =>
  Math.min(part.flops[0].value, Math.max(...part.bytes.map((b) => b.value)) * intensity);

function textOf(part, p) {
  const roof = allowed(part, p.intensity);
  const what = p.name ? `${p.program}, ${p.name}` : p.program;
  const share = p.kind === "level" ? "" : `, ${format.percent((100 * p.rate) / roof)} of the ${format.short(roof / GIGA)} allowed there`;

  return `${what}: ${format.short(p.rate / GIGA)} Gflop/s at ${format.short(p.intensity)} flop/B${share}`;
}

/* Shapes tell kinds apart, colours programs. */
function Mark({ kind, x, y }) {
  if (kind === "level") return <rect x={x - 4.5} y={y - 4.5} width="9" height="9" transform={`rotate(45 ${x} ${y})`} />;
  return <circle cx={x} cy={y} r={kind === "thread" ? 4 : 7} />;
}

const PLACES = [
  [11, 4],
  [-4, -12],
  [-4, 22],
  [11, 18],
  [11, -10],
  [11, 32],
]; /* of a label, from its point; the first that is free */

/* Labels that touch neither each other nor a point. */
function placeLabels(points, scales, right) {
  const marks = points.map((p) => ({ x: scales.toX(p.intensity) - 7, y: scales.toY(p.rate) + 7, width: 14, height: 14 }));
  const placed = [];

  return points.map((p, i) => {
    const width = 7.2 * (p.kind === "program" ? p.program : p.name).length;
    const boxes = PLACES.map(([dx, dy]) => ({ x: marks[i].x + 7 + dx, y: marks[i].y - 7 + dy, width, height: 13 }));
    const meets = (a) => (b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y - a.height < b.y && b.y - b.height < a.y;
    const free = (box) => box.x + width < right && ![...placed, ...marks.filter((_, k) => k !== i)].some(meets(box));
    const box = boxes.find(free) || boxes[0];
    placed.push(box);
    return box;
  });
}

function Points({ part, points, programs, scales, width, say }) {
  const labels = useMemo(() => placeLabels(points, scales, width), [points, scales]);

  return points.map((p, i) => {
    const text = textOf(part, p);
    return (
      <g
        key={i}
        class={`roof-point ${p.kind} point-ink${programs.indexOf(p.program) % 8}`}
        tabIndex={0}
        role="img"
        aria-label={text}
        onMouseEnter={() => say(text)}
        onFocus={() => say(text)}
      >
        <title>{text}</title>
        <Mark kind={p.kind} x={scales.toX(p.intensity)} y={scales.toY(p.rate)} />
        <text x={labels[i].x} y={labels[i].y}>
          {p.kind === "program" ? p.program : p.name}
        </text>
      </g>
    );
  });
}

const tableOf = (part) => ({
  title: "Points",
  columns: [
    { name: "Program" },
    { name: "Of" },
    { name: "Intensity", kind: "number", unit: "flop/B" },
    { name: "Rate", kind: "number", unit: "Gflop/s" },
    { name: "Of the roof", kind: "percent" },
  ],
  rows: part.points.map((p) => [
    p.program,
    p.name || "the whole",
    p.intensity,
    p.rate / GIGA,
    p.kind === "level" ? null : (100 * p.rate) / allowed(part, p.intensity),
  ]),
});

export function RooflinePart({ part, at }) {
  const box = useRef();
  const [width, setWidth] = useState(900);
  const [said, say] = useState("");
  const kinds = KINDS.filter(([kind]) => part.points.some((p) => p.kind === kind));
  const [shown, setShown] = useAddress(`points${at}`, kinds.map(([kind]) => kind).join(" "));
  const programs = useMemo(() => [...new Set(part.points.map((p) => p.program))], [part]);
  /* what is drawn last is on top: programs */
  const points = useMemo(
    () => KINDS.flatMap(([kind]) => part.points.filter((p) => p.kind === kind && shown.split(" ").includes(kind))).reverse(),
    [part, shown],
  );
  const scales = useMemo(() => scalesOf(part, width), [part, width]);
  const table = useMemo(() => tableOf(part), [part]);
  const toggle = (kind, on) => setShown(KINDS.map(([k]) => k).filter((k) => (k === kind ? on : shown.split(" ").includes(k))).join(" "));

  useLayoutEffect(() => {
    const look = () => setWidth(Math.max(320, box.current?.clientWidth || 900));
    const watch = new ResizeObserver(look);
    watch.observe(box.current);
    look();
    return () => watch.disconnect();
  }, []);
  return (
    <>
      {kinds.length > 1 && (
        <div class="bar">
          {kinds.map(([kind, name]) => (
            <Check key={kind} label={name} checked={shown.split(" ").includes(kind)} set={(on) => toggle(kind, on)} />
          ))}
        </div>
      )}
      <div ref={box}>
        <svg class="roofline" width={width} height={HEIGHT} role="group" aria-label="Roofline">
          <Axes scales={scales} width={width} />
          <Roofs part={part} scales={scales} say={say} />
          <Points part={part} points={points} programs={programs} scales={scales} width={width} say={say} />
        </svg>
      </div>
      <p class="legend" role="status">
        {said || "Point at a ceiling or a point for its numbers. Circles are programs (small: threads), diamonds the traffic of one level."}
      </p>
      {part.points.length > 0 && <TablePart part={table} at={`${at}t`} />}
    </>
  );
}
