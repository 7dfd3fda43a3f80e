// SPDX-License-Identifier: BSD-3-Clause
/* One metric as a strip that moves: all strips share their time and cursor. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

import { drawMarks, inkOf, chartOptions } from "../chart.jsx";
import { compact, short } from "../format.js";

const HEIGHT = 150;
const sync = uPlot.sync("live");

/* Where sections begin, thinned out to what can be told apart. */
function visibleMarks(u, marks, labelled) {
  const out = [];
  let last = -Infinity;

  for (const mark of marks) {
    if (mark.x < u.scales.x.min || mark.x > u.scales.x.max) continue;
    const at = u.valToPos(mark.x, "x");
    const label = labelled && mark.begins ? mark.word || `section ${mark.number}` : "";
    if (at - last < 3) {
      /* one ends where the next begins: that one is named */
      out[out.length - 1].label ||= label;
      continue;
    }
    last = at;
    out.push({ x: mark.x, label });
  }
  return out;
}

/* uPlot breaks a line at null, and passes over NaN. */
const withGaps = (values) => (values.some(Number.isNaN) ? Array.from(values, (v) => (Number.isNaN(v) ? null : v)) : values);

/* Up to where all but a few of what is in sight reaches; null: all of it does. What will be in sight: while uPlot asks for one
   scale, the other may still be as it was. */
function withoutPeaks(u, [min, max]) {
  const [times, values] = u.data;
  const seen = [];

  for (let i = 0; i < times.length; i++)
    if (times[i] >= min && times[i] <= max && Number.isFinite(values[i])) seen.push(values[i]);
  seen.sort((a, b) => a - b);
  const usual = seen[Math.floor(0.97 * (seen.length - 1))];
  return usual > 0 && seen[seen.length - 1] > 2 * usual ? 1.25 * usual : null;
}

export function Strip({ stream, index, first, range, setRange, dark, register }) {
  const box = useRef();
  const value = useRef();
  const peaks = useRef();
  const series = stream.head.series[index];

  useEffect(() => {
    const ink = inkOf(index);
    const options = chartOptions({
      series: [{ name: series.name, unit: series.unit, ink }],
      x: { label: first ? "" : "", unit: "" },
      y: {},
      width: box.current.clientWidth || 600,
      height: HEIGHT,
    });
    options.legend = { show: false };
    options.series[1].fill = `${ink}22`;
    options.series[1].spanGaps = false;
    options.cursor = { ...options.cursor, sync: { key: sync.key }, drag: { x: true, y: false, setScale: false } };
    const whole = options.scales.y.range;
    const inSight = (u) => range.current || u.whole || [0, 1];
    options.scales.y.range = (u, min, max) => {
      const cut = stream.cutPeaks ? withoutPeaks(u, inSight(u)) : null;
      if (peaks.current) peaks.current.textContent = cut === null ? "" : `peaks cut; the highest is ${short(max)}`;
      return whole(u, min, cut ?? max);
    };
    options.scales.x = { time: false, range: inSight };
    options.axes[0].label = undefined;
    options.axes[0].size = 28;
    options.axes[0].values = (_, values) => values.map((v) => (v === null ? "" : `${Math.round(v * 1000) / 1000} s`));
    options.axes[1].values = (_, values) => values.map((v) => compact(v).replace(" ", ""));
    options.hooks.setSelect = [
      (u) => {
        if (u.select.width < 4) return;
        setRange([u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x")]);
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      },
    ];
    options.hooks.draw = [(u) => drawMarks(u, visibleMarks(u, stream.marks, first))];
    const plot = new uPlot(options, [[], []], box.current);
    plot.over.addEventListener("dblclick", () => setRange(null));
    const watch = new ResizeObserver(() => {
      const width = box.current?.clientWidth;
      if (width && width !== plot.width) plot.setSize({ width, height: HEIGHT });
    });
    watch.observe(box.current);
    const unregister = register(() => {
      const times = stream.data.view(0);
      const values = stream.data.view(index + 1);
      const end = times[times.length - 1] || 1;
      plot.whole = [Math.max(times[0] || 0, end - stream.span), Math.max(end, 1)];
      plot.setData([times, withGaps(values)]);
      const last = values[values.length - 1];
      if (value.current) value.current.textContent = Number.isNaN(last) || last === undefined ? "–" : short(last);
    });
    return () => {
      unregister();
      watch.disconnect();
      plot.destroy();
    };
  }, [index, dark, first]);

  const title = series.event ? series.name : series.text || series.name;

  return (
    <section class="strip" aria-label={title}>
      <header>
        <h2 title={series.formula ? `${series.name} = ${series.formula}` : series.text}>{title}</h2>
        <p class="now">
          <b ref={value}>–</b> {series.unit}
        </p>
        <p class="quietly" ref={peaks} />
        <p class="quietly what">{series.event ? series.text : ""}</p>
      </header>
      <div class="chart" ref={box} role="img" aria-label={`${title} over time`} />
    </section>
  );
}
