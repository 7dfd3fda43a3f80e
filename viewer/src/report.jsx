// SPDX-License-Identifier: BSD-3-Clause
/*
 * A report of any verb: facts, text, tables, charts and matrices, one below
 * the other. docs/formats/page.md describes the document.
 */
import { useMemo, useState } from "preact/hooks";

import { Chart } from "./chart.jsx";
import * as format from "./format.js";
import { Grid, useSort } from "./grid.jsx";
import { Check, Choice, Fault, Frame, Search, useKeys, useTheme } from "./ui.jsx";

/* Words with a colour and a shape. */
const SHAPES = {
  good: ["good", "▲"],
  pass: ["good", "✓"],
  yes: ["good", "✓"],
  fair: ["fair", "●"],
  skip: ["fair", "–"],
  unresolved: ["fair", "≈"],
  different: ["sure", "≠"],
  poor: ["poor", "▼"],
  fail: ["poor", "✗"],
  no: ["poor", "✗"],
};

function Word({ text }) {
  const known = SHAPES[String(text).toLowerCase()];

  if (!known) return <>{text ?? "–"}</>;
  return (
    <span class={`verdict ${known[0]}`}>
      <span aria-hidden="true">{known[1]}</span> {text}
    </span>
  );
}

function cellOf(column, value) {
  switch (column.kind) {
    case "count":
      return format.count(value);
    case "number":
      return typeof value === "string" ? value : format.short(value);
    case "seconds":
      return format.seconds(value);
    case "percent":
      return format.percent(value, 2);
    case "change":
      return format.change(value);
    case "verdict":
      return <Word text={value} />;
    case "code":
      return value ? <code>{value}</code> : "–";
    default:
      return value ?? "–";
  }
}

const isText = (column) => [undefined, "text", "verdict", "code"].includes(column.kind);

function TablePart({ part }) {
  const [words, setWords] = useState("");
  const columns = useMemo(
    () =>
      part.columns.map((column, i) => ({
        id: String(i),
        name: column.unit ? `${column.name} [${column.unit}]` : column.name,
        title: column.text,
        heads: i === 0,
        align: isText(column) ? "" : "right",
        first: isText(column) ? 1 : -1,
        value: (row) => row[i],
        cell: (row) => cellOf(column, row[i]),
      })),
    [part],
  );
  const rows = useMemo(
    () =>
      words
        ? part.rows.filter((row) => row.some((cell) => String(cell).toLowerCase().includes(words.toLowerCase())))
        : part.rows,
    [part, words],
  );
  const sort = useSort(columns, { id: "none", direction: 1 });
  const [touched, touch] = useState(false);
  const sorting = { ...sort, id: touched ? sort.id : "", by: (c) => (touch(true), sort.by(c)) };

  return (
    <>
      {part.rows.length > 12 && (
        <div class="bar">
          <Search label="Find rows" value={words} set={setWords} />
          <span class="quietly">
            {rows.length} of {part.rows.length}
          </span>
        </div>
      )}
      <Grid
        class={part.rows.length > 40 ? "tall" : ""}
        label={part.title || "Table"}
        columns={columns}
        rows={rows}
        sort={touched ? sorting : { ...sorting, column: { value: () => 0 } }}
      />
    </>
  );
}

function ChartPart({ part, dark }) {
  const [asTable, setAsTable] = useState(false);
  const table = useMemo(() => {
    const columns = [
      { name: part.x?.label || "x", kind: "number", unit: part.x?.unit },
      ...part.series.map((s) => ({ name: s.name, kind: "number", unit: part.y?.unit })),
    ];
    const at = new Map();
    part.series.forEach((s, k) =>
      s.x.forEach((x, i) => {
        if (!at.has(x)) at.set(x, [x, ...part.series.map(() => null)]);
        at.get(x)[k + 1] = s.y[i];
      }),
    );
    return { title: part.title, columns, rows: [...at.values()].sort((a, b) => a[0] - b[0]) };
  }, [part]);

  return (
    <>
      {asTable ? (
        <TablePart part={table} />
      ) : (
        <Chart
          label={part.title || "Chart"}
          series={part.series}
          x={part.x}
          y={part.y}
          marks={part.marks}
          height={part.height || 320}
          dark={dark}
        />
      )}
      <Check label="as a table" checked={asTable} set={setAsTable} />
    </>
  );
}

/* Numbers as shades, with the number in the cell. */
function MatrixPart({ part }) {
  const all = part.values.flat().filter(format.isNumber);
  const low = part.min ?? Math.min(...all);
  const high = part.max ?? Math.max(...all);
  const shade = (value) => {
    if (!format.isNumber(value) || high === low) return 0;
    return Math.max(0, Math.min(1, (value - low) / (high - low)));
  };

  return (
    <div class="grid matrix" tabIndex={0} role="region" aria-label={part.title || "Matrix"}>
      <table>
        <thead>
          <tr>
            <th />
            {part.columns.map((name) => (
              <th scope="col" key={name}>
                <span>{name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {part.rows.map((name, r) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {part.columns.map((_, c) => {
                const value = part.values[r]?.[c];
                const t = shade(value);
                return (
                  <td key={c} class={t > 0.55 ? "deep" : ""} style={{ "--shade": t.toFixed(3) }}>
                    {format.isNumber(value) ? format.short(value) : ""}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/* Parts of a whole, or sizes side by side. */
function BarsPart({ part }) {
  const most = part.max ?? Math.max(...part.items.map((item) => Math.abs(item.value) || 0), 1e-300);

  return (
    <ul class="bars">
      {part.items.map((item, i) => (
        <li key={i} title={item.text}>
          <span class="bar-name">{item.name}</span>
          <span class="bar-track" aria-hidden="true">
            <span
              class={item.verdict || ""}
              style={{ width: `${Math.max(0, Math.min(100, (100 * item.value) / most))}%` }}
            />
          </span>
          <span class="bar-value">
            {format.short(item.value)} {format.isNumber(item.value) ? part.unit : ""}
            {item.verdict && (
              <>
                {" "}
                <Word text={item.verdict} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

/* One of many, by name: what is not looked at is not drawn. */
function ChoicePart({ part, dark }) {
  const [words, setWords] = useState("");
  const [name, setName] = useState("");
  const found = part.items.filter((item) => item.name.toLowerCase().includes(words.toLowerCase()));
  const chosen = found.find((item) => item.name === name) || found[0];

  return (
    <>
      <div class="bar wrap">
        {part.items.length > 12 && <Search label={`Find ${part.label || "one"}`} value={words} set={setWords} />}
        <Choice
          label={part.label || "show"}
          options={found.map((item) => [item.name, item.name])}
          value={chosen?.name}
          choose={setName}
        />
      </div>
      {chosen ? (
        chosen.parts.map((inner, i) => <Part part={inner} dark={dark} key={`${chosen.name} ${i}`} />)
      ) : (
        <p class="empty">None has these letters.</p>
      )}
    </>
  );
}

function Part({ part, dark }) {
  const body = {
    text: () => <p class="prose">{part.text}</p>,
    terminal: () => (
      <pre class="terminal" tabIndex={0} aria-label={part.title || "Text"}>
        {part.text}
      </pre>
    ),
    table: () => <TablePart part={part} />,
    chart: () => <ChartPart part={part} dark={dark} />,
    matrix: () => <MatrixPart part={part} />,
    bars: () => <BarsPart part={part} />,
    choice: () => <ChoicePart part={part} dark={dark} />,
  }[part.kind];

  return (
    <section class="part">
      {part.title && <h2>{part.title}</h2>}
      {part.text && part.kind !== "text" && part.kind !== "terminal" && <p class="prose">{part.text}</p>}
      {body ? body() : <Fault text={`This page cannot show a part of the kind ${part.kind}.`} />}
    </section>
  );
}

export function ReportPage({ data }) {
  const theme = useTheme();

  useKeys({ t: theme.toggle });
  document.title = data.title || "assay";
  return (
    <div class="page report">
      <Frame title={data.title || "assay"} detail={data.subtitle} theme={theme}>
        <main tabIndex={0} aria-label="Report">
          {data.facts?.length > 0 && (
            <dl class="facts">
              {data.facts.map((fact) => (
                <div key={fact.name}>
                  <dt>{fact.name}</dt>
                  <dd>
                    <Word text={fact.value} />
                  </dd>
                </div>
              ))}
            </dl>
          )}
          {(data.parts || []).map((part, i) => (
            <Part part={part} dark={theme.dark} key={i} />
          ))}
        </main>
      </Frame>
    </div>
  );
}
