// SPDX-License-Identifier: BSD-3-Clause
/*
 * Charts by uPlot, in the colours of the page.
 *
 * series: [{ name, x: [..], y: [..], style: "line" | "points" | "both" |
 * "bars" | "steps", unit? }]. Series need not share their x: they are put on
 * one axis, with gaps that lines pass over; "thin" is the style of lines beside
 * the one that counts. axes x, y: { label, unit, log, min, max }; one that is
 * labelled "bytes" goes in powers of two. marks: [{ x, label, weight? }] are
 * upright lines; of labels without room those of less weight are left out.
 */
import { useEffect, useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";

import { address, bytes, compact } from "./format.js";

/* Apart in lightness as well as in hue; after eight they are dashed. */
const INKS = ["--ink1", "--ink2", "--ink3", "--ink4", "--ink5", "--ink6", "--ink7", "--ink8"];

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export const inkOf = (i) => css(INKS[i % INKS.length]);

/* Series with their own x as columns over all x. */
export function join(series) {
  const all = new Set();

  for (const s of series) for (const x of s.x) if (x !== null) all.add(x);
  const xs = Float64Array.from(all).sort();
  const place = new Map();
  xs.forEach((x, i) => place.set(x, i));
  const columns = series.map((s) => {
    const column = new Array(xs.length).fill(undefined);
    s.x.forEach((x, i) => x !== null && (column[place.get(x)] = s.y[i]));
    return column;
  });
  return [Array.from(xs), ...columns];
}

function seriesOptions(s, i) {
  const ink = s.ink || inkOf(i);
  const style = s.style || "line";
  const options = {
    label: s.name,
    stroke: ink,
    width: 2,
    spanGaps: true,
    dash: i >= INKS.length ? [6, 4] : undefined,
    points: { show: false },
    value: (_, value) => (value === null || value === undefined ? "–" : `${compact(value)}${s.unit ? ` ${s.unit}` : ""}`),
  };
  if (style === "points" || style === "both") options.points = { show: true, size: 7, fill: ink, stroke: ink };
  if (style === "points") options.paths = () => null;
  if (style === "thin") {
    options.width = 1;
    options.dash = [3, 3];
  }
  if (style === "steps") options.paths = uPlot.paths.stepped({ align: 1 });
  if (style === "bars") {
    options.paths = uPlot.paths.bars({ size: [0.8, 60], radius: 0.1 });
    options.fill = `${ink}99`;
    options.width = 1;
  }
  return options;
}

function tick(axis, value) {
  if (axis.names) return axis.names[value] ?? "";
  if (axis.label === "bytes") return bytes(value);
  return axis.hex ? address(Math.round(value)) : compact(value).replace(" ", "");
}

function axisOptions(axis, side) {
  const options = {
    stroke: css("--text2"),
    grid: { stroke: css("--line"), width: 1 },
    ticks: { stroke: css("--line"), width: 1, size: 4 },
    font: "12px system-ui, sans-serif",
    labelFont: "12px system-ui, sans-serif",
    labelSize: 22,
    label: axis.unit ? `${axis.label || ""} [${axis.unit}]` : axis.label,
    values: (_, values) => values.map((v) => (v === null ? null : tick(axis, v))),
  };
  options.size = side === "y" ? 62 : 34;
  if (axis.label === "bytes") options.space = 60;
  if (axis.hex) {
    options.space = 90;
    options.incrs = Array.from({ length: 48 }, (_, i) => 2 ** i); /* round in hexadecimal */
  }
  if (axis.names) {
    options.splits = () => axis.names.map((_, i) => i);
    options.space = 20;
  }
  return options;
}

function scaleOptions(axis) {
  const scale = { time: false };

  if (axis.log) scale.distr = 3;
  if (axis.log && axis.label === "bytes") scale.log = 2;
  if (axis.min !== undefined || axis.max !== undefined)
    scale.range = (_, min, max) => [axis.min ?? min, axis.max ?? max];
  else if (!axis.log && axis.zero !== false && axis.side === "y")
    scale.range = (_, min, max) => {
      const low = Math.min(0, min);
      const high = Math.max(max, low);
      return [low, high === low ? low + 1 : high + (high - low) * 0.05];
    };
  return scale;
}

/* Words at @marks that do not touch; those of more weight first. */
function placeLabels(ctx, marks) {
  const placed = [];

  for (const mark of [...marks].sort((a, b) => (b.weight || 0) - (a.weight || 0) || a.at - b.at)) {
    const end = mark.at + 10 + (mark.label ? ctx.measureText(mark.label).width : 0);
    if (mark.label && placed.every((p) => mark.at > p.end || end < p.at)) placed.push({ ...mark, end });
  }
  return placed;
}

/* Upright lines with a word at the top. */
export function drawMarks(u, marks) {
  const { ctx } = u;
  const within = marks
    .map((mark) => ({ ...mark, at: u.valToPos(mark.x, "x", true) }))
    .filter((mark) => mark.at >= u.bbox.left && mark.at <= u.bbox.left + u.bbox.width);

  ctx.save();
  ctx.strokeStyle = `${css("--text2")}99`;
  ctx.fillStyle = css("--text2");
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const { at } of within) {
    ctx.beginPath();
    ctx.moveTo(at, u.bbox.top);
    ctx.lineTo(at, u.bbox.top + u.bbox.height);
    ctx.stroke();
  }
  for (const { at, label } of placeLabels(ctx, within)) ctx.fillText(label, at + 4, u.bbox.top + 10 * devicePixelRatio);
  ctx.restore();
}

export function chartOptions({ series, x = {}, y = {}, marks = [], width, height }) {
  return {
    width,
    height,
    legend: { live: true },
    cursor: { y: false, focus: { prox: 24 }, points: { size: 8 } },
    focus: { alpha: 0.35 },
    scales: {
      x: scaleOptions({ ...x, side: "x" }),
      y: scaleOptions({ ...y, side: "y" }),
    },
    axes: [axisOptions(x, "x"), axisOptions(y, "y")],
    series: [
      { label: x.label || "x", value: (_, v) => (v === null || v === undefined ? "–" : tick(x, v)) },
      ...series.map(seriesOptions),
    ],
    hooks: { draw: marks.length ? [(u) => drawMarks(u, marks)] : [] },
  };
}

export function Chart(props) {
  const { series, label, height = 300, dark } = props;
  const box = useRef();
  const data = useMemo(() => join(series), [series]);

  useEffect(() => {
    const make = () =>
      new uPlot(
        chartOptions({ ...props, width: box.current.clientWidth || 600, height }),
        data,
        box.current,
      );
    let plot = make();
    const watch = new ResizeObserver(() => {
      const width = box.current?.clientWidth;
      if (width && width !== plot.width) plot.setSize({ width, height });
    });
    watch.observe(box.current);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [data, dark, props.x, props.y, props.marks]);
  return <div class="chart" ref={box} role="img" aria-label={label} />;
}
