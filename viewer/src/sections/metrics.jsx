// SPDX-License-Identifier: BSD-3-Clause
/* The metrics window: every metric of a section, for each task and thread. */
import { useMemo, useState } from "preact/hooks";

import { useAddress, useAddressFlag } from "../address.js";
import { readBlock } from "../blocks.js";
import { Chart } from "../chart.jsx";
import * as format from "../format.js";
import { Grid, useSort } from "../grid.jsx";
import { Check, Choice, Dialog, Fault, Note, Search, usePromise } from "../ui.jsx";
import { nameOf } from "./model.js";
import { boundsOf, MARKS, say, verdict } from "./verdict.js";

export function Verdict({ kind, children }) {
  if (!kind) return <span class="plain">{children}</span>;
  return (
    <span class={`verdict ${kind}`} title={MARKS[kind].word}>
      <span aria-hidden="true">{MARKS[kind].shape}</span> {children}
      <span class="hidden">, {MARKS[kind].word}</span>
    </span>
  );
}

/* One bound: which side of which number. */
function Bound({ name, value, set }) {
  const below = value < 0;
  const size = format.isNumber(value) ? Math.abs(value) : "";
  const put = (isBelow, text) => {
    const number = parseFloat(text);
    set(Number.isFinite(number) ? (isBelow ? -1 : 1) * Math.abs(number) : null);
  };

  return (
    <div class="bound">
      <label>
        <span>{name} if</span>
        <select value={below ? "below" : "above"} onChange={(e) => put(e.target.value === "below", size)}>
          <option value="above">above</option>
          <option value="below">below</option>
        </select>
      </label>
      <input
        type="number"
        step="any"
        min="0"
        aria-label={`${name} threshold`}
        value={size}
        placeholder="no threshold"
        onInput={(e) => put(below, e.target.value)}
      />
    </div>
  );
}

export function ThresholdDialog({ column, precision, changed, setChanged, close }) {
  const key = `${column.name} ${precision}`;
  const bounds = boundsOf(column, precision, changed) || {};
  const set = (side) => (value) => setChanged({ ...changed, [key]: { ...bounds, [side]: value } });
  const reset = () => {
    const { [key]: _, ...rest } = changed;
    setChanged(rest);
  };

  return (
    <Dialog title={`Thresholds of ${column.name}`} close={close}>
      {column.formula && (
        <p class="formula">
          <code>{column.formula}</code>
        </p>
      )}
      <p>For {precision} precision. A hint, not a judgement: what is good depends on what the section is for.</p>
      <Bound name="Good" value={bounds.good} set={set("good")} />
      <Bound name="Poor" value={bounds.bad} set={set("bad")} />
      <div class="actions">
        <button type="button" onClick={reset} disabled={!changed[key]}>
          As in the file
        </button>
        <button type="button" class="primary" onClick={close}>
          Done
        </button>
      </div>
    </Dialog>
  );
}

/* A section's numbers in sum, with the spread between tasks. */
function Summary({ run, section, columns, precision, changed, edit }) {
  const many = Boolean(section.max);
  const rows = columns.map(({ column, i }) => ({ column, i }));
  const of = (field) => (row) => section[field]?.[row.i];
  const put = (field) => (row) => format.datum(row.column, section[field]?.[row.i]);
  const list = [
    {
      id: "name",
      name: "Metric",
      heads: true,
      value: (r) => nameOf(r.column, run),
      cell: (r) => <span title={[r.column.name, r.column.formula].filter(Boolean).join(" = ")}>{nameOf(r.column, run)}</span>,
    },
    {
      id: "value",
      name: many ? "All" : "Value",
      align: "right",
      value: of("value"),
      cell: (r) => (
        <Verdict kind={verdict(section.value[r.i], boundsOf(r.column, precision, changed))}>
          {format.datum(r.column, section.value[r.i])}
        </Verdict>
      ),
    },
  ];
  if (rows.some((row) => format.isNumber(section.exclusive[row.i])))
    list.push({ id: "exclusive", name: "Exclusive", align: "right", value: of("exclusive"), cell: put("exclusive") });
  if (many)
    list.push(
      { id: "mean", name: "Mean", align: "right", value: of("mean"), cell: put("mean") },
      { id: "stddev", name: "± σ", align: "right", value: of("stddev"), cell: put("stddev") },
      {
        id: "min",
        name: "Min",
        align: "right",
        value: of("min"),
        cell: (r) => <span title={`task ${section.mintask[r.i] ?? "–"}`}>{put("min")(r)}</span>,
      },
      {
        id: "max",
        name: "Max",
        align: "right",
        value: of("max"),
        cell: (r) => <span title={`task ${section.maxtask[r.i] ?? "–"}`}>{put("max")(r)}</span>,
      },
    );
  list.push({
    id: "bounds",
    name: "Threshold",
    value: () => 0,
    cell: (r) => {
      const bounds = boundsOf(r.column, precision, changed);
      const text = [bounds?.good && `good ${say(bounds.good)}`, bounds?.bad && `poor ${say(bounds.bad)}`]
        .filter(Boolean)
        .join(", ");
      return (
        <button type="button" class="link" onClick={() => edit(r.column)}>
          {text || "set"}
        </button>
      );
    },
  });
  return <Grid label="Metrics of the section" columns={list} rows={rows} rowKey={(r) => r.column.name} />;
}

const widthOf = (name) => Math.max(104, 44 + 8 * name.length);

/* One row for each task and thread, one column for each metric. */
function Rows({ rows, columns, precision, changed, edit }) {
  const indices = useMemo(() => rows.task.map((_, i) => i), [rows]);
  const list = [
    {
      id: "task",
      name: "Task",
      heads: true,
      align: "right",
      first: 1,
      width: 72,
      value: (i) => rows.task[i],
      cell: (i) => (rows.task[i] < 0 ? "all" : rows.task[i]),
    },
    {
      id: "thread",
      name: "Thread",
      align: "right",
      first: 1,
      width: 84,
      value: (i) => rows.thread[i],
      cell: (i) => (rows.thread[i] < 0 ? "all" : rows.thread[i]),
    },
    ...columns.map(({ column, i: c }) => {
      const bounds = boundsOf(column, precision, changed);
      return {
        id: column.name,
        name: column.name,
        title: column.formula,
        align: "right",
        width: widthOf(column.name),
        value: (i) => rows.value[c]?.[i],
        mark: (i) => verdict(rows.value[c]?.[i], bounds),
        /* text alone: with a thousand rows elements are dear */
        cell: (i) => {
          const value = rows.value[c]?.[i];
          const kind = verdict(value, bounds);
          return `${kind ? `${MARKS[kind].shape} ` : ""}${format.datum(column, value)}`;
        },
        tool: column.kind === "metric" && (
          <button type="button" class="gear" aria-label={`Thresholds of ${column.name}`} onClick={() => edit(column)}>
            ⚙
          </button>
        ),
      };
    }),
  ];
  const sort = useSort(list, { id: "task", direction: 1 }, "rowsort");

  return (
    <Grid class="rows" label="Metrics by task and thread" columns={list} rows={indices} rowKey={(i) => i} sort={sort} />
  );
}

/* One metric over tasks and threads. */
function Spread({ rows, columns, dark }) {
  const [name, setName] = useState("");
  const chosen = columns.find((c) => c.column.name === name) || columns.find((c) => c.column.kind === "metric") || columns[0];
  const order = useMemo(() => {
    const all = rows.task.map((_, i) => i);
    return all.sort((a, b) => rows.task[a] - rows.task[b] || rows.thread[a] - rows.thread[b]);
  }, [rows]);
  const names = useMemo(
    () => order.map((i) => (rows.thread[i] >= 0 && new Set(rows.thread).size > 1 ? `${rows.task[i]}.${rows.thread[i]}` : `${rows.task[i]}`)),
    [order],
  );
  const series = useMemo(
    () => [
      {
        name: chosen.column.name,
        style: order.length > 200 ? "points" : "bars",
        x: order.map((_, i) => i),
        y: order.map((i) => format.size(rows.value[chosen.i]?.[i])),
        unit: chosen.column.unit,
      },
    ],
    [order, chosen.i],
  );
  const x = useMemo(
    () => ({ label: "task.thread", min: -0.6, max: order.length - 0.4, ...(order.length <= 24 ? { names } : {}) }),
    [order],
  );
  const y = useMemo(() => ({ label: chosen.column.name, unit: chosen.column.unit }), [chosen.i]);

  return (
    <div class="spread">
      <Choice
        label="Plot"
        options={columns.map((c) => [c.column.name, nameOf(c.column)])}
        value={chosen.column.name}
        choose={setName}
      />
      <Chart
        label={`${chosen.column.name} of each task and thread`}
        series={series}
        x={x}
        y={y}
        height={220}
        dark={dark}
      />
    </div>
  );
}

export function Metrics(props) {
  const { run, runIndex, section, precision, setPrecision, changed, setChanged, dark } = props;
  const [raw, setRaw] = useAddressFlag("raw");
  const [words, setWords] = useAddress("metric", "");
  const [view, setView] = useAddress("show", "summary");
  const [editing, edit] = useState(null);
  const at = run.sections.indexOf(section);
  const rows = usePromise(() => readBlock(`rows-${runIndex}-${at}`), [runIndex, at]);
  const hidden = run.columns.filter((c) => c.kind === "event" && !c.shown).length;
  const columns = useMemo(
    () =>
      run.columns
        .map((column, i) => ({ column, i }))
        .filter(({ column, i }) => (raw || column.shown || column.kind !== "event") && (format.isNumber(section.value[i]) || section.max))
        .filter(({ column }) => `${column.name} ${nameOf(column)}`.toLowerCase().includes(words.toLowerCase())),
    [run, section, raw, words],
  );

  return (
    <div class="metrics">
      <div class="bar wrap">
        <h2 class="of">{section.label || "(no label)"}</h2>
        <Choice
          label="show"
          options={[
            ["summary", "summary"],
            ["rows", `tasks and threads (${section.rows})`],
            ["plot", "plot"],
          ]}
          value={view}
          choose={setView}
        />
        <Choice
          label="precision"
          options={[
            ["double", "double"],
            ["single", "single"],
          ]}
          value={precision}
          choose={setPrecision}
        />
        <Search label="Find metrics" value={words} set={setWords} />
        {hidden > 0 && <Check label={`raw counters (${hidden})`} checked={raw} set={setRaw} />}
      </div>
      {rows.fault && <Fault text={`The rows of this section cannot be read: ${rows.fault}.`} />}
      {columns.length === 0 && <Note>No metric matches.</Note>}
      {columns.length > 0 && view === "summary" && (
        <Summary run={run} section={section} columns={columns} precision={precision} changed={changed} edit={edit} />
      )}
      {columns.length > 0 && view === "rows" && rows.value && (
        <Rows rows={rows.value} columns={columns} precision={precision} changed={changed} edit={edit} />
      )}
      {columns.length > 0 && view === "plot" && rows.value && <Spread rows={rows.value} columns={columns} dark={dark} />}
      <p class="legend">
        <Verdict kind="good">good</Verdict> <Verdict kind="fair">fair</Verdict> <Verdict kind="poor">poor</Verdict>
        <span> by thresholds that you can change; hints, not judgements.</span>
      </p>
      {editing && (
        <ThresholdDialog
          column={editing}
          precision={precision}
          changed={changed}
          setChanged={setChanged}
          close={() => edit(null)}
        />
      )}
    </div>
  );
}
