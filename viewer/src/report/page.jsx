// SPDX-License-Identifier: BSD-3-Clause
/*
 * A report of any verb: facts, text, tables, charts and matrices, one below
 * the other. docs/formats/page.md describes the document.
 */
import { useMemo } from "preact/hooks";

import { useAddress, useAddressFlag } from "../address.js";
import { Chart } from "../chart.jsx";
import * as format from "../format.js";
import { Check, Choice, Fault, Frame, Search, useKeys, useTheme } from "../ui.jsx";
import { CardsPart, ListPart, StackPart } from "./answer.jsx";
import { RooflinePart } from "./roofline.jsx";
import { TablePart } from "./table.jsx";
import { Word } from "./word.jsx";

function ChartPart({ part, dark, at }) {
  const [asTable, setAsTable] = useAddressFlag(`table${at}`);
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
        <TablePart part={table} at={`${at}t`} />
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
            <td />
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
function ChoicePart({ part, dark, at }) {
  const [words, setWords] = useAddress(`find${at}`, "");
  const [name, setName] = useAddress(part.label || `show${at}`);
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
        chosen.parts.map((inner, i) => <Part part={inner} dark={dark} at={`${at}.${i}`} key={`${chosen.name} ${i}`} />)
      ) : (
        <p class="empty">No name matches.</p>
      )}
    </>
  );
}

/* Folded until asked for: what is not looked at is not drawn. */
function FoldPart({ part, dark, at }) {
  const [open, setOpen] = useAddressFlag(`open${at}`, part.open);

  return (
    <details class="fold" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{part.summary}</summary>
      {open && part.parts.map((inner, i) => <Part part={inner} dark={dark} at={`${at}.${i}`} key={i} />)}
    </details>
  );
}

function Part({ part, dark, at }) {
  const body = {
    text: () => <p class="prose">{part.text}</p>,
    terminal: () => (
      <pre class="terminal" tabIndex={0} aria-label={part.title || "Text"}>
        {part.text}
      </pre>
    ),
    cards: () => <CardsPart part={part} />,
    list: () => <ListPart part={part} />,
    stack: () => <StackPart part={part} />,
    fold: () => <FoldPart part={part} dark={dark} at={at} />,
    table: () => <TablePart part={part} at={at} />,
    chart: () => <ChartPart part={part} dark={dark} at={at} />,
    roofline: () => <RooflinePart part={part} at={at} />,
    matrix: () => <MatrixPart part={part} />,
    bars: () => <BarsPart part={part} />,
    choice: () => <ChoicePart part={part} dark={dark} at={at} />,
  }[part.kind];

  return (
    <section class={`part ${part.kind}-part`}>
      {part.title && <h2>{part.title}</h2>}
      {part.text && part.kind !== "text" && part.kind !== "terminal" && <p class="prose">{part.text}</p>}
      {body ? body() : <Fault text={`This page cannot show a part of the kind ${part.kind}.`} />}
    </section>
  );
}

/*
 * What the page is about: the whole, or one item of a choice that has pages.
 * The only item of one is shown at once.
 */
function useSubject(data) {
  const choice = (data.parts || []).find((part) => part.kind === "choice" && part.page);
  const only = choice?.items.length === 1 ? choice.items[0].name : null;
  const [name, setName] = useAddress(choice?.label || "item", only);
  const item = choice?.items.find((i) => i.name === name);

  if (!item) return { ...data, parts: (data.parts || []).filter((part) => part !== choice), choice, choose: setName };
  return { title: item.name, subtitle: data.subtitle, lead: item.lead, parts: item.parts, choice, chosen: item.name, choose: setName };
}

/* From one item's page to another's, and back. */
function Items({ subject }) {
  const { choice, chosen, choose } = subject;

  if (!choice || choice.items.length < 2) return null;
  return (
    <>
      {chosen && (
        <button type="button" onClick={() => choose("")}>
          All {choice.label}s
        </button>
      )}
      <Choice
        label={choice.label}
        options={[["", "choose …"], ...choice.items.map((item) => [item.name, item.name])]}
        value={chosen || ""}
        choose={choose}
      />
    </>
  );
}

export function ReportPage({ data: whole }) {
  const theme = useTheme();
  const data = useSubject(whole);

  useKeys({ t: theme.toggle });
  document.title = data.title || "assay";
  return (
    <div class="page report">
      <Frame title={data.title || "assay"} detail={data.subtitle} theme={theme} tools={<Items subject={data} />}>
        <main tabIndex={0} aria-label="Report" key={data.chosen}>
          {data.lead && <p class="lead">{data.lead}</p>}
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
            <Part part={part} dark={theme.dark} at={data.chosen ? `e${i}` : String(i)} key={i} />
          ))}
        </main>
      </Frame>
    </div>
  );
}
