// SPDX-License-Identifier: BSD-3-Clause
/*
 * Samples in the order of time: a row for each thread, stacked by the function
 * they were in. A part of the time, drawn with the mouse or set with the two
 * sliders, is what the whole page is about then.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { inkOf } from "../chart.jsx";
import * as format from "../format.js";
import { activity, OTHERS, SHOWN } from "./times.js";

const NARROWEST = 2; /* pixels of a column */
const FEWEST = 40; /* columns */
const ENOUGH = 10; /* samples of a column, on average, that it does not look like noise */
const GREY = "#8b94a3"; /* is seen on light and on dark */
const colourOf = (i) => (i === OTHERS ? GREY : inkOf(i));

/* A time as text, in the unit of the timeline. */
export const timeText = (timeline, bin) =>
  timeline.unit === "ns" ? format.seconds(bin * timeline.step * 1e-9) : `${format.compact(bin * timeline.step)} ${timeline.unit}`;

/* The same, short: the unit is told at the end of the axis. */
const shortText = (timeline, bin) => (timeline.unit === "ns" ? timeText(timeline, bin) : format.compact(bin * timeline.step));

/* How many columns are drawn for @bins with @samples on @width pixels. */
const columnCount = (bins, samples, width) =>
  Math.max(1, Math.min(bins, Math.floor(width / NARROWEST), Math.max(FEWEST, Math.floor(samples / ENOUGH))));

/* [first, last) bins as @n columns: of each the mean of its bins, as some have one more. */
function columnsOf(row, [first, last], n) {
  const columns = Array.from({ length: n }, () => new Float64Array(SHOWN + 1));
  const bins = new Float64Array(n);

  for (let bin = first; bin < last; bin++) {
    const k = Math.floor(((bin - first) * n) / (last - first));
    bins[k]++;
    for (let i = 0; i <= SHOWN; i++) columns[k][i] += row.bins[bin * (SHOWN + 1) + i];
  }
  return columns.map((column, k) => column.map((sum) => sum / bins[k]));
}

const sumOf = (column) => column.reduce((a, b) => a + b, 0);

function draw(canvas, columns, most, width, height) {
  const ratio = devicePixelRatio || 1;
  const ctx = canvas.getContext("2d");
  const step = width / columns.length;

  canvas.width = width * ratio;
  canvas.height = height * ratio;
  ctx.scale(ratio, ratio);
  for (let i = 0; i <= SHOWN; i++) {
    ctx.fillStyle = colourOf(i);
    columns.forEach((column, k) => {
      let below = 0;
      for (let j = 0; j < i; j++) below += column[j];
      const top = ((below + column[i]) / most) * height;
      const bottom = (below / most) * height;
      if (column[i] > 0) ctx.fillRect(k * step, height - top, Math.max(1, step - (step > 4 ? 1 : 0)), Math.max(0.5, top - bottom));
    });
  }
}

function Row({ row, columns, most, width, height, dark, label }) {
  const canvas = useRef();

  useEffect(() => draw(canvas.current, columns, most, width, height), [columns, most, width, height, dark]);
  return (
    <div class="time-row">
      <span class="time-name" title={row.name}>
        {row.name}
      </span>
      <canvas ref={canvas} role="img" aria-label={label} style={{ width: `${width}px`, height: `${height}px` }} />
    </div>
  );
}

/* Where the shown part of the time is on the plot, in pixels. */
function Shade({ window, range, width }) {
  if (!range) return null;
  const at = (bin) => ((Math.min(Math.max(bin, window[0]), window[1]) - window[0]) / (window[1] - window[0])) * width;
  const [left, right] = [at(range[0]), at(range[1])];

  return (
    <>
      <div class="time-shade" style={{ left: 0, width: `${left}px` }} />
      <div class="time-shade" style={{ left: `${right}px`, width: `${width - right}px` }} />
    </>
  );
}

function Axis({ timeline, window, width }) {
  const n = Math.max(2, Math.min(6, Math.floor(width / 120)));
  const ticks = Array.from({ length: n + 1 }, (_, i) => window[0] + (i * (window[1] - window[0])) / n);

  return (
    <div class="time-axis" aria-hidden="true" style={{ width: `${width}px` }}>
      {ticks.map((bin, i) => (
        <span key={i} style={{ left: `${(100 * i) / n}%` }} class={i === 0 ? "first" : i === n ? "last" : ""}>
          {i === n ? timeText(timeline, bin) : i === n - 1 && timeline.unit !== "ns" ? "" : shortText(timeline, bin)}
        </span>
      ))}
    </div>
  );
}

/* Two sliders for what the mouse draws. */
function Ends({ timeline, range, setRange }) {
  const [from, to] = range || [0, timeline.bins];
  const slider = (label, value, min, max, set) => (
    <label class="time-end">
      <span>{label}</span>
      <input type="range" min={min} max={max} value={value} aria-valuetext={timeText(timeline, value)} onInput={(event) => set(Number(event.target.value))} />
      <span class="quietly">{shortText(timeline, value)}</span>
    </label>
  );

  return (
    <>
      {slider("from", from, 0, timeline.bins - 1, (v) => setRange([v, Math.max(v + 1, to)]))}
      {slider("to", to, 1, timeline.bins, (v) => setRange([Math.min(from, v - 1), v]))}
    </>
  );
}

/*
 * Drag to choose a range of bins; a click without one chooses all. Events may
 * come faster than the page is drawn, so what they refer to is kept apart.
 */
function useDrag(toBin, setRange) {
  const draft = useRef(null);
  const [drawn, setDrawn] = useState(null);
  const ends = ({ from, to }) => [Math.min(from, to), Math.max(from, to)];
  const start = (event) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    draft.current = { from: toBin(event), to: toBin(event), x: event.clientX, moved: false };
  };
  const move = (event) => {
    const now = draft.current;
    if (!now) return;
    now.to = toBin(event);
    now.moved = now.moved || Math.abs(event.clientX - now.x) > 3;
    if (now.moved) setDrawn(ends(now));
  };
  const cancel = () => {
    draft.current = null;
    setDrawn(null);
  };
  const end = (event) => {
    const now = draft.current;
    if (!now) return;
    move(event);
    cancel();
    const [a, b] = ends(now);
    setRange(now.moved ? [Math.floor(a), Math.max(Math.floor(a) + 1, Math.ceil(b))] : null);
  };

  return { drawn, handlers: { onPointerDown: start, onPointerMove: move, onPointerUp: end, onPointerCancel: cancel } };
}

function useWidth(box) {
  const [width, setWidth] = useState(600);

  useLayoutEffect(() => {
    const look = () => setWidth(Math.max(160, box.current?.clientWidth || 600));
    const watch = new ResizeObserver(look);
    watch.observe(box.current);
    look();
    return () => watch.disconnect();
  }, []);
  return width;
}

export function Timeline({ profile, event, thread, range, setRange, zoomed, setZoomed, dark, pick }) {
  const { timeline } = profile;
  const box = useRef();
  const width = useWidth(box);
  const view = useMemo(() => activity(profile, event, thread), [profile, event, thread]);
  const window = zoomed && range ? range : [0, timeline.bins];
  const toBin = (e) => {
    const { left } = box.current.getBoundingClientRect();
    const part = Math.min(1, Math.max(0, (e.clientX - left) / width));
    return window[0] + part * (window[1] - window[0]);
  };
  const drag = useDrag(toBin, setRange);
  const inRange = useMemo(() => view.within(range || [0, timeline.bins]), [view, range?.[0], range?.[1]]);
  /* rows with their columns; those of threads have one scale */
  const drawn = useMemo(() => {
    const n = columnCount(window[1] - window[0], view.within(window).sum, width);
    const rows = view.rows.map((row) => ({ row, columns: columnsOf(row, window, n) }));
    const most = (tall) => Math.max(1e-9, ...rows.filter(({ row }) => row.tall === tall).flatMap(({ columns }) => columns.map(sumOf)));
    const scales = new Map([true, false].map((tall) => [tall, most(tall)]));
    return rows.map(({ row, columns }) => ({ row, columns, most: scales.get(row.tall) }));
  }, [view, window[0], window[1], width]);
  const shares = view.names.map((name, i) => ({ name, i, n: inRange.parts[i] })).filter((s) => s.n > 0);
  const label = (row) => `${row.name}: ${format.count(row.n)} samples over time, most of them in ${view.names[row.top]}`;

  return (
    <section class="timeline" aria-label="Samples over time">
      <div class="bar wrap">
        <Ends timeline={timeline} range={range} setRange={setRange} />
        <span class="space" />
        <button type="button" aria-pressed={zoomed} disabled={!range} onClick={() => setZoomed(!zoomed)}>
          Zoom
        </button>
        <button type="button" disabled={!range} onClick={() => setRange(null)}>
          Whole time
        </button>
      </div>
      <div class="time-rows" tabIndex={0} role="region" aria-label="Threads over time">
        <div class="time-plot" {...drag.handlers}>
          {drawn.map(({ row, columns, most }) => (
            <Row key={row.key} row={row} columns={columns} most={most} width={width} height={row.tall ? 72 : 26} dark={dark} label={label(row)} />
          ))}
          <div class="time-over" ref={box}>
            <Shade window={window} range={drag.drawn || range} width={width} />
          </div>
        </div>
      </div>
      <Axis timeline={timeline} window={window} width={width} />
      <ul class="time-legend">
        {shares.map(({ name, i, n }) => (
          <li key={i}>
            <span class="swatch" style={{ background: colourOf(i) }} aria-hidden="true" />
            {i === OTHERS ? name : <button type="button" class="link" onClick={() => pick(view.functions[i])}>{name}</button>}{" "}
            {format.percent((100 * n) / (inRange.sum || 1))}
          </li>
        ))}
      </ul>
    </section>
  );
}
