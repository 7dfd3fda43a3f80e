// SPDX-License-Identifier: BSD-3-Clause
/*
 * Runs side by side: one section's numbers, or one number of all sections; the
 * largest differences first, what may be noise in grey.
 */
import { useState } from "preact/hooks";

import { useAddress, useAddressFlag } from "../address.js";
import * as format from "../format.js";
import { Grid, useSort } from "../grid.jsx";
import { Check, Choice } from "../ui.jsx";
import { changeOf, directionOf, effectOf, nearest, otherOf } from "./effect.js";
import { ChangeMark } from "./list.jsx";
import { Verdict } from "./metrics.jsx";
import { columnIndex, letter, measuresOf, nameOf } from "./model.js";
import { boundsOf, verdict } from "./verdict.js";

const BY_EFFECT = { id: "", value: () => 0 };

function runColumns(data, { cellOf, change, better }) {
  return data.runs.flatMap((run, r) => [
    {
      id: `run${r}`,
      name: letter(r),
      title: run.name,
      align: "right",
      value: (row) => cellOf(row, r).value,
      cell: (row) => cellOf(row, r).content,
    },
    ...(r > 0
      ? [
          {
            id: `change${r}`,
            name: `${letter(r)} vs ${letter(0)}`,
            align: "right",
            value: (row) => change(row, r)?.percent,
            cell: (row) => <ChangeMark row={change(row, r)} better={better(row)} />,
          },
        ]
      : []),
  ]);
}

/* Rows by their largest effect; without noise if @marked. */
function byEffect(data, rows, change, marked) {
  const others = data.runs.map((_, r) => r).slice(1);
  const sized = rows.map((row) => ({ row, changes: others.map((r) => change(row, r)) }));

  return sized
    .filter(({ changes }) => !marked || changes.some((c) => c?.result === "different"))
    .map(({ row, changes }) => ({ row, effect: Math.max(...changes.map(effectOf)), noise: !changes.some((c) => c?.result === "different") }))
    .sort((a, b) => b.effect - a.effect);
}

function EffectGrid({ data, label, head, rows, change, cellOf, better, marked, name, ...rest }) {
  const ranked = byEffect(data, rows, change, marked);
  const noise = new Set(ranked.filter((r) => r.noise).map((r) => r.row));
  const columns = [head, ...runColumns(data, { cellOf, change, better })];
  const sort = useSort([BY_EFFECT, ...columns], { id: "", direction: 1 }, name);

  return (
    <Grid
      label={label}
      columns={columns}
      rows={ranked.map((r) => r.row)}
      sort={sort}
      rowClass={(row) => (noise.has(row) ? "noise" : "")}
      empty="All differences may be noise."
      {...rest}
    />
  );
}

function OneSection({ data, section, pairs, raw, marked, precision, changed }) {
  const runs = data.runs;
  const sections = runs.map((_, r) => (r === 0 ? otherOf(data, 0, section, pairs) : otherOf(data, r, section, pairs)));
  const names = [...new Set(runs.flatMap((run) => run.columns.map((c) => c.name)))];
  const rows = names
    .map((name) => ({ name, column: runs.map((run) => run.columns[columnIndex(run, name)]).find(Boolean) }))
    .filter(({ column }) => raw || column.shown || column.kind !== "event");
  const cellOf = (row, r) => {
    const i = columnIndex(runs[r], row.name);
    const value = sections[r] && i >= 0 ? sections[r].value[i] : null;
    const kind = verdict(value, boundsOf(row.column, precision, changed));
    return { value, content: <Verdict kind={kind}>{format.datum(row.column, value)}</Verdict> };
  };
  const head = {
    id: "name",
    name: "Metric",
    heads: true,
    first: 1,
    value: (row) => nameOf(row.column, runs[0]),
    cell: (row) => <span title={row.column.formula}>{nameOf(row.column, runs[0])}</span>,
  };

  return (
    <EffectGrid
      data={data}
      label="The section in all runs"
      head={head}
      rows={rows}
      rowKey={(row) => row.name}
      change={(row, r) => changeOf(data, r, section, row.name, pairs)}
      cellOf={cellOf}
      better={(row) => directionOf(row.column)}
      marked={marked}
      name="effectsort"
    />
  );
}

function AllSections({ data, name, pairs, marked, choose }) {
  const runs = data.runs;
  const column = runs.map((run) => run.columns[columnIndex(run, name)]).find(Boolean);
  const seen = new Map();
  for (const run of runs) for (const s of run.sections) if (!seen.has(s.match)) seen.set(s.match, s);
  const cellOf = (s, r) => {
    const own = otherOf(data, r, s, pairs);
    const i = columnIndex(runs[r], name);
    const value = own && i >= 0 ? own.value[i] : null;
    return { value, content: format.datum(column, value) };
  };

  return (
    <EffectGrid
      data={data}
      label="All sections in all runs"
      head={{ id: "section", name: "Section", heads: true, first: 1, value: (s) => s.label }}
      rows={[...seen.values()]}
      rowKey={(s) => s.match}
      change={(s, r) => changeOf(data, r, s, name, pairs)}
      cellOf={cellOf}
      better={() => directionOf(column)}
      marked={marked}
      name="allsort"
      choose={choose}
    />
  );
}

/* Where a run lacks the section: why, and what is nearest. */
function Missing({ data, section, pairs, pair }) {
  const lacking = data.runs.map((run, r) => ({ run, r })).filter(({ r }) => r > 0 && !otherOf(data, r, section, pairs));

  return lacking.map(({ run, r }) => {
    const found = nearest(run, section);
    return (
      <p class="fault" key={r}>
        Run {letter(r)} has no section “{section.label}” of {section.file.split("/").pop() || "no file"}: sections are matched by label and file.{" "}
        {found ? (
          <>
            The nearest is “{found.section.label}” ({found.why}).{" "}
            <button type="button" onClick={() => pair(`${r} ${section.match}`, found.section.match)}>
              Compare with it
            </button>
          </>
        ) : (
          "None of its sections is like it."
        )}
      </p>
    );
  });
}

/* No section is in both runs: why that may be. */
function Nothing({ data }) {
  const first = new Set(data.runs[0].sections.map((s) => s.match));

  if (data.runs.slice(1).some((run) => run.sections.some((s) => first.has(s.match)))) return null;
  return (
    <p class="fault">
      No section of {letter(0)} is in another run: labels or files differ. Choose a section to see what is nearest to it; if the runs are of
      different programs, give sections that do the same work the same label.
    </p>
  );
}

export function Compare(props) {
  const { data, section, precision, changed, measure, choose } = props;
  const [scope, setScope] = useAddress("compare", "section");
  const [raw, setRaw] = useAddressFlag("counters", true);
  const [marked, setMarked] = useAddressFlag("resolved");
  const [pairs, setPairs] = useState({});
  const names = [...new Set(data.runs.flatMap((run) => run.columns.map((c) => c.name)))];
  const columns = new Map(data.runs.flatMap((run) => run.columns.map((c) => [c.name, c])));
  const [name, setName] = useAddress("comparedby", "");
  const start = measuresOf(data.runs[0]).find((m) => m.id === measure)?.column.name;
  const by = names.includes(name) ? name : start || names[0];

  return (
    <div class="metrics">
      <div class="bar wrap">
        <Choice
          label="compare"
          options={[
            ["section", `${section?.label || "the section"}: all metrics`],
            ["all", "all sections: one metric"],
          ]}
          value={scope}
          choose={setScope}
        />
        {scope === "all" && <Choice label="metric" options={names.map((n) => [n, nameOf(columns.get(n), data.runs[0])])} value={by} choose={setName} />}
        {scope === "section" && <Check label="raw counters" checked={raw} set={setRaw} />}
        <Check label="only resolved differences" checked={marked} set={setMarked} />
      </div>
      <ol class="runs">
        {data.runs.map((run, r) => (
          <li key={r}>
            <b>{letter(r)}</b> {run.name} <span class="quietly">{run.tasks > 1 ? `${run.tasks} tasks` : ""}</span>
          </li>
        ))}
      </ol>
      <Nothing data={data} />
      {scope === "section" && section && (
        <Missing data={data} section={section} pairs={pairs} pair={(key, match) => setPairs({ ...pairs, [key]: match })} />
      )}
      {scope === "section" && section ? (
        <OneSection data={data} section={section} pairs={pairs} raw={raw} marked={marked} precision={precision} changed={changed} />
      ) : (
        <AllSections data={data} name={by} pairs={pairs} marked={marked} choose={choose} />
      )}
      <p class="legend">
        Largest differences first. <span class="change better">▲ ▼ better</span> <span class="change worse">▲ ▼ worse</span>{" "}
        <span class="change sure">▲ ▼</span> resolved: exceeds the variation between runs (95 %); exact if simulated.{" "}
        <span class="change unsure">≈</span> may be noise.
      </p>
    </div>
  );
}
