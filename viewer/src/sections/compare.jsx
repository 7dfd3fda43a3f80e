// SPDX-License-Identifier: BSD-3-Clause
/* Runs side by side: one section's numbers, or one number of all sections. */
import { useState } from "preact/hooks";

import * as format from "../format.js";
import { Grid, useSort } from "../grid.jsx";
import { Check, Choice } from "../ui.jsx";
import { ChangeMark } from "./list.jsx";
import { Verdict } from "./metrics.jsx";
import { columnIndex, compareRow, letter, measuresOf, sameSection } from "./model.js";
import { boundsOf, verdict } from "./verdict.js";

function runColumns(data, cellOf, changeOf, only) {
  const list = [];

  data.runs.forEach((run, r) => {
    list.push({
      id: `run${r}`,
      name: letter(r),
      title: run.name,
      align: "right",
      value: (row) => cellOf(row, r).value,
      cell: (row) => cellOf(row, r).content,
    });
    if (r > 0)
      list.push({
        id: `change${r}`,
        name: `${letter(r)} vs ${letter(0)}`,
        align: "right",
        value: (row) => changeOf(row, r)?.percent,
        cell: (row) => <ChangeMark row={changeOf(row, r)} />,
      });
  });
  return only ? list : list;
}

function OneSection({ data, section, raw, marked, precision, changed }) {
  const runs = data.runs;
  const first = runs[0];
  const sections = runs.map((run) => sameSection(run, section));
  const names = [...new Set(runs.flatMap((run) => run.columns.map((c) => c.name)))];
  const rows = names
    .map((name) => ({ name, column: runs.map((run) => run.columns[columnIndex(run, name)]).find(Boolean) }))
    .filter(({ column }) => raw || column.shown || column.kind !== "event")
    .filter(
      ({ name }) => !marked || runs.some((_, r) => r > 0 && compareRow(data, r, section, name)?.result === "different"),
    );
  const cellOf = (row, r) => {
    const i = columnIndex(runs[r], row.name);
    const value = sections[r] && i >= 0 ? sections[r].value[i] : null;
    return {
      value,
      content: (
        <Verdict kind={verdict(value, boundsOf(row.column, precision, changed))}>{format.datum(row.column, value)}</Verdict>
      ),
    };
  };
  const columns = [
    {
      id: "name",
      name: "Metric",
      heads: true,
      first: 1,
      value: (row) => row.name,
      cell: (row) => <span title={row.column.formula}>{row.name}</span>,
    },
    ...runColumns(data, cellOf, (row, r) => compareRow(data, r, section, row.name)),
  ];

  return first && <Grid label="The section in all runs" columns={columns} rows={rows} rowKey={(row) => row.name} empty="No difference that is not noise." />;
}

function AllSections({ data, name, marked, choose }) {
  const runs = data.runs;
  const column = runs.map((run) => run.columns[columnIndex(run, name)]).find(Boolean);
  const seen = new Map();
  for (const run of runs) for (const s of run.sections) if (!seen.has(s.match)) seen.set(s.match, s);
  const rows = [...seen.values()].filter(
    (s) => !marked || runs.some((_, r) => r > 0 && compareRow(data, r, s, name)?.result === "different"),
  );
  const cellOf = (s, r) => {
    const own = sameSection(runs[r], s);
    const i = columnIndex(runs[r], name);
    const value = own && i >= 0 ? own.value[i] : null;
    return { value, content: format.datum(column, value) };
  };
  const columns = [
    { id: "section", name: "Section", heads: true, first: 1, value: (s) => s.label },
    ...runColumns(data, cellOf, (s, r) => compareRow(data, r, s, name)),
  ];
  const sort = useSort(columns, { id: "run0", direction: -1 });

  return (
    <Grid
      label="All sections in all runs"
      columns={columns}
      rows={rows}
      rowKey={(s) => s.match}
      sort={sort}
      choose={choose}
      empty="No difference that is not noise."
    />
  );
}

export function Compare(props) {
  const { data, section, precision, changed, measure, choose } = props;
  const [scope, setScope] = useState("section");
  const [raw, setRaw] = useState(true);
  const [marked, setMarked] = useState(false);
  const names = [...new Set(data.runs.flatMap((run) => run.columns.map((c) => c.name)))];
  const [name, setName] = useState("");
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
        {scope === "all" && <Choice label="metric" options={names.map((n) => [n, n])} value={by} choose={setName} />}
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
      {scope === "section" && section ? (
        <OneSection data={data} section={section} raw={raw} marked={marked} precision={precision} changed={changed} />
      ) : (
        <AllSections data={data} name={by} marked={marked} choose={choose} />
      )}
      <p class="legend">
        <span class="change sure">▲ ▼</span> resolved: more than the runs themselves vary (95 %); exact where simulated.{" "}
        <span class="change unsure">≈</span> may be noise.
      </p>
    </div>
  );
}
